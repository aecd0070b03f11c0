//===- Profile.h - What each role does when ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With DRAWLOOM_PROFILE=N each warp keeps its first N records: where an item
// begins and ends, where a wait does, and where a slot is given on. `launch`
// then waits for the kernel and writes a trace (WriteProfile.h). Without it the
// functions here are empty, and so is what they cost.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_PROFILE_H
#define DRAWLOOM_DEVICE_PROFILE_H

#include <cstdint>

namespace drawloom::device {

enum class Moment : uint8_t { Start, Item, ItemEnd, Wait, WaitEnd, Give, End };

/// Pipes are counted in their kernel's order; this is that of dynamic items.
constexpr int workPipe = 255;

struct ProfileRecord {
  uint64_t clock; ///< Of the multiprocessor.
  Moment moment;
  uint8_t pipe;
  /// The number of an item, or of a slot.
  uint32_t number;
};

#ifdef DRAWLOOM_PROFILE
constexpr int profileBytes = 32 * sizeof(uint32_t);

/// Records of each warp of each CTA, and where nanoseconds stand for them.
struct ProfileMemory {
  ProfileRecord *records;
  uint64_t *nanoseconds;
};
static __device__ ProfileMemory profileMemory;

/// The first lane of a warp records.
__device__ inline void record(Moment moment, int pipe = 0,
                              uint32_t number = 0) {
  if (threadIdx.x % 32 != 0)
    return;
  uint32_t warp = threadIdx.x / 32;
  // The last bytes of shared memory count each warp's records.
  extern __shared__ __align__(1024) unsigned char drawloomShared[];
  uint32_t bytes;
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  uint32_t &count =
      reinterpret_cast<uint32_t *>(drawloomShared + bytes - profileBytes)[warp];
  if (moment == Moment::Start)
    count = 0;
  if (count >= DRAWLOOM_PROFILE)
    return;
  uint64_t of = uint64_t(blockIdx.x) * (blockDim.x / 32) + warp;
  profileMemory.records[of * DRAWLOOM_PROFILE + count++] = {
      uint64_t(clock64()), moment, uint8_t(pipe), number};
  if (moment == Moment::Start || moment == Moment::End)
    asm volatile(
        "mov.u64 %0, %%globaltimer;"
        : "=l"(profileMemory.nanoseconds[2 * of + (moment != Moment::Start)]));
}
#else
constexpr int profileBytes = 0;

__device__ inline void record(Moment, int = 0, uint32_t = 0) {}
#endif

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_PROFILE_H
