//===- AccessLog.h - Which work tile touched what ---------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work tiles may run in any order and at the same time, so what one item stores
// no other may store or load. A program that breaks this has no meaning, even
// if one order happens to give a result. The log remembers for each element who
// stored it and who loaded it, and finds the first conflict.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_INTERPRETER_ACCESSLOG_H
#define DRAWLOOM_LIB_INTERPRETER_ACCESSLOG_H

#include "Box.h"
#include <vector>

namespace drawloom::interp {

/// Work tiles count from 1 in the order in which they run.
using ItemId = int32_t;
/// The most items that a run may have.
constexpr ItemId maxItems = 1 << 22;
/// Stands for more than one item, and for work outside items, which every
/// item repeats.
constexpr ItemId severalItems = maxItems + 1;

class AccessLog {
public:
  explicit AccessLog(int64_t numElements) : touched(numElements, 0) {}

  struct Conflict {
    int64_t element;
    /// Who was there before, and whether it stored.
    ItemId other;
    bool otherStored;
  };

  /// Notes that the item loads or stores the box.
  std::optional<Conflict> load(ItemId item, llvm::ArrayRef<int64_t> shape,
                               const StridedRange &range);
  std::optional<Conflict> store(ItemId item, llvm::ArrayRef<int64_t> shape,
                                const StridedRange &range);

private:
  /// For each element 0 if it is untouched, i if item i loaded it, -i if item i
  /// stored it. One that stored may have loaded as well: no other item may
  /// have.
  std::vector<ItemId> touched;
};

} // namespace drawloom::interp

#endif // DRAWLOOM_LIB_INTERPRETER_ACCESSLOG_H
