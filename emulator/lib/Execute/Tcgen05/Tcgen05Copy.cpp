//===- Tcgen05Copy.cpp - Copies, shifts and commits of tcgen05 -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.16.9, 9.7.16.11 and 9.7.16.12.

#include "Engine/Engine.h"
#include "Execute/Tcgen05/Tcgen05.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::formatv;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::Type;

namespace {
struct CopyInfo {
  AddressRef to;
  Reg descriptor = 0;
  bool pair = false;
  CopyFormat format = CopyFormat::AsIs;
  uint8_t rows = 0, pieces = 0;
  uint8_t warps[4] = {}; ///< TensorWork::copyTo
};

struct ShiftInfo {
  AddressRef address;
  bool pair = false;
};

struct CommitInfo {
  EngineAddress address;
  bool pair = false;
  bool multicast = false;
  Reg ranks = 0;
};
} // namespace

/// 32 bytes of each of the 32 lanes of a warp.
static constexpr unsigned shiftColumns = 8;

/// What copies and shifts have in common.
static TensorWork workOf(Warp &warp, const Inst *inst, unsigned lane,
                         TensorWork::Kind kind, bool pair) {
  TensorWork work;
  work.kind = kind;
  work.issue = warp.newOperation(inst, 1u << lane);
  work.pair = pair;
  return work;
}

static TensorProblem readCopy(Warp &warp, const CopyInfo &info, unsigned lane,
                              TensorWork &work) {
  CTA &cta = warp.cta();
  work.copyRows = info.rows;
  work.copyPieces = info.pieces;
  work.copyFormat = info.format;
  std::copy_n(info.warps, 4, work.copyTo);
  TensorAddress to(valueOf(warp, info.to, lane));
  if (to.lane)
    return {
        ReportKind::MisalignedAddress,
        formatv("copies to {0} of tensor memory; it must be lane 0", to.str())};
  work.writes = {to.column, info.pieces * pieceBytes / 4, 0xff,
                 ctasOf(cta, info.pair)};
  if (TensorProblem problem =
          checkRegion(cta, work.writes, "the destination is", true))
    return problem;
  return readShared(warp, info.descriptor, lane, "S", work.a);
}

static const Inst *copy(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<CopyInfo>();
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    TensorWork work = workOf(warp, inst, lane, TensorWork::Copy, info.pair);
    TensorProblem problem;
    if (info.pair)
      problem = checkPeer(warp.cta());
    if (!problem)
      problem = readCopy(warp, info, lane, work);
    if (problem)
      return warp.fail(inst, 1u << lane, problem.kind, problem.message);
    tensorCore(warp.cta()).issue(std::move(work));
  }
  return inst + 1;
}

static TensorProblem readShift(Warp &warp, const ShiftInfo &info, unsigned lane,
                               TensorWork &work) {
  CTA &cta = warp.cta();
  TensorAddress at(valueOf(warp, info.address, lane));
  if (at.lane % 32 || at.lane >= TensorMemory::lanes)
    return {ReportKind::MisalignedAddress,
            formatv("shifts the rows from {0} on; the lane must be a multiple "
                    "of 32 below 128",
                    at.str())};
  work.lane = at.lane;
  work.writes = {at.column, shiftColumns, uint8_t(3u << at.lane / 16),
                 ctasOf(cta, info.pair)};
  return checkRegion(cta, work.writes, "the matrix is", true);
}

static const Inst *shift(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<ShiftInfo>();
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    TensorWork work = workOf(warp, inst, lane, TensorWork::Shift, info.pair);
    TensorProblem problem;
    if (info.pair)
      problem = checkPeer(warp.cta());
    if (!problem)
      problem = readShift(warp, info, lane, work);
    if (problem)
      return warp.fail(inst, 1u << lane, problem.kind, problem.message);
    tensorCore(warp.cta()).issue(std::move(work));
  }
  return inst + 1;
}

static const Inst *commit(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<CommitInfo>();
  CTA &cta = warp.cta();
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    if (info.pair)
      if (TensorProblem problem = checkPeer(cta))
        return warp.fail(inst, 1u << lane, problem.kind, problem.message);
    uint64_t address = info.address.of(warp, lane);
    if (!isShared(address))
      return warp.fail(inst, 1u << lane, ReportKind::IllegalAddress,
                       "the mbarrier at " + nameAddress(cta, address) +
                           " isn't in shared memory");
    std::optional<uint16_t> ranks;
    if (info.multicast) {
      ranks = warp.lanes<uint32_t>(info.ranks)[lane];
      if (uint32_t outside = *ranks >> cta.cluster().size())
        return warp.fail(
            inst, 1u << lane, ReportKind::IllegalInstruction,
            formatv("the mask {0:x} names CTA rank {1}; the cluster has {2} "
                    "CTAs",
                    *ranks, llvm::countr_zero(outside) + cta.cluster().size(),
                    cta.cluster().size()));
    }
    tensorCore(cta).commit(warp.newOperation(inst, 1u << lane), address, ranks);
  }
  return inst + 1;
}

static const Inst *fence(Warp &warp, const Inst *inst, uint32_t mask) {
  if (warp.listener()) [[unlikely]]
    tell(warp.issuePoint(inst, mask),
         FenceEvent{.kind = inst->imm ? FenceEvent::TensorBefore
                                      : FenceEvent::TensorAfter});
  return inst + 1;
}

static bool decodeCopy(Decoder &decoder, Inst &inst) {
  // Which warps' lanes each 32 rows go to.
  static const struct {
    Modifier shape, warps;
    uint8_t rows, pieces;
    uint8_t to[4];
  } shapes[] = {
      {Modifier::Copy128x256b, Modifier::None, 128, 2, {1, 2, 4, 8}},
      {Modifier::Copy128x128b, Modifier::None, 128, 1, {1, 2, 4, 8}},
      {Modifier::Copy64x128b, Modifier::Warpx2_02_13, 64, 1, {5, 10}},
      {Modifier::Copy64x128b, Modifier::Warpx2_01_23, 64, 1, {3, 12}},
      {Modifier::Copy32x128b, Modifier::Warpx4, 32, 1, {15}},
  };
  for (const auto &shape : shapes)
    if (decoder.get(Slot::Shape) == shape.shape &&
        decoder.get(Slot::Warps) == shape.warps) {
      CopyInfo info;
      info.to = decoder.address(0);
      info.descriptor = decoder.source(1, Type::B64);
      info.pair = isForPair(decoder);
      info.rows = shape.rows;
      info.pieces = shape.pieces;
      std::copy_n(shape.to, 4, info.warps);
      if (decoder.get(Slot::SType) != Modifier::None)
        info.format = decoder.type(Slot::SType) == Type::B6x16p32
                          ? CopyFormat::From6Bits
                          : CopyFormat::From4Bits;
      inst.fn = copy;
      inst.extra = decoder.keep(info);
      return true;
    }
  return false;
}

static bool decodeShift(Decoder &decoder, Inst &inst) {
  ShiftInfo info;
  info.address = decoder.address(0);
  info.pair = isForPair(decoder);
  inst.fn = shift;
  inst.extra = decoder.keep(info);
  return true;
}

static bool decodeCommit(Decoder &decoder, Inst &inst) {
  CommitInfo info;
  info.pair = isForPair(decoder);
  info.address = decodeEngineAddress(decoder, decoder.operand(0),
                                     ptx::spaceOf(decoder.get(Slot::Space)));
  info.multicast = decoder.get(Slot::Multicast) != Modifier::None;
  if (info.multicast)
    info.ranks = decoder.source(1, Type::B16);
  inst.fn = commit;
  inst.extra = decoder.keep(info);
  return true;
}

static bool decodeFence(Decoder &decoder, Inst &inst) {
  inst.fn = fence;
  inst.imm = decoder.opcode() == Opcode::Tcgen05FenceBefore;
  return true;
}

void drawloom::emu::registerTcgen05Copy(DecodeTable &table) {
  table.add(Opcode::Tcgen05Cp, decodeCopy);
  table.add(Opcode::Tcgen05Shift, decodeShift);
  table.add(Opcode::Tcgen05Commit, decodeCommit);
  table.add(Opcode::Tcgen05FenceBefore, decodeFence);
  table.add(Opcode::Tcgen05FenceAfter, decodeFence);
}
