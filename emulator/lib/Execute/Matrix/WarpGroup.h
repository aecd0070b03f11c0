//===- WarpGroup.h - Four warps that multiply matrices ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The four warps of a warpgroup issue wgmma.mma_async together, but each in its
// own time: the n-th one of every warp is one instruction, and it is under way
// when all four have issued it. So are their groups. Warps that don't agree end
// the launch.
//
// A group is done as a whole, some time after it was committed: its matrices
// are read from shared memory and its accumulators from and to registers then
// and not before. A kernel that overwrites a matrix too early, or touches one
// of the registers too early, is wrong. Matrices are left to checkers;
// registers are watched: an instruction that touches those of a group that its
// warp hasn't waited for ends the launch, as does a wgmma.mma_async whose
// registers were touched after the last wgmma.fence.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_WARPGROUP_H
#define DRAWLOOM_EMULATOR_WARPGROUP_H

#include "Arithmetic/MatrixUnit.h"
#include "Arithmetic/SharedMatrix.h"
#include "Machine/AsyncOp.h"
#include "Machine/Grid.h"
#include <deque>

namespace drawloom::emu {

/// A wgmma.mma_async, for Inst::extra.
struct WgmmaInfo {
  MmaForm form;
  llvm::ArrayRef<Reg> d;
  llvm::ArrayRef<Reg> a; ///< Empty if A is in shared memory.
  Reg aDescriptor = 0, bDescriptor = 0;
  Reg scaleD = 0;       ///< A predicate: whether D is added to.
  Reg metadata = 0;     ///< Of a sparse A.
  uint8_t selector = 0; ///< Which lanes have the metadata.
  /// The registers of D and then of A, by their numbers among the watched ones.
  llvm::ArrayRef<uint32_t> watched;
};

/// A misuse, if there is one.
struct WarpGroupProblem {
  ReportKind kind = ReportKind::Protocol;
  std::string message;

  explicit operator bool() const { return !message.empty(); }
};

class WarpGroup : public WaitObject {
public:
  static constexpr unsigned warpCount = 4;

  WarpGroup(CTA &cta, unsigned number) : cta(cta), number(number) {}

  std::string describe(const Fragment &waiter) const override;

  void fence(Warp &warp) { ++warps[warp.index() % warpCount].fences; }
  /// An instruction that isn't a wgmma reads or writes registers of one.
  WarpGroupProblem touch(Warp &warp, const Inst *inst,
                         const WatchedAccess &access);
  WarpGroupProblem issue(Warp &warp, const Inst *inst, uint64_t aDescriptor,
                         uint64_t bDescriptor, bool keeps);
  WarpGroupProblem commit(Warp &warp, const Inst *inst);
  /// How many groups the warp has committed.
  uint64_t committed(const Warp &warp) const {
    return warps[warp.index() % warpCount].committed;
  }
  /// Whether at most `pending` groups of the warp are not done.
  bool isDone(Warp &warp, unsigned pending);
  /// What a warp that exits has left undone.
  std::string unfinished(const Warp &warp) const;
  const Inst *lastInst(const Warp &warp) const {
    return warps[warp.index() % warpCount].last;
  }

private:
  friend class WgmmaOp;
  /// An instruction that all warps have issued or are about to.
  struct Mma {
    const Inst *inst;
    uint64_t a, b; ///< Descriptors.
    bool keeps;    ///< D is added to.
    uint8_t issued;
    uint8_t firstWarp;
    uint64_t operation;                ///< As listeners know it.
    std::vector<RowMetadata> metadata; ///< Of a sparse A, as it was issued.
  };
  struct Group {
    uint64_t end; ///< The number of the first instruction that isn't in it.
    uint8_t committed;
    uint8_t firstWarp;
  };
  /// A register of D or A of some instruction.
  struct RegisterState {
    uint64_t mma = 0; ///< The last one that it was given to; 1 is the first.
    const Inst *mmaInst = nullptr;
    uint64_t mmaFence = 0; ///< How many fences the warp had executed then.
    uint64_t touched = 0;  ///< In front of which fence another instruction
    const Inst *toucher = nullptr; ///< touched it last.
  };
  struct WarpState {
    uint64_t issued = 0, committed = 0;
    uint64_t waited = 0; ///< Groups that it has waited for.
    uint64_t fences = 0;
    std::deque<uint64_t> ends; ///< Of groups that it hasn't waited for.
    uint64_t settled = 0;      ///< Instructions that it has waited for.
    const Inst *last = nullptr;
    std::vector<RegisterState> registers; ///< All that are watched.
  };

  WarpGroupProblem takeRegisters(Warp &warp, WarpState &state,
                                 const Inst *inst);

  /// Does everything in the oldest group.
  void complete(Machine &machine, const IssuePoint &issue);
  void multiply(Machine &machine, const IssuePoint &issue,
                llvm::ArrayRef<Mma> mmas);
  unsigned firstWarp() const { return number * warpCount; }
  void tellIssue(Warp &warp, const Mma &mma, uint64_t group) const;
  void tellWork(const Mma &mma) const;

  CTA &cta;
  const unsigned number;
  WarpState warps[warpCount];
  std::deque<Mma> mmas;     ///< From number `mmasDone` on.
  std::deque<Group> groups; ///< From number `groupsDone` on.
  uint64_t mmasDone = 0, groupsDone = 0;
  uint64_t due = 0; ///< Of what has been issued, in a timed run.
  AsyncQueue queue;
};

/// The warpgroups of a CTA.
class WarpGroups : public Extension {
public:
  static constexpr ExtensionSlot slot = ExtensionSlot::WarpGroup;
  explicit WarpGroups(CTA &cta);

  void lanesExited(Warp &warp, uint32_t lanes) override;
  /// Null if the CTA ends before the warpgroup is complete.
  WarpGroup *find(const Warp &warp) {
    unsigned number = warp.index() / WarpGroup::warpCount;
    return number < groups.size() ? groups[number].get() : nullptr;
  }

private:
  std::vector<std::unique_ptr<WarpGroup>> groups;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_WARPGROUP_H
