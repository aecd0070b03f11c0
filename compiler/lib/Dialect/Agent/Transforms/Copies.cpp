//===- Copies.cpp - Who can copy a tile -----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Copies.h"
#include "Owners.h"
#include "drawloom/Analysis/RoleTiles/Panels.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

/// Bits in `count` elements; the count is as large as the user likes.
static bool isMultipleOf(int64_t count, unsigned bits, unsigned bytes) {
  uint64_t unit = uint64_t(bytes) * 8;
  return (uint64_t(count) % unit) * bits % unit == 0;
}

/// Why the strides or the start of the view are not what a tensor map takes.
static std::string whyNotStrides(Value view, unsigned bits,
                                 const target::TmaLimits &limits) {
  auto type = cast<tile::ViewType>(view.getType());
  ArrayRef<int64_t> strides = type.getStrides();
  for (auto [i, stride] : llvm::enumerate(strides)) {
    bool last = i + 1 == strides.size();
    if (ShapedType::isDynamic(stride))
      return llvm::formatv(
          "the stride of dimension {0} of '{1}' is only known at the launch", i,
          getViewName(view));
    if (last && stride != 1)
      return llvm::formatv("the last stride of '{0}' is {1} and TMA needs 1",
                           getViewName(view), stride);
    if (!last && !isMultipleOf(stride, bits, limits.granuleBytes))
      return llvm::formatv("stride {0} of '{1}' is {2} x {3} bits = {4} bytes, "
                           "no multiple of {5}",
                           i, getViewName(view), stride, bits,
                           uint64_t(stride) * bits / 8, limits.granuleBytes);
  }
  // A map for a part of a view starts where the part starts.
  for (auto cut = view.getDefiningOp<tile::SubviewOp>(); cut;
       cut = cut.getView().getDefiningOp<tile::SubviewOp>()) {
    std::optional<int64_t> start =
        getConstantIntValue(cut.getMixedOffsets().back());
    if (!start || !isMultipleOf(*start, bits, limits.granuleBytes))
      return llvm::formatv("the part of '{0}' begins at a column that is not "
                           "known to be a multiple of {1} bytes",
                           getViewName(view), limits.granuleBytes);
  }
  return "";
}

static std::string whyNotBox(Value view, Type value, ArrayRef<int64_t> dims,
                             const target::TmaLimits &limits) {
  auto type = cast<tile::ViewType>(view.getType());
  auto tile = dyn_cast<RankedTensorType>(value);
  if (!tile)
    return "it is a scalar";
  unsigned bits =
      tile.getElementType().isIntOrFloat() ? tile.getElementTypeBitWidth() : 0;
  if (bits != 4 && bits != 6 && bits != 8 && bits != 16 && bits != 32 &&
      bits != 64)
    return llvm::formatv("TMA has no elements of {0} bits", bits);
  if (type.getRank() > limits.maxRank)
    return llvm::formatv(
        "'{0}' has {1} dimensions and a tensor map at most {2}",
        getViewName(view), type.getRank(), limits.maxRank);
  if (dims.empty() || dims.back() != type.getRank() - 1)
    return llvm::formatv("the tile has no part in the last dimension of '{0}'",
                         getViewName(view));
  int64_t inner = tile.getShape().back();
  if (!isMultipleOf(inner, bits, limits.granuleBytes))
    return llvm::formatv(
        "a row of the tile is {0} x {1} bits = {2} bytes, no multiple of {3}",
        inner, bits, uint64_t(inner) * bits / 8, limits.granuleBytes);
  if (std::optional<plan::Panels> panels = plan::getPanels(tile);
      panels && !panels->isBoxed())
    return llvm::formatv("rows of {0} elements are no boxes of at most {1} "
                         "that begin at a multiple of {2} bytes",
                         inner, limits.maxBoxDim, limits.boxAlign);
  return whyNotStrides(view, bits, limits);
}

static bool isBitwiseZero(TypedAttr attr) {
  if (auto number = dyn_cast<FloatAttr>(attr))
    return number.getValue().bitcastToAPInt().isZero();
  if (auto number = dyn_cast<IntegerAttr>(attr))
    return number.getValue().isZero();
  return false;
}

std::string drawloom::agent::whyNotTma(tile::LoadOp load,
                                       const target::TmaLimits &limits) {
  if (load.getPad() && !isBitwiseZero(load.getPadOrZero()))
    return "it is padded with a number that is not zero";
  return whyNotBox(load.getView(), load.getType(), load.getTileDims(), limits);
}

std::string drawloom::agent::whyNotTma(tile::StoreOp store,
                                       const target::TmaLimits &limits) {
  return whyNotBox(store.getView(), store.getValue().getType(),
                   store.getTileDims(), limits);
}

MaybeRejection drawloom::agent::checkThreads(tile::LoadOp load,
                                             StringRef whyNotTma) {
  auto tile = dyn_cast<RankedTensorType>(load.getType());
  if (!tile || !tile.getElementType().isIntOrFloat())
    return std::nullopt;
  unsigned bits = tile.getElementTypeBitWidth();
  if (bits % 8 == 0 || bits == 1)
    return std::nullopt;
  return Rejection{
      load.getLoc(),
      llvm::formatv("no role can load '{0}': TMA cannot, because {1}, and "
                    "threads cannot, because elements of {2} bits do not begin "
                    "at whole bytes; give the view strides that are multiples "
                    "of 16 bytes, or none [load-strides]",
                    getViewName(load.getView()), whyNotTma, bits)
          .str(),
      {},
      /*hasFallback=*/false};
}
