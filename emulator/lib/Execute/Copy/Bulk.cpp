//===- Bulk.cpp - cp.async.bulk, cp.reduce.async.bulk and st.bulk --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.9.25.4. Each lane issues a copy of its own. Copies into
// shared memory complete bytes of an mbarrier, those out of it belong to bulk
// groups. Cache policies are hints. st.bulk (9.7.9.13) isn't asynchronous.

#include "Engine/Engine.h"
#include "Engine/MbarrierObject.h"
#include "Execute/Copy/BulkStore.h"
#include "Execute/Memory/Reduction.h"
#include "Machine/Lanes.h"
#include "Machine/Machine.h"
#include "Memory/Access.h"
#include "Timing/Clock.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::emu;
using llvm::Twine;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::StateSpace;
using ptx::Type;

namespace {

struct BulkInfo {
  EngineAddress to, from, barrier;
  StateSpace toSpace, fromSpace;
  Reg size = 0;
  Reg mask = 0;            ///< Of CTAs, or of bytes.
  Reg left = 0, right = 0; ///< Bytes at both ends that weren't asked for.
  bool multicasts = false;
  bool masksBytes = false;
  Reduce *reduce = nullptr;
};

/// A copy into the shared memory of one or more CTAs.
class BulkLoad : public AsyncOp {
public:
  /// Of the `counted` bytes that an mbarrier waits for, `bytes` are copied, to
  /// `skipped` bytes behind each target.
  BulkLoad(IssuePoint issue, uint64_t from, uint32_t bytes, uint32_t skipped,
           uint32_t counted, Reduce *reduce, llvm::ArrayRef<CopyTarget> targets)
      : AsyncOp(EngineKind::Bulk, issue), from(from), bytes(bytes),
        skipped(skipped), counted(counted), reduce(reduce), targets(targets) {
    for (const CopyTarget &target : targets)
      SharedUses::begin(target.cta(*issue.cta), *this, "writes");
    if (isShared(from))
      SharedUses::begin(*issue.cta, *this, "reads");
    if (Clock *clock = issue.cta->machine().clock()) [[unlikely]]
      due = findDue(*clock, issue.cta->machine().now);
  }

  void complete(Machine &machine) override {
    const char *source = nullptr;
    if (bytes &&
        !(source = translateOrFail(issue, AccessKind::Read, from, bytes)))
      return;
    tellAccess(issue, {.kind = AccessKind::Read, .proxy = Proxy::Async}, from,
               bytes);
    for (const CopyTarget &target : targets) {
      if (bytes)
        write(target.address + skipped, source);
      SharedUses::end(target.cta(*issue.cta), *this);
    }
    if (isShared(from))
      SharedUses::end(*issue.cta, *this);
    for (const CopyTarget &target : targets)
      completeBytes(machine, issue, target.barrier, counted);
    tellOperation(issue, {.kind = OperationEvent::Complete, .engine = kind});
  }

private:
  uint64_t findDue(Clock &clock, uint64_t now) const {
    if (isShared(from))
      return clock.copyRemote(issue.cta->sm().index, bytes, now);
    Clock::Copy copy;
    copy.rows = 1;
    copy.rowBytes = bytes;
    clock.memory.touch(from, bytes, now, copy.traffic);
    auto sms = llvm::map_to_vector<4>(targets, [&](const CopyTarget &target) {
      return target.cta(*issue.cta).sm().index;
    });
    return clock.load(issue.cta->sm().index, copy, sms, now);
  }

  void write(uint64_t address, const char *source) {
    char *to = translate(issue.cta->cluster(), address, bytes);
    if (reduce)
      reduce(to, source, bytes);
    else
      memcpy(to, source, bytes);
    tellAccess(issue, asyncWrite(reduce), address, bytes);
  }

  uint64_t from;
  uint32_t bytes, skipped, counted;
  Reduce *reduce;
  llvm::SmallVector<CopyTarget, 1> targets;
};

/// The first of `bytes` that a mask for each 16 of them has, and how many there
/// are from that one to the last: what is outside needs no memory.
static std::pair<uint32_t, uint32_t> written(uint32_t bytes,
                                             uint32_t byteMask) {
  if (!bytes || !byteMask)
    return {0, 0};
  uint32_t first = std::countr_zero(byteMask);
  uint32_t last = bytes - 16 + std::bit_width(byteMask);
  return {first, last - first};
}

/// A copy from shared to global memory.
class LinearStore : public BulkStore {
public:
  LinearStore(IssuePoint issue, uint64_t to, uint64_t from, uint32_t bytes,
              Reduce *reduce, uint32_t byteMask)
      : BulkStore(issue), to(to), from(from), bytes(bytes), reduce(reduce),
        byteMask(byteMask) {}

  uint64_t size() const override { return bytes; }
  void touch(Clock &clock, uint64_t now,
             MemoryClock::Traffic &traffic) const override {
    clock.memory.touch(to, bytes, now, traffic);
  }

  void read(Machine &machine) override {
    const char *source = translate(issue.cta->cluster(), from, bytes);
    data.assign(source, source + bytes);
    tellAccess(issue, {.kind = AccessKind::Read, .proxy = Proxy::Async}, from,
               bytes);
  }

  void write(Machine &machine) override {
    auto [first, count] = written(bytes, byteMask);
    if (!count)
      return;
    char *memory = translateOrFail(issue, AccessKind::Write, to + first, count);
    if (!memory)
      return;
    bool isUnchanged = listenerOf(issue) && !reduce && byteMask == 0xffff &&
                       !memcmp(memory, data.data(), bytes);
    if (reduce)
      reduce(memory, data.data(), bytes);
    else if (byteMask == 0xffff)
      memcpy(memory, data.data(), bytes);
    else
      for (size_t index = 0; index != count; ++index)
        if (byteMask >> (first + index) % 16 & 1)
          memory[index] = data[first + index];
    tellWrite(first, count, isUnchanged);
  }

private:
  void tellWrite(uint32_t first, uint32_t count, bool isUnchanged) {
    if (!listenerOf(issue))
      return;
    RangeList ranges;
    for (uint32_t index = 0; index != count; ++index)
      if (byteMask >> (first + index) % 16 & 1)
        ranges.add(to + first + index, 1);
    AccessEvent event = asyncWrite(reduce);
    event.unchanged = isUnchanged ? issue.lanes : 0;
    event.ranges = ranges.get();
    tell(issue, event);
  }

  uint64_t to, from;
  uint32_t bytes;
  Reduce *reduce;
  uint32_t byteMask;
};

} // namespace

static bool checkSize(Warp &warp, const Inst *inst, unsigned lane,
                      uint32_t bytes) {
  if (bytes % 16 == 0)
    return true;
  warp.fail(inst, 1u << lane, ReportKind::IllegalInstruction,
            quoteMnemonic(warp.program(), inst) + " of " + Twine(bytes) +
                " bytes; the size must be a multiple of 16");
  return false;
}

/// .ignore_oob: what is left out at the ends is less than 16 bytes each, and
/// not more than all.
static bool checkIgnored(Warp &warp, const Inst *inst, unsigned lane,
                         uint32_t bytes, uint32_t left, uint32_t right) {
  if (left < 16 && right < 16 && left + right <= bytes)
    return true;
  warp.fail(inst, 1u << lane, ReportKind::IllegalInstruction,
            quoteMnemonic(warp.program(), inst) + " of " + Twine(bytes) +
                " bytes leaves out " + Twine(left) + " and " + Twine(right) +
                "; each can be 0 to 15");
  return false;
}

static const Inst *load(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<BulkInfo>();
  auto size = source<uint32_t>(warp, info.size);
  auto left = source<uint32_t>(warp, info.left);
  auto right = source<uint32_t>(warp, info.right);
  auto ctas = source<uint16_t>(warp, info.mask);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    uint64_t from = info.from.of(warp, lane), to = info.to.of(warp, lane);
    uint32_t bytes = size[lane];
    bool ends = left[lane] || right[lane];
    EngineCheck check(warp, inst, lane);
    if (!checkSize(warp, inst, lane, bytes) ||
        !checkIgnored(warp, inst, lane, bytes, left[lane], right[lane]) ||
        (ends && !check.range("source", from, 0, 16, info.fromSpace)) ||
        !check.range("source", from + left[lane],
                     bytes - left[lane] - right[lane], ends ? 1 : 16,
                     info.fromSpace) ||
        !check.range("destination", to, bytes, 16, info.toSpace))
      return Inst::leave();
    // Inside the CTA, mov does the same; the hardware has no path for it.
    if (info.fromSpace != StateSpace::Global && isOwn(warp.cta(), to))
      return check.fail(ReportKind::IllegalInstruction,
                        "the destination " + nameAddress(warp.cta(), to) +
                            " must be in another CTA of the cluster");
    llvm::SmallVector<CopyTarget, 4> targets;
    if (!check.targets(to, info.barrier.of(warp, lane), info.multicasts,
                       ctas[lane], false, targets))
      return Inst::leave();
    IssuePoint issue = warp.newOperation(inst, 1u << lane);
    tellIssue(issue, EngineKind::Bulk, targets);
    warp.machine().post(std::make_unique<BulkLoad>(
        issue, from + left[lane], bytes - left[lane] - right[lane], left[lane],
        bytes, info.reduce, targets));
  }
  return inst + 1;
}

static const Inst *store(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<BulkInfo>();
  auto size = source<uint32_t>(warp, info.size);
  auto byteMask = source<uint16_t>(warp, info.mask);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    uint64_t from = info.from.of(warp, lane), to = info.to.of(warp, lane);
    EngineCheck check(warp, inst, lane);
    uint32_t selected = info.masksBytes ? byteMask[lane] : 0xffff;
    auto [first, count] = written(size[lane], selected);
    bool whole = count == size[lane];
    if (!checkSize(warp, inst, lane, size[lane]) ||
        !check.range("source", from, size[lane], 16, info.fromSpace) ||
        (!whole && !check.range("destination", to, 0, 16, info.toSpace)) ||
        !check.range("destination", to + first, count, whole ? 16 : 1,
                     info.toSpace, AccessKind::Write))
      return Inst::leave();
    BulkStore::post(
        warp, EngineKind::Bulk,
        std::make_unique<LinearStore>(warp.newOperation(inst, 1u << lane), to,
                                      from, size[lane], info.reduce, selected));
  }
  return inst + 1;
}

static bool decodeBulk(Decoder &decoder, Inst &inst) {
  BulkInfo info;
  info.toSpace = ptx::spaceOf(decoder.get(Slot::Space));
  info.fromSpace = ptx::spaceOf(decoder.get(Slot::SrcSpace));
  info.to = decodeEngineAddress(decoder, decoder.operand(0), info.toSpace);
  info.from = decodeEngineAddress(decoder, decoder.operand(1), info.fromSpace);
  info.size = decoder.source(2, Type::U32);
  info.mask = decoder.constant(0, 4);
  if (decoder.opcode() == Opcode::CpReduceAsyncBulk) {
    info.reduce = reductionOf(decoder.get(Slot::Op), decoder.type(), true);
    if (!info.reduce)
      return false;
  }
  if (info.toSpace == StateSpace::Global) {
    inst.fn = store;
    info.masksBytes = decoder.has(Modifier::CpMask);
    if (info.masksBytes)
      info.mask = decoder.source(decoder.operandCount() - 1, Type::B16);
  } else {
    inst.fn = load;
    bool ignores = decoder.has(Modifier::IgnoreOob);
    info.left = ignores ? decoder.source(3, Type::U32) : decoder.constant(0, 4);
    info.right =
        ignores ? decoder.source(4, Type::U32) : decoder.constant(0, 4);
    info.barrier = decodeEngineAddress(
        decoder, decoder.operand(ignores ? 5 : 3), info.toSpace);
    info.multicasts = decoder.get(Slot::Multicast) != Modifier::None;
    if (info.multicasts)
      info.mask = decoder.source(4, Type::B16);
  }
  inst.extra = decoder.keep(info);
  return true;
}

static const Inst *clear(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<BulkInfo>();
  auto size = source<uint64_t>(warp, info.size);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    uint64_t to = info.to.of(warp, lane);
    EngineCheck check(warp, inst, lane);
    if (size[lane] % 8)
      return check.fail(ReportKind::IllegalInstruction,
                        "the size is " + Twine(size[lane]) +
                            "; it must be a multiple of 8");
    if (!check.range("destination", to, size[lane], 8, StateSpace::SharedCta))
      return Inst::leave();
    memset(translate(warp.cta().cluster(), to, size[lane]), 0, size[lane]);
    if (warp.listener()) [[unlikely]]
      tellAccess(warp.issuePoint(inst, 1u << lane),
                 {.kind = AccessKind::Write, .space = StateSpace::SharedCta},
                 to, size[lane]);
  }
  return inst + 1;
}

/// [a], size, 0
static bool decodeClear(Decoder &decoder, Inst &inst) {
  BulkInfo info;
  info.to = decodeEngineAddress(decoder, decoder.operand(0),
                                ptx::spaceOf(decoder.get(Slot::Space)));
  info.size = decoder.source(1, Type::U64);
  inst.fn = clear;
  inst.extra = decoder.keep(info);
  return true;
}

static const Inst *nothing(Warp &, const Inst *inst, uint32_t) {
  return inst + 1;
}

static bool decodePrefetch(Decoder &, Inst &inst) {
  inst.fn = nothing;
  return true;
}

void drawloom::emu::registerBulk(DecodeTable &table) {
  table.add(Opcode::CpAsyncBulk, decodeBulk);
  table.add(Opcode::CpReduceAsyncBulk, decodeBulk);
  table.add(Opcode::StBulk, decodeClear);
  table.add(Opcode::CpAsyncBulkPrefetch, decodePrefetch);
  table.add(Opcode::CpAsyncBulkPrefetchTensor, decodePrefetch);
}
