//===- LowerMmas.cpp - Accumulators in tensor memory ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// MMAs of tcgen05 build their accumulator in the slot that is being filled.
// So the accumulator is no value any more; what is left of it is whether there
// is an MMA in it, because the first one overwrites what was there:
//
//   scf.for ... iter_args(%s = %zero) -> (tensor<128x256xf32>) {
//     %t = tile.mma %x, %y, %s
//     scf.yield %t
//
//   scf.for ... iter_args(%more = %false) -> (i1) {
//     agent.multiply %x, %y into %buffer accumulate(%more)
//     scf.yield %true

#include "RoleCode.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Tile/IR/DescribeMma.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

void agent::lowerMma(tile::MmaOp op, RoleCode &code) {
  CodeBuilder b(op.getLoc(), op);
  // After an MMA it is an i1 by now; the first one begins with zeros, or with
  // what the slot has.
  Value accumulate = op.getAccMutable().get();
  if (isa<RankedTensorType>(accumulate.getType()))
    accumulate = constant(b, !tile::isZero(accumulate), 1);
  MultiplyOp::create(b, op.getA(), op.getB(), code.accumulators.lookup(op),
                     accumulate, op.getTf32(), op.getNegated(), op.getPair());
  replace(op, constant(b, 1, 1));
}

/// Of a tile that a pair halves, this is half.
void agent::lowerTranspose(tile::TransposeOp op) {
  ArrayRef<int64_t> whole = op.getType().getShape();
  ArrayRef<int64_t> source = op.getSource().getType().getShape();
  if (whole == ArrayRef(applyPermutation(source, op.getPermutation())))
    return;
  CodeBuilder b(op.getLoc(), op);
  auto transpose =
      tile::TransposeOp::create(b, op.getSource(), op.getPermutation());
  replace(op, transpose.getResult());
}

/// Whether there is an MMA in what a loop starts with, or yields.
static FailureOr<Value> getFilled(CodeBuilder &b, scf::ForOp op, Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return value;
  if (!tile::isZero(value))
    return plan::rejectStart(op);
  return constant(b, 0, 1);
}

LogicalResult agent::lowerFor(scf::ForOp op, RoleCode &code) {
  SmallVector<unsigned> inTensorMemory;
  for (OpResult result : op.getResults())
    if (isa<RankedTensorType>(result.getType()) &&
        plan::isTcgen05Mma(getMaker(result), code.kernel.arch))
      inTensorMemory.push_back(result.getResultNumber());
  CodeBuilder b(op.getLoc(), op);
  for (unsigned number : inTensorMemory) {
    FailureOr<Value> filled = getFilled(b, op, op.getInitArgs()[number]);
    if (failed(filled))
      return failure();
    op.getInitArgsMutable()[number].assign(*filled);
    op.getRegionIterArg(number).setType(b.getI1Type());
    op.getResult(number).setType(b.getI1Type());
  }
  keepInSlot(op, code);
  if (failed(code.lowerLoop(op)))
    return failure();
  Operation *end = op.getBody()->getTerminator();
  b.setInsertionPoint(end);
  for (unsigned number : inTensorMemory) {
    FailureOr<Value> filled = getFilled(b, op, end->getOperand(number));
    if (failed(filled))
      return failure();
    end->setOperand(number, *filled);
  }
  dropKept(op, code);
  return success();
}
