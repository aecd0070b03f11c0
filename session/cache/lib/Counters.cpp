//===- Counters.cpp - What happened to a cache ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Cache/Counters.h"
#include <atomic>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace drawloom::cache;

static constexpr size_t mappedBytes = numEvents * sizeof(uint64_t);

llvm::StringRef drawloom::cache::describe(Event event) {
  static constexpr llvm::StringLiteral words[] = {
      "disk hits", "store hits",     "made",   "rejected",
      "not kept",  "store failures", "evicted"};
  return words[unsigned(event)];
}

Counters::Counters(llvm::StringRef path) {
  int file = ::open(path.str().c_str(),
                    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0)
    return;
  if (ftruncate(file, mappedBytes) == 0) {
    void *memory =
        mmap(nullptr, mappedBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED)
      numbers = static_cast<uint64_t *>(memory);
  }
  ::close(file);
}

Counters::~Counters() {
  if (numbers)
    munmap(numbers, mappedBytes);
}

void Counters::add(Event event, uint64_t count) {
  if (numbers)
    std::atomic_ref(numbers[unsigned(event)]) += count;
}

uint64_t Counters::get(Event event) const {
  return numbers ? std::atomic_ref(numbers[unsigned(event)]).load() : 0;
}

void Counters::reset() {
  if (numbers)
    for (unsigned event = 0; event != numEvents; ++event)
      std::atomic_ref(numbers[event]).store(0);
}
