//===- TensorMemory.h - How warps read tensor memory ---------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Tensor memory has 128 lanes of 32-bit columns. With tcgen05.ld.32x32b and
// tcgen05.st.32x32b, a warp reaches the 32 lanes that its number in its group
// of four says, each of its threads one lane, and as many columns as it likes.
// So the layout of a buffer, from (lane, column) to the tile, dictates the one
// in registers:
//
//   lane of tensor memory, bits 0 to 4   lane
//                          bits 5 and 6  warp, its two lowest bits
//   column                               register
//
// More warps than four divide the columns, or read the same ones. Which, is up
// to who wants the tile: a digit of its warp number that is a digit of the
// column number is taken as it is. Elements smaller than a column share it;
// larger ones have several.

#ifndef DRAWLOOM_ANALYSIS_LAYOUTS_TENSORMEMORY_H
#define DRAWLOOM_ANALYSIS_LAYOUTS_TENSORMEMORY_H

#include "drawloom/Dialect/Tile/IR/Layout.h"

namespace drawloom::layouts {

struct TensorFragment {
  /// What the threads have.
  tile::Layout layout;
  /// For each register, the number of its element along the lane: columns times
  /// elements of a column.
  llvm::SmallVector<int64_t> elements;
  /// Warps add (warp / divisor % count) * elements.
  struct Step {
    int64_t divisor, count, elements;
  };
  llvm::SmallVector<Step> ofWarp;
};

/// The fragment of the part of a buffer that begins at `offsets` and has the
/// shape of `wanted`, for as many warps as `wanted` has. An element has
/// `elementBits` bits. An error if the buffer or the part is not what the
/// instructions reach.
llvm::Expected<TensorFragment>
getTensorFragment(const tile::Layout &buffer, llvm::ArrayRef<int64_t> offsets,
                  const tile::Layout &wanted, int64_t elementBits);

} // namespace drawloom::layouts

#endif // DRAWLOOM_ANALYSIS_LAYOUTS_TENSORMEMORY_H
