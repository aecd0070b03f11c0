//===- Protocol.cpp - How mbarriers are used ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Protocol.h"
#include "Describe.h"
#include "drawloom/Emulator/AddressMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Demangle/Demangle.h"

using namespace drawloom;
using namespace drawloom::checker;
using emu::MbarrierEvent;
using llvm::utostr;

Site Protocol::siteOf(const emu::Origin &origin) const {
  Access access;
  access.kernel = kernel;
  access.instruction = origin.instruction;
  access.cta = ctas[origin.rank];
  access.warp = origin.warp;
  access.writes = true;
  return describeSite(access, llvm::countr_zero(origin.lanes));
}

Finding Protocol::findingAt(Rule rule, uint64_t address) const {
  Finding finding;
  finding.rule = rule;
  finding.kernel = llvm::demangle(kernel->function->name);
  finding.address = address & emu::sharedOffsetMask;
  finding.cta = ctas[(address - emu::sharedWindow) >> emu::sharedRankShift];
  return finding;
}

void Protocol::mbarrier(const MbarrierEvent &event) {
  const uint32_t now = event.origin.instruction;
  if (event.kind == MbarrierEvent::Invalidate) {
    initialised.erase(event.address);
    return;
  }
  if (event.kind == MbarrierEvent::Init) {
    auto [it, isNew] = initialised.try_emplace(event.address, event.origin);
    const emu::Origin before = std::exchange(it->second, event.origin);
    if (isNew ||
        !findings.isFirst(Rule::BarrierReinit, kernel, before.instruction, now))
      return;
    Finding finding = findingAt(Rule::BarrierReinit, event.address);
    finding.first = siteOf(before);
    finding.second = siteOf(event.origin);
    finding.firstInstruction = before.instruction;
    finding.secondInstruction = now;
    std::string line = "line " + utostr(finding.second.line);
    finding.why =
        before.instruction == now
            ? "several threads execute " + line + " for one mbarrier"
            : "line " + utostr(finding.first.line) + " has initialised it, " +
                  line +
                  " does so again, and no mbarrier.inval stands between "
                  "them; what has arrived in between would be lost";
    finding.advice = before.instruction == now
                         ? "let one thread execute " + line
                         : "mbarrier.inval before " + line +
                               ", ordered behind all uses, or one "
                               "initialisation only";
    findings.add(std::move(finding));
    return;
  }
  // From a predicate as a signed number, 1 comes as -1.
  if (event.kind != MbarrierEvent::Wait || event.parity <= 1 ||
      event.parity == ~0u ||
      !findings.isFirst(Rule::ParityValue, kernel, now, now))
    return;
  Finding finding = findingAt(Rule::ParityValue, event.address);
  finding.first = siteOf(event.origin);
  finding.first.writes = false;
  finding.firstInstruction = finding.secondInstruction = now;
  finding.why = "the parity is " + utostr(event.parity) +
                "; ptxas makes code that looks at its lowest bit, here " +
                utostr(event.parity & 1) + ", and PTX defines 0 and 1 only";
  finding.advice =
      "and.b32 with 1 on the parity, before line " + utostr(finding.first.line);
  findings.add(std::move(finding));
}
