//===- RandomCase.h - A tile and the ways it goes, at random -- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A case is a tile in one layout in registers and in another, and what is
// between the two: nothing, or a buffer of shared memory. The other layout is
// related to the first, or has nothing to do with it.

#ifndef DRAWLOOM_INTEGRATION_LAYOUTS_RANDOMCASE_H
#define DRAWLOOM_INTEGRATION_LAYOUTS_RANDOMCASE_H

#include "drawloom/Dialect/Tile/IR/Layout.h"
#include <random>

namespace drawloom {

struct LayoutCase {
  /// In MLIR's words, and its bytes in memory.
  std::string element;
  int64_t elementBytes;
  int64_t warps;
  tile::Layout from, to;
  /// Of shared memory: the layout of the buffer, the part of it that is the
  /// tile, and whether the kernel learns that only when it runs.
  std::optional<tile::Layout> buffer;
  llvm::SmallVector<int64_t> offsets;
  bool dynamicOffsets = false;

  int64_t getThreads() const { return warps * 32; }
};

LayoutCase makeRandomCase(std::mt19937 &random);

} // namespace drawloom

#endif // DRAWLOOM_INTEGRATION_LAYOUTS_RANDOMCASE_H
