//===- EmitCopies.cpp - Tiles between global and shared memory ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

std::optional<Panels> codegen::getPanels(RankedTensorType type) {
  if (type.getRank() != 2)
    return std::nullopt;
  int64_t bits = plan::getElementBits(type.getElementType());
  int64_t row = type.getShape().back() * bits / 8;
  int64_t rows = type.getShape().front();
  if (row == 32 || row == 64)
    return Panels{rows, row, 1, bits};
  if (row > 0 && row % swizzleSpan == 0)
    return Panels{rows, swizzleSpan, row / swizzleSpan, bits};
  return std::nullopt;
}

ViewRegion Emitter::getRegion(Value view) {
  ViewRegion region;
  if (auto part = view.getDefiningOp<tile::SubviewOp>()) {
    region = getRegion(part.getView());
    for (auto [dim, offset, size] :
         llvm::enumerate(part.getMixedOffsets(), part.getMixedSizes())) {
      Value &start = region.starts[dim], &end = region.ends[dim];
      start = arith::AddIOp::create(b, start, lookup(offset));
      Value own = arith::AddIOp::create(b, start, lookup(size));
      end = arith::MinSIOp::create(b, end, own);
    }
    return region;
  }
  region.argument = cast<BlockArgument>(view);
  int64_t rank = cast<tile::ViewType>(view.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    region.starts.push_back(constant(0));
    region.ends.push_back(kernel.signature.getSize(b, region.argument, dim));
  }
  return region;
}

/// The coordinates of a copy, the innermost first, moved by `inner` elements.
static SmallVector<Value> getCoordinates(ImplicitLocOpBuilder &b,
                                         ArrayRef<Value> offsets, Value inner) {
  SmallVector<Value> coordinates(llvm::reverse(offsets));
  coordinates.front() = arith::AddIOp::create(b, coordinates.front(), inner);
  return coordinates;
}

static Value getPanel(ImplicitLocOpBuilder &b, Value slot, int64_t offset) {
  return LLVM::GEPOp::create(
      b, slot.getType(), b.getI8Type(), slot,
      ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(static_cast<int32_t>(offset))});
}

LogicalResult Emitter::emitLoad(tile::LoadOp op, Value slot, Value barrier) {
  // What lies outside of the view is zero: the tensor map can do nothing else.
  if (op.getPad() &&
      op.getPadOrZero() !=
          tile::LoadOp::getDefaultPad(getElementTypeOrSelf(op.getType())))
    return op->emitOpError("pads with a number, which has no code yet");
  auto type = cast<RankedTensorType>(op.getType());
  std::optional<Panels> panels = getPanels(type);
  SmallVector<Value> offsets;
  for (OpFoldResult offset : op.getMixedOffsets())
    offsets.push_back(lookup(offset));
  auto cluster = LLVM::LLVMPointerType::get(
      b.getContext(),
      static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  for (int64_t i = 0; i < panels->count; ++i) {
    // The address of the own CTA is valid in the cluster. A cast between the
    // address spaces would cost instructions.
    Value address = LLVM::PtrToIntOp::create(
        b, b.getI32Type(), getPanel(b, slot, i * panels->bytes()));
    Value target = LLVM::IntToPtrOp::create(b, cluster, address);
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        b, target, kernel.signature.getMap(op),
        getCoordinates(b, offsets, constant(i * panels->elements())), barrier,
        ValueRange(), Value(), Value(), NVVM::TMALoadMode::TILE,
        /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), Value());
  }
  return success();
}

LogicalResult Emitter::emitStore(tile::StoreOp op) {
  const Tile tile = tiles.lookup(op.getValue());
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  if (!type || tile.kind != Tile::Kind::Shared)
    return op->emitOpError(
        "stores what is not staged in shared memory, which has no code yet");
  std::optional<Panels> panels = getPanels(type);
  SmallVector<Value> offsets;
  for (OpFoldResult offset : op.getMixedOffsets())
    offsets.push_back(lookup(offset));
  when(leader, [&] {
    for (int64_t i = 0; i < panels->count; ++i)
      NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
          b, kernel.signature.getMap(op),
          getPanel(b, tile.value, i * panels->bytes()),
          getCoordinates(b, offsets, constant(i * panels->elements())), Value(),
          NVVM::TMAStoreMode::TILE, Value());
  });
  return success();
}
