//===- Classify.cpp - What each instruction takes -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX isn't what the hardware executes. What ptxas always makes away with
// (moves, addresses of variables, parameters) takes nothing here; what it makes
// several instructions of (64-bit arithmetic, division) takes as many slots.
// Where a table has what ptxas made of it, that is what counts.

#include "Timing/Clock.h"
#include "drawloom/PTX/RegisterAccess.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::StateSpace;
using ptx::Type;
using ptx::TypeKind;

namespace {

class Classifier {
public:
  Classifier(const ptx::Instruction &inst, const ClockConstants &constants)
      : inst(inst), c(constants), type(inst.variant->type(Slot::Type)) {}

  InstTiming run() {
    t.latency = c.aluLatency;
    if (!arithmetic() && !memory() && !warpWide() && !engines() &&
        !synchronization())
      use(InstTiming::Alu, c.aluCost);
    return t;
  }

private:
  void use(InstTiming::Unit unit, unsigned cost, unsigned slots = 1) {
    t.unit = unit;
    t.cost = cost * slots;
    t.slots = slots;
  }
  void event(unsigned hold, unsigned latency = 0) {
    t.isEvent = true;
    t.hold = hold;
    t.latency = latency;
  }
  bool isWide() const { return type != Type::None && ptx::bitsOf(type) == 64; }
  bool isFloat() const {
    return ptx::kindOf(type) == TypeKind::Float || type == Type::F32x2 ||
           type == Type::BF16 || type == Type::BF16x2 || type == Type::F16x2;
  }
  void floating() {
    bool isPlain = type == Type::F32;
    use(InstTiming::Fma, isPlain ? c.fmaCost : c.fma2Cost,
        type == Type::F64 ? 16 : 1);
  }
  void special(unsigned slots) {
    use(InstTiming::Mufu, c.mufuCost);
    t.slots = slots;
    t.latency = c.mufuLatency;
  }

  bool arithmetic();
  bool memory();
  bool warpWide();
  bool engines();
  bool synchronization();
  void multiply();

  const ptx::Instruction &inst;
  const ClockConstants &c;
  const Type type;
  InstTiming t;
};

} // namespace

bool Classifier::arithmetic() {
  switch (inst.opcode()) {
  case Opcode::Mov:
  case Opcode::Cvta:
  case Opcode::CvtaTo:
  case Opcode::Mapa:
  case Opcode::BarWarpSync:
  case Opcode::Pmevent:
  case Opcode::PmeventMask:
    t.kind = InstTiming::Renames;
    t.slots = 0;
    return true;
  case Opcode::Add:
  case Opcode::Sub:
    if (isFloat())
      floating();
    else
      use(InstTiming::Alu, c.addCost, isWide() ? 2 : 1);
    return true;
  case Opcode::Fma:
  case Opcode::Mul:
  case Opcode::Mad:
    floating();
    return true;
  case Opcode::MulLo:
  case Opcode::MulHi:
  case Opcode::MadLo:
  case Opcode::MadHi:
  case Opcode::Mul24Lo:
  case Opcode::Mad24Lo:
    use(InstTiming::Fma, c.imadCost, isWide() ? 4 : 1);
    return true;
  case Opcode::MulWide:
  case Opcode::MadWide:
    use(InstTiming::Fma, c.imadCost, 2);
    return true;
  case Opcode::Div:
  case Opcode::Rem:
    special(inst.variant->has(Modifier::Approx) ? 2 : c.divideSlots);
    return true;
  case Opcode::Rcp:
  case Opcode::Sqrt:
    special(inst.variant->has(Modifier::Approx) ? 1 : c.divideSlots);
    return true;
  case Opcode::Ex2:
  case Opcode::Lg2:
  case Opcode::Rsqrt:
  case Opcode::Sin:
  case Opcode::Cos:
  case Opcode::Tanh:
    special(1);
    return true;
  case Opcode::Cvt:
  case Opcode::CvtPack:
    use(InstTiming::Alu, c.convertCost,
        inst.operandCount > 2 || inst.opcode() == Opcode::CvtPack ? 1 : 2);
    return true;
  case Opcode::Bra:
  case Opcode::BrxIdx:
  case Opcode::Call:
    t.hold = c.branchHold;
    return true;
  case Opcode::And:
  case Opcode::Or:
  case Opcode::Xor:
  case Opcode::Not:
  case Opcode::Shl:
  case Opcode::Shr:
    use(InstTiming::Alu, c.aluCost, isWide() ? 2 : 1);
    return true;
  default:
    return false;
  }
}

bool Classifier::memory() {
  switch (inst.opcode()) {
  case Opcode::Ld:
  case Opcode::Ldu:
  case Opcode::St: {
    StateSpace space = ptx::spaceOf(inst.variant->get(Slot::Space));
    if (space == StateSpace::Param || space == StateSpace::ParamEntry ||
        space == StateSpace::ParamFunc) {
      t.kind = InstTiming::Renames;
      t.slots = 0;
      return true;
    }
    t.kind = InstTiming::Memory;
    use(InstTiming::Lsu, 1);
    Modifier order = inst.variant->get(Slot::Sem);
    t.isEvent = order != Modifier::None && order != Modifier::Weak;
    return true;
  }
  case Opcode::Ldmatrix:
  case Opcode::Stmatrix:
    t.kind = InstTiming::Memory;
    use(InstTiming::Lsu, 1);
    return true;
  case Opcode::Atom:
  case Opcode::Red:
    t.kind = InstTiming::Memory;
    use(InstTiming::Lsu, 1);
    t.isEvent = true;
    return true;
  case Opcode::Fence:
  case Opcode::Membar:
    t.hold = inst.variant->has(Modifier::Cta)            ? 2 * c.aluLatency
             : inst.variant->has(Modifier::Cluster)      ? 2 * c.aluLatency
             : inst.variant->has(Modifier::MbarrierInit) ? 2 * c.aluLatency
                                                         : c.gpuFence;
    return true;
  case Opcode::FenceProxy:
    t.hold = c.proxyFence;
    return true;
  default:
    return false;
  }
}

bool Classifier::warpWide() {
  switch (inst.opcode()) {
  case Opcode::Shfl:
  case Opcode::Vote:
  case Opcode::Redux:
  case Opcode::MatchAny:
  case Opcode::MatchAll:
  case Opcode::Movmatrix:
    use(InstTiming::Lsu, 1);
    t.latency = c.shuffleLatency;
    return true;
  case Opcode::Mma:
  case Opcode::MmaSp:
  case Opcode::MmaSpOrdered:
  case Opcode::WmmaMma:
    multiply();
    return true;
  case Opcode::Tcgen05Ld:
  case Opcode::Tcgen05LdRed:
    t.kind = InstTiming::TensorLoad;
    t.latency = c.tensorLoadLatency;
    return true;
  case Opcode::Tcgen05St:
    t.kind = InstTiming::TensorStore;
    return true;
  case Opcode::Tcgen05WaitLd:
  case Opcode::Tcgen05WaitSt:
    t.kind = InstTiming::TensorWait;
    return true;
  default:
    return false;
  }
}

/// `.m16n8k16` says how many operations it is.
void Classifier::multiply() {
  std::string mnemonic = inst.variant->mnemonic();
  llvm::StringRef rest = mnemonic;
  uint64_t m = 16, n = 8, k = 16;
  rest = rest.substr(rest.find(".m") + 2);
  while (!rest.empty() && !llvm::isDigit(rest.front()))
    rest = rest.substr(rest.find(".m") + 2);
  rest.consumeInteger(10, m);
  rest.consume_front("n");
  rest.consumeInteger(10, n);
  rest.consume_front("k");
  rest.consumeInteger(10, k);
  uint64_t operations = 2 * m * n * k;
  llvm::StringRef words = mnemonic;
  if (words.contains("tf32"))
    operations *= 2;
  else if (words.contains(".e4m3") || words.contains(".e5m2") ||
           words.contains(".s8") || words.contains(".u8"))
    operations /= 2;
  use(InstTiming::Tensor, operations * 4 / c.mmaSyncFlops);
  t.latency = c.mmaSyncLatency;
}

bool Classifier::engines() {
  switch (inst.opcode()) {
  case Opcode::MbarrierTestWait:
  case Opcode::MbarrierTestWaitParity:
  case Opcode::MbarrierTryWait:
  case Opcode::MbarrierTryWaitParity:
    event(0, c.tryWaitHold);
    return true;
  case Opcode::MbarrierArrive:
  case Opcode::MbarrierArriveExpectTx:
  case Opcode::MbarrierArriveNoComplete:
  case Opcode::MbarrierArriveDrop:
  case Opcode::MbarrierArriveDropExpectTx:
  case Opcode::MbarrierArriveDropNoComplete:
  case Opcode::MbarrierExpectTx:
  case Opcode::MbarrierCompleteTx:
  case Opcode::MbarrierInit:
  case Opcode::MbarrierInval:
    event(c.arriveHold, c.arriveHold);
    return true;
  case Opcode::CpAsyncBulkTensor:
  case Opcode::CpReduceAsyncBulkTensor:
  case Opcode::CpAsyncBulk:
  case Opcode::CpReduceAsyncBulk:
  case Opcode::CpAsyncBulkPrefetch:
  case Opcode::CpAsyncBulkPrefetchTensor:
    event(c.tmaHold);
    return true;
  case Opcode::WgmmaMmaAsync:
  case Opcode::WgmmaMmaAsyncSp:
    event(c.wgmmaHold);
    return true;
  case Opcode::Tcgen05Mma:
  case Opcode::Tcgen05MmaSp:
  case Opcode::Tcgen05MmaWs:
  case Opcode::Tcgen05MmaWsSp:
  case Opcode::Tcgen05Cp:
  case Opcode::Tcgen05Shift:
    event(c.ummaHold);
    return true;
  case Opcode::Tcgen05Commit:
    event(c.commitHold);
    return true;
  case Opcode::Tcgen05Alloc:
    event(c.tensorAllocate);
    return true;
  case Opcode::CpAsync:
    event(0);
    use(InstTiming::Lsu, 1);
    return true;
  default:
    return false;
  }
}

/// Barriers, groups of copies and of products, and other events that cost no
/// more than the time for which they wait.
bool Classifier::synchronization() {
  switch (inst.opcode()) {
  case Opcode::BarSync:
  case Opcode::BarCtaSync:
  case Opcode::BarrierSync:
  case Opcode::BarrierCtaSync:
  case Opcode::BarArrive:
  case Opcode::BarCtaArrive:
  case Opcode::BarrierArrive:
  case Opcode::BarrierCtaArrive:
  case Opcode::BarRed:
  case Opcode::BarCtaRed:
  case Opcode::BarrierRed:
  case Opcode::BarrierCtaRed:
  case Opcode::BarrierClusterArrive:
  case Opcode::BarrierClusterWait:
  case Opcode::CpAsyncBulkCommitGroup:
  case Opcode::CpAsyncBulkWaitGroup:
  case Opcode::CpAsyncCommitGroup:
  case Opcode::CpAsyncWaitGroup:
  case Opcode::CpAsyncWaitAll:
  case Opcode::CpAsyncMbarrierArrive:
  case Opcode::WgmmaCommitGroup:
  case Opcode::WgmmaWaitGroup:
  case Opcode::Tcgen05Dealloc:
  case Opcode::Tcgen05RelinquishAllocPermit:
  case Opcode::SetmaxnregInc:
  case Opcode::SetmaxnregDec:
  case Opcode::StAsync:
  case Opcode::RedAsync:
  case Opcode::StBulk:
  case Opcode::ClcTryCancel:
  case Opcode::GriddepcontrolLaunchDependents:
  case Opcode::GriddepcontrolWait:
  case Opcode::Nanosleep:
  case Opcode::Ret:
  case Opcode::Exit:
    event(0);
    return true;
  default:
    return false;
  }
}

/// What ptxas made of the instruction, in place of what its PTX suggests. What
/// its units take stays as it is.
static void apply(const IssueCount &count, const ClockConstants &c,
                  InstTiming &timing) {
  if (!count.slots && (timing.kind == InstTiming::Renames ||
                       (timing.kind == InstTiming::Plain && !timing.isEvent))) {
    // It is part of another one, or was done before a loop.
    timing = {.kind = InstTiming::Renames, .slots = 0};
    return;
  }
  if (timing.kind == InstTiming::Renames)
    timing.kind = InstTiming::Plain;
  const unsigned others = std::max<unsigned>(count.slots, 1) - 1;
  timing.slots = count.slots;
  timing.latency += others;
  // A hold was measured with all that the instruction becomes.
  timing.hold -= std::min<unsigned>(timing.hold, others);
  if (count.hasMembar)
    timing.hold = std::max<unsigned>(timing.hold, c.gpuFence);
}

ProgramClock::ProgramClock(const Kernel &kernel,
                           const ClockConstants &constants)
    : kernel(&kernel) {
  const Program &program = *kernel.program;
  stalls.resize(program.code.size());
  timings.resize(program.code.size());
  for (const ProgramFunction &function : program.functions) {
    llvm::DenseMap<uint32_t, uint32_t> numbers; // Of those that are used.
    auto add = [&](uint32_t reg) {
      auto [it, isNew] = numbers.try_emplace(reg, registerCount);
      registerCount += isNew;
      registers.push_back(it->second);
    };
    llvm::ArrayRef<IssueCount> counts =
        kernel.module->issueSlots(*function.function);
    for (uint32_t index = function.first; index != function.end; ++index) {
      const ptx::Instruction *inst = program.source(&program.code[index]);
      InstTiming &timing = timings[index];
      timing.isEvent = true; // The return at a function's end.
      if (!inst)
        continue;
      timing = Classifier(*inst, constants).run();
      if (!counts.empty())
        apply(counts[program.origins[index]], constants, timing);
      // Accumulators in registers are ready when wgmma.wait_group is over.
      if (inst->opcode() == Opcode::WgmmaMmaAsync ||
          inst->opcode() == Opcode::WgmmaMmaAsyncSp)
        continue;
      ptx::RegisterAccess access = ptx::accessOf(*inst);
      timing.registers = registers.size();
      timing.reads = access.reads.size();
      timing.writes = access.writes.size();
      llvm::for_each(access.reads, add);
      llvm::for_each(access.writes, add);
    }
  }
}
