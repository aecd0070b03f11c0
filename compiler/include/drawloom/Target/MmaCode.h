//===- MmaCode.h - Which matrix products there is code for ---- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The hardware has more MMAs (MmaForms.cpp) than there is code for. The
// planner, the passes that check a program written by hand, and code generation
// ask the one question here, so that what is planned compiles, and a rejection
// has the same words wherever it comes from.
//
// Invariant: each row of the table of MMAs with code is a part of a row of the
// hardware's table; a unit test compares them.

#ifndef DRAWLOOM_TARGET_MMAS_H
#define DRAWLOOM_TARGET_MMAS_H

#include "drawloom/Target/Architecture.h"

namespace drawloom::target {

/// A row of the table: a form, and what the code does with it.
struct MmaCode {
  MmaForm form;
  /// Columns that one tile may have; more instructions beside each other are
  /// not emitted. 0 if there is no limit.
  int64_t mostColumns;
};

/// Every row.
llvm::ArrayRef<MmaCode> mmasWithCode();

/// An MMA of tiles: M x K times the transpose of N x K. Of a pair of CTAs, M
/// are the rows of both.
struct Mma {
  int64_t m = 0, n = 0, k = 0;
  /// How many CTAs issue it together: 1 or 2.
  unsigned ctas = 1;
  /// Nothing for a type that no MMA knows.
  std::optional<ElementType> a, b, accumulator;
  bool hasScale = false;
  std::optional<ElementType> scale;
  /// The types as the program writes them.
  std::string types;
};

/// What two CTAs issue together, if each has an MMA like this one.
Mma ofPair(Mma mma);

/// Why there is no code for the MMA on `arch`, with the arithmetic and a
/// way out; empty if there is.
std::string whyNoCode(const Mma &mma, const Architecture &arch);

} // namespace drawloom::target

#endif // DRAWLOOM_TARGET_PRODUCTS_H
