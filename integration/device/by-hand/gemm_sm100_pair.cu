//===- gemm_sm100_pair.cu - The 2-CTA GEMM, every barrier by hand ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What device/kernels/gemm_sm100_pair.cu says with roles and pipes, for
// device-sass to count: clusters of four CTAs, ranks 0 and 1 a pair, 2 and 3
// the other; each CTA loads half of the rows of A that it shares with the CTA
// beside it, and half of its pair's B.
//
//===----------------------------------------------------------------------===//

#define BOX_OF_A 64
#define BOX_OF_B 128
#include "ByHand.h"

constexpr int slots = 6, slotBytes = (128 + 128) * 128;
constexpr int accumulators = 2, outs = 2, outBytes = 128 * 128, workSlots = 2;
constexpr int slotsAt = 0, outsAt = slots * slotBytes;
constexpr int fullAt = outsAt + outs * outBytes, emptyAt = fullAt + 8 * slots;
constexpr int sumsFullAt = emptyAt + 8 * slots;
constexpr int sumsEmptyAt = sumsFullAt + 8 * accumulators;
constexpr int outFullAt = sumsEmptyAt + 8 * accumulators;
constexpr int outEmptyAt = outFullAt + 8 * outs;
constexpr int answerAt = outEmptyAt + 8 * outs;
constexpr int answeredAt = answerAt + 16, takenAt = answeredAt + 8;
constexpr int workFullAt = takenAt + 8,
              workEmptyAt = workFullAt + 8 * workSlots;
constexpr int itemAt = workEmptyAt + 8 * workSlots;
constexpr int baseAt = itemAt + 4 * workSlots;
constexpr int sharedBytes = baseAt + 16;
constexpr int threads = 8 * 32, tensorColumns = 512;

static __device__ void meet() {
  ptx::barrier_cluster_arrive(ptx::sem_release);
  ptx::barrier_cluster_wait(ptx::sem_acquire);
}

/// The item after this one, for a warp that listens.
static __device__ uint32_t listen(uint32_t &work, uint32_t &phase) {
  await(at<uint64_t>(workFullAt) + work, phase);
  uint32_t item = __shfl_sync(~0u, at<uint32_t>(itemAt)[work], 0);
  __syncwarp();
  if (threadIdx.x % 32 == 0)
    ptx::mbarrier_arrive(at<uint64_t>(workEmptyAt) + work);
  next<workSlots>(work, phase);
  return item;
}

static __device__ void expectAnswer() {
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                 ptx::space_shared, at<uint64_t>(answeredAt),
                                 16);
}

__global__ void __launch_bounds__(threads, 1)
    gemm(const __grid_constant__ Arguments g) {
  int warp = __shfl_sync(~0u, int(threadIdx.x / 32), 0);
  uint32_t rank = blockIdx.x % 4, leader = rank / 2 * 2;
  uint32_t columns = (g.problem.n + 511) / 512;
  int steps = (g.problem.k + 63) / 64;
  uint32_t count = (g.problem.m + 255) / 256 * columns;
  int ownRow = rank % 2 * 128, ownColumn = rank / 2 * 256;

  if (warp == 0 && elect()) {
    for (int i = 0; i < slots; ++i) {
      ptx::mbarrier_init(at<uint64_t>(fullAt) + i, 1);
      ptx::mbarrier_init(at<uint64_t>(emptyAt) + i, 2); // a commit of each pair
    }
    for (int i = 0; i < 2; ++i) {
      ptx::mbarrier_init(at<uint64_t>(sumsFullAt) + i, 1);
      ptx::mbarrier_init(at<uint64_t>(sumsEmptyAt) + i, 8); // warps of a pair
      ptx::mbarrier_init(at<uint64_t>(outFullAt) + i, 4);
      ptx::mbarrier_init(at<uint64_t>(outEmptyAt) + i, 1);
      ptx::mbarrier_init(at<uint64_t>(workFullAt) + i, 1);
      ptx::mbarrier_init(at<uint64_t>(workEmptyAt) + i,
                         rank == leader ? 7 : 6);
    }
    ptx::mbarrier_init(at<uint64_t>(answeredAt), 1);
    ptx::mbarrier_init(at<uint64_t>(takenAt), 4);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  meet();
  if (warp == 0) {
    ptx::tcgen05_alloc(ptx::cta_group_2, at<uint32_t>(baseAt), tensorColumns);
    ptx::tcgen05_relinquish_alloc_permit(ptx::cta_group_2);
    ptx::tcgen05_fence_before_thread_sync();
  }
  __syncthreads();
  ptx::tcgen05_fence_after_thread_sync();
  uint32_t base = *at<uint32_t>(baseAt);

  if (warp == 4) {
    const void *mapA = hide(&g.a), *mapB = hide(&g.b);
    bool isIssuer = elect();
    uint32_t slot = 0, phase = 1, work = 0, workPhase = 0;
    for (uint32_t item = blockIdx.x / 4; item < count;
         item = listen(work, workPhase)) {
      int row = int(item / columns * 256) + ownRow;
      int column = int(item % columns * 512) + ownColumn;
      for (int k = 0; k != steps; ++k) {
        uint64_t *full = at<uint64_t>(fullAt) + slot;
        unsigned char *memory = at<unsigned char>(slotsAt) + slot * slotBytes;
        await(at<uint64_t>(emptyAt) + slot, phase);
        if (isIssuer && rank == leader)
          ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                         ptx::space_shared, full,
                                         2 * slotBytes);
        if (isIssuer) {
          uint32_t part = rank / 2 * 64, there = getAddressIn(leader, full);
          int32_t atA[] = {k * 64, row + int(part)};
          int32_t atB[] = {k * 64, column + int(rank % 2 * 128)};
          copyForPair<true>(getSharedAddress(memory + part * 128), mapA, atA,
                            there, 0b0101 << rank % 2);
          copyForPair<false>(getSharedAddress(memory + 128 * 128), mapB, atB,
                             there, 0);
        }
        next<slots>(slot, phase);
      }
    }
  }

  if (warp == 5 && rank == leader) {
    uint32_t slot = 0, phase = 0, sum = 0, sumPhase = 1;
    uint32_t work = 0, workPhase = 0;
    for (uint32_t item = blockIdx.x / 4; item < count;
         item = listen(work, workPhase)) {
      while (!ptx::mbarrier_try_wait_parity(
          ptx::sem_acquire, ptx::scope_cluster, at<uint64_t>(sumsEmptyAt) + sum,
          sumPhase)) {
      }
      ptx::tcgen05_fence_after_thread_sync();
      for (int k = 0; k != steps; ++k) {
        await(at<uint64_t>(fullAt) + slot, phase);
        ptx::tcgen05_fence_after_thread_sync();
        uint32_t a =
            getSharedAddress(at<unsigned char>(slotsAt)) + slot * slotBytes;
        multiply<2, A, B, Accumulator<128, 256>>(base + sum * 256, a,
                                                 a + 128 * 128, k > 0);
        if (elect())
          ptx::tcgen05_commit_multicast(ptx::cta_group_2,
                                        at<uint64_t>(emptyAt) + slot, 0b1111);
        next<slots>(slot, phase);
      }
      if (elect())
        ptx::tcgen05_commit_multicast(
            ptx::cta_group_2, at<uint64_t>(sumsFullAt) + sum, 0b11 << leader);
      next<accumulators>(sum, sumPhase);
    }
  }

  if (warp < 4) {
    uint32_t sum = 0, sumPhase = 0, out = 0, outPhase = 1;
    uint32_t work = 0, workPhase = 0;
    for (uint32_t item = blockIdx.x / 4; item < count;
         item = listen(work, workPhase)) {
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
        arriveAt(getAddressIn(leader, at<uint64_t>(sumsEmptyAt) + sum));
      next<accumulators>(sum, sumPhase);
    }
  }

  if (warp == 6) {
    bool isIssuer = elect();
    uint32_t out = 0, outPhase = 0, work = 0, workPhase = 0;
    for (uint32_t item = blockIdx.x / 4; item < count;
         item = listen(work, workPhase)) {
      int row = int(item / columns * 256) + ownRow;
      int first = int(item % columns * 512) + ownColumn;
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

  if (warp == 7 && elect()) {
    uint32_t work = 0, phase = 0, parity = 0;
    uint64_t *answered = at<uint64_t>(answeredAt);
    expectAnswer();
    if (rank == 0)
      ptx::clusterlaunchcontrol_try_cancel_multicast(at<uint4>(answerAt),
                                                     answered);
    for (bool isDynamic = true; isDynamic; parity ^= 1) {
      await(answered, parity);
      uint4 answer = *at<uint4>(answerAt);
      isDynamic = ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
      uint32_t item = ~0u;
      if (isDynamic) {
        item =
            ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<uint32_t>(
                answer) /
            4;
        ptx::fence_proxy_async(ptx::space_shared);
        expectAnswer();
        arriveAt(getAddressIn(0, at<uint64_t>(takenAt)));
      }
      await(at<uint64_t>(workEmptyAt) + work, phase ^ 1);
      at<uint32_t>(itemAt)[work] = item;
      ptx::mbarrier_arrive(at<uint64_t>(workFullAt) + work);
      next<workSlots>(work, phase);
      if (isDynamic && rank == 0) {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire,
                                              ptx::scope_cluster,
                                              at<uint64_t>(takenAt), parity)) {
        }
        ptx::clusterlaunchcontrol_try_cancel_multicast(at<uint4>(answerAt),
                                                       answered);
      }
    }
  }

  ptx::tcgen05_fence_before_thread_sync();
  meet();
  ptx::tcgen05_fence_after_thread_sync();
  if (warp == 0)
    ptx::tcgen05_dealloc(ptx::cta_group_2, base, tensorColumns);
}

int main(int argc, char **argv) {
  return runGemm(argc, argv, [](Problem problem, int) {
    int items = (problem.m + 255) / 256 * ((problem.n + 511) / 512);
    return Launch{.ctas = 4 * items,
                  .threads = threads,
                  .sharedBytes = sharedBytes,
                  .cluster = 4};
  });
}
