//===- CopyAsync.cpp - cp.async ------------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.9.25.3 and 9.7.13.15.15. The copies of a warp's lanes
// are one operation. Which cache they go through, and what is fetched ahead, is
// of no interest here.

#include "Engine/Engine.h"
#include "Engine/MbarrierObject.h"
#include "Execute/Copy/AsyncGroups.h"
#include "Machine/Lanes.h"
#include "Machine/Machine.h"
#include "Memory/Access.h"
#include "Timing/Clock.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::emu;
using llvm::Twine;
using ptx::Opcode;
using ptx::Slot;
using ptx::Type;

namespace {
struct CopyInfo {
  AccessInfo to, from;
  Reg size = 0;   ///< Bytes to read; the rest is filled with zeros.
  Reg ignore = 0; ///< A predicate: read nothing.
  uint32_t bytes = 0;
};

/// What each lane copies.
struct LaneCopies {
  char *to[32], *from[32];
  uint32_t sizes[32];
  /// For a listener; null if there is none.
  struct Addresses {
    uint64_t to[32], from[32];
  };
  std::shared_ptr<Addresses> addresses;
};
} // namespace

/// The arrivals of a cp.async.mbarrier.arrive, posted when the copies in front
/// of it are done.
class drawloom::emu::CopyArrival : public AsyncOp {
public:
  CopyArrival(IssuePoint issue) : AsyncOp(EngineKind::Commit, issue) {}

  void complete(Machine &machine) override {
    forEachLane(issue.lanes, [&](unsigned lane) {
      IssuePoint one = issue;
      one.lanes = 1u << lane;
      if (!machine.failed())
        arriveAt(machine, one, addresses[lane], Scope::Cta);
    });
    tellOperation(issue, {.kind = OperationEvent::Complete, .engine = kind});
  }

  uint64_t addresses[32] = {};
  llvm::SmallPtrSet<const CopyOp *, 8> before; ///< In flight.
};

WarpCopies::WarpCopies() = default;
WarpCopies::~WarpCopies() = default;

class drawloom::emu::CopyOp : public AsyncOp {
public:
  CopyOp(IssuePoint issue, WarpCopies &copies, const LaneCopies &lanes,
         uint32_t bytes)
      : AsyncOp(EngineKind::Copy, issue), copies(copies), lanes(lanes),
        bytes(bytes) {
    forEachLane(issue.lanes, [&](unsigned lane) {
      groups[lane] = copies.copies.begin(lane);
    });
    copies.copiesInFlight.push_back(this);
    SharedUses::begin(*issue.cta, *this, "writes");
    tellOperation(issue, {.engine = kind, .groups = groups});
    if (Clock *clock = issue.cta->machine().clock()) [[unlikely]]
      due = findDue(*clock, issue.cta->machine());
  }

  void complete(Machine &machine) override {
    if (machine.memory().frees() != issue.frees && !checkFreed(machine))
      return;
    forEachLane(issue.lanes, [&](unsigned lane) {
      uint32_t size = lanes.sizes[lane];
      if (size)
        memcpy(lanes.to[lane], lanes.from[lane], size);
      memset(lanes.to[lane] + size, 0, bytes - size);
    });
    if (lanes.addresses) [[unlikely]]
      tellCopies();
    SharedUses::end(*issue.cta, *this);
    llvm::erase(copies.copiesInFlight, this);
    forEachLane(issue.lanes,
                [&](unsigned lane) { copies.copies.end(lane, groups[lane]); });
    for (std::unique_ptr<CopyArrival> &arrival : copies.arrivals)
      if (arrival->before.erase(this) && arrival->before.empty())
        machine.post(std::move(arrival));
    llvm::erase(copies.arrivals, nullptr);
  }

private:
  uint64_t findDue(Clock &clock, Machine &machine) const {
    MemoryClock::Traffic traffic;
    forEachLane(issue.lanes, [&](unsigned lane) {
      clock.memory.touch(reinterpret_cast<uint64_t>(lanes.from[lane]) -
                             machine.memory().hostDelta(),
                         lanes.sizes[lane], machine.now, traffic);
    });
    return clock.copyAsync(issue.cta->sm().index, traffic, machine.now);
  }

  /// Whether what is read hasn't been freed; the launch has failed if it has.
  bool checkFreed(Machine &machine) const {
    for (uint32_t rest = issue.lanes; rest; rest &= rest - 1) {
      unsigned lane = std::countr_zero(rest);
      // Of a source that isn't in global memory this is no address of it, and
      // so none that was freed.
      uint64_t address = reinterpret_cast<uint64_t>(lanes.from[lane]) -
                         machine.memory().hostDelta();
      uint32_t size = lanes.sizes[lane];
      if (!size || !machine.memory().freedSince(issue.frees, address, size))
        continue;
      IssuePoint one = issue;
      one.lanes = 1u << lane;
      translateOrFail(one, AccessKind::Read, address, size);
      return false;
    }
    return true;
  }

  void tellCopies() const {
    RangeList from, to;
    forEachLane(issue.lanes, [&](unsigned lane) {
      if (lanes.sizes[lane])
        from.addLane(lane, lanes.addresses->from[lane], lanes.sizes[lane]);
      to.addLane(lane, lanes.addresses->to[lane], bytes);
    });
    if (!from.get().empty())
      tell(issue, AccessEvent{.kind = AccessKind::Read, .ranges = from.get()});
    tell(issue, AccessEvent{.kind = AccessKind::Write, .ranges = to.get()});
    tell(issue, OperationEvent{.kind = OperationEvent::Complete,
                               .engine = EngineKind::Copy});
  }

  WarpCopies &copies;
  const LaneCopies lanes;
  const uint32_t bytes;
  uint32_t groups[32] = {};
};

static WarpCopies &copiesOf(Warp &warp) {
  return warp.extensions.get<WarpCopies>();
}

static const Inst *copyAsync(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<CopyInfo>();
  LaneCopies lanes;
  if (!resolve(warp, inst, mask, info.to, lanes.to))
    return Inst::leave();
  auto size = source<uint32_t>(warp, info.size);
  uint32_t ignored = warp.test(info.ignore);
  uint32_t whole = 0, part = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    uint32_t bytes = ignored >> lane & 1 ? 0 : size[lane];
    if (bytes > info.bytes)
      return warp.fail(inst, 1u << lane, ReportKind::IllegalInstruction,
                       quoteMnemonic(warp.program(), inst) + " of " +
                           Twine(info.bytes) + " bytes is to read " +
                           Twine(bytes));
    lanes.sizes[lane] = bytes;
    whole |= uint32_t(bytes == info.bytes) << lane;
    part |= uint32_t(bytes && bytes != info.bytes) << lane;
  }
  if (whole && !resolve(warp, inst, whole, info.from, lanes.from))
    return Inst::leave();
  // Of these, only what they read must be there.
  for (AccessInfo from = info.from; part; part &= part - 1) {
    unsigned lane = std::countr_zero(part);
    from.bytes = lanes.sizes[lane];
    char *host[32];
    if (!resolve(warp, inst, 1u << lane, from, host))
      return Inst::leave();
    lanes.from[lane] = host[lane];
  }
  if (warp.listener()) [[unlikely]] {
    lanes.addresses = std::make_shared<LaneCopies::Addresses>();
    info.to.addresses(warp, info.to, lanes.addresses->to);
    info.from.addresses(warp, info.from, lanes.addresses->from);
  }
  warp.machine().post(std::make_unique<CopyOp>(
      warp.newOperation(inst, mask), copiesOf(warp), lanes, info.bytes));
  return inst + 1;
}

static bool decodeCopyAsync(Decoder &decoder, Inst &inst) {
  CopyInfo info;
  info.bytes = decoder.operand(2).integer();
  info.to = decodeAccess(decoder, 0, info.bytes, AccessKind::Write);
  info.from =
      decodeAccess(decoder, 1, info.bytes, AccessKind::Read, Slot::SrcSpace);
  info.to.reportedLater = info.from.reportedLater = true;
  info.size = decoder.constant(info.bytes, 4);
  info.ignore = decoder.constantPredicate(false);
  llvm::StringRef fourth = decoder.operandCount() > 3
                               ? decoder.variant().form->operands[3].name
                               : "";
  if (fourth == "srcsize")
    info.size = decoder.source(3, Type::U32);
  else if (fourth == "ignore")
    info.ignore = decoder.predicate(3);
  inst.fn = copyAsync;
  inst.extra = decoder.keep(info);
  return true;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static const Inst *commitGroup(Warp &warp, const Inst *inst, uint32_t mask) {
  AsyncGroups &copies = copiesOf(warp).copies;
  copies.commit(mask);
  if (warp.listener()) [[unlikely]]
    copies.tellCommit(warp, inst, mask);
  return inst + 1;
}

static const Inst *waitGroup(Warp &warp, const Inst *inst, uint32_t mask) {
  return copiesOf(warp).copies.wait(warp, inst, mask, inst->imm);
}

/// A commit, and a wait for all groups. Executed again after the wait, it finds
/// nothing to commit.
static const Inst *waitAll(Warp &warp, const Inst *inst, uint32_t mask) {
  AsyncGroups &copies = copiesOf(warp).copies;
  if (uint32_t open = copies.uncommitted(mask))
    commitGroup(warp, inst, open);
  return copies.wait(warp, inst, mask, 0);
}

static bool decodeGroup(Decoder &decoder, Inst &inst) {
  switch (decoder.opcode()) {
  case Opcode::CpAsyncCommitGroup:
    inst.fn = commitGroup;
    return true;
  case Opcode::CpAsyncWaitGroup:
    inst.fn = waitGroup;
    inst.imm = decoder.operand(0).integer();
    return true;
  default:
    inst.fn = waitAll;
    return true;
  }
}

//===----------------------------------------------------------------------===//
// cp.async.mbarrier.arrive
//===----------------------------------------------------------------------===//

static const Inst *arriveAfterCopies(Warp &warp, const Inst *inst,
                                     uint32_t mask) {
  const auto &address = inst->as<EngineAddress>();
  bool increments = inst->imm;
  auto arrival = std::make_unique<CopyArrival>(warp.newOperation(inst, mask));
  llvm::SmallVector<uint64_t, 32> barriers;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    std::string problem;
    arrival->addresses[lane] = address.of(warp, lane);
    if (!isOwn(warp.cta(), arrival->addresses[lane]))
      problem = "the mbarrier at " +
                nameAddress(warp.cta(), arrival->addresses[lane]) +
                " isn't in the shared memory of this CTA";
    Mbarrier *barrier = nullptr;
    if (problem.empty())
      barrier = findMbarrier(warp.cta(), arrival->addresses[lane], problem);
    if (!barrier || (increments && !barrier->expectArrival(problem)))
      return warp.fail(inst, 1u << lane, ReportKind::Protocol, problem);
    if (warp.listener()) [[unlikely]] {
      barriers.push_back(arrival->addresses[lane]);
      if (increments)
        tellBarrier(warp.issuePoint(inst, 1u << lane), *barrier,
                    MbarrierEvent{.kind = MbarrierEvent::ExpectArrival,
                                  .count = 1,
                                  .phase = int64_t(barrier->phase())});
    }
  }
  tellOperation(arrival->issue,
                {.engine = EngineKind::Commit, .barriers = barriers});
  WarpCopies &copies = copiesOf(warp);
  for (const CopyOp *copy : copies.copiesInFlight)
    if (copy->issue.lanes & mask)
      arrival->before.insert(copy);
  if (arrival->before.empty())
    warp.machine().post(std::move(arrival));
  else
    copies.arrivals.push_back(std::move(arrival));
  return inst + 1;
}

static bool decodeArrive(Decoder &decoder, Inst &inst) {
  inst.fn = arriveAfterCopies;
  inst.imm = !decoder.has(ptx::Modifier::NoInc);
  inst.extra = decoder.keep(decodeEngineAddress(
      decoder, decoder.operand(0), ptx::spaceOf(decoder.get(Slot::Space))));
  return true;
}

void drawloom::emu::registerCopyAsync(DecodeTable &table) {
  table.add(Opcode::CpAsync, decodeCopyAsync);
  table.add(Opcode::CpAsyncCommitGroup, decodeGroup);
  table.add(Opcode::CpAsyncWaitGroup, decodeGroup);
  table.add(Opcode::CpAsyncWaitAll, decodeGroup);
  table.add(Opcode::CpAsyncMbarrierArrive, decodeArrive);
}
