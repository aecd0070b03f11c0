//===- Walk.cpp - Every way that a warp can take through a kernel ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WalkImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace drawloom;
using namespace drawloom::protocol;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

static bool isStoreToShared(const Instruction &instruction) {
  if (instruction.opcode() != Opcode::St)
    return false;
  ptx::StateSpace space =
      ptx::spaceOf(instruction.variant->get(ptx::Slot::Space));
  return space == ptx::StateSpace::Shared ||
         space == ptx::StateSpace::SharedCta;
}

bool Walk::Implementation::isNew(const State &state) {
  std::string key;
  auto append = [&](const auto &word) {
    key.append(reinterpret_cast<const char *>(&word), sizeof(word));
  };
  append(state.pc);
  append(state.mask);
  append(state.joining);
  append(state.joinsAt);
  for (unsigned index : live[state.pc].set_bits())
    state.registers[index].appendKey(key);
  state.monitor->appendKey(key);
  // The key's hash stands for it: of 16 million states two have the same one
  // of 128 bits with a probability of 2^-81.
  llvm::XXH128_hash_t hash =
      llvm::xxh3_128bits(llvm::arrayRefFromStringRef(key));
  auto [it, isNew] =
      visited.try_emplace({hash.low64, hash.high64}, visited.size());
  state.monitor->reach(it->second, state.path());
  return isNew;
}

/// A predicate's value on the way that lanes take which don't know it.
void Walk::Implementation::assume(State &state, uint32_t predicate,
                                  bool value) {
  if (place[predicate] < 0)
    return;
  Value &known = state.registers[place[predicate]];
  Lanes numbers = {};
  // Lanes that aren't on this path may as well agree.
  for (unsigned lane = 0; lane != lanesOfWarp; ++lane)
    numbers[lane] = known.isKnownAt(lane) ? known.at(lane) : value;
  known = table.make(numbers);
}

/// Of a branch on whether two registers are equal, just compared: where they
/// are, one that isn't known is what the other is. So a loop that counts up to
/// a parameter leaves with that parameter known.
void Walk::Implementation::learnEqual(State &state, uint32_t predicate,
                                      bool value) {
  if (!options.learnsEqual)
    return;
  for (uint32_t pc = state.pc; pc-- > 0 && !isLabel[pc + 1];) {
    const Instruction &instruction = kernel.instructions[pc];
    if (!llvm::is_contained(accesses[pc].writes, predicate))
      continue;
    llvm::StringRef how =
        ptx::spelling(instruction.variant->get(ptx::Slot::Cmp));
    llvm::ArrayRef<Operand> operands = instruction.operands();
    if (instruction.opcode() != Opcode::Setp || operands.size() != 3 ||
        instruction.guard != Instruction::noGuard ||
        how != (value ? "eq" : "ne"))
      return;
    for (unsigned side : {1u, 2u}) {
      const Operand &operand = operands[side];
      Value other = read(state, operands[3 - side]);
      if (operand.is(Operand::Register) && place[operand.index()] >= 0 &&
          read(state, operand) == Value() && other.isUniform())
        state.registers[place[operand.index()]] = other;
    }
    return;
  }
}

/// Goes on where the instruction jumps to; lanes that go elsewhere are put
/// aside. False if there is nowhere to go.
bool Walk::Implementation::jump(State &state, const Instruction &instruction,
                                uint32_t taken) {
  llvm::SmallVector<uint32_t> targets = getTargets(kernel, instruction);
  Value index;
  if (instruction.opcode() == Opcode::BrxIdx)
    index = read(state, instruction.operands()[0]);
  else
    index = Value::of(0);
  bool hasMoved = false;
  State before = state.clone();
  for (auto [number, target] : llvm::enumerate(targets)) {
    uint32_t lanes = taken;
    if (index.isKnown()) {
      lanes = 0;
      for (unsigned lane = 0; lane != lanesOfWarp; ++lane)
        if ((taken >> lane & 1) && index.at(lane) == number)
          lanes |= 1u << lane;
    }
    if (!lanes)
      continue;
    State next = before.clone();
    next.mask = lanes;
    next.pc = target;
    if (hasMoved)
      work.push_back(std::move(next));
    else
      state = std::move(next);
    hasMoved = true;
  }
  return hasMoved;
}

/// A load of a byte in shared memory for which values are known: goes on with
/// each of them.
bool Walk::Implementation::readStored(State &state,
                                      const Instruction &instruction) {
  if (options.parameters || !mayReadStored(instruction))
    return false;
  const Operand &target = instruction.operands()[0];
  std::optional<uint64_t> address =
      readAddress(state, instruction.operands()[1]).get(state.mask);
  if (!address || !target.is(Operand::Register) || place[target.index()] < 0)
    return false;
  stored->isUsed = true;
  auto found = stored->values.find(*address);
  if (found == stored->values.end())
    return false;
  stored->readers.insert(instruction.line);
  bool isFirst = true;
  State before = state.clone();
  for (uint8_t value : found->second) {
    State next = before.clone();
    write(next, target, Value::of(value), Value::of(1));
    ++next.pc;
    if (isFirst)
      state = std::move(next);
    else
      work.push_back(std::move(next));
    isFirst = false;
  }
  return true;
}

/// Remembers what is stored to shared memory, if it is one number at one place.
void Walk::Implementation::noteStored(const State &state,
                                      const Instruction &instruction,
                                      Value guard) {
  if (!isStoreToShared(instruction))
    return;
  std::optional<uint64_t> address =
      readAddress(state, instruction.operands()[0]).get(state.mask);
  if (!address || guard.get(state.mask) == 0u)
    return;
  const Operand &source = instruction.operands()[1];
  unsigned bytes = ptx::bitsOf(instruction.variant->type(ptx::Slot::Type)) / 8;
  auto note = [&](const Operand &operand, uint64_t at) {
    std::optional<uint64_t> value = read(state, operand).get(state.mask);
    for (unsigned byte = 0; value && byte != bytes && byte != 8; ++byte)
      stored->values[at + byte].insert(*value >> (8 * byte) & 0xff);
  };
  if (!source.is(Operand::Vector))
    return note(source, *address);
  for (auto [number, part] : llvm::enumerate(source.parts()))
    note(part, *address + number * bytes);
}

/// What the guard of an instruction is.
Value Walk::Implementation::readGuard(const State &state,
                                      const Instruction &instruction) {
  if (instruction.guard == Instruction::noGuard)
    return Value::of(1);
  if (place[instruction.guard] < 0)
    return Value();
  Value guard = state.registers[place[instruction.guard]];
  if (!instruction.guardNegated)
    return guard;
  return table.map(guard, [](llvm::ArrayRef<uint64_t> n) { return !n[0]; });
}

/// The lanes of a path that an instruction is for. Where it decides about the
/// path, those that go another way are put aside; 0 if all have.
llvm::Expected<uint32_t>
Walk::Implementation::part(State &state, const Instruction &instruction,
                           Value guard) {
  uint32_t taken = 0, undecided = 0;
  for (unsigned lane = 0; lane != lanesOfWarp; ++lane)
    if (state.mask >> lane & 1) {
      if (!guard.isKnownAt(lane))
        undecided |= 1u << lane;
      else if (guard.at(lane))
        taken |= 1u << lane;
    }
  if (undecided && options.parameters)
    return fail(instruction, "what decides here is not known");
  // Lanes that don't know go both ways, together.
  if (undecided) {
    State other = state.clone();
    assume(other, instruction.guard, instruction.guardNegated);
    learnEqual(other, instruction.guard, instruction.guardNegated);
    if (llvm::Error error = tellDecision(other, /*isTaken=*/false))
      return error;
    work.push_back(std::move(other));
    assume(state, instruction.guard, !instruction.guardNegated);
    learnEqual(state, instruction.guard, !instruction.guardNegated);
    taken |= undecided;
  }
  if (llvm::Error error = tellDecision(state, taken != 0))
    return error;
  bool goesElsewhere =
      jumps(instruction.opcode()) || leaves(instruction.opcode());
  if (taken == 0 || taken == state.mask || (options.order && !goesElsewhere))
    return taken;
  if (options.order && stepsOver.test(state.pc) && !state.joining) {
    state.joining = state.mask;
    state.joinsAt = getTargets(kernel, instruction).front();
    state.mask &= ~taken;
    return 0;
  }
  State other = state.clone();
  other.mask &= ~taken;
  ++other.pc;
  work.push_back(std::move(other));
  state.mask = taken;
  return taken;
}

/// An instruction that a monitor observes. False if the path isn't to be
/// followed further.
llvm::Expected<bool> Walk::Implementation::pass(State &state,
                                                const Instruction &instruction,
                                                uint32_t taken) {
  bool waits = isWait(instruction.opcode());
  Value lanes = options.order ? lanesOf(taken) : Value::of(1);
  if (waits && !options.parameters) {
    State failed = state.clone();
    write(failed, instruction.operands()[0], Value::of(0), lanes);
    ++failed.pc;
    work.push_back(std::move(failed));
  }
  if (llvm::Error error = tell(state, instruction, taken))
    return error;
  if (state.monitor->isDone())
    return false;
  if (waits) {
    write(state, instruction.operands()[0], Value::of(1), lanes);
    return true;
  }
  for (uint32_t reg : accesses[state.pc].writes)
    if (place[reg] >= 0)
      state.registers[place[reg]] = Value();
  return true;
}

/// Tells of something that has no operands.
llvm::Error Walk::Implementation::mention(State &state, Event::Kind kind,
                                          int64_t count) {
  const Instruction &instruction = kernel.instructions[state.pc];
  Event event;
  event.kind = kind;
  event.line = instruction.line;
  event.mask = state.mask;
  event.path = state.path();
  event.count = count;
  event.instruction = &instruction;
  return state.monitor->see(event);
}

/// Takes one step. False if the path has ended.
llvm::Expected<bool> Walk::Implementation::step(State &state) {
  const Instruction &instruction = kernel.instructions[state.pc];
  Opcode opcode = instruction.opcode();
  Value guard = readGuard(state, instruction);
  uint32_t taken = state.mask;
  bool decides = decidesPath(opcode) || isObserved(instruction);
  if (decides && instruction.guard != Instruction::noGuard) {
    auto lanes = part(state, instruction, guard);
    if (!lanes)
      return lanes.takeError();
    taken = *lanes;
    if (taken == 0) {
      ++state.pc;
      return true;
    }
  }
  if (jumps(opcode))
    return jump(state, instruction, taken);
  if (opcode == Opcode::Trap) {
    if (llvm::Error error = mention(state, Event::Kind::Trap))
      return error;
    return false;
  }
  if (leaves(opcode)) {
    if (llvm::Error error = state.monitor->end(state.mask))
      return error;
    return false;
  }
  if (options.order && together.test(state.pc))
    if (llvm::Error error = tellTogether(state, instruction, taken))
      return error;
  if (isObserved(instruction)) {
    llvm::Expected<bool> goesOn = pass(state, instruction, taken);
    if (!goesOn || !*goesOn)
      return goesOn;
  } else if (readStored(state, instruction)) {
    return true;
  } else if (marks.contains(state.pc)) {
    if (llvm::Error error =
            mention(state, Event::Kind::Mark, marks.lookup(state.pc)))
      return error;
  } else {
    noteStored(state, instruction, guard);
    assign(state, instruction, guard);
  }
  ++state.pc;
  return true;
}

/// Runs a path to its end, or to a state that was visited. Other ways are put
/// aside.
llvm::Error Walk::Implementation::advance(State state) {
  while (true) {
    if (state.joining && state.pc == state.joinsAt) {
      state.mask = state.joining;
      state.joining = 0;
    }
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
    llvm::Expected<bool> goesOn = step(state);
    if (!goesOn)
      return goesOn.takeError();
    if (!*goesOn)
      return llvm::Error::success();
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

void Walk::share(StoredBytes &stored) { implementation->stored = &stored; }

const std::set<uint32_t> &Walk::getGivenUp() const {
  return implementation->givenUp;
}

llvm::Error Walk::run(unsigned warp, std::unique_ptr<Monitor> monitor) {
  return implementation->run(warp, std::move(monitor));
}
