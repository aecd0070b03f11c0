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
  Held *held = nullptr; ///< Once there is a record of it; a use of it, too.
  /// The last ones found to be ordered before it as a whole.
  std::array<const Held *, 8> known = {};
  unsigned knownCount = 0;

  bool isKnown(const Held *before) const {
    return llvm::is_contained(known, before);
  }
};

Shadow::Block &Shadow::blockAt(uint64_t number) {
  uint64_t chunkNumber = number / chunkBlocks;
  if (chunkNumber != lastNumber) {
    std::unique_ptr<Chunk> &chunk = chunks[chunkNumber];
    if (!chunk)
      chunk = std::make_unique<Chunk>();
    lastNumber = chunkNumber;
    lastChunk = chunk.get();
  }
  return (*lastChunk)[number % chunkBlocks];
}

void Shadow::clear() {
  chunks.clear();
  lastNumber = ~uint64_t(0);
  pool.clear();
  freeHeld = nullptr;
}

Shadow::Held *Shadow::hold(const Access &access) {
  if (!freeHeld) {
    pool.push_back(std::make_unique<Held[]>(poolStep));
    for (unsigned index = 0; index != poolStep; ++index) {
      pool.back()[index].nextFree = freeHeld;
      freeHeld = &pool.back()[index];
    }
  }
  Held *held = std::exchange(freeHeld, freeHeld->nextFree);
  *held = {access};
  return held;
}

void Shadow::release(Held *held) {
  if (!held || --held->uses)
    return;
  held->nextFree = freeHeld;
  freeHeld = held;
}

template <typename F>
void Shadow::eraseIf(Part &part, F f) {
  llvm::erase_if(part.records, [&](Record &record) {
    bool isErased = f(record);
    if (isErased)
      release(record.held);
    return isErased;
  });
}

template <typename F>
void Shadow::forEachPart(Block &block, F f) {
  f(block.whole);
  for (unsigned part = 0; block.fine && part != blockBytes / partBytes; ++part)
    f(block.fine[part]);
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
  block.fine = std::make_unique<Part[]>(blockBytes / partBytes);
  for (unsigned part = 0; part != blockBytes / partBytes; ++part) {
    for (const Record &record : block.whole.records)
      if (uint64_t mask = widened(record.mask, part)) {
        block.fine[part].records.push_back(record);
        block.fine[part].records.back().mask = mask;
        ++record.held->uses;
      }
    block.fine[part].muchRead = widened(block.whole.muchRead, part);
  }
  for (const Record &record : block.whole.records)
    --record.held->uses;
  block.whole = Part();
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
  for (auto &[number, chunk] : chunks)
    for (Block &block : *chunk)
      forEachPart(block, [&](Part &part) {
        eraseIf(part, [&](const Record &record) {
          return record.held->access.launch < launch;
        });
        part.muchRead = 0;
      });
}

/// Whether who is ordered with `now`, or morally strong with it, is so with
/// `before`, too.
static bool isAsStrong(const Access &before, const Access &now) {
  return now.scope == emu::Scope::None ||
         (before.scope >= now.scope && before.proxy == now.proxy &&
          before.range.bytes == now.range.bytes);
}

void Shadow::touchPart(Part &part, uint64_t start, unsigned bitBytes,
                       uint64_t mask, Touch &touch) {
  const Access &now = touch.access;
  if (now.writes)
    part.muchRead &= ~mask;
  else if (!(mask & ~part.muchRead))
    return;
  bool empties = false;
  uint64_t written = 0;
  unsigned readers = 0; // In other clusters, of all of it.
  llvm::SmallVector<Overlap, 8> overlaps;
  auto isBefore = [&](const Record &record, uint64_t both) {
    if (touch.isKnown(record.held))
      return true;
    overlaps.clear();
    overlapsOf(start, bitBytes, both, overlaps);
    Judge::Answer answer =
        touch.judge.order(record.held->access, now, overlaps);
    if (answer == Judge::Answer::WhollyBefore)
      touch.known[touch.knownCount++ % touch.known.size()] = record.held;
    return answer != Judge::Answer::Unordered;
  };
  for (Record &record : part.records) {
    uint64_t both = record.mask & mask;
    if (!both)
      continue;
    bool conflicts = record.writes || now.writes;
    written |= record.writes ? both : 0;
    if (!conflicts && record.cluster != uint32_t(now.cluster)) {
      readers += both == mask;
      continue;
    }
    const Access &before = record.held->access;
    // Reads don't race, and an engine's takes the place of its own only; that
    // of a lane doesn't of another lane's by the same instruction.
    bool isOwn =
        now.isEngine ? now.actor == before.actor : now.serial != before.serial;
    if (!conflicts && !isOwn)
      continue;
    bool isOrdered = isBefore(record, both);
    // An engine that read what was written hands it on: its read is behind the
    // write, and before this one.
    if (!isOrdered && record.writes && now.writes) {
      uint64_t rest = both;
      for (const Record &read : part.records)
        if (uint64_t bytes = read.mask & rest; bytes && !read.writes &&
                                               read.held->access.isEngine &&
                                               isBefore(read, bytes))
          rest &= ~bytes;
      isOrdered = !rest;
    }
    if (!isOrdered && conflicts) {
      overlaps.clear();
      overlapsOf(start, bitBytes, both, overlaps);
      touch.judge.found(before, now, overlaps);
    }
    // An engine's read hands on nothing else that its issuer knew.
    bool replaces = now.writes || (!before.writes && isOrdered && isOwn);
    if (replaces && isAsStrong(before, now)) {
      record.mask &= ~mask;
      empties |= record.mask == 0;
    }
  }
  if (empties)
    eraseIf(part, [](const Record &record) { return record.mask == 0; });
  if (readers >= enoughReaders) {
    part.muchRead |= mask & ~written;
    return;
  }
  addRecord(part, mask, touch);
}

void Shadow::addRecord(Part &part, uint64_t mask, Touch &touch) {
  const Access &now = touch.access;
  if (part.records.size() >= mostRecords) {
    auto oldest = llvm::find_if(
        part.records, [](const Record &record) { return !record.writes; });
    if (oldest == part.records.end())
      oldest = part.records.begin();
    part.muchRead &= ~oldest->mask;
    release(oldest->held);
    part.records.erase(oldest);
  }
  if (touch.held && !part.records.empty() &&
      part.records.back().held == touch.held) {
    part.records.back().mask |= mask;
    return;
  }
  if (!touch.held)
    touch.held = hold(now);
  if (part.records.empty())
    part.records.reserve(4);
  ++touch.held->uses;
  part.records.push_back({touch.held, mask, uint32_t(now.cluster), now.writes});
}

/// A bit for each of the bits from `first` to `last`.
static uint64_t bits(unsigned first, unsigned last) {
  return (~uint64_t(0) >> (63 - last)) & (~uint64_t(0) << first);
}

void Shadow::touch(const Access &access, Judge &judge) {
  Touch touch{access, judge};
  // Pieces that follow one another, or are in the same part, go together.
  Part *part = nullptr;
  uint64_t start = 0, mask = 0;
  unsigned bitBytes = 0;
  auto flush = [&] {
    if (mask)
      touchPart(*part, start, bitBytes, mask, touch);
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
        if (part != &block.whole) {
          flush();
          part = &block.whole;
          start = number * blockBytes;
          bitBytes = 16;
        }
        mask |= bits(begin % blockBytes / 16, (stop - 1) % blockBytes / 16);
        begin = stop;
        continue;
      }
      stop = std::min(stop, (begin / partBytes + 1) * partBytes);
      Part *fine = &block.fine[begin % blockBytes / partBytes];
      if (part != fine) {
        flush();
        part = fine;
        start = begin / partBytes * partBytes;
        bitBytes = 1;
      }
      mask |= bits(begin % partBytes, (stop - 1) % partBytes);
      begin = stop;
    }
  }
  flush();
  release(touch.held);
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
  for (const emu::MemoryRange &range : ranges) {
    // Rows of a swizzled tile are at the same place in block after block.
    uint64_t inside = range.address % blockBytes;
    if (range.pitch == blockBytes && inside + range.bytes <= blockBytes) {
      uint64_t mask = bits(inside / 16, (inside + range.bytes - 1) / 16);
      uint64_t *at = &masks[range.address / blockBytes - first];
      for (uint32_t piece = 0; piece != range.count; ++piece)
        at[piece] |= mask;
      continue;
    }
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
      touchPart(block.whole, start, 16, mask, touch);
      continue;
    }
    for (unsigned part = 0; part != blockBytes / partBytes; ++part)
      if (uint64_t bytes = widened(mask, part))
        touchPart(block.fine[part], start + part * partBytes, 1, bytes, touch);
  }
  release(touch.held);
}

void Shadow::forget(uint64_t begin, uint64_t bytes) {
  for (uint64_t number = begin / blockBytes;
       number * blockBytes < begin + bytes; ++number) {
    Block &block = blockAt(number);
    forEachPart(block, [&](Part &part) {
      eraseIf(part, [](const Record &) { return true; });
    });
    block = Block();
  }
}
