//===- AsyncGroups.cpp - Groups of copies that a thread commits ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute/Copy/AsyncGroups.h"
#include "Machine/Lanes.h"
#include "Machine/Tell.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom::emu;

uint32_t AsyncGroups::begin(unsigned index) {
  Lane &lane = lanes[index];
  lane.copies.resize(lane.committed - lane.ended + 1);
  ++lane.copies.back();
  return lane.committed;
}

/// Ends the groups in front that have no copies left.
bool AsyncGroups::retire(Lane &lane) {
  uint32_t before = lane.ended;
  while (lane.ended != lane.committed &&
         (lane.copies.empty() || lane.copies.front() == 0)) {
    ++lane.ended;
    if (!lane.copies.empty())
      lane.copies.erase(lane.copies.begin());
  }
  return lane.ended != before;
}

void AsyncGroups::end(unsigned index, uint32_t group) {
  Lane &lane = lanes[index];
  --lane.copies[group - lane.ended];
  if (retire(lane) && hasWaiters())
    wakeIf(
        [&](const Fragment &fragment) { return fragment.mask >> index & 1; });
}

void AsyncGroups::commit(uint32_t mask) {
  forEachLane(mask, [&](unsigned index) {
    Lane &lane = lanes[index];
    lane.copies.resize(lane.committed - lane.ended + 1);
    ++lane.committed;
    retire(lane);
  });
}

uint32_t AsyncGroups::uncommitted(uint32_t mask) const {
  uint32_t result = 0;
  forEachLane(mask, [&](unsigned index) {
    const Lane &lane = lanes[index];
    result |= uint32_t(lane.copies.size() > lane.committed - lane.ended)
              << index;
  });
  return result;
}

void AsyncGroups::tellGroups(Warp &warp, const Inst *inst, uint32_t mask,
                             GroupEvent::Kind kind, uint32_t most) const {
  uint32_t groups[32] = {};
  forEachLane(mask, [&](unsigned lane) {
    groups[lane] =
        lanes[lane].committed - std::min(most, lanes[lane].committed);
  });
  tell(warp.issuePoint(inst, mask), GroupEvent{.kind = kind,
                                               .family = family,
                                               .onlyRead = onlyRead,
                                               .groups = groups});
}

void AsyncGroups::tellCommit(Warp &warp, const Inst *inst,
                             uint32_t mask) const {
  tellGroups(warp, inst, mask, GroupEvent::Commit, 1);
}

const Inst *AsyncGroups::wait(Warp &warp, const Inst *inst, uint32_t mask,
                              uint32_t most) {
  uint32_t waiting = 0;
  forEachLane(mask, [&](unsigned lane) {
    waiting |= uint32_t(pending(lane) > most) << lane;
  });
  if (uint32_t through = mask & ~waiting; through && warp.listener())
      [[unlikely]]
    tellGroups(warp, inst, through, GroupEvent::Wait, most);
  return waiting ? warp.wait(inst, waiting, *this, WaitMode::Retry, most)
                 : inst + 1;
}

std::string AsyncGroups::describe(const Fragment &waiter) const {
  uint32_t left = 0;
  forEachLane(waiter.mask,
              [&](unsigned lane) { left = std::max(left, pending(lane)); });
  return "waits until " + llvm::utostr(waiter.waitValue) + " or fewer of its " +
         what + " are left; there are " + llvm::utostr(left);
}
