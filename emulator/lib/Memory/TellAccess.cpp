//===- TellAccess.cpp - Telling listeners about loads and stores ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Tell.h"
#include "Machine/Undefined.h"
#include "Memory/Access.h"
#include <algorithm>

using namespace drawloom;
using namespace drawloom::emu;

[[gnu::cold, gnu::noinline]] void
drawloom::emu::tellResolved(Warp &warp, const Inst *inst, uint32_t mask,
                            const AccessInfo &info, uint32_t failed,
                            uint32_t unchanged, uint32_t lost) {
  uint64_t addresses[32];
  info.addresses(warp, info, addresses);
  RangeList ranges, local;
  uint32_t otherLanes = 0, localLanes = 0, globalLanes = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    Space space = spaceOf(addresses[lane]);
    if (space == Space::Local) {
      local.addLane(lane, localWindow + (addresses[lane] & localByteMask),
                    info.bytes);
      localLanes |= 1u << lane;
    } else if (space != Space::Param) {
      ranges.addLane(lane, addresses[lane], info.bytes);
      otherLanes |= 1u << lane;
      globalLanes |= uint32_t(space == Space::Global) << lane;
    }
  }
  uint32_t bytes[32] = {};
  const bool isLoad = info.kind == AccessKind::Read;
  const bool isMarked =
      isLoad ||
      (warp.undefined() && warp.undefined()->ofStore(warp, inst, mask, bytes));
  if (isMarked && !isLoad)
    warp.undefined()->tellStore(warp, inst, globalLanes, bytes);
  if (localLanes)
    tell(warp.issuePoint(inst, localLanes),
         LocalEvent{.kind = info.kind == AccessKind::Read ? LocalEvent::Read
                                                          : LocalEvent::Write,
                    .undefined = isMarked ? bytes : nullptr,
                    .ranges = local.get()});
  if (otherLanes)
    tell(warp.issuePoint(inst, otherLanes),
         AccessEvent{.kind = info.kind,
                     .space = info.declared,
                     .order = info.order,
                     .scope = info.scope,
                     .nonCoherent = info.nonCoherent,
                     .failed = failed,
                     .unchanged = unchanged & otherLanes,
                     .lost = lost & otherLanes,
                     .undefined = isMarked ? bytes : nullptr,
                     .ranges = ranges.get()});
  if (isLoad && std::any_of(bytes, bytes + 32, [](uint32_t x) { return x; }))
    warp.followUndefined().load(warp, inst, bytes);
}

[[gnu::cold, gnu::noinline]] void StoreReport::keep() {
  before = std::make_unique<char[]>(32 * info.bytes);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    memcpy(&before[lane * info.bytes], host[lane], info.bytes);
  }
}

[[gnu::cold, gnu::noinline]] void StoreReport::tellStore() {
  uint32_t unchanged = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    if (!memcmp(&before[lane * info.bytes], host[lane], info.bytes))
      unchanged |= 1u << lane;
  }
  tellResolved(warp, inst, mask, info, 0, unchanged, lost);
}
