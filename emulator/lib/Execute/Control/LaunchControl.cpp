//===- LaunchControl.cpp - clusterlaunchcontrol --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.13.17 and 9.7.13.18. A cluster asks that one that has
// not started be cancelled, and does its work instead. The answer is 16 bytes
// that only the query instructions understand:
//
//   bytes 0-11   the first CTA of the cancelled cluster: x, y, z
//   bytes 12-15  a mark that distinguishes an answer from other bytes; bit 0
//                says whether there is a cluster, or none was left
//
// The first CTA of an answer that has none is undefined; it is (-1, -1, -1)
// here, since kernels ask for it before they look whether there is one.
//
// CUTLASS's ping-pong kernels tell a second warp group that nothing is left by
// an answer of their own, 16 bytes of 0. It counts as one once the CTA has seen
// that nothing is left. Before, it is memory that no answer has reached yet.

#include "Engine/Engine.h"
#include "Engine/MbarrierObject.h"
#include "Machine/Lanes.h"
#include "Machine/Machine.h"
#include "Memory/Access.h"
#include "Timing/Clock.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::StateSpace;

namespace {

struct Answer {
  static constexpr uint32_t mark = 0xc1c5a9e0;

  uint32_t first[3] = {~0u, ~0u, ~0u};
  uint32_t marked = mark;

  bool isAnswer() const { return (marked & ~1u) == mark; }
  bool isZero() const { return !first[0] && !first[1] && !first[2] && !marked; }
  bool isCanceled() const { return marked & 1; }
};
constexpr uint32_t answerBytes = sizeof(Answer);
static_assert(answerBytes == 16);

class LaunchControl : public Extension {
public:
  static constexpr ExtensionSlot slot = ExtensionSlot::Launches;
  /// Whether the CTA knows that nothing is left; it must not ask again then.
  bool sawFailure = false;
  /// The places in its shared memory that requests in flight will answer to.
  llvm::SmallVector<uint64_t, 2> awaited;
};

struct TryCancelInfo {
  EngineAddress to, barrier;
  bool multicasts = false;
};

class TryCancel : public AsyncOp {
public:
  TryCancel(IssuePoint issue, llvm::SmallVectorImpl<CopyTarget> &&targets)
      : AsyncOp(EngineKind::LaunchControl, issue), targets(std::move(targets)) {
    for (const CopyTarget &target : this->targets) {
      SharedUses::begin(target.cta(*issue.cta), *this, "writes");
      awaitedIn(target).push_back(target.address);
    }
    Machine &machine = issue.cta->machine();
    if (Clock *clock = machine.clock()) [[unlikely]]
      due = machine.now + clock->constants.cancelLatency;
  }

  void complete(Machine &machine) override {
    CTA &cta = *issue.cta;
    Answer answer;
    if (std::optional<Dim3> first = cta.grid().cancelCluster())
      answer = {{first->x, first->y, first->z}, Answer::mark | 1};
    for (const CopyTarget &target : targets) {
      memcpy(translate(cta.cluster(), target.address, answerBytes), &answer,
             answerBytes);
      tellAccess(issue, {.kind = AccessKind::Write, .proxy = Proxy::Async},
                 target.address, answerBytes);
      SharedUses::end(target.cta(cta), *this);
      auto &awaited = awaitedIn(target);
      awaited.erase(llvm::find(awaited, target.address));
    }
    for (const CopyTarget &target : targets)
      if (!machine.failed())
        completeBytes(machine, issue, target.barrier, answerBytes);
    tellOperation(issue, {.kind = OperationEvent::Complete, .engine = kind});
  }

private:
  llvm::SmallVectorImpl<uint64_t> &awaitedIn(const CopyTarget &target) {
    return target.cta(*issue.cta).extensions.get<LaunchControl>().awaited;
  }

  llvm::SmallVector<CopyTarget, 2> targets;
};

} // namespace

static const Inst *tryCancel(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<TryCancelInfo>();
  CTA &cta = warp.cta();
  uint32_t everyone = (1u << cta.cluster().size()) - 1;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    EngineCheck check(warp, inst, lane);
    if (cta.extensions.get<LaunchControl>().sawFailure)
      return check.fail(ReportKind::Protocol,
                        "the CTA has seen that no cluster is left; it must not "
                        "ask for another one");
    uint64_t to = info.to.of(warp, lane);
    if (!check.range("destination", to, answerBytes, answerBytes,
                     StateSpace::SharedCta))
      return Inst::leave();
    llvm::SmallVector<CopyTarget, 2> targets;
    uint64_t barrier = info.barrier.of(warp, lane);
    if (!check.range("mbarrier", barrier, 8, 8, StateSpace::SharedCta) ||
        !check.targets(to, barrier, info.multicasts, everyone, false, targets))
      return Inst::leave();
    for (const CopyTarget &target : targets)
      if (llvm::is_contained(
              target.cta(cta).extensions.get<LaunchControl>().awaited,
              target.address))
        return check.fail(ReportKind::Protocol,
                          "another request will answer to " +
                              nameAddress(cta, target.address) +
                              ", too, and hasn't yet; let one thread ask, and "
                              "wait for the answer before it asks again");
    IssuePoint issue = warp.newOperation(inst, 1u << lane);
    tellIssue(issue, EngineKind::LaunchControl, targets);
    warp.machine().post(std::make_unique<TryCancel>(issue, std::move(targets)));
  }
  return inst + 1;
}

/// Tells the answers that lanes take apart, each once.
[[gnu::cold]] static void tellAnswers(Warp &warp, const Inst *inst,
                                      uint32_t mask, const Answer *answers) {
  while (mask) {
    const Answer &answer = answers[std::countr_zero(mask)];
    uint32_t same = 0;
    forEachLane(mask, [&](unsigned lane) {
      same |= uint32_t(!memcmp(&answers[lane], &answer, answerBytes)) << lane;
    });
    mask &= ~same;
    const auto &[x, y, z] = answer.first;
    tell(warp.issuePoint(inst, same),
         AnswerEvent{.isCanceled = answer.isCanceled(), .firstCta = {x, y, z}});
  }
}

/// Whether all lanes of `mask` have an answer; if not, the launch has failed.
static bool haveAnswers(Warp &warp, const Inst *inst, uint32_t mask,
                        const Answer *answers) {
  bool takesZero = warp.cta().extensions.get<LaunchControl>().sawFailure;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    if (answers[lane].isAnswer() || (takesZero && answers[lane].isZero()))
      continue;
    EngineCheck(warp, inst, lane)
        .fail(ReportKind::Protocol,
              "its operand isn't what a clusterlaunchcontrol.try_cancel has "
              "written; load the answer when the phase of its mbarrier is "
              "over");
    return false;
  }
  if (warp.listener()) [[unlikely]]
    tellAnswers(warp, inst, mask, answers);
  return true;
}

static const Inst *isCanceled(Warp &warp, const Inst *inst, uint32_t mask) {
  const Answer *answers = warp.lanes<Answer>(inst->slot[1]);
  if (!haveAnswers(warp, inst, mask, answers))
    return Inst::leave();
  uint32_t canceled = 0;
  forEachLane(mask, [&](unsigned lane) {
    canceled |= uint32_t(answers[lane].isCanceled()) << lane;
  });
  if (canceled != mask)
    warp.cta().extensions.get<LaunchControl>().sawFailure = true;
  warp.setPredicate(inst->slot[0], canceled, mask);
  return inst + 1;
}

static const Inst *firstCtaid(Warp &warp, const Inst *inst, uint32_t mask) {
  const Answer *answers = warp.lanes<Answer>(inst->slot[4]);
  if (!haveAnswers(warp, inst, mask, answers))
    return Inst::leave();
  for (unsigned dim = 0; dim != 4; ++dim) {
    uint32_t *d = warp.lanes<uint32_t>(inst->slot[dim]);
    forEachLane(mask, [&](unsigned lane) {
      d[lane] = dim < 3 ? answers[lane].first[dim] : 0;
    });
  }
  return inst + 1;
}

template <unsigned dim>
static const Inst *firstCtaid(Warp &warp, const Inst *inst, uint32_t mask) {
  const Answer *answers = warp.lanes<Answer>(inst->slot[1]);
  if (!haveAnswers(warp, inst, mask, answers))
    return Inst::leave();
  uint32_t *d = warp.lanes<uint32_t>(inst->slot[0]);
  forEachLane(mask, [&](unsigned lane) { d[lane] = answers[lane].first[dim]; });
  return inst + 1;
}

static bool decodeTryCancel(Decoder &decoder, Inst &inst) {
  TryCancelInfo info;
  StateSpace space = ptx::spaceOf(decoder.get(Slot::Space));
  info.to = decodeEngineAddress(decoder, decoder.operand(0), space);
  info.barrier = decodeEngineAddress(decoder, decoder.operand(1), space);
  info.multicasts = decoder.get(Slot::Multicast) != Modifier::None;
  inst.fn = tryCancel;
  inst.extra = decoder.keep(info);
  return true;
}

static bool decodeIsCanceled(Decoder &decoder, Inst &inst) {
  inst.fn = isCanceled;
  inst.slot[0] = decoder.predicate(0);
  inst.slot[1] = decoder.source(1, decoder.type());
  return true;
}

static bool decodeFirstCtaid(Decoder &decoder, Inst &inst) {
  switch (decoder.opcode()) {
  case Opcode::ClcFirstCtaidX:
    inst.fn = firstCtaid<0>;
    break;
  case Opcode::ClcFirstCtaidY:
    inst.fn = firstCtaid<1>;
    break;
  case Opcode::ClcFirstCtaidZ:
    inst.fn = firstCtaid<2>;
    break;
  default:
    inst.fn = firstCtaid;
    llvm::copy(decoder.dests(0), inst.slot);
    inst.slot[4] = decoder.source(1, decoder.type());
    return true;
  }
  inst.slot[0] = decoder.dest(0);
  inst.slot[1] = decoder.source(1, decoder.type());
  return true;
}

void drawloom::emu::registerLaunchControl(DecodeTable &table) {
  table.add(Opcode::ClcTryCancel, decodeTryCancel);
  table.add(Opcode::ClcIsCanceled, decodeIsCanceled);
  for (Opcode opcode : {Opcode::ClcFirstCtaid, Opcode::ClcFirstCtaidX,
                        Opcode::ClcFirstCtaidY, Opcode::ClcFirstCtaidZ})
    table.add(opcode, decodeFirstCtaid);
}
