//===- SharedShadow.cpp - Who touched shared memory last -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedShadow.h"
#include "Synchronization.h"
#include "llvm/ADT/bit.h"

using namespace drawloom;
using namespace drawloom::checker;

/// Whether both are strong, of the same bytes, and each is in the scope of the
/// other: then their order is left open without harm.
static bool areMorallyStrong(const SharedAccess &x, const SharedAccess &y) {
  if (x.scope == emu::Scope::None || y.scope == emu::Scope::None ||
      x.address != y.address || x.bytes != y.bytes)
    return false;
  bool isSameCta = x.warp / 32 == y.warp / 32;
  return isSameCta || (isFarEnough(x.scope) && isFarEnough(y.scope));
}

void SharedShadow::touch(const SharedAccess &access, const Clock &clock,
                         OnRace onRace) {
  uint64_t end = access.address + access.bytes;
  bool isFirstRace = true;
  for (uint64_t word = access.address / wordBytes * wordBytes; word < end;
       word += wordBytes) {
    uint8_t mask = 0;
    for (unsigned byte = 0; byte != wordBytes; ++byte)
      mask |= (word + byte >= access.address && word + byte < end) << byte;
    auto &records = words[word];
    for (const Record &record : records) {
      const SharedAccess &before = record.access;
      bool isSameThread =
          before.warp == access.warp && before.lane == access.lane;
      bool isSameInstruction =
          before.warp == access.warp && before.serial == access.serial;
      if (!(record.bytes & mask) || !(before.writes || access.writes) ||
          isSameThread || isSameInstruction ||
          clock.of(before.warp, before.lane) >= before.time ||
          areMorallyStrong(before, access))
        continue;
      if (isFirstRace)
        onRace(before, access,
               word + llvm::countr_zero(uint8_t(record.bytes & mask)));
      isFirstRace = false;
    }
    llvm::erase_if(records, [&](const Record &record) {
      bool isCovered = !(record.bytes & ~mask);
      bool isOwnRead = !record.access.writes && !access.writes &&
                       record.access.warp == access.warp &&
                       record.access.lane == access.lane;
      return isCovered && (access.writes || isOwnRead);
    });
    records.push_back({access, mask});
  }
}
