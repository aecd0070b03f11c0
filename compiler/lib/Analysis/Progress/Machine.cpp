//===- Machine.cpp - Roles that move on slots -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::progress;
using Outcome = Machine::Outcome;

/// Adds what others know.
static void learn(Knowledge &known, const Knowledge &others) {
  for (auto [own, other] : llvm::zip(known, others))
    own = std::max(own, other);
}

Machine::Machine(const Code &code, std::vector<int64_t> slotCounts)
    : code(code), slots(std::move(slotCounts)) {
  const Network &network = code.network;
  for (PipeId pipe = 0; pipe < network.pipes.size(); ++pipe)
    for (unsigned slot = 0; code.divided[pipe] && slot < slots[pipe]; ++slot)
      facts.push_back({Fact::Kind::filled, pipe, slot});
  for (BarrierId barrier = 0; barrier < network.barriers.size(); ++barrier)
    for (unsigned i = 0;
         code.loose[barrier] && i < code.members[barrier].size(); ++i)
      facts.push_back({Fact::Kind::arrived, barrier, i});
  Knowledge nothing(facts.size(), 0);
  RoleState start;
  start.known = nothing;
  state.roles.assign(network.roles.size(), start);
  state.pipes.resize(network.pipes.size());
  for (auto [id, pipe] : llvm::enumerate(network.pipes)) {
    state.pipes[id].consumed.assign(pipe.consumers.size(), 0);
    if (!nothing.empty())
      state.pipes[id].free.assign(slots[id], nothing);
  }
  for (const auto &members : code.members) {
    state.barriers.emplace_back();
    state.barriers.back().arrivals.assign(members.size(), 0);
  }
  for (const Pool &pool : network.pools)
    state.pools.push_back(pool.available);
}

std::optional<int64_t> Machine::itemOf(RoleId role) const {
  for (const Frame &frame : llvm::reverse(state.roles[role].frames))
    if (code.loops[frame.loop].overItems)
      return frame.iteration;
  return std::nullopt;
}

int64_t Machine::memberIndex(BarrierId barrier, RoleId role) const {
  return llvm::find(code.members[barrier], role) -
         code.members[barrier].begin();
}

int64_t Machine::completed(BarrierId barrier) const {
  int64_t warps = 0;
  for (RoleId role : code.members[barrier])
    warps += code.network.roles[role].warps;
  if (code.network.barriers[barrier].warps > warps)
    return 0;
  return *llvm::min_element(state.barriers[barrier].arrivals);
}

std::optional<size_t> Machine::findFact(Fact::Kind kind, unsigned object,
                                        unsigned part) const {
  for (auto [index, fact] : llvm::enumerate(facts))
    if (fact.kind == kind && fact.object == object && fact.part == part)
      return index;
  return std::nullopt;
}

int64_t Machine::ageOf(size_t index, const Knowledge &knowledge) const {
  const Fact &fact = facts[index];
  if (fact.kind == Fact::Kind::arrived)
    return std::min<int64_t>(
        state.barriers[fact.object].arrivals[fact.part] - knowledge[index], 3);
  // Who waits for the last use of a slot must know of the previous one.
  int64_t count = slots[fact.object];
  int64_t uses =
      (state.pipes[fact.object].produced + count - 1 - fact.part) / count;
  return std::min<int64_t>(uses - knowledge[index], 2);
}

llvm::SmallVector<size_t> Machine::orderedFacts() const {
  llvm::SmallVector<size_t> order;
  for (size_t index = 0; index < facts.size(); ++index) {
    const Fact &fact = facts[index];
    if (fact.kind == Fact::Kind::arrived) {
      order.push_back(index);
      continue;
    }
    // From the slot that is produced next.
    size_t first = index - fact.part;
    int64_t next = state.pipes[fact.object].produced + fact.part;
    order.push_back(first + next % slots[fact.object]);
  }
  return order;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Outcome Machine::stepLoop(RoleId id, const Instruction &instruction,
                          AnotherIteration another) {
  RoleState &role = state.roles[id];
  bool begin = instruction.op == Op::loopBegin;
  int64_t done = begin ? 0 : role.frames.back().iteration + 1;
  std::optional<bool> more = another(role, instruction.object, done);
  if (!more)
    return Outcome::asks;
  if (*more) {
    if (begin)
      role.frames.push_back({instruction.object, 0});
    else
      role.frames.back().iteration = done;
    role.pc = code.loops[instruction.object].begin + 1;
  } else if (begin) {
    role.pc = code.loops[instruction.object].after;
  } else {
    role.frames.pop_back();
    role.pc = code.loops[instruction.object].end + 1;
  }
  return Outcome::moved;
}

bool Machine::ownEmpty(RoleId role, const Instruction &instruction) {
  PipeState &pipe = state.pipes[instruction.object];
  if (static_cast<int64_t>(pipe.ring.size()) == slots[instruction.object])
    return false;
  SlotState slot;
  slot.broken = instruction.broken;
  slot.asynchronous = instruction.asynchronous;
  int64_t item = itemOf(role).value_or(0);
  const Pipe &description = code.network.pipes[instruction.object];
  for (auto [index, consumer] : llvm::enumerate(description.consumers))
    if (item % consumer.every == consumer.from)
      slot.pending |= 1u << index;
  if (!pipe.free.empty()) {
    learn(state.roles[role].known, pipe.free.front());
    pipe.free.erase(pipe.free.begin());
    slot.filled = slot.released = Knowledge(facts.size(), 0);
  }
  pipe.ring.push_back(std::move(slot));
  ++pipe.produced;
  return true;
}

void Machine::fill(RoleId role, const Instruction &instruction) {
  PipeState &pipe = state.pipes[instruction.object];
  Knowledge &known = state.roles[role].known;
  int64_t owned = llvm::count_if(pipe.ring, [](const SlotState &slot) {
    return slot.fill == SlotState::owned;
  });
  int64_t content = pipe.produced - pipe.ring.size() - 1;
  for (SlotState &slot : pipe.ring) {
    ++content;
    if (owned <= instruction.value)
      break;
    if (slot.fill != SlotState::owned)
      continue;
    slot.fill = SlotState::full;
    --owned;
    slot.filled = known;
    // Who takes the slot knows that it was full. Who filled it knows only if
    // it did so itself.
    int64_t use = content / slots[instruction.object];
    if (std::optional<size_t> fact =
            findFact(Fact::Kind::filled, instruction.object,
                     content % slots[instruction.object])) {
      slot.filled[*fact] = use + 1;
      if (!slot.asynchronous)
        known[*fact] = use + 1;
    }
  }
  reuse(pipe);
}

/// Slots are free again in the order of the ring.
void Machine::reuse(PipeState &pipe) {
  while (!pipe.ring.empty() && pipe.ring.front().pending == 0 &&
         pipe.ring.front().fill == SlotState::full) {
    if (!facts.empty())
      pipe.free.push_back(std::move(pipe.ring.front().released));
    pipe.ring.erase(pipe.ring.begin());
  }
}

Outcome Machine::ownFull(RoleId role, const Instruction &instruction) {
  PipeState &pipe = state.pipes[instruction.object];
  auto isNext = [&](const SlotState &slot) {
    return (slot.pending & ~slot.taken) >> instruction.consumer & 1;
  };
  auto slot = llvm::find_if(pipe.ring, isNext);
  if (slot == pipe.ring.end() || slot->fill != SlotState::full || slot->broken)
    return Outcome::waits;
  RoleState &self = state.roles[role];
  int64_t content = pipe.produced - (pipe.ring.end() - slot);
  int64_t use = content / slots[instruction.object];
  if (std::optional<size_t> fact =
          findFact(Fact::Kind::filled, instruction.object,
                   content % slots[instruction.object])) {
    // It has been waiting here all the time; has it known that the slot was
    // full as often as it has to be before?
    if (self.known[*fact] < use) {
      earlyRole = role;
      return Outcome::early;
    }
  }
  learn(self.known, slot->filled);
  slot->taken |= 1u << instruction.consumer;
  ++pipe.consumed[instruction.consumer];
  return Outcome::moved;
}

void Machine::release(RoleId role, const Instruction &instruction) {
  PipeState &pipe = state.pipes[instruction.object];
  uint16_t bit = 1u << instruction.consumer;
  int64_t held = llvm::count_if(pipe.ring, [&](const SlotState &slot) {
    return slot.pending & slot.taken & bit;
  });
  for (SlotState &slot : pipe.ring) {
    if (held <= instruction.value)
      break;
    if (slot.pending & slot.taken & bit) {
      slot.pending &= ~bit;
      learn(slot.released, state.roles[role].known);
      --held;
    }
  }
  reuse(pipe);
}

Outcome Machine::arrive(RoleId role, BarrierId id) {
  BarrierState &barrier = state.barriers[id];
  int64_t member = memberIndex(id, role);
  int64_t &own = barrier.arrivals[member];
  Knowledge &known = state.roles[role].known;
  for (auto [index, fact] : llvm::enumerate(facts)) {
    if (fact.kind != Fact::Kind::arrived || fact.object != id)
      continue;
    if (known[index] < own) {
      earlyRole = role;
      return Outcome::early;
    }
    if (fact.part == member)
      known[index] = own + 1;
  }
  size_t place = own - barrier.firstPhase;
  while (barrier.phases.size() <= place)
    barrier.phases.emplace_back(facts.size(), 0);
  learn(barrier.phases[place], known);
  ++own;
  int64_t least = *llvm::min_element(barrier.arrivals);
  for (; barrier.firstPhase < least - 1; ++barrier.firstPhase)
    barrier.phases.erase(barrier.phases.begin());
  return Outcome::moved;
}

bool Machine::wait(RoleId role, BarrierId id) {
  BarrierState &barrier = state.barriers[id];
  int64_t own = barrier.arrivals[memberIndex(id, role)];
  if (own > completed(id))
    return false;
  if (own > 0)
    learn(state.roles[role].known,
          barrier.phases[own - 1 - barrier.firstPhase]);
  return true;
}

Outcome Machine::step(RoleId id, AnotherIteration another) {
  RoleState &role = state.roles[id];
  const Instruction &instruction = this->instruction(id);
  switch (instruction.op) {
  case Op::end:
    return Outcome::ended;
  case Op::loopBegin:
  case Op::loopEnd:
    return stepLoop(id, instruction, another);
  case Op::guard:
    if (itemOf(id).value_or(0) % instruction.value != instruction.value2) {
      role.pc = instruction.target;
      return Outcome::moved;
    }
    break;
  case Op::ownEmpty:
    if (!ownEmpty(id, instruction))
      return Outcome::waits;
    break;
  case Op::fill:
    fill(id, instruction);
    break;
  case Op::ownFull:
    if (Outcome outcome = ownFull(id, instruction); outcome != Outcome::moved)
      return outcome;
    break;
  case Op::release:
    release(id, instruction);
    break;
  case Op::arrive:
    if (arrive(id, instruction.object) == Outcome::early)
      return Outcome::early;
    break;
  case Op::wait:
    if (!wait(id, instruction.object))
      return Outcome::waits;
    break;
  case Op::take:
    if (state.pools[instruction.object] < instruction.value)
      return Outcome::waits;
    state.pools[instruction.object] -= instruction.value;
    break;
  case Op::give:
    state.pools[instruction.object] += instruction.value;
    break;
  }
  ++role.pc;
  return Outcome::moved;
}

bool Machine::runOn(AnotherIteration another, uint64_t maxSteps) {
  bool moved = true;
  while (moved && steps < maxSteps) {
    moved = false;
    for (RoleId role = 0; role < state.roles.size(); ++role) {
      Outcome outcome;
      while ((outcome = step(role, another)) == Outcome::moved &&
             steps < maxSteps) {
        moved = true;
        ++steps;
      }
      if (outcome == Outcome::early)
        return false;
    }
  }
  return true;
}

bool Machine::allEnded() const {
  for (RoleId role = 0; role < state.roles.size(); ++role)
    if (!hasEnded(role))
      return false;
  return true;
}

std::optional<PipeId> Machine::findUnconsumed() const {
  for (auto [id, pipe] : llvm::enumerate(state.pipes))
    if (!pipe.ring.empty())
      return id;
  return std::nullopt;
}
