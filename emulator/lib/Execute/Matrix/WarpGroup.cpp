//===- WarpGroup.cpp - Four warps that multiply matrices -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute/Matrix/WarpGroup.h"
#include "Arithmetic/Fold.h"
#include "Engine/Engine.h"
#include "Engine/MatrixOperand.h"
#include "Execute/Matrix/QuadMetadata.h"
#include "Machine/Machine.h"
#include "Timing/Clock.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::formatv;

namespace drawloom::emu {
/// The oldest group of a warpgroup.
class WgmmaOp : public AsyncOp {
public:
  WgmmaOp(IssuePoint issue, WarpGroup &group)
      : AsyncOp(EngineKind::MatrixMultiply, issue), group(group) {}
  void complete(Machine &machine) override { group.complete(machine, issue); }

private:
  WarpGroup &group;
};
} // namespace drawloom::emu

//===----------------------------------------------------------------------===//
// What the warps do
//===----------------------------------------------------------------------===//

/// Whether a watched register belongs to D, and not to A.
static bool isAccumulator(const Inst *inst, uint32_t watched) {
  const auto &info = inst->as<WgmmaInfo>();
  return llvm::is_contained(info.watched.take_front(info.d.size()), watched);
}

static std::array<unsigned, 3> shapeOf(const Inst *inst) {
  const MmaForm &form = inst->as<WgmmaInfo>().form;
  return {form.m, form.n, form.k()};
}

WarpGroupProblem WarpGroup::issue(Warp &warp, const Inst *inst,
                                  uint64_t aDescriptor, uint64_t bDescriptor,
                                  bool keeps) {
  unsigned index = warp.index() % warpCount;
  WarpState &state = warps[index];
  if (!state.fences)
    return {ReportKind::Protocol,
            "the first wgmma.mma_async of a warp needs a wgmma.fence in front "
            "of it; without one, its accumulators and registers of A may be "
            "older than what was written last"};
  state.last = inst;
  if (WarpGroupProblem problem = takeRegisters(warp, state, inst))
    return problem;
  uint64_t number = state.issued++ - mmasDone;
  bool isFirst = number == mmas.size();
  if (isFirst)
    mmas.push_back({inst,
                    aDescriptor,
                    bDescriptor,
                    keeps,
                    0,
                    uint8_t(warp.index()),
                    cta.cluster().newOperation(),
                    {}});
  Mma &mma = mmas[number];
  if (warp.listener()) [[unlikely]]
    tellIssue(warp, mma, state.committed);
  mma.issued |= 1u << index;
  const auto &info = inst->as<WgmmaInfo>();
  constexpr uint8_t everyone = (1u << warpCount) - 1;
  Machine &machine = cta.machine();
  if (Clock *clock = machine.clock(); clock && mma.issued == everyone)
    due =
        clock->wgmma(cta.sm().index, info.form.n, info.a.empty(), machine.now);
  if (info.form.sparsity && mma.inst == inst) {
    mma.metadata.resize(info.form.m);
    readQuadMetadata(warp, info.metadata, info.selector, info.form.k(),
                     128 / infoOf(info.form.a).perPiece,
                     &mma.metadata[index * quadMetadataRows]);
  }
  if (isFirst)
    return {};
  const Program &program = warp.program();
  if (mma.inst != inst)
    return {ReportKind::Divergence,
            formatv("the warps of a warpgroup issue different instructions: "
                    "warp {0} issued that of line {1} here",
                    mma.firstWarp, program.line(mma.inst))};
  if (mma.a != aDescriptor || mma.b != bDescriptor)
    return {ReportKind::Protocol,
            formatv("the descriptor of matrix {0} is {1:x}; warp {2} of the "
                    "same warpgroup has {3:x}",
                    mma.b != bDescriptor ? "B" : "A",
                    mma.b != bDescriptor ? bDescriptor : aDescriptor,
                    mma.firstWarp, mma.b != bDescriptor ? mma.b : mma.a)};
  if (mma.keeps != keeps)
    return {ReportKind::Protocol,
            formatv("scale-d is {0}; warp {1} of the same warpgroup has {2}",
                    keeps, mma.firstWarp, mma.keeps)};
  return {};
}

WarpGroupProblem WarpGroup::commit(Warp &warp, const Inst *inst) {
  unsigned index = warp.index() % warpCount;
  WarpState &state = warps[index];
  state.last = inst;
  state.ends.push_back(state.issued);
  uint64_t group = state.committed++ - groupsDone;
  if (group == groups.size())
    groups.push_back({state.issued, 0, uint8_t(warp.index())});
  Group &entry = groups[group];
  if (entry.end != state.issued)
    return {ReportKind::Divergence,
            formatv("this is commit {0} of the warp, after {1} "
                    "wgmma.mma_async; warp {2} of the same warpgroup had "
                    "issued {3} at its commit {0}",
                    state.committed, state.issued, entry.firstWarp, entry.end)};
  entry.committed |= 1u << index;
  if (entry.committed == (1u << warpCount) - 1) {
    auto work = std::make_unique<WgmmaOp>(warp.issuePoint(inst, ~0u), *this);
    work->due = due;
    cta.machine().post(queue, std::move(work));
  }
  return {};
}

void WarpGroup::tellIssue(Warp &warp, const Mma &mma, uint64_t group) const {
  uint32_t groups[32];
  std::fill_n(groups, 32, group);
  IssuePoint issue = warp.issuePoint(mma.inst, ~0u);
  issue.operation = mma.operation;
  tell(issue,
       OperationEvent{.engine = EngineKind::MatrixMultiply, .groups = groups});
}

bool WarpGroup::isDone(Warp &warp, unsigned pending) {
  WarpState &state = warps[warp.index() % warpCount];
  if (state.committed - std::min(state.committed, groupsDone) > pending)
    return false;
  if (state.committed > pending)
    state.waited = std::max(state.waited, state.committed - pending);
  for (; state.ends.size() > pending; state.ends.pop_front())
    state.settled = state.ends.front();
  return true;
}

WarpGroupProblem WarpGroup::takeRegisters(Warp &warp, WarpState &state,
                                          const Inst *inst) {
  const Program &program = warp.program();
  state.registers.resize(program.watchedRegisters);
  for (uint32_t watched : inst->as<WgmmaInfo>().watched) {
    RegisterState &reg = state.registers[watched];
    if (reg.touched == state.fences + 1)
      return {ReportKind::Protocol,
              formatv("line {0} touched a register of {1} after the last "
                      "wgmma.fence of the warp; a fence must stand between it "
                      "and this instruction",
                      program.line(reg.toucher),
                      isAccumulator(inst, watched) ? "D" : "A")};
    // MMAs of one shape add to an accumulator one after the other.
    if (reg.mma > state.settled && reg.mmaFence == state.fences &&
        shapeOf(reg.mmaInst) != shapeOf(inst) &&
        isAccumulator(reg.mmaInst, watched))
      return {ReportKind::Protocol,
              formatv("line {0} accumulates m{1}n{2}k{3} into a register that "
                      "this instruction uses, and may be in flight: only MMAs "
                      "of the same shape are ordered by themselves; wait for "
                      "it, or put a wgmma.fence between the two",
                      program.line(reg.mmaInst), shapeOf(reg.mmaInst)[0],
                      shapeOf(reg.mmaInst)[1], shapeOf(reg.mmaInst)[2])};
    reg.mma = state.issued + 1;
    reg.mmaFence = state.fences;
    reg.mmaInst = inst;
  }
  return {};
}

WarpGroupProblem WarpGroup::touch(Warp &warp, const Inst *inst,
                                  const WatchedAccess &access) {
  WarpState &state = warps[warp.index() % warpCount];
  const Program &program = warp.program();
  state.registers.resize(program.watchedRegisters);
  for (auto [watched, number] : access.registers) {
    RegisterState &reg = state.registers[watched];
    if (reg.mma > state.settled)
      return {ReportKind::Protocol,
              formatv("touches {0}, a register of {1} of the wgmma.mma_async "
                      "of line {2}, for which the warp hasn't waited "
                      "(wgmma.wait_group)",
                      program.nameRegister(inst, number),
                      isAccumulator(reg.mmaInst, watched) ? "D" : "A",
                      program.line(reg.mmaInst))};
    reg.touched = state.fences + 1;
    reg.toucher = inst;
  }
  return {};
}

std::string WarpGroup::unfinished(const Warp &warp) const {
  const WarpState &state = warps[warp.index() % warpCount];
  uint64_t lastEnd = mmasDone;
  for (size_t i = 0; groupsDone + i < state.committed; ++i)
    lastEnd = groups[i].end;
  if (state.issued > lastEnd)
    return formatv("exits with {0} wgmma.mma_async that it hasn't committed",
                   state.issued - lastEnd);
  if (state.committed > state.waited)
    return formatv("exits without a wgmma.wait_group for its last {0} of {1} "
                   "groups",
                   state.committed - state.waited, state.committed);
  return "";
}

std::string WarpGroup::describe(const Fragment &waiter) const {
  std::string text = formatv("waits for wgmma group {0}", groupsDone + 1).str();
  if (groups.empty())
    return text;
  llvm::SmallVector<std::string, 4> missing;
  for (unsigned index = 0; index != warpCount; ++index)
    if (!(groups.front().committed >> index & 1))
      missing.push_back(llvm::utostr(firstWarp() + index));
  if (!missing.empty())
    text += std::string(", which ") +
            (missing.size() == 1 ? "warp " : "warps ") +
            llvm::join(missing, ", ") +
            (missing.size() == 1 ? " hasn't committed" : " haven't committed");
  return text;
}

WarpGroups::WarpGroups(CTA &cta) {
  for (unsigned number = 0;
       (number + 1) * WarpGroup::warpCount <= cta.warps().size(); ++number)
    groups.push_back(std::make_unique<WarpGroup>(cta, number));
}

void WarpGroups::lanesExited(Warp &warp, uint32_t lanes) {
  WarpGroup *group = find(warp);
  if (!group || warp.live() || !group->lastInst(warp))
    return;
  std::string problem = group->unfinished(warp);
  if (!problem.empty())
    warp.machine().fail(warp.issuePoint(group->lastInst(warp), lanes),
                        ReportKind::Protocol, "the warp " + problem);
}

//===----------------------------------------------------------------------===//
// The work
//===----------------------------------------------------------------------===//

namespace {
/// The accumulator in the registers of four warps: warp w has rows 16w to
/// 16w + 15. Lane t has, for each eight columns, the columns 2(t % 4) and the
/// next in row t / 4 and in row t / 4 + 8 (PTX ISA, figures 149 to 155). So the
/// lanes 4q to 4q + 3 of two registers are eight columns of a row.
struct WordRegisters {
  Warp *const *warps;
  llvm::ArrayRef<Reg> d;

  struct Row {
    char *lanes;     ///< Of the first register in the file.
    const Reg *regs; ///< The first of two for each eight columns.

    Word8 load(unsigned column) const {
      using Word4 = uint32_t __attribute__((vector_size(16)));
      const Reg *pair = regs + column / 2;
      auto even = loadVector<Word4>(lanes + pair[0]);
      auto odd = loadVector<Word4>(lanes + pair[1]);
      return __builtin_shufflevector(even, odd, 0, 4, 1, 5, 2, 6, 3, 7);
    }
    void store(unsigned column, Word8 words) const {
      const Reg *pair = regs + column / 2;
      storeVector(lanes + pair[0],
                  __builtin_shufflevector(words, words, 0, 2, 4, 6));
      storeVector(lanes + pair[1],
                  __builtin_shufflevector(words, words, 1, 3, 5, 7));
    }
  };
  bool skips(unsigned row) const { return false; }
  Row row(unsigned row) const {
    return {warps[row / 16]->lanes<char>(0) + row % 8 * 16,
            d.data() + row / 8 % 2 * 2};
  }
};

/// The same with two f16 in a register: one register for eight columns.
struct HalfRegisters {
  Warp *const *warps;
  llvm::ArrayRef<Reg> d;

  struct Row {
    char *lanes;
    const Reg *regs;

    Word8 load(unsigned column) const {
      return __builtin_convertvector(
          loadVector<Short8>(lanes + regs[column / 4]), Word8);
    }
    void store(unsigned column, Word8 words) const {
      storeVector(lanes + regs[column / 4],
                  __builtin_convertvector(words, Short8));
    }
  };
  bool skips(unsigned row) const { return false; }
  Row row(unsigned row) const {
    return {warps[row / 16]->lanes<char>(0) + row % 8 * 16,
            d.data() + row / 8 % 2};
  }
};
} // namespace

/// Whether `next` can be done in one product with `first`, which it follows.
static bool canJoin(const WgmmaInfo &first, const WgmmaInfo &next) {
  return first.form == next.form && first.a.empty() == next.a.empty() &&
         first.d == next.d;
}

void WarpGroup::complete(Machine &machine, const IssuePoint &issue) {
  Group group = groups.front();
  groups.pop_front();
  auto end = mmas.begin() + (group.end - mmasDone);
  llvm::SmallVector<Mma, 16> work(std::make_move_iterator(mmas.begin()),
                                  std::make_move_iterator(end));
  mmas.erase(mmas.begin(), mmas.begin() + work.size());
  mmasDone = group.end;
  bool multiplies = !machine.options().withoutData;
  for (size_t begin = 0;
       multiplies && begin != work.size() && !machine.failed();) {
    const auto &first = work[begin].inst->as<WgmmaInfo>();
    size_t end = begin + 1;
    while (end != work.size() && end - begin < first.form.maxSteps() &&
           work[end].keeps && canJoin(first, work[end].inst->as<WgmmaInfo>()))
      ++end;
    multiply(machine, issue, llvm::ArrayRef(work).slice(begin, end - begin));
    begin = end;
  }
  // Of a matrix that isn't in shared memory there is no event: listeners have
  // tables of it.
  if (cta.cluster().listener() && !machine.failed()) [[unlikely]]
    llvm::for_each(work, [&](const Mma &mma) { tellWork(mma); });
  ++groupsDone;
  wakeAll();
}

void WarpGroup::tellWork(const Mma &mma) const {
  const auto &info = mma.inst->as<WgmmaInfo>();
  const MmaForm &form = info.form;
  IssuePoint issue = {&cta, mma.inst, mma.firstWarp, ~0u, mma.operation};
  SharedMatrix matrix;
  if (info.a.empty()) {
    matrix.decodeWgmma(mma.a);
    tellOperand(issue, cta, matrix, form.a, form.aTransposed, form.m,
                stepK(form.a));
  }
  matrix.decodeWgmma(mma.b);
  tellOperand(issue, cta, matrix, form.b, form.bTransposed, form.n, form.k());
  tell(issue, OperationEvent{.kind = OperationEvent::Complete,
                             .engine = EngineKind::MatrixMultiply});
}

void WarpGroup::multiply(Machine &machine, const IssuePoint &issue,
                         llvm::ArrayRef<Mma> batch) {
  const auto &info = batch.front().inst->as<WgmmaInfo>();
  const MmaForm &form = info.form;
  MatrixUnit &unit = matrixUnit(machine);
  std::unique_ptr<ProductOperands> panels = unit.take(form, batch.size());
  Warp *members[warpCount];
  for (unsigned index = 0; index != warpCount; ++index)
    members[index] = cta.warps()[firstWarp() + index].get();
  llvm::SmallVector<SharedOperand, 16> aSteps, bSteps;
  for (const Mma &mma : batch) {
    IssuePoint where = {issue.cta, mma.inst, issue.warp, issue.lanes,
                        mma.operation};
    aSteps.push_back({where, {}});
    aSteps.back().matrix.decodeWgmma(mma.a);
    bSteps.push_back({where, {}});
    bSteps.back().matrix.decodeWgmma(mma.b);
  }
  // A of one MMA, or of several that are dense and in shared memory.
  auto packA = [&](unsigned step, unsigned count,
                   llvm::function_ref<Panel(unsigned)> panel) {
    const auto &operands = batch[step].inst->as<WgmmaInfo>();
    if (operands.a.empty())
      return packShared(machine, cta, "A",
                        llvm::ArrayRef(aSteps).slice(step, count), form.a,
                        form.aTransposed, form.m, stepK(form.a), panel);
    // Lanes 4q to 4q + 3 of a register are 16 bytes of row q, or q + 8.
    packRows(
        [&](unsigned row, unsigned c) {
          Reg reg = operands.a[row / 8 % 2 + 2 * c];
          return members[row / 16]->lanes<char>(reg) + row % 8 * pieceBytes;
        },
        form.a, form.m, panel(0));
    return true;
  };
  if (info.a.empty() && !form.sparsity) {
    if (!packA(0, batch.size(), [&](unsigned step) { return panels->a(step); }))
      return;
  } else {
    for (auto [step, mma] : llvm::enumerate(batch)) {
      unsigned at = step;
      if (!packStored(machine, aSteps[step].issue, form, mma.metadata,
                      panels->a(step), [&](Panel panel) {
                        return packA(at, 1, [=](unsigned) { return panel; });
                      }))
        return;
    }
  }
  if (!packShared(machine, cta, "B", bSteps, form.b, form.bTransposed, form.n,
                  form.k(), [&](unsigned step) { return panels->b(step); }))
    return;
  if (ExecutionCounts *counts = cta.grid().program().counts.get())
    counts->mmas.add(*panels);
  llvm::Expected<Products> products = unit.multiply(*panels);
  unit.give(std::move(panels));
  if (!products) {
    machine.fail(issue, ReportKind::LaunchFailed,
                 llvm::toString(products.takeError()));
    return;
  }
  bool keeps = batch.front().keeps;
  if (form.d == Accumulator::F16)
    fold(form, *products, keeps, 1, HalfRegisters{members, info.d});
  else
    fold(form, *products, keeps, 1, WordRegisters{members, info.d});
}
