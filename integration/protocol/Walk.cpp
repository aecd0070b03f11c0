//===- Walk.cpp - Every way that a warp can take through a kernel ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Walk.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"

using namespace drawloom;
using namespace drawloom::protocol;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

namespace {

/// Where dynamic shared memory starts in the walk. Any multiple of its
/// alignment would do; it isn't 0, so that a forgotten base is seen.
constexpr uint64_t sharedBase = 1024;
/// Addresses of parameters, far away from everything else.
constexpr unsigned parameterShift = 40;

struct State {
  uint32_t pc = 0;
  uint32_t mask = ~0u;
  std::vector<Value> registers;
  std::unique_ptr<Monitor> monitor;

  State clone() const { return {pc, mask, registers, monitor->clone()}; }
};

struct Access {
  llvm::SmallVector<uint32_t, 4> reads, writes;
};

} // namespace

static void collect(const Operand &operand, bool isOut, Access &access) {
  if (operand.is(Operand::Register))
    (isOut ? access.writes : access.reads).push_back(operand.index());
  else if (operand.is(Operand::Vector) || operand.is(Operand::Pair))
    for (const Operand &part : operand.parts())
      collect(part, isOut, access);
  else if (operand.is(Operand::Address))
    for (const Operand &part : operand.parts())
      collect(part, /*isOut=*/false, access);
}

static Access getAccess(const Instruction &instruction) {
  Access access;
  // What is written comes first and is never left out.
  llvm::ArrayRef<ptx::OperandSpec> specs = instruction.variant->form->operands;
  for (auto [index, operand] : llvm::enumerate(instruction.operands()))
    collect(operand, index < specs.size() && specs[index].isOut, access);
  if (instruction.guard != Instruction::noGuard)
    access.reads.push_back(instruction.guard);
  return access;
}

static bool isWait(Opcode opcode) {
  return opcode == Opcode::MbarrierTryWaitParity ||
         opcode == Opcode::MbarrierTestWaitParity;
}

static bool isCtaBarrier(Opcode opcode) {
  return opcode == Opcode::BarSync || opcode == Opcode::BarCtaSync ||
         opcode == Opcode::BarrierSync || opcode == Opcode::BarrierCtaSync;
}

/// Whether a monitor is told about it.
static bool isEvent(Opcode opcode) {
  switch (opcode) {
  case Opcode::MbarrierInit:
  case Opcode::MbarrierInval:
  case Opcode::MbarrierExpectTx:
  case Opcode::MbarrierCompleteTx:
  case Opcode::MbarrierArrive:
  case Opcode::MbarrierArriveExpectTx:
  case Opcode::MbarrierArriveNoComplete:
  case Opcode::MbarrierArriveDrop:
  case Opcode::MbarrierArriveDropExpectTx:
  case Opcode::MbarrierArriveDropNoComplete:
  case Opcode::MbarrierTestWait:
  case Opcode::MbarrierTryWait:
  case Opcode::CpAsyncMbarrierArrive:
  case Opcode::CpAsyncBulk:
  case Opcode::CpAsyncBulkTensor:
  case Opcode::Tcgen05Commit:
  case Opcode::Tcgen05Mma:
  case Opcode::WgmmaMmaAsync:
  case Opcode::WgmmaCommitGroup:
  case Opcode::WgmmaWaitGroup:
    return true;
  default:
    return isWait(opcode) || isCtaBarrier(opcode);
  }
}

static bool leaves(Opcode opcode) {
  return opcode == Opcode::Ret || opcode == Opcode::Exit ||
         opcode == Opcode::Trap;
}

struct Walk::Implementation {
  Implementation(const ptx::Function &kernel, const WalkOptions &options)
      : kernel(kernel), options(options) {}

  llvm::Error prepare();
  llvm::Error run(unsigned warp, std::unique_ptr<Monitor> monitor);

  void findTracked();
  void findLive();
  bool isNew(const State &state);
  llvm::Error advance(State state);
  llvm::Error execute(State &state, const Instruction &instruction,
                      uint32_t mask);
  llvm::Error tell(State &state, const Instruction &instruction, uint32_t mask);
  void assign(State &state, const Instruction &instruction, Value guard);
  void write(State &state, const Operand &operand, Value value, Value guard);
  Value read(const State &state, const Operand &operand);
  Value readAddress(const State &state, const Operand &operand);
  Value readSpecial(const Operand &operand);
  Value loadParameter(const Operand &address, const ptx::Variant &variant);
  void assume(State &state, uint32_t predicate, bool value);
  llvm::Error fail(const Instruction &instruction, const llvm::Twine &words) {
    return llvm::createStringError("line " + llvm::Twine(instruction.line) +
                                   ": " + words);
  }

  const ptx::Function &kernel;
  WalkOptions options;
  ValueTable table;
  std::vector<Access> accesses;
  /// For each register, its place in a state, or -1.
  std::vector<int> place;
  std::vector<uint32_t> tracked;
  llvm::BitVector isLabel;
  std::vector<llvm::BitVector> live;

  // Of one run.
  unsigned warp = 0;
  llvm::StringSet<> visited;
  std::vector<State> work;
  /// What each instruction has written.
  std::vector<std::set<Value>> values;
};

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

Value Walk::Implementation::readSpecial(const Operand &operand) {
  bool isX = operand.component() <= 0;
  switch (operand.special()) {
  case ptx::SpecialRegister::Tid: {
    if (!isX)
      return Value::of(0);
    Lanes lanes;
    for (unsigned lane = 0; lane != lanesOfWarp; ++lane)
      lanes[lane] = warp * lanesOfWarp + lane;
    return table.make(lanes);
  }
  case ptx::SpecialRegister::LaneId: {
    Lanes lanes;
    for (unsigned lane = 0; lane != lanesOfWarp; ++lane)
      lanes[lane] = lane;
    return table.make(lanes);
  }
  case ptx::SpecialRegister::NTid:
    return Value::of(isX ? options.threads : 1);
  case ptx::SpecialRegister::CtaId:
    return options.parameters ? Value::of(isX ? options.cta : 0) : Value();
  case ptx::SpecialRegister::NCtaId:
    return options.parameters ? Value::of(isX ? options.ctas : 1) : Value();
  default:
    return {};
  }
}

Value Walk::Implementation::read(const State &state, const Operand &operand) {
  switch (operand.kind()) {
  case Operand::Register: {
    if (place[operand.index()] < 0 || operand.component() >= 0 ||
        operand.elements() != 1)
      return {};
    Value value = state.registers[place[operand.index()]];
    if (!operand.isNegated())
      return value;
    return table.map(value, [](llvm::ArrayRef<uint64_t> n) { return !n[0]; });
  }
  case Operand::Integer:
    return Value::of(static_cast<uint64_t>(operand.integer()));
  case Operand::Special:
    return readSpecial(operand);
  case Operand::SymbolAddress: {
    const ptx::Symbol *symbol = operand.symbol();
    if (symbol->kind != ptx::Symbol::VariableKind)
      return {};
    auto offset = static_cast<uint64_t>(operand.symbolOffset());
    const auto *variable = static_cast<const ptx::Variable *>(symbol);
    if (variable->space == ptx::StateSpace::Shared &&
        !variable->extents.empty() &&
        variable->extents.front() == ptx::Variable::unsized)
      return Value::of(sharedBase + offset);
    for (auto [index, parameter] :
         llvm::enumerate(kernel.prototype->parameters))
      if (parameter.variable == variable)
        return Value::of((static_cast<uint64_t>(index + 1) << parameterShift) +
                         offset);
    return {};
  }
  default:
    return {};
  }
}

/// The address in brackets.
Value Walk::Implementation::readAddress(const State &state,
                                        const Operand &operand) {
  if (!operand.is(Operand::Address))
    return read(state, operand);
  const Operand &base = operand.parts().front();
  Value value = read(state, base);
  if (!base.is(Operand::Register))
    return value;
  auto offset = static_cast<uint64_t>(base.integer());
  return table.map(value,
                   [&](llvm::ArrayRef<uint64_t> n) { return n[0] + offset; });
}

Value Walk::Implementation::loadParameter(const Operand &address,
                                          const ptx::Variant &variant) {
  if (!options.parameters)
    return {};
  Value value = readAddress({}, address);
  if (!value.isUniform())
    return {};
  uint64_t number = (value.at(0) >> parameterShift) - 1;
  if (number >= options.parameters->size() ||
      (value.at(0) & ((uint64_t(1) << parameterShift) - 1)) != 0)
    return {};
  return Value::of((*options.parameters)[number]);
}

void Walk::Implementation::write(State &state, const Operand &operand,
                                 Value value, Value guard) {
  if (!operand.is(Operand::Register) || place[operand.index()] < 0)
    return;
  unsigned index = place[operand.index()];
  Value &into = state.registers[index];
  ptx::Type type = kernel.declarationOf(operand.index()).type;
  unsigned bits = type == ptx::Type::Pred ? 1 : ptx::bitsOf(type);
  if (operand.component() >= 0 || operand.elements() != 1)
    value = Value();
  if (bits < 64)
    value = table.map(value, [&](llvm::ArrayRef<uint64_t> n) {
      return n[0] & ((uint64_t(1) << bits) - 1);
    });
  if (guard != Value::of(1))
    value = table.map({guard, value, into}, [](llvm::ArrayRef<uint64_t> n) {
      return n[0] ? n[1] : n[2];
    });
  // A counter without a bound would make infinitely many states. It is where
  // it counts that it becomes unknown, not where it starts.
  if (!options.parameters && value.isKnown()) {
    std::set<Value> &seen = values[state.pc];
    seen.insert(value);
    if (seen.size() > options.valueLimit)
      value = Value();
  }
  into = value;
}

/// Everything that is no event and no branch.
void Walk::Implementation::assign(State &state, const Instruction &instruction,
                                  Value guard) {
  llvm::ArrayRef<Operand> operands = instruction.operands();
  auto isWanted = [&](uint32_t reg) { return place[reg] >= 0; };
  if (llvm::none_of(getAccess(instruction).writes, isWanted))
    return;
  const Operand &target = operands.front();
  switch (instruction.opcode()) {
  case Opcode::Elect: {
    // Which lane is not said, but it is always the same one.
    Lanes lanes = {};
    lanes[0] = 1;
    for (const Operand &part : target.parts())
      write(state, part,
            part.is(Operand::Register) && part.type() == ptx::Type::Pred
                ? table.make(lanes)
                : Value::of(0),
            guard);
    return;
  }
  case Opcode::Shfl: {
    Value value = read(state, operands[1]), from = read(state, operands[2]);
    llvm::StringRef mode =
        ptx::spelling(instruction.variant->get(ptx::Slot::Mode));
    if (!value.isUniform()) {
      bool known = value.isKnown() && from.isUniform() && mode == ".idx" &&
                   read(state, operands[3]) == Value::of(31);
      value = known ? Value::of(value.at(from.at(0) & 31)) : Value();
    }
    write(state, target.is(Operand::Pair) ? target.parts()[0] : target, value,
          guard);
    if (target.is(Operand::Pair))
      write(state, target.parts()[1], Value(), guard);
    return;
  }
  case Opcode::Ld: {
    ptx::StateSpace space =
        ptx::spaceOf(instruction.variant->get(ptx::Slot::Space));
    bool isParameter =
        space == ptx::StateSpace::Param || space == ptx::StateSpace::ParamEntry;
    if (isParameter && target.is(Operand::Register))
      return write(state, target,
                   loadParameter(operands[1], *instruction.variant), guard);
    break;
  }
  default:
    if (target.is(Operand::Register)) {
      llvm::SmallVector<Value> sources;
      for (const Operand &operand : operands.drop_front())
        sources.push_back(read(state, operand));
      return write(state, target, table.compute(instruction, sources), guard);
    }
    break;
  }
  for (uint32_t reg : getAccess(instruction).writes)
    if (place[reg] >= 0)
      state.registers[place[reg]] = Value();
}

static int64_t getOffset(uint64_t address) {
  return static_cast<int64_t>(address) - static_cast<int64_t>(sharedBase);
}

/// Tells the monitor about an event of the lanes in `mask`.
llvm::Error Walk::Implementation::tell(State &state,
                                       const Instruction &instruction,
                                       uint32_t mask) {
  llvm::ArrayRef<Operand> operands = instruction.operands();
  Event event;
  event.line = instruction.line;
  event.mask = mask;
  auto number = [&](const Operand &operand, int64_t &into) -> llvm::Error {
    std::optional<uint64_t> value = readAddress(state, operand).get(mask);
    if (!value)
      return fail(instruction, "'" + instruction.variant->mnemonic() +
                                   "' with an operand that the walk does not "
                                   "know");
    into = operand.is(Operand::Address) ? getOffset(*value)
                                        : static_cast<int64_t>(*value);
    return llvm::Error::success();
  };
  auto finish = [&]() { return state.monitor->see(event); };

  using Kind = Event::Kind;
  switch (instruction.opcode()) {
  case Opcode::MbarrierInit:
    event.kind = Kind::Init;
    if (auto error = number(operands[0], event.barrier))
      return error;
    if (auto error = number(operands[1], event.count))
      return error;
    return finish();
  case Opcode::MbarrierTryWaitParity:
  case Opcode::MbarrierTestWaitParity:
    event.kind = Kind::Wait;
    if (auto error = number(operands[1], event.barrier))
      return error;
    if (auto error = number(operands[2], event.count))
      return error;
    return finish();
  case Opcode::MbarrierArrive:
  case Opcode::MbarrierArriveExpectTx: {
    bool expects = instruction.opcode() == Opcode::MbarrierArriveExpectTx;
    event.kind = expects ? Kind::ArriveExpect : Kind::Arrive;
    event.count = 1;
    // The state, or '_', comes first.
    if (auto error = number(operands[1], event.barrier))
      return error;
    if (operands.size() > 2)
      if (auto error = number(operands[2], event.count))
        return error;
    return finish();
  }
  case Opcode::CpAsyncMbarrierArrive:
    event.kind = Kind::CopyArrive;
    if (!instruction.variant->has(ptx::Modifier::NoInc))
      return fail(instruction, "cp.async.mbarrier.arrive without .noinc, which "
                               "adds to the count that the plan says");
    if (auto error = number(operands[0], event.barrier))
      return error;
    return finish();
  case Opcode::Tcgen05Commit:
    event.kind = Kind::Commit;
    if (auto error = number(operands[0], event.barrier))
      return error;
    return finish();
  case Opcode::CpAsyncBulk:
  case Opcode::CpAsyncBulkTensor: {
    bool isTensor = instruction.opcode() == Opcode::CpAsyncBulkTensor;
    ptx::StateSpace space =
        ptx::spaceOf(instruction.variant->get(ptx::Slot::Space));
    bool isLoad = space == ptx::StateSpace::SharedCluster ||
                  space == ptx::StateSpace::SharedCta ||
                  space == ptx::StateSpace::Shared;
    event.kind = isLoad ? Kind::Copy : Kind::Store;
    if (auto error = number(operands[isLoad ? 0 : 1], event.address))
      return error;
    if (isTensor) {
      // A map is a parameter; its address says which.
      Value map = readAddress(state, operands[isLoad ? 1 : 0]);
      if (std::optional<uint64_t> address = map.get(mask))
        event.map = static_cast<int>(*address >> parameterShift) - 1;
    } else if (auto error = number(operands[2], event.count)) {
      return error;
    }
    if (isLoad)
      if (auto error = number(operands[isTensor ? 2 : 3], event.barrier))
        return error;
    return finish();
  }
  case Opcode::Tcgen05Mma:
  case Opcode::WgmmaMmaAsync:
    event.kind = Kind::Product;
    for (const Operand &operand : operands) {
      if (!operand.is(Operand::Register) || ptx::bitsOf(operand.type()) != 64)
        continue;
      // The first 14 bits of a descriptor are the address in units of 16 bytes.
      if (std::optional<uint64_t> descriptor = read(state, operand).get(mask))
        event.reads.push_back(getOffset((*descriptor & 0x3fff) << 4));
    }
    return finish();
  case Opcode::WgmmaCommitGroup:
    event.kind = Kind::Group;
    return finish();
  case Opcode::WgmmaWaitGroup:
    event.kind = Kind::GroupWait;
    event.count = operands[0].integer();
    return finish();
  case Opcode::BarSync:
  case Opcode::BarCtaSync:
  case Opcode::BarrierSync:
  case Opcode::BarrierCtaSync: {
    // Others than barrier 0 are for the warps of a role.
    if (read(state, operands[0]) != Value::of(0))
      return llvm::Error::success();
    event.kind = Kind::CtaBarrier;
    return finish();
  }
  default:
    return fail(instruction, "'" + instruction.variant->mnemonic() +
                                 "', which no plan asks for");
  }
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
