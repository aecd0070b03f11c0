//===- Convert.cpp - Conversions between integers ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.9.21 and 9.7.9.22, as far as integers go. cvt may read
// and write registers that are wider than its types (section 9.4.1), so there
// are many combinations of types and registers. They come down to little: the
// low bits of the source are extended, by the source's sign or with zeros, up
// to where the destination's type ends, or up to where its register ends.

#include "Execute/Arithmetic/Arithmetic.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Slot;
using ptx::Type;

static bool isSigned(Type type) {
  return ptx::kindOf(type) == ptx::TypeKind::Signed;
}
static uint64_t onesOf(unsigned bits) { return ~uint64_t(0) >> (64 - bits); }

namespace {
/// How the bits get from one register to the other.
struct Widening {
  uint32_t bits;   ///< The low bits of the source that count.
  uint64_t result; ///< Ones up to where the result ends; zeros above.
};

/// Saturation to [low, high], for values that are extended to 64 bits.
struct Clamp {
  Widening widening;
  uint64_t low, high;
};
} // namespace

/// From and To are what the lanes of the registers are stored as.
template <typename From, typename To, bool Signed>
static const Inst *extend(Warp &warp, const Inst *inst, uint32_t mask) {
  // Arithmetic in 32 bits if one of the registers has no more.
  using Unsigned =
      std::conditional_t<sizeof(From) + sizeof(To) == 16, uint64_t, uint32_t>;
  using Word =
      std::conditional_t<Signed, std::make_signed_t<Unsigned>, Unsigned>;
  auto a = source<From>(warp, inst->slot[1]);
  const auto &widening = inst->as<Widening>();
  uint32_t shift = 8 * sizeof(Word) - widening.bits;
  To keep = static_cast<To>(widening.result);
  setLanes<To>(warp, inst->slot[0], mask, [=](unsigned lane) {
    Word value = static_cast<Word>(static_cast<Unsigned>(a[lane]) << shift);
    return static_cast<To>(static_cast<To>(value >> shift) & keep);
  });
  return inst + 1;
}

template <typename From, typename To, bool Signed>
static const Inst *clamp(Warp &warp, const Inst *inst, uint32_t mask) {
  using Word = std::conditional_t<Signed, int64_t, uint64_t>;
  auto a = source<From>(warp, inst->slot[1]);
  const auto &limits = inst->as<Clamp>();
  uint32_t shift = 64 - limits.widening.bits;
  Word low = limits.low, high = limits.high;
  To keep = static_cast<To>(limits.widening.result);
  setLanes<To>(warp, inst->slot[0], mask, [=](unsigned lane) {
    Word value =
        static_cast<Word>(static_cast<uint64_t>(a[lane]) << shift) >> shift;
    value = value < low ? low : value > high ? high : value;
    return static_cast<To>(static_cast<To>(value) & keep);
  });
  return inst + 1;
}

namespace {
template <typename From, typename To, bool Signed>
struct ExtendHandler {
  static constexpr Execute *value = extend<From, To, Signed>;
};
template <typename From, typename To, bool Signed>
struct ClampHandler {
  static constexpr Execute *value = clamp<From, To, Signed>;
};
} // namespace

template <template <typename, typename, bool> typename Handler, bool Signed>
static Execute *pick(unsigned fromBytes, unsigned toBytes) {
  if (fromBytes == 4)
    return toBytes == 4 ? Handler<uint32_t, uint32_t, Signed>::value
                        : Handler<uint32_t, uint64_t, Signed>::value;
  return toBytes == 4 ? Handler<uint64_t, uint32_t, Signed>::value
                      : Handler<uint64_t, uint64_t, Signed>::value;
}

/// The bits of the register that an operand is, at least those of its type.
static unsigned registerBits(const Operand &operand, Type type) {
  if (operand.is(Operand::Register) || operand.is(Operand::Special))
    return std::max(ptx::bitsOf(operand.type()), ptx::bitsOf(type));
  return ptx::bitsOf(type);
}

static bool decodeIntegers(Decoder &decoder, Inst &inst) {
  Type to = decoder.type(Slot::DType), from = decoder.type(Slot::AType);
  if (!ptx::isInteger(to) || !ptx::isInteger(from))
    return false;
  unsigned fromBits = ptx::bitsOf(from), toBits = ptx::bitsOf(to);
  unsigned sourceBits = registerBits(decoder.operand(1), from);
  unsigned resultBits = registerBits(decoder.operand(0), to);
  if (sourceBits > 64 || resultBits > 64)
    return false;
  unsigned fromBytes = sourceBits == 64 ? 8 : 4;
  unsigned toBytes = resultBits == 64 ? 8 : 4;
  inst.slot[0] = decoder.dest(0);
  inst.slot[1] = decoder.source(1, from);
  // The register beyond the destination's type is filled with its sign if it
  // is signed, and with zeros if not.
  uint64_t result = onesOf(isSigned(to) ? resultBits : toBits);
  if (decoder.has(Modifier::Sat)) {
    Clamp limits{
        {fromBits, result}, 0, onesOf(isSigned(to) ? toBits - 1 : toBits)};
    if (isSigned(from)) {
      limits.low = isSigned(to) ? ~limits.high : 0;
      limits.high = std::min<uint64_t>(limits.high, onesOf(63));
      inst.fn = pick<ClampHandler, true>(fromBytes, toBytes);
    } else {
      inst.fn = pick<ClampHandler, false>(fromBytes, toBytes);
    }
    inst.extra = decoder.keep(limits);
    return true;
  }
  // A result that is no wider than the source is cut off and then extended by
  // its own sign.
  bool chops = toBits <= fromBits;
  inst.fn = (chops ? isSigned(to) : isSigned(from))
                ? pick<ExtendHandler, true>(fromBytes, toBytes)
                : pick<ExtendHandler, false>(fromBytes, toBytes);
  inst.extra = decoder.keep(Widening{std::min(fromBits, toBits), result});
  return true;
}

//===----------------------------------------------------------------------===//
// cvt.pack
//===----------------------------------------------------------------------===//

namespace {
struct Packing {
  int32_t low, high;
  uint32_t bits;
};
} // namespace

/// The two values below what is left of `c`.
static const Inst *packIntegers(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<int32_t>(warp, inst->slot[1]);
  auto b = source<int32_t>(warp, inst->slot[2]);
  auto c = source<uint32_t>(warp, inst->slot[3]);
  Packing packing = inst->as<Packing>();
  uint32_t field = (1u << packing.bits) - 1;
  setLanes<uint32_t>(warp, inst->slot[0], mask, [=](unsigned lane) {
    auto saturate = [&](int32_t value) {
      value = value < packing.low ? packing.low : value;
      value = value > packing.high ? packing.high : value;
      return static_cast<uint32_t>(value) & field;
    };
    uint64_t rest = static_cast<uint64_t>(c[lane]) << 2 * packing.bits;
    return saturate(a[lane]) << packing.bits | saturate(b[lane]) |
           static_cast<uint32_t>(rest);
  });
  return inst + 1;
}

static bool decodePack(Decoder &decoder, Inst &inst) {
  Packing packing;
  switch (decoder.type(Slot::DType)) {
  case Type::U16:
    packing = {0, 0xffff, 16};
    break;
  case Type::S16:
    packing = {-0x8000, 0x7fff, 16};
    break;
  case Type::U8:
    packing = {0, 0xff, 8};
    break;
  case Type::S8:
    packing = {-0x80, 0x7f, 8};
    break;
  case Type::U4:
    packing = {0, 15, 4};
    break;
  case Type::S4:
    packing = {-8, 7, 4};
    break;
  case Type::U2:
    packing = {0, 3, 2};
    break;
  case Type::S2:
    packing = {-2, 1, 2};
    break;
  default:
    return false;
  }
  inst.fn = packIntegers;
  inst.extra = decoder.keep(packing);
  decodeOperands(decoder, inst, Type::S32, 2);
  inst.slot[3] = packing.bits == 16 ? decoder.constant(0, 4)
                                    : decoder.source(3, Type::B32);
  return true;
}

void drawloom::emu::registerConvert(DecodeTable &table) {
  table.add(Opcode::Cvt, decodeIntegers);
  table.add(Opcode::CvtPack, decodePack);
}
