//===- ApproximateFunctions.cpp - Where a function may be approximate -----===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// tanh.approx is one instruction instead of a dozen, and within 2^-11 of the
// value. Rounding to bf16 hides that in a product, but not in a sum: 1 + tanh
// cancels where tanh is near -1.
//
//   tanh ── mulf ── truncf ── store     the error stays relative
//   tanh ── addf ── mulf ──── store     no bound
//
// So the pass finds, from the stores backward, by how much each value may be
// off. A store allows a quarter ulp of its element type. A product or a
// conversion leaves of that what the rounding of its operand doesn't need.
//
// Invariant: unless the schedule says otherwise, a function gets the flag only
// if all that is stored of it is, before its last rounding, within a quarter
// ulp. Products that overflow or underflow on the way are not in the bound.

#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <limits>

namespace drawloom::tile {
#define GEN_PASS_DEF_APPROXIMATEFUNCTIONS
#include "drawloom/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace drawloom::tile

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
/// What convert-agent-to-nvvm makes of a function with `afn`.
struct Approximation {
  StringLiteral function, instruction;
  /// Relative to the value, as text and as a number: 0 if it depends on the
  /// operand, whose range nothing here knows.
  StringLiteral bound;
  double error;
};
} // namespace

/// PTX ISA: the largest relative error of tanh.approx.f32 is 2^-11, and that of
/// ex2.approx.ftz.f32 2 ulp, 2^-22. The roundings of x log2(e) and of log2(e)
/// move the exponent by up to 2^-24 |x| each, relative to the result.
static constexpr Approximation approximations[] = {
    {"math.tanh", "tanh.approx", "2^-11", 0x1p-11},
    {"math.exp", "ex2.approx of x log2(e)", "2^-22 (1 + |x| / 2)", 0},
};

static const Approximation *findApproximation(Operation *op) {
  const auto *row = llvm::find_if(approximations, [&](const auto &row) {
    return row.function == op->getName().getStringRef();
  });
  return row == std::end(approximations) ? nullptr : row;
}

static arith::FastMathFlags getFlags(Operation *op) {
  return cast<arith::ArithFastMathInterface>(op)
      .getFastMathFlagsAttr()
      .getValue();
}

static bool isApproximate(Operation *op) {
  return arith::bitEnumContainsAll(getFlags(op), arith::FastMathFlags::afn);
}

static void approximate(Operation *op) {
  op->setAttr(cast<arith::ArithFastMathInterface>(op).getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(
                  op->getContext(), getFlags(op) | arith::FastMathFlags::afn));
}

//===----------------------------------------------------------------------===//
// What stores allow
//===----------------------------------------------------------------------===//

/// A number of p bits is at least 2^(p-1) ulp and less than 2^p ulp.
static double getQuarterUlp(FloatType type) {
  return std::ldexp(1, -2 - static_cast<int>(type.getFPMantissaWidth()));
}
static double getUnitRoundoff(FloatType type) {
  return std::ldexp(1, -static_cast<int>(type.getFPMantissaWidth()));
}

static FloatType getFloat(Value value) {
  return dyn_cast<FloatType>(getElementTypeOrSelf(value.getType()));
}

namespace {
/// The relative error that a value may have, before it is rounded itself.
struct Allowance {
  /// What is stored where the least is allowed; null if nothing is.
  FloatType stored;
  /// By what roundings on the way to the store multiply.
  double rounding = 1;
  /// What keeps no relative error, if something reads the value that doesn't.
  Operation *obstacle = nullptr;

  double getMost() const {
    constexpr double unlimited = std::numeric_limits<double>::infinity();
    if (obstacle)
      return -unlimited;
    return stored ? (1 + getQuarterUlp(stored)) / rounding - 1 : unlimited;
  }
  /// How far off is what is stored, if the value is off by `error`.
  double getStored(double error) const { return (1 + error) * rounding - 1; }
};

class Allowances {
public:
  explicit Allowances(KernelOp kernel);

  Allowance get(Value value) const;

private:
  void findInexact(KernelOp kernel);
  Allowance getOf(OpOperand &use) const;

  /// What depends on a function that is or may become approximate.
  DenseSet<Value> inexact;
  DenseMap<Operation *, Allowance> results;
};
} // namespace

/// What a loop counts, or the place of a work tile: known without the body.
static bool isCounter(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return argument == loop.getInductionVar();
  return isa<ForEachOp>(parent);
}

void Allowances::findInexact(KernelOp kernel) {
  // The functions, and what they are in: a loop may carry what they compute.
  DenseSet<Operation *> around;
  kernel.walk([&](Operation *op) {
    const Approximation *row = findApproximation(op);
    if (!row || (row->error == 0 && !isApproximate(op)))
      return;
    while (op != kernel && around.insert(op).second)
      op = op->getParentOp();
  });
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isOperand = llvm::any_of(op->getOperands(), [&](Value operand) {
      return inexact.contains(operand);
    });
    if (!isOperand && !around.contains(op))
      return;
    inexact.insert_range(op->getResults());
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (isOperand || !isCounter(argument))
          inexact.insert(argument);
  });
}

Allowances::Allowances(KernelOp kernel) {
  findInexact(kernel);
  // Uses come before what they use.
  kernel.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (op->getNumResults() == 1 && inexact.contains(op->getResult(0)))
      results[op] = get(op->getResult(0));
  });
}

Allowance Allowances::get(Value value) const {
  Allowance least;
  for (OpOperand &use : value.getUses())
    if (Allowance other = getOf(use); other.getMost() < least.getMost())
      least = other;
  return least;
}

Allowance Allowances::getOf(OpOperand &use) const {
  Operation *op = use.getOwner();
  FloatType type = getFloat(use.get());
  if (type && isa<StoreOp>(op))
    return {type};
  if (isa<arith::NegFOp, BroadcastOp, ExpandDimsOp, TransposeOp, ExtractSliceOp,
          ConvertLayoutOp, tensor::ExtractSliceOp, tensor::SplatOp>(op))
    return results.lookup(op);
  auto product = dyn_cast<arith::MulFOp>(op);
  bool isExact =
      product && !inexact.contains(op->getOperand(1 - use.getOperandNumber()));
  if (!isExact && !isa<arith::ExtFOp, arith::TruncFOp>(op))
    return {{}, 1, op};
  Allowance rest = results.lookup(op);
  rest.rounding *= 1 + getUnitRoundoff(type);
  return rest;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// "2^-11", or with two digits more, rounded up.
static std::string toPower(double number) {
  double exponent = std::log2(number);
  if (exponent == std::floor(exponent))
    return formatv("2^{0}", static_cast<int>(exponent));
  return formatv("2^{0:f2}", std::ceil(exponent * 100) / 100);
}

/// What is known about what is stored of a function.
static std::string describe(const Approximation &row,
                            const Allowance &allowance, bool isTaken) {
  if (allowance.obstacle)
    return formatv("there is no bound for what is stored, once '{0}' reads it",
                   allowance.obstacle->getName().getStringRef());
  std::string type;
  llvm::raw_string_ostream(type) << allowance.stored;
  return formatv("what is stored {0} off by at most {1}, and a quarter ulp of "
                 "{2} is {3}",
                 isTaken ? "is" : "would be",
                 toPower(allowance.getStored(row.error)), type,
                 toPower(getQuarterUlp(allowance.stored)));
}

namespace {
struct ApproximateFunctionsPass
    : tile::impl::ApproximateFunctionsBase<ApproximateFunctionsPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    std::optional<bool> given = getSchedule(kernel).fastMath;
    SmallVector<Operation *> functions;
    kernel.walk([&](Operation *op) {
      if (findApproximation(op) && !isApproximate(op))
        functions.push_back(op);
    });
    if (functions.empty() || given == false)
      return;
    // First, because a product of two of them has no bound.
    if (given)
      llvm::for_each(functions, approximate);
    Allowances allowances(kernel);
    std::vector<std::string> reasons;
    for (Operation *op : functions) {
      std::string reason = decide(op, allowances.get(op->getResult(0)), given);
      if (!reason.empty() && !llvm::is_contained(reasons, reason))
        reasons.push_back(std::move(reason));
    }
    if (!reasons.empty())
      addReasons(kernel, reasons);
  }

private:
  /// Sets the flag, or leaves it. Returns why, where there is something to
  /// say.
  std::string decide(Operation *op, const Allowance &allowance,
                     std::optional<bool> given) {
    const Approximation &row = *findApproximation(op);
    bool hasBound = row.error != 0 && (allowance.stored || allowance.obstacle);
    if (!given && !hasBound)
      return "";
    bool isTaken = given || row.error <= allowance.getMost();
    if (isTaken)
      approximate(op);
    std::string text = formatv(
        "fast_math: {0} is {1}{2} ({3} relative), because ", row.function,
        isTaken ? "" : "not ", row.instruction, row.bound);
    if (given)
      text += hasBound ? "the schedule says so; " : "the schedule says so";
    return hasBound ? text + describe(row, allowance, isTaken) : text;
  }
};
} // namespace
