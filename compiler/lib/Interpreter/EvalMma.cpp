//===- EvalMma.cpp - Matrix products of tile ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every product of two operands of at most 24 bits, each with its block scale,
// is exact in double. The sum starts from the accumulator, runs over k upwards
// in double, and is rounded once to the accumulator's type. A machine adds in
// another order and rounds more often; ErrorBound.h says how far that may be.
//
//===----------------------------------------------------------------------===//

#include "Agents.h"
#include "Buffers.h"
#include "Mma.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom::interp;
using namespace drawloom;
using llvm::LogicalResult;
using mlir::Operation;

/// The operand as doubles, as the tensor core reads it: in TF32 the low bits of
/// the mantissa are dropped, and each element is multiplied by its scale.
static llvm::FailureOr<std::vector<double>> toNumbers(Operation *op, bool tf32,
                                                      const HostTensor &operand,
                                                      const HostTensor *scale,
                                                      llvm::StringRef name) {
  std::vector<double> values = operand.toFloats();
  if (tf32)
    for (double &value : values)
      value = decode(Format::TF32, encode(Format::TF32, value,
                                          llvm::RoundingMode::TowardZero));
  if (!scale)
    return values;

  int64_t columns = operand.getShape()[1];
  int64_t blocks = scale->getShape()[1];
  for (int64_t i = 0; i < static_cast<int64_t>(values.size()); ++i) {
    int64_t at = i / columns * blocks + i % columns * blocks / columns;
    double factor = scale->getFloat(at);
    if (factor < 0)
      return op->emitError() << "the scale of " << name << " is " << factor
                             << formatPosition(scale->getShape(), at)
                             << "; scales are never negative [interpreter]";
    values[i] *= factor;
  }
  return values;
}

/// acc[m, n] += a[m, k] * b[n, k]. The innermost loop runs along n, so that
/// every sum keeps the order of k and the loop still uses vector instructions.
template <typename T, typename Accumulator>
static void addProducts(std::vector<Accumulator> &acc, const std::vector<T> &a,
                        const std::vector<T> &b, int64_t m, int64_t n,
                        int64_t k) {
  std::vector<T> transposed(b.size());
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < k; ++i)
      transposed[i * n + j] = b[j * k + i];
  for (int64_t row = 0; row < m; ++row) {
    Accumulator *sums = acc.data() + row * n;
    for (int64_t i = 0; i < k; ++i) {
      T left = a[row * k + i];
      const T *right = transposed.data() + i * n;
      for (int64_t j = 0; j < n; ++j)
        sums[j] += static_cast<Accumulator>(left * right[j]);
    }
  }
}

llvm::FailureOr<RuntimeValue>
drawloom::interp::multiplyAdd(Operation *op, const MmaOperands &operands,
                              Format format) {
  const HostTensor &a = *operands.a.tensor, &b = *operands.b.tensor;
  int64_t m = a.getShape()[0], n = b.getShape()[0], k = a.getShape()[1];
  HostTensor result(format, {m, n});
  const HostTensor acc =
      operands.acc.tensor ? *operands.acc.tensor : HostTensor(format, {m, n});
  if (!isFloat(format)) {
    // Products of i8 fit int64_t, and the sum wraps, so unsigned.
    std::vector<int64_t> start = acc.toInts();
    std::vector<uint64_t> sums(start.begin(), start.end());
    addProducts(sums, a.toInts(), b.toInts(), m, n, k);
    for (int64_t i = 0; i < result.getNumElements(); ++i)
      result.setInt(i, static_cast<int64_t>(sums[i]));
  } else {
    auto left =
        toNumbers(op, operands.tf32, a, operands.aScale.tensor.get(), "a");
    auto right =
        toNumbers(op, operands.tf32, b, operands.bScale.tensor.get(), "b");
    if (failed(left) || failed(right))
      return llvm::failure();
    if (operands.negated)
      for (double &value : *left)
        value = -value;
    std::vector<double> sums = acc.toFloats();
    addProducts(sums, *left, *right, m, n, k);
    for (int64_t i = 0; i < result.getNumElements(); ++i)
      result.setFloat(i, sums[i]);
  }
  RuntimeValue product;
  product.tensor = std::make_shared<const HostTensor>(std::move(result));
  product.undefined = spreadProduct(operands);
  return product;
}

llvm::FailureOr<RuntimeValue> drawloom::interp::readOperand(Operation *op,
                                                            Evaluator &eval,
                                                            mlir::Value operand,
                                                            By by) {
  if (!operand)
    return RuntimeValue();
  RuntimeValue value = eval.getValue(operand);
  if (!value.window)
    return value;
  auto who = getParticipant(op, eval);
  Guard *guard = value.window->memory->guard;
  if (failed(who) ||
      failed(eval.getAgents().protocol.read(op, **who, by, *guard)))
    return llvm::failure();
  return copyFrom(*value.window);
}

static LogicalResult mma(Operation *op, Evaluator &eval) {
  auto mma = mlir::cast<tile::MmaOp>(op);
  auto result = eval.makeResult(op);
  auto a = readOperand(op, eval, mma.getA(), By::Wgmma);
  auto b = readOperand(op, eval, mma.getB(), By::Wgmma);
  auto acc = readOperand(op, eval, mma.getAcc(), By::Threads);
  auto aScale = readOperand(op, eval, mma.getAScale(), By::Threads);
  auto bScale = readOperand(op, eval, mma.getBScale(), By::Threads);
  if (failed(result) || failed(a) || failed(b) || failed(acc) ||
      failed(aScale) || failed(bScale))
    return llvm::failure();
  auto sum = multiplyAdd(
      op, {*a, *b, *aScale, *bScale, *acc, mma.getTf32(), mma.getNegated()},
      result->getFormat());
  if (failed(sum))
    return llvm::failure();
  // Warp groups multiply what is in slots, and each MMA is a group. Threads add
  // what those of 8-bit floats make, so these are done here.
  if (eval.getWindow(mma.getA()) || eval.getWindow(mma.getB())) {
    Participant &who = eval.getAgents().runner->getParticipant();
    unsigned actor = who.get(By::Wgmma);
    uint32_t number = eval.getAgents().protocol.count(actor);
    Format format = a->tensor->getFormat();
    if (isFloat(format) && getInfo(format).bits == 8)
      who.visible.raise(actor, number);
  }
  eval.setValue(mma.getResult(), *sum);
  return llvm::success();
}

static constexpr NamedRule mmaRules[] = {{"tile.mma", mma}};

llvm::ArrayRef<NamedRule> drawloom::interp::getMmaRules() { return mmaRules; }
