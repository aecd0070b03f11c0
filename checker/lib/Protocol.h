//===- Protocol.h - How mbarriers and peers are used ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is wrong although no two accesses race: mbarriers that are used before
// their initialization is known, or whose parity may wrap; shared memory of
// CTAs that may not have started or may have left; values that aren't defined.
//
// The order is that of the memory model here, too, so what is found doesn't
// depend on the schedule. An initialization is known behind an order of memory,
// or after fence.mbarrier_init and any synchronization after it.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_PROTOCOL_H
#define DRAWLOOM_CHECKER_PROTOCOL_H

#include "Findings.h"
#include "Releases.h"
#include "Shadow.h"
#include "SharedArrays.h"

namespace drawloom::checker {

class Protocol {
public:
  /// `ctas`: the linear indices in the grid, by rank.
  Protocol(const emu::Kernel *kernel, llvm::ArrayRef<uint64_t> ctas,
           Threads &threads, const SharedArrays &arrays, Findings &findings)
      : kernel(kernel), ctas(ctas), threads(threads), arrays(arrays),
        findings(findings) {}

  /// Something is done to an mbarrier, by threads or by an engine.
  void mbarrier(const emu::MbarrierEvent &event);
  /// Lanes use an mbarrier, or issue work that will.
  void useMbarrier(const emu::Origin &origin, uint64_t address);
  void fence(const emu::FenceEvent &event);
  /// All its CTAs have exited, or the run has ended.
  void clusterEnded();
  void wrapped(const Mbarriers::Wrap &wrap, const emu::MbarrierEvent &event);

  /// Lanes use shared memory of another CTA, or issue work that does. It is
  /// over when `actor` has come to `value`. A commit's arrival is, too, for who
  /// knows that the work which it `covers` is over: commits are done in order.
  void touchPeer(const emu::Origin &origin, const Knowledge &known,
                 uint64_t address, Actor actor, unsigned lane, uint32_t value,
                 const ClockRef &covers = nullptr);
  /// Asynchronous work of a CTA uses its own shared memory, until `actor` has
  /// come to `value`.
  void touchOwn(const emu::Origin &origin, uint64_t address, Actor actor,
                unsigned lane, uint32_t value) {
    uses[{origin.rank, actor, lane}] = {origin, address, value, nullptr};
  }
  /// Lanes store to shared memory themselves.
  void touchBarrier(const emu::Origin &origin, const emu::MemoryRange &range);
  /// Lanes touch shared memory themselves.
  void touchArray(const emu::Origin &origin, const emu::MemoryRange &range);
  void lanesExited(const emu::Origin &origin);
  void ctaExited(uint32_t rank);

  /// Lanes of a warp have met.
  void meeting(const emu::BarrierEvent &event);
  /// Lanes arrive at a barrier of their CTA, before they hand anything over by
  /// it; or it is complete.
  void named(const emu::BarrierEvent &event);

private:
  struct Initialized {
    emu::Origin by;
    Actor actor = 0;
    uint32_t time = 0;
    uint32_t count = 0;
    /// Of the phase under way: how many have arrived, how many bytes are
    /// expected and haven't come, and who did something last.
    int64_t arrived = 0, bytes = 0;
    bool hasEnded = false; ///< Some phase has.
    emu::Origin last = {};
    /// Who has used it already, by rank and warp.
    llvm::DenseMap<uint32_t, uint32_t> users;
  };
  struct Use {
    emu::Origin origin;
    uint64_t address;
    uint32_t value;
    ClockRef covers;
  };

  bool isKnown(const Initialized &barrier, const Viewer &viewer) const;
  void follow(Initialized &barrier, const emu::MbarrierEvent &event) const;
  void checkOpen(uint64_t address, const Initialized &barrier);
  Finding findingOf(Rule rule, uint64_t address, const emu::Origin &first,
                    const emu::Origin *second) const;

  /// Of a barrier of a CTA that isn't for all its threads: who has arrived, in
  /// the round under way and in the one before it.
  struct Named {
    struct Arrival {
      emu::Origin by;
      Actor actor;
      uint32_t time;
    };
    llvm::SmallVector<Arrival, 8> now, before;
  };

  const emu::Kernel *const kernel;
  const llvm::ArrayRef<uint64_t> ctas;
  Threads &threads;
  const SharedArrays &arrays;
  Findings &findings;
  static constexpr uint64_t mbarrierBytes = 8;
  llvm::DenseMap<uint64_t, Initialized> initialized; ///< By address.
  /// All that have ever been are between these.
  uint64_t firstBarrier = ~uint64_t(0), lastBarrier = 0;
  llvm::DenseMap<uint32_t, Named> byNumber; ///< With the rank.
  /// When a lane has executed fence.mbarrier_init.
  llvm::DenseMap<std::pair<Actor, unsigned>, llvm::SmallVector<uint32_t, 1>>
      fences;
  /// Lanes that know that a CTA has started, by their warp and its rank.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> startsKnown;
  /// The last uses of the memory of a CTA by others, and by asynchronous work:
  /// by rank, actor and lane.
  std::map<std::tuple<uint32_t, Actor, unsigned>, Use> uses;
  llvm::DenseMap<uint32_t, Clock> knownAtExit; ///< By rank.
  unsigned exitedCtas = 0;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_PROTOCOL_H
