//===- TensorTransfer.cpp - What the engine does for a tensor copy --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute/Copy/TensorTransfer.h"
#include "Engine/MbarrierObject.h"
#include "Execute/Copy/BulkStore.h"
#include "Machine/Machine.h"
#include "Memory/Access.h"
#include "Timing/Clock.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::emu;
using llvm::Twine;

/// A row that is inside the tensor, but not in memory.
static bool failRow(Machine &machine, const IssuePoint &issue, AccessKind kind,
                    uint64_t address, uint32_t bytes) {
  machine.fail(issue, ReportKind::IllegalAddress,
               quoteMnemonic(issue.cta->grid().program(), issue.inst) + ": " +
                   Twine(bytes) + " bytes of a row of the tensor at " +
                   describeAddress(issue, kind, address, bytes));
  return false;
}

/// The host memory of bytes of a tensor, which are in global memory.
static char *findTensor(const IssuePoint &issue, AccessKind kind,
                        uint64_t address, uint64_t bytes) {
  return spaceOf(address) == Space::Global
             ? translate(issue, kind, address, bytes)
             : nullptr;
}

/// Fetches a row that is some rows ahead. Rows are far apart, so the processor
/// doesn't see the next one coming.
template <bool isWritten>
static void prefetchRow(const char *row, uint64_t ahead, uint32_t bytes) {
  uintptr_t first = reinterpret_cast<uintptr_t>(row) + ahead;
  for (uintptr_t at = first; at < first + bytes; at += 64)
    __builtin_prefetch(reinterpret_cast<const char *>(at), isWritten);
}
static constexpr uint64_t rowsAhead = 8;

/// What is touched in shared memory by a tile that begins at `address`.
static void tellShared(const IssuePoint &issue, AccessKind kind,
                       const TensorTile &tile, uint64_t address) {
  const SwizzlePattern pattern = patternOf(tile.map.swizzle);
  const uint32_t pitch = tile.pitch(), bytes = tile.map.sharedRowBytes();
  RangeList ranges;
  for (uint32_t row = 0, end = tile.rowCount(); row != end; ++row) {
    uint64_t start = address + row * pitch;
    if (bytes == pitch) { // Swizzled or not, it is all of the row.
      ranges.add(start, bytes);
      continue;
    }
    llvm::SmallVector<uint32_t, 16> places;
    uint32_t chunk = 0;
    forEachChunk(pattern, start & sharedOffsetMask, bytes,
                 [&](uint32_t place, uint32_t, uint32_t count) {
                   places.push_back(place);
                   chunk = count;
                 });
    llvm::sort(places);
    for (uint32_t place : places)
      ranges.add((start & ~uint64_t(sharedOffsetMask)) | place, chunk);
  }
  tell(issue, AccessEvent{
                  .kind = kind, .proxy = Proxy::Async, .ranges = ranges.get()});
}

/// What is touched in global memory: nothing outside the tensor.
static void tellGlobal(const IssuePoint &issue, AccessEvent event,
                       const TensorTile &tile) {
  RangeList ranges;
  tile.forEachRow([&](uint32_t, const TensorTile::Row &row) {
    if (row.begin != row.end)
      ranges.add(row.address, row.end - row.begin);
    return true;
  });
  event.ranges = ranges.get();
  if (!event.ranges.empty())
    tell(issue, event);
}

/// The lines of memory that a tile is in.
static void touchTensor(Clock &clock, const TensorTile &tile, uint64_t time,
                        MemoryClock::Traffic &traffic) {
  tile.forEachRow([&](uint32_t, const TensorTile::Row &row) {
    clock.memory.touch(row.address, row.end - row.begin, time, traffic);
    return true;
  });
}

namespace {

/// A tile to the shared memory of one or more CTAs.
class TensorLoad : public AsyncOp {
public:
  TensorLoad(IssuePoint issue, const TensorTile &tile,
             llvm::ArrayRef<CopyTarget> targets)
      : AsyncOp(EngineKind::Tensor, issue), tile(tile), targets(targets) {
    for (const CopyTarget &target : targets)
      SharedUses::begin(target.cta(*issue.cta), *this, "writes");
    if (Clock *clock = issue.cta->machine().clock()) [[unlikely]]
      due = findDue(*clock, issue.cta->machine().now);
  }

  void complete(Machine &machine) override {
    for (const CopyTarget &target : targets) {
      if (!machine.options().withoutData && !load(machine, target.address))
        return;
      SharedUses::end(target.cta(*issue.cta), *this);
    }
    if (listenerOf(issue)) [[unlikely]] {
      tellGlobal(issue, {.kind = AccessKind::Read, .proxy = Proxy::Async},
                 tile);
      for (const CopyTarget &target : targets)
        tellShared(issue, AccessKind::Write, tile, target.address);
    }
    for (const CopyTarget &target : targets)
      completeBytes(machine, issue, target.barrier, tile.sharedBytes());
    tellOperation(issue, {.kind = OperationEvent::Complete, .engine = kind});
  }

private:
  uint64_t findDue(Clock &clock, uint64_t now) const {
    Clock::Copy copy;
    copy.rows = tile.rowCount();
    copy.rowBytes = tile.map.sharedRowBytes();
    touchTensor(clock, tile, now, copy.traffic);
    auto sms = llvm::map_to_vector<4>(targets, [&](const CopyTarget &target) {
      return target.cta(*issue.cta).sm().index;
    });
    return clock.load(issue.cta->sm().index, copy, sms, now);
  }

  /// Most tiles are all inside the tensor, and their rows are swizzled in
  /// pieces of 16 bytes. False if this one isn't.
  bool loadPlain(Machine &machine, uint64_t address) {
    const SwizzlePattern pattern = patternOf(tile.map.swizzle);
    const uint64_t first = tile.plainStart();
    if (!first || !pattern.span || pattern.flips)
      return false;
    const uint32_t rows = tile.map.box[1], rowBytes = tile.map.sharedRowBytes();
    const uint64_t apart = tile.map.strides[0];
    const char *from = findTensor(issue, AccessKind::Read, first,
                                  (rows - 1) * apart + rowBytes);
    if (!from)
      return false;
    char *shared = issue.cta->cluster().sharedOf(rankOf(address));
    uint32_t start = address & sharedOffsetMask;
    for (uint32_t row = 0; row != rows;
         ++row, from += apart, start += pattern.span) {
      prefetchRow<false>(from, rowsAhead * apart, rowBytes);
      prefetchRow<true>(shared + start, rowsAhead * pattern.span, rowBytes);
      uint32_t flip = pattern.apply(start) ^ start;
      for (uint32_t at = 0; at != rowBytes; at += 16)
        memcpy(shared + ((start + at) ^ flip), from + at, 16);
    }
    return true;
  }

  bool load(Machine &machine, uint64_t address) {
    if (loadPlain(machine, address))
      return true;
    char *shared = issue.cta->cluster().sharedOf(rankOf(address));
    const uint32_t offset = address & sharedOffsetMask;
    const uint32_t rowBytes = tile.map.globalRowBytes();
    const uint32_t sharedRowBytes = tile.map.sharedRowBytes();
    const SwizzlePattern pattern = patternOf(tile.map.swizzle);
    const uint32_t pitch = tile.pitch();
    const bool verbatim = tile.loadsVerbatim();
    const uint64_t ahead =
        tile.map.rank > 1 ? rowsAhead * tile.map.strides[0] : 0;
    alignas(64) char buffer[TensorTile::maxRowBytes];
    return tile.forEachRow([&](uint32_t index, const TensorTile::Row &row) {
      uint32_t bytes = row.end - row.begin;
      const char *data = buffer;
      if (bytes) {
        data = findTensor(issue, AccessKind::Read, row.address, bytes);
        if (!data)
          return failRow(machine, issue, AccessKind::Read, row.address, bytes);
        prefetchRow<false>(data, ahead, bytes);
      }
      if (bytes != rowBytes || !verbatim) {
        memcpy(buffer + row.begin, data, bytes);
        tile.finishLoad(buffer, row);
        data = buffer;
      }
      uint32_t start = offset + index * pitch;
      forEachChunk(pattern, start, sharedRowBytes,
                   [=](uint32_t place, uint32_t at, uint32_t count) {
                     memcpy(shared + place, data + at, count);
                   });
      return true;
    });
  }

  const TensorTile tile;
  llvm::SmallVector<CopyTarget, 1> targets;
};

/// A tile from shared to global memory, or combined with what is there.
class TensorStore : public BulkStore {
public:
  TensorStore(IssuePoint issue, const TensorTile &tile, uint64_t from,
              Reduce *reduce)
      : BulkStore(issue), tile(tile), from(from), reduce(reduce) {}

  uint64_t size() const override { return tile.sharedBytes(); }
  void touch(Clock &clock, uint64_t now,
             MemoryClock::Traffic &traffic) const override {
    touchTensor(clock, tile, now, traffic);
  }

  void read(Machine &machine) override {
    if (machine.options().withoutData)
      return;
    const char *shared = issue.cta->cluster().sharedOf(rankOf(from));
    const SwizzlePattern pattern = patternOf(tile.map.swizzle);
    const uint32_t pitch = tile.pitch(), bytes = tile.map.sharedRowBytes();
    data.resize(tile.sharedBytes());
    char *row = data.data();
    for (uint32_t index = 0, end = tile.rowCount(); index != end;
         ++index, row += bytes) {
      uint32_t start = (from & sharedOffsetMask) + index * pitch;
      forEachChunk(pattern, start, bytes,
                   [=](uint32_t place, uint32_t at, uint32_t count) {
                     memcpy(row + at, shared + place, count);
                   });
    }
    if (listenerOf(issue)) [[unlikely]]
      tellShared(issue, AccessKind::Read, tile, from);
  }

  void write(Machine &machine) override {
    if (machine.options().withoutData)
      return;
    bool isUnchanged = listenerOf(issue) && !reduce && isThere();
    if (!writePlain(machine) && !writeRows(machine))
      return;
    if (!listenerOf(issue))
      return;
    AccessEvent event = asyncWrite(reduce);
    event.unchanged = isUnchanged ? issue.lanes : 0;
    tellGlobal(issue, event, tile);
  }

private:
  /// Whether the tensor holds the tile already.
  bool isThere() {
    uint32_t whole = tile.map.sharedRowBytes();
    return tile.forEachRow([&](uint32_t index, const TensorTile::Row &row) {
      uint32_t bytes = row.end - row.begin;
      const char *to = findTensor(issue, AccessKind::Read, row.address, bytes);
      const char *source = data.data() + size_t(index) * whole + row.begin;
      return !bytes || (to && !memcmp(to, source, bytes));
    });
  }

  bool writeRows(Machine &machine) {
    uint32_t whole = tile.map.sharedRowBytes();
    return tile.forEachRow([&](uint32_t index, const TensorTile::Row &row) {
      uint32_t bytes = row.end - row.begin;
      if (!bytes)
        return true;
      char *to = findTensor(issue, AccessKind::Write, row.address, bytes);
      if (!to)
        return failRow(machine, issue, AccessKind::Write, row.address, bytes);
      const char *source = data.data() + size_t(index) * whole + row.begin;
      if (reduce)
        reduce(to, source, bytes);
      else
        memcpy(to, source, bytes);
      return true;
    });
  }

  /// As TensorLoad::loadPlain.
  bool writePlain(Machine &machine) {
    const uint64_t first = tile.plainStart();
    if (!first)
      return false;
    const uint32_t rows = tile.map.box[1], bytes = tile.map.sharedRowBytes();
    const uint64_t apart = tile.map.strides[0];
    char *to =
        findTensor(issue, AccessKind::Write, first, (rows - 1) * apart + bytes);
    if (!to)
      return false;
    const char *source = data.data();
    for (uint32_t row = 0; row != rows; ++row, to += apart, source += bytes) {
      prefetchRow<true>(to, rowsAhead * apart, bytes);
      if (reduce)
        reduce(to, source, bytes);
      else
        memcpy(to, source, bytes);
    }
    return true;
  }

  const TensorTile tile;
  uint64_t from;
  Reduce *reduce;
};

} // namespace

std::unique_ptr<AsyncOp>
drawloom::emu::makeTensorLoad(IssuePoint issue, const TensorTile &tile,
                              llvm::ArrayRef<CopyTarget> targets) {
  return std::make_unique<TensorLoad>(issue, tile, targets);
}

std::unique_ptr<BulkStore>
drawloom::emu::makeTensorStore(IssuePoint issue, const TensorTile &tile,
                               uint64_t from, Reduce *reduce) {
  return std::make_unique<TensorStore>(issue, tile, from, reduce);
}
