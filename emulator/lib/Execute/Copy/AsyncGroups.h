//===- AsyncGroups.h - Groups of copies that a thread commits ---*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread puts its copies into groups: a commit closes the group that is
// open and opens the next. Copies of a group end in any order, groups end in
// the order of their commits. A thread waits until no more than n of its closed
// groups are left.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_ASYNCGROUPS_H
#define DRAWLOOM_EMULATOR_ASYNCGROUPS_H

#include "Machine/Extension.h"
#include "Machine/WaitObject.h"
#include "drawloom/Emulator/Events.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <memory>

namespace drawloom::emu {

class CopyArrival;
class CopyOp;
struct Inst;

/// The groups of the 32 threads of a warp, for one kind of copies.
class AsyncGroups : public WaitObject {
public:
  /// `what` names what is waited for: "cp.async groups".
  AsyncGroups(const char *what, GroupEvent::Family family, bool onlyRead)
      : what(what), family(family), onlyRead(onlyRead) {}
  std::string describe(const Fragment &waiter) const override;

  /// A copy of `lane` begins; returns the number of its group.
  uint32_t begin(unsigned lane);
  /// A copy of that group has ended.
  void end(unsigned lane, uint32_t group);
  void commit(uint32_t mask);
  /// The lanes of `mask` that have copied something since their last commit.
  uint32_t uncommitted(uint32_t mask) const;
  /// Tells the listener that lanes have committed.
  void tellCommit(Warp &warp, const Inst *inst, uint32_t mask) const;
  /// Closed groups that haven't ended.
  uint32_t pending(unsigned lane) const {
    return lanes[lane].committed - lanes[lane].ended;
  }

  /// Makes the lanes of `mask` wait that have more than `most` groups left.
  const Inst *wait(Warp &warp, const Inst *inst, uint32_t mask, uint32_t most);

private:
  struct Lane {
    uint32_t committed = 0; ///< Groups; also the number of the open one.
    uint32_t ended = 0;
    /// Copies in flight of groups `ended` and later.
    llvm::SmallVector<uint32_t, 4> copies;
  };
  bool retire(Lane &lane);
  /// Tells that the groups of lanes are closed but for the last `most`.
  void tellGroups(Warp &warp, const Inst *inst, uint32_t mask,
                  GroupEvent::Kind kind, uint32_t most) const;

  const char *what;
  const GroupEvent::Family family;
  const bool onlyRead;
  std::array<Lane, 32> lanes;
};

/// What a warp has in flight.
class WarpCopies : public Extension {
public:
  static constexpr ExtensionSlot slot = ExtensionSlot::Copies;
  WarpCopies();
  ~WarpCopies() override;

  AsyncGroups copies{"cp.async groups", GroupEvent::Copies, false};
  /// Bulk copies whose source may still be read, and that aren't all done.
  AsyncGroups bulkReads{"bulk groups to have been read", GroupEvent::Bulk,
                        true};
  AsyncGroups bulk{"bulk groups", GroupEvent::Bulk, false};
  /// cp.async in flight, and arrivals that follow some of them.
  llvm::SmallVector<CopyOp *, 8> copiesInFlight;
  llvm::SmallVector<std::unique_ptr<CopyArrival>, 0> arrivals;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_ASYNCGROUPS_H
