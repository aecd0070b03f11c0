//===- Shadow.h - Who touched memory last -----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each byte of a memory: its last write, and the reads since. An access is
// compared with those. A write then takes the place of what it covers: what it
// is ordered after is known wherever the write is, and what it races with
// has been found. So does a read that knows an earlier one. But a strong access
// doesn't race with others that are morally strong with it, whether they know
// it or not, so it takes the place only of what is as strong as itself: a weak
// store stays behind the atomics that follow it.
//
// Memory is in blocks of 1 KiB. A block has a record for each access, with a
// bit for each 16 bytes; tiles of copies and operands of MMAs are a few
// records. Once an access to a block isn't of whole 16 bytes, the block has
// sixteen parts of 64 bytes, with a bit for each byte.
//
// An access is kept once, whatever the number of blocks that it touches, and
// goes with the last record of it.
//
// State is bounded. Of clusters that read the same, three are enough: who
// writes there races with one of the others. Where there are three and no
// write, a block has a bit for that, and more readers stop at it. And a part
// has at most `mostRecords`; the oldest reads go first, and with them a race
// that could have been found.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_SHADOW_H
#define DRAWLOOM_CHECKER_SHADOW_H

#include "Clock.h"
#include "drawloom/Emulator/Events.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <array>

namespace drawloom::checker {

/// What has been done to one range, and when it is over.
struct Access {
  emu::MemoryRange range;
  /// It is over when this actor has come to `value`; lane of it, if the pieces
  /// of the range don't say which.
  Actor actor = 0;
  uint32_t value = 0;
  uint32_t instruction = 0;
  uint16_t rank = 0, warp = 0; ///< Who did it, or had an engine do it.
  uint8_t lane = 0;
  bool reads = false, writes = false;
  uint32_t unchanged = 0; ///< Lanes that write what is there already.
  bool isEngine = false;
  bool isNonCoherent = false; ///< ld.global.nc
  bool isUpdate = false;      ///< The load or the store of one (Updates.h).
  /// Of a tensor map: its cluster has acquired it at the scope of the GPU.
  bool isMapAcquired = false;
  emu::Proxy proxy = emu::Proxy::Generic;
  emu::Scope scope = emu::Scope::None; ///< None if it is weak.
  /// Of tcgen05's work: the warp that issued it, and its time. Of a tensor map:
  /// another actor that says that it has been read.
  Actor issuer = 0;
  uint32_t issued = 0;
  /// Of the accumulator of a tcgen05.mma, when it is written: M and N.
  uint16_t rows = 0, columns = 0;
  /// Which access of the cluster; lanes of one don't race.
  uint64_t serial = 0;
  uint64_t cluster = 0; ///< In the run.
  uint32_t launch = 0;  ///< In the run.
  uint32_t cta = 0;     ///< Linear index in the grid.
  const emu::Kernel *kernel = nullptr;

  bool isAsync() const { return proxy == emu::Proxy::Async; }
};

/// Bytes of a piece that two accesses touch.
struct Overlap {
  uint64_t address;
  uint32_t bytes;
};

class Shadow {
public:
  class Judge {
  public:
    virtual ~Judge() = default;
    enum class Answer : uint8_t {
      Unordered,
      Ordered,      ///< At these bytes.
      WhollyBefore, ///< Whatever the bytes.
    };
    /// Whether `before` comes before what is done now. If it doesn't, and one
    /// of them writes, it is a race.
    virtual Answer order(const Access &before, const Access &now,
                         llvm::ArrayRef<Overlap> overlaps) = 0;
    virtual void found(const Access &before, const Access &now,
                       llvm::ArrayRef<Overlap> overlaps) = 0;
  };

  void touch(const Access &access, Judge &judge);
  /// The same for an operation's ranges, whose pieces are no lane's in
  /// particular and may lie criss-cross: each block is looked at once.
  void touch(Access access, llvm::ArrayRef<emu::MemoryRange> ranges,
             Judge &judge);
  /// Forgets what is known of these bytes, and of those in the same blocks.
  void forget(uint64_t begin, uint64_t bytes);
  /// Forgets what launches before this one have done.
  void forgetBefore(uint32_t launch);
  void clear();

private:
  static constexpr unsigned blockBytes = 1024, partBytes = 64, mostRecords = 48,
                            enoughReaders = 3, mostGathered = 1024,
                            chunkBlocks = 256, poolStep = 32;
  /// An access that records are of.
  struct Held {
    Access access;
    uint32_t uses = 1; ///< By records, and by who makes them.
    Held *nextFree = nullptr;
  };
  struct Record {
    Held *held;
    uint64_t mask;
    /// As of the access, which most are passed over without.
    uint32_t cluster;
    bool writes;
  };
  /// Records, and where enough clusters have read what none of them wrote.
  struct Part {
    llvm::SmallVector<Record, 0> records;
    uint64_t muchRead = 0;
  };
  struct Block {
    Part whole;                   ///< A bit is 16 bytes.
    std::unique_ptr<Part[]> fine; ///< Sixteen; a bit is a byte.
  };
  using Chunk = std::array<Block, chunkBlocks>;
  struct Touch;

  Block &blockAt(uint64_t number);
  static void split(Block &block);
  /// Marks 16 bytes each in `masks`; false if it can't be done so.
  bool gather(llvm::ArrayRef<emu::MemoryRange> ranges, uint64_t &first);
  void touchPart(Part &part, uint64_t start, unsigned bitBytes, uint64_t mask,
                 Touch &touch);
  /// Adds a record of the access; in a full part, in place of the oldest read.
  void addRecord(Part &part, uint64_t mask, Touch &touch);
  Held *hold(const Access &access);
  void release(Held *held);
  template <typename F>
  void eraseIf(Part &part, F f);
  template <typename F>
  static void forEachPart(Block &block, F f);

  llvm::DenseMap<uint64_t, std::unique_ptr<Chunk>> chunks;
  uint64_t lastNumber = ~uint64_t(0);
  Chunk *lastChunk = nullptr;
  std::vector<std::unique_ptr<Held[]>> pool;
  Held *freeHeld = nullptr;
  std::vector<uint64_t> masks; ///< Of blocks side by side; all 0.
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_SHADOW_H
