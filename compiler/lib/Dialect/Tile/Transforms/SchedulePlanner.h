//===- SchedulePlanner.h - The planner's state -------------------*- C++
//-*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Planner.cpp chooses roles, warps and tensor memory, ChooseCluster.cpp the
// cluster, PlanSharedMemory.cpp the slots that are left to choose then.

#ifndef DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_SCHEDULEPLANNER_H
#define DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_SCHEDULEPLANNER_H

#include "drawloom/Dialect/Tile/Transforms/Planner.h"
#include "drawloom/Target/Architecture.h"

namespace drawloom::tile {

/// "1 slot", "4 slots".
std::string countSlots(int64_t count);

/// The pipes in shared memory, with subtiles of one width.
struct Rooms {
  /// 0 if nothing moves in subtiles.
  int64_t columns = 0;
  llvm::SmallVector<int64_t> slots;
  /// Slots of the pipes that share what is left.
  int64_t shared = 0;
  int64_t total = 0;
};

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

class Planner {
public:
  Planner(const Problem &problem, const Schedule &given,
          const target::Architecture &arch)
      : problem(problem), given(given), arch(arch) {
    choice.schedule = given;
  }

  Choice plan();

private:
  void checkMmas();
  void chooseShape();
  void chooseCluster();
  void chooseWarps();
  void chooseTensorMemory();
  void chooseSharedMemory();
  void chooseSubtileOfThreads();

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

  int64_t countInterleaved() const { return given.interleave.value_or(1); }
  bool holdsAccumulators() const {
    return arch.mma == target::MmaInstruction::Wgmma;
  }

  int64_t countHeldRegisters(int64_t warps) const;
  int64_t getRegisterLimit(int64_t warps) const;
  bool fitsRegisters(int64_t warps) const;
  int64_t getMostWarps() const;
  void checkWarps(int64_t warps, int64_t most);
  void checkRegisters(int64_t warps, int64_t most);
  /// The rows of the first MMA that this many warps can't share; 0 if they
  /// can share all.
  int64_t findUnsharedRows(int64_t warps) const;
  /// Whether CTAs hand each other parts of accumulators, which are matrices:
  /// the epilogue begins with their sums.
  bool addsUpParts() const {
    return llvm::any_of(problem.pipes, [](const Problem::Pipe &pipe) {
      return pipe.kind == Problem::Pipe::Exchange &&
             pipe.tiles.front().rows > 1;
    });
  }
  /// The first number of warps from `least` on that can share the rows.
  std::optional<int64_t> findWarps(int64_t least, int64_t most) const;

  Sharing findSharing() const;
  std::string whyNoSharing(const Problem::Pipe *operands) const;
  Sharing shareAlong(unsigned dim, const Problem::Pipe &operands,
                     int64_t own) const;
  bool canPair(unsigned dim) const;

  bool isSliced(const Problem::Pipe &pipe) const {
    return !problem.mmas.empty() && !pipe.inLoop && !addsUpParts() &&
           pipe.kind != Problem::Pipe::Operands &&
           pipe.kind != Problem::Pipe::Exchange;
  }
  /// Pipes that are refilled all the time share what the others leave.
  bool isStream(const Problem::Pipe &pipe) const {
    return pipe.kind != Problem::Pipe::Output &&
           pipe.kind != Problem::Pipe::Exchange &&
           (pipe.inLoop || problem.mmas.empty());
  }
  std::optional<int64_t> getGiven(const Problem::Pipe &pipe) const;
  int64_t getExchangeBytes(int64_t columns) const;
  int64_t getSlotBytes(const Problem::Pipe &pipe, int64_t columns) const;
  int64_t getTurn() const;
  llvm::SmallVector<int64_t> getWidths() const;
  /// `fewest` is for outputs, and for streams at least.
  Rooms fill(int64_t columns, int64_t itemSlots, int64_t fewest) const;
  Rooms findRooms(llvm::ArrayRef<int64_t> widths) const;
  std::string spell(const Rooms &rooms) const;
  std::string suggest(const Rooms &rooms) const;

  const Problem &problem;
  const Schedule &given;
  const target::Architecture &arch;
  Choice choice;
};

} // namespace drawloom::tile

#endif // DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_SCHEDULEPLANNER_H
