//===- Projection.cpp - A role's own copy of the item ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Projection.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

namespace {
class Projector {
public:
  Projector(const Part &part, Projection &projection)
      : part(part), projection(projection), mapping(projection.mapping) {}

  void copyBlock(Block *from, OpBuilder &builder);

private:
  void copyLoop(scf::ForOp loop, OpBuilder &builder);
  /// Stands in for `value` until a consume provides it.
  void standIn(Value value, OpBuilder &builder);

  const Part &part;
  Projection &projection;
  IRMapping &mapping;
};
} // namespace

void Projector::standIn(Value value, OpBuilder &builder) {
  if (!part.crossing.contains(value))
    return;
  auto op = UnrealizedConversionCastOp::create(builder, value.getLoc(),
                                               value.getType(), ValueRange());
  mapping.map(value, op.getResult(0));
  projection.standIns.push_back(op);
}

void Projector::copyLoop(scf::ForOp loop, OpBuilder &builder) {
  SmallVector<unsigned> kept;
  SmallVector<Value> inits;
  for (unsigned i = 0; i < loop.getInitArgs().size(); ++i)
    if (part.carried.contains({loop, i})) {
      kept.push_back(i);
      inits.push_back(mapping.lookupOrDefault(Value(loop.getInitArgs()[i])));
    }
  auto bound = [&](Value value) { return mapping.lookupOrDefault(value); };
  auto copy = scf::ForOp::create(
      builder, loop.getLoc(), bound(loop.getLowerBound()),
      bound(loop.getUpperBound()), bound(loop.getStep()), inits,
      [](OpBuilder &, Location, Value, ValueRange) {}, loop.getUnsignedCmp());
  mapping.map(loop.getInductionVar(), copy.getInductionVar());
  for (auto [to, from] : llvm::enumerate(kept))
    mapping.map(loop.getRegionIterArg(from), copy.getRegionIterArg(to));
  OpBuilder inner = OpBuilder::atBlockEnd(copy.getBody());
  for (Value argument : loop.getRegionIterArgs())
    standIn(argument, inner);
  copyBlock(loop.getBody(), inner);
  SmallVector<Value> yielded;
  for (unsigned i : kept)
    yielded.push_back(
        mapping.lookupOrDefault(Value(loop.getYieldedValues()[i])));
  scf::YieldOp::create(inner, loop.getLoc(), yielded);
  for (auto [to, from] : llvm::enumerate(kept))
    mapping.map(loop.getResult(from), copy.getResult(to));
}

void Projector::copyBlock(Block *from, OpBuilder &builder) {
  for (Operation &op : from->without_terminator()) {
    if (part.ops.contains(&op)) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        copyLoop(loop, builder);
      else
        builder.clone(op, mapping);
    }
    for (Value result : op.getResults())
      standIn(result, builder);
  }
}

Projection drawloom::agent::project(Item &item, const Part &part, int role,
                                    Block *body) {
  Projection projection{role, body, {}, {}};
  unsigned number = 0;
  for (tile::ForEachOp loop : item.nest)
    for (Value offset : loop.getOffsets())
      projection.mapping.map(offset, body->getArgument(number++));
  OpBuilder builder = OpBuilder::atBlockEnd(body);
  Projector(part, projection).copyBlock(item.body, builder);
  return projection;
}
