//===- UndefinedBits.cpp - Undefined parts of a register -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most instructions have an undefined result if a source is. Those that move
// bits don't: a byte that is cut out of a word is defined if it was written,
// whatever the rest of the word is, and `and` with 0 is 0.
//
//===----------------------------------------------------------------------===//

#include "Machine/Undefined.h"
#include "Machine/Warp.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Slot;
using ptx::Type;

namespace {

/// Operands of an instruction as one lane has them.
class LaneOperands {
public:
  LaneOperands(const UndefinedValues &values, Warp &warp, const Inst *inst,
               unsigned lane)
      : values(values), warp(warp), inst(inst), lane(lane),
        parsed(*warp.program().source(inst)) {}

  const Operand &operator[](unsigned index) const {
    return parsed.operands()[index];
  }
  Type type(Slot slot = Slot::Type) const { return parsed.variant->type(slot); }
  Modifier get(Slot slot) const { return parsed.variant->get(slot); }

  unsigned undefined(const Operand &operand) const {
    if (operand.is(Operand::Register))
      return values.bytesOf(placeOf(warp.program(), inst, operand), lane);
    unsigned bytes = 0, offset = 0;
    if (operand.is(Operand::Vector))
      for (const Operand &part : operand.parts()) {
        bytes |= undefined(part) << offset;
        offset += ptx::bitsOf(type()) / 8 / operand.parts().size();
      }
    return bytes;
  }
  /// Whether the value is defined and known, which those of special registers
  /// aren't here.
  bool isKnown(const Operand &operand) const {
    return operand.is(Operand::Integer) ||
           (operand.is(Operand::Register) && !undefined(operand));
  }
  uint64_t value(const Operand &operand) const {
    if (operand.is(Operand::Integer))
      return operand.integer();
    Reg reg = placeOf(warp.program(), inst, operand);
    if (operand.type() == Type::Pred)
      return (warp.predicate(reg) >> lane & 1) ^ operand.isNegated();
    return ptx::bitsOf(operand.type()) > 32 ? warp.lanes<uint64_t>(reg)[lane]
                                            : warp.lanes<uint32_t>(reg)[lane];
  }

private:
  const UndefinedValues &values;
  Warp &warp;
  const Inst *inst;
  const unsigned lane;
  const ptx::Instruction &parsed;
};

} // namespace

static uint64_t bitsOf(unsigned bytes) {
  uint64_t bits = 0;
  for (unsigned byte = 0; byte != 8; ++byte)
    bits |= bytes >> byte & 1 ? uint64_t(0xff) << byte * 8 : 0;
  return bits;
}
static int bytesOf(uint64_t bits) {
  int bytes = 0;
  for (unsigned byte = 0; byte != 8; ++byte)
    bytes |= int((bits >> byte * 8 & 0xff) != 0) << byte;
  return bytes;
}
static uint64_t lowBits(unsigned count) {
  return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
}

/// `and`, `or`: where the one operand decides, the other doesn't count.
static int bitwise(const LaneOperands &operands, uint64_t decisive) {
  const Operand &a = operands[1], &b = operands[2];
  unsigned undefinedA = operands.undefined(a),
           undefinedB = operands.undefined(b), result = undefinedA | undefinedB;
  auto drop = [&](const Operand &known, unsigned others) {
    if (!operands.isKnown(known))
      return;
    uint64_t value = operands.value(known);
    for (unsigned byte = 0; byte != 8; ++byte)
      if (others >> byte & 1 && (value >> byte * 8 & 0xff) == (decisive & 0xff))
        result &= ~(1u << byte);
  };
  if (operands.type() == Type::Pred) {
    auto decides = [&](const Operand &one) {
      return operands.isKnown(one) && operands.value(one) == (decisive & 1);
    };
    return decides(a) || decides(b) ? 0 : result;
  }
  drop(b, undefinedA);
  drop(a, undefinedB);
  return result;
}

static int shift(const LaneOperands &operands, bool isLeft) {
  if (!operands.isKnown(operands[2]))
    return -1;
  const unsigned size = ptx::bitsOf(operands.type());
  const uint64_t bits = bitsOf(operands.undefined(operands[1]));
  const uint64_t count =
      std::min<uint64_t>(operands.value(operands[2]) & 0xffffffff, size);
  if (isLeft)
    return count == size ? 0 : bytesOf(bits << count & lowBits(size));
  uint64_t result = count == size ? 0 : bits >> count;
  if (ptx::kindOf(operands.type()) == ptx::TypeKind::Signed &&
      bits >> (size - 1) & 1)
    result |= lowBits(size) & ~lowBits(size - count);
  return bytesOf(result);
}

static int extract(const LaneOperands &operands) {
  if (!operands.isKnown(operands[2]) || !operands.isKnown(operands[3]))
    return -1;
  const unsigned size = ptx::bitsOf(operands.type());
  unsigned first = operands.value(operands[2]) & 0xff,
           count = operands.value(operands[3]) & 0xff;
  if (first >= size || count == 0 || first + count > size)
    return -1;
  uint64_t bits =
      bitsOf(operands.undefined(operands[1])) >> first & lowBits(count);
  if (ptx::kindOf(operands.type()) == ptx::TypeKind::Signed &&
      bits >> (count - 1) & 1)
    bits |= lowBits(size);
  return bytesOf(bits);
}

static int permute(const LaneOperands &operands) {
  if (operands.get(Slot::Mode) != Modifier::None ||
      !operands.isKnown(operands[3]))
    return -1;
  unsigned bytes = (operands.undefined(operands[1]) & 0xf) |
                   (operands.undefined(operands[2]) & 0xf) << 4;
  int result = 0;
  for (unsigned byte = 0; byte != 4; ++byte)
    result |= int(bytes >> (operands.value(operands[3]) >> byte * 4 & 7) & 1)
              << byte;
  return result;
}

static int convert(const LaneOperands &operands) {
  Type to = operands.type(Slot::DType), from = operands.type(Slot::AType);
  if (!ptx::isInteger(to) || !ptx::isInteger(from))
    return -1;
  unsigned size = ptx::bitsOf(from) / 8;
  unsigned bytes = operands.undefined(operands[1]) & ((1u << size) - 1);
  if (ptx::kindOf(from) == ptx::TypeKind::Signed && bytes >> (size - 1) & 1)
    bytes = 0xff;
  return bytes & ((1u << ptx::bitsOf(to) / 8) - 1);
}

/// The comparison doesn't count where the predicate that it is combined with
/// decides.
static int compare(const LaneOperands &operands) {
  Modifier combine = operands.get(Slot::Bool);
  if (combine != Modifier::And && combine != Modifier::Or)
    return -1;
  const Operand &other = operands[3];
  return operands.isKnown(other) &&
                 bool(operands.value(other)) == (combine == Modifier::Or)
             ? 0
             : -1;
}

int drawloom::emu::undefinedBits(const UndefinedValues &values, Warp &warp,
                                 const Inst *inst, unsigned lane) {
  LaneOperands operands(values, warp, inst, lane);
  switch (warp.program().source(inst)->opcode()) {
  case Opcode::Mov:
  case Opcode::Cvta:
  case Opcode::CvtaTo:
  case Opcode::Not:
    return operands.undefined(operands[1]);
  case Opcode::And:
    return bitwise(operands, 0);
  case Opcode::Or:
    return bitwise(operands, ~uint64_t(0));
  case Opcode::Xor:
    return operands.undefined(operands[1]) | operands.undefined(operands[2]);
  case Opcode::Lop3:
    return operands.undefined(operands[1]) | operands.undefined(operands[2]) |
           operands.undefined(operands[3]);
  case Opcode::Shl:
    return shift(operands, true);
  case Opcode::Shr:
    return shift(operands, false);
  case Opcode::Bfe:
    return extract(operands);
  case Opcode::Prmt:
    return permute(operands);
  case Opcode::Cvt:
    return convert(operands);
  case Opcode::Setp:
    return compare(operands);
  case Opcode::Selp:
    if (operands.undefined(operands[3]))
      return -1;
    return operands.undefined(operands[operands.value(operands[3]) ? 1 : 2]);
  default:
    return -1;
  }
}
