//===- Mma.h - Products of the tensor core -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_MMA_H
#define DRAWLOOM_DEVICE_MMA_H

#include "drawloom/device/Tile.h"

namespace drawloom::device {

/// The kinds of products; each has its instruction.
enum class MmaKind { F16, TF32, F8F6F4 };

/// What a tensor core calls an element, and which instruction multiplies it.
template <class Element>
struct MmaElement {
  static constexpr bool isKnown = false;
};
template <MmaKind kind_, uint32_t code_>
struct KnownMmaElement {
  static constexpr bool isKnown = true;
  static constexpr MmaKind kind = kind_;
  static constexpr uint32_t code = code_;
};
template <>
struct MmaElement<__half> : KnownMmaElement<MmaKind::F16, 0> {};
template <>
struct MmaElement<__nv_bfloat16> : KnownMmaElement<MmaKind::F16, 1> {};
template <>
struct MmaElement<float> : KnownMmaElement<MmaKind::TF32, 2> {};
template <>
struct MmaElement<__nv_fp8_e4m3> : KnownMmaElement<MmaKind::F8F6F4, 0> {};
template <>
struct MmaElement<__nv_fp8_e5m2> : KnownMmaElement<MmaKind::F8F6F4, 1> {};

/// tcgen05.mma of one CTA. CCCL's function of that name has had two overloads
/// that fit the same call in 3.5.
template <MmaKind kind>
__device__ inline void issueMma(uint32_t sums, uint64_t a, uint64_t b,
                                uint32_t instruction, bool adds) {
#define DRAWLOOM_TCGEN05_MMA(KIND)                                             \
  asm volatile("{\n\t.reg .pred adds;\n\tsetp.ne.u32 adds, %4, 0;\n\t"         \
               "tcgen05.mma.cta_group::1.kind::" KIND                          \
               " [%0], %1, %2, %3, adds;\n\t}" ::"r"(sums),                    \
               "l"(a), "l"(b), "r"(instruction), "r"(uint32_t(adds))           \
               : "memory")
  if constexpr (kind == MmaKind::F16)
    DRAWLOOM_TCGEN05_MMA("f16");
  else if constexpr (kind == MmaKind::TF32)
    DRAWLOOM_TCGEN05_MMA("tf32");
  else
    DRAWLOOM_TCGEN05_MMA("f8f6f4");
#undef DRAWLOOM_TCGEN05_MMA
}

/// The descriptor of a panel in shared memory: blocks of 8 rows of 128 bytes,
/// one after the other. Its upper half is a constant, and addresses count 16
/// bytes.
__device__ inline uint64_t describePanel(uint32_t address16) {
  constexpr uint64_t strideBytes = 1024, swizzle128 = 2;
  constexpr uint64_t upper = strideBytes >> 4 | 1 << 14 | swizzle128 << 29;
  return upper << 32 | address16;
}

/// D = A B^T, or D += A B^T, for a step along K. One thread calls it. An
/// instruction multiplies 32 bytes of each row.
template <class Operands, class Sums>
__device__ inline void multiply(uint32_t sums, uint32_t a, uint32_t b,
                                bool adds) {
  using A = typename Operands::A;
  using B = typename Operands::B;
  using ElementA = MmaElement<typename A::Element>;
  using ElementB = MmaElement<typename B::Element>;
  static_assert(ElementA::isKnown && ElementB::isKnown,
                "drawloom: tensor cores multiply half, bfloat16, float (as "
                "tf32), fp8 e4m3 and fp8 e5m2");
  static_assert(A::rows == Sums::rows && B::rows == Sums::columns,
                "drawloom: the accumulator has A's rows and a column for each "
                "row of B");
  constexpr uint32_t f32 = 1;
  constexpr uint32_t instruction =
      f32 << 4 | ElementA::code << 7 | ElementB::code << 10 |
      uint32_t(B::rows) >> 3 << 17 | uint32_t(A::rows) >> 4 << 24;
  constexpr int stepBytes = 32, stepsOfPanel = 128 / stepBytes;
  uint32_t a16 = a >> 4, b16 = b >> 4;
#pragma unroll
  for (int panel = 0; panel < A::panels; ++panel)
#pragma unroll
    for (int step = 0; step < stepsOfPanel; ++step)
      issueMma<ElementA::kind>(
          sums,
          describePanel(a16 + (panel * A::panelBytes + step * stepBytes) / 16),
          describePanel(b16 + (panel * B::panelBytes + step * stepBytes) / 16),
          instruction, adds || panel + step > 0);
}

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_MMA_H
