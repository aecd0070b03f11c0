//===- Shared.cpp - Tiles between registers and shared memory -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Conversion/TileToNVVM/TileToNVVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

/// The most that a thread reads or writes of memory at once.
static constexpr int64_t accessBytes = 16;

/// Where the elements of a tile are in a buffer. That there is a way to say it
/// was asked before (CheckLayouts.cpp).
static plan::Offsets getOffsets(RankedTensorType tile,
                                tile::BufferType buffer) {
  return llvm::cantFail(
      plan::getSharedOffsets(tile, getLayout(tile), *plan::getPanels(buffer),
                             buffer.getPanels().getTransposed()));
}

static Value readShared(tile::ReadOp op, Value buffer, CodeWriter &w) {
  RankedTensorType tile = op.getType();
  plan::Offsets offsets = getOffsets(tile, op.getBuffer().getType());
  Type element = getMemoryType(tile.getElementType());
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  ThreadOffset thread = w.getThreadOffset(offsets);
  SmallVector<Value> elements(offsets.getRegisters());
  for (ArrayRef<int64_t> run : offsets.getRuns(accessBytes / bytes)) {
    int64_t count = run.size();
    Value loaded = LLVM::LoadOp::create(
        w.b, VectorType::get(count, element),
        w.getAddress(buffer, thread, offsets, run[0]), count * bytes);
    for (auto [index, number] : llvm::enumerate(run))
      elements[number] = vector::ExtractOp::create(w.b, loaded, int64_t(index));
  }
  Value fragment = vector::FromElementsOp::create(
      w.b, VectorType::get(offsets.getRegisters(), element), elements);
  return fromMemory(w.b, fragment, tile.getElementType());
}

static void writeShared(tile::WriteOp op, tile::WriteOp::Adaptor operands,
                        CodeWriter &w) {
  RankedTensorType tile = op.getValue().getType();
  plan::Offsets offsets = getOffsets(tile, op.getBuffer().getType());
  int64_t bytes = plan::getElementBits(tile.getElementType()) / 8;
  ThreadOffset thread = w.getThreadOffset(offsets);
  Value stored = toMemory(w.b, operands.getValue());
  auto write = [&] {
    for (ArrayRef<int64_t> run : offsets.getRuns(accessBytes / bytes)) {
      Value part = vector::ShuffleOp::create(w.b, stored, stored, run);
      LLVM::StoreOp::create(
          w.b, part,
          w.getAddress(operands.getBuffer(), thread, offsets, run[0]),
          run.size() * bytes);
    }
  };
  if (Value owner = w.getOwner(getLayout(tile)))
    w.when(owner, write);
  else
    write();
}

static Values read(tile::ReadOp op, tile::ReadOp::Adaptor operands,
                   CodeWriter &w) {
  if (op.getBuffer().getType().getSpace() == tile::Space::Tmem)
    return {readTensor(op, operands, w)};
  return {readShared(op, operands.getBuffer(), w)};
}

static Values write(tile::WriteOp op, tile::WriteOp::Adaptor operands,
                    CodeWriter &w) {
  if (op.getBuffer().getType().getSpace() == tile::Space::Tmem)
    writeTensor(op, operands, w);
  else
    writeShared(op, operands, w);
  return {};
}

/// Inside a warp.
static Values convertLayout(tile::ConvertLayoutOp op,
                            tile::ConvertLayoutOp::Adaptor operands,
                            CodeWriter &w) {
  return {convertInWarp(w.b, operands.getSource(), op.getSource().getType(),
                        op.getType(),
                        [&] { return std::pair(w.kernel.lane, w.own.warp); })};
}

/// To the same place of each of the CTAs, whose ranks follow that of the first.
static Values send(agent::SendOp op, agent::SendOp::Adaptor operands,
                   CodeWriter &w) {
  RankedTensorType tile = op.getPart().getType();
  plan::Offsets offsets = getOffsets(tile, op.getBuffer().getType());
  int64_t bytes = plan::getElementBits(tile.getElementType()) / 8;
  ThreadOffset thread = w.getThreadOffset(offsets);
  Value stored = toMemory(w.b, operands.getPart());
  Value moved = arith::MulIOp::create(w.b, operands.getPlace(),
                                      w.constant(op.getStride()));
  Value own = getBytesAfter(w.b, operands.getBuffer(), LLVM::GEPArg(moved));
  Type cluster =
      getPointerType(w.b.getContext(), NVVM::NVVMMemorySpace::SharedCluster);
  auto write = [&] {
    Value first = LLVM::CountTrailingZerosOp::create(
        w.b, w.b.getI32Type(), operands.getCtas(), /*is_zero_poison=*/true);
    for (int64_t number = 0; number != op.getCount(); ++number) {
      Value rank =
          arith::AddIOp::create(w.b, first, w.constant(number * op.getEvery()));
      Value there = NVVM::MapaOp::create(w.b, cluster, own, rank);
      for (ArrayRef<int64_t> run : offsets.getRuns(accessBytes / bytes)) {
        Value part = vector::ShuffleOp::create(w.b, stored, stored, run);
        LLVM::StoreOp::create(w.b, part,
                              w.getAddress(there, thread, offsets, run[0]),
                              run.size() * bytes);
      }
    }
  };
  if (Value owner = w.getOwner(getLayout(tile)))
    w.when(owner, write);
  else
    write();
  return {};
}

void codegen::addShared(PatternList &list) {
  // Scratch memory has a layout, slots have panels.
  addSharedAccessPatterns(list.types, list.patterns, /*benefit=*/2);
  list.add<tile::ReadOp>(read);
  list.add<tile::WriteOp>(write);
  list.add<agent::SendOp>(send);
  list.add<tile::ConvertLayoutOp>(convertLayout);
  list.add<tile::AllocOp>(
      [](tile::AllocOp op, tile::AllocOp::Adaptor, CodeWriter &w) -> Values {
        return {w.getShared(*op.getAt())};
      });
  // The same memory, read in another way.
  list.add<tile::TransposeViewOp>(
      [](tile::TransposeViewOp, tile::TransposeViewOp::Adaptor operands,
         CodeWriter &) -> Values { return {operands.getSource()}; });
}
