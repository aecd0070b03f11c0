//===- Wgmma.h - Products of warp groups, with accumulators in registers --===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_WGMMA_H
#define DRAWLOOM_DEVICE_WGMMA_H

#include "drawloom/device/Consumed.h"

namespace drawloom::device {

// CCCL has no wgmma.
__device__ inline void fenceProducts() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void commitProducts() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int groups>
__device__ inline void awaitProducts() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}

/// A warp group changes how many registers a thread has. CCCL of CUDA 13.0 has
/// no such form.
template <int registers>
__device__ inline void takeRegisters() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ inline void giveRegisters() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}

/// A product of 64 rows and 32 bytes of each, by a warp group. `accumulators`
/// has 32, 64 or 128 numbers of each thread, for twice as many columns.
template <class Element, int count>
__device__ inline void issueWgmma(float (&d)[count], uint64_t a, uint64_t b,
                                  bool adds) {
#define DRAWLOOM_TEN(T)                                                        \
  "%" #T "0, %" #T "1, %" #T "2, %" #T "3, %" #T "4, %" #T "5, %" #T "6, %" #T \
  "7, %" #T "8, %" #T "9, "
#define DRAWLOOM_32 DRAWLOOM_TEN() DRAWLOOM_TEN(1) DRAWLOOM_TEN(2) "%30, %31"
#define DRAWLOOM_64                                                            \
  DRAWLOOM_TEN()                                                               \
  DRAWLOOM_TEN(1)                                                              \
  DRAWLOOM_TEN(2)                                                              \
  DRAWLOOM_TEN(3) DRAWLOOM_TEN(4) DRAWLOOM_TEN(5) "%60, %61, %62, %63"
#define DRAWLOOM_128                                                           \
  DRAWLOOM_TEN()                                                               \
  DRAWLOOM_TEN(1)                                                              \
  DRAWLOOM_TEN(2)                                                              \
  DRAWLOOM_TEN(3)                                                              \
  DRAWLOOM_TEN(4)                                                              \
  DRAWLOOM_TEN(5)                                                              \
  DRAWLOOM_TEN(6)                                                              \
  DRAWLOOM_TEN(7)                                                              \
  DRAWLOOM_TEN(8)                                                              \
  DRAWLOOM_TEN(9)                                                              \
  DRAWLOOM_TEN(10)                                                             \
  DRAWLOOM_TEN(11) "%120, %121, %122, %123, %124, %125, %126, %127"
#define DRAWLOOM_F4(I)                                                         \
  "+f"(d[I]), "+f"(d[I + 1]), "+f"(d[I + 2]), "+f"(d[I + 3])
#define DRAWLOOM_F16(I)                                                        \
  DRAWLOOM_F4(I), DRAWLOOM_F4(I + 4), DRAWLOOM_F4(I + 8), DRAWLOOM_F4(I + 12)
#define DRAWLOOM_F32(I) DRAWLOOM_F16(I), DRAWLOOM_F16(I + 16)
#define DRAWLOOM_F64(I) DRAWLOOM_F32(I), DRAWLOOM_F32(I + 32)
// A, B and the flag come after the accumulators.
#define DRAWLOOM_WGMMA(N, A, B, FLAG, SUMS, SHAPE, MORE, ...)                  \
  asm volatile("{\n\t.reg .pred adds;\n\tsetp.ne.u32 adds, " FLAG              \
               ", 0;\n\twgmma.mma_async.sync.aligned.m64n" N SHAPE " {" SUMS   \
               "}, " A ", " B ", adds, 1, 1" MORE ";\n\t}"                     \
               : __VA_ARGS__                                                   \
               : "l"(a), "l"(b), "r"(uint32_t(adds)))
#define DRAWLOOM_WGMMA_N(SHAPE, MORE)                                          \
  if constexpr (count == 32)                                                   \
    DRAWLOOM_WGMMA("64", "%32", "%33", "%34", DRAWLOOM_32, SHAPE, MORE,        \
                   DRAWLOOM_F32(0));                                           \
  else if constexpr (count == 64)                                              \
    DRAWLOOM_WGMMA("128", "%64", "%65", "%66", DRAWLOOM_64, SHAPE, MORE,       \
                   DRAWLOOM_F64(0));                                           \
  else                                                                         \
    DRAWLOOM_WGMMA("256", "%128", "%129", "%130", DRAWLOOM_128, SHAPE, MORE,   \
                   DRAWLOOM_F64(0), DRAWLOOM_F64(64))
  if constexpr (std::is_same_v<Element, __nv_bfloat16>) {
    DRAWLOOM_WGMMA_N("k16.f32.bf16.bf16", ", 0, 0");
  } else if constexpr (std::is_same_v<Element, __half>) {
    DRAWLOOM_WGMMA_N("k16.f32.f16.f16", ", 0, 0");
  } else {
    static_assert(std::is_same_v<Element, float>,
                  "drawloom: warp groups multiply half, bfloat16 and float (as "
                  "tf32)");
    DRAWLOOM_WGMMA_N("k8.f32.tf32.tf32", "");
  }
#undef DRAWLOOM_WGMMA_N
#undef DRAWLOOM_WGMMA
#undef DRAWLOOM_F64
#undef DRAWLOOM_F32
#undef DRAWLOOM_F16
#undef DRAWLOOM_F4
#undef DRAWLOOM_128
#undef DRAWLOOM_64
#undef DRAWLOOM_32
#undef DRAWLOOM_TEN
}

/// Accumulators of a role by warp groups, in its registers: each group has 64
/// rows, a warp 16 of them. The MMAs of a K tile run while the next tile's
/// operands are awaited; then its slot is released, one K tile late.
template <class Kernel, class Role, int rows, int columns>
class RegisterAccumulators {
  static_assert(
      Role::by == By::WarpGroups,
      "drawloom: only a role by warp groups has accumulators in registers");
  static_assert(
      rows == 16 * Role::warps,
      "drawloom: each warp group of a role has 64 rows of its accumulators");
  static_assert(
      columns == 64 || columns == 128 || columns == 256,
      "drawloom: accumulators in registers have 64, 128 or 256 columns");

public:
  /// Accumulators that no MMA adds to.
  class Finished {
  public:
    /// The accumulators of 16 rows and 16 columns that a warp has, 8 of each
    /// thread, as `writeBlock` takes them. `column` is a constant, or of an
    /// unrolled loop.
    __device__ const float *getBlock(int column) const {
      return values + column / 2;
    }

  private:
    friend RegisterAccumulators;
    float values[columns / 2];
  };

  __device__ explicit RegisterAccumulators(int group) {
    // Out of sight, or every step computes it anew.
    asm("mov.b32 %0, %1;" : "=r"(firstRow) : "r"(group * 64 * 128));
  }
  RegisterAccumulators(const RegisterAccumulators &) = delete;
  RegisterAccumulators &operator=(const RegisterAccumulators &) = delete;
  __device__ ~RegisterAccumulators() { finish(); }

  /// Adds the product of a slot's operands; step 0 begins the sum.
  template <class Slot>
  __device__ void mma(Slot &operands, int step) {
    using A = typename Slot::Payload::A;
    using B = typename Slot::Payload::B;
    static_assert(
        A::rows == rows && B::rows == columns,
        "drawloom: the accumulators have A's rows and a column for each row "
        "of B");
    constexpr int stepBytes = 32, stepsOfPanel = 128 / stepBytes;
    uint64_t a = describePanel<true>(operands.getAddress() + firstRow);
    uint64_t b = describePanel<true>(operands.getAddress() + A::bytes);
    fenceProducts();
    auto issue = [&]<int i>() {
      constexpr int panel = i / stepsOfPanel;
      constexpr int bytes = i % stepsOfPanel * stepBytes;
      issueWgmma<typename A::Element>(
          accumulators.values, advance<panel * A::panelBytes + bytes>(a),
          advance<panel * B::panelBytes + bytes>(b), step > 0 || i > 0);
    };
    [&]<int... i>(std::integer_sequence<int, i...>) {
      (issue.template operator()<i>(), ...);
    }(std::make_integer_sequence<int, A::panels * stepsOfPanel>());
    commitProducts();
    awaitProducts<1>();
    operands.leaveTo(held);
  }

  /// Waits for the last products.
  __device__ const Finished &finish() {
    if (isFinished)
      return accumulators;
    isFinished = true;
    awaitProducts<0>();
    // No thread reads an accumulator before that.
#pragma unroll
    for (float &value : accumulators.values)
      asm volatile("" : "+f"(value)::"memory");
    held.release();
    return accumulators;
  }

private:
  /// Where the rows of A of this group begin, in bytes.
  uint32_t firstRow;
  Finished accumulators;
  HeldSlot<typename Kernel::Cluster> held;
  bool isFinished = false;
};

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_WGMMA_H
