//===- AlignedMemory.h - Memory of CTAs and warps ---------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_ALIGNEDMEMORY_H
#define DRAWLOOM_EMULATOR_ALIGNEDMEMORY_H

#include <cstddef>
#include <memory>
#include <vector>

namespace drawloom::emu {

struct AlignedDelete {
  void operator()(char *memory) const;
};
using AlignedMemory = std::unique_ptr<char, AlignedDelete>;
/// At a multiple of 1024.
AlignedMemory allocateAligned(size_t size);

/// Memory of warps or clusters that have ended, for those that a host thread
/// starts next. All pieces have one size.
class AlignedPool {
public:
  /// One of `size` bytes, which may hold anything.
  AlignedMemory take(size_t size);
  /// Keeps one of `size` bytes for later. A warp may end with another host
  /// thread than it started with, which may have pieces of another size.
  void give(AlignedMemory piece, size_t size) {
    if (size == bytes)
      pieces.push_back(std::move(piece));
  }

private:
  size_t bytes = 0; ///< Of each.
  std::vector<AlignedMemory> pieces;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_ALIGNEDMEMORY_H
