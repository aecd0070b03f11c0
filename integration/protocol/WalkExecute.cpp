//===- WalkExecute.cpp - What an instruction does to a state --------------===//
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

/// Where dynamic shared memory starts in the walk. Any multiple of its
/// alignment would do; it isn't 0, so that a forgotten base is seen.
static constexpr uint64_t sharedBase = 1024;
/// Addresses of parameters, far away from everything else.
static constexpr unsigned parameterShift = 40;

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

Access protocol::getAccess(const Instruction &instruction) {
  Access access;
  // What is written comes first and is never left out.
  llvm::ArrayRef<ptx::OperandSpec> specs = instruction.variant->form->operands;
  for (auto [index, operand] : llvm::enumerate(instruction.operands()))
    collect(operand, index < specs.size() && specs[index].isOut, access);
  if (instruction.guard != Instruction::noGuard)
    access.reads.push_back(instruction.guard);
  return access;
}

bool protocol::isWait(Opcode opcode) {
  return opcode == Opcode::MbarrierTryWaitParity ||
         opcode == Opcode::MbarrierTestWaitParity;
}

static bool isCtaBarrier(Opcode opcode) {
  return opcode == Opcode::BarSync || opcode == Opcode::BarCtaSync ||
         opcode == Opcode::BarrierSync || opcode == Opcode::BarrierCtaSync;
}

bool protocol::isEvent(Opcode opcode) {
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
