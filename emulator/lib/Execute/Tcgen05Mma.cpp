//===- Tcgen05Mma.cpp - MMAs, copies and commits of tcgen05 --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.16.9 to 9.7.16.12. Operands are checked when the
// instruction is issued; the work is done later (TensorMemory/TensorCore.h).

#include "Execute/Engine.h"
#include "Execute/Tcgen05.h"
#include "TensorMemory/InstructionDescriptor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::formatv;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::Type;

namespace {
struct MmaInfo {
  MmaKind kind;
  AddressRef d, aTensor;
  bool aInTensorMemory = false;
  Reg aDescriptor = 0, bDescriptor = 0, instruction = 0;
  Reg enable = 0; ///< A predicate: whether D is added to.
  llvm::ArrayRef<Reg> disabled;
  uint8_t scale = 0;
};

struct CopyInfo {
  AddressRef to;
  Reg descriptor = 0;
  uint8_t rows = 0, pieces = 0;
  uint8_t warps[4] = {}; ///< TensorWork::copyTo
};

struct CommitInfo {
  EngineAddress address;
  bool multicast = false;
  Reg ranks = 0;
};

struct Problem {
  ReportKind kind = ReportKind::IllegalInstruction;
  std::string message;
};
} // namespace

static uint32_t valueOf(Warp &warp, const AddressRef &address, unsigned lane) {
  return warp.lanes<uint32_t>(address.base)[lane] + address.offset;
}

/// The halves of the lanes that an MMA of M rows uses.
static uint8_t halvesOf(unsigned m, unsigned lane) {
  if (m == 128)
    return 0xff;
  return lane == 16 ? 0xaa : 0x55;
}

/// Elements of 6 and 4 bits have a byte of their own in tensor memory.
static ElementFormat inTensorMemory(ElementFormat format) {
  switch (format) {
  case ElementFormat::PackedE2M3:
    return ElementFormat::E2M3;
  case ElementFormat::PackedE3M2:
    return ElementFormat::E3M2;
  case ElementFormat::PackedE2M1:
    return ElementFormat::E2M1;
  default:
    return format;
  }
}

/// PTX ISA, section 9.7.16.10.3.
static std::string checkSwizzle(const SharedMatrix &matrix,
                                ElementFormat format, bool transposed) {
  bool isAtom32 = matrix.swizzle == SharedMatrix::B128Atom32;
  if (!transposed || isAtom32 == (infoOf(format).perPiece == 4))
    return "";
  return formatv("is transposed and has the {0}; {1} need {2}",
                 SharedMatrix::describe(matrix.swizzle),
                 isAtom32 ? "elements of 8 and 16 bits" : "elements of 32 bits",
                 isAtom32 ? "another one"
                          : "the 128-byte swizzle with 32-byte atoms");
}

static Problem readShared(Warp &warp, Reg reg, unsigned lane,
                          llvm::StringRef name, ElementFormat format,
                          bool transposed, SharedMatrix &matrix) {
  std::string problem = matrix.decodeTcgen05(warp.lanes<uint64_t>(reg)[lane]);
  if (problem.empty())
    problem = checkSwizzle(matrix, format, transposed);
  if (problem.empty())
    return {};
  return {ReportKind::IllegalInstruction,
          formatv("matrix {0} {1}", name, problem)};
}

/// Checks that the CTA may touch a region, and that nothing else does.
static Problem checkRegion(Warp &warp, const TensorRegion &region,
                           llvm::StringRef name, bool writes) {
  CTA &cta = warp.cta();
  std::string problem = tensorMemory(cta).checkAccess(cta, region);
  if (!problem.empty())
    return {ReportKind::IllegalAddress,
            formatv("{0} is in {1}", name, problem)};
  problem =
      tensorCore(cta).checkOrder(region, TensorCore::Access::Async, writes);
  if (!problem.empty())
    return {ReportKind::Protocol, formatv("{0} is in {1}", name, problem)};
  return {};
}

/// Fills in the work that one lane asks for.
static Problem readMma(Warp &warp, const MmaInfo &info, unsigned lane,
                       TensorWork &work) {
  MmaForm &form = work.form;
  std::string text = decodeInstruction(
      info.kind, warp.lanes<uint32_t>(info.instruction)[lane], form);
  if (!text.empty())
    return {ReportKind::IllegalInstruction, text};
  TensorAddress d(valueOf(warp, info.d, lane));
  if (d.lane != 0 && !(form.m == 64 && d.lane == 16))
    return {ReportKind::MisalignedAddress,
            formatv("D is at {0}; with M = {1} it must be at lane {2}", d.str(),
                    form.m, form.m == 64 ? "0 or 16" : "0")};
  work.lane = d.lane;
  work.writes = {d.column, form.n, halvesOf(form.m, d.lane)};
  Problem problem = checkRegion(warp, work.writes, "D", true);
  if (!problem.message.empty())
    return problem;

  if (info.aInTensorMemory) {
    TensorAddress a(valueOf(warp, info.aTensor, lane));
    if (form.aTransposed)
      return {ReportKind::IllegalInstruction,
              "A is in tensor memory and can't be transposed"};
    if (a.lane != d.lane)
      return {ReportKind::MisalignedAddress,
              formatv("A is at {0} and D at {1}: they must be at the same lane",
                      a.str(), d.str())};
    form.a = inTensorMemory(form.a);
    work.aInTensorMemory = true;
    work.reads = {a.column, piecesPerStep * pieceBytes / 4, work.writes.halves};
    problem = checkRegion(warp, work.reads, "A", false);
    if (problem.message.empty() && work.reads.overlaps(work.writes))
      problem = {ReportKind::IllegalInstruction,
                 formatv("A is in columns {0} to {1}, which D overwrites",
                         work.reads.column,
                         work.reads.column + work.reads.columns - 1)};
  } else {
    problem = readShared(warp, info.aDescriptor, lane, "A", form.a,
                         form.aTransposed, work.a);
  }
  if (problem.message.empty())
    problem = readShared(warp, info.bDescriptor, lane, "B", form.b,
                         form.bTransposed, work.b);
  if (!problem.message.empty())
    return problem;

  work.keeps = warp.test(info.enable) >> lane & 1;
  work.scale = work.keeps ? info.scale : 0;
  for (auto [index, reg] : llvm::enumerate(info.disabled))
    work.disabled[index] = warp.lanes<uint32_t>(reg)[lane];
  return {};
}

static const Inst *mma(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<MmaInfo>();
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    TensorWork work;
    work.issue = warp.issuePoint(inst, 1u << lane);
    Problem problem = readMma(warp, info, lane, work);
    if (!problem.message.empty())
      return warp.fail(inst, 1u << lane, problem.kind, problem.message);
    tensorCore(warp.cta()).issue(std::move(work));
  }
  return inst + 1;
}

static const Inst *copy(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<CopyInfo>();
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    TensorWork work;
    work.kind = TensorWork::Copy;
    work.issue = warp.issuePoint(inst, 1u << lane);
    work.copyRows = info.rows;
    work.copyPieces = info.pieces;
    std::copy_n(info.warps, 4, work.copyTo);
    TensorAddress to(valueOf(warp, info.to, lane));
    Problem problem;
    if (to.lane)
      problem = {ReportKind::MisalignedAddress,
                 formatv("copies to {0} of tensor memory; it must be lane 0",
                         to.str())};
    work.writes = {to.column, info.pieces * pieceBytes / 4, 0xff};
    if (problem.message.empty())
      problem = checkRegion(warp, work.writes, "the destination", true);
    if (problem.message.empty())
      problem = readShared(warp, info.descriptor, lane, "S",
                           ElementFormat::BF16, false, work.a);
    if (!problem.message.empty())
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
    tensorCore(cta).commit(warp.issuePoint(inst, 1u << lane), address, ranks);
  }
  return inst + 1;
}

static const Inst *fence(Warp &warp, const Inst *inst, uint32_t mask) {
  tellSync(warp, inst, mask, SyncEvent::Fence);
  return inst + 1;
}

/// [d], a or [a], b, idesc, {disabled lanes,} enable {, scale}
static bool decodeMma(Decoder &decoder, Inst &inst) {
  if (!isForOneCta(decoder) || decoder.has(Modifier::AShift))
    return false;
  MmaInfo info;
  switch (decoder.get(Slot::Kind)) {
  case Modifier::KindF16:
    info.kind = MmaKind::F16;
    break;
  case Modifier::KindTF32:
    info.kind = MmaKind::TF32;
    break;
  case Modifier::KindF8F6F4:
    info.kind = MmaKind::F8F6F4;
    break;
  case Modifier::KindI8:
    info.kind = MmaKind::I8;
    break;
  default:
    return false;
  }
  info.d = decoder.address(0);
  info.aInTensorMemory = decoder.operand(1).is(ptx::Operand::Address);
  if (info.aInTensorMemory)
    info.aTensor = decoder.address(1);
  else
    info.aDescriptor = decoder.source(1, Type::B64);
  info.bDescriptor = decoder.source(2, Type::B64);
  info.instruction = decoder.source(3, Type::B32);
  unsigned next = 4;
  if (decoder.operand(next).is(ptx::Operand::Vector))
    info.disabled = decoder.keepList<Reg>(decoder.sources(next++, Type::B32));
  info.enable = decoder.predicate(next++);
  if (next < decoder.operandCount())
    info.scale = decoder.operand(next).integer();
  inst.fn = mma;
  inst.extra = decoder.keep(info);
  return true;
}

static bool decodeCopy(Decoder &decoder, Inst &inst) {
  if (!isForOneCta(decoder) || decoder.get(Slot::SType) != Modifier::None)
    return false;
  // Which warps' lanes each 32 rows go to.
  static const struct {
    Modifier shape, warps;
    CopyInfo info;
  } shapes[] = {
      {Modifier::Copy128x256b, Modifier::None, {{}, 0, 128, 2, {1, 2, 4, 8}}},
      {Modifier::Copy128x128b, Modifier::None, {{}, 0, 128, 1, {1, 2, 4, 8}}},
      {Modifier::Copy64x128b, Modifier::Warpx2_02_13, {{}, 0, 64, 1, {5, 10}}},
      {Modifier::Copy64x128b, Modifier::Warpx2_01_23, {{}, 0, 64, 1, {3, 12}}},
      {Modifier::Copy32x128b, Modifier::Warpx4, {{}, 0, 32, 1, {15}}},
  };
  for (const auto &shape : shapes)
    if (decoder.get(Slot::Shape) == shape.shape &&
        decoder.get(Slot::Warps) == shape.warps) {
      CopyInfo info = shape.info;
      info.to = decoder.address(0);
      info.descriptor = decoder.source(1, Type::B64);
      inst.fn = copy;
      inst.extra = decoder.keep(info);
      return true;
    }
  return false;
}

static bool decodeCommit(Decoder &decoder, Inst &inst) {
  if (!isForOneCta(decoder))
    return false;
  CommitInfo info;
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
  return true;
}

void drawloom::emu::registerTcgen05Mma(DecodeTable &table) {
  table.add(Opcode::Tcgen05Mma, decodeMma);
  table.add(Opcode::Tcgen05Cp, decodeCopy);
  table.add(Opcode::Tcgen05Commit, decodeCommit);
  table.add(Opcode::Tcgen05FenceBefore, decodeFence);
  table.add(Opcode::Tcgen05FenceAfter, decodeFence);
}
