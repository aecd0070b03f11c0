//===- Panels.cpp - How a tile lies in shared memory ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Panels.h"
#include "drawloom/Analysis/Plan/Footprint.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

/// Rows after which every swizzle repeats.
static constexpr int64_t patternRows = 8;

int64_t Panels::boxRows() const {
  if (rows <= maxBoxSize)
    return rows;
  int64_t step = swizzled ? patternRows : 1;
  for (int64_t size = maxBoxSize; size > step; size -= step)
    if (rows % size == 0)
      return size;
  return step;
}

/// Panels with a swizzle, the widest that fits.
static std::optional<Panels> getSwizzled(int64_t rows, int64_t rowBits,
                                         int64_t bits) {
  for (int64_t width : {swizzleSpan, swizzleSpan / 2, swizzleSpan / 4}) {
    if (rowBits % (width * 8) != 0)
      continue;
    Panels panels{rows, width, rowBits / (width * 8), bits};
    // Every panel and every box begins where the swizzle's pattern does.
    if ((panels.count > 1 || rows > maxBoxSize) && rows % patternRows != 0)
      return std::nullopt;
    return panels;
  }
  return std::nullopt;
}

/// Plain panels, as few as a box is wide enough for.
static std::optional<Panels> getPlain(int64_t rows, int64_t rowBits,
                                      int64_t bits) {
  // PTX ISA, "Tensor", and cuTensorMapEncodeTiled: a row of a box is a multiple
  // of 16 bytes, and a box begins at a multiple of 128.
  constexpr int64_t granule = 16, boxAlignment = 128;
  int64_t elements = rowBits / bits;
  for (int64_t count = llvm::divideCeil(elements, maxBoxSize);
       count <= elements; ++count) {
    int64_t width = rowBits / 8 / count;
    if (rowBits % (8 * count) != 0 || width % granule != 0)
      continue;
    Panels panels{rows, width, count, bits, /*swizzled=*/false};
    if ((count == 1 || panels.bytes() % boxAlignment == 0) &&
        (rows <= maxBoxSize || panels.boxRows() * width % boxAlignment == 0))
      return panels;
  }
  return std::nullopt;
}

std::optional<Panels> codegen::getPanels(RankedTensorType type) {
  if (type.getRank() > 2)
    return std::nullopt;
  int64_t bits = plan::getElementBits(type.getElementType());
  int64_t rowBits = type.getShape().back() * bits;
  if (rowBits == 0)
    return std::nullopt;
  // A vector is one row.
  if (type.getRank() == 1)
    return getPlain(/*rows=*/1, rowBits, bits);
  int64_t rows = type.getShape().front();
  if (std::optional<Panels> panels = getSwizzled(rows, rowBits, bits))
    return panels;
  return getPlain(rows, rowBits, bits);
}

/// Whether a product reads the tile as TF32, with rows that go along m or n.
static bool isTransposedWords(Value tile) {
  return llvm::any_of(tile.getUsers(), [](Operation *user) {
    return isa<tile::TransposeOp>(user) &&
           llvm::any_of(user->getUsers(), [](Operation *product) {
             if (auto multiply = dyn_cast<agent::MultiplyOp>(product))
               return multiply.getTf32();
             auto mma = dyn_cast<tile::MmaOp>(product);
             return mma && mma.getTf32();
           });
  });
}

/// Whether somebody reads it so from the buffer of a slot.
static bool isReadAsTransposedWords(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    auto read = dyn_cast<tile::ReadOp>(user);
    return read && isTransposedWords(read.getResult());
  });
}

std::optional<Panels> codegen::getPanels(agent::SlotsOp slots, int64_t value) {
  auto type =
      cast<RankedTensorType>(slots.getSlots().getType().getPayload()[value]);
  std::optional<Panels> panels = getPanels(type);
  if (!panels || !panels->swizzled || panels->width != swizzleSpan)
    return panels;
  for (Operation *user : slots.getSlots().getUsers()) {
    auto slot = cast<agent::SlotOp>(user);
    if (slot.getValue() == value && isReadAsTransposedWords(slot.getBuffer()))
      panels->atom = 32;
  }
  return panels;
}
