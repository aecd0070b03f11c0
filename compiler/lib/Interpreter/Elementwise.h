//===- Elementwise.h - Rules made from functions of numbers -----*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most operations of arith and math are a function of numbers, applied to each
// element. `elementwise` makes a rule of such a function. Floats reach it as
// doubles and its result is rounded once to the format of the operation's
// result; Format.h says why that is right.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_INTERPRETER_ELEMENTWISE_H
#define DRAWLOOM_LIB_INTERPRETER_ELEMENTWISE_H

#include "Evaluator.h"
#include "mlir/IR/Diagnostics.h"

namespace drawloom::interp {

/// How a function sees an element.
enum class As { Float, Signed, Unsigned };

template <As as>
auto readElement(const HostTensor &tensor, int64_t index) {
  if constexpr (as == As::Float)
    return tensor.getFloat(index);
  else if constexpr (as == As::Signed)
    return tensor.getInt(index);
  else
    return tensor.getUInt(index);
}

template <typename T>
void writeElement(HostTensor &tensor, int64_t index, T value) {
  if constexpr (std::is_same_v<T, double>)
    tensor.setFloat(index, value);
  else
    tensor.setInt(index, static_cast<int64_t>(value));
}

/// The rule that applies `fn` to the operands' elements. The function takes as
/// many numbers as the operation has operands.
template <As as, auto fn>
llvm::LogicalResult elementwise(mlir::Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  using T = decltype(readElement<as>(*result, 0));
  TensorRef a = eval.get(op->getOperand(0));
  int64_t count = result->getNumElements();
  if constexpr (std::is_invocable_v<decltype(fn), T>) {
    for (int64_t i = 0; i < count; ++i)
      writeElement(*result, i, fn(readElement<as>(*a, i)));
  } else if constexpr (std::is_invocable_v<decltype(fn), T, T>) {
    TensorRef b = eval.get(op->getOperand(1));
    for (int64_t i = 0; i < count; ++i)
      writeElement(*result, i,
                   fn(readElement<as>(*a, i), readElement<as>(*b, i)));
  } else {
    TensorRef b = eval.get(op->getOperand(1));
    TensorRef c = eval.get(op->getOperand(2));
    for (int64_t i = 0; i < count; ++i)
      writeElement(*result, i,
                   fn(readElement<as>(*a, i), readElement<as>(*b, i),
                      readElement<as>(*c, i)));
  }
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

} // namespace drawloom::interp

#endif // DRAWLOOM_LIB_INTERPRETER_ELEMENTWISE_H
