//===- Copies.h - Elements that a layout has more than once --- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A layout in registers may have an element in several places. Memory is read
// once for all registers of a thread that have it, and written by one thread.
//
// Go through the bits of a place: register, then lane, then warp. A bit whose
// column is a sum of those before it leads to elements that are there already,
// with that bit zero. So the places in which all such bits are zero have every
// element, and have it once.

#ifndef DRAWLOOM_ANALYSIS_LAYOUTS_COPIES_H
#define DRAWLOOM_ANALYSIS_LAYOUTS_COPIES_H

#include "drawloom/Dialect/Tile/IR/Layout.h"

namespace drawloom::layouts {

struct Copies {
  /// The layout without the bits of a register's number that lead to copies.
  tile::Layout once;
  /// For each register of the layout, the one of `once` with its element.
  llvm::SmallVector<int64_t> registerOf;
  /// The weights of the bits of a lane's and a warp's number that are zero
  /// where the element is written from.
  llvm::SmallVector<int64_t> laneBits, warpBits;
};

/// Of a layout in registers.
Copies findCopies(const tile::Layout &layout);

} // namespace drawloom::layouts

#endif // DRAWLOOM_ANALYSIS_LAYOUTS_COPIES_H
