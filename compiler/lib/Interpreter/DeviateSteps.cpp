//===- DeviateSteps.cpp - Rounding through choices, steps and bits --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules for what the hardware computes exactly. Its result differs only because
// its operands do: by as much, if it is one of them; by the steps that lie
// between, if a number is rounded; by anything, if bits count.
//
//===----------------------------------------------------------------------===//

#include "Deviate.h"
#include "drawloom/Interpreter/Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace drawloom::interp;
using llvm::LogicalResult;
using mlir::Operation;

/// Functions whose result is one of the operands, or its opposite: nothing is
/// rounded.
static LogicalResult selection(Operation *op, Evaluator &eval) {
  llvm::SmallVector<TensorRef> offs;
  for (mlir::Value operand : op->getOperands())
    if (TensorRef off = eval.getDeviation(operand))
      offs.push_back(off);
  if (offs.empty())
    return llvm::success();
  HostTensor deviation = *offs.front();
  for (const TensorRef &off : llvm::drop_begin(offs))
    for (int64_t i = 0; i < deviation.getNumElements(); ++i)
      deviation.setFloat(i, std::max(deviation.getFloat(i), off->getFloat(i)));
  eval.setDeviation(op->getResult(0), std::move(deviation));
  return llvm::success();
}

/// The number that an element is: a float, a signed integer, or a bit.
static double read(const HostTensor &tensor, int64_t i) {
  if (isFloat(tensor.getFormat()))
    return tensor.getFloat(i);
  return tensor.getFormat() == Format::I1
             ? static_cast<double>(tensor.getUInt(i))
             : static_cast<double>(tensor.getInt(i));
}

/// Sets the deviation of the result, which is exact if nothing is off.
static void setDeviation(Operation *op, Evaluator &eval,
                         HostTensor &&deviation) {
  for (int64_t i = 0; i < deviation.getNumElements(); ++i)
    if (deviation.getFloat(i) != 0)
      return eval.setDeviation(op->getResult(0), std::move(deviation));
}

/// Functions of one operand that never change an order and that the hardware
/// has exactly: roundings to a format or to an integer. The hardware's result
/// lies between those of the ends of where its operand is. `fn` gets an end and
/// the format of the result; it answers with NaN where nothing can be said.
template <auto fn>
static LogicalResult steps(Operation *op, Evaluator &eval) {
  TensorRef off = eval.getDeviation(op->getOperand(0));
  if (!off)
    return llvm::success();
  TensorRef value = eval.get(op->getOperand(0));
  Format format = eval.get(op->getResult(0))->getFormat();
  // Deviations count from the signed number, so an unsigned one must stay in
  // one half of its range.
  double half = mlir::isa<mlir::arith::FPToUIOp>(op)
                    ? std::ldexp(1.0, getInfo(format).bits - 1)
                    : infinity;
  HostTensor deviation(Format::F64, value->getShape());
  for (int64_t i = 0; i < value->getNumElements(); ++i) {
    double x = read(*value, i), d = off->getFloat(i);
    double v = fn(x, format), furthest = 0;
    if (d != 0 && value->getFormat() == Format::I1)
      // Open, so 0 or 1 (or -1).
      furthest = 1;
    else if (d != 0)
      for (double end : {fn(x - d, format), fn(x + d, format)}) {
        bool isKnown = !std::isnan(end - v) && (end < half) == (v < half);
        furthest = std::max(furthest, isKnown ? std::abs(end - v) : infinity);
      }
    deviation.setFloat(i, furthest);
  }
  setDeviation(op, eval, std::move(deviation));
  return llvm::success();
}

static double roundTo(double x, Format format) {
  return decode(format, encode(format, x));
}

static double roundUnsignedTo(double x, Format format) {
  return x < 0 ? std::nan("") : roundTo(x, format);
}

/// Out of the integer's range the result has no meaning.
static double truncateToSigned(double x, Format format) {
  double end = std::ldexp(1.0, getInfo(format).bits - 1), whole = std::trunc(x);
  return whole >= -end && whole < end ? whole : std::nan("");
}

static double truncateToUnsigned(double x, Format format) {
  double end = std::ldexp(1.0, getInfo(format).bits), whole = std::trunc(x);
  return whole >= 0 && whole < end ? whole : std::nan("");
}

/// Functions of integers. `fn` gets the operands of an element of which one is
/// off, at least, and says how far the result is off. If the hardware's may
/// have wrapped, nothing is known.
template <auto fn>
static LogicalResult integers(Operation *op, Evaluator &eval) {
  if (llvm::none_of(op->getOperands(), [&](mlir::Value operand) {
        return eval.getDeviation(operand) != nullptr;
      }))
    return llvm::success();
  TensorRef result = eval.get(op->getResult(0));
  // What double has exactly.
  double end =
      std::ldexp(1.0, std::min(getInfo(result->getFormat()).bits - 1, 53));
  HostTensor deviation(Format::F64, result->getShape());
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    llvm::SmallVector<Operand, 2> operands;
    bool isExact = true;
    for (mlir::Value operand : op->getOperands()) {
      TensorRef off = eval.getDeviation(operand);
      operands.push_back(
          {read(*eval.get(operand), i), off ? off->getFloat(i) : 0});
      isExact &= operands.back().off == 0;
    }
    if (isExact)
      continue;
    double v = read(*result, i), off = fn(operands);
    deviation.setFloat(i, v - off >= -end && v + off < end ? off : infinity);
  }
  setDeviation(op, eval, std::move(deviation));
  return llvm::success();
}

using Operands = llvm::ArrayRef<Operand>;

static double sumOfOffs(Operands x) { return x[0].off + x[1].off; }
static double largestOff(Operands x) { return std::max(x[0].off, x[1].off); }
static double sameOff(Operands x) { return x[0].off; }
static double productOff(Operands x) { return productSpread(x[0], x[1]); }
/// Of a number that is seen as unsigned, and has no sign wherever it is.
static double sameUnsignedOff(Operands x) {
  return x[0].value - x[0].off >= 0 ? x[0].off : infinity;
}
/// Where bits count rather than numbers, or the result may be any.
static double anything(Operands) { return infinity; }

/// Of bits, where 1 says that the bit is open.
static LogicalResult bitwise(Operation *op, Evaluator &eval) {
  bool isBit = eval.get(op->getResult(0))->getFormat() == Format::I1;
  return isBit ? selection(op, eval) : integers<anything>(op, eval);
}

/// Whether the answer depends only on whether there are numbers: those are the
/// same on the hardware, unless an operand may be anything.
static bool asksForNumbers(Operation *op) {
  using mlir::arith::CmpFPredicate;
  auto compare = mlir::dyn_cast<mlir::arith::CmpFOp>(op);
  return compare && (compare.getLhs() == compare.getRhs() ||
                     compare.getPredicate() == CmpFPredicate::ORD ||
                     compare.getPredicate() == CmpFPredicate::UNO);
}

/// A comparison is the same on the hardware if the operands are further apart
/// than they may be off. Otherwise the answer is open, which is written as 1.
static LogicalResult comparison(Operation *op, Evaluator &eval) {
  bool ofNumbers = asksForNumbers(op);
  TensorRef offA = eval.getDeviation(op->getOperand(0));
  TensorRef offB = eval.getDeviation(op->getOperand(1));
  if (!offA && !offB)
    return llvm::success();
  TensorRef a = eval.get(op->getOperand(0)), b = eval.get(op->getOperand(1));
  HostTensor deviation(Format::F64, a->getShape());
  for (int64_t i = 0; i < a->getNumElements(); ++i) {
    double off =
        (offA ? offA->getFloat(i) : 0) + (offB ? offB->getFloat(i) : 0);
    double distance = std::abs(read(*a, i) - read(*b, i));
    bool isOpen = ofNumbers ? off == infinity : off != 0 && !(distance > off);
    deviation.setFloat(i, isOpen ? 1 : 0);
  }
  setDeviation(op, eval, std::move(deviation));
  return llvm::success();
}

/// The order of unsigned numbers is not that of the numbers that deviations
/// count from.
static LogicalResult integerComparison(Operation *op, Evaluator &eval) {
  using mlir::arith::CmpIPredicate;
  switch (mlir::cast<mlir::arith::CmpIOp>(op).getPredicate()) {
  case CmpIPredicate::ult:
  case CmpIPredicate::ule:
  case CmpIPredicate::ugt:
  case CmpIPredicate::uge:
    return integers<[](Operands) { return infinity; }>(op, eval);
  default:
    return comparison(op, eval);
  }
}

/// Where the condition is open, the hardware may have taken the other one.
static LogicalResult choice(Operation *op, Evaluator &eval) {
  std::array<TensorRef, 3> values, offs;
  for (unsigned k = 0; k != 3; ++k) {
    values[k] = eval.get(op->getOperand(k));
    offs[k] = eval.getDeviation(op->getOperand(k));
  }
  if (!offs[0] && !offs[1] && !offs[2])
    return llvm::success();
  TensorRef result = eval.get(op->getResult(0));
  bool isScalarCondition = values[0]->getRank() != result->getRank();
  HostTensor deviation(Format::F64, result->getShape());
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    int64_t at = isScalarCondition ? 0 : i;
    auto off = [&](unsigned k) {
      return offs[k] ? offs[k]->getFloat(k == 0 ? at : i) : 0;
    };
    unsigned taken = values[0]->getUInt(at) ? 1 : 2, other = 3 - taken;
    double result = off(taken);
    if (off(0) != 0) {
      double apart = std::abs(read(*values[1], i) - read(*values[2], i));
      result =
          std::max(result, (std::isnan(apart) ? infinity : apart) + off(other));
    }
    deviation.setFloat(i, result);
  }
  eval.setDeviation(op->getResult(0), std::move(deviation));
  return llvm::success();
}

/// The larger or the smaller of two numbers. It grows with both, so the
/// hardware's lies between those of the ends of where its operands are.
template <auto fn>
static LogicalResult extremum(Operation *op, Evaluator &eval) {
  TensorRef offs[] = {eval.getDeviation(op->getOperand(0)),
                      eval.getDeviation(op->getOperand(1))};
  if (!offs[0] && !offs[1])
    return llvm::success();
  TensorRef x = eval.get(op->getOperand(0)), y = eval.get(op->getOperand(1));
  TensorRef result = eval.get(op->getResult(0));
  HostTensor deviation(Format::F64, result->getShape());
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    double a = x->getFloat(i), b = y->getFloat(i), v = result->getFloat(i);
    double da = offs[0] ? offs[0]->getFloat(i) : 0;
    double db = offs[1] ? offs[1]->getFloat(i) : 0;
    double furthest = 0;
    for (double end : {fn(a - da, b - db), fn(a + da, b + db)})
      if (end != v)
        furthest = std::max(furthest,
                            std::isnan(end - v) ? infinity : std::abs(end - v));
    // Of NaNs nothing is known but that one may go on.
    if (std::isnan(a) || std::isnan(b))
      furthest = std::max(da, db);
    deviation.setFloat(i, furthest);
  }
  setDeviation(op, eval, std::move(deviation));
  return llvm::success();
}

static double larger(double x, double y) { return std::max(x, y); }
static double smaller(double x, double y) { return std::min(x, y); }

static constexpr NamedRule rules[] = {
    {"arith.negf", selection},
    {"math.absf", selection},
    {"arith.extf", selection},
    {"arith.maximumf", extremum<larger>},
    {"arith.minimumf", extremum<smaller>},
    {"arith.maxnumf", extremum<larger>},
    {"arith.minnumf", extremum<smaller>},
    {"arith.truncf", steps<roundTo>},
    {"math.floor", steps<[](double x, Format) { return std::floor(x); }>},
    {"math.ceil", steps<[](double x, Format) { return std::ceil(x); }>},
    {"math.round", steps<[](double x, Format) { return std::round(x); }>},
    {"math.roundeven",
     steps<[](double x, Format) { return std::nearbyint(x); }>},
    {"math.trunc", steps<[](double x, Format) { return std::trunc(x); }>},
    {"arith.fptosi", steps<truncateToSigned>},
    {"arith.fptoui", steps<truncateToUnsigned>},
    {"arith.sitofp", steps<roundTo>},
    {"arith.uitofp", steps<roundUnsignedTo>},
    {"arith.bitcast", integers<anything>},
    {"arith.addi", integers<sumOfOffs>},
    {"arith.subi", integers<sumOfOffs>},
    {"arith.muli", integers<productOff>},
    {"arith.maxui", integers<anything>},
    {"arith.minui", integers<anything>},
    {"arith.maxsi", integers<largestOff>},
    {"arith.minsi", integers<largestOff>},
    {"arith.extsi", integers<sameOff>},
    {"arith.extui", integers<sameUnsignedOff>},
    {"arith.trunci", integers<sameOff>},
    {"arith.index_cast", integers<sameOff>},
    {"arith.index_castui", integers<sameUnsignedOff>},
    {"arith.divsi", integers<anything>},
    {"arith.divui", integers<anything>},
    {"arith.floordivsi", integers<anything>},
    {"arith.ceildivsi", integers<anything>},
    {"arith.ceildivui", integers<anything>},
    {"arith.remsi", integers<anything>},
    {"arith.remui", integers<anything>},
    {"arith.shli", integers<anything>},
    {"arith.shrsi", integers<anything>},
    {"arith.shrui", integers<anything>},
    {"arith.andi", bitwise},
    {"arith.ori", bitwise},
    {"arith.xori", bitwise},
    {"arith.cmpf", comparison},
    {"arith.cmpi", integerComparison},
    {"arith.select", choice},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getStepDeviations() {
  return rules;
}
