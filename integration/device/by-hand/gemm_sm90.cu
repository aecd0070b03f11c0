//===- gemm_sm90.cu - The GEMM of Hopper, every barrier by hand -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What device/kernels/gemm_sm90.cu says with roles and pipes, for device-sass
// to count.
//
//===----------------------------------------------------------------------===//

#include "ByHand.h"

constexpr int slots = 4, slotBytes = (128 + 256) * 128;
constexpr int outs = 2, outBytes = 128 * 128;
constexpr int slotsAt = 0, outsAt = slots * slotBytes;
constexpr int fullAt = outsAt + outs * outBytes, emptyAt = fullAt + 8 * slots;
constexpr int outFullAt = emptyAt + 8 * slots;
constexpr int outEmptyAt = outFullAt + 8 * outs;
constexpr int sharedBytes = outEmptyAt + 8 * outs;
constexpr int threads = 3 * 128;

static __device__ void arriveAsWarpAtShared(uint32_t barrier) {
  __syncwarp();
  if (threadIdx.x % 32 == 0)
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier)
                 : "memory");
}

__global__ void __launch_bounds__(threads, 1)
    gemm(const __grid_constant__ Arguments g) {
  int warp = __shfl_sync(~0u, int(threadIdx.x / 32), 0);
  uint32_t columns = (g.problem.n + 255) / 256;
  int steps = (g.problem.k + 63) / 64;
  uint32_t count = (g.problem.m + 127) / 128 * columns;

  if (warp == 0 && elect()) {
    for (int i = 0; i < slots; ++i) {
      ptx::mbarrier_init(at<uint64_t>(fullAt) + i, 1);
      ptx::mbarrier_init(at<uint64_t>(emptyAt) + i, 8);
    }
    for (int i = 0; i < outs; ++i) {
      ptx::mbarrier_init(at<uint64_t>(outFullAt) + i, 8);
      ptx::mbarrier_init(at<uint64_t>(outEmptyAt) + i, 1);
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  if (warp >= 8)
    giveRegisters<40>();

  if (warp == 8) {
    const void *mapA = hide(&g.a), *mapB = hide(&g.b);
    bool isIssuer = elect();
    uint32_t slot = 0, phase = 1;
    for (uint32_t item = blockIdx.x; item < count; item += gridDim.x) {
      int row = item / columns * 128, column = item % columns * 256;
      for (int k = 0; k != steps; ++k) {
        uint64_t *full = at<uint64_t>(fullAt) + slot;
        unsigned char *memory = at<unsigned char>(slotsAt) + slot * slotBytes;
        await(at<uint64_t>(emptyAt) + slot, phase);
        if (isIssuer)
          ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                         ptx::space_shared, full, slotBytes);
        if (isIssuer) {
          int32_t atA[] = {k * 64, row}, atB[] = {k * 64, column};
          ptx::cp_async_bulk_tensor(ptx::space_shared, ptx::space_global,
                                    memory, mapA, atA, full);
          ptx::cp_async_bulk_tensor(ptx::space_shared, ptx::space_global,
                                    memory + 128 * 128, mapB, atB, full);
        }
        next<slots>(slot, phase);
      }
    }
  }

  if (warp < 8) {
    takeRegisters<232>();
    uint32_t slot = 0, phase = 0, out = 0, outPhase = 1;
    for (uint32_t item = blockIdx.x; item < count; item += gridDim.x) {
      float d[128];
      uint32_t held = 0;
      for (int k = 0; k != steps; ++k) {
        await(at<uint64_t>(fullAt) + slot, phase);
        uint32_t memory =
            getSharedAddress(at<unsigned char>(slotsAt)) + slot * slotBytes;
        uint64_t a = describePanel<true>(memory + warp / 4 * 64 * 128);
        uint64_t b = describePanel<true>(memory + 128 * 128);
        fenceProducts();
        issueWgmma<bf16>(d, a, b, k > 0);
        issueWgmma<bf16>(d, advance<32>(a), advance<32>(b), true);
        issueWgmma<bf16>(d, advance<64>(a), advance<64>(b), true);
        issueWgmma<bf16>(d, advance<96>(a), advance<96>(b), true);
        commitProducts();
        awaitProducts<1>();
        if (held)
          arriveAsWarpAtShared(held);
        held = getSharedAddress(at<uint64_t>(emptyAt) + slot);
        next<slots>(slot, phase);
      }
      awaitProducts<0>();
#pragma unroll
      for (float &value : d)
        asm volatile("" : "+f"(value)::"memory");
      if (held)
        arriveAsWarpAtShared(held);
#pragma unroll
      for (int column = 0; column < 256; column += 64) {
        await(at<uint64_t>(outEmptyAt) + out, outPhase);
#pragma unroll
        for (int i = 0; i < 64; i += 16) {
          uint4 values = round(d + (column + i) / 2);
          int lane = int(threadIdx.x % 32);
          int row = int(threadIdx.x / 32) * 16 + lane % 16;
          uint32_t to =
              getSharedAddress(at<unsigned char>(outsAt) + out * outBytes +
                               D::offset(row, i + lane / 16 * 8));
          asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 "
                       "[%0], {%1, %2, %3, %4};" ::"r"(to),
                       "r"(values.x), "r"(values.y), "r"(values.z),
                       "r"(values.w)
                       : "memory");
        }
        ptx::fence_proxy_async(ptx::space_shared);
        __syncwarp();
        if (threadIdx.x % 32 == 0)
          ptx::mbarrier_arrive(at<uint64_t>(outFullAt) + out);
        next<outs>(out, outPhase);
      }
    }
  }

  if (warp == 9) {
    bool isIssuer = elect();
    uint32_t out = 0, outPhase = 0;
    for (uint32_t item = blockIdx.x; item < count; item += gridDim.x) {
      int row = item / columns * 128, first = item % columns * 256;
      for (int column = 0; column < 256; column += 64) {
        await(at<uint64_t>(outFullAt) + out, outPhase);
        if (isIssuer) {
          int32_t to[] = {first + column, row};
          ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &g.d,
                                    to,
                                    at<unsigned char>(outsAt) + out * outBytes);
        }
        if (isIssuer) {
          ptx::cp_async_bulk_commit_group();
          ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
          ptx::mbarrier_arrive(at<uint64_t>(outEmptyAt) + out);
        }
        next<outs>(out, outPhase);
      }
    }
  }
}

int main(int argc, char **argv) {
  return runGemm(argc, argv, [](Problem problem, int multiprocessors) {
    int items = (problem.m + 127) / 128 * ((problem.n + 255) / 256);
    return Launch{.ctas = items < multiprocessors ? items : multiprocessors,
                  .threads = threads,
                  .sharedBytes = sharedBytes};
  });
}
