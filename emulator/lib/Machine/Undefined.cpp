//===- Undefined.cpp - Values that nothing has defined -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Undefined.h"
#include "Decode/Decoder.h"
#include "Machine/Tell.h"
#include "Machine/Warp.h"
#include "drawloom/PTX/RegisterAccess.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Opcode;
using ptx::Operand;

/// The bytes of a register, as a mask.
static uint16_t wholeOf(ptx::Type declared) {
  return declared == ptx::Type::Pred ? 1
                                     : (1u << ptx::bitsOf(declared) / 8) - 1;
}

Reg drawloom::emu::placeOf(const Program &program, const Inst *inst,
                           const Operand &operand) {
  Reg first = program.functionOf(inst).placeOf[operand.index()];
  return operand.component() <= 0
             ? first
             : first + operand.component() * 32 *
                           Decoder::laneBytes(operand.type());
}

uint32_t UndefinedValues::lanesOf(Reg reg) const {
  auto it = values.find(reg);
  uint32_t lanes = 0;
  if (it != values.end())
    for (unsigned lane = 0; lane != 32; ++lane)
      lanes |= uint32_t(it->second.bytes[lane] != 0) << lane;
  return lanes;
}

void UndefinedValues::clear(Reg reg, uint32_t lanes) {
  auto it = values.find(reg);
  if (it == values.end())
    return;
  bool isAny = false;
  for (unsigned lane = 0; lane != 32; ++lane) {
    if (lanes >> lane & 1)
      it->second.bytes[lane] = 0;
    isAny |= it->second.bytes[lane] != 0;
  }
  if (!isAny)
    values.erase(it);
}

void UndefinedValues::set(Reg reg, unsigned lane, uint16_t bytes,
                          uint32_t source) {
  reg &= ~3u;
  if (!bytes)
    return clear(reg, 1u << lane);
  Value &value = values[reg];
  value.bytes[lane] = bytes;
  value.source = source;
}

/// The elements that a load or a store moves.
static llvm::ArrayRef<Operand> elementsOf(const Operand &operand) {
  return operand.is(Operand::Vector) ? operand.parts()
                                     : llvm::ArrayRef(operand);
}

void UndefinedValues::load(Warp &warp, const Inst *inst,
                           const uint32_t *bytes) {
  const ptx::Instruction *source = warp.program().source(inst);
  if (source->opcode() != Opcode::Ld && source->opcode() != Opcode::Ldu)
    return;
  ptx::Type type = source->variant->type(ptx::Slot::Type);
  const unsigned size = ptx::bitsOf(type) / 8;
  for (auto [index, element] :
       llvm::enumerate(elementsOf(source->operands()[0]))) {
    if (!element.is(Operand::Register))
      continue;
    const uint16_t whole = wholeOf(element.type()), low = (1u << size) - 1;
    for (unsigned lane = 0; lane != 32; ++lane) {
      uint16_t part = bytes[lane] >> index * size & low;
      if (!part)
        continue;
      // The sign fills what is above.
      if (ptx::kindOf(type) == ptx::TypeKind::Signed && part >> (size - 1) & 1)
        part |= whole & ~low;
      set(placeOf(warp.program(), inst, element), lane, part & whole,
          warp.program().indexOf(inst));
    }
  }
}

bool UndefinedValues::ofStore(Warp &warp, const Inst *inst, uint32_t mask,
                              uint32_t *bytes) const {
  const ptx::Instruction *source = warp.program().source(inst);
  if (source->opcode() != Opcode::St)
    return false;
  const unsigned size = ptx::bitsOf(source->variant->type(ptx::Slot::Type)) / 8;
  bool isAny = false;
  for (auto [index, element] :
       llvm::enumerate(elementsOf(source->operands()[1]))) {
    if (!element.is(Operand::Register))
      continue;
    Reg reg = placeOf(warp.program(), inst, element);
    for (uint32_t rest = mask & lanesOf(reg); rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      uint32_t part = bytesOf(reg, lane) & ((1u << size) - 1);
      bytes[lane] |= part << index * size;
      isAny |= part != 0;
    }
  }
  return isAny;
}

/// The register that makes it so, by its number.
static uint32_t sourceOfAny(const UndefinedValues &values, Warp &warp,
                            const Inst *inst,
                            llvm::ArrayRef<uint32_t> registers) {
  const std::vector<Reg> &places = warp.program().functionOf(inst).placeOf;
  for (uint32_t number : registers)
    if (uint32_t source = values.sourceOf(places[number]))
      return source;
  return 0;
}

static void tellUse(Warp &warp, const Inst *inst, uint32_t lanes,
                    UndefinedEvent::Use use, uint32_t source) {
  tell(warp.issuePoint(inst, lanes),
       UndefinedEvent{.use = use, .source = source});
}

void UndefinedValues::tellStore(Warp &warp, const Inst *inst, uint32_t lanes,
                                const uint32_t *bytes) const {
  uint32_t storing = 0;
  for (unsigned lane = 0; lane != 32; ++lane)
    storing |= uint32_t(bytes[lane] != 0) << lane;
  if (!(storing & lanes))
    return;
  ptx::RegisterAccess access = ptx::accessOf(*warp.program().source(inst));
  tellUse(warp, inst, storing & lanes, UndefinedEvent::Store,
          sourceOfAny(*this, warp, inst, access.reads));
}

/// Registers in brackets.
static void collectAddresses(const Operand &operand, bool isAddress,
                             llvm::SmallVectorImpl<uint32_t> &numbers) {
  if (operand.is(Operand::Register)) {
    if (isAddress)
      numbers.push_back(operand.index());
    return;
  }
  if (operand.is(Operand::Address) || operand.is(Operand::Vector))
    for (const Operand &part : operand.parts())
      collectAddresses(part, isAddress || operand.is(Operand::Address),
                       numbers);
}

static bool isMma(Opcode opcode) {
  llvm::StringRef name = ptx::spelling(opcode);
  return name.starts_with("mma") || name.starts_with("wmma.mma") ||
         name.starts_with("wgmma.mma");
}

/// Whether a lane's result depends on other lanes.
static bool isCollective(Opcode opcode) {
  return opcode == Opcode::Vote || opcode == Opcode::Redux ||
         opcode == Opcode::MatchAny || opcode == Opcode::MatchAll;
}

void UndefinedValues::step(Warp &warp, const Inst *inst, uint32_t mask) {
  const ptx::Instruction *parsed = warp.program().source(inst);
  // The handler of a shuffle knows from which lane to which.
  if (!parsed || parsed->opcode() == Opcode::Shfl)
    return;
  const std::vector<Reg> &places = warp.program().functionOf(inst).placeOf;
  const Opcode opcode = parsed->opcode();
  const ptx::RegisterAccess access = ptx::accessOf(*parsed);
  auto lanesOfAll = [&](llvm::ArrayRef<uint32_t> numbers) {
    uint32_t lanes = 0;
    for (uint32_t number : numbers)
      lanes |= lanesOf(places[number]);
    return lanes;
  };
  // Lanes of which it isn't defined whether they execute it.
  uint32_t unsure = 0;
  if (parsed->guard != ptx::Instruction::noGuard)
    unsure = lanesOf(places[parsed->guard]) & warp.active();
  if (unsure && access.writes.empty())
    tellUse(warp, inst, unsure, UndefinedEvent::Branch,
            sourceOf(places[parsed->guard]));
  uint32_t undefined = lanesOfAll(access.reads) & mask;
  llvm::SmallVector<uint32_t, 4> addresses;
  if (undefined)
    for (const Operand &operand : parsed->operands())
      collectAddresses(operand, false, addresses);
  const bool isMemory = !addresses.empty() || opcode == Opcode::Call;
  if (undefined && isMemory) {
    if (uint32_t lanes = lanesOfAll(addresses) & mask)
      tellUse(warp, inst, lanes, UndefinedEvent::Address,
              sourceOfAny(*this, warp, inst, addresses));
    else if (opcode == Opcode::Atom || opcode == Opcode::Red)
      tellUse(warp, inst, undefined, UndefinedEvent::Store,
              sourceOfAny(*this, warp, inst, access.reads));
  }
  if (undefined && isMma(opcode))
    tellUse(warp, inst, undefined, UndefinedEvent::Operand,
            sourceOfAny(*this, warp, inst, access.reads));
  if (isMemory || isMma(opcode))
    undefined = 0;
  if (undefined && isCollective(opcode))
    undefined = mask;
  if (access.writes.empty())
    return;
  const uint32_t source = sourceOfAny(*this, warp, inst, access.reads);
  int bits[32] = {};
  for (uint32_t rest = undefined; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    bits[lane] = undefinedBits(*this, warp, inst, lane);
  }
  const ptx::Function &function = *warp.program().functionOf(inst).function;
  for (auto [index, number] : llvm::enumerate(access.writes)) {
    const uint16_t whole = wholeOf(function.declarationOf(number).type);
    clear(places[number], mask & ~undefined & ~unsure);
    for (uint32_t rest = undefined | unsure; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      // Parts of a vector follow each other; both results of a comparison are
      // undefined, or none.
      unsigned offset = whole == 1 ? 0 : index * llvm::popcount(whole);
      int part = unsure >> lane & 1 || bits[lane] < 0
                     ? int(whole)
                     : bits[lane] >> offset & whole;
      set(places[number], lane, part, source);
    }
  }
}
