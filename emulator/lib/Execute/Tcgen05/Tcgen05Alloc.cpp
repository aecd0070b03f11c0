//===- Tcgen05Alloc.cpp - Allocation of tensor memory --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.16.7.

#include "Engine/Engine.h"
#include "Execute/Tcgen05/Tcgen05.h"
#include "Memory/Access.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::ArrayRef;
using llvm::formatv;
using llvm::SmallVector;
using ptx::Opcode;
using ptx::Type;

namespace {
enum : unsigned { Columns, Address };
} // namespace

/// Whether there is a peer, if the instruction (imm) is one of a pair. False if
/// the handler is to return `next`. A peer that has exited isn't an error of
/// this instruction; it waits for it.
static bool hasPeer(Warp &warp, const Inst *inst, const Inst *&next) {
  CTA &cta = warp.cta();
  if (!inst->imm || (cta.rank() | 1) < cta.cluster().size())
    return true;
  TensorProblem problem = checkPeer(cta);
  next = warp.fail(inst, allLanes, problem.kind, problem.message);
  return false;
}

/// The number of columns. False if the handler is to return `next`.
static bool readColumns(Warp &warp, const Inst *inst, uint32_t &columns,
                        const Inst *&next) {
  if (!uniformValue(warp, inst, inst->slot[Columns], 0, "the number of columns",
                    columns, next))
    return false;
  uint32_t most = tensorMemory(warp.cta()).columns();
  if (llvm::isPowerOf2_32(columns) && columns >= TensorMemory::unit &&
      columns <= most)
    return true;
  next = warp.fail(inst, allLanes, ReportKind::IllegalInstruction,
                   formatv("{0} columns; it must be a power of two from {1} "
                           "to {2}",
                           columns, TensorMemory::unit, most));
  return false;
}

/// What is wrong with allocating so many columns, as far as the CTA itself is
/// concerned; empty if nothing is.
static std::string checkAllocation(CTA &cta, uint32_t columns) {
  const TensorCore::Allocations &before = tensorCore(cta).allocationsOf(cta);
  if (before.relinquished)
    return "tcgen05.alloc after tcgen05.relinquish_alloc_permit: the CTA has "
           "given up the right to allocate";
  if (before.last && columns > before.last)
    return formatv("{0} columns after an allocation of {1}: the allocations of "
                   "a CTA must not grow",
                   columns, before.last);
  return "";
}

/// Tells the listener, if there is one. Of a pair both are reported when the
/// second one comes: from then on it may have the tensor core write to the
/// peer's columns, whose warp goes on later.
static void tellColumns(Warp &warp, ArrayRef<IssuePoint> issues,
                        AllocationEvent::Kind kind, uint32_t column = 0,
                        uint32_t columns = 0) {
  if (!warp.listener()) [[likely]]
    return;
  for (const IssuePoint &issue : issues)
    tell(issue, AllocationEvent{.kind = kind,
                                .column = uint16_t(column),
                                .columns = uint16_t(columns)});
}

/// Writes the address of an allocation to shared memory.
static const Inst *answer(Warp &warp, const Inst *inst, uint64_t address,
                          char *host, uint32_t column, uint32_t columns) {
  CTA &cta = warp.cta();
  tensorCore(cta).allocationsOf(cta).last = columns;
  memcpy(host, &column, sizeof(column));
  if (warp.listener()) [[unlikely]]
    tellAccess(warp.issuePoint(inst, allLanes),
               {.kind = AccessKind::Write, .space = ptx::StateSpace::SharedCta},
               address, sizeof(column));
  return inst + 1;
}

/// The columns that both CTAs of a pair get. None if the handler is to return
/// `next`: the warp waits, or the launch has failed.
static std::optional<uint32_t> allocateTogether(Warp &warp, const Inst *inst,
                                                uint32_t columns,
                                                const Inst *&next) {
  CTA &cta = warp.cta();
  IssuePoint issue = warp.issuePoint(inst, allLanes);
  PairMeeting &meeting = tensorCore(cta).allocating;
  if (std::optional<uint32_t> column = meeting.takeAnswer(issue))
    return column;
  const PairMeeting::Arrival *peer = meeting.meet({issue, columns});
  if (!peer) {
    next = warp.wait(inst, allLanes, meeting, WaitMode::Retry, columns);
    return std::nullopt;
  }
  if (peer->columns != columns) {
    next = warp.fail(inst, allLanes, ReportKind::Protocol,
                     formatv("{0} columns, and {1} by CTA rank {2} (line {3}): "
                             "a pair of CTAs allocates as many columns in both",
                             columns, peer->columns, peer->issue.cta->rank(),
                             warp.program().line(peer->issue.inst)));
    return std::nullopt;
  }
  IssuePoint issues[2] = {issue, peer->issue};
  if (cta.rank() & 1)
    std::swap(issues[0], issues[1]);
  std::optional<uint32_t> column = TensorMemory::allocatePair(issues, columns);
  TensorMemory &own = tensorMemory(cta);
  if (!column) {
    // Columns may become free in either SM: each waits for its own.
    meeting.wakeAll();
    next = warp.wait(inst, allLanes, own, WaitMode::Retry, columns);
    return std::nullopt;
  }
  TensorMemory &other = tensorMemory(*peer->issue.cta);
  tellColumns(warp, issues, AllocationEvent::Allocate, *column, columns);
  meeting.finish(issue, *column);
  other.wakeAll();
  return column;
}

static const Inst *alloc(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next;
  uint32_t columns;
  if (!wholeWarp(warp, inst, mask, next) || !hasPeer(warp, inst, next) ||
      !readColumns(warp, inst, columns, next))
    return next;
  CTA &cta = warp.cta();
  std::string problem = checkAllocation(cta, columns);
  if (!problem.empty())
    return warp.fail(inst, allLanes, ReportKind::Protocol, problem);
  uint64_t address = inst->as<EngineAddress>().of(warp, 0);
  char *host =
      isOwn(cta, address) ? translate(cta.cluster(), address, 4) : nullptr;
  if (!host)
    return warp.fail(inst, allLanes, ReportKind::IllegalAddress,
                     "writes the address to " + nameAddress(cta, address) +
                         ", which isn't in the CTA's shared memory");
  std::optional<uint32_t> column;
  if (inst->imm) {
    column = allocateTogether(warp, inst, columns, next);
    if (!column)
      return next;
  } else {
    TensorMemory &memory = tensorMemory(cta);
    IssuePoint issue = warp.issuePoint(inst, allLanes);
    column = memory.allocate(issue, columns);
    if (!column)
      return warp.wait(inst, allLanes, memory, WaitMode::Retry, columns);
    tellColumns(warp, issue, AllocationEvent::Allocate, *column, columns);
  }
  return answer(warp, inst, address, host, *column, columns);
}

/// Frees columns of one CTA; what is wrong with that, as text.
static std::string freeColumns(CTA &cta, uint32_t column, uint32_t columns) {
  TensorCore &core = tensorCore(cta);
  TensorRegion region = {column, columns, 0xff, bitOf(cta)};
  std::string problem = core.checkOrder(region, TensorCore::Access::Free, true);
  if (!problem.empty())
    return problem;
  core.settle(region);
  return tensorMemory(cta).free(cta, column, columns);
}

static const Inst *dealloc(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next;
  uint32_t columns, value;
  if (!wholeWarp(warp, inst, mask, next) || !hasPeer(warp, inst, next) ||
      !readColumns(warp, inst, columns, next) ||
      !uniformValue(warp, inst, inst->slot[Address], 0,
                    "the address in tensor memory", value, next))
    return next;
  TensorAddress address(value);
  CTA &cta = warp.cta();
  auto reject = [&](const llvm::Twine &message) {
    return warp.fail(inst, allLanes, ReportKind::Protocol, message);
  };
  if (address.lane)
    return reject("frees " + address.str() +
                  ": an allocation has all lanes and starts at lane 0");
  SmallVector<IssuePoint, 2> issues = {warp.issuePoint(inst, allLanes)};
  if (inst->imm) {
    IssuePoint issue = issues.front();
    PairMeeting &meeting = tensorCore(cta).freeing;
    if (meeting.takeAnswer(issue))
      return next;
    const PairMeeting::Arrival *peer =
        meeting.meet({issue, columns, address.column});
    if (!peer)
      return warp.wait(inst, allLanes, meeting, WaitMode::Retry, columns);
    if (peer->columns != columns || peer->column != address.column)
      return reject(formatv(
          "frees {0} columns from column {1} on, and CTA rank {2} (line {3}) "
          "{4} from column {5} on: a pair of CTAs frees the same in both",
          columns, address.column, peer->issue.cta->rank(),
          warp.program().line(peer->issue.inst), peer->columns, peer->column));
    issues.push_back(peer->issue);
    meeting.finish(issue, 0);
  }
  for (const IssuePoint &issue : issues)
    if (std::string problem = freeColumns(*issue.cta, address.column, columns);
        !problem.empty())
      return reject("frees " + problem);
  tellColumns(warp, issues, AllocationEvent::Free, address.column, columns);
  return next;
}

static const Inst *relinquish(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next;
  if (!wholeWarp(warp, inst, mask, next) || !hasPeer(warp, inst, next))
    return next;
  CTA &cta = warp.cta();
  TensorCore &core = tensorCore(cta);
  IssuePoint issue = warp.issuePoint(inst, allLanes);
  if (inst->imm) {
    if (!core.relinquishing.takeAnswer(issue)) {
      if (!core.relinquishing.meet({issue}))
        return warp.wait(inst, allLanes, core.relinquishing, WaitMode::Retry);
      core.relinquishing.finish(issue, 0);
    }
  }
  core.allocationsOf(cta).relinquished = true;
  tellColumns(warp, issue, AllocationEvent::Relinquish);
  return next;
}

static bool decodeAlloc(Decoder &decoder, Inst &inst) {
  inst.fn = alloc;
  inst.imm = isForPair(decoder);
  if (inst.imm)
    decoder.needPairs();
  inst.extra = decoder.keep(
      decodeEngineAddress(decoder, decoder.operand(0),
                          ptx::spaceOf(decoder.get(ptx::Slot::Space))));
  inst.slot[Columns] = decoder.source(1, Type::U32);
  return true;
}

static bool decodeDealloc(Decoder &decoder, Inst &inst) {
  inst.fn = dealloc;
  inst.imm = isForPair(decoder);
  inst.slot[Address] = decoder.source(0, Type::B32);
  inst.slot[Columns] = decoder.source(1, Type::U32);
  return true;
}

static bool decodeRelinquish(Decoder &decoder, Inst &inst) {
  inst.fn = relinquish;
  inst.imm = isForPair(decoder);
  return true;
}

void drawloom::emu::registerTcgen05Alloc(DecodeTable &table) {
  table.add(Opcode::Tcgen05Alloc, decodeAlloc);
  table.add(Opcode::Tcgen05Dealloc, decodeDealloc);
  table.add(Opcode::Tcgen05RelinquishAllocPermit, decodeRelinquish);
}
