//===- ScratchLayout.h - Shared memory between two layouts -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A tile is written to shared memory from one layout in registers and read in
// another. Where each element is meanwhile is ours to choose.
//
// An access moves up to 16 bytes of a thread. Elements that are neighbors in
// both threads' registers, V, can be neighbors in memory: the intersection of
// the spans of both layouts' register bits. Memory has 32 banks of 4 bytes. An
// access of a warp takes as many turns as it has bytes for 128: 16 bytes a
// thread, four turns of eight lanes. The lanes of a turn must hit different
// banks. So with A the span of V and the lanes of a turn of the writers, and B
// that of the readers, both filled up to 128 bytes, what comes above the 128
// bytes must be a complement of A and of B. There is one: with C a basis of
// what A and B share, A = C + {a1, a2, ...} and B = C + {b1, b2, ...}, it is
// a1 + b1, a2 + b2, ... and whatever A and B don't reach. These sums are the
// swizzle.
//
//   offset, from the lowest bit:  V | rest of C, a1, a2, ... | a1 + b1, ... |
//   the rest, odd digits

#ifndef DRAWLOOM_ANALYSIS_LAYOUTS_SCRATCHLAYOUT_H
#define DRAWLOOM_ANALYSIS_LAYOUTS_SCRATCHLAYOUT_H

#include "drawloom/Dialect/Tile/IR/Layout.h"

namespace drawloom::layouts {

/// From an offset in elements, each of `elementBytes`, to the tile of two
/// layouts in registers. Every element has one place. If the two write
/// coordinates in different radices, rows one behind the other.
llvm::Expected<tile::Layout> chooseScratch(const tile::Layout &writer,
                                           const tile::Layout &reader,
                                           int64_t elementBytes);

} // namespace drawloom::layouts

#endif // DRAWLOOM_ANALYSIS_LAYOUTS_SCRATCHLAYOUT_H
