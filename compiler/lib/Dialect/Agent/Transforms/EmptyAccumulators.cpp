//===- EmptyAccumulators.cpp - Accumulators of no MMAs --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmptyAccumulators.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

/// Whether a loop of another role runs.
static Value getRuns(ImplicitLocOpBuilder &b, ConsumeOp op, scf::ForOp loop) {
  plan::ScalarSlice slice = *plan::sliceBounds(loop);
  IRMapping map;
  if (slice.items)
    map.map(slice.items.getBody().getArguments(),
            op->getParentOfType<ForEachItemOp>().getBody().getArguments());
  for (Operation *scalar : slice.ops)
    b.clone(*scalar, map);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                               map.lookupOrDefault(loop.getLowerBound()),
                               map.lookupOrDefault(loop.getUpperBound()));
}

/// Whether what a produce yields has an MMA, which it has in one of these ways.
static Value getFilled(ImplicitLocOpBuilder &b, ConsumeOp op,
                       const plan::Ways &ways) {
  Value any;
  for (ArrayRef<scf::ForOp> way : ways) {
    Value all;
    for (scf::ForOp loop : way) {
      Value runs = getRuns(b, op, loop);
      all = all ? arith::AndIOp::create(b, all, runs).getResult() : runs;
    }
    any = any ? arith::OrIOp::create(b, any, all).getResult() : all;
  }
  return any;
}

/// An i1 that says whether MMAs have written an accumulator; null if they
/// always have.
static Value getFilled(ImplicitLocOpBuilder &b, ConsumeOp op, PipeOp pipe,
                       unsigned value) {
  Value filled;
  for (Operation *user : pipe.getPipe().getUsers()) {
    auto produce = dyn_cast<ProduceOp>(user);
    if (!produce)
      continue;
    Operation *end = produce.getBody().front().getTerminator();
    plan::Ways ways = plan::findWays(end->getOperand(value));
    if (llvm::any_of(ways, [](auto &way) { return way.empty(); }))
      continue;
    Value one = getFilled(b, op, ways);
    filled = filled ? arith::AndIOp::create(b, filled, one).getResult() : one;
  }
  return filled;
}

void agent::readEmptyAccumulators(SwitchOp roles) {
  roles.walk([](ConsumeOp op) {
    auto b =
        ImplicitLocOpBuilder::atBlockBegin(op.getLoc(), &op.getBody().front());
    SmallVector<std::pair<Value, Value>> read;
    for (auto [number, value] : llvm::enumerate(op.getPipes())) {
      auto pipe = value.getDefiningOp<PipeOp>();
      if (pipe.getProducerEngine() != Engine::tensor_core)
        continue;
      for (auto [index, tile] : llvm::enumerate(op.getSlotArguments(number)))
        if (Value filled = getFilled(b, op, pipe, index))
          read.emplace_back(tile, filled);
    }
    for (auto [tile, filled] : read) {
      auto known = OrZeroOp::create(b, tile.getType(), tile, filled);
      tile.replaceAllUsesExcept(known, known);
    }
  });
}
