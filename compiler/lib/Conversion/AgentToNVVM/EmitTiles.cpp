//===- EmitTiles.cpp - Copies, products and tiles in registers ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "MatrixDescriptors.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

/// What a thread reads or writes of shared memory at once.
static constexpr int64_t chunkBytes = 16;
/// The span after which the pattern of a swizzle moves on by one chunk.
static constexpr int64_t swizzleSpan = 128;

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

VectorType Emitter::getFragmentType(RankedTensorType type) {
  return VectorType::get(type.getShape().back(), type.getElementType());
}

FailureOr<Value> Emitter::getFragment(Value value, Operation *user) {
  auto type = cast<RankedTensorType>(value.getType());
  const Tile tile = tiles.lookup(value);
  // Thread t of the role has row t.
  int64_t threads = role ? role.getWarps() * kernel.arch.warpSize : 0;
  if (type.getRank() != 2 || type.getDimSize(0) != threads)
    return user->emitOpError()
           << "works on a " << type << " with " << threads
           << " threads; there is code for one row for each thread";
  switch (tile.kind) {
  case Tile::Kind::Fragment:
    return tile.value;
  case Tile::Kind::Splat:
    return arith::ConstantOp::create(
               b, DenseElementsAttr::get(getFragmentType(type),
                                         Attribute(tile.splat)))
        .getResult();
  case Tile::Kind::Tensor:
    if (!type.getElementType().isF32())
      break;
    return loadTensor(tile, type.getDimSize(1));
  case Tile::Kind::Shared:
    if (std::optional<Panels> panels = getPanels(type))
      return loadShared(tile.value, type, *panels);
    break;
  case Tile::Kind::Accumulator:
    break;
  }
  return user->emitOpError()
         << "reads a " << type << " in a way that has no code yet";
}

Value Emitter::loadTensor(const Tile &tile, int64_t columns) {
  if (!tile.filled)
    return loadColumns(tile.value, columns);
  auto type = VectorType::get(columns, b.getF32Type());
  auto branch = scf::IfOp::create(b, type, tile.filled,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loadColumns(tile.value, columns));
  b.setInsertionPointToStart(branch.elseBlock());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  scf::YieldOp::create(b, zero);
  return branch.getResult(0);
}

/// One row of `columns` 32-bit columns for each thread.
Value Emitter::loadColumns(Value address, int64_t columns) {
  Value mine = arith::AddIOp::create(b, address, tensorLane);
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Tensor));
  // tcgen05.ld takes powers of two up to 128.
  Type i32 = b.getI32Type();
  SmallVector<Value> words;
  for (int64_t done = 0; done < columns;) {
    int64_t width =
        std::min<int64_t>(128, llvm::bit_floor<uint64_t>(columns - done));
    Value at = arith::AddIOp::create(b, mine, constant(done));
    Type type = width == 1 ? i32 : Type(VectorType::get(width, i32));
    Value loaded = NVVM::Tcgen05LdOp::create(
        b, type, /*pack=*/false, NVVM::Tcgen05LdStShape::SHAPE_32X32B,
        LLVM::IntToPtrOp::create(b, pointer, at), Value());
    for (int64_t i = 0; i < width; ++i)
      words.push_back(
          width == 1 ? loaded
                     : vector::ExtractOp::create(b, loaded, i).getResult());
    done += width;
  }
  // LLVM sees no dependence between a load and its wait, and moves uses above
  // the wait. So the words go through it.
  std::string constraints;
  for (int64_t i = 0; i < columns; ++i)
    constraints += "=r,";
  for (int64_t i = 0; i < columns; ++i)
    constraints += std::to_string(i) + ",";
  constraints += "~{memory}";
  auto result = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(columns, i32));
  auto waited = LLVM::InlineAsmOp::create(
      b, result, words, "tcgen05.wait::ld.sync.aligned;", constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
      ArrayAttr());
  SmallVector<Value> elements;
  for (int64_t i = 0; i < columns; ++i) {
    Value word = LLVM::ExtractValueOp::create(b, waited.getRes(), i);
    elements.push_back(arith::BitcastOp::create(b, b.getF32Type(), word));
  }
  return vector::FromElementsOp::create(
      b, VectorType::get(columns, b.getF32Type()), elements);
}

/// Where chunk `chunk` of this thread's row is in a panel.
Value Emitter::getRowChunk(const Panels &panels, Value slot, int64_t panel,
                           int64_t chunk) {
  // The swizzle takes the exclusive or of the number of a chunk and that of the
  // 128 bytes that it is in.
  int64_t rowsPerSpan = swizzleSpan / panels.width;
  int64_t chunks = panels.width / chunkBytes;
  Value span = arith::DivUIOp::create(b, row, constant(rowsPerSpan));
  Value pattern = arith::AndIOp::create(b, span, constant(chunks - 1));
  Value moved = arith::XOrIOp::create(b, pattern, constant(chunk));
  Value inRow = arith::MulIOp::create(b, moved, constant(chunkBytes));
  Value rowStart = arith::MulIOp::create(b, row, constant(panels.width));
  Value offset = arith::AddIOp::create(b, rowStart, inRow);
  offset = arith::AddIOp::create(b, offset, constant(panel * panels.bytes()));
  return LLVM::GEPOp::create(b, slot.getType(), b.getI8Type(), slot,
                             ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(offset)});
}

Value Emitter::loadShared(Value slot, RankedTensorType type,
                          const Panels &panels) {
  int64_t perChunk = chunkBytes * 8 / panels.bits;
  auto chunkType = VectorType::get(perChunk, type.getElementType());
  Value row =
      arith::ConstantOp::create(b, b.getZeroAttr(getFragmentType(type)));
  int64_t chunks = panels.width / chunkBytes;
  for (int64_t i = 0; i < panels.count * chunks; ++i) {
    Value at = getRowChunk(panels, slot, i / chunks, i % chunks);
    Value chunk = LLVM::LoadOp::create(b, chunkType, at, chunkBytes);
    row = vector::InsertStridedSliceOp::create(
        b, chunk, row, ArrayRef<int64_t>{i * perChunk}, ArrayRef<int64_t>{1});
  }
  return row;
}

LogicalResult Emitter::writeShared(Value value, Value slot, Operation *user) {
  auto type = cast<RankedTensorType>(value.getType());
  std::optional<Panels> panels = getPanels(type);
  FailureOr<Value> fragment = getFragment(value, user);
  if (failed(fragment))
    return failure();
  if (!panels)
    return user->emitOpError()
           << "writes rows of " << type << ", for which TMA has no swizzle";
  int64_t perChunk = chunkBytes * 8 / panels->bits;
  int64_t chunks = panels->width / chunkBytes;
  for (int64_t i = 0; i < panels->count * chunks; ++i) {
    Value chunk = vector::ExtractStridedSliceOp::create(
        b, *fragment, ArrayRef<int64_t>{i * perChunk},
        ArrayRef<int64_t>{perChunk}, ArrayRef<int64_t>{1});
    LLVM::StoreOp::create(b, chunk,
                          getRowChunk(*panels, slot, i / chunks, i % chunks),
                          chunkBytes);
  }
  return success();
}

/// Columns of a tile in tensor memory: another address.
LogicalResult Emitter::emitSlice(Operation *op) {
  Value source = op->getOperand(0);
  const Tile tile = tiles.lookup(source);
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!slice || tile.kind != Tile::Kind::Tensor || type.getRank() != 2 ||
      type.getDimSize(0) !=
          cast<RankedTensorType>(source.getType()).getDimSize(0) ||
      !type.getElementType().isF32())
    return op->emitOpError(
        "cuts something else than columns of an f32 tile in tensor memory, "
        "which has no code yet");
  Value first = lookup(slice.getMixedOffsets()[1]);
  tiles[op->getResult(0)] = {Tile::Kind::Tensor,
                             arith::AddIOp::create(b, tile.value, first),
                             {},
                             tile.filled};
  return success();
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

LogicalResult Emitter::emitMma(tile::MmaOp op) {
  const Tile a = tiles.lookup(op.getA());
  const Tile bTile = tiles.lookup(op.getB());
  const Tile sum = tiles.lookup(op.getAcc());
  auto aType = cast<RankedTensorType>(op.getA().getType());
  auto bType = cast<RankedTensorType>(op.getB().getType());
  FailureOr<uint32_t> instruction = describeInstruction(op);
  if (failed(instruction))
    return failure();
  std::optional<Panels> aPanels = getPanels(aType), bPanels = getPanels(bType);
  if (a.kind != Tile::Kind::Shared || bTile.kind != Tile::Kind::Shared ||
      destinations.empty() || !aPanels || !bPanels)
    return op->emitOpError("multiplies tiles that are not both in slots of "
                           "shared memory, which has no code yet");
  Value first =
      sum.kind == Tile::Kind::Accumulator ? sum.value : constant(0, 1);
  auto tensorPointer = LLVM::LLVMPointerType::get(
      b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Tensor));
  Value target =
      LLVM::IntToPtrOp::create(b, tensorPointer, destinations.back());

  // A descriptor is the address in units of 16 bytes, and bits that describe
  // the panel. Steps along k only move the address.
  auto describe = [&](Value slot, const Panels &panels) -> Value {
    Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(), slot);
    Value units = arith::ShRUIOp::create(b, address, constant(4));
    Value wide = arith::ExtUIOp::create(b, b.getI64Type(), units);
    return arith::AddIOp::create(b, wide,
                                 constant(describePanel(panels.width), 64));
  };
  Value aBase = describe(a.value, *aPanels);
  Value bBase = describe(bTile.value, *bPanels);
  int64_t rowBytes = aPanels->width * aPanels->count;
  for (int64_t k = 0; k < rowBytes; k += bytesOfK) {
    auto step = [&](Value base, const Panels &panels) -> Value {
      int64_t offset = k / panels.width * panels.bytes() + k % panels.width;
      return arith::AddIOp::create(b, base, constant(offset / 16, 64));
    };
    Value aNow = step(aBase, *aPanels), bNow = step(bBase, *bPanels);
    Value accumulates = k == 0 ? first : constant(1, 1);
    Value issues = NVVM::ElectSyncOp::create(b, b.getI1Type(), Value());
    Value word = constant(*instruction);
    when(issues, [&] {
      NVVM::Tcgen05MMAOp::create(
          b, NVVM::Tcgen05MMAKind::F16, NVVM::CTAGroupKind::CTA_1,
          NVVM::Tcgen05MMACollectorOp::DISCARD, /*aShift=*/false, target, aNow,
          bNow, word, accumulates, Value(), Value());
    });
  }
  tiles[op.getResult()] = {Tile::Kind::Accumulator, constant(1, 1), {}};
  return success();
}
