//===- EmitOperands.cpp - Operands of products in shared memory -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A product reads its operands by descriptors of shared memory. Most are in
// slots. What a role has loaded or computed itself, its threads write to the
// role's scratch memory: all of them, because each warp group reads all of B.
//
//   wait for the products that read what was there
//   barrier of the role      nobody reads it any more
//   write, fence             the tensor core reads through another proxy
//   barrier of the role      everybody has written

#include "Emitter.h"
#include "drawloom/Analysis/Plan/Scratch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

SharedOperand Emitter::getSharedOperand(Value value) {
  const Tile tile = tiles.lookup(value);
  return {*tile.panels, tile.transposed};
}

LogicalResult Emitter::writeOperand(Value value, Operation *user) {
  Value source = plan::skipTransposes(value);
  bool transposed = tiles.lookup(value).transposed;
  std::optional<Panels> panels = plan::getOperandPanels(
      cast<RankedTensorType>(source.getType()), transposed);
  agent::ScratchAttr scratch = role.getScratchAttr();
  plan::Scratch needed = plan::findScratch(role, kernel.arch);
  if (!scratch || scratch.getBytes() < needed.bytes)
    return user->emitOpError()
           << "multiplies a " << value.getType() << " that takes "
           << plan::formatBytes(needed.bytes) << " of scratch memory; @"
           << role.getSymName() << " has "
           << plan::formatBytes(scratch ? scratch.getBytes() : 0)
           << ": run 'place-memory'";
  auto start = static_cast<int32_t>(
      scratch.getOffset() + needed.operands.lookup(plan::getWhole(value)));
  // As the first slot of a pipe.
  Value base = LLVM::GEPOp::create(b, kernel.shared.getType(), b.getI8Type(),
                                   kernel.shared,
                                   ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(start)});
  Value none =
      arith::MulIOp::create(b, constant(0), constant(plan::Scratch::alignment));
  Value slot =
      LLVM::GEPOp::create(b, kernel.shared.getType(), b.getI8Type(), base,
                          ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(none)});
  waitForReads();
  syncRole();
  if (failed(writeShared(source, slot, panels, user)))
    return failure();
  fenceProxy();
  syncRole();
  tiles[value] = {Tile::Kind::Shared, slot};
  tiles[value].panels = panels;
  tiles[value].transposed = transposed;
  return success();
}
