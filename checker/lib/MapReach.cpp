//===- MapReach.cpp - Tensor maps and the memory they are for -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MapReach.h"
#include "Describe.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::checker;
using llvm::utostr;

void drawloom::checker::checkReach(const emu::TensorMapEvent &event,
                                   const Access &access, Findings &findings) {
  const emu::TensorMap &map = *event.map;
  const uint64_t reach = map.reach();
  const uint64_t there = event.allocationEnd - map.address;
  if (!event.allocationEnd || reach <= there ||
      !findings.isFirst(Rule::MapReach, access.kernel, access.instruction,
                        access.instruction))
    return;
  Finding finding;
  finding.rule = Rule::MapReach;
  finding.space = Finding::Global;
  finding.first = describeSite(access, access.lane);
  finding.firstInstruction = finding.secondInstruction = access.instruction;
  describeFinding(finding, access, access, event.allocationEnd);
  std::string sizes = utostr(map.dims[0]);
  for (unsigned dim = 1; dim != map.rank; ++dim)
    sizes += " x " + utostr(map.dims[dim]);
  finding.why = lineOf(finding.first) + " uses a map of " + sizes +
                " elements of " + emu::infoOf(map.type).name.str() + " at 0x" +
                llvm::utohexstr(map.address, true) + ", whose last one ends " +
                utostr(reach) + " bytes from there; the allocation at 0x" +
                llvm::utohexstr(event.allocation, true) + " has " +
                utostr(there) + ", so that " + utostr(reach - there) +
                " are too many";
  finding.advice = "sizes and strides of the map that end with the allocation, "
                   "or a larger one: what is outside the sizes is filled in "
                   "or left out, and what is inside is copied wherever it is";
  findings.add(std::move(finding));
}
