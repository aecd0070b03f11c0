//===- Written.h - What isn't written yet ------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory holds nothing in particular until it is written to: shared memory
// when its CTA starts, columns of tensor memory when they are allocated, global
// memory when cuMemAlloc gives it, local memory when its function is called. A
// bit for each byte, or for each word of tensor memory, says whether that has
// happened; once all have been written, there is nothing left to look at.
//
// A read of which no byte was written is found. If some were, it is taken for a
// wide access over padding. Copies of engines are no use: what they copy counts
// as written where it goes.
//
// What a thread reads from shared or local memory where nothing was written is
// an undefined value, and the emulator follows it through registers. It is
// found where it is used, whether the read was or not. Memory that such a value
// is stored to counts as not written.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_WRITTEN_H
#define DRAWLOOM_CHECKER_WRITTEN_H

#include "Findings.h"
#include "Shadow.h"
#include <bitset>
#include <map>

namespace drawloom::checker {

/// Bytes without a value that aren't the gap between two fields.
inline constexpr uint64_t padding = 16;

/// A bit for each byte.
class WrittenBytes {
public:
  explicit WrittenBytes(uint64_t bytes);
  bool isComplete() const { return !missing; }
  void write(uint64_t offset, uint64_t bytes);
  void undo(uint64_t offset); ///< Of one byte.
  /// Whether all blocks that a range reaches into are complete.
  bool isComplete(uint64_t offset, uint64_t bytes) const {
    for (uint64_t block = offset / blockBytes,
                  last = (offset + bytes - 1) / blockBytes;
         block <= last; ++block)
      if (missingOf[block])
        return false;
    return true;
  }
  bool isWritten(uint64_t offset) const {
    return words[offset / 64] >> offset % 64 & 1;
  }
  /// The first bytes of a range that weren't written, at least `padding`
  /// together; both the same if there are none.
  std::pair<uint64_t, uint64_t> findGap(uint64_t offset, uint64_t bytes) const;
  /// Whether one of the bytes was written.
  bool isAnyWritten(uint64_t offset, uint64_t bytes) const;

private:
  /// Calls f(word, mask) for the words of a range, until it says false.
  template <typename F>
  void forEachWord(uint64_t offset, uint64_t bytes, F f) const;

  static constexpr uint64_t blockBytes = 1024;
  std::vector<uint64_t> words;
  std::vector<uint16_t> missingOf; ///< By block.
  uint64_t missing;
};

/// Shared and tensor memory of a cluster.
class WrittenInCluster {
public:
  WrittenInCluster(uint32_t sharedBytes, Findings &findings)
      : sharedBytes(sharedBytes), findings(findings) {}

  /// An access to shared memory. `copies`: it reads for a copy.
  void touch(const Access &access, bool copies);
  /// Marks what a load of threads reads and nothing has written.
  void markUndefined(const emu::AccessEvent &load);
  /// Forgets what a store has written without a defined value.
  void undoUndefined(const emu::AccessEvent &store);
  /// Of an MMA that reads them.
  void touchOperands(Access access, llvm::ArrayRef<emu::MemoryRange> ranges);
  /// One to tensor memory.
  void touchTensor(const Access &access,
                   llvm::ArrayRef<emu::TensorRange> ranges);
  void allocate(uint32_t rank, uint32_t column, uint32_t columns);

private:
  static constexpr unsigned tensorLanes = 128, tensorColumns = 512;
  /// A bulk copy to global memory has read it.
  void storeByEngine(const Access &copy);
  /// Whether all from `begin` to `end` is written, as far as that is cheap.
  bool isComplete(uint64_t begin, uint64_t end) const;
  WrittenBytes &sharedOf(uint32_t rank);

  using Columns = std::vector<std::bitset<tensorLanes>>;

  const uint32_t sharedBytes;
  Findings &findings;
  std::vector<WrittenBytes> shared; ///< By rank.
  std::vector<Columns> tensor;      ///< By rank.
};

/// Local memory of the threads of a cluster.
class WrittenLocal {
public:
  explicit WrittenLocal(Findings &findings) : findings(findings) {}

  /// `access` says who it is.
  void event(const emu::LocalEvent &event, const Access &access);

private:
  Findings &findings;
  /// By rank and warp: for each byte, the lanes to which it holds nothing. What
  /// is past the last one is unallocated, or written.
  llvm::DenseMap<uint32_t, std::vector<uint32_t>> missing;
};

/// An undefined value is used. `use` says who uses it.
void reportUndefined(const emu::UndefinedEvent &event, const Access &use,
                     Findings &findings);

/// Global memory that the host has allocated and not filled.
class WrittenGlobal {
public:
  explicit WrittenGlobal(Findings &findings) : findings(findings) {}

  void allocate(uint64_t address, uint64_t bytes);
  void free(uint64_t address) { regions.erase(address); }
  void write(uint64_t address, uint64_t bytes);
  void touch(const Access &access);
  /// The first bytes of a range that nothing has written, from and to; both the
  /// same if there are none, or fewer than `padding` together.
  std::pair<uint64_t, uint64_t> findGap(uint64_t address, uint64_t bytes);

private:
  struct Region {
    uint64_t end;
    WrittenBytes bytes;
  };
  /// The incomplete region that holds an address.
  std::map<uint64_t, Region>::iterator find(uint64_t address);

  Findings &findings;
  std::map<uint64_t, Region> regions; ///< Those that aren't complete.
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_WRITTEN_H
