//===- Walk.cpp - Every way that a warp can take through a kernel ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WalkImplementation.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::protocol;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

static bool leaves(Opcode opcode) {
  return opcode == Opcode::Ret || opcode == Opcode::Exit ||
         opcode == Opcode::Trap;
}

llvm::Error Walk::Implementation::prepare() {
  for (const Instruction &instruction : kernel.instructions) {
    if (instruction.opcode() == Opcode::BrxIdx)
      return fail(instruction, "a jump by a table, which the walk does not "
                               "follow");
    accesses.push_back(getAccess(instruction));
  }
  isLabel.resize(kernel.instructions.size() + 1);
  for (const ptx::Label &label : kernel.labels)
    isLabel.set(label.position);
  findTracked();
  findLive();
  return llvm::Error::success();
}

/// Registers that decide about paths and events, and what they are computed
/// from.
void Walk::Implementation::findTracked() {
  llvm::BitVector wanted(kernel.registerCount);
  for (auto [instruction, access] : llvm::zip(kernel.instructions, accesses)) {
    if (instruction.guard != Instruction::noGuard)
      wanted.set(instruction.guard);
    if (isEvent(instruction.opcode()))
      for (uint32_t reg : access.reads)
        wanted.set(reg);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Access &access : accesses) {
      if (llvm::none_of(access.writes, [&](uint32_t r) { return wanted[r]; }))
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

void Walk::Implementation::findLive() {
  size_t count = kernel.instructions.size();
  live.assign(count + 1, llvm::BitVector(tracked.size()));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t pc = count; pc-- > 0;) {
      const Instruction &instruction = kernel.instructions[pc];
      bool guarded = instruction.guard != Instruction::noGuard;
      llvm::BitVector now(tracked.size());
      if (instruction.opcode() == Opcode::Bra)
        now |= live[kernel.labels[instruction.operands()[0].index()].position];
      if (guarded || (instruction.opcode() != Opcode::Bra &&
                      !leaves(instruction.opcode())))
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

bool Walk::Implementation::isNew(const State &state) {
  std::string key;
  auto append = [&](const auto &word) {
    key.append(reinterpret_cast<const char *>(&word), sizeof(word));
  };
  append(state.pc);
  append(state.mask);
  for (unsigned index : live[state.pc].set_bits()) {
    const Value &value = state.registers[index];
    char kind = value.isKnown() ? value.isUniform() ? 1 : 2 : 0;
    append(kind);
    if (value.isUniform())
      append(value.at(0));
    else if (value.isKnown())
      for (unsigned lane = 0; lane != lanesOfWarp; ++lane)
        append(value.at(lane));
  }
  state.monitor->appendKey(key);
  return visited.insert(key).second;
}

/// A predicate's value on the way that is taken from here.
void Walk::Implementation::assume(State &state, uint32_t predicate,
                                  bool value) {
  if (place[predicate] >= 0)
    state.registers[place[predicate]] = Value::of(value);
}

/// Runs a path to its end, or to a state that was visited. Other ways are put
/// aside.
llvm::Error Walk::Implementation::advance(State state) {
  while (true) {
    if (state.pc == kernel.instructions.size())
      return state.monitor->end(state.mask);
    if (isLabel[state.pc]) {
      if (!isNew(state))
        return llvm::Error::success();
      if (visited.size() > options.stateLimit)
        return llvm::createStringError("more than " +
                                       llvm::Twine(options.stateLimit) +
                                       " states of warp " + llvm::Twine(warp));
    }
    const Instruction &instruction = kernel.instructions[state.pc];
    Opcode opcode = instruction.opcode();
    bool decides = opcode == Opcode::Bra || leaves(opcode) || isEvent(opcode);

    Value guard = Value::of(1);
    if (instruction.guard != Instruction::noGuard) {
      guard = state.registers[place[instruction.guard]];
      if (instruction.guardNegated)
        guard =
            table.map(guard, [](llvm::ArrayRef<uint64_t> n) { return !n[0]; });
    }
    uint32_t taken = state.mask;
    if (decides && !guard.isKnown()) {
      if (options.parameters)
        return fail(instruction, "what decides here is not known");
      State other = state.clone();
      assume(other, instruction.guard, instruction.guardNegated);
      ++other.pc;
      work.push_back(std::move(other));
      assume(state, instruction.guard, !instruction.guardNegated);
    } else if (decides) {
      taken = 0;
      for (unsigned lane = 0; lane != lanesOfWarp; ++lane)
        if ((state.mask >> lane & 1) && guard.at(lane))
          taken |= 1u << lane;
      if (taken == 0) {
        ++state.pc;
        continue;
      }
      if (taken != state.mask) {
        State other = state.clone();
        other.mask &= ~taken;
        ++other.pc;
        work.push_back(std::move(other));
        state.mask = taken;
      }
    }

    if (opcode == Opcode::Bra) {
      state.pc = kernel.labels[instruction.operands()[0].index()].position;
      continue;
    }
    if (opcode == Opcode::Trap) {
      Event event;
      event.kind = Event::Kind::Trap;
      event.line = instruction.line;
      event.mask = taken;
      return state.monitor->see(event);
    }
    if (leaves(opcode))
      return state.monitor->end(state.mask);
    if (isWait(opcode)) {
      if (!options.parameters) {
        State failed = state.clone();
        write(failed, instruction.operands()[0], Value::of(0), Value::of(1));
        ++failed.pc;
        work.push_back(std::move(failed));
      }
      if (llvm::Error error = tell(state, instruction, taken))
        return error;
      write(state, instruction.operands()[0], Value::of(1), Value::of(1));
    } else if (isEvent(opcode)) {
      if (llvm::Error error = tell(state, instruction, taken))
        return error;
      for (uint32_t reg : accesses[state.pc].writes)
        if (place[reg] >= 0)
          state.registers[place[reg]] = Value();
    } else {
      assign(state, instruction, guard);
    }
    ++state.pc;
  }
}

llvm::Error Walk::Implementation::run(unsigned number,
                                      std::unique_ptr<Monitor> monitor) {
  warp = number;
  visited.clear();
  values.assign(kernel.instructions.size(), {});
  work.clear();
  State first;
  first.registers.resize(tracked.size());
  first.monitor = std::move(monitor);
  work.push_back(std::move(first));
  while (!work.empty()) {
    State state = std::move(work.back());
    work.pop_back();
    if (llvm::Error error = advance(std::move(state)))
      return error;
  }
  return llvm::Error::success();
}

Walk::Walk(std::unique_ptr<Implementation> implementation)
    : implementation(std::move(implementation)) {}
Walk::~Walk() = default;

llvm::Expected<std::unique_ptr<Walk>> Walk::create(const ptx::Function &kernel,
                                                   const WalkOptions &options) {
  auto implementation = std::make_unique<Implementation>(kernel, options);
  if (llvm::Error error = implementation->prepare())
    return error;
  return std::unique_ptr<Walk>(new Walk(std::move(implementation)));
}

llvm::Error Walk::run(unsigned warp, std::unique_ptr<Monitor> monitor) {
  return implementation->run(warp, std::move(monitor));
}
