//===- EmitLoops.cpp - Loops, and what they carry -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "drawloom/Analysis/Plan/Code.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::codegen;

/// Goes to the end of a loop's body, which has no terminator then: the builder
/// makes one only for loops that carry nothing.
static void enter(OpBuilder &b, scf::ForOp loop) {
  if (loop.getBody()->mightHaveTerminator())
    loop.getBody()->getTerminator()->erase();
  b.setInsertionPointToEnd(loop.getBody());
}

bool Emitter::mustUnroll(scf::ForOp op) {
  return plan::cutsRegisters(op, [&](Value tile) {
    return tiles.lookup(tile).kind == Tile::Kind::Fragment;
  });
}

LogicalResult Emitter::emitUnrolled(scf::ForOp op) {
  std::optional<APInt> trips = op.getStaticTripCount();
  std::optional<int64_t> first = getConstantIntValue(op.getLowerBound());
  std::optional<int64_t> step = getConstantIntValue(op.getStep());
  auto bind = [&](Value to, Value from) {
    if (isa<RankedTensorType>(from.getType()))
      tiles[to] = tiles.lookup(from);
    else
      scalars[to] = lookup(from);
  };
  // As around any loop, only what it carries may be in flight.
  auto finishOthers = [&](ValueRange values) {
    SmallVector<Value> kept;
    for (Value value : values)
      if (goesOnInFlight(value))
        kept.push_back(tiles.lookup(value).value);
    finishProductsExcept(kept);
  };
  finishOthers(op.getInitArgs());
  for (auto [argument, init] :
       llvm::zip_equal(op.getRegionIterArgs(), op.getInitArgs()))
    bind(argument, init);
  Operation *end = op.getBody()->getTerminator();
  for (uint64_t i = 0; i < trips->getZExtValue(); ++i) {
    scalars[op.getInductionVar()] = constant(*first + i * *step);
    if (failed(emitBlock(*op.getBody())))
      return failure();
    finishOthers(end->getOperands());
    // All at once: an argument may be yielded as another one.
    SmallVector<Tile> nextTiles;
    SmallVector<Value> nextScalars;
    for (Value value : end->getOperands()) {
      nextTiles.push_back(tiles.lookup(value));
      nextScalars.push_back(lookup(value));
    }
    for (auto [index, argument] : llvm::enumerate(op.getRegionIterArgs()))
      if (isa<RankedTensorType>(argument.getType()))
        tiles[argument] = nextTiles[index];
      else
        scalars[argument] = nextScalars[index];
  }
  for (auto [result, argument] :
       llvm::zip_equal(op.getResults(), op.getRegionIterArgs()))
    bind(result, argument);
  return success();
}

/// Whether the products of a loop add to what the loop carries, and nothing
/// else does. Then one set of registers is enough, and nobody reads them
/// between two iterations. A product that starts anew has other registers,
/// which are copied at the end of an iteration, so it has to be done by then.
static bool isSumInPlace(scf::ForOp loop, unsigned index,
                         const target::Architecture &arch) {
  Value carried = loop.getRegionIterArg(index);
  Value value = loop.getBody()->getTerminator()->getOperand(index);
  while (value != carried) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto inner = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!inner || inner == loop || argument == inner.getInductionVar())
        return false;
      value = inner.getTiedLoopInit(argument)->get();
      continue;
    }
    auto product = dyn_cast_if_present<tile::MmaOp>(agent::getMaker(value));
    if (!product || plan::isPromoted(product, arch))
      return false;
    value = product.getAcc();
  }
  return true;
}

/// How a loop carries a value.
Emitter::Carried Emitter::getCarried(scf::ForOp op, unsigned index) {
  Value result = op.getResult(index);
  if (!isa<RankedTensorType>(result.getType()))
    return Carried::Scalar;
  return agent::isProduct(result) && isSumInPlace(op, index, kernel.arch)
             ? Carried::Sum
             : Carried::Fragment;
}

/// What a loop carries of `values`: what it starts with, or yields. They are
/// operands of `user`. What it yields in flight has to be in the registers of
/// `arguments`, what it carries in its body: from others it would be copied.
LogicalResult Emitter::carry(scf::ForOp op, ValueRange values, Operation *user,
                             ValueRange arguments,
                             SmallVectorImpl<Value> &carried) {
  size_t start = carried.size();
  carried.resize(start + values.size());
  // Reading a tile may wait for products, which gives sums another name. So
  // sums, for which nobody waits, come last.
  for (auto [index, value] : llvm::enumerate(values)) {
    Value &to = carried[start + index];
    switch (getCarried(op, index)) {
    case Carried::Scalar:
      to = lookup(value);
      break;
    case Carried::Fragment:
    case Carried::Sum: {
      if (getCarried(op, index) == Carried::Sum && goesOnInFlight(value) &&
          (arguments.empty() || findInFlight(value)->home == arguments[index]))
        break;
      FailureOr<Value> fragment = getFragment(value, user);
      if (failed(fragment))
        return failure();
      to = *fragment;
      break;
    }
    }
  }
  SmallVector<Value> kept;
  for (auto [index, value] : llvm::enumerate(values))
    if (!carried[start + index])
      kept.push_back(tiles.lookup(value).value);
  finishProductsExcept(kept);
  for (auto [index, value] : llvm::enumerate(values))
    if (!carried[start + index])
      carried[start + index] = tiles.lookup(value).value;
  return success();
}

/// Takes over what a loop carries, in its body or behind it. Of that, sums may
/// be in flight, in the registers of `homes`, and nothing else is.
void Emitter::bindCarried(scf::ForOp op, ValueRange to, ValueRange from,
                          ValueRange homes) {
  inFlight.clear();
  for (auto [index, value] : llvm::enumerate(to)) {
    Value carried = from[index];
    switch (getCarried(op, index)) {
    case Carried::Scalar:
      scalars[value] = carried;
      break;
    case Carried::Sum:
      inFlight.push_back(
          {carried, homes[index], groups, /*readsRegisters=*/groups});
      [[fallthrough]];
    case Carried::Fragment:
      tiles[value] = {Tile::Kind::Fragment, carried, {}};
      break;
    }
  }
}

LogicalResult Emitter::emitFor(scf::ForOp op) {
  if (mustUnroll(op))
    return emitUnrolled(op);
  SmallVector<Value> inits;
  if (failed(carry(op, op.getInitArgs(), op, /*arguments=*/{}, inits)))
    return failure();
  // A sum that goes through the loop in flight stays in its registers.
  SmallVector<Value> homes;
  for (Value init : op.getInitArgs()) {
    const InFlight *product = findInFlight(init);
    homes.push_back(product ? product->home : Value());
  }
  auto loop = scf::ForOp::create(b, lookup(op.getLowerBound()),
                                 lookup(op.getUpperBound()),
                                 lookup(op.getStep()), inits);
  int64_t certainGroups = groups;
  {
    OpBuilder::InsertionGuard guard(b);
    enter(b, loop);
    scalars[op.getInductionVar()] = loop.getInductionVar();
    ValueRange carried = loop.getRegionIterArgs();
    bindCarried(op, op.getRegionIterArgs(), carried, /*homes=*/carried);
    if (failed(emitBlock(*op.getBody())))
      return failure();
    b.setLoc(op.getLoc());
    SmallVector<Value> next;
    Operation *end = op.getBody()->getTerminator();
    if (failed(carry(op, end->getOperands(), end, carried, next)))
      return failure();
    scf::YieldOp::create(b, next);
  }
  groups = certainGroups;
  ValueRange results = loop.getResults();
  for (auto [home, result] : llvm::zip_equal(homes, results))
    home = home ? home : result;
  bindCarried(op, op.getResults(), results, homes);
  return success();
}
