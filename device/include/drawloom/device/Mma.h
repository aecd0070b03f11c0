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
#include <cuda/ptx>
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
enum class MmaKind { F16, TF32, F8F6F4, MXF8F6F4, MXF4, MXF4NVF4 };

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
__device__ inline void issueMma(uint32_t accumulators, uint64_t a, uint64_t b,
                                uint32_t instruction, bool adds) {
#define DRAWLOOM_TCGEN05_MMA(GROUP, KIND)                                      \
  asm volatile("{\n\t.reg .pred adds;\n\tsetp.ne.u32 adds, %4, 0;\n\t"         \
               "tcgen05.mma.cta_group::" GROUP ".kind::" KIND                  \
               " [%0], %1, %2, %3, adds;\n\t}" ::"r"(accumulators),            \
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

/// The same with block scales, which are in tensor memory.
template <MmaKind kind, int group>
__device__ inline void issueScaledMma(uint32_t accumulators, uint64_t a,
                                      uint64_t b, uint32_t instruction,
                                      uint32_t scalesOfA, uint32_t scalesOfB,
                                      bool adds) {
#define DRAWLOOM_TCGEN05_MMA(GROUP, KIND)                                      \
  asm volatile(                                                                \
      "{\n\t.reg .pred adds;\n\tsetp.ne.u32 adds, %6, 0;\n\t"                  \
      "tcgen05.mma.cta_group::" GROUP ".kind::" KIND                           \
      " [%0], %1, %2, %3, [%4], [%5], adds;\n\t}" ::"r"(accumulators),         \
      "l"(a), "l"(b), "r"(instruction), "r"(scalesOfA), "r"(scalesOfB),        \
      "r"(uint32_t(adds))                                                      \
      : "memory")
#define DRAWLOOM_TCGEN05_MMA_KIND(GROUP)                                       \
  if constexpr (kind == MmaKind::MXF8F6F4)                                     \
    DRAWLOOM_TCGEN05_MMA(GROUP, "mxf8f6f4.block_scale.scale_vec::1X");         \
  else if constexpr (kind == MmaKind::MXF4)                                    \
    DRAWLOOM_TCGEN05_MMA(GROUP, "mxf4.block_scale.scale_vec::2X");             \
  else                                                                         \
    DRAWLOOM_TCGEN05_MMA(GROUP, "mxf4nvf4.block_scale.scale_vec::4X")
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

/// How tensor cores find an operand of a product: an instruction takes 32 bytes
/// of each row, with K along rows.
template <class Tile>
struct MmaOperand {
  static constexpr uint32_t flag = 0;

  static __device__ uint64_t describe(uint32_t address) {
    return describePanel(address);
  }
  /// Where the operand of an instruction begins.
  static consteval int place(int step) {
    return step / 4 * Tile::panelBytes + step % 4 * 32;
  }
};

/// A tile the other way round, with K along its columns: an instruction takes
/// 16 rows of each panel.
template <class Tile>
struct Flipped {
  using Element = typename Tile::Element;
  static constexpr int rows = Tile::columns;
  static constexpr int columns = Tile::rows;
  static constexpr int panelBytes = Tile::panelBytes;

  static_assert(Stored<Element>::bits == 16,
                "drawloom: only tiles of half and bfloat16 are multiplied the "
                "other way round");
  static_assert(columns % 16 == 0, "drawloom: tensor cores take 16 rows of a "
                                   "tile that is the other way round");
};
template <class Tile>
struct MmaOperand<Flipped<Tile>> {
  static constexpr uint32_t flag = 1;

  static __device__ uint64_t describe(uint32_t address) {
    constexpr uint64_t nextPanel = uint64_t(Tile::panelBytes >> 4) << 16;
    return describePanel(address) + nextPanel;
  }
  static consteval int place(int step) { return step * 16 * 128; }
};

/// What all MMAs of a K tile have in common. `group` CTAs hold the
/// operands: each its own rows of A and its part of B's.
template <int group, class A, class B, class Accumulators>
struct MmaProduct {
  using Element = MmaElement<typename A::Element>;
  using ElementB = MmaElement<typename B::Element>;
  static_assert(Element::isKnown && ElementB::isKnown,
                "drawloom: tensor cores multiply half, bfloat16, float (as "
                "tf32), fp8 e4m3, fp8 e5m2, mxfp8, mxfp4 and nvfp4");
  static_assert(std::is_same_v<typename A::Element, typename B::Element> ||
                    (Element::kind == MmaKind::F8F6F4 &&
                     ElementB::kind == MmaKind::F8F6F4),
                "drawloom: the operands of a product have one element type, or "
                "two of fp8");
  static_assert(A::columns == B::columns,
                "drawloom: the operands of a product have the same K");
  static_assert(A::rows == Accumulators::rows &&
                    B::rows * group == Accumulators::columns,
                "drawloom: the accumulator has A's rows and a column for each "
                "row of B");
  static constexpr uint32_t instruction =
      Element::code << 7 | ElementB::code << 10 | MmaOperand<B>::flag << 16 |
      uint32_t(B::rows * group) >> 3 << 17;
};

/// Calls `issue` for each instruction along a tile's row.
template <class Tile, class Issue>
__device__ inline void forEachStep(Issue issue) {
  [&]<int... steps>(std::integer_sequence<int, steps...>) {
    (issue.template operator()<steps>(), ...);
  }(std::make_integer_sequence<int, Tile::panels * 4>());
}

/// D = A B^T, or D += A B^T, for a K tile. A whole warp calls it.
template <int group, class A, class B, class Accumulators>
__device__ inline void multiply(uint32_t accumulators, uint32_t atA,
                                uint32_t atB, bool adds) {
  using Product = MmaProduct<group, A, B, Accumulators>;
  constexpr uint32_t f32 = 1;
  constexpr uint32_t instruction =
      Product::instruction | f32 << 4 | uint32_t(A::rows * group) >> 4 << 24;
  uint64_t a = MmaOperand<A>::describe(atA), b = MmaOperand<B>::describe(atB);
  forEachStep<A>([&]<int step>() {
    // ptxas drops the branch around a single instruction, and only there.
    if (elect())
      issueMma<Product::Element::kind, group>(
          accumulators, advance<MmaOperand<A>::place(step)>(a),
          advance<MmaOperand<B>::place(step)>(b), instruction,
          adds || step > 0);
  });
}

/// Copies a slot's scales to tensor memory.
template <int group, class Scales>
__device__ inline void copyScales(uint32_t to, uint32_t from) {
  namespace ptx = cuda::ptx;
  constexpr ptx::cta_group_t<group == 1 ? ptx::dot_cta_group::cta_group_1
                                        : ptx::dot_cta_group::cta_group_2>
      ctaGroup{};
  // Without swizzle: 8 rows of 16 bytes, then the next 8.
  constexpr uint64_t fixed = uint64_t(128 >> 4) << 32 | uint64_t(1) << 46;
  uint64_t described = fixed + (from >> 4);
  auto copy = [&]<int block>() {
    constexpr int rows = block / Scales::stepBlocks;
    constexpr int step = block % Scales::stepBlocks;
    constexpr int column =
        (step * Scales::rowBlocks + rows) * Scales::blockColumns;
    if (elect())
      ptx::tcgen05_cp_32x128b_warpx4(
          ctaGroup, to + column,
          advance<block * Scales::blockBytes>(described));
  };
  [&]<int... blocks>(std::integer_sequence<int, blocks...>) {
    (copy.template operator()<blocks>(), ...);
  }(std::make_integer_sequence<int, Scales::rowBlocks * Scales::stepBlocks>());
}

/// The same with block scales, after copying them to `scales` in tensor memory.
/// A slot's scales have a place of their own there: products follow the copies
/// that the same thread has issued before them, but nothing makes the next
/// step's copies follow these products.
template <int group, class Operands, class Accumulators>
__device__ inline void multiplyScaled(uint32_t accumulators, uint32_t operands,
                                      uint32_t scales, bool adds) {
  using A = typename Operands::A;
  using B = typename Operands::B;
  using Product = MmaProduct<group, A, B, Accumulators>;
  using ScalesOfA = typename Operands::ScalesOfA;
  using ScalesOfB = typename Operands::ScalesOfB;
  using Element = Stored<typename A::Element>;
  uint32_t scalesOfB = scales + ScalesOfA::tensorColumns;
  uint32_t from = operands + Operands::scales;
  copyScales<group, ScalesOfA>(scales, from);
  copyScales<group, ScalesOfB>(scalesOfB, from + ScalesOfA::bytes);
  constexpr uint32_t instruction = Product::instruction |
                                   Product::Element::scaleCode << 23 |
                                   uint32_t(A::rows * group) >> 7 << 27;
  uint64_t a = describePanel(operands), b = describePanel(operands + A::bytes);
  forEachStep<A>([&]<int step>() {
    // A word has four scales of a row: for one product, two or four.
    constexpr int first = step * (32 * 8 / Element::bits / Element::block);
    constexpr int word = first / 4;
    constexpr uint32_t ids = uint32_t(first % 4) << 29 | first % 4 << 4;
    if (elect())
      issueScaledMma<Product::Element::kind, group>(
          accumulators, advance<MmaOperand<A>::place(step)>(a),
          advance<MmaOperand<B>::place(step)>(b), instruction | ids,
          scales + word * ScalesOfA::rowBlocks * ScalesOfA::blockColumns,
          scalesOfB + word * ScalesOfB::rowBlocks * ScalesOfB::blockColumns,
          adds || step > 0);
  });
}

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_MMA_H
