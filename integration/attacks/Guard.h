//===- Guard.h - Notices what leaves its memory -----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linker sends the emulator's calls of mmap, munmap, aligned_alloc and free
// here (--wrap). So what kernels work in, which is device memory, the table of
// its pages, shared memory, local memory and register files, lies between pages
// without access: an escape of up to 64 KiB to either side ends the
// process with a signal.
//
// A Watch is for what jumps over those pages: blocks of the host's heap, among
// which the emulator's own come to lie, and a static array whose address
// kernels are given. All hold a pattern that must be there afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_ATTACKS_GUARD_H
#define DRAWLOOM_ATTACKS_GUARD_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace drawloom::attacks {

class Watch {
public:
  Watch();
  /// How many bytes of the host have changed.
  size_t changed() const;
  /// What kernels are to write to, and to read.
  static uint64_t target();

private:
  struct Block {
    std::unique_ptr<uint8_t[]> bytes;
    size_t size;
  };
  std::vector<Block> blocks;
};

} // namespace drawloom::attacks

#endif // DRAWLOOM_ATTACKS_GUARD_H
