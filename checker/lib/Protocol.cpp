//===- Protocol.cpp - How mbarriers and peers are used --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Protocol.h"
#include "Describe.h"
#include "drawloom/Emulator/AddressMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Demangle/Demangle.h"

using namespace drawloom;
using namespace drawloom::checker;
using emu::MbarrierEvent;
using emu::Origin;
using llvm::utostr;

static uint32_t warpOf(const Origin &origin) {
  return uint32_t(origin.rank) << 16 | origin.warp;
}

Finding Protocol::findingOf(Rule rule, uint64_t address, const Origin &first,
                            const Origin *second) const {
  Finding finding;
  finding.rule = rule;
  finding.kernel = llvm::demangle(kernel->function->name);
  finding.address = address & emu::sharedOffsetMask;
  finding.cta = ctas[emu::getRank(address)];
  finding.array = arrayAt(*kernel, finding.address);
  finding.first = describeSite(*kernel, ctas, first);
  finding.firstInstruction = finding.secondInstruction = first.instruction;
  if (second) {
    finding.second = describeSite(*kernel, ctas, *second);
    finding.secondInstruction = second->instruction;
  }
  finding.fixes = fixesOf(finding);
  return finding;
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

void Protocol::mbarrier(const MbarrierEvent &event) {
  const Origin &now = event.origin;
  if (event.kind == MbarrierEvent::Init) {
    auto it = initialized.find(event.address);
    if (it != initialized.end() &&
        findings.isFirst(Rule::BarrierReinit, kernel, it->second.by.instruction,
                         now.instruction)) {
      Finding finding =
          findingOf(Rule::BarrierReinit, event.address, it->second.by, &now);
      std::string line = lineOf(finding.second);
      bool isSame = it->second.by.instruction == now.instruction;
      finding.why =
          isSame ? "several threads execute " + line + " for one mbarrier"
                 : lineOf(finding.first) + " has initialized it, " + line +
                       " does so again, and no mbarrier.inval is between "
                       "them; what has arrived in between would be lost";
      finding.advice = isSame ? "let one thread execute " + line
                              : "mbarrier.inval before " + line +
                                    ", ordered behind all uses, or one "
                                    "initialization only";
      findings.add(std::move(finding));
    }
    Initialized barrier;
    barrier.by = now;
    barrier.actor = threads.actorOf(now);
    barrier.time = threads.tick(now);
    barrier.count = event.count;
    initialized.insert_or_assign(event.address, std::move(barrier));
    firstBarrier = std::min(firstBarrier, event.address);
    lastBarrier = std::max(lastBarrier, event.address);
    return;
  }
  if (!event.operation && event.kind != MbarrierEvent::PhaseEnd)
    useMbarrier(now, event.address);
  if (auto it = initialized.find(event.address); it != initialized.end()) {
    follow(it->second, event);
    if (event.kind == MbarrierEvent::Invalidate) {
      checkOpen(event.address, it->second);
      initialized.erase(it);
    }
  }
  // From a predicate as a signed number, 1 comes as -1.
  if (event.parity <= 1 || event.parity == ~0u ||
      !findings.isFirst(Rule::ParityValue, kernel, now.instruction,
                        now.instruction))
    return;
  Finding finding = findingOf(Rule::ParityValue, event.address, now, nullptr);
  finding.why = "the parity is " + utostr(event.parity) +
                "; ptxas makes code that looks at its lowest bit, here " +
                utostr(event.parity & 1) + ", and PTX defines 0 and 1 only";
  finding.advice =
      "and.b32 with 1 on the parity, before " + lineOf(finding.first);
  findings.add(std::move(finding));
}

void Protocol::follow(Initialized &barrier, const MbarrierEvent &event) const {
  switch (event.kind) {
  case MbarrierEvent::Arrive:
    barrier.arrived += event.count;
    break;
  case MbarrierEvent::ExpectArrival:
    barrier.arrived -= event.count;
    break;
  case MbarrierEvent::ExpectBytes:
    barrier.bytes += event.count;
    break;
  case MbarrierEvent::CompleteBytes:
    barrier.bytes -= event.count;
    break;
  case MbarrierEvent::PhaseEnd:
    barrier.arrived = barrier.bytes = 0;
    barrier.hasEnded = true;
    return;
  case MbarrierEvent::Init:
  case MbarrierEvent::Invalidate:
  case MbarrierEvent::Wait:
    return;
  }
  barrier.last = event.origin;
}

void Protocol::checkOpen(uint64_t address, const Initialized &barrier) {
  if ((!barrier.arrived && !barrier.bytes) ||
      !findings.isFirst(Rule::OpenPhase, kernel, barrier.by.instruction,
                        barrier.last.instruction))
    return;
  Finding finding =
      findingOf(Rule::OpenPhase, address, barrier.by, &barrier.last);
  std::string first = lineOf(finding.first);
  finding.why = first + " sets it up for " + utostr(barrier.count) +
                " arrivals; " + lineOf(finding.second) +
                " is the last to do something to it, and then its phase has " +
                llvm::itostr(barrier.arrived) + " of them";
  if (barrier.bytes)
    finding.why +=
        " and " + utostr(std::abs(barrier.bytes)) + " bytes " +
        (barrier.bytes > 0 ? "that haven't come" : "that no thread expects");
  finding.advice = "a count in " + first +
                   " that the arrivals of each phase make, and bytes that its "
                   "copies have";
  findings.add(std::move(finding));
}

void Protocol::clusterEnded() {
  if (exitedCtas != ctas.size())
    return;
  auto addresses = llvm::to_vector(llvm::make_first_range(initialized));
  llvm::sort(addresses);
  for (uint64_t address : addresses)
    checkOpen(address, initialized.find(address)->second);
}

void Protocol::fence(const emu::FenceEvent &event) {
  if (event.kind != emu::FenceEvent::MbarrierInit)
    return;
  uint32_t time = threads.tick(event.origin);
  Actor actor = threads.actorOf(event.origin);
  for (uint32_t rest = event.origin.lanes; rest; rest &= rest - 1)
    fences[{actor, llvm::countr_zero(rest)}].push_back(time);
}

bool Protocol::isKnown(const Initialized &barrier, const Viewer &viewer) const {
  unsigned lane = llvm::countr_zero(barrier.by.lanes);
  if (viewer.actor == barrier.actor && viewer.lanes == barrier.by.lanes)
    return true;
  const Knowledge &known = *viewer.known;
  auto isIn = [&](const ClockRef &clock) {
    return valueOf(clock, barrier.actor, lane) >= barrier.time;
  };
  if (isIn(known[Causal]) || known.anyOfShared(Causal, barrier.by.rank, isIn))
    return true;
  auto it = fences.find({barrier.actor, lane});
  return it != fences.end() && llvm::any_of(it->second, [&](uint32_t time) {
           return time >= barrier.time &&
                  valueOf(known[Executed], barrier.actor, lane) >= time;
         });
}

void Protocol::useMbarrier(const Origin &origin, uint64_t address) {
  auto it = initialized.find(address);
  if (it == initialized.end())
    return;
  Initialized &barrier = it->second;
  uint32_t &users = barrier.users[warpOf(origin)];
  Origin fresh = origin;
  fresh.lanes &= ~users;
  users |= origin.lanes;
  if (!fresh.lanes)
    return;
  threads.view(fresh, [&](Viewer viewer) {
    // Who has initialized it knows that.
    if (viewer.actor == barrier.actor && viewer.lanes != barrier.by.lanes)
      viewer.lanes &= ~barrier.by.lanes;
    if (isKnown(barrier, viewer))
      return;
    unsigned lane = llvm::countr_zero(barrier.by.lanes);
    bool isExecuted =
        valueOf((*viewer.known)[Executed], barrier.actor, lane) >= barrier.time;
    Rule rule = isExecuted ? Rule::BarrierInitFence : Rule::BarrierInit;
    if (!findings.isFirst(rule, kernel, barrier.by.instruction,
                          origin.instruction))
      return;
    Origin user = origin;
    user.lanes = viewer.lanes;
    Finding finding = findingOf(rule, address, barrier.by, &user);
    std::string first = lineOf(finding.first), second = lineOf(finding.second);
    finding.why =
        isExecuted ? "the synchronization between " + first + " and " + second +
                         " orders no memory, and no fence.mbarrier_init "
                         "is between " +
                         first + " and it"
                   : "nothing orders " + first + " before " + second;
    finding.advice =
        isExecuted || barrier.by.rank != origin.rank
            ? "fence.mbarrier_init.release.cluster after " + first +
                  ", and barrier.cluster.arrive and .wait before " + second
        : warpOf(barrier.by) == warpOf(origin)
            ? "bar.warp.sync between " + first + " and " + second
            : "bar.sync between " + first + " and " + second;
    findings.add(std::move(finding));
  });
}

void Protocol::wrapped(const Mbarriers::Wrap &wrap,
                       const MbarrierEvent &event) {
  if (!findings.isFirst(Rule::ParityWraps, kernel, wrap.waiter.instruction,
                        event.origin.instruction))
    return;
  Finding finding =
      findingOf(Rule::ParityWraps, event.address, wrap.waiter, &event.origin);
  std::string awaited = wrap.phase < 0 ? "the phase before the first, which is "
                                         "over from the start"
                                       : "phase " + utostr(wrap.phase);
  finding.why = lineOf(finding.first) + " waits for " + awaited + "; " +
                lineOf(finding.second) + " ends phase " +
                utostr(wrap.phase + 1) +
                ", and no thread that arrived in it knew that the wait was "
                "over. A thread "
                "that is slower sees the parity of phase " +
                utostr(wrap.phase + 2) + " and waits forever";
  finding.advice = "an order from " + lineOf(finding.first) +
                   ", in all threads that wait there, to an arrival of the "
                   "next phase";
  findings.add(std::move(finding));
}

//===----------------------------------------------------------------------===//
// CTAs of the cluster
//===----------------------------------------------------------------------===//

void Protocol::touchPeer(const Origin &origin, const Knowledge &known,
                         uint64_t address, Actor actor, unsigned lane,
                         uint32_t value, const ClockRef &covers) {
  uint32_t rank = emu::getRank(address);
  if (rank == origin.rank)
    return;
  uses[{rank, actor, lane}] = {origin, address, value, covers};
  uint32_t &lanes = startsKnown[{warpOf(origin), rank}];
  bool isNew = origin.lanes & ~lanes;
  lanes |= origin.lanes;
  if (!isNew || threads.knowsOfCta(known, rank) ||
      !findings.isFirst(Rule::PeerStart, kernel, origin.instruction,
                        origin.instruction))
    return;
  Finding finding = findingOf(Rule::PeerStart, address, origin, nullptr);
  std::string line = lineOf(finding.first);
  finding.why = line + " uses shared memory of CTA " + utostr(finding.cta) +
                ", and nothing before it says that this CTA has started";
  finding.advice = "barrier.cluster.arrive and .wait before " + line;
  findings.add(std::move(finding));
}

void Protocol::lanesExited(const Origin &origin) {
  // No thread that exits now knows the end of what isn't issued yet.
  if (uses.empty())
    return;
  Clock &known = knownAtExit[origin.rank];
  threads.view(origin, [&](const Viewer &viewer) {
    if (const ClockRef &clock = (*viewer.known)[Executed])
      known.join(*clock);
    if (viewer.ownCopies)
      known.raise(viewer.copies, viewer.lanes, viewer.ownCopies);
  });
}

void Protocol::ctaExited(uint32_t rank) {
  ++exitedCtas;
  const Clock &known = knownAtExit[rank];
  for (auto &[key, use] : uses) {
    auto [usedRank, actor, lane] = key;
    bool isOwn = use.origin.rank == rank;
    Rule rule = isOwn ? Rule::ExitInFlight : Rule::PeerExit;
    if (usedRank != rank || known.of(actor, lane) >= use.value ||
        (use.covers && known.covers(*use.covers)) ||
        !findings.isFirst(rule, kernel, use.origin.instruction,
                          use.origin.instruction))
      continue;
    Finding finding = findingOf(rule, use.address, use.origin, nullptr);
    std::string line = lineOf(finding.first);
    finding.why = "CTA " + utostr(finding.cta) +
                  " exits, and none of its threads knows that " + line +
                  " of CTA " + utostr(finding.first.cta) + " is over";
    finding.advice =
        isOwn ? "a wait for the work of " + line +
                    " before the CTA exits: for its group in the thread that "
                    "executes it (of a bulk store, .read will do), or for its "
                    "mbarrier"
              : "barrier.cluster.arrive after " + line +
                    " and .wait in both CTAs before they exit, or a wait for "
                    "the last phase in CTA " +
                    utostr(finding.cta);
    findings.add(std::move(finding));
  }
}

void Protocol::touchBarrier(const Origin &origin,
                            const emu::MemoryRange &range) {
  int64_t reach = int64_t(range.count - 1) * range.pitch;
  uint64_t begin = range.address + std::min<int64_t>(reach, 0);
  uint64_t end = range.address + std::max<int64_t>(reach, 0) + range.bytes;
  if (end <= firstBarrier || begin >= lastBarrier + mbarrierBytes)
    return;
  for (uint32_t piece = 0; piece != range.count; ++piece) {
    uint64_t address = range.address + piece * range.pitch;
    for (uint64_t at = address & ~uint64_t(mbarrierBytes - 1);
         at < address + range.bytes; at += mbarrierBytes) {
      auto it = initialized.find(at);
      if (it == initialized.end())
        continue;
      const Initialized &barrier = it->second;
      const bool isIdle =
          barrier.hasEnded && !barrier.arrived && !barrier.bytes;
      const Rule rule = isIdle ? Rule::BarrierBytes : Rule::LiveBarrierBytes;
      if (!findings.isFirst(rule, kernel, barrier.by.instruction,
                            origin.instruction))
        continue;
      Finding finding = findingOf(rule, at, barrier.by, &origin);
      std::string second = lineOf(finding.second);
      finding.why = lineOf(finding.first) + " has initialized the mbarrier, " +
                    second +
                    " stores into its bytes, and no mbarrier.inval is "
                    "between them" +
                    (isIdle             ? ""
                     : barrier.hasEnded ? "; its phase is open"
                                        : "; none of its phases has ended");
      finding.advice = "other bytes for " + second +
                       ", or mbarrier.inval before it, ordered behind all uses";
      findings.add(std::move(finding));
    }
  }
}

void Protocol::touchArray(const Origin &origin, const emu::MemoryRange &range) {
  const SharedArrays::Array *meant = arrays.meantBy(origin.instruction);
  if (!meant)
    return;
  uint32_t lanes = range.lanes;
  for (uint32_t piece = 0; piece != range.count; ++piece, lanes &= lanes - 1) {
    uint64_t address = range.address + piece * range.pitch;
    uint32_t offset = address & emu::sharedOffsetMask;
    const SharedArrays::Array *hit = arrays.at(offset);
    if (!hit || hit == meant ||
        !findings.isFirst(Rule::OtherArray, kernel, origin.instruction,
                          origin.instruction))
      continue;
    Origin one = origin;
    one.lanes = lanes ? lanes & -lanes : origin.lanes;
    Finding finding = findingOf(Rule::OtherArray, address, one, nullptr);
    finding.why = "the address is made from '" + meant->name.str() +
                  "', which has " + utostr(meant->size) + " bytes; byte " +
                  llvm::itostr(int64_t(offset) - meant->offset) +
                  " of it is byte " + utostr(offset - hit->offset) + " of '" +
                  hit->name.str() + "'";
    finding.advice = "an index below " + utostr(meant->size) +
                     " bytes, or a larger '" + meant->name.str() + "'";
    findings.add(std::move(finding));
  }
}

//===----------------------------------------------------------------------===//
// Barriers of a CTA
//===----------------------------------------------------------------------===//

/// A barrier is complete when its number of threads has come, whichever they
/// are. So who arrives in a round must know that the round before it is
/// complete: otherwise another schedule counts this arrival there.
void Protocol::named(const emu::BarrierEvent &event) {
  const Origin &now = event.origin;
  const uint32_t number = uint32_t(now.rank) << 8 | event.number;
  if (event.kind == emu::BarrierEvent::Complete) {
    auto it = byNumber.find(number);
    if (it == byNumber.end())
      return;
    auto takesPart = [&](const Named::Arrival &arrival) {
      return llvm::any_of(event.participants, [&](auto &part) {
        return part.warp == arrival.by.warp && (part.lanes & arrival.by.lanes);
      });
    };
    Named &barrier = it->second;
    barrier.before.clear();
    llvm::copy_if(barrier.now, std::back_inserter(barrier.before), takesPart);
    llvm::erase_if(barrier.now, takesPart);
    return;
  }
  // All threads of the CTA take part in every round of one without a number.
  if (event.kind != emu::BarrierEvent::Arrive || !event.threads)
    return;
  Named &barrier = byNumber[number];
  const Actor actor = threads.actorOf(now);
  const Named::Arrival *unknown = nullptr;
  threads.view(now, [&](const Viewer &viewer) {
    for (const Named::Arrival &arrival : barrier.before)
      if (arrival.actor != actor &&
          valueOf((*viewer.known)[Executed], arrival.actor,
                  llvm::countr_zero(arrival.by.lanes)) < arrival.time)
        unknown = &arrival;
  });
  if (unknown && findings.isFirst(Rule::BarrierMix, kernel,
                                  unknown->by.instruction, now.instruction)) {
    uint64_t nowhere = emu::sharedWindow | uint64_t(now.rank)
                                               << emu::sharedRankShift;
    Finding finding = findingOf(Rule::BarrierMix, nowhere, unknown->by, &now);
    finding.space = Finding::Registers;
    std::string second = lineOf(finding.second);
    finding.why = "barrier " + utostr(event.number) + " is for " +
                  utostr(event.threads) + " threads. Warp " +
                  utostr(unknown->by.warp) +
                  " has met others there, and warp " + utostr(now.warp) +
                  " arrives without knowing that this round is complete: in "
                  "another schedule it takes part in it";
    finding.advice = "a barrier of another number for warp " +
                     utostr(now.warp) + " at " + second +
                     ", or one with the threads of both";
    findings.add(std::move(finding));
  }
  barrier.now.push_back({now, actor, threads.tick(now)});
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void Protocol::meeting(const emu::BarrierEvent &event) {
  const bool hasExited = event.exited;
  const Rule rule = hasExited ? Rule::ExitedLane : Rule::AbsentLane;
  if (!event.absent || !findings.isFirst(rule, kernel, event.origin.instruction,
                                         event.origin.instruction))
    return;
  Origin reader = event.origin;
  reader.lanes = hasExited ? event.exited : event.absent;
  uint64_t nowhere = emu::sharedWindow | uint64_t(reader.rank)
                                             << emu::sharedRankShift;
  Finding finding = findingOf(rule, nowhere, reader, nullptr);
  finding.space = Finding::Registers;
  std::string line = lineOf(finding.first);
  finding.why =
      line + " gives " + emu::describeLanes(reader.lanes) +
      (hasExited ? " the value of a lane that the member mask names and "
                   "that does not execute it: it has exited, or the block "
                   "has no such thread"
                 : " the value of a lane outside the member mask");
  finding.advice = "a number of threads that is a multiple of 32, or a source "
                   "lane that is there, in " +
                   line;
  findings.add(std::move(finding));
}
