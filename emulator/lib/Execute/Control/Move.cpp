//===- Move.cpp - Moves between registers --------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.9.3 and 9.7.9.4. A special register that doesn't change
// while a warp lives is a register, so reading it is a move like any other.

#include "Execute/Arithmetic/Arithmetic.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Opcode;
using ptx::Operand;
using ptx::Slot;
using ptx::Type;

using U128 = unsigned __int128;

template <typename T>
static const Inst *move(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<T>(warp, inst->slot[1]);
  setLanes<T>(warp, inst->slot[0], mask,
              [=](unsigned lane) { return a[lane]; });
  return inst + 1;
}

static const Inst *movePredicate(Warp &warp, const Inst *inst, uint32_t mask) {
  warp.setPredicate(inst->slot[0], warp.test(inst->slot[1]), mask);
  return inst + 1;
}

/// The address of a variable: a base of the warp's own plus an offset. Also a
/// special register that is wider or narrower than the destination.
template <typename Base, typename T>
static const Inst *moveAddress(Warp &warp, const Inst *inst, uint32_t mask) {
  auto base = source<Base>(warp, inst->slot[1]);
  uint64_t offset = inst->imm;
  setLanes<T>(warp, inst->slot[0], mask, [=](unsigned lane) {
    return static_cast<T>(base[lane] + offset);
  });
  return inst + 1;
}

static Execute *addressHandler(bool wideBase, bool wide) {
  if (wideBase)
    return wide ? moveAddress<uint64_t, uint64_t>
                : moveAddress<uint64_t, uint32_t>;
  return wide ? moveAddress<uint32_t, uint64_t>
              : moveAddress<uint32_t, uint32_t>;
}

//===----------------------------------------------------------------------===//
// Vectors: the places of the destinations come first
//===----------------------------------------------------------------------===//

/// {d0, d1, ...} = {a0, a1, ...}. A register may stand on both sides: all are
/// read before one is written.
template <typename T, unsigned Count>
static const Inst *moveVector(Warp &warp, const Inst *inst, uint32_t mask) {
  Destination<T> d[Count];
  Source<T> a[Count];
  for (unsigned i = 0; i != Count; ++i) {
    d[i] = destination<T>(warp, inst->slot[i]);
    a[i] = source<T>(warp, inst->slot[Count + i]);
  }
  forLanes(mask, [=](unsigned lane) {
    T values[Count];
    for (unsigned i = 0; i != Count; ++i)
      values[i] = a[i][lane];
    for (unsigned i = 0; i != Count; ++i)
      d[i].set(lane, values[i]);
  });
  return inst + 1;
}

/// d = {a0, a1, ...}, the first one in the lowest bits.
template <typename Whole, typename Part>
static const Inst *pack(Warp &warp, const Inst *inst, uint32_t mask) {
  constexpr unsigned count = sizeof(Whole) / sizeof(Part);
  Source<Part> a[count];
  for (unsigned i = 0; i != count; ++i)
    a[i] = source<Part>(warp, inst->slot[1 + i]);
  setLanes<Whole>(warp, inst->slot[0], mask, [=](unsigned lane) {
    Whole value = 0;
    for (unsigned i = 0; i != count; ++i)
      value |= static_cast<Whole>(static_cast<Whole>(a[i][lane])
                                  << 8 * sizeof(Part) * i);
    return value;
  });
  return inst + 1;
}

/// {d0, d1, ...} = a.
template <typename Whole, typename Part>
static const Inst *unpack(Warp &warp, const Inst *inst, uint32_t mask) {
  constexpr unsigned count = sizeof(Whole) / sizeof(Part);
  auto a = source<Whole>(warp, inst->slot[count]);
  Destination<Part> d[count];
  for (unsigned i = 0; i != count; ++i)
    d[i] = destination<Part>(warp, inst->slot[i]);
  forLanes(mask, [=](unsigned lane) {
    Whole value = a[lane];
    for (unsigned i = 0; i != count; ++i)
      d[i].set(lane, static_cast<Part>(value >> 8 * sizeof(Part) * i));
  });
  return inst + 1;
}

/// pack or unpack for a whole of `bits` in `count` parts.
template <template <typename, typename> typename Pick>
static Execute *splitHandler(unsigned bits, unsigned count) {
  switch (bits * 8 + count) {
  case 16 * 8 + 2:
    return Pick<uint16_t, uint8_t>::handler;
  case 32 * 8 + 2:
    return Pick<uint32_t, uint16_t>::handler;
  case 32 * 8 + 4:
    return Pick<uint32_t, uint8_t>::handler;
  case 64 * 8 + 2:
    return Pick<uint64_t, uint32_t>::handler;
  case 64 * 8 + 4:
    return Pick<uint64_t, uint16_t>::handler;
  case 128 * 8 + 2:
    return Pick<U128, uint64_t>::handler;
  case 128 * 8 + 4:
    return Pick<U128, uint32_t>::handler;
  default:
    return nullptr;
  }
}
namespace {
template <typename Whole, typename Part>
struct Pack {
  static constexpr Execute *handler = pack<Whole, Part>;
};
template <typename Whole, typename Part>
struct Unpack {
  static constexpr Execute *handler = unpack<Whole, Part>;
};
} // namespace

static Type bitsType(unsigned bits) {
  switch (bits) {
  case 8:
    return Type::B8;
  case 16:
    return Type::B16;
  case 32:
    return Type::B32;
  default:
    return Type::B64;
  }
}

static bool isVector(const Operand &operand) {
  return operand.is(Operand::Vector) ||
         (operand.is(Operand::Register) && operand.elements() > 1);
}

template <unsigned Count>
static Execute *vectorHandler(Type type) {
  return withBits<Execute *>(
      type, nullptr, [&]<typename T>() { return moveVector<T, Count>; });
}

static bool decodeVector(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  llvm::SmallVector<Reg, 8> places;
  auto place = [&](llvm::ArrayRef<Reg> regs) {
    places.append(regs.begin(), regs.end());
  };
  unsigned bits = ptx::bitsOf(type);
  bool toVector = isVector(decoder.operand(0));
  bool fromVector = isVector(decoder.operand(1));
  if (toVector && fromVector) {
    place(decoder.dests(0));
    unsigned count = places.size();
    if (decoder.get(Slot::Vec) == ptx::Modifier::None)
      type = bitsType(bits / count);
    place(decoder.sources(1, type));
    if (places.size() != 2 * count)
      return false;
    if (count == 2)
      inst.fn = vectorHandler<2>(type);
    else if (count == 4)
      inst.fn = vectorHandler<4>(type);
  } else if (toVector) {
    place(decoder.dests(0));
    inst.fn = splitHandler<Unpack>(bits, places.size());
    places.push_back(decoder.source(1, type));
  } else {
    unsigned count = decoder.parts(1).size();
    if (count == 1)
      count = decoder.operand(1).elements();
    place(decoder.dest(0));
    place(decoder.sources(1, bitsType(bits / count)));
    inst.fn = splitHandler<Pack>(bits, places.size() - 1);
  }
  if (!inst.fn || places.size() > std::size(inst.slot))
    return false;
  llvm::copy(places, inst.slot);
  return true;
}

//===----------------------------------------------------------------------===//
// mov
//===----------------------------------------------------------------------===//

static bool decodeMov(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  const Operand &from = decoder.operand(1);
  if (isVector(decoder.operand(0)) || isVector(from))
    return decodeVector(decoder, inst);
  inst.slot[0] = decoder.dest(0);
  if (from.is(Operand::SymbolAddress)) {
    AddressRef address = decoder.address(1);
    inst.fn = addressHandler(address.wide, ptx::bitsOf(type) == 64);
    inst.slot[1] = address.base;
    inst.imm = address.offset;
    return true;
  }
  if (type == Type::Pred) {
    inst.fn = movePredicate;
    inst.slot[1] = from.is(Operand::Special) ? decoder.source(1, type)
                                             : decoder.predicate(1);
    return true;
  }
  inst.slot[1] = decoder.source(1, type);
  unsigned bytes = Decoder::laneBytes(type);
  if (from.is(Operand::Special) && Decoder::laneBytes(from.type()) != bytes)
    inst.fn = addressHandler(bytes == 4, bytes == 8);
  else if (type == Type::B128)
    inst.fn = move<U128>;
  else
    inst.fn = withBits<Execute *>(type, nullptr,
                                  [&]<typename T>() { return move<T>; });
  return inst.fn != nullptr;
}

void drawloom::emu::registerMove(DecodeTable &table) {
  table.add(Opcode::Mov, decodeMov);
}
