//===- LowerRescale.cpp - Accumulators that are rescaled in place ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An accumulator whose rows a loop scales between two MMAs (Accumulators.h)
// stays in its slot: the loop carries nothing, and reads it where it is. Rows
// are mostly scaled by 1, because the maximum that they are relative to has not
// grown; then the slot is released as it is. Tensor memory is read and
// written by whole warps, so a warp decides for its rows:
//
//   tile.write %zeros, %slot
//   scf.for ... {
//     %differ = arith.cmpf une, %factors, %ones
//     %any = agent.any %differ
//     scf.if %any {
//       // of each part, of 32 columns or a divisor
//       %old = tile.read %slot
//       %scaled = arith.mulf %old, %all_factors
//       tile.write %scaled, %slot
//     }
//     agent.arrive %rescaled.full
//     agent.wait %result.full
//   }

#include "Factors.h"
#include "RoleCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

/// Writes an accumulator in parts.
static void write(CodeBuilder &b, const RescaledPipe &rescaled, Value buffer,
                  function_ref<Value(int64_t column)> make) {
  int64_t columns = cast<tile::BufferType>(buffer.getType()).getShape()[1];
  for (int64_t at = 0; at < columns; at += rescaled.part.getDimSize(1))
    tile::WriteOp::create(b, make(at), buffer, ValueRange(),
                          ArrayRef<int64_t>{0, at});
  DrainOp::create(b, Work::tensor_stores, 0);
}

static Value read(CodeBuilder &b, Value buffer, RankedTensorType type,
                  int64_t column = 0) {
  return tile::ReadOp::create(b, type, buffer, ValueRange(),
                              ArrayRef<int64_t>{0, column});
}

/// The loop without one of the tiles that it carries, which has no use.
static scf::ForOp dropCarried(scf::ForOp op, unsigned number) {
  CodeBuilder b(op.getLoc(), op);
  SmallVector<Value> inits(op.getInitArgs());
  inits.erase(inits.begin() + number);
  auto loop =
      scf::ForOp::create(b, op.getLowerBound(), op.getUpperBound(),
                         op.getStep(), inits, nullptr, op.getUnsignedCmp());
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  loop.getRegion().takeBody(op.getRegion());
  loop.getBody()->eraseArgument(loop.getNumInductionVars() + number);
  loop.getBody()->getTerminator()->eraseOperand(number);
  SmallVector<Value> results(loop.getResults());
  results.insert(results.begin() + number, Value());
  for (auto [from, to] : llvm::zip_equal(op.getResults(), results))
    if (to)
      from.replaceAllUsesWith(to);
  op.erase();
  return loop;
}

void agent::keepInSlot(scf::ForOp op, RoleCode &code) {
  for (RescaledPipe &rescaled : code.kernel.rescaled) {
    plan::Rescaling &rescaling = rescaled.rescaling;
    if (rescaling.loop != op)
      continue;
    CodeBuilder b(op.getLoc(), op);
    LoweredPipe &pipe = code.getPipe(rescaling.result.getPipe());
    Value buffer = getBuffer(b, pipe, /*value=*/0, constant(b, 0));
    Value zeros = arith::ConstantOp::create(
        b, cast<TypedAttr>(b.getZeroAttr(rescaled.part)));
    write(b, rescaled, buffer, [&](int64_t) { return zeros; });
    auto readInstead = [&](Value tile) {
      tile.replaceAllUsesWith(
          read(b, buffer, cast<RankedTensorType>(tile.getType())));
    };
    b.setInsertionPointToStart(op.getBody());
    readInstead(op.getRegionIterArg(rescaling.number));
    b.setInsertionPointAfter(op);
    readInstead(op.getResult(rescaling.number));
  }
}

void agent::dropKept(scf::ForOp op, RoleCode &code) {
  SmallVector<unsigned> numbers;
  for (RescaledPipe &rescaled : code.kernel.rescaled)
    if (rescaled.rescaling.loop == op)
      numbers.push_back(rescaled.rescaling.number);
  llvm::sort(numbers, std::greater<>());
  for (unsigned number : numbers)
    op = dropCarried(op, number);
}

void agent::rescale(CodeBuilder &b, RescaledPipe &rescaled, Value buffer) {
  arith::MulFOp scaled = rescaled.rescaling.scaled;
  Value factors = plan::findFactors(scaled);
  RankedTensorType part = rescaled.part;
  when(b, anyScales(b, factors), [&] {
    Value all = tile::BroadcastOp::create(b, part, factors);
    write(b, rescaled, buffer, [&](int64_t column) -> Value {
      Value old = tile::ConvertLayoutOp::create(
          b, part, read(b, buffer, part.dropEncoding(), column));
      return arith::MulFOp::create(b, old, all);
    });
  });
  // The parts are, the whole is nowhere.
  SmallVector<Value> operands(scaled->getOperands());
  scaled->dropAllUses();
  scaled.erase();
  for (Value operand : operands)
    if (operand.use_empty())
      operand.getDefiningOp()->erase();
}
