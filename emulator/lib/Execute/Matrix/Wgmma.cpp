//===- Wgmma.cpp - Matrix instructions of a warpgroup --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.15.

#include "Decode/Decoder.h"
#include "Execute/Matrix/WarpGroup.h"
#include "Execute/Matrix/WarpWide.h"
#include "Machine/Machine.h"
#include "Machine/Tell.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::Type;

/// Brings the warp together and finds its warpgroup. Null if the handler is to
/// return `next`.
static WarpGroup *prepare(Warp &warp, const Inst *inst, uint32_t mask,
                          const Inst *&next) {
  if (!wholeWarp(warp, inst, mask, next))
    return nullptr;
  WarpGroup *group =
      warp.cta().extensions.get<WarpGroups>(warp.cta()).find(warp);
  if (!group)
    next = warp.fail(inst, allLanes, ReportKind::IllegalInstruction,
                     "needs a warpgroup of four warps; the CTA has " +
                         llvm::Twine(warp.cta().warps().size()) +
                         " warps, and warp " + llvm::Twine(warp.index()) +
                         " is in none that is complete");
  return group;
}

static const Inst *fence(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next;
  WarpGroup *group = prepare(warp, inst, mask, next);
  if (!group)
    return next;
  group->fence(warp);
  if (warp.listener()) [[unlikely]]
    tell(warp.issuePoint(inst, allLanes),
         FenceEvent{.kind = FenceEvent::Wgmma});
  return next;
}

static void tellGroups(Warp &warp, const Inst *inst, GroupEvent::Kind kind,
                       uint64_t group) {
  uint32_t groups[32];
  std::fill_n(groups, 32, group);
  tell(warp.issuePoint(inst, allLanes),
       GroupEvent{.kind = kind, .family = GroupEvent::Wgmma, .groups = groups});
}

static const Inst *commitGroup(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next;
  WarpGroup *group = prepare(warp, inst, mask, next);
  if (!group)
    return next;
  if (WarpGroupProblem problem = group->commit(warp, inst))
    return warp.fail(inst, allLanes, problem.kind, problem.message);
  if (warp.listener()) [[unlikely]]
    tellGroups(warp, inst, GroupEvent::Commit, group->committed(warp) - 1);
  return next;
}

static const Inst *waitGroup(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next;
  WarpGroup *group = prepare(warp, inst, mask, next);
  if (!group)
    return next;
  if (!group->isDone(warp, inst->imm))
    return warp.wait(inst, allLanes, *group, WaitMode::Retry);
  if (warp.listener()) [[unlikely]] {
    uint64_t committed = group->committed(warp);
    tellGroups(warp, inst, GroupEvent::Wait,
               committed - std::min<uint64_t>(inst->imm, committed));
  }
  return next;
}

/// Whether a register is the same in all lanes.
static bool isUniform(Warp &warp, Reg reg) {
  llvm::ArrayRef<uint64_t> lanes(warp.lanes<uint64_t>(reg), 32);
  return llvm::all_equal(lanes);
}

static const Inst *mmaAsync(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next;
  WarpGroup *group = prepare(warp, inst, mask, next);
  if (!group)
    return next;
  const auto &info = inst->as<WgmmaInfo>();
  auto reject = [&](ReportKind kind, const llvm::Twine &message) {
    return warp.fail(inst, allLanes, kind, message);
  };
  uint64_t descriptors[2] = {0, 0};
  for (unsigned i = info.a.empty() ? 0 : 1; i != 2; ++i) {
    const char *name = i ? "B" : "A";
    Reg reg = i ? info.bDescriptor : info.aDescriptor;
    if (!isUniform(warp, reg))
      return reject(ReportKind::Protocol,
                    llvm::Twine("the descriptor of matrix ") + name +
                        " differs between the lanes of the warp");
    descriptors[i] = warp.lanes<uint64_t>(reg)[0];
    SharedMatrix matrix;
    std::string problem = matrix.decodeWgmma(descriptors[i]);
    if (!problem.empty())
      return reject(ReportKind::MisalignedAddress,
                    llvm::Twine("matrix ") + name + " " + problem);
    if (i && !info.form.bTransposed)
      problem = matrix.checkWidth(info.form.k() / infoOf(info.form.b).perPiece);
    if (!problem.empty())
      return reject(ReportKind::NotExecuted,
                    llvm::Twine("matrix ") + name + " " + problem);
  }
  uint32_t scaleD = warp.test(info.scaleD);
  if (scaleD != 0 && scaleD != allLanes)
    return reject(ReportKind::Divergence,
                  "scale-d differs between the lanes of the warp");
  if (WarpGroupProblem problem =
          group->issue(warp, inst, descriptors[0], descriptors[1], scaleD != 0))
    return reject(problem.kind, problem.message);
  return next;
}

/// Stands in the place of an instruction that touches registers of wgmmas.
static const Inst *touch(Warp &warp, const Inst *inst, uint32_t mask) {
  const Program &program = warp.program();
  const WatchedAccess &access =
      program.watchedAccesses.find(program.indexOf(inst))->second;
  WarpGroup *group =
      warp.cta().extensions.get<WarpGroups>(warp.cta()).find(warp);
  if (group)
    if (WarpGroupProblem problem = group->touch(warp, inst, access))
      return warp.fail(inst, mask, problem.kind, problem.message);
  return access.fn(warp, inst, mask);
}

static std::optional<ElementFormat> formatOf(Type type) {
  switch (type) {
  case Type::F16:
    return ElementFormat::F16;
  case Type::BF16:
    return ElementFormat::BF16;
  case Type::TF32:
    return ElementFormat::TF32;
  case Type::E4M3:
    return ElementFormat::E4M3;
  case Type::E5M2:
    return ElementFormat::E5M2;
  case Type::S8:
    return ElementFormat::S8;
  case Type::U8:
    return ElementFormat::U8;
  case Type::B1:
    return ElementFormat::B1;
  default:
    return std::nullopt;
  }
}

/// d, a or a-desc, b-desc, {metadata, selector,} scale-d
/// {, scale-a, scale-b {, trans-a} {, trans-b}}
static bool decodeMmaAsync(Decoder &decoder, Inst &inst) {
  std::optional<ElementFormat> a = formatOf(decoder.type(Slot::AType));
  std::optional<ElementFormat> b = formatOf(decoder.type(Slot::BType));
  if (!a || !b)
    return false;
  WgmmaInfo info;
  info.form.m = 64;
  info.form.n = ptx::numberOf(decoder.get(Slot::Shape));
  info.form.a = *a;
  info.form.b = *b;
  Type d = decoder.type(Slot::DType);
  info.form.d = d == Type::F32   ? Accumulator::F32
                : d == Type::F16 ? Accumulator::F16
                                 : Accumulator::S32;
  info.form.saturated = decoder.has(Modifier::Satfinite);
  bool isFP8 = *a == ElementFormat::E4M3 || *a == ElementFormat::E5M2;
  if (isFP8 && d == Type::F32)
    info.form.sumBits = decoder.module().device().model().fp8SumBits;

  info.d = decoder.keepList<Reg>(decoder.dests(0));
  bool aInRegisters = decoder.operand(1).is(ptx::Operand::Vector);
  if (aInRegisters)
    info.a = decoder.keepList<Reg>(decoder.sources(1, Type::B32));
  else
    info.aDescriptor = decoder.source(1, Type::B64);
  info.bDescriptor = decoder.source(2, Type::B64);
  unsigned next = 3;
  if (decoder.opcode() == Opcode::WgmmaMmaAsyncSp) {
    info.form.sparsity =
        Sparsity::of(128 / infoOf(*a).perPiece, MetadataOrder::Any);
    info.metadata = decoder.source(next++, Type::B32);
    info.selector = decoder.operand(next++).integer();
  }
  info.scaleD = decoder.predicate(next++);
  auto immediate = [&]() -> int64_t {
    return next < decoder.operandCount() ? decoder.operand(next++).integer()
                                         : 0;
  };
  bool negatesA = immediate() == -1, negatesB = immediate() == -1;
  info.form.negated = negatesA != negatesB;
  if (!aInRegisters)
    info.form.aTransposed = immediate() == 1;
  info.form.bTransposed = immediate() == 1;
  llvm::SmallVector<uint32_t, 128> watched;
  for (llvm::ArrayRef<Reg> list : {info.d, info.a})
    for (Reg reg : list)
      watched.push_back(decoder.watch(reg, touch));
  info.watched = decoder.keepList<uint32_t>(watched);
  inst.fn = mmaAsync;
  inst.extra = decoder.keep(info);
  return true;
}

template <Execute *handler>
static bool decodeSimple(Decoder &decoder, Inst &inst) {
  inst.fn = handler;
  if (decoder.operandCount())
    inst.imm = decoder.operand(0).integer();
  return true;
}

void drawloom::emu::registerWgmma(DecodeTable &table) {
  table.add(Opcode::WgmmaFence, decodeSimple<fence>);
  table.add(Opcode::WgmmaCommitGroup, decodeSimple<commitGroup>);
  table.add(Opcode::WgmmaWaitGroup, decodeSimple<waitGroup>);
  table.add(Opcode::WgmmaMmaAsync, decodeMmaAsync);
  table.add(Opcode::WgmmaMmaAsyncSp, decodeMmaAsync);
}
