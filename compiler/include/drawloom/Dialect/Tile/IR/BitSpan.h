//===- BitSpan.h - Vectors of bits and what they span --------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Linear algebra over bits, on vectors that fit into one word. A vector is
// added to another by XOR. A layout is a matrix of such vectors, and all that
// is asked of layouts, whether they reach every element, where an element is,
// which bits two of them share, is asked of the spans of their columns.

#ifndef DRAWLOOM_DIALECT_TILE_IR_BITSPAN_H
#define DRAWLOOM_DIALECT_TILE_IR_BITSPAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace drawloom::tile {

/// All sums of some vectors, of which there are at most 64.
class BitSpan {
public:
  BitSpan() = default;
  explicit BitSpan(llvm::ArrayRef<uint64_t> vectors) {
    for (uint64_t vector : vectors)
      add(vector);
  }

  /// Adds a vector. False if the span had it already.
  bool add(uint64_t vector);

  unsigned getDimension() const { return pivots.size(); }
  bool contains(uint64_t vector) const { return solve(vector).has_value(); }

  /// Which vectors sum up to this one: bit i stands for the one that was added
  /// i-th. Those that the span had already when they were added don't take
  /// part, so the answer is unique. Nothing if there is none.
  std::optional<uint64_t> solve(uint64_t vector) const;

private:
  /// A sum of the vectors whose top bit no other pivot has. `sumOf` says of
  /// which.
  struct Pivot {
    uint64_t value;
    uint64_t sumOf;
  };
  llvm::SmallVector<Pivot> pivots;
  unsigned added = 0;
};

/// A basis of what two spans have in common. Both are given by vectors, at most
/// 64 together.
llvm::SmallVector<uint64_t> intersect(llvm::ArrayRef<uint64_t> a,
                                      llvm::ArrayRef<uint64_t> b);

/// The sum of the vectors that `chosen` has a bit for.
uint64_t sumOf(llvm::ArrayRef<uint64_t> vectors, uint64_t chosen);

} // namespace drawloom::tile

#endif // DRAWLOOM_DIALECT_TILE_IR_BITSPAN_H
