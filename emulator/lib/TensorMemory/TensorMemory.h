//===- TensorMemory.h - The tensor memory of an SM --------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 128 lanes of 512 columns of 32 bits, for all CTAs of an SM. CTAs allocate
// columns, in units of 32 and with all lanes, and wait if there aren't enough.
// What is allocated is filled with NaNs: a kernel that adds to an accumulator
// that nothing was written to gets NaN under every schedule.
//
// The invariant: every column belongs to one CTA or is free, and no CTA touches
// a column that isn't its own, or exits with one.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_TENSORMEMORY_H
#define DRAWLOOM_EMULATOR_TENSORMEMORY_H

#include "Machine/AsyncOp.h"
#include "Machine/Extension.h"
#include "Machine/WaitObject.h"
#include "drawloom/Emulator/Events.h"
#include "llvm/ADT/SmallVector.h"
#include <bitset>
#include <memory>
#include <optional>
#include <string>

namespace drawloom::emu {

/// A tensor memory address: lane << 16 | column.
struct TensorAddress {
  uint16_t lane = 0, column = 0;

  explicit TensorAddress(uint32_t address)
      : lane(address >> 16), column(address & 0xffff) {}
  std::string str() const; ///< "lane 32, column 128"
};

/// Columns of some lanes, of one CTA or of both of a pair. A bit of `halves`
/// stands for 16 lanes: the units in which MMAs and loads differ. A bit of
/// `ctas` stands for the even and the odd CTA of a pair.
struct TensorRegion {
  uint32_t column = 0, columns = 0;
  uint8_t halves = 0;
  uint8_t ctas = 0;

  bool overlaps(const TensorRegion &other) const {
    return (ctas & other.ctas) && (halves & other.halves) &&
           column < other.column + other.columns &&
           other.column < column + columns;
  }
};

/// A bit for each lane of a CTA's tensor memory.
using TensorLanes = std::bitset<128>;
TensorLanes lanesOf(const TensorRegion &region);
/// Adds the columns of `region` in `lanes`, for a listener.
void addRanges(llvm::SmallVectorImpl<TensorRange> &ranges, uint32_t rank,
               const TensorLanes &lanes, const TensorRegion &region);

class TensorMemory : public Extension, public WaitObject {
public:
  static constexpr ExtensionSlot slot = ExtensionSlot::TensorMemory;
  static constexpr unsigned lanes = 128;
  static constexpr unsigned unit = 32; ///< Columns that are allocated together.

  explicit TensorMemory(unsigned columns);

  /// Extension: reports what the CTA hasn't freed.
  void ctaExited(CTA &cta) override;
  /// WaitObject: who has the columns.
  std::string describe(const Fragment &waiter) const override;

  unsigned columns() const { return columnsField; }
  uint32_t *at(unsigned lane, unsigned column) {
    return words.get() + size_t(lane) * columnsField + column;
  }

  /// The first of `count` columns; none if there aren't as many in one piece.
  std::optional<uint32_t> allocate(const IssuePoint &issue, uint32_t count);
  /// The same columns for both CTAs of a pair, each in its own SM's memory.
  static std::optional<uint32_t> allocatePair(const IssuePoint (&issues)[2],
                                              uint32_t count);
  /// What is wrong with freeing these, as text; empty if they are free now.
  std::string free(CTA &cta, uint32_t column, uint32_t count);
  /// What is wrong with `cta` touching the region, as text; empty if it may.
  std::string checkAccess(CTA &cta, const TensorRegion &region) const;

private:
  struct Allocation {
    IssuePoint issue;
    uint32_t column, count;
  };
  std::string list(CTA *of) const;
  bool isFree(unsigned firstUnit, unsigned units) const;
  uint32_t take(const IssuePoint &issue, unsigned firstUnit, unsigned units);

  unsigned columnsField;
  std::unique_ptr<uint32_t[]> words;
  llvm::SmallVector<CTA *, 16> owners; ///< Of each unit.
  llvm::SmallVector<Allocation, 4> allocations;
};

/// The tensor memory of the SM that `cta` runs on.
TensorMemory &tensorMemory(CTA &cta);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_TENSORMEMORY_H
