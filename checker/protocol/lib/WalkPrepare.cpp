//===- WalkPrepare.cpp - What a walk follows ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Before the first step: the registers whose values decide about paths and
// events, where each of them is still wanted, and the marks of kernels by hand.

#include "WalkImplementation.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::protocol;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

bool protocol::leaves(Opcode opcode) {
  return opcode == Opcode::Ret || opcode == Opcode::Exit ||
         opcode == Opcode::Trap;
}

llvm::Error Walk::Implementation::prepare() {
  for (const Instruction &instruction : kernel.instructions)
    accesses.push_back(getAccess(instruction));
  isLabel.resize(kernel.instructions.size() + 1);
  for (const ptx::Label &label : kernel.labels)
    isLabel.set(label.position);
  if (options.order)
    findOrder();
  findTracked();
  findLive();
  findMarks();
  return llvm::Error::success();
}

/// Writes to registers with the names of marks, which aren't read.
void Walk::Implementation::findMarks() {
  for (auto [pc, instruction] : llvm::enumerate(kernel.instructions)) {
    if (instruction.opcode() != Opcode::Mov ||
        !instruction.operands()[0].is(Operand::Register))
      continue;
    llvm::StringRef name =
        kernel.declarationOf(instruction.operands()[0].index()).name;
    if (name == "drawloom_item" || name == "drawloom_step")
      marks[pc] = name == "drawloom_step";
  }
}

bool Walk::Implementation::isObserved(const Instruction &instruction) const {
  Opcode opcode = instruction.opcode();
  return isEvent(opcode) || (options.order && isOrder(opcode));
}

bool protocol::isOrder(Opcode opcode) {
  switch (opcode) {
  case Opcode::BarrierClusterArrive:
  case Opcode::BarrierClusterWait:
  case Opcode::SetmaxnregInc:
  case Opcode::SetmaxnregDec:
  case Opcode::Tcgen05Alloc:
    return true;
  default:
    return isNamedBarrier(opcode);
  }
}

/// Whether lanes that take a branch step over a few instructions only, none of
/// which waits for anything.
bool Walk::Implementation::isShort(uint32_t branch) const {
  const Instruction &instruction = kernel.instructions[branch];
  if (instruction.opcode() != Opcode::Bra)
    return false;
  uint32_t target = getTargets(kernel, instruction).front();
  uint32_t pc = branch + 1;
  for (size_t left = kernel.instructions.size(); left; --left) {
    if (pc == target)
      return true;
    if (pc == kernel.instructions.size())
      return false;
    const Instruction &at = kernel.instructions[pc];
    Opcode opcode = at.opcode();
    bool isPlainJump =
        opcode == Opcode::Bra && at.guard == Instruction::noGuard;
    if ((jumps(opcode) && !isPlainJump) || leaves(opcode) || isWait(opcode) ||
        isNamedBarrier(opcode) || opcode == Opcode::BarrierClusterWait ||
        opcode == Opcode::Call || together.test(pc) || mayReadStored(at))
      return false;
    pc = isPlainJump ? getTargets(kernel, at).front() : pc + 1;
  }
  return false;
}

/// What decides about paths, and where lanes of a warp come together.
void Walk::Implementation::findOrder() {
  size_t count = kernel.instructions.size();
  together.resize(count + 1);
  stepsOver.resize(count + 1);
  for (auto [pc, instruction] : llvm::enumerate(kernel.instructions)) {
    Opcode opcode = instruction.opcode();
    std::string mnemonic = instruction.variant->mnemonic() + ".";
    llvm::StringRef name = mnemonic;
    bool isAligned = name.contains(".aligned.") || name.starts_with("bar.");
    bool isSync = name.contains(".sync.") && !isNamedBarrier(opcode);
    if (isAligned || isSync)
      together.set(pc);
  }
  for (uint32_t pc = 0; pc != count; ++pc)
    if (isShort(pc))
      stepsOver.set(pc);
}

bool protocol::jumps(Opcode opcode) {
  return opcode == Opcode::Bra || opcode == Opcode::BrxIdx;
}

bool protocol::decidesPath(Opcode opcode) {
  return jumps(opcode) || leaves(opcode) || isEvent(opcode);
}

bool protocol::mayReadStored(const Instruction &instruction) {
  ptx::StateSpace space =
      ptx::spaceOf(instruction.variant->get(ptx::Slot::Space));
  return instruction.opcode() == Opcode::Ld &&
         instruction.guard == Instruction::noGuard &&
         (space == ptx::StateSpace::Shared ||
          space == ptx::StateSpace::SharedCta) &&
         ptx::bitsOf(instruction.variant->type(ptx::Slot::Type)) == 8;
}

/// The registers that say what an event is about. Neither coordinates of a copy
/// nor whether a product adds do.
static llvm::SmallVector<uint32_t, 4>
getEventReads(const Instruction &instruction) {
  llvm::ArrayRef<Operand> operands = instruction.operands();
  // d, a, b, and tcgen05's descriptor of the instruction.
  if (instruction.opcode() == Opcode::Tcgen05Mma)
    operands = operands.slice(1, 3);
  else if (instruction.opcode() == Opcode::WgmmaMmaAsync)
    operands = operands.slice(1, 2);
  llvm::SmallVector<uint32_t, 4> reads;
  for (const Operand &operand : operands) {
    const Operand &base =
        operand.is(Operand::Address) ? operand.parts().front() : operand;
    if (base.is(Operand::Register))
      reads.push_back(base.index());
  }
  return reads;
}

/// Whether nothing is known of its result where nothing is of an operand.
static bool needsAll(const Instruction &instruction) {
  switch (instruction.opcode()) {
  case Opcode::And:
  case Opcode::Or:
  case Opcode::Selp:
  case Opcode::Elect:
    return false;
  case Opcode::Setp:
    return instruction.operands().size() == 3;
  default:
    return true;
  }
}

/// Registers that hold what memory or a parameter says, or what is computed
/// from it, wherever they are written: nothing is ever known of them.
llvm::BitVector Walk::Implementation::findUnknown() const {
  // Begins with all, and takes out those that something may be known of.
  llvm::BitVector unknown(kernel.registerCount, true);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [instruction, access] :
         llvm::zip(kernel.instructions, accesses)) {
      Opcode opcode = instruction.opcode();
      bool isLoad = opcode == Opcode::Ld && !mayReadStored(instruction);
      if (isLoad || (isEvent(opcode) && !isWait(opcode)) ||
          (needsAll(instruction) &&
           llvm::any_of(access.reads, [&](uint32_t r) { return unknown[r]; })))
        continue;
      for (uint32_t reg : access.writes) {
        changed |= unknown[reg];
        unknown.reset(reg);
      }
    }
  }
  return unknown;
}

/// Registers that decide about paths and events, and what they are computed
/// from.
void Walk::Implementation::findTracked() {
  // With parameters given, or learned at a branch, everything may be known.
  llvm::BitVector unknown(kernel.registerCount);
  if (!options.parameters && !options.learnsEqual)
    unknown = findUnknown();
  llvm::BitVector wanted(kernel.registerCount);
  for (auto [instruction, access] : llvm::zip(kernel.instructions, accesses)) {
    Opcode opcode = instruction.opcode();
    if (instruction.guard != Instruction::noGuard &&
        (decidesPath(opcode) || isObserved(instruction)))
      wanted.set(instruction.guard);
    if (opcode == Opcode::BrxIdx)
      for (uint32_t reg : access.reads)
        wanted.set(reg);
    if (isObserved(instruction))
      for (uint32_t reg : getEventReads(instruction))
        wanted.set(reg);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [instruction, access] :
         llvm::zip(kernel.instructions, accesses)) {
      if (llvm::none_of(access.writes, [&](uint32_t r) { return wanted[r]; }))
        continue;
      // What a counter is compared with may never be known; then neither is
      // what comes of it, and it need not be counted.
      if (needsAll(instruction) && instruction.guard == Instruction::noGuard &&
          llvm::any_of(access.reads, [&](uint32_t r) { return unknown[r]; }))
        continue;
      for (uint32_t reg : access.reads) {
        changed |= !wanted[reg];
        wanted.set(reg);
      }
    }
  }
  place.assign(kernel.registerCount, -1);
  for (unsigned reg : wanted.set_bits()) {
    place[reg] = static_cast<int>(tracked.size());
    tracked.push_back(reg);
  }
}

llvm::SmallVector<uint32_t>
protocol::getTargets(const ptx::Function &kernel,
                     const Instruction &instruction) {
  llvm::SmallVector<uint32_t> targets;
  if (instruction.opcode() == Opcode::Bra)
    targets.push_back(
        kernel.labels[instruction.operands()[0].index()].position);
  else if (instruction.opcode() == Opcode::BrxIdx)
    for (uint32_t label :
         kernel.targetLists[instruction.operands()[1].index()].labels)
      targets.push_back(kernel.labels[label].position);
  return targets;
}

void Walk::Implementation::findLive() {
  size_t count = kernel.instructions.size();
  live.assign(count + 1, llvm::BitVector(tracked.size()));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t pc = count; pc-- > 0;) {
      const Instruction &instruction = kernel.instructions[pc];
      bool guarded = instruction.guard != Instruction::noGuard;
      llvm::BitVector now(tracked.size());
      for (uint32_t target : getTargets(kernel, instruction))
        now |= live[target];
      if (guarded ||
          (!jumps(instruction.opcode()) && !leaves(instruction.opcode())))
        now |= live[pc + 1];
      if (!guarded)
        for (uint32_t reg : accesses[pc].writes)
          if (place[reg] >= 0)
            now.reset(place[reg]);
      for (uint32_t reg : accesses[pc].reads)
        if (place[reg] >= 0)
          now.set(place[reg]);
      if (now != live[pc]) {
        live[pc] = std::move(now);
        changed = true;
      }
    }
  }
}
