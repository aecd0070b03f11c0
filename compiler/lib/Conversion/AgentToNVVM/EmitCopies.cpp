//===- EmitCopies.cpp - Tiles between global and shared memory ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

SmallVector<Value> Emitter::getOrigin(Value view) {
  auto part = view.getDefiningOp<tile::SubviewOp>();
  if (!part)
    return SmallVector<Value>(cast<tile::ViewType>(view.getType()).getRank(),
                              constant(0));
  SmallVector<Value> origin = getOrigin(part.getView());
  for (auto [start, offset] : llvm::zip_equal(origin, part.getMixedOffsets()))
    start = arith::AddIOp::create(b, start, lookup(offset));
  return origin;
}

ViewRegion Emitter::getRegion(Value view) {
  ViewRegion region{getArgument(view), getOrigin(view), {}};
  int64_t rank = cast<tile::ViewType>(view.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    region.ends.push_back(kernel.signature.getSize(b, region.argument, dim));
  for (auto part = view.getDefiningOp<tile::SubviewOp>(); part;
       part = part.getView().getDefiningOp<tile::SubviewOp>())
    for (auto [end, start, size] :
         llvm::zip_equal(region.ends, getOrigin(part), part.getMixedSizes())) {
      Value own = arith::AddIOp::create(b, start, lookup(size));
      end = arith::MinSIOp::create(b, end, own);
    }
  return region;
}

/// What a bulk copy of a whole tile is: one for each panel, and for each box of
/// rows in it.
void Emitter::forEachBox(
    Value view, ArrayRef<OpFoldResult> offsets, ArrayRef<int64_t> dims,
    const Panels &panels, Value slot,
    llvm::function_ref<void(Value, ArrayRef<Value>)> visit) {
  SmallVector<Value> starts = getOrigin(view);
  for (auto [start, offset] : llvm::zip_equal(starts, offsets))
    start = arith::AddIOp::create(b, start, lookup(offset));
  for (int64_t panel = 0; panel < panels.count; ++panel)
    for (int64_t row = 0; row < panels.rows; row += panels.boxRows()) {
      int64_t column = panel * panels.elements();
      SmallVector<Value> coordinates(starts);
      auto move = [&](int64_t dim, int64_t by) {
        if (by != 0)
          coordinates[dim] =
              arith::AddIOp::create(b, coordinates[dim], constant(by));
      };
      move(dims.front(), row);
      move(dims.back(), column);
      // A map counts from the innermost dimension.
      std::reverse(coordinates.begin(), coordinates.end());
      Value address = LLVM::GEPOp::create(
          b, slot.getType(), b.getI8Type(), slot,
          ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(
              static_cast<int32_t>(panels.getOffset(row, column)))});
      visit(address, coordinates);
    }
}

Value Emitter::getThread() {
  // A role of one warp has no other.
  if (role.getWarps() == 1)
    return kernel.lane;
  Value first =
      arith::MulIOp::create(b, roleWarp, constant(kernel.arch.warpSize));
  return arith::AddIOp::create(b, first, kernel.lane);
}

LogicalResult Emitter::emitFetch(agent::FetchOp op) {
  const Tile slot = tiles.lookup(op.getBuffer());
  if (op.getEngine() == agent::Engine::copies) {
    fetchByThreads(op, slot);
    return success();
  }
  auto cluster = LLVM::LLVMPointerType::get(
      b.getContext(),
      static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  forEachBox(op.getView(), op.getMixedOffsets(), op.getDims(), *slot.panels,
             slot.value, [&](Value address, ArrayRef<Value> coordinates) {
               // The address of the own CTA is valid in the cluster. A cast
               // between the address spaces would cost instructions.
               Value number =
                   LLVM::PtrToIntOp::create(b, b.getI32Type(), address);
               Value target = LLVM::IntToPtrOp::create(b, cluster, number);
               NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
                   b, target, kernel.signature.getMap(op), coordinates,
                   lookup(op.getBarrier()), ValueRange(), Value(), Value(),
                   NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false,
                   NVVM::CTAGroupKindAttr(), Value());
             });
  return success();
}

LogicalResult Emitter::emitPut(agent::PutOp op) {
  const Tile slot = tiles.lookup(op.getBuffer());
  if (op.getEngine() != agent::Engine::tma) {
    putByThreads(op, slot);
    return success();
  }
  forEachBox(op.getView(), op.getMixedOffsets(), op.getDims(), *slot.panels,
             slot.value, [&](Value address, ArrayRef<Value> coordinates) {
               NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
                   b, kernel.signature.getMap(op), address, coordinates,
                   Value(), NVVM::TMAStoreMode::TILE, Value());
             });
  return success();
}
