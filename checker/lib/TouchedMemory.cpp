//===- TouchedMemory.cpp - What a launch has used -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"
#include "drawloom/Checker/HostOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace drawloom;
using namespace drawloom::checker;

//===----------------------------------------------------------------------===//
// Bytes of a page
//===----------------------------------------------------------------------===//

void PageBytes::add(uint64_t begin, uint64_t end) {
  if (isWhole || begin >= end)
    return;
  if (end - begin == size) {
    isWhole = true;
    words.reset();
    return;
  }
  if (!words)
    words = std::make_unique<Words>();
  for (uint64_t at = begin; at < end;) {
    uint64_t count = std::min(64 - at % 64, end - at);
    (*words)[at / 64] |= (~uint64_t(0) >> (64 - count)) << at % 64;
    at += count;
  }
  // Looked at when the end of the page is reached, as most accesses come in
  // rising order.
  if (end == size && llvm::all_of(*words, [](uint64_t word) { return !~word; }))
    add(0, size);
}

void PageBytes::add(const PageBytes &other) {
  if (isWhole || other.empty())
    return;
  if (other.isWhole)
    return add(0, size);
  if (!words)
    words = std::make_unique<Words>();
  bool isAll = true;
  for (auto [mine, theirs] : llvm::zip(*words, *other.words)) {
    mine |= theirs;
    isAll &= !~mine;
  }
  if (isAll)
    add(0, size);
}

void PageBytes::remove(const PageBytes &other) {
  if (empty() || other.empty())
    return;
  if (other.isWhole) {
    isWhole = false;
    words.reset();
    return;
  }
  if (isWhole) {
    isWhole = false;
    words = std::make_unique<Words>();
    words->fill(~uint64_t(0));
  }
  bool isAny = false;
  for (auto [mine, theirs] : llvm::zip(*words, *other.words)) {
    mine &= ~theirs;
    isAny |= mine != 0;
  }
  if (!isAny)
    words.reset();
}

bool PageBytes::covers(uint64_t begin, uint64_t end) const {
  if (isWhole || begin >= end)
    return true;
  if (!words)
    return false;
  for (uint64_t at = begin; at != end; ++at)
    if (!((*words)[at / 64] >> at % 64 & 1))
      return false;
  return true;
}

std::pair<uint64_t, uint64_t> PageBytes::overlap(const PageBytes &other) const {
  if (empty() || other.empty())
    return {0, 0};
  auto word = [&](uint64_t index) {
    return (isWhole ? ~uint64_t(0) : (*words)[index]) &
           (other.isWhole ? ~uint64_t(0) : (*other.words)[index]);
  };
  uint64_t begin = 0;
  for (; begin != size / 64 && !word(begin); ++begin)
    ;
  if (begin == size / 64)
    return {0, 0};
  begin = begin * 64 + llvm::countr_zero(word(begin));
  uint64_t end = begin;
  while (end != size && (word(end / 64) >> end % 64 & 1))
    ++end;
  return {begin, end};
}

PageBytes PageBytes::copy() const {
  PageBytes result;
  result.add(*this);
  return result;
}

//===----------------------------------------------------------------------===//
// Memory of a launch
//===----------------------------------------------------------------------===//

TouchedMemory::Page &TouchedMemory::pageAt(uint64_t number) {
  if (number == lastNumber)
    return *last;
  std::unique_ptr<Page> &page = pages[number];
  if (!page)
    page = std::make_unique<Page>();
  lastNumber = number;
  return *(last = page.get());
}

void TouchedMemory::add(const Access &access) {
  if (access.scope == emu::Scope::System) {
    system.insert(access.range.address / PageBytes::size);
    return;
  }
  bool isStrong = access.scope == emu::Scope::Gpu;
  auto touch = [&](uint64_t address, uint64_t bytes) {
    for (uint64_t end = address + bytes; address < end;) {
      uint64_t number = address / PageBytes::size;
      uint64_t next = std::min(end, (number + 1) * PageBytes::size);
      Page &page = pageAt(number);
      auto mark = [&](MemoryUse use) {
        uint64_t start = number * PageBytes::size;
        page.bytes[unsigned(use)].add(address - start, next - start);
        uint32_t &instruction = page.instruction[unsigned(use)];
        instruction = instruction == none || instruction == access.instruction
                          ? access.instruction
                          : several;
      };
      if (access.reads)
        mark(isStrong ? MemoryUse::StrongRead : MemoryUse::Read);
      if (access.writes)
        mark(isStrong ? MemoryUse::StrongWrite : MemoryUse::Write);
      address = next;
    }
  };
  const emu::MemoryRange &range = access.range;
  if (range.pitch == int64_t(range.bytes) || range.count == 1)
    return touch(range.address, uint64_t(range.bytes) * range.count);
  for (uint32_t piece = 0; piece != range.count; ++piece)
    touch(range.address + piece * range.pitch, range.bytes);
}

std::vector<uint64_t> TouchedMemory::pageNumbers() const {
  auto numbers = llvm::make_first_range(pages);
  return {numbers.begin(), numbers.end()};
}
