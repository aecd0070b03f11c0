//===- FindSizes.h - Which sizes of a program belong together ---*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A tile program says which dimensions of its arguments it walks together: the
// offset k of a load of A[m, k] and of B[n, k] makes the last dimensions of A
// and B one size. So a caller names few sizes and the others follow, and sizes
// that are not given can be chosen to have ragged edges and several work tiles.
//
// A dimension that is also walked elsewhere is not that size: W[n] and
// W[n + N] say that W has N more, and U[m - 1] says next to nothing about U.
// Its size is its own; if it is not given, it reaches as far as the program
// does.

#ifndef DRAWLOOM_RUN_FINDSIZES_H
#define DRAWLOOM_RUN_FINDSIZES_H

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include <optional>

namespace drawloom::run {

/// A dimension of an argument. Its size is the class's plus `more`: offsets of
/// groups have one more than there are groups.
struct ClassMember {
  unsigned argument;
  unsigned dimension;
  int64_t more = 0;
};

/// How far an access reaches: the sum of the sizes of these dimensions, each an
/// argument and a dimension of it, and a number.
struct Reach {
  llvm::SmallVector<std::pair<unsigned, unsigned>> dimensions = {};
  int64_t more = 0;
};

/// Dimensions with one size.
struct SizeClass {
  llvm::SmallVector<ClassMember> members = {};
  /// Of a dimension whose size is its own though it is walked with others.
  llvm::SmallVector<Reach> reaches = {};
  /// The largest step in which it is walked; 0 if it is not.
  int64_t tile = 0;
  /// Work tiles walk it, not a loop inside one.
  bool isItem = false;
  /// It is the last dimension of a matrix, in which TMA needs 16 bytes.
  bool isInnermost = false;

  /// A size with a ragged edge, several items or trips, and not large.
  int64_t chooseSize() const;
};

/// The classes, in the order of the arguments.
std::vector<SizeClass> findSizes(tile::KernelOp kernel);

/// An integer tensor whose elements are offsets into a dimension of another
/// argument, where groups begin and end, or sizes along it.
struct OffsetTensor {
  unsigned argument;
  unsigned into;
  unsigned dimension;
};
std::vector<OffsetTensor> findOffsets(tile::KernelOp kernel);

/// Which arguments are loaded from, and which are stored to.
struct Accesses {
  llvm::SmallVector<bool> loaded, stored;
};
Accesses findAccesses(tile::KernelOp kernel);

} // namespace drawloom::run

#endif // DRAWLOOM_RUN_FINDSIZES_H
