//===- GlobalMemory.cpp - The device's memory -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/GlobalMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cerrno>
#include <sys/mman.h>

using namespace drawloom::emu;
using llvm::Twine;

static llvm::Error failure(const Twine &message, std::errc code) {
  return llvm::createStringError(std::make_error_code(code), message);
}

/// Address space without memory behind it, until it is touched.
static void *reserve(uint64_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  // Tiles touch a page for every row. A wish: without it all is only slower.
  madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

llvm::Expected<std::unique_ptr<GlobalMemory>>
GlobalMemory::create(uint64_t bytes) {
  std::unique_ptr<GlobalMemory> memory(new GlobalMemory);
  uint64_t pageCount = std::max<uint64_t>(bytes >> pageShift, 1);
  memory->host = static_cast<char *>(reserve(pageCount << pageShift));
  memory->pages =
      static_cast<uint32_t *>(reserve(pageCount * sizeof(uint32_t)));
  memory->pageCount = pageCount;
  if (!memory->host || !memory->pages)
    return failure("can't reserve " + Twine(bytes) +
                       " bytes of address space for the device's memory",
                   std::errc::not_enough_memory);
  memory->slots.emplace_back(); // Index 0 means none.
  memory->freePages[0] = pageCount;
  return memory;
}

GlobalMemory::~GlobalMemory() {
  if (host)
    munmap(host, pageCount << pageShift);
  if (pages)
    munmap(pages, pageCount * sizeof(uint32_t));
}

llvm::Expected<uint64_t> GlobalMemory::allocate(uint64_t size,
                                                llvm::StringRef name) {
  if (size == 0)
    return failure("an allocation of 0 bytes", std::errc::invalid_argument);
  uint64_t count = size > capacity()
                       ? pageCount + 1
                       : (size + (1u << pageShift) - 1) >> pageShift;
  // First fit: the same sequence of calls gives the same addresses.
  auto hole = std::find_if(freePages.begin(), freePages.end(),
                           [&](auto &entry) { return entry.second >= count; });
  if (hole == freePages.end())
    return failure("out of device memory: " + Twine(size) +
                       " bytes asked for, " + Twine(capacity() - usedBytes) +
                       " of " + Twine(capacity()) + " left",
                   std::errc::not_enough_memory);
  auto [first, length] = *hole;
  freePages.erase(hole);
  if (length > count)
    freePages[first + count] = length - count;

  uint32_t index;
  if (freeSlots.empty()) {
    index = slots.size();
    slots.emplace_back();
  } else {
    index = freeSlots.back();
    freeSlots.pop_back();
  }
  uint64_t address = globalBase + (first << pageShift);
  slots[index] = {address, size, name.str(), false};
  std::fill_n(pages + first, count, index);
  usedBytes += count << pageShift;
  return address;
}

llvm::Error GlobalMemory::free(uint64_t address) {
  const Allocation *allocation = find(address);
  if (!allocation || allocation->address != address)
    return failure("nothing was allocated at 0x" + llvm::utohexstr(address) +
                       ": " + describe(address),
                   std::errc::invalid_argument);
  uint64_t first = (address - globalBase) >> pageShift;
  uint32_t index = pages[first];
  uint64_t count = (allocation->size + (1u << pageShift) - 1) >> pageShift;
  std::fill_n(pages + first, count, 0);
  madvise(host + (first << pageShift), count << pageShift, MADV_DONTNEED);
  usedBytes -= count << pageShift;
  freed.emplace_back(address, allocation->end());
  slots[index] = {};
  freeSlots.push_back(index);

  auto next = freePages.lower_bound(first);
  if (next != freePages.end() && next->first == first + count) {
    count += next->second;
    next = freePages.erase(next);
  }
  if (next != freePages.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == first) {
      previous->second += count;
      return llvm::Error::success();
    }
  }
  freePages[first] = count;
  return llvm::Error::success();
}

bool GlobalMemory::freedSince(size_t moment, uint64_t address,
                              uint64_t size) const {
  return std::any_of(freed.begin() + moment, freed.end(), [&](auto range) {
    return address < range.second &&
           (address >= range.first || size > range.first - address);
  });
}

std::string GlobalMemory::describe(uint64_t address) const {
  const Allocation *below = nullptr, *above = nullptr;
  for (const Allocation &slot : slots) {
    if (!slot.size)
      continue;
    if (slot.address <= address && (!below || slot.address > below->address))
      below = &slot;
    if (slot.address > address && (!above || slot.address < above->address))
      above = &slot;
  }
  auto called = [](const Allocation &slot) {
    return (slot.name.empty() ? std::string("the allocation")
                              : "'" + slot.name + "'") +
           " at 0x" + llvm::utohexstr(slot.address, true) + " (" +
           llvm::utostr(slot.size) + " bytes)";
  };
  if (below && address < below->end())
    return llvm::utostr(address - below->address) + " bytes into " +
           called(*below);
  for (auto [begin, end] : llvm::reverse(freed))
    if (address >= begin && address < end)
      return llvm::utostr(address - begin) + " bytes into an allocation of " +
             llvm::utostr(end - begin) + " bytes that was freed";
  uint64_t past = below ? address - below->end() : UINT64_MAX;
  uint64_t before = above ? above->address - address : UINT64_MAX;
  if (!below && !above)
    return "nothing is allocated";
  if (past == 0)
    return "right behind the end of " + called(*below);
  if (past <= before)
    return llvm::utostr(past) + " bytes past the end of " + called(*below);
  return llvm::utostr(before) + " bytes before " + called(*above);
}
