//===- LowerProducts.cpp - Accumulators in tensor memory
//--------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// MMAs of tcgen05 build their accumulator in the slot that is being filled.
// So the accumulator is no value any more; what is left of it is whether there
// is an MMA in it, because the first one overwrites what was there.

#include "RoleLowering.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

LogicalResult RoleLowering::lowerMma(tile::MmaOp op) {
  Value accumulator = accumulators.lookup(op);
  Value accumulate = filled.lookup(op.getAcc());
  if (!accumulate)
    accumulate = constant(0, 1);
  MultiplyOp::create(b, map.lookupOrDefault(op.getA()),
                     map.lookupOrDefault(op.getB()), accumulator, accumulate,
                     op.getTf32(), op.getNegated(), op.getPair());
  filled[op.getResult()] = constant(1, 1);
  return success();
}
