//===- Operations.h - Asynchronous work in flight ---------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation is looked at with what its issuer knew at the issue, and is over
// when an actor comes to a value: the phase of the mbarrier where its bytes
// count, the group that it is in, the commit that covers it. So the verdict
// doesn't depend on when the emulator does the work.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_OPERATIONS_H
#define DRAWLOOM_CHECKER_OPERATIONS_H

#include "Releases.h"
#include "Shadow.h"

namespace drawloom::checker {

struct Operation {
  Threads::Issue issue;
  /// By other warps of a warpgroup: what any of them knows counts.
  llvm::SmallVector<Threads::Issue, 3> others;
  emu::EngineKind engine = emu::EngineKind::Copy;
  llvm::SmallVector<uint64_t, 1> barriers;
  llvm::SmallVector<uint32_t, 32> groups; ///< By lane, or empty.
  ClockRef covers;     ///< Of a commit: what is over when it arrives.
  Actor done = 0;      ///< Of tcgen05's work: who comes to `issued`.
  Actor issuer = 0;    ///< The warp that has issued it,
  uint32_t issued = 0; ///< at which time. 0 for other work.
  /// The bulk group that was open: a wait for the reading of it covers the
  /// tensor map, also if the bytes complete at an mbarrier.
  uint32_t mapGroup = 0;
};

class Operations {
public:
  Operations(Actors &actors, Threads &threads, Mbarriers &mbarriers)
      : actors(actors), threads(threads), mbarriers(mbarriers) {}

  void event(const emu::OperationEvent &event, const emu::Kernel &kernel);
  void group(const emu::GroupEvent &event);
  /// Null for an operation that was never issued.
  const Operation *find(uint64_t number) const;
  /// An engine arrives at an mbarrier.
  void arrive(const emu::MbarrierEvent &event);

  /// Calls f for the parts of an operation's range that are over at the same
  /// time, with what says when.
  void forEachPart(const emu::AccessEvent &event, const Operation &operation,
                   const emu::MemoryRange &range, Access access,
                   llvm::function_ref<void(const Access &)> f);
  /// When a tcgen05.ld or .st that is executed now will be over.
  void startTensorAccess(const emu::AccessEvent &event, Access &access);

private:
  static constexpr unsigned keptGroups = 16;
  /// cp.async of a warp: the group that each lane's next copy joins, and the
  /// number of arrivals in it so far.
  struct CopyStream {
    Actor actor;
    std::array<uint32_t, 32> group = {}, arrivals = {};
    std::array<uint32_t, 32> bulkGroup = {}; ///< The same of bulk copies.
    uint32_t valueOf(unsigned lane) const;
  };
  /// tcgen05's work of a thread.
  struct MmaStream {
    Actor warp, done;
    unsigned lane = 0;
    uint32_t last = 0; ///< The warp's time at the last issue.
    ClockRef behind;   ///< What was known to be executed then.
  };
  CopyStream &copiesOf(const emu::Origin &origin);
  MmaStream &mmasOf(const emu::Origin &origin);
  void issue(const emu::OperationEvent &event, ptx::Opcode opcode);

  Actors &actors;
  Threads &threads;
  Mbarriers &mbarriers;
  llvm::DenseMap<uint64_t, std::unique_ptr<Operation>> inFlight;
  std::vector<std::unique_ptr<Operation>> done; ///< To be used again.
  llvm::DenseMap<uint64_t, std::unique_ptr<CopyStream>> copies;
  llvm::DenseMap<uint64_t, std::unique_ptr<MmaStream>> mmas;
  llvm::DenseMap<uint64_t, std::pair<uint32_t, uint32_t>> tensorAccesses;
  /// When the warps of a warpgroup have issued their wgmmas up to a group. By
  /// the place of the first warp; the oldest groups are forgotten.
  llvm::DenseMap<uint64_t, std::map<uint32_t, ClockRef>> wgmmaIssues;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_OPERATIONS_H
