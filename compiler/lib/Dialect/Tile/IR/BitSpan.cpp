//===- BitSpan.cpp - Vectors of bits and what they span -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/BitSpan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom::tile;
using llvm::ArrayRef;
using llvm::SmallVector;

bool BitSpan::add(uint64_t vector) {
  Pivot next{vector, uint64_t(1) << added++};
  for (const Pivot &pivot : pivots)
    if (next.value >> llvm::Log2_64(pivot.value) & 1) {
      next.value ^= pivot.value;
      next.sumOf ^= pivot.sumOf;
    }
  if (!next.value)
    return false;
  unsigned top = llvm::Log2_64(next.value);
  for (Pivot &pivot : pivots)
    if (pivot.value >> top & 1) {
      pivot.value ^= next.value;
      pivot.sumOf ^= next.sumOf;
    }
  pivots.push_back(next);
  return true;
}

std::optional<uint64_t> BitSpan::solve(uint64_t vector) const {
  uint64_t chosen = 0;
  for (const Pivot &pivot : pivots)
    if (vector >> llvm::Log2_64(pivot.value) & 1) {
      vector ^= pivot.value;
      chosen ^= pivot.sumOf;
    }
  if (vector)
    return std::nullopt;
  return chosen;
}

SmallVector<uint64_t> drawloom::tile::intersect(ArrayRef<uint64_t> a,
                                                ArrayRef<uint64_t> b) {
  BitSpan both(a), common;
  SmallVector<uint64_t> result;
  for (uint64_t vector : b) {
    // What sums up to this vector: some of `a`, and some of `b` before it. The
    // part that is of `a` differs from it by vectors of `b`.
    if (std::optional<uint64_t> chosen = both.solve(vector)) {
      uint64_t shared = sumOf(a, *chosen);
      if (common.add(shared))
        result.push_back(shared);
    }
    both.add(vector);
  }
  return result;
}

uint64_t drawloom::tile::sumOf(ArrayRef<uint64_t> vectors, uint64_t chosen) {
  uint64_t sum = 0;
  for (auto [index, vector] : llvm::enumerate(vectors))
    if (chosen >> index & 1)
      sum ^= vector;
  return sum;
}
