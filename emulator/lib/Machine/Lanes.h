//===- Lanes.h - Arithmetic on all lanes ------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a handler does one thing to every lane. `setLanes` computes a value for
// all 32 lanes, in a loop that the compiler turns into vector code, and writes
// those of the mask. `forLanes` does anything, and has two loops: one for all
// lanes and one with a mask. A lane reads and writes only its own elements, so
// the loops may be vectorized although a destination can be a source as well;
// that is what the pragma says.
//
//   template <typename T, typename Op>
//   const Inst *binary(Warp &warp, const Inst *inst, uint32_t mask) {
//     auto a = source<T>(warp, inst->slot[1]);
//     auto b = source<T>(warp, inst->slot[2]);
//     setLanes<T>(warp, inst->slot[0], mask,
//                 [=](unsigned lane) { return Op::apply(a[lane], b[lane]); });
//     return inst + 1;
//   }
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_LANES_H
#define DRAWLOOM_EMULATOR_LANES_H

#include "Machine/Warp.h"
#include <bit>
#include <cstdint>
#include <type_traits>

namespace drawloom::emu {

inline constexpr uint32_t allLanes = ~0u;

/// What a lane of a register is stored as: 32 bits for anything up to that.
template <typename T>
using StorageOf =
    std::conditional_t<sizeof(T) <= 4, uint32_t,
                       std::conditional_t<sizeof(T) == 8, uint64_t, T>>;

/// From the stored bits to a value, and back with zeros above.
template <typename T>
inline T fromStorage(StorageOf<T> bits) {
  if constexpr (std::is_same_v<T, StorageOf<T>>)
    return bits;
  else if constexpr (sizeof(T) == sizeof(bits))
    return std::bit_cast<T>(bits);
  else
    return static_cast<T>(bits);
}
template <typename T>
inline StorageOf<T> toStorage(T value) {
  if constexpr (std::is_same_v<T, StorageOf<T>>)
    return value;
  else if constexpr (sizeof(T) == sizeof(StorageOf<T>))
    return std::bit_cast<StorageOf<T>>(value);
  else
    return static_cast<std::make_unsigned_t<T>>(value);
}

template <typename T>
struct Source {
  const StorageOf<T> *data;
  T operator[](unsigned lane) const { return fromStorage<T>(data[lane]); }
};
template <typename T>
struct Destination {
  StorageOf<T> *data;
  void set(unsigned lane, T value) const { data[lane] = toStorage<T>(value); }
};

template <typename T>
inline Source<T> source(Warp &warp, Reg reg) {
  return {warp.lanes<StorageOf<T>>(reg)};
}
template <typename T>
inline Destination<T> destination(Warp &warp, Reg reg) {
  return {warp.lanes<StorageOf<T>>(reg)};
}

/// Calls `body(lane)` for the lanes of `mask`. The body must not touch elements
/// of other lanes.
template <typename F>
[[gnu::always_inline]] inline void forLanes(uint32_t mask, F body) {
  if (mask == allLanes) [[likely]] {
#pragma clang loop vectorize(assume_safety) interleave_count(4) unroll(disable)
    for (unsigned lane = 0; lane != 32; ++lane) [[clang::always_inline]]
      body(lane);
    return;
  }
#pragma clang loop vectorize(assume_safety) unroll(disable)
  for (unsigned lane = 0; lane != 32; ++lane)
    if (mask >> lane & 1) [[clang::always_inline]]
      body(lane);
}

/// Writes `value(lane)` to lanes `mask` of a register. The value is computed
/// for all lanes, in one loop that is always vector code, so it must be
/// harmless whatever an inactive lane holds. What is written for a partial mask
/// goes through a buffer.
template <typename T, typename F>
[[gnu::always_inline]] inline void setLanes(Warp &warp, Reg reg, uint32_t mask,
                                            F value) {
  alignas(64) StorageOf<T> buffer[32];
  StorageOf<T> *lanes = warp.lanes<StorageOf<T>>(reg);
  StorageOf<T> *out = mask == allLanes ? lanes : buffer;
#pragma clang loop vectorize(assume_safety) interleave(enable)
  for (unsigned lane = 0; lane != 32; ++lane) [[clang::always_inline]]
    out[lane] = toStorage<T>(value(lane));
  if (mask == allLanes) [[likely]]
    return;
#pragma clang loop vectorize(assume_safety)
  for (unsigned lane = 0; lane != 32; ++lane)
    lanes[lane] = mask >> lane & 1 ? buffer[lane] : lanes[lane];
}

/// Like forLanes, but in the order of the lanes and one after the other: for
/// what isn't arithmetic, such as memory.
template <typename F>
[[gnu::always_inline]] inline void forEachLane(uint32_t mask, F body) {
  for (; mask; mask &= mask - 1)
    body(static_cast<unsigned>(std::countr_zero(mask)));
}

/// Gathers `body(lane)` into a predicate's word; bits of other lanes are 0 or
/// whatever the body gives them.
template <typename F>
[[gnu::always_inline]] inline uint32_t collect(F body) {
  uint32_t word = 0;
#pragma clang loop vectorize(assume_safety) unroll(disable)
  for (unsigned lane = 0; lane != 32; ++lane)
    word |= static_cast<uint32_t>(static_cast<bool>(body(lane))) << lane;
  return word;
}

/// Calls `pick.template operator()<T>()` with the C++ type of an integer PTX
/// type, and answers what it answers; `otherwise` for any other type.
template <typename R, typename F>
inline R withInteger(ptx::Type type, R otherwise, F pick) {
  switch (type) {
  case ptx::Type::U16:
    return pick.template operator()<uint16_t>();
  case ptx::Type::S16:
    return pick.template operator()<int16_t>();
  case ptx::Type::U32:
    return pick.template operator()<uint32_t>();
  case ptx::Type::S32:
    return pick.template operator()<int32_t>();
  case ptx::Type::U64:
    return pick.template operator()<uint64_t>();
  case ptx::Type::S64:
    return pick.template operator()<int64_t>();
  default:
    return otherwise;
  }
}
/// The same for .b16, .b32 and .b64, as unsigned integers.
template <typename R, typename F>
inline R withBits(ptx::Type type, R otherwise, F pick) {
  switch (ptx::bitsOf(type)) {
  case 16:
    return pick.template operator()<uint16_t>();
  case 32:
    return pick.template operator()<uint32_t>();
  case 64:
    return pick.template operator()<uint64_t>();
  default:
    return otherwise;
  }
}

/// A handler of the common shapes. Op has a static `apply` on values of T.
template <typename T, typename Op>
const Inst *unaryHandler(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<T>(warp, inst->slot[1]);
  setLanes<T>(warp, inst->slot[0], mask,
              [=](unsigned lane) { return Op::apply(a[lane]); });
  return inst + 1;
}
template <typename T, typename Op>
const Inst *binaryHandler(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<T>(warp, inst->slot[1]);
  auto b = source<T>(warp, inst->slot[2]);
  setLanes<T>(warp, inst->slot[0], mask,
              [=](unsigned lane) { return Op::apply(a[lane], b[lane]); });
  return inst + 1;
}
template <typename T, typename Op>
const Inst *ternaryHandler(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<T>(warp, inst->slot[1]);
  auto b = source<T>(warp, inst->slot[2]);
  auto c = source<T>(warp, inst->slot[3]);
  setLanes<T>(warp, inst->slot[0], mask, [=](unsigned lane) {
    return Op::apply(a[lane], b[lane], c[lane]);
  });
  return inst + 1;
}

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_LANES_H
