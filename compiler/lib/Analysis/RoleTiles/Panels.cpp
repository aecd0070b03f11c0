//===- Panels.cpp - How a tile lies in shared memory ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/RoleTiles/Panels.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Analysis/Slots/Multicast.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::plan;

static constexpr int64_t maxBoxSize = target::tiledMaps.maxBoxDim;
/// Rows after which every swizzle repeats.
static constexpr int64_t patternRows = 8;

int64_t Panels::boxRows(int64_t parts) const {
  int64_t all = rows / parts;
  if (all <= maxBoxSize)
    return all;
  int64_t step = swizzled ? patternRows : 1;
  for (int64_t size = maxBoxSize; size > step; size -= step)
    if (all % size == 0)
      return size;
  return step;
}

bool Panels::isBoxed() const {
  if (swizzled)
    return true;
  constexpr int64_t granule = target::tiledMaps.granuleBytes;
  constexpr int64_t boxAlignment = target::tiledMaps.boxAlign;
  return elements() <= maxBoxSize && width % granule == 0 &&
         (count == 1 || bytes() % boxAlignment == 0) &&
         (rows <= maxBoxSize || boxRows() * width % boxAlignment == 0);
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

/// Plain panels, as few as a box is wide enough for, or else one.
static Panels getPlain(int64_t rows, int64_t rowBits, int64_t bits) {
  constexpr int64_t granule = target::tiledMaps.granuleBytes;
  int64_t elements = rowBits / bits;
  for (int64_t count = llvm::divideCeil(elements, maxBoxSize);
       count <= elements; ++count) {
    int64_t width = rowBits / 8 / count;
    if (rowBits % (8 * count) != 0 || width % granule != 0)
      continue;
    Panels panels{rows, width, count, bits, /*swizzled=*/false};
    if (panels.isBoxed())
      return panels;
  }
  return {rows, rowBits / 8, 1, bits, /*swizzled=*/false};
}

std::optional<Panels> plan::getPanels(RankedTensorType type) {
  if (type.getRank() > 2)
    return std::nullopt;
  int64_t bits = plan::getElementBits(type.getElementType());
  int64_t rowBits = type.getShape().back() * bits;
  if (rowBits == 0 || bits % 8 != 0)
    return std::nullopt;
  // A vector is one row.
  if (type.getRank() == 1)
    return getPlain(/*rows=*/1, rowBits, bits);
  int64_t rows = type.getShape().front();
  if (std::optional<Panels> panels = getSwizzled(rows, rowBits, bits))
    return panels;
  return getPlain(rows, rowBits, bits);
}

std::optional<Panels> plan::getOperandPanels(RankedTensorType type,
                                             bool transposed) {
  std::optional<Panels> panels = getPanels(type);
  if (!panels || panels->swizzled || !transposed || type.getRank() != 2 ||
      panels->rows % patternRows != 0)
    return panels;
  int64_t rowBytes = panels->width * panels->count;
  if (rowBytes % Panels::plainAtom != 0)
    return panels;
  panels->width = Panels::plainAtom;
  panels->count = rowBytes / Panels::plainAtom;
  return panels;
}

namespace {
/// Whether an MMA reads the transpose of a tile, and in TF32.
struct ReadAcross {
  bool any = false, tf32 = false;
};
} // namespace

static ReadAcross findReadAcross(Value tile) {
  ReadAcross read;
  for (Operation *user : tile.getUsers())
    if (isa<tile::TransposeOp>(user))
      for (Operation *reader : user->getUsers()) {
        auto mma = dyn_cast<tile::MmaOp>(reader);
        read.any |= static_cast<bool>(mma);
        read.tf32 |= mma && mma.getTf32();
      }
  return read;
}

static std::optional<Panels> getSlotPanels(RankedTensorType type,
                                           ReadAcross read) {
  std::optional<Panels> panels = getOperandPanels(type, read.any);
  if (panels && panels->swizzled && panels->width == swizzleSpan && read.tf32)
    panels->atom = Panels::wordAtom;
  return panels;
}

std::optional<Panels> plan::getPanels(agent::PipeOp pipe, unsigned index) {
  auto type = dyn_cast<RankedTensorType>(getHeldTypes(pipe)[index]);
  if (!type)
    return std::nullopt;
  ReadAcross all;
  for (OpOperand &use : pipe.getPipe().getUses())
    if (auto consume = dyn_cast<agent::ConsumeOp>(use.getOwner())) {
      ReadAcross read = findReadAcross(
          consume.getSlotArguments(use.getOperandNumber())[index]);
      all = {all.any || read.any, all.tf32 || read.tf32};
    }
  return getSlotPanels(type, all);
}

tile::PanelsAttr plan::getAttr(const Panels &panels, MLIRContext *context,
                               bool transposed) {
  return tile::PanelsAttr::get(context, panels.width, panels.count,
                               panels.swizzled ? panels.atom : 0, transposed);
}

std::optional<Panels> plan::getPanels(tile::BufferType type) {
  tile::PanelsAttr attr = type.getPanels();
  if (!attr || type.getRank() > 2)
    return std::nullopt;
  Panels panels;
  if (type.getRank() == 1)
    panels.rows = 1;
  else
    panels.rows = type.getDimSize(attr.getTransposed() ? 1 : 0);
  panels.width = attr.getWidth();
  panels.count = attr.getCount();
  panels.bits = plan::getElementBits(type.getElementType());
  panels.swizzled = attr.getSwizzle() != 0;
  if (panels.swizzled)
    panels.atom = attr.getSwizzle();
  return panels;
}

std::optional<Panels> plan::getCopyPanels(Operation *copy) {
  Value slot;
  unsigned index = 0;
  if (auto produce = dyn_cast<agent::ProduceOp>(copy->getParentOp())) {
    slot = produce.getPipe();
    OperandRange values = copy->getBlock()->getTerminator()->getOperands();
    index =
        std::distance(values.begin(), llvm::find(values, copy->getResult(0)));
    if (index == values.size())
      return std::nullopt;
  } else {
    auto consume = cast<agent::ConsumeOp>(copy->getParentOp());
    index = cast<BlockArgument>(cast<tile::StoreOp>(copy).getValue())
                .getArgNumber();
    for (Value pipe : consume.getPipes()) {
      slot = pipe;
      unsigned count =
          cast<agent::PipeType>(pipe.getType()).getPayload().size();
      if (index < count)
        break;
      index -= count;
    }
  }
  return getPanels(slot.getDefiningOp<agent::PipeOp>(), index);
}

llvm::Expected<tile::Layout> plan::getSharedLayout(RankedTensorType type,
                                                   const Panels &panels,
                                                   bool transposed) {
  // The elements of a vector are next to each other, whatever the panels.
  if (type.getRank() == 1)
    return tile::Layout::rowMajor("offset", type.getShape());
  llvm::Expected<tile::Layout> shared =
      getPanelLayout(panels.rows, panels.elements(), panels.count,
                     panels.bits / 8, panels.swizzled);
  if (!shared || !transposed)
    return shared;
  std::vector<tile::Layout::Input> inputs = shared->getInputs();
  for (tile::Layout::Input &input : inputs)
    for (tile::Layout::Digit &digit : input.digits)
      std::swap(digit.basis[0], digit.basis[1]);
  return tile::Layout::get(std::move(inputs),
                           {{tile::Layout::dimName(0), type.getDimSize(0)},
                            {tile::Layout::dimName(1), type.getDimSize(1)}});
}

llvm::Expected<Offsets> plan::getSharedOffsets(RankedTensorType type,
                                               const tile::Layout &fragment,
                                               const Panels &panels,
                                               bool transposed) {
  llvm::Expected<tile::Layout> shared =
      getSharedLayout(type, panels, transposed);
  if (!shared)
    return shared.takeError();
  llvm::Expected<tile::Layout> inverse = shared->invert();
  if (!inverse)
    return inverse.takeError();
  llvm::Expected<tile::Layout> places = fragment.compose(*inverse);
  if (!places)
    return places.takeError();
  return Offsets::get(*places, 0, panels.bits / 8);
}
