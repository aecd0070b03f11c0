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
#include <utility>

namespace drawloom::device {

/// True for one thread of a warp. CCCL has no such form.
__device__ inline bool elect() {
  uint32_t isElected;
  asm volatile("{\n\t.reg .pred p;\n\t"
               "elect.sync _|p, 0xffffffff;\n\t"
               "selp.b32 %0, 1, 0, p;\n\t}"
               : "=r"(isElected));
  return isElected;
}

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

/// tcgen05.mma of one CTA or a pair. CCCL's function of that name has had two
/// overloads that fit the same call in 3.5.
template <MmaKind kind, int group>
__device__ inline void issueMma(uint32_t sums, uint64_t a, uint64_t b,
                                uint32_t instruction, bool adds) {
#define DRAWLOOM_TCGEN05_MMA(GROUP, KIND)                                      \
  asm volatile("{\n\t.reg .pred adds;\n\tsetp.ne.u32 adds, %4, 0;\n\t"         \
               "tcgen05.mma.cta_group::" GROUP ".kind::" KIND                  \
               " [%0], %1, %2, %3, adds;\n\t}" ::"r"(sums),                    \
               "l"(a), "l"(b), "r"(instruction), "r"(uint32_t(adds))           \
               : "memory")
#define DRAWLOOM_TCGEN05_MMA_KIND(GROUP)                                       \
  if constexpr (kind == MmaKind::F16)                                          \
    DRAWLOOM_TCGEN05_MMA(GROUP, "f16");                                        \
  else if constexpr (kind == MmaKind::TF32)                                    \
    DRAWLOOM_TCGEN05_MMA(GROUP, "tf32");                                       \
  else                                                                         \
    DRAWLOOM_TCGEN05_MMA(GROUP, "f8f6f4")
  if constexpr (group == 1) {
    DRAWLOOM_TCGEN05_MMA_KIND("1");
  } else {
    DRAWLOOM_TCGEN05_MMA_KIND("2");
  }
#undef DRAWLOOM_TCGEN05_MMA_KIND
#undef DRAWLOOM_TCGEN05_MMA
}

/// The descriptor of a panel in shared memory: blocks of 8 rows of 128 bytes,
/// one after the other. wgmma and tcgen05 have their own bits for it.
template <bool isForWgmma = false>
__device__ inline uint64_t describePanel(uint32_t address) {
  constexpr uint64_t strideBytes = 1024, swizzle128 = isForWgmma ? 1 : 2;
  constexpr uint64_t version = isForWgmma ? 0 : uint64_t(1) << 46;
  constexpr uint64_t fixed =
      strideBytes >> 4 << 32 | version | swizzle128 << (isForWgmma ? 62 : 61);
  return fixed + (address >> 4);
}

/// The same so many bytes further. A compiler that sees the sum puts halves of
/// descriptors together, which takes twice the instructions.
template <int bytes>
__device__ inline uint64_t advance(uint64_t descriptor) {
  uint64_t result;
  asm("add.u64 %0, %1, %2;" : "=l"(result) : "l"(descriptor), "n"(bytes / 16));
  return result;
}

/// D = A B^T, or D += A B^T, for a step along K. A whole warp calls it. An
/// instruction multiplies 32 bytes of each row. `group` CTAs hold the operands:
/// each its own rows of A and its part of B's.
template <int group, class Operands, class Sums>
__device__ inline void multiply(uint32_t sums, uint32_t a, uint32_t b,
                                bool adds) {
  using A = typename Operands::A;
  using B = typename Operands::B;
  using ElementA = MmaElement<typename A::Element>;
  using ElementB = MmaElement<typename B::Element>;
  static_assert(ElementA::isKnown && ElementB::isKnown,
                "drawloom: tensor cores multiply half, bfloat16, float (as "
                "tf32), fp8 e4m3 and fp8 e5m2");
  static_assert(A::rows == Sums::rows && B::rows * group == Sums::columns,
                "drawloom: the accumulator has A's rows and a column for each "
                "row of B");
  constexpr uint32_t f32 = 1;
  constexpr uint32_t instruction = f32 << 4 | ElementA::code << 7 |
                                   ElementB::code << 10 |
                                   uint32_t(B::rows * group) >> 3 << 17 |
                                   uint32_t(A::rows * group) >> 4 << 24;
  constexpr int stepBytes = 32, stepsOfPanel = 128 / stepBytes;
  uint64_t describedA = describePanel(a), describedB = describePanel(b);
  auto issue = [&]<int step>() {
    constexpr int panel = step / stepsOfPanel;
    constexpr int bytes = step % stepsOfPanel * stepBytes;
    // ptxas drops the branch around a single instruction, and only there.
    if (elect())
      issueMma<ElementA::kind, group>(
          sums, advance<panel * A::panelBytes + bytes>(describedA),
          advance<panel * B::panelBytes + bytes>(describedB), instruction,
          adds || step > 0);
  };
  [&]<int... steps>(std::integer_sequence<int, steps...>) {
    (issue.template operator()<steps>(), ...);
  }(std::make_integer_sequence<int, A::panels * stepsOfPanel>());
}

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_MMA_H
