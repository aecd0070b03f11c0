//===- WalkExecute.cpp - What an instruction does to a state --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WalkImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using namespace drawloom::protocol;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

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

bool protocol::isCtaBarrier(Opcode opcode) {
  return opcode == Opcode::BarSync || opcode == Opcode::BarCtaSync ||
         opcode == Opcode::BarrierSync || opcode == Opcode::BarrierCtaSync;
}

bool protocol::isNamedArrival(Opcode opcode) {
  return opcode == Opcode::BarArrive || opcode == Opcode::BarCtaArrive ||
         opcode == Opcode::BarrierArrive || opcode == Opcode::BarrierCtaArrive;
}

bool protocol::isNamedBarrier(Opcode opcode) {
  return isCtaBarrier(opcode) || isNamedArrival(opcode) ||
         opcode == Opcode::BarRed || opcode == Opcode::BarCtaRed ||
         opcode == Opcode::BarrierRed || opcode == Opcode::BarrierCtaRed;
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
  case Opcode::Tcgen05MmaSp:
  case Opcode::Tcgen05MmaWs:
  case Opcode::Tcgen05MmaWsSp:
  case Opcode::ClcTryCancel:
  case Opcode::StAsync:
  case Opcode::RedAsync:
  case Opcode::WgmmaMmaAsync:
  case Opcode::WgmmaMmaAsyncSp:
  case Opcode::WgmmaCommitGroup:
  case Opcode::WgmmaWaitGroup:
  case Opcode::BarrierClusterWait:
    return true;
  default:
    return isWait(opcode) || isCtaBarrier(opcode);
  }
}

Value Walk::Implementation::readSpecial(const Operand &operand) {
  unsigned axis = std::max(operand.component(), 0);
  bool isX = axis == 0;
  std::array<unsigned, 3> cluster = options.cluster;
  auto getClusterCtaId = [&](unsigned along) {
    unsigned rest = options.rank;
    for (unsigned i = 0; i != along && i != 3; ++i)
      rest /= cluster[i];
    return along < 3 ? rest % cluster[along] : 0;
  };
  auto perLane = [&](auto function) {
    Lanes lanes;
    for (unsigned lane = 0; lane != lanesOfWarp; ++lane)
      lanes[lane] = function(lane);
    return table.make(lanes);
  };
  switch (operand.special()) {
  case ptx::SpecialRegister::Tid:
    return isX ? perLane([&](unsigned l) { return warp * lanesOfWarp + l; })
               : Value::of(0);
  case ptx::SpecialRegister::LaneId:
    return perLane([](unsigned lane) { return lane; });
  case ptx::SpecialRegister::WarpId:
    return Value::of(warp);
  case ptx::SpecialRegister::NTid:
    return Value::of(isX ? options.threads : 1);
  case ptx::SpecialRegister::CtaId: {
    if (options.parameters)
      return Value::of(isX ? options.cta : 0);
    // The lowest bits are those of the place in the cluster.
    unsigned size = axis < 3 ? cluster[axis] : 1;
    if (size < 2 || !llvm::isPowerOf2_32(size))
      return {};
    return Value::ofLow(getClusterCtaId(axis), llvm::Log2_32(size));
  }
  case ptx::SpecialRegister::NCtaId:
    return options.parameters ? Value::of(isX ? options.ctas : 1) : Value();
  case ptx::SpecialRegister::ClusterCtaRank:
    return Value::of(options.rank);
  case ptx::SpecialRegister::ClusterNCtaRank:
    return Value::of(cluster[0] * cluster[1] * cluster[2]);
  case ptx::SpecialRegister::ClusterNCtaId:
    return Value::of(axis < 3 ? cluster[axis] : 0);
  case ptx::SpecialRegister::ClusterCtaId:
    return Value::of(getClusterCtaId(axis));
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
    if (std::optional<uint64_t> address = layout.find(variable))
      return Value::of(*address + offset);
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

Value Walk::Implementation::lanesOf(uint32_t mask) {
  Lanes lanes;
  for (unsigned lane = 0; lane != lanesOfWarp; ++lane)
    lanes[lane] = mask >> lane & 1;
  return table.make(lanes);
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
  if (bits < 64 && !value.isUnknown())
    value = table.map(value, [&](llvm::ArrayRef<uint64_t> n) {
      return n[0] & ((uint64_t(1) << bits) - 1);
    });
  // Lanes that have stepped over this keep what they have.
  if (state.joining)
    guard = table.map({guard, lanesOf(state.mask)},
                      [](llvm::ArrayRef<uint64_t> n) { return n[0] & n[1]; });
  if (guard != Value::of(1)) {
    Lanes lanes = {};
    uint32_t unknown = 0;
    for (unsigned lane = 0; lane != lanesOfWarp; ++lane) {
      bool isWritten = guard.isKnownAt(lane) && guard.at(lane);
      bool isKept = guard.isKnownAt(lane) && !guard.at(lane);
      if (isWritten && value.isKnownAt(lane))
        lanes[lane] = value.at(lane);
      else if (isKept && into.isKnownAt(lane))
        lanes[lane] = into.at(lane);
      else
        unknown |= 1u << lane;
    }
    value = table.make(lanes, unknown);
  }
  // A counter without a bound would make infinitely many states. It is where
  // it counts that it becomes unknown, not where it starts.
  if (!options.parameters && !value.isUnknown()) {
    std::set<Value> &seen = values[state.pc];
    if (!options.followsLanes || seen.size() < options.valueLimit)
      seen.insert(value);
    if (options.followsLanes ? !seen.contains(value)
                             : seen.size() > options.valueLimit) {
      givenUp.insert(kernel.instructions[state.pc].line);
      value = Value::ofCounter();
    }
  }
  into = value;
}

/// Which lane is elected is not said, but it is always the same one.
void Walk::Implementation::elect(State &state, const Instruction &instruction,
                                 Value guard) {
  llvm::ArrayRef<Operand> operands = instruction.operands();
  Lanes lanes = {};
  std::optional<uint64_t> members = read(state, operands.back()).get(~0u);
  unsigned first =
      members && uint32_t(*members) ? llvm::countr_zero(uint32_t(*members)) : 0;
  lanes[first] = 1;
  for (const Operand &part : operands.front().parts())
    write(state, part,
          part.is(Operand::Register) && part.type() == ptx::Type::Pred
              ? table.make(lanes)
              : Value::of(first),
          guard);
}

/// What a lane gets of a shuffle is known if all have the same, or if all get
/// that of one lane.
void Walk::Implementation::shuffle(State &state, const Instruction &instruction,
                                   Value guard) {
  llvm::ArrayRef<Operand> operands = instruction.operands();
  const Operand &target = operands.front();
  Value value = read(state, operands[1]), from = read(state, operands[2]);
  llvm::StringRef mode =
      ptx::spelling(instruction.variant->get(ptx::Slot::Mode));
  if (!value.isUniform()) {
    bool known = value.isKnown() && from.isUniform() && mode == "idx" &&
                 read(state, operands[3]) == Value::of(31);
    value = known ? Value::of(value.at(from.at(0) & 31)) : Value();
  }
  write(state, target.is(Operand::Pair) ? target.parts()[0] : target, value,
        guard);
  if (target.is(Operand::Pair))
    write(state, target.parts()[1], Value(), guard);
}

/// The bits of one of the two parts of a word of 32 or 64 bits in a `mov`; none
/// if the operands are something else.
static std::optional<unsigned> getPartBits(const Operand &whole,
                                           const Operand &parts) {
  if (!parts.is(Operand::Vector) || parts.parts().size() != 2 ||
      !whole.is(Operand::Register))
    return std::nullopt;
  unsigned bits = ptx::bitsOf(whole.type()) / 2;
  if (bits != 16 && bits != 32)
    return std::nullopt;
  return bits;
}

/// Whether it is known what a `mov` writes: words of 64 bits are put together
/// and taken apart.
bool Walk::Implementation::move(State &state, const Instruction &instruction,
                                Value guard) {
  const Operand &target = instruction.operands()[0];
  const Operand &source = instruction.operands()[1];
  if (std::optional<unsigned> bits = getPartBits(target, source)) {
    Value low = read(state, source.parts()[0]);
    Value high = read(state, source.parts()[1]);
    write(state, target,
          table.map(
              {low, high},
              [&](llvm::ArrayRef<uint64_t> n) { return n[0] | n[1] << *bits; }),
          guard);
    return true;
  }
  if (std::optional<unsigned> bits = getPartBits(source, target)) {
    Value whole = read(state, source);
    for (unsigned part : {0u, 1u})
      write(state, target.parts()[part],
            table.map(whole,
                      [&](llvm::ArrayRef<uint64_t> n) {
                        return n[0] >> (part * *bits);
                      }),
            guard);
    return true;
  }
  if (!target.is(Operand::Register))
    return false;
  write(state, target, read(state, source), guard);
  return true;
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
  case Opcode::Elect:
    return elect(state, instruction, guard);
  case Opcode::Shfl:
    return shuffle(state, instruction, guard);
  case Opcode::Mapa: {
    Value address = read(state, operands[1]), rank = read(state, operands[2]);
    return write(state, target,
                 table.map({address, rank},
                           [](llvm::ArrayRef<uint64_t> n) {
                             uint64_t byte =
                                 n[0] & ((1u << SharedLayout::rankShift) - 1);
                             return byte | n[1] << SharedLayout::rankShift;
                           }),
                 guard);
  }
  case Opcode::Mov:
    if (move(state, instruction, guard))
      return;
    break;
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
