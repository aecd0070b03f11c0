//===- NamedBarrier.h - The sixteen barriers of a CTA -----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, section 9.7.13.1. A barrier counts warps: a warp has arrived when
// all its lanes that haven't exited are there. The first warp of a round says
// how many are expected, a number or all of the CTA; when they are there, the
// waiting lanes go on and a new round begins. A reduction is handed to the
// waiting lanes at that moment.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_NAMEDBARRIER_H
#define DRAWLOOM_EMULATOR_NAMEDBARRIER_H

#include "Machine/WaitObject.h"
#include "drawloom/Emulator/Events.h"
#include <vector>

namespace drawloom::emu {

class CTA;
struct Inst;

class NamedBarrier : public WaitObject {
public:
  /// Hands the result of a reduction to lanes that wait at `inst`.
  using Deliver = void (*)(Warp &warp, const Inst *inst, uint32_t lanes,
                           const NamedBarrier &barrier);

  void initialize(CTA &cta, unsigned number);
  std::string describe(const Fragment &waiter) const override;
  WaitKind waitKind() const override { return WaitKind::Barrier; }

  struct Arrival {
    Warp &warp;
    const Inst *inst;
    uint32_t lanes;
    uint32_t threads; ///< How many take part; 0 for all of the CTA.
    bool waits;
    uint32_t trueLanes = 0;    ///< What they bring to a reduction.
    Deliver deliver = nullptr; ///< Of a reduction.
  };
  /// Lanes of a warp are here. Returns whether that ended the round; then those
  /// who waited before are awake. If the instruction can't be meant, `problem`
  /// says why.
  bool arrive(const Arrival &arrival, std::string &problem);
  /// Lanes have exited: the round may be complete without them.
  void lanesExited(Warp &warp, uint32_t lanes);

  bool isIdle() const { return arrivedWarps == 0 && partialWarps == 0; }
  /// Of the reduction whose round has just ended.
  uint32_t trueCount() const { return lastTrue; }
  bool allTrue() const { return lastTrue == lastCount; }

private:
  /// Lanes of a warp that are here before the rest of it.
  struct Partial {
    uint32_t lanes = 0, trueLanes = 0;
  };

  uint32_t expectedWarps() const;
  void count(Warp &warp, Partial &here);
  /// Ends the round if `lanes` of `warp` at `inst` were the last.
  bool completeIfFull(Warp &warp, const Inst *inst, uint32_t lanes);
  void tellRound(Warp &warp, const Inst *inst, uint32_t lanes,
                 BarrierEvent event) const;

  CTA *cta = nullptr;
  uint32_t number = 0;
  uint32_t expectedThreads = 0; ///< Of this round; 0 for all of the CTA.
  uint32_t arrivedWarps = 0;
  uint32_t partialWarps = 0;
  Deliver deliver = nullptr; ///< Of this round.
  uint32_t threadCount = 0, trueThreads = 0;
  uint32_t lastCount = 0, lastTrue = 0;
  std::vector<Partial> partial; ///< By warp; empty until one is needed.
  uint64_t rounds = 0;          ///< That have ended.
  std::vector<BarrierEvent::Participant> participants; ///< For a listener.
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_NAMEDBARRIER_H
