//===- EvalInteger.cpp - Integer operations of arith ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results wrap at the width of the type; `index` has 64 bits. Where arith
// leaves the result undefined (division by zero, a shift by the width or more)
// the element has no meaning; Undefined.cpp says what follows. The flags nsw,
// nuw and exact promise something of the operands and are not checked.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace drawloom::interp;
using llvm::LogicalResult;
using mlir::Operation;

/// A rule for division and remainder. `fn` sees no zero divisor and, as signed,
/// no quotient that overflows.
template <As as, auto fn>
static LogicalResult divide(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  TensorRef a = eval.get(op->getOperand(0)), b = eval.get(op->getOperand(1));
  unsigned bits = getInfo(result->getFormat()).bits;
  auto isZero = [&](int64_t i) { return b->getUInt(i) == 0; };
  auto overflows = [&](int64_t i) {
    return as == As::Signed && b->getInt(i) == -1 &&
           a->getInt(i) == llvm::minIntN(bits);
  };
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    if (!isZero(i) && !overflows(i))
      writeElement(*result, i,
                   fn(readElement<as>(*a, i), readElement<as>(*b, i)));
  eval.set(op->getResult(0), std::move(*result));
  eval.markUndefined(op, [&](int64_t i) -> std::string {
    if (isZero(i))
      return "division by zero";
    if (overflows(i))
      return "the quotient of " + std::to_string(a->getInt(i)) +
             " and -1 does not fit " + getInfo(a->getFormat()).name.str();
    return "";
  });
  return llvm::success();
}

template <As as, auto fn>
static LogicalResult shift(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  TensorRef a = eval.get(op->getOperand(0)), b = eval.get(op->getOperand(1));
  unsigned bits = getInfo(result->getFormat()).bits;
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    if (uint64_t amount = b->getUInt(i); amount < bits)
      writeElement(*result, i, fn(readElement<as>(*a, i), amount));
  eval.set(op->getResult(0), std::move(*result));
  eval.markUndefined(op, [&](int64_t i) -> std::string {
    uint64_t amount = b->getUInt(i);
    return amount < bits
               ? ""
               : "a shift by " + std::to_string(amount) + " of a number of " +
                     std::to_string(bits) + " bits";
  });
  return llvm::success();
}

/// Two results: the low half, and what `high` makes of the operands.
template <As as, auto low, auto high>
static LogicalResult extended(Operation *op, Evaluator &eval) {
  auto lowResult = eval.makeResult(op, 0), highResult = eval.makeResult(op, 1);
  if (failed(lowResult) || failed(highResult))
    return llvm::failure();
  TensorRef a = eval.get(op->getOperand(0)), b = eval.get(op->getOperand(1));
  unsigned bits = getInfo(lowResult->getFormat()).bits;
  for (int64_t i = 0; i < lowResult->getNumElements(); ++i) {
    auto x = readElement<as>(*a, i), y = readElement<as>(*b, i);
    lowResult->setInt(i, static_cast<int64_t>(low(x, y)));
    highResult->setInt(i, static_cast<int64_t>(high(x, y, bits)));
  }
  eval.set(op->getResult(0), std::move(*lowResult));
  eval.set(op->getResult(1), std::move(*highResult));
  return llvm::success();
}

static LogicalResult compareIntegers(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  using mlir::arith::CmpIPredicate;
  CmpIPredicate predicate = mlir::cast<mlir::arith::CmpIOp>(op).getPredicate();
  TensorRef a = eval.get(op->getOperand(0)), b = eval.get(op->getOperand(1));
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    int64_t x = a->getInt(i), y = b->getInt(i);
    uint64_t ux = a->getUInt(i), uy = b->getUInt(i);
    bool holds = false;
    switch (predicate) {
    case CmpIPredicate::eq:
      holds = x == y;
      break;
    case CmpIPredicate::ne:
      holds = x != y;
      break;
    case CmpIPredicate::slt:
      holds = x < y;
      break;
    case CmpIPredicate::sle:
      holds = x <= y;
      break;
    case CmpIPredicate::sgt:
      holds = x > y;
      break;
    case CmpIPredicate::sge:
      holds = x >= y;
      break;
    case CmpIPredicate::ult:
      holds = ux < uy;
      break;
    case CmpIPredicate::ule:
      holds = ux <= uy;
      break;
    case CmpIPredicate::ugt:
      holds = ux > uy;
      break;
    case CmpIPredicate::uge:
      holds = ux >= uy;
      break;
    }
    result->setInt(i, holds);
  }
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

// The functions. Signed arithmetic that wraps is done unsigned.
using U = uint64_t;
using S = int64_t;
__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

static S floorDivide(S a, S b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
static S ceilDivide(S a, S b) {
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}
static U ceilDivideUnsigned(U a, U b) { return a / b + (a % b != 0); }
static U multiply(U a, U b) { return a * b; }
static S multiplySigned(S a, S b) {
  return static_cast<S>(static_cast<U>(a) * static_cast<U>(b));
}

static constexpr NamedRule integerRules[] = {
    {"arith.addi", elementwise<As::Unsigned, [](U a, U b) { return a + b; }>},
    {"arith.subi", elementwise<As::Unsigned, [](U a, U b) { return a - b; }>},
    {"arith.muli", elementwise<As::Unsigned, multiply>},
    {"arith.andi", elementwise<As::Unsigned, [](U a, U b) { return a & b; }>},
    {"arith.ori", elementwise<As::Unsigned, [](U a, U b) { return a | b; }>},
    {"arith.xori", elementwise<As::Unsigned, [](U a, U b) { return a ^ b; }>},
    {"arith.maxsi",
     elementwise<As::Signed, [](S a, S b) { return (a > b) ? a : b; }>},
    {"arith.minsi",
     elementwise<As::Signed, [](S a, S b) { return a < b ? a : b; }>},
    {"arith.maxui",
     elementwise<As::Unsigned, [](U a, U b) { return (a > b) ? a : b; }>},
    {"arith.minui",
     elementwise<As::Unsigned, [](U a, U b) { return a < b ? a : b; }>},
    {"arith.divsi", divide<As::Signed, [](S a, S b) { return a / b; }>},
    {"arith.divui", divide<As::Unsigned, [](U a, U b) { return a / b; }>},
    {"arith.remsi", divide<As::Signed, [](S a, S b) { return a % b; }>},
    {"arith.remui", divide<As::Unsigned, [](U a, U b) { return a % b; }>},
    {"arith.floordivsi", divide<As::Signed, floorDivide>},
    {"arith.ceildivsi", divide<As::Signed, ceilDivide>},
    {"arith.ceildivui", divide<As::Unsigned, ceilDivideUnsigned>},
    {"arith.shli", shift<As::Unsigned, [](U a, U n) { return a << n; }>},
    {"arith.shrui", shift<As::Unsigned, [](U a, U n) { return (a >> n); }>},
    {"arith.shrsi", shift<As::Signed, [](S a, U n) { return (a >> n); }>},
    {"arith.addui_extended",
     extended<As::Unsigned, [](U a, U b) { return a + b; },
              [](U a, U b, unsigned bits) {
                return static_cast<U>((UnsignedWide(a) + b) >> bits);
              }>},
    {"arith.mului_extended", extended<As::Unsigned, multiply,
                                      [](U a, U b, unsigned bits) {
                                        return static_cast<U>(
                                            (UnsignedWide(a) * b) >> bits);
                                      }>},
    {"arith.mulsi_extended", extended<As::Signed, multiplySigned,
                                      [](S a, S b, unsigned bits) {
                                        return static_cast<S>((Wide(a) * b) >>
                                                              bits);
                                      }>},
    {"arith.cmpi", compareIntegers},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getIntegerRules() {
  return integerRules;
}
