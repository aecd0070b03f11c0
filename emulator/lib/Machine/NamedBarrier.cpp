//===- NamedBarrier.cpp - The sixteen barriers of a CTA ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/NamedBarrier.h"
#include "Machine/Grid.h"
#include "Machine/Tell.h"
#include "Machine/Warp.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <bit>
#include <utility>

using namespace drawloom::emu;

void NamedBarrier::initialize(CTA &owner, unsigned index) {
  cta = &owner;
  number = index;
}

uint32_t NamedBarrier::expectedWarps() const {
  if (expectedThreads)
    return expectedThreads / 32;
  return llvm::count_if(cta->warps(), [](const std::unique_ptr<Warp> &warp) {
    return warp->live() != 0;
  });
}

bool NamedBarrier::arrive(const Arrival &arrival, std::string &problem) {
  auto [warp, inst, lanes, threads, waits, trueLanes, how] = arrival;
  if (isIdle()) {
    expectedThreads = threads;
    deliver = how;
  } else if (expectedThreads != threads) {
    auto count = [](uint32_t threads) {
      return threads ? llvm::utostr(threads) + " threads"
                     : std::string("all threads of the CTA");
    };
    problem = "barrier " + llvm::utostr(number) + " is used for " +
              count(threads) + " while others wait at it for " +
              count(expectedThreads);
    return false;
  } else if ((deliver != nullptr) != (how != nullptr)) {
    problem = "barrier " + llvm::utostr(number) +
              " is used with and without .red in one round";
    return false;
  }
  if (warp.listener()) [[unlikely]]
    tellRound(warp, inst, lanes,
              BarrierEvent{.kind = BarrierEvent::Arrive,
                           .waits = waits,
                           .generation = rounds,
                           .threads = threads});
  Partial here = {lanes, trueLanes & lanes};
  if (!partial.empty()) {
    here.lanes |= partial[warp.index()].lanes;
    here.trueLanes |= partial[warp.index()].trueLanes;
  }
  if (warp.live() & ~here.lanes) {
    if (partial.empty())
      partial.resize(cta->warps().size());
    partialWarps += partial[warp.index()].lanes == 0;
    partial[warp.index()] = here;
    return false;
  }
  count(warp, here);
  if (!completeIfFull(warp, inst, lanes))
    return false;
  if (waits && warp.listener()) [[unlikely]]
    tellRound(
        warp, inst, lanes,
        BarrierEvent{.kind = BarrierEvent::Wait, .generation = rounds - 1});
  return true;
}

/// A warp is complete.
void NamedBarrier::count(Warp &warp, Partial &here) {
  ++arrivedWarps;
  threadCount += std::popcount(here.lanes);
  trueThreads += std::popcount(here.trueLanes);
  if (warp.listener()) [[unlikely]]
    participants.push_back({uint16_t(warp.index()), here.lanes});
  if (!partial.empty() && partial[warp.index()].lanes) {
    partial[warp.index()] = {};
    --partialWarps;
  }
}

void NamedBarrier::tellRound(Warp &warp, const Inst *inst, uint32_t lanes,
                             BarrierEvent event) const {
  event.number = number;
  tell(warp.issuePoint(inst, lanes), event);
}

bool NamedBarrier::completeIfFull(Warp &last, const Inst *inst,
                                  uint32_t lanes) {
  if (arrivedWarps == 0 || arrivedWarps < expectedWarps())
    return false;
  arrivedWarps = 0;
  lastCount = std::exchange(threadCount, 0);
  lastTrue = std::exchange(trueThreads, 0);
  uint64_t round = rounds++;
  bool isReported = last.listener();
  if (isReported) [[unlikely]] {
    tellRound(last, inst, lanes,
              BarrierEvent{.kind = BarrierEvent::Complete,
                           .generation = round,
                           .participants = participants});
    participants.clear();
  }
  // Lanes that came before the rest of their warp belong to the next round.
  wakeIf([&](const Fragment &fragment) {
    Warp &warp = *fragment.warp;
    if (!partial.empty() && partial[warp.index()].lanes & fragment.mask)
      return false;
    if (deliver)
      deliver(warp, fragment.pc - 1, fragment.mask, *this);
    if (isReported) [[unlikely]]
      tellRound(warp, fragment.pc - 1, fragment.mask,
                BarrierEvent{.kind = BarrierEvent::Wait, .generation = round});
    return true;
  });
  return true;
}

void NamedBarrier::lanesExited(Warp &warp, uint32_t lanes) {
  if (isIdle())
    return;
  if (!partial.empty()) {
    Partial here = partial[warp.index()];
    if (here.lanes && !(warp.live() & ~here.lanes)) {
      if (warp.live()) {
        count(warp, here);
      } else {
        partial[warp.index()] = {};
        --partialWarps;
      }
    }
  }
  completeIfFull(warp, warp.current().pc, lanes);
}

std::string NamedBarrier::describe(const Fragment &waiter) const {
  return "barrier " + llvm::utostr(number) + ": " + llvm::utostr(arrivedWarps) +
         " of " + llvm::utostr(expectedWarps()) + " warps have arrived";
}
