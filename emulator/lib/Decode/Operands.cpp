//===- Operands.cpp - Operands to places in the register file -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode/Decoder.h"
#include "llvm/Support/MathExtras.h"
#include <bit>

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Operand;
using ptx::StateSpace;
using ptx::Type;

unsigned Decoder::laneBytes(Type declared) {
  unsigned bits = ptx::bitsOf(declared);
  return bits <= 32 ? 4 : bits / 8;
}

Type Decoder::declaredType(const Operand &operand) {
  return operand.is(Operand::Register) ? operand.type() : Type::None;
}

Reg Decoder::allocate(unsigned laneBytes) {
  uint64_t place = llvm::alignTo(fileEnd, 64);
  fileEnd = place + 32 * laneBytes;
  return place;
}

Reg Decoder::predicateSlot() {
  if (predicateNext == predicateEnd) {
    fileEnd = llvm::alignTo(fileEnd, 64) + 64;
    predicateNext = fileEnd - 64;
    predicateEnd = fileEnd;
  }
  Reg reg = predicateNext;
  predicateNext += 4;
  return reg;
}

Reg Decoder::carry() {
  if (!carryField)
    carryField = predicateSlot();
  return carryField;
}

Reg Decoder::constant(uint64_t bits, unsigned bytes) {
  if (bytes == 4)
    bits = static_cast<uint32_t>(bits);
  auto [it, isNew] = constants.try_emplace({bits, bytes}, 0);
  if (isNew) {
    it->second = allocate(bytes);
    constantValues.push_back({it->second, bytes, bits});
  }
  return it->second;
}

Reg Decoder::special(ptx::SpecialRegister special, unsigned component) {
  auto [it, isNew] =
      specials.try_emplace({static_cast<unsigned>(special), component}, 0);
  if (isNew) {
    it->second = allocate(laneBytes(ptx::infoOf(special).type));
    program->specials.push_back({special, uint8_t(component), it->second});
  }
  return it->second;
}

/// The bits of an immediate that stands where `type` is wanted.
static uint64_t immediateBits(const Operand &operand, Type type) {
  uint64_t bits = static_cast<uint64_t>(operand.integer());
  if (operand.is(Operand::Float64) && ptx::bitsOf(type) == 32)
    return std::bit_cast<uint32_t>(
        static_cast<float>(std::bit_cast<double>(bits)));
  unsigned width = ptx::bitsOf(type);
  return width >= 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

static Reg elementOf(Reg first, const Operand &operand, unsigned element) {
  return first + element * 32 * Decoder::laneBytes(operand.type());
}

Reg Decoder::source(const Operand &operand, Type type) {
  switch (operand.kind()) {
  case Operand::Register:
    return elementOf(registers[operand.index()], operand,
                     std::max(operand.component(), 0));
  case Operand::Special:
    return special(operand.special(),
                   operand.specialNumber() + std::max(operand.component(), 0));
  case Operand::Vector:
    return source(operand.parts().front(), type);
  default:
    return constant(immediateBits(operand, type), laneBytes(type));
  }
}

Reg Decoder::dest(const Operand &operand) {
  switch (operand.kind()) {
  case Operand::Register:
    if (operand.type() == Type::Pred)
      return registers[operand.index()];
    return elementOf(registers[operand.index()], operand,
                     std::max(operand.component(), 0));
  case Operand::Vector:
    return dest(operand.parts().front());
  default:
    return sink;
  }
}

Reg Decoder::predicate(const Operand &operand) {
  if (operand.is(Operand::Register))
    return registers[operand.index()] | Reg(operand.isNegated());
  if (operand.is(Operand::Sink))
    return predicateSink;
  return constantPredicate((operand.integer() != 0) != operand.isNegated());
}

llvm::ArrayRef<Operand> Decoder::parts(unsigned index) const {
  const Operand &whole = operand(index);
  if (whole.is(Operand::Vector) || whole.is(Operand::Pair) ||
      whole.is(Operand::Address))
    return whole.parts();
  return {&whole, 1};
}

llvm::SmallVector<Reg, 8> Decoder::sources(unsigned index, Type type) {
  llvm::SmallVector<Reg, 8> result;
  for (const Operand &part : parts(index)) {
    if (part.is(Operand::Register) && part.elements() > 1)
      for (unsigned element = 0; element != part.elements(); ++element)
        result.push_back(elementOf(registers[part.index()], part, element));
    else
      result.push_back(source(part, type));
  }
  return result;
}

llvm::SmallVector<Reg, 8> Decoder::dests(unsigned index) {
  llvm::SmallVector<Reg, 8> result;
  for (const Operand &part : parts(index)) {
    if (part.is(Operand::Register) && part.elements() > 1)
      for (unsigned element = 0; element != part.elements(); ++element)
        result.push_back(elementOf(registers[part.index()], part, element));
    else
      result.push_back(dest(part));
  }
  return result;
}

AddressRef Decoder::address(const Operand &operand) {
  const Operand &base =
      operand.is(Operand::Address) ? operand.parts().front() : operand;
  switch (base.kind()) {
  case Operand::Register:
    // As the base of an address, a register's payload is the byte offset.
    return {source(base, base.type()), laneBytes(base.type()) == 8,
            operand.is(Operand::Address) ? base.integer() : 0};
  case Operand::SymbolAddress:
    return symbolAddress(base.symbol(), base.symbolOffset());
  default:
    return {constant(base.integer(), 8), true, 0};
  }
}

AddressRef Decoder::symbolAddress(const ptx::Symbol *symbol, int64_t offset) {
  if (symbol->kind == ptx::Symbol::FunctionKind)
    return {constant(codeAddress(*symbol), 8), true, offset};
  const auto *variable = static_cast<const ptx::Variable *>(symbol);
  switch (variable->space) {
  case StateSpace::Shared:
  case StateSpace::SharedCta:
  case StateSpace::SharedCluster:
    return {program->sharedBase, false,
            int64_t(sharedOffsets.lookup(variable)) + offset};
  case StateSpace::Local:
    return {program->frameBase, false, frameOffset(variable) + offset};
  case StateSpace::Param:
  case StateSpace::ParamEntry:
  case StateSpace::ParamFunc:
    if (isKernelParameter(Operand::makeSymbol(symbol, 0)))
      return {constant(frameOffset(variable), 8), true, offset};
    return {program->frameBase, false, frameOffset(variable) + offset};
  default:
    return {constant(moduleField.addressOf(variable), 8), true, offset};
  }
}

bool Decoder::isInVariable(const Operand &address, uint32_t bytes) {
  const Operand &base =
      address.is(Operand::Address) ? address.parts().front() : address;
  if (!base.is(Operand::SymbolAddress) ||
      base.symbol()->kind != ptx::Symbol::VariableKind)
    return false;
  uint64_t size = sizeOf(*static_cast<const ptx::Variable *>(base.symbol()));
  int64_t offset = base.symbolOffset();
  return offset >= 0 && uint64_t(offset) <= size && bytes <= size - offset;
}

Space Decoder::genericSpaceOf(const Operand &address) const {
  const Operand &base =
      address.is(Operand::Address) ? address.parts().front() : address;
  if (!base.is(Operand::SymbolAddress) ||
      base.symbol()->kind != ptx::Symbol::VariableKind)
    return Space::Generic;
  switch (static_cast<const ptx::Variable *>(base.symbol())->space) {
  case StateSpace::Shared:
  case StateSpace::SharedCta:
  case StateSpace::SharedCluster:
    return Space::Shared;
  case StateSpace::Local:
    return Space::Local;
  case StateSpace::Param:
  case StateSpace::ParamEntry:
  case StateSpace::ParamFunc:
    return isKernelParameter(base) ? Space::Param : Space::Local;
  default:
    return Space::Global;
  }
}
