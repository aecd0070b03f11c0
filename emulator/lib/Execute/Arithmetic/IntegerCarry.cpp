//===- IntegerCarry.cpp - Extended-precision arithmetic ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.2: add.cc, addc, sub.cc, subc, mad.cc, madc. All of them
// add or subtract with an optional carry in and an optional carry out. CC.CF is
// a predicate that PTX doesn't name; for subtraction it holds the borrow.

#include "Execute/Arithmetic/Arithmetic.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

namespace {
/// What is added to `c` (the last operand) or what `b` is subtracted from.
enum class Shape { Sum, Difference, ProductLow, ProductHigh };

/// The places of the instruction; imm is whether the carry is written.
enum : unsigned { D, A, B, C, CarryIn, CarryOut };
} // namespace

template <typename T, Shape S>
static const Inst *carryChain(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<T>(warp, inst->slot[D]);
  auto a = source<T>(warp, inst->slot[A]);
  auto b = source<T>(warp, inst->slot[B]);
  auto c = source<T>(warp, inst->slot[C]);
  uint32_t in = warp.test(inst->slot[CarryIn]), out = 0;
  using Unsigned = std::make_unsigned_t<T>;
  forEachLane(mask, [&](unsigned lane) {
    Unsigned x = a[lane], y = b[lane], carry = in >> lane & 1, value;
    bool overflow;
    if constexpr (S == Shape::Difference) {
      value = x - y - carry;
      overflow = x < y || (x == y && carry);
    } else {
      if constexpr (S == Shape::ProductLow) {
        x = x * y;
        y = c[lane];
      } else if constexpr (S == Shape::ProductHigh) {
        x = static_cast<Unsigned>(Wide<T>(a[lane]) * Wide<T>(b[lane]) >>
                                  (8 * sizeof(T)));
        y = c[lane];
      }
      value = x + y + carry;
      overflow = value < x || (value == x && carry);
    }
    d.set(lane, static_cast<T>(value));
    out |= static_cast<uint32_t>(overflow) << lane;
  });
  if (inst->imm)
    warp.setPredicate(inst->slot[CarryOut], out, mask);
  return inst + 1;
}

template <Shape S>
static bool decodeCarry(Decoder &decoder, Inst &inst) {
  Opcode opcode = decoder.opcode();
  bool reads = opcode == Opcode::Addc || opcode == Opcode::Subc ||
               opcode == Opcode::MadcLo || opcode == Opcode::MadcHi;
  bool writes = decoder.has(Modifier::CarryOut);
  if (!reads && !writes)
    return false;
  Type type = decoder.type();
  inst.fn =
      withInteger<Execute *>(type, nullptr, [&]<typename T>() -> Execute * {
        if constexpr (sizeof(T) >= 4)
          return carryChain<T, S>;
        return nullptr;
      });
  if (!inst.fn)
    return false;
  bool isProduct = S == Shape::ProductLow || S == Shape::ProductHigh;
  decodeOperands(decoder, inst, type, isProduct ? 3 : 2);
  if (!isProduct)
    inst.slot[C] = inst.slot[B];
  inst.slot[CarryIn] =
      reads ? decoder.carry() : decoder.constantPredicate(false);
  inst.slot[CarryOut] = decoder.carry();
  inst.imm = writes;
  return true;
}

void drawloom::emu::registerIntegerCarry(DecodeTable &table) {
  for (Opcode opcode : {Opcode::Add, Opcode::Addc})
    table.add(opcode, decodeCarry<Shape::Sum>);
  for (Opcode opcode : {Opcode::Sub, Opcode::Subc})
    table.add(opcode, decodeCarry<Shape::Difference>);
  for (Opcode opcode : {Opcode::MadLo, Opcode::MadcLo})
    table.add(opcode, decodeCarry<Shape::ProductLow>);
  for (Opcode opcode : {Opcode::MadHi, Opcode::MadcHi})
    table.add(opcode, decodeCarry<Shape::ProductHigh>);
}
