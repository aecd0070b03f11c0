//===- Shadow.cpp - Who touched memory last -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace drawloom;
using namespace drawloom::checker;

/// An access under way: what it was compared with last.
struct Shadow::Touch {
  const Access &access;
  Judge &judge;
  bool hasRaced = false;
  /// The last record found to be ordered before it as a whole.
  Actor actor = ~0u;
  uint32_t value = 0;
  uint64_t serial = 0, cluster = 0;

  bool isKnown(const Access &before) const {
    return before.actor == actor && before.value == value &&
           before.serial == serial && before.cluster == cluster;
  }
};

Shadow::Block &Shadow::blockAt(uint64_t number) {
  if (number == lastNumber)
    return *lastBlock;
  std::unique_ptr<Block> &block = blocks[number];
  if (!block)
    block = std::make_unique<Block>();
  lastNumber = number;
  lastBlock = block.get();
  return *lastBlock;
}

/// A bit for each 16 bytes becomes a bit for each byte.
static uint64_t widened(uint64_t mask, unsigned part) {
  uint64_t result = 0;
  for (unsigned bit = 0; bit != 4; ++bit)
    if (mask >> (part * 4 + bit) & 1)
      result |= uint64_t(0xffff) << (bit * 16);
  return result;
}

void Shadow::split(Block &block) {
  block.fine = std::make_unique<Records[]>(blockBytes / partBytes);
  for (unsigned part = 0; part != blockBytes / partBytes; ++part)
    for (const Record &record : block.whole)
      if (uint64_t mask = widened(record.mask, part))
        block.fine[part].push_back({record.access, mask});
  block.whole.clear();
}

/// The bytes that the bits of a mask stand for.
static void overlapsOf(uint64_t start, unsigned bitBytes, uint64_t mask,
                       llvm::SmallVectorImpl<Overlap> &result) {
  while (mask) {
    unsigned first = llvm::countr_zero(mask);
    unsigned count = llvm::countr_one(mask >> first);
    result.push_back({start + first * bitBytes, count * bitBytes});
    if (first + count == 64)
      return;
    mask &= ~uint64_t(0) << (first + count);
  }
}

void Shadow::forgetBefore(uint32_t launch) {
  auto isBefore = [&](const Record &record) {
    return record.access.launch < launch;
  };
  for (auto &[number, block] : blocks) {
    llvm::erase_if(block->whole, isBefore);
    for (unsigned part = 0; block->fine && part != blockBytes / partBytes;
         ++part)
      llvm::erase_if(block->fine[part], isBefore);
  }
}

void Shadow::touchRecords(Records &records, uint64_t start, unsigned bitBytes,
                          uint64_t mask, Touch &touch) {
  const Access &now = touch.access;
  bool empties = false;
  unsigned readers = 0; // In other clusters, of all of it.
  llvm::SmallVector<Overlap, 8> overlaps;
  for (Record &record : records) {
    uint64_t both = record.mask & mask;
    if (!both)
      continue;
    const Access &before = record.access;
    bool conflicts = before.writes || now.writes;
    if (!conflicts && before.cluster != now.cluster) {
      readers += both == mask;
      continue;
    }
    bool isOrdered = touch.isKnown(before);
    if (!isOrdered) {
      overlaps.clear();
      overlapsOf(start, bitBytes, both, overlaps);
      Judge::Answer answer = touch.judge.order(before, now, overlaps);
      isOrdered = answer != Judge::Answer::Unordered;
      if (answer == Judge::Answer::WhollyBefore) {
        touch.actor = before.actor;
        touch.value = before.value;
        touch.serial = before.serial;
        touch.cluster = before.cluster;
      }
    }
    if (!isOrdered && conflicts && !touch.hasRaced) {
      touch.hasRaced = true;
      touch.judge.found(before, now, overlaps);
    }
    // An engine's read doesn't hand on what its issuer knew.
    bool replaces =
        now.writes || (!before.writes && isOrdered &&
                       (!now.isEngine || now.actor == before.actor));
    if (replaces) {
      record.mask &= ~mask;
      empties |= record.mask == 0;
    }
  }
  if (empties)
    llvm::erase_if(records, [](const Record &r) { return r.mask == 0; });
  if (readers >= enoughReaders)
    return;
  if (records.size() >= mostRecords) {
    auto oldest = llvm::find_if(
        records, [](const Record &r) { return !r.access.writes; });
    records.erase(oldest == records.end() ? records.begin() : oldest);
  }
  if (!records.empty() && records.back().access.serial == now.serial &&
      records.back().access.cluster == now.cluster &&
      records.back().access.writes == now.writes &&
      records.back().access.range == now.range)
    records.back().mask |= mask;
  else {
    if (records.empty())
      records.reserve(4);
    records.push_back({now, mask});
  }
}

/// A bit for each of the bits from `first` to `last`.
static uint64_t bits(unsigned first, unsigned last) {
  return (~uint64_t(0) >> (63 - last)) & (~uint64_t(0) << first);
}

void Shadow::touch(const Access &access, Judge &judge) {
  Touch touch{access, judge};
  // Pieces that follow one another, or are in the same part, go together.
  Records *records = nullptr;
  uint64_t start = 0, mask = 0;
  unsigned bitBytes = 0;
  auto flush = [&] {
    if (mask)
      touchRecords(*records, start, bitBytes, mask, touch);
    mask = 0;
  };
  const emu::MemoryRange &range = access.range;
  bool isDense = range.count == 1 || range.pitch == range.bytes;
  uint32_t count = isDense ? 1 : range.count;
  uint64_t bytes = isDense ? uint64_t(range.bytes) * range.count : range.bytes;
  for (uint32_t piece = 0; piece != count; ++piece) {
    uint64_t begin = range.address + piece * range.pitch, end = begin + bytes;
    bool isWhole = begin % 16 == 0 && end % 16 == 0;
    while (begin != end) {
      uint64_t number = begin / blockBytes;
      uint64_t stop = std::min(end, (number + 1) * blockBytes);
      Block &block = blockAt(number);
      if (!block.fine && !isWhole) {
        flush();
        split(block);
      }
      if (!block.fine) {
        if (records != &block.whole) {
          flush();
          records = &block.whole;
          start = number * blockBytes;
          bitBytes = 16;
        }
        mask |= bits(begin % blockBytes / 16, (stop - 1) % blockBytes / 16);
        begin = stop;
        continue;
      }
      stop = std::min(stop, (begin / partBytes + 1) * partBytes);
      Records *part = &block.fine[begin % blockBytes / partBytes];
      if (records != part) {
        flush();
        records = part;
        start = begin / partBytes * partBytes;
        bitBytes = 1;
      }
      mask |= bits(begin % partBytes, (stop - 1) % partBytes);
      begin = stop;
    }
  }
  flush();
}

bool Shadow::gather(llvm::ArrayRef<emu::MemoryRange> ranges, uint64_t &first) {
  uint64_t begin = ~uint64_t(0), end = 0;
  for (const emu::MemoryRange &range : ranges) {
    uint64_t last = range.address + range.pitch * int64_t(range.count - 1);
    if (range.lanes || (range.address | range.bytes | range.pitch) % 16)
      return false;
    begin = std::min({begin, range.address, last});
    end = std::max({end, range.address + range.bytes, last + range.bytes});
  }
  first = begin / blockBytes;
  uint64_t count = (end - 1) / blockBytes - first + 1;
  if (count > mostGathered)
    return false;
  masks.resize(count);
  for (const emu::MemoryRange &range : ranges)
    for (uint32_t piece = 0; piece != range.count; ++piece) {
      uint64_t from = range.address + piece * range.pitch;
      uint64_t to = from + range.bytes;
      while (from != to) {
        uint64_t number = from / blockBytes;
        uint64_t stop = std::min(to, (number + 1) * blockBytes);
        masks[number - first] |=
            bits(from % blockBytes / 16, (stop - 1) % blockBytes / 16);
        from = stop;
      }
    }
  return true;
}

void Shadow::touch(Access access, llvm::ArrayRef<emu::MemoryRange> ranges,
                   Judge &judge) {
  uint64_t first;
  if (!gather(ranges, first)) {
    for (const emu::MemoryRange &range : ranges) {
      access.range = range;
      touch(access, judge);
    }
    return;
  }
  access.range = ranges.front();
  Touch touch{access, judge};
  for (size_t index = 0; index != masks.size(); ++index) {
    uint64_t mask = std::exchange(masks[index], 0);
    if (!mask)
      continue;
    Block &block = blockAt(first + index);
    uint64_t start = (first + index) * blockBytes;
    if (!block.fine) {
      touchRecords(block.whole, start, 16, mask, touch);
      continue;
    }
    for (unsigned part = 0; part != blockBytes / partBytes; ++part)
      if (uint64_t bytes = widened(mask, part))
        touchRecords(block.fine[part], start + part * partBytes, 1, bytes,
                     touch);
  }
}

void Shadow::forget(const emu::MemoryRange &range) {
  for (uint32_t piece = 0; piece != range.count; ++piece) {
    uint64_t begin = range.address + piece * range.pitch;
    for (uint64_t number = begin / blockBytes;
         number * blockBytes < begin + range.bytes; ++number)
      blocks.erase(number);
  }
  lastNumber = ~uint64_t(0);
}
