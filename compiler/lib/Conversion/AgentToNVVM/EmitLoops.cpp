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

/// A tile, or one that products may be writing.
static bool isTile(Type type) {
  return isa<RankedTensorType, InFlightType>(type);
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
    if (isTile(from.getType()))
      tiles[to] = tiles.lookup(from);
    else
      scalars[to] = lookup(from);
  };
  for (auto [argument, init] :
       llvm::zip_equal(op.getRegionIterArgs(), op.getInitArgs()))
    bind(argument, init);
  Operation *end = op.getBody()->getTerminator();
  for (uint64_t i = 0; i < trips->getZExtValue(); ++i) {
    scalars[op.getInductionVar()] = constant(*first + i * *step);
    if (failed(emitBlock(*op.getBody())))
      return failure();
    // All at once: an argument may be yielded as another one.
    SmallVector<Tile> nextTiles;
    SmallVector<Value> nextScalars;
    for (Value value : end->getOperands()) {
      nextTiles.push_back(tiles.lookup(value));
      nextScalars.push_back(lookup(value));
    }
    for (auto [index, argument] : llvm::enumerate(op.getRegionIterArgs()))
      if (isTile(argument.getType()))
        tiles[argument] = nextTiles[index];
      else
        scalars[argument] = nextScalars[index];
  }
  for (auto [result, argument] :
       llvm::zip_equal(op.getResults(), op.getRegionIterArgs()))
    bind(result, argument);
  return success();
}

LogicalResult Emitter::emitFor(scf::ForOp op) {
  if (mustUnroll(op))
    return emitUnrolled(op);
  auto loop = scf::ForOp::create(
      b, lookup(op.getLowerBound()), lookup(op.getUpperBound()),
      lookup(op.getStep()), getNow(op.getInitArgs()));
  {
    OpBuilder::InsertionGuard guard(b);
    enter(b, loop);
    scalars[op.getInductionVar()] = loop.getInductionVar();
    for (auto [from, to] :
         llvm::zip_equal(op.getRegionIterArgs(), loop.getRegionIterArgs()))
      bind(from, to);
    if (failed(emitBlock(*op.getBody())))
      return failure();
    b.setLoc(op.getLoc());
    scf::YieldOp::create(b,
                         getNow(op.getBody()->getTerminator()->getOperands()));
  }
  for (auto [from, to] : llvm::zip_equal(op.getResults(), loop.getResults()))
    bind(from, to);
  return success();
}
