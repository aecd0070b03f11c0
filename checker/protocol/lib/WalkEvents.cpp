//===- WalkEvents.cpp - What a monitor observes
//----------------------------===//
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
using ptx::Slot;
using Kind = Event::Kind;

static bool isSharedSpace(ptx::StateSpace space) {
  return space == ptx::StateSpace::SharedCluster ||
         space == ptx::StateSpace::SharedCta ||
         space == ptx::StateSpace::Shared;
}

/// Rows of an operand of tcgen05.mma and wgmma are this long.
static constexpr int64_t productRowBytes = 32;

namespace {
/// The rows of A and B that a product reads from shared memory of one CTA; 0 if
/// they aren't known.
struct Rows {
  int64_t a = 0, b = 0;
};
} // namespace

static Rows getTensorRows(const Instruction &instruction,
                          std::optional<uint64_t> descriptor, bool isPair) {
  llvm::StringRef kind = ptx::spelling(instruction.variant->get(Slot::Kind));
  if (!descriptor)
    return {};
  // The fields of the instruction's descriptor, PTX ISA 9.7.16.4.2.
  bool isScaled = kind.contains("mxf");
  int64_t m = isScaled ? (*descriptor >> 27 & 3) * 128
                       : (*descriptor >> 24 & 0x1f) * 16;
  int64_t n = (*descriptor >> 17 & 0x3f) * 8;
  return isPair ? Rows{m / 2, n / 2} : Rows{m, n};
}

/// Tells the monitor about an event of the lanes in `mask`: once for all those
/// that have the same operands.
llvm::Error Walk::Implementation::tell(State &state,
                                       const Instruction &instruction,
                                       uint32_t mask) {
  llvm::SmallVector<Value, 8> values;
  for (const Operand &operand : instruction.operands())
    if (operand.is(Operand::Register) || operand.is(Operand::Address))
      values.push_back(readAddress(state, operand));
  while (mask) {
    unsigned first = llvm::countr_zero(mask);
    uint32_t group = 0;
    for (unsigned lane = first; lane != lanesOfWarp; ++lane)
      if ((mask >> lane & 1) && llvm::all_of(values, [&](const Value &value) {
            return value.isKnownAt(lane) == value.isKnownAt(first) &&
                   (!value.isKnownAt(lane) ||
                    value.at(lane) == value.at(first));
          }))
        group |= 1u << lane;
    bool ofOrder = options.order && isOrder(instruction.opcode());
    if (llvm::Error error = ofOrder ? tellOrder(state, instruction, group)
                                    : tellGroup(state, instruction, group))
      return error;
    mask &= ~group;
  }
  return llvm::Error::success();
}

/// Barriers of the CTA and the cluster, registers and tensor memory.
llvm::Error Walk::Implementation::tellOrder(State &state,
                                            const Instruction &instruction,
                                            uint32_t mask) {
  Opcode opcode = instruction.opcode();
  Event event;
  event.line = instruction.line;
  event.mask = mask;
  event.path = state.path();
  event.rank = options.rank;
  event.instruction = &instruction;
  bool isRegisters =
      opcode == Opcode::SetmaxnregInc || opcode == Opcode::SetmaxnregDec;
  if (!isNamedBarrier(opcode)) {
    event.kind = isRegisters                            ? Kind::Registers
                 : opcode == Opcode::Tcgen05Alloc       ? Kind::Allocate
                 : opcode == Opcode::BarrierClusterWait ? Kind::ClusterWait
                                                        : Kind::ClusterArrive;
    if (isRegisters)
      event.count = instruction.operands()[0].integer();
    event.waits = opcode == Opcode::SetmaxnregInc;
    return state.monitor->see(event);
  }
  event.kind = Kind::NamedBarrier;
  event.waits = !isNamedArrival(opcode);
  // d and c of a reduction stand around a and b.
  llvm::ArrayRef<Operand> operands = instruction.operands();
  if (!isCtaBarrier(opcode) && event.waits)
    operands = operands.slice(1, operands.size() - 2);
  std::optional<uint64_t> number = read(state, operands[0]).get(mask);
  std::optional<uint64_t> threads = 0;
  if (operands.size() > 1)
    threads = read(state, operands[1]).get(mask);
  event.isKnown = number && threads;
  event.isCounted = false;
  event.barrier = number.value_or(0);
  event.count = threads.value_or(0);
  return state.monitor->see(event);
}

/// An instruction for which lanes of the warp come together, where some have
/// gone another way.
llvm::Error Walk::Implementation::tellTogether(State &state,
                                               const Instruction &instruction,
                                               uint32_t mask) {
  Event event;
  event.kind = Kind::WarpBarrier;
  event.line = instruction.line;
  event.mask = mask;
  event.path = state.path();
  event.rank = options.rank;
  event.instruction = &instruction;
  event.members = ~0u;
  switch (instruction.opcode()) {
  case Opcode::Shfl:
  case Opcode::Vote:
  case Opcode::MatchAny:
  case Opcode::MatchAll:
  case Opcode::Redux:
  case Opcode::Elect:
  case Opcode::BarWarpSync:
    if (auto members = read(state, instruction.operands().back()).get(mask))
      event.members = static_cast<uint32_t>(*members);
    break;
  default:
    break;
  }
  if (!(event.members & ~event.path))
    return llvm::Error::success();
  return state.monitor->see(event);
}

/// A branch whose condition other warps may have, too.
llvm::Error Walk::Implementation::tellDecision(State &state, bool isTaken) {
  if (!options.order)
    return llvm::Error::success();
  auto found = options.order->branches.find(state.pc);
  if (found == options.order->branches.end())
    return llvm::Error::success();
  const Instruction &instruction = kernel.instructions[state.pc];
  Event event;
  event.kind = Kind::Decide;
  event.line = instruction.line;
  event.mask = event.path = state.mask;
  event.rank = options.rank;
  event.count = isTaken != found->second.isNegated;
  event.decision = &found->second;
  event.instruction = &instruction;
  return state.monitor->see(event);
}

/// The events of an instruction that lanes with the same operands execute.
class Walk::Implementation::GroupEvent {
public:
  GroupEvent(Implementation &walk, State &state, const Instruction &instruction,
             uint32_t mask)
      : walk(walk), state(state), instruction(instruction),
        variant(*instruction.variant), operands(instruction.operands()) {
    event.line = instruction.line;
    event.mask = mask;
    event.path = state.path();
    event.rank = event.addressRank = walk.options.rank;
    event.instruction = &instruction;
  }

  /// Fills the event in and tells the monitor about it.
  llvm::Error tell();

private:
  llvm::Error tellCancel();
  llvm::Error tellBulkCopy();
  llvm::Error tellProduct();
  llvm::Error finish() { return state.monitor->see(event); }
  llvm::Error multicast(std::optional<uint64_t> ctas);

  void setBarrier(const Operand &operand);
  void setCount(const Operand &operand);
  void setAddress(const Operand &operand);
  void setMap(const Operand &operand);

  std::optional<uint64_t> getNumber(const Operand &operand) {
    return walk.readAddress(state, operand).get(event.mask);
  }
  bool isMulticast() const {
    return variant.get(Slot::Multicast) != ptx::Modifier::None;
  }

  Implementation &walk;
  State &state;
  const Instruction &instruction;
  const ptx::Variant &variant;
  llvm::ArrayRef<Operand> operands;
  Event event;
};

void Walk::Implementation::GroupEvent::setBarrier(const Operand &operand) {
  std::optional<uint64_t> address = getNumber(operand);
  if (!address) {
    event.isKnown = false;
    event.isCounted &= walk.readAddress(state, operand).isCounted();
    return;
  }
  event.rank = SharedLayout::rankOf(*address);
  event.barrier = SharedLayout::offsetOf(*address);
}

void Walk::Implementation::GroupEvent::setCount(const Operand &operand) {
  std::optional<uint64_t> count = getNumber(operand);
  if (!count) {
    event.isKnown = false;
    event.isCounted &= walk.readAddress(state, operand).isCounted();
    return;
  }
  event.count = static_cast<int64_t>(*count);
}

void Walk::Implementation::GroupEvent::setAddress(const Operand &operand) {
  std::optional<uint64_t> address = getNumber(operand);
  if (!address)
    return;
  event.addressRank = SharedLayout::rankOf(*address);
  event.address = SharedLayout::offsetOf(*address);
}

/// A map is a parameter; its address says which.
void Walk::Implementation::GroupEvent::setMap(const Operand &operand) {
  std::optional<uint64_t> map = getNumber(operand);
  if (!map)
    return;
  event.map = static_cast<int>(*map >> parameterShift) - 1;
  event.mapAt = *map & ((uint64_t(1) << parameterShift) - 1);
}

/// To each CTA that the mask names, at the same place there. Copies for pairs
/// signal one CTA of each.
llvm::Error
Walk::Implementation::GroupEvent::multicast(std::optional<uint64_t> ctas) {
  if (!ctas) {
    event.isKnown = event.isCounted = false;
    return finish();
  }
  bool isPair = event.kind == Kind::Copy &&
                variant.get(Slot::CtaGroup) == ptx::Modifier::CtaGroup2;
  // The even or the odd one, as the barrier's CTA is.
  unsigned which = event.rank & 1;
  for (unsigned rank = 0; rank != 16; ++rank) {
    if (!(*ctas >> rank & 1))
      continue;
    event.rank = isPair ? (rank & ~1u) | which : rank;
    event.addressRank = rank;
    if (llvm::Error error = finish())
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Walk::Implementation::GroupEvent::tellCancel() {
  event.kind = Kind::Copy;
  event.count = 16;
  setBarrier(operands[1]);
  setAddress(operands[0]);
  const std::array<unsigned, 3> &cluster = walk.options.cluster;
  unsigned ctas = cluster[0] * cluster[1] * cluster[2];
  if (isMulticast())
    return multicast((uint64_t(1) << ctas) - 1);
  return finish();
}

llvm::Error Walk::Implementation::GroupEvent::tellBulkCopy() {
  bool isTensor = instruction.opcode() == Opcode::CpAsyncBulkTensor;
  bool isLoad = isSharedSpace(ptx::spaceOf(variant.get(Slot::Space)));
  // From one CTA's shared memory to another's is a load of that one.
  event.kind = isLoad ? Kind::Copy : Kind::Store;
  if (isLoad)
    setBarrier(operands[isTensor ? 2 : 3]);
  setAddress(operands[isLoad ? 0 : 1]);
  if (isTensor)
    setMap(operands[isLoad ? 1 : 0]);
  else if (std::optional<uint64_t> bytes = getNumber(operands[2]))
    event.count = static_cast<int64_t>(*bytes);
  if (!isLoad || !isMulticast())
    return finish();
  // The mask of a multicast stands before a cache hint.
  bool hasHint = variant.get(Slot::CacheHint) != ptx::Modifier::None;
  return multicast(getNumber(operands[operands.size() - (hasHint ? 2 : 1)]));
}

llvm::Error Walk::Implementation::GroupEvent::tellProduct() {
  event.kind = Kind::Mma;
  bool isTensor = instruction.opcode() == Opcode::Tcgen05Mma;
  event.isOfPair = variant.get(Slot::CtaGroup) == ptx::Modifier::CtaGroup2;
  // d, a, b, and the descriptor of the instruction.
  Rows rows = isTensor ? getTensorRows(instruction, getNumber(operands[3]),
                                       event.isOfPair)
                       : Rows{64, ptx::numberOf(variant.get(Slot::Shape))};
  for (unsigned which : {1u, 2u}) {
    const Operand &operand = operands[which];
    if (!operand.is(Operand::Register) || ptx::bitsOf(operand.type()) != 64)
      continue;
    // The first 14 bits of a descriptor are the address in units of 16 bytes.
    if (std::optional<uint64_t> descriptor = getNumber(operand))
      event.reads.push_back(
          {SharedLayout::offsetOf((*descriptor & 0x3fff) << 4),
           (which == 1 ? rows.a : rows.b) * productRowBytes,
           *descriptor >> 14});
  }
  return finish();
}

llvm::Error Walk::Implementation::GroupEvent::tell() {
  switch (instruction.opcode()) {
  case Opcode::MbarrierInit:
    event.kind = Kind::Init;
    setBarrier(operands[0]);
    setCount(operands[1]);
    return finish();
  case Opcode::MbarrierInval:
    event.kind = Kind::Invalidate;
    setBarrier(operands[0]);
    return finish();
  case Opcode::MbarrierTryWaitParity:
  case Opcode::MbarrierTestWaitParity:
    event.kind = Kind::Wait;
    setBarrier(operands[1]);
    setCount(operands[2]);
    return finish();
  case Opcode::MbarrierArrive:
  case Opcode::MbarrierArriveExpectTx: {
    bool expects = instruction.opcode() == Opcode::MbarrierArriveExpectTx;
    event.kind = expects ? Kind::ArriveExpect : Kind::Arrive;
    event.count = 1;
    // The state, or '_', comes first.
    setBarrier(operands[1]);
    if (operands.size() > 2)
      setCount(operands[2]);
    return finish();
  }
  case Opcode::MbarrierExpectTx:
    event.kind = Kind::Expect;
    setBarrier(operands[0]);
    setCount(operands[1]);
    return finish();
  case Opcode::CpAsyncMbarrierArrive:
    event.kind = Kind::CopyArrive;
    event.count = variant.has(ptx::Modifier::NoInc) ? 1 : 0;
    setBarrier(operands[0]);
    return finish();
  case Opcode::Tcgen05Commit:
    event.kind = Kind::Commit;
    event.count = 1;
    setBarrier(operands[0]);
    return isMulticast() ? multicast(getNumber(operands[1])) : finish();
  case Opcode::ClcTryCancel:
    return tellCancel();
  case Opcode::CpAsyncBulk:
  case Opcode::CpAsyncBulkTensor:
    return tellBulkCopy();
  case Opcode::Tcgen05Mma:
  case Opcode::WgmmaMmaAsync:
    return tellProduct();
  case Opcode::WgmmaCommitGroup:
    event.kind = Kind::Group;
    return finish();
  case Opcode::BarrierClusterWait:
    event.kind = Kind::ClusterBarrier;
    return finish();
  case Opcode::WgmmaWaitGroup:
    event.kind = Kind::GroupWait;
    event.count = operands[0].integer();
    return finish();
  default:
    event.kind = Kind::Other;
    if (isCtaBarrier(instruction.opcode())) {
      // Others than barrier 0 are for the warps of a role.
      if (walk.read(state, operands[0]) != Value::of(0))
        return llvm::Error::success();
      event.kind = Kind::CtaBarrier;
    }
    return finish();
  }
}

llvm::Error Walk::Implementation::tellGroup(State &state,
                                            const Instruction &instruction,
                                            uint32_t mask) {
  return GroupEvent(*this, state, instruction, mask).tell();
}
