//===- gemm_sm100.cu - The GEMM with every barrier by hand ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What device/kernels/gemm_sm100.cu says with roles and pipes, for device-sass
// to count. Tiles and products are the library's; counts, bytes, phases,
// offsets and fences are written here.
//
//===----------------------------------------------------------------------===//

#include "ByHand.h"

constexpr int slots = 4, slotBytes = (128 + 256) * 128;
constexpr int accumulators = 2, outs = 2, outBytes = 128 * 128;
constexpr int slotsAt = 0, outsAt = slots * slotBytes;
constexpr int barriersAt = outsAt + outs * outBytes;
constexpr int fullAt = barriersAt, emptyAt = fullAt + 8 * slots;
constexpr int sumsFullAt = emptyAt + 8 * slots;
constexpr int sumsEmptyAt = sumsFullAt + 8 * accumulators;
constexpr int outFullAt = sumsEmptyAt + 8 * accumulators;
constexpr int outEmptyAt = outFullAt + 8 * outs;
constexpr int baseAt = outEmptyAt + 8 * outs;
constexpr int sharedBytes = baseAt + 16;
constexpr int threads = 7 * 32, tensorColumns = 512;

__global__ void __launch_bounds__(threads, 1)
    gemm(const __grid_constant__ Arguments g) {
  int warp = __shfl_sync(~0u, int(threadIdx.x / 32), 0);
  uint32_t columns = (g.problem.n + 255) / 256;
  int steps = (g.problem.k + 63) / 64;
  uint32_t count = (g.problem.m + 127) / 128 * columns;

  if (warp == 0 && elect()) {
    for (int i = 0; i < slots; ++i) {
      ptx::mbarrier_init(at<uint64_t>(fullAt) + i, 1);
      ptx::mbarrier_init(at<uint64_t>(emptyAt) + i, 1);
    }
    for (int i = 0; i < accumulators; ++i) {
      ptx::mbarrier_init(at<uint64_t>(sumsFullAt) + i, 1);
      ptx::mbarrier_init(at<uint64_t>(sumsEmptyAt) + i, 4);
      ptx::mbarrier_init(at<uint64_t>(outFullAt) + i, 4);
      ptx::mbarrier_init(at<uint64_t>(outEmptyAt) + i, 1);
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  if (warp == 0) {
    ptx::tcgen05_alloc(ptx::cta_group_1, at<uint32_t>(baseAt), tensorColumns);
    ptx::tcgen05_relinquish_alloc_permit(ptx::cta_group_1);
    ptx::tcgen05_fence_before_thread_sync();
  }
  __syncthreads();
  ptx::tcgen05_fence_after_thread_sync();
  uint32_t base = *at<uint32_t>(baseAt);

  if (warp == 4) {
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

  if (warp == 5) {
    uint32_t slot = 0, phase = 0, sum = 0, sumPhase = 1;
    for (uint32_t item = blockIdx.x; item < count; item += gridDim.x) {
      await(at<uint64_t>(sumsEmptyAt) + sum, sumPhase);
      ptx::tcgen05_fence_after_thread_sync();
      for (int k = 0; k != steps; ++k) {
        await(at<uint64_t>(fullAt) + slot, phase);
        ptx::tcgen05_fence_after_thread_sync();
        uint32_t a =
            getSharedAddress(at<unsigned char>(slotsAt)) + slot * slotBytes;
        multiply<1, A, B, Accumulator<128, 256>>(base + sum * 256, a,
                                                 a + 128 * 128, k > 0);
        if (elect())
          ptx::tcgen05_commit(ptx::cta_group_1, at<uint64_t>(emptyAt) + slot);
        next<slots>(slot, phase);
      }
      if (elect())
        ptx::tcgen05_commit(ptx::cta_group_1, at<uint64_t>(sumsFullAt) + sum);
      next<accumulators>(sum, sumPhase);
    }
  }

  if (warp < 4) {
    uint32_t sum = 0, sumPhase = 0, out = 0, outPhase = 1;
    for (uint32_t item = blockIdx.x; item < count; item += gridDim.x) {
      await(at<uint64_t>(sumsFullAt) + sum, sumPhase);
      ptx::tcgen05_fence_after_thread_sync();
      for (int column = 0; column < 256; column += 64) {
        uint32_t words[64];
        ptx::tcgen05_ld_32x32b(words, base + sum * 256 +
                                          (threadIdx.x / 32 % 4 * 32 << 16) +
                                          column);
        ptx::tcgen05_wait_ld();
        float values[64];
        for (int i = 0; i < 64; ++i)
          values[i] = __uint_as_float(words[i]);
        await(at<uint64_t>(outEmptyAt) + out, outPhase);
        for (int i = 0; i < 64; i += 8)
          *reinterpret_cast<uint4 *>(
              at<unsigned char>(outsAt) + out * outBytes +
              D::offset(threadIdx.x % 128, i)) = round(values + i);
        ptx::fence_proxy_async(ptx::space_shared);
        __syncwarp();
        if (threadIdx.x % 32 == 0)
          ptx::mbarrier_arrive(at<uint64_t>(outFullAt) + out);
        next<outs>(out, outPhase);
      }
      ptx::tcgen05_fence_before_thread_sync();
      __syncwarp();
      if (threadIdx.x % 32 == 0)
        ptx::mbarrier_arrive(at<uint64_t>(sumsEmptyAt) + sum);
      next<accumulators>(sum, sumPhase);
    }
  }

  if (warp == 6) {
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

  ptx::tcgen05_fence_before_thread_sync();
  __syncthreads();
  ptx::tcgen05_fence_after_thread_sync();
  if (warp == 0)
    ptx::tcgen05_dealloc(ptx::cta_group_1, base, tensorColumns);
}

int main(int argc, char **argv) {
  return runGemm(argc, argv, [](Problem problem, int multiprocessors) {
    int items = (problem.m + 127) / 128 * ((problem.n + 255) / 256);
    return Launch{.ctas = items < multiprocessors ? items : multiprocessors,
                  .threads = threads,
                  .sharedBytes = sharedBytes};
  });
}
