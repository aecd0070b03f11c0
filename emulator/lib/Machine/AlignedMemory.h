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

/// Register files of warps that have ended, for those that a host thread starts
/// next.
class RegisterFiles {
public:
  /// One that holds `image`.
  AlignedMemory take(const std::vector<char> &image);
  /// Keeps a file of `size` bytes for later. A warp may end with another host
  /// thread than it started with, which may have files of another size.
  void give(AlignedMemory file, size_t size) {
    if (size == bytes)
      files.push_back(std::move(file));
  }

private:
  size_t bytes = 0; ///< Of each.
  std::vector<AlignedMemory> files;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_ALIGNEDMEMORY_H
