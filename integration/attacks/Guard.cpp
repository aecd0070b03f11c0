//===- Guard.cpp - Notices what leaves its memory -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <sys/mman.h>

using namespace drawloom::attacks;

extern "C" {
void *__real_mmap(void *, size_t, int, int, int, off_t);
int __real_munmap(void *, size_t);
void *__real_aligned_alloc(size_t, size_t);
void __real_free(void *);
}

//===----------------------------------------------------------------------===//
// Pages that no access can touch
//===----------------------------------------------------------------------===//

static constexpr size_t pageBytes = 4096, guardBytes = 64 << 10;

static size_t roundUp(size_t size, size_t unit) {
  return (size + unit - 1) / unit * unit;
}

/// Memory between guards; null if there is none.
static char *guarded(size_t size, int flags) {
  size_t inner = roundUp(size, pageBytes);
  void *whole = __real_mmap(nullptr, inner + 2 * guardBytes, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (whole == MAP_FAILED)
    return nullptr;
  char *start = static_cast<char *>(whole) + guardBytes;
  if (__real_mmap(start, inner, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1,
                  0) == MAP_FAILED) {
    __real_munmap(whole, inner + 2 * guardBytes);
    return nullptr;
  }
  return start;
}

static void release(char *start, size_t size) {
  __real_munmap(start - guardBytes, roundUp(size, pageBytes) + 2 * guardBytes);
}

namespace {
struct Aligned {
  char *start; ///< Of its first page.
  size_t size;
};
} // namespace

/// What aligned_alloc has given, by address. Never destroyed: memory is freed
/// until the last moment.
static std::map<void *, Aligned> &alignedBlocks() {
  static auto *blocks = new std::map<void *, Aligned>;
  return *blocks;
}
static std::mutex alignedMutex;

extern "C" void *__wrap_mmap(void *at, size_t size, int protection, int flags,
                             int file, off_t offset) {
  if (at || file != -1 || protection != (PROT_READ | PROT_WRITE))
    return __real_mmap(at, size, protection, flags, file, offset);
  char *memory = guarded(size, flags);
  return memory ? memory : MAP_FAILED;
}

extern "C" int __wrap_munmap(void *at, size_t size) {
  release(static_cast<char *>(at), size);
  return 0;
}

extern "C" void *__wrap_aligned_alloc(size_t alignment, size_t size) {
#if __has_feature(address_sanitizer)
  return __real_aligned_alloc(alignment, size); // It has guards of its own.
#else
  char *start = guarded(size, MAP_PRIVATE | MAP_ANONYMOUS);
  if (!start)
    return nullptr;
  // The end is what is passed most often, so that is where the guard is.
  char *memory =
      start + (roundUp(size, pageBytes) - size) / alignment * alignment;
  std::scoped_lock lock(alignedMutex);
  alignedBlocks()[memory] = {start, size};
  return memory;
#endif
}

extern "C" void __wrap_free(void *memory) {
  {
    std::scoped_lock lock(alignedMutex);
    auto it = alignedBlocks().find(memory);
    if (it != alignedBlocks().end()) {
      release(it->second.start, it->second.size);
      alignedBlocks().erase(it);
      return;
    }
  }
  __real_free(memory);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

static constexpr size_t targetBytes = 1 << 16;
alignas(4096) static uint8_t targetMemory[targetBytes];

static uint8_t patternAt(size_t index) { return 0xa5 ^ index * 29; }

static void fill(uint8_t *bytes, size_t size) {
  for (size_t i = 0; i != size; ++i)
    bytes[i] = patternAt(i);
}

static size_t countChanged(const uint8_t *bytes, size_t size) {
  size_t changed = 0;
  for (size_t i = 0; i != size; ++i)
    changed += bytes[i] != patternAt(i);
  return changed;
}

/// The middle, so that what is next to it is watched, too.
uint64_t Watch::target() {
  return reinterpret_cast<uint64_t>(targetMemory + targetBytes / 2);
}

Watch::Watch() {
  fill(targetMemory, targetBytes);
  // Every second one leaves a hole for others.
  std::vector<Block> holes;
  for (size_t i = 0; i != 512; ++i) {
    size_t size = size_t(16) << i % 12;
    (i % 2 ? holes : blocks)
        .push_back({std::make_unique<uint8_t[]>(size), size});
  }
  for (const Block &block : blocks)
    fill(block.bytes.get(), block.size);
}

size_t Watch::changed() const {
  size_t changed = countChanged(targetMemory, targetBytes);
  for (const Block &block : blocks)
    changed += countChanged(block.bytes.get(), block.size);
  return changed;
}
