//===- OwnTransfers.cpp - What a role passes to itself --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OwnTransfers.h"
#include "Dataflow.h"
#include "PrepareItem.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

/// Whether the accumulator goes on in another MMA, or in another iteration.
static bool goesOn(Value value, const Accumulators &accumulators) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto mma = dyn_cast<tile::MmaOp>(user))
      return &use == &mma.getAccMutable();
    if (auto loop = dyn_cast<scf::ForOp>(user)) {
      unsigned first = loop.getNumControlOperands();
      return use.getOperandNumber() >= first &&
             accumulators.contains({user, use.getOperandNumber() - first});
    }
    return isa<scf::YieldOp>(user) &&
           accumulators.contains({user->getParentOp(), use.getOperandNumber()});
  });
}

/// Whether a loop carries nothing but accumulators out of it: then all of it
/// can stand in the produce that fills their slot.
static bool isOfMmas(scf::ForOp loop, const Accumulators &accumulators) {
  return llvm::all_of(loop.getResults(), [&](OpResult result) {
    return result.use_empty() ||
           accumulators.contains({loop, result.getResultNumber()});
  });
}

OwnTransfers drawloom::agent::findOwnTransfers(Item &item,
                                               const Owners &owners) {
  OwnTransfers own;
  Accumulators accumulators = findAccumulators(item);
  auto computes = [&](int role) {
    return !ownsOnly(item, owners, role, llvm::IsaPred<tile::MmaOp>);
  };
  auto addResult = [&](Value result) {
    if (goesOn(result, accumulators))
      return;
    own.values.insert(result);
    own.results.insert(result);
  };
  item.body->walk([&](tile::MmaOp mma) {
    int role = owners.of(mma.getOperation());
    if (!computes(role))
      return;
    for (Value operand : {mma.getA(), mma.getB()}) {
      while (operand.getDefiningOp() && goesWithReader(operand.getDefiningOp()))
        operand = operand.getDefiningOp()->getOperand(0);
      if (owners.of(operand) == role)
        own.values.insert(operand);
    }
    addResult(mma.getResult());
  });
  item.body->walk([&](scf::ForOp loop) {
    if (!isOfMmas(loop, accumulators))
      return;
    for (OpResult result : loop.getResults()) {
      unsigned number = result.getResultNumber();
      if (accumulators.contains({loop, number}) &&
          computes(owners.ofCarried(loop, number)))
        addResult(result);
    }
  });
  return own;
}
