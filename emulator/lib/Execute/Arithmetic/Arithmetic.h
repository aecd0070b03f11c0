//===- Arithmetic.h - What the arithmetic families share --------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers for decoders and handlers of arithmetic. Most instructions write one
// register and read up to three of the same type: `decodeOperands` places them
// in slots 0 to 3.
//
// Packed types (f32x2, f16x2, s16x2) hold two elements in a lane. Since lanes
// lie side by side, a register of 32 lanes is an array of 64 elements, and
// `setElements` goes over that: vector code needs no shuffles.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_ARITHMETIC_H
#define DRAWLOOM_EMULATOR_ARITHMETIC_H

#include "Decode/Decoder.h"
#include "Machine/Lanes.h"

namespace drawloom::emu {

inline void decodeOperands(Decoder &decoder, Inst &inst, ptx::Type type,
                           unsigned sources) {
  inst.slot[0] = decoder.dest(0);
  for (unsigned index = 1; index <= sources; ++index)
    inst.slot[index] = decoder.source(index, type);
}

/// An unsigned type in which arithmetic on T wraps as it should: C++ would
/// promote smaller ones to int.
template <typename T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

/// A type that holds any product of two values of T.
template <typename T>
using Wide = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
    std::conditional_t<
        sizeof(T) == 4,
        std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;

template <typename T>
constexpr T minimumOf =
    std::is_signed_v<T> ? T(T(1) << (8 * sizeof(T) - 1)) : T(0);
template <typename T>
constexpr T maximumOf = T(~minimumOf<T>);

/// An element of a packed register. Registers have no type of their own, so the
/// compiler must not conclude anything from ours.
template <typename E>
struct Element {
  using Type [[gnu::may_alias]] = E;
};
template <typename E>
inline typename Element<E>::Type *elements(Warp &warp, Reg reg) {
  return warp.lanes<typename Element<E>::Type>(reg);
}

/// setLanes for the 64 elements of a packed register.
template <typename E, typename F>
[[gnu::always_inline]] inline void setElements(Warp &warp, Reg reg,
                                               uint32_t mask, F value) {
  alignas(64) typename Element<E>::Type buffer[64];
  auto *lanes = elements<E>(warp, reg);
  auto *out = mask == allLanes ? lanes : buffer;
#pragma clang loop vectorize(assume_safety) interleave(enable)
  for (unsigned index = 0; index != 64; ++index) [[clang::always_inline]]
    out[index] = value(index);
  if (mask == allLanes) [[likely]]
    return;
#pragma clang loop vectorize(assume_safety)
  for (unsigned index = 0; index != 64; ++index)
    lanes[index] = mask >> index / 2 & 1 ? buffer[index] : lanes[index];
}

/// Handlers of packed instructions. Op has a static `apply` on values of E.
template <typename E, typename Op>
const Inst *packedUnaryHandler(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto *a = elements<E>(warp, inst->slot[1]);
  setElements<E>(warp, inst->slot[0], mask,
                 [=](unsigned i) { return Op::apply(E(a[i])); });
  return inst + 1;
}
template <typename E, typename Op>
const Inst *packedBinaryHandler(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto *a = elements<E>(warp, inst->slot[1]);
  const auto *b = elements<E>(warp, inst->slot[2]);
  setElements<E>(warp, inst->slot[0], mask,
                 [=](unsigned i) { return Op::apply(E(a[i]), E(b[i])); });
  return inst + 1;
}
template <typename E, typename Op>
const Inst *packedTernaryHandler(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto *a = elements<E>(warp, inst->slot[1]);
  const auto *b = elements<E>(warp, inst->slot[2]);
  const auto *c = elements<E>(warp, inst->slot[3]);
  setElements<E>(warp, inst->slot[0], mask, [=](unsigned i) {
    return Op::apply(E(a[i]), E(b[i]), E(c[i]));
  });
  return inst + 1;
}

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_ARITHMETIC_H
