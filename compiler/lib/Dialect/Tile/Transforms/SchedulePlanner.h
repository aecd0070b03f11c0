//===- SchedulePlanner.h - The planner's state ------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Planner.cpp chooses roles and warps, ChooseCluster.cpp the cluster,
// ChooseSubtile.cpp the parts in which the epilogue moves.

#ifndef DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_SCHEDULEPLANNER_H
#define DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_SCHEDULEPLANNER_H

#include "drawloom/Dialect/Tile/Transforms/Planner.h"
#include "drawloom/Target/Architecture.h"

namespace drawloom::tile {

/// What two CTAs along one dimension of the work tiles would have in common.
struct Sharing {
  /// Why they are no use; empty if they are.
  std::string why;
  unsigned dim = 0;
  bool inPairs = false;
  /// "'b'", "'b' and 'c'"
  std::string views;
  /// What a CTA loads for a K tile: alone, and of two.
  int64_t alone = 0, shared = 0;
};

/// What warps of a program can hold and share.
class WarpLimits {
public:
  WarpLimits(const Problem &problem, const Schedule &given,
             const target::Architecture &arch)
      : problem(problem), given(given), arch(arch) {}

protected:
  int64_t countInterleaved() const { return given.interleave.value_or(1); }
  bool holdsAccumulators() const {
    return arch.mma == target::MmaInstruction::Wgmma;
  }

  int64_t countHeldRegisters(int64_t warps) const;
  int64_t getRegisterLimit(int64_t warps) const;
  bool fitsRegisters(int64_t warps) const;
  int64_t getMostWarps() const;
  /// The rows of the first MMA that this many warps can't share; 0 if they
  /// can share all.
  int64_t findUnsharedRows(int64_t warps) const;
  /// The first number of warps from `least` on that can share the rows.
  std::optional<int64_t> findWarps(int64_t least, int64_t most) const;

  const Problem &problem;
  const Schedule &given;
  const target::Architecture &arch;
};

class Planner : private WarpLimits {
public:
  Planner(const Problem &problem, const Schedule &given,
          const target::Architecture &arch, size_t narrower)
      : WarpLimits(problem, given, arch), narrower(narrower) {
    choice.schedule = given;
  }

  Choice plan();

private:
  void checkMmas();
  void chooseShape();
  void chooseCluster();
  void chooseWarps();
  void chooseSubtile();

  /// Reasons live in the IR, whose text spells out what is not ASCII.
  void reason(const llvm::Twine &text) {
    std::string plain = text.str();
    for (size_t at; (at = plain.find("×")) != std::string::npos;)
      plain.replace(at, llvm::StringRef("×").size(), "x");
    choice.reasons.push_back(std::move(plain));
  }
  void fail(const llvm::Twine &text) { choice.error = text.str(); }
  void failTooLarge(const llvm::Twine &text) {
    fail(text);
    choice.isTooLarge = true;
  }

  void checkWarps(int64_t warps, int64_t most);
  void checkRegisters(int64_t warps, int64_t most);

  const Problem::Operands *findOperands() const;
  Sharing findSharing() const;
  std::string whyNoSharing(const Problem::Operands *operands) const;
  Sharing shareAlong(unsigned dim, const Problem::Operands &operands,
                     int64_t own) const;
  bool canPair(unsigned dim) const;

  int64_t getTurn() const;
  llvm::SmallVector<int64_t> getWidths() const;

  size_t narrower;
  Choice choice;
};

} // namespace drawloom::tile

#endif // DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_SCHEDULEPLANNER_H
