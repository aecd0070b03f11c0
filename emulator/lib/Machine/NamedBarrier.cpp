//===- NamedBarrier.cpp - The sixteen barriers of a CTA ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/NamedBarrier.h"
#include "Machine/Grid.h"
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

bool NamedBarrier::arrive(Warp &warp, uint32_t lanes, uint32_t threads,
                          uint32_t trueLanes, Deliver how,
                          std::string &problem) {
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
  return completeIfFull();
}

/// A warp is complete.
void NamedBarrier::count(Warp &warp, Partial &here) {
  ++arrivedWarps;
  threadCount += std::popcount(here.lanes);
  trueThreads += std::popcount(here.trueLanes);
  if (!partial.empty() && partial[warp.index()].lanes) {
    partial[warp.index()] = {};
    --partialWarps;
  }
}

bool NamedBarrier::completeIfFull() {
  if (arrivedWarps == 0 || arrivedWarps < expectedWarps())
    return false;
  arrivedWarps = 0;
  lastCount = std::exchange(threadCount, 0);
  lastTrue = std::exchange(trueThreads, 0);
  // Lanes that came before the rest of their warp belong to the next round.
  wakeIf([&](const Fragment &fragment) {
    Warp &warp = *fragment.warp;
    if (!partial.empty() && partial[warp.index()].lanes & fragment.mask)
      return false;
    if (deliver)
      deliver(warp, fragment.pc - 1, fragment.mask, *this);
    return true;
  });
  return true;
}

void NamedBarrier::lanesExited(Warp &warp) {
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
  completeIfFull();
}

std::string NamedBarrier::describe(const Fragment &waiter) const {
  return "barrier " + llvm::utostr(number) + ": " + llvm::utostr(arrivedWarps) +
         " of " + llvm::utostr(expectedWarps()) + " warps have arrived";
}
