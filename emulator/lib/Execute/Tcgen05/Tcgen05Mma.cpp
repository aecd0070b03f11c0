//===- Tcgen05Mma.cpp - tcgen05.mma --------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.16.10. Operands are checked when the instruction is
// issued; the work is done later (TensorMemory/TensorCore.h).

#include "Execute/Tcgen05/Tcgen05.h"
#include "TensorMemory/InstructionDescriptor.h"
#include "TensorMemory/SparseMetadata.h"
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
  MmaVariant variant;
  AddressRef d, aTensor, metadata, aScales, bScales;
  bool aInTensorMemory = false;
  bool shiftsA = false;
  Reg aDescriptor = 0, bDescriptor = 0, instruction = 0;
  Reg enable = 0; ///< A predicate: whether D is added to.
  llvm::ArrayRef<Reg> disabled;
  uint8_t scale = 0;
  bool hasZeroColumns = false;
  Reg zeroColumns = 0;
};
} // namespace

/// The halves of the lanes that D and A use.
static uint8_t halvesOf(const TensorWork &work) {
  if (work.form.m == 128 || work.parts != 1)
    return 0xff;
  return work.lane == 16 ? 0xaa : 0x55;
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

static TensorProblem readOperand(Warp &warp, Reg reg, unsigned lane,
                                 llvm::StringRef name, ElementFormat format,
                                 bool transposed, SharedMatrix &matrix) {
  if (TensorProblem problem = readShared(warp, reg, lane, name, matrix))
    return problem;
  std::string problem = checkSwizzle(matrix, format, transposed);
  if (problem.empty())
    return {};
  return {ReportKind::IllegalInstruction,
          formatv("matrix {0} {1}", name, problem)};
}

static TensorProblem readA(Warp &warp, const MmaInfo &info, unsigned lane,
                           TensorWork &work) {
  MmaForm &form = work.form;
  if (!info.aInTensorMemory)
    return readOperand(warp, info.aDescriptor, lane, "A", form.a,
                       form.aTransposed, work.a);
  TensorAddress a(valueOf(warp, info.aTensor, lane));
  TensorAddress d(valueOf(warp, info.d, lane));
  if (form.aTransposed)
    return {ReportKind::IllegalInstruction,
            "A is in tensor memory and can't be transposed"};
  if (a.lane != d.lane)
    return {ReportKind::MisalignedAddress,
            formatv("A is at {0} and D at {1}: they must be at the same lane",
                    a.str(), d.str())};
  if (info.shiftsA && form.m != 128)
    return {ReportKind::IllegalInstruction,
            formatv(".ashift needs M = 128 or 256; a CTA has {0} rows of A",
                    form.m)};
  form.a = inTensorMemory(form.a);
  work.aInTensorMemory = true;
  work.shiftsA = info.shiftsA;
  TensorRegion &region = work.reads[0];
  region = {a.column, piecesPerStep * pieceBytes / 4, work.writes.halves,
            work.writes.ctas};
  if (TensorProblem problem = checkRegion(warp.cta(), region, "A is", false))
    return problem;
  if (!region.overlaps(work.writes))
    return {};
  return {ReportKind::IllegalInstruction,
          formatv("A is in columns {0} to {1}, which D overwrites",
                  region.column, region.column + region.columns - 1)};
}

static TensorProblem readMetadata(Warp &warp, const MmaInfo &info,
                                  unsigned lane, const MmaShape &shape,
                                  TensorWork &work) {
  TensorAddress at(valueOf(warp, info.metadata, lane));
  if (at.lane != work.lane)
    return {ReportKind::MisalignedAddress,
            formatv("the metadata is at {0} and D at lane {1}: they must be at "
                    "the same lane",
                    at.str(), work.lane)};
  TensorRegion &region = work.reads[3];
  region = {uint32_t(at.column) + shape.selector, metadataColumns(work.form),
            work.writes.halves, work.writes.ctas};
  if (TensorProblem problem =
          checkRegion(warp.cta(), region, "the metadata is", false))
    return problem;
  if (!region.overlaps(work.writes))
    return {};
  return {ReportKind::IllegalInstruction,
          formatv("the metadata is in column {0}, which D overwrites",
                  region.column)};
}

static TensorProblem readScales(Warp &warp, const MmaInfo &info, unsigned lane,
                                const MmaShape &shape, TensorWork &work) {
  work.scales = {info.variant.scalesPerRow, shape.scaleType, shape.aScale,
                 shape.bScale};
  const struct {
    const char *name;
    const AddressRef &address;
    unsigned rows;
    uint16_t &column;
    TensorRegion &region;
  } operands[] = {
      {"the scale factors of A are", info.aScales, work.form.m,
       work.scales.aColumn, work.reads[1]},
      {"the scale factors of B are", info.bScales,
       work.form.n / unsigned(work.parts), work.scales.bColumn, work.reads[2]},
  };
  for (const auto &operand : operands) {
    // CUTLASS leaves the byte of the first factor, which the instruction
    // descriptor has, in the two highest bits of the address, too. No lane
    // needs them.
    constexpr uint32_t addressBits = 0x3fffffff;
    TensorAddress at(valueOf(warp, operand.address, lane) & addressBits);
    if (at.lane)
      return {ReportKind::MisalignedAddress,
              formatv("{0} at {1}; they must be at lane 0", operand.name,
                      at.str())};
    operand.column = at.column;
    operand.region = {at.column, scaleColumns(operand.rows), 0xff,
                      work.writes.ctas};
    if (TensorProblem problem =
            checkRegion(warp.cta(), operand.region, operand.name, false))
      return problem;
    if (operand.region.overlaps(work.writes))
      return {ReportKind::IllegalInstruction,
              formatv("{0} in columns {1} to {2}, which D overwrites",
                      operand.name, at.column,
                      at.column + operand.region.columns - 1)};
  }
  return {};
}

static TensorProblem readZeroColumns(Warp &warp, const MmaInfo &info,
                                     unsigned lane, TensorWork &work) {
  work.zeroColumns = {warp.lanes<uint64_t>(info.zeroColumns)[lane]};
  if (unsigned shift = work.zeroColumns.shift())
    return {ReportKind::NotExecuted,
            formatv("the zero-column mask descriptor shifts B by {0} columns; "
                    "the emulator doesn't",
                    shift)};
  return {};
}

/// Fills in the work that one lane asks for.
static TensorProblem readMma(Warp &warp, const MmaInfo &info, unsigned lane,
                             TensorWork &work) {
  CTA &cta = warp.cta();
  work.pair = info.variant.pair;
  if (work.pair)
    if (TensorProblem problem = checkPeer(cta))
      return problem;
  MmaShape shape;
  std::string text = decodeInstruction(
      info.variant, warp.lanes<uint32_t>(info.instruction)[lane], shape);
  if (!text.empty())
    return {ReportKind::IllegalInstruction, text};
  MmaForm &form = work.form;
  form = shape.form;
  work.parts = shape.parts;
  TensorAddress d(valueOf(warp, info.d, lane));
  bool mayBeAt16 = form.m == 64 && work.parts == 1;
  if (d.lane != 0 && !(mayBeAt16 && d.lane == 16))
    return {ReportKind::MisalignedAddress,
            formatv("D is at {0}; with M = {1} it must be at lane {2}", d.str(),
                    work.pair ? 2 * form.m : form.m,
                    mayBeAt16 ? "0 or 16" : "0")};
  work.lane = d.lane;
  work.writes = {d.column, uint32_t(form.n) / work.parts, halvesOf(work),
                 ctasOf(cta, work.pair)};
  TensorProblem problem = checkRegion(cta, work.writes, "D is", true);
  if (!problem)
    problem = readA(warp, info, lane, work);
  if (!problem)
    problem = readOperand(warp, info.bDescriptor, lane, "B", form.b,
                          form.bTransposed, work.b);
  if (!problem && !form.bTransposed) {
    std::string width = work.b.checkWidth(form.k() / infoOf(form.b).perPiece);
    if (!width.empty())
      problem = {ReportKind::NotExecuted, "matrix B " + width};
  }
  if (!problem && form.sparsity)
    problem = readMetadata(warp, info, lane, shape, work);
  if (!problem && info.variant.scalesPerRow)
    problem = readScales(warp, info, lane, shape, work);
  if (!problem && info.hasZeroColumns)
    problem = readZeroColumns(warp, info, lane, work);
  if (problem)
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
    work.issue = warp.newOperation(inst, 1u << lane);
    if (TensorProblem problem = readMma(warp, info, lane, work))
      return warp.fail(inst, 1u << lane, problem.kind, problem.message);
    tensorCore(warp.cta()).issue(std::move(work));
  }
  return inst + 1;
}

/// The kind, and how many scale factors there are for the K of an MMA.
static bool decodeKind(Decoder &decoder, MmaVariant &variant) {
  switch (decoder.get(Slot::Kind)) {
  case Modifier::KindF16:
    variant.kind = MmaKind::F16;
    return true;
  case Modifier::KindTF32:
    variant.kind = MmaKind::TF32;
    return true;
  case Modifier::KindF8F6F4:
    variant.kind = MmaKind::F8F6F4;
    return true;
  case Modifier::KindI8:
    variant.kind = MmaKind::I8;
    return true;
  case Modifier::KindMXF8F6F4:
    variant.kind = MmaKind::MXF8F6F4;
    variant.scalesPerRow = 1;
    return true;
  case Modifier::KindMXF4:
    variant.kind = MmaKind::MXF4;
    variant.scalesPerRow = 2;
    return true;
  case Modifier::KindMXF4NVF4: {
    Modifier size = decoder.get(Slot::ScaleVector);
    variant.kind = MmaKind::MXF4NVF4;
    variant.scalesPerRow =
        size == Modifier::ScaleVec4X || size == Modifier::Block16 ? 4 : 2;
    return true;
  }
  default:
    return false;
  }
}

/// [d], a or [a], b, {[metadata],} idesc, and then one of
///   {disabled lanes,} enable {, scale}
///   [scales of a], [scales of b], enable
///   enable {, zero columns}             (.ws)
static bool decodeMma(Decoder &decoder, Inst &inst) {
  MmaInfo info;
  if (!decodeKind(decoder, info.variant))
    return false;
  info.variant.pair = isForPair(decoder);
  Opcode opcode = decoder.opcode();
  info.variant.weightStationary =
      opcode == Opcode::Tcgen05MmaWs || opcode == Opcode::Tcgen05MmaWsSp;
  info.variant.sparse =
      opcode == Opcode::Tcgen05MmaSp || opcode == Opcode::Tcgen05MmaWsSp;
  info.shiftsA = decoder.has(Modifier::AShift);
  // PTX doesn't say whether the metadata is shifted, too.
  if (info.shiftsA && info.variant.sparse)
    return false;
  info.d = decoder.address(0);
  info.aInTensorMemory = decoder.operand(1).is(ptx::Operand::Address);
  if (info.aInTensorMemory)
    info.aTensor = decoder.address(1);
  else
    info.aDescriptor = decoder.source(1, Type::B64);
  info.bDescriptor = decoder.source(2, Type::B64);
  unsigned next = 3;
  if (info.variant.sparse)
    info.metadata = decoder.address(next++);
  info.instruction = decoder.source(next++, Type::B32);
  if (info.variant.scalesPerRow) {
    info.aScales = decoder.address(next++);
    info.bScales = decoder.address(next++);
  } else if (decoder.operand(next).is(ptx::Operand::Vector)) {
    info.disabled = decoder.keepList<Reg>(decoder.sources(next++, Type::B32));
  }
  info.enable = decoder.predicate(next++);
  if (next < decoder.operandCount()) {
    info.hasZeroColumns = info.variant.weightStationary;
    if (info.hasZeroColumns)
      info.zeroColumns = decoder.source(next, Type::B64);
    else
      info.scale = decoder.operand(next).integer();
  }
  inst.fn = mma;
  inst.extra = decoder.keep(info);
  return true;
}

void drawloom::emu::registerTcgen05Mma(DecodeTable &table) {
  table.add(Opcode::Tcgen05Mma, decodeMma);
  table.add(Opcode::Tcgen05MmaSp, decodeMma);
  table.add(Opcode::Tcgen05MmaWs, decodeMma);
  table.add(Opcode::Tcgen05MmaWsSp, decodeMma);
}
