//===- Dynamic.h - A dynamic tile scheduler -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_DYNAMIC_H
#define DRAWLOOM_DEVICE_DYNAMIC_H

#include "drawloom/device/Barrier.h"
#include "drawloom/device/Cluster.h"
#include "drawloom/device/Work.h"

namespace drawloom::device {

/// What a scheduler and the roles that it broadcasts to have in shared memory.
template <int slots>
struct alignas(16) DynamicMemory {
  uint4 answer;
  uint64_t answered, taken;
  uint64_t full[slots], empty[slots];
  uint32_t item[slots];
};
/// Without a scheduler.
template <>
struct DynamicMemory<0> {};

/// For the words of a stuck wait.
struct DynamicPipe {
  static constexpr Name name = "work";
};

/// Requests tiles by cluster launch control and broadcasts them to all roles,
/// until there are no more. In a cluster the first CTA requests, the response
/// is multicast, and each CTA has a scheduler that broadcasts to its own roles.
template <class Cluster, int slots>
class Scheduler {
public:
  __device__ explicit Scheduler(DynamicMemory<slots> &memory)
      : memory(memory) {}

  /// `listeners` is the number of warps that receive each tile.
  __device__ void initialize(int listeners) {
    ptx::mbarrier_init(&memory.answered, 1);
    ptx::mbarrier_init(&memory.taken, Cluster::size);
    for (int slot = 0; slot < slots; ++slot) {
      ptx::mbarrier_init(&memory.full[slot], 1);
      ptx::mbarrier_init(&memory.empty[slot], listeners);
    }
  }

  /// One thread runs it. The next response is on its way while roles receive
  /// this tile; after a request that failed there is no other.
  __device__ void run() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 1000
    static_assert(slots == 0,
                  "drawloom: Hopper has no cluster launch control: its work is "
                  "Static");
#endif
    Cursor cursor;
    uint32_t parity = 0;
    expectAnswer();
    tryCancel();
    for (bool hasTile = true; hasTile; parity ^= 1) {
      markItem();
      wait<DynamicPipe>(&memory.answered, parity, "answered", 0);
      uint4 answer = memory.answer;
      hasTile = ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
      uint32_t item = ~0u;
      if (hasTile) {
        item =
            ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<uint32_t>(
                answer) /
            Cluster::size;
        // The answer was read before the next one is written there, in every
        // CTA.
        ptx::fence_proxy_async(ptx::space_shared);
        expectAnswer();
        if constexpr (Cluster::size > 1)
          arriveAt(getAddressIn(0, &memory.taken));
        else
          tryCancel();
      }
      wait<DynamicPipe>(&memory.empty[cursor.slot], cursor.phase ^ 1, "empty",
                        cursor.slot);
      memory.item[cursor.slot] = item;
      ptx::mbarrier_arrive(&memory.full[cursor.slot]);
      cursor.template advance<slots>();
      if constexpr (Cluster::size > 1)
        if (hasTile && Cluster::getRank() == 0) {
          wait<DynamicPipe, ptx::dot_scope::cluster>(&memory.taken, parity,
                                                     "taken by all CTAs", 0);
          tryCancel();
        }
    }
  }

private:
  __device__ void expectAnswer() {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                   ptx::space_shared, &memory.answered,
                                   sizeof(memory.answer));
  }
  __device__ void tryCancel() {
    if constexpr (Cluster::size == 1)
      ptx::clusterlaunchcontrol_try_cancel(&memory.answer, &memory.answered);
    else if (Cluster::getRank() == 0)
      ptx::clusterlaunchcontrol_try_cancel_multicast(&memory.answer,
                                                     &memory.answered);
  }

  DynamicMemory<slots> &memory;
};

/// A role that receives tiles.
template <int slots>
class NextDynamic {
public:
  __device__ explicit NextDynamic(DynamicMemory<slots> &memory)
      : memory(memory) {}

  __device__ uint32_t operator()(uint32_t) {
    record(Moment::Wait, workPipe);
    wait<DynamicPipe>(&memory.full[cursor.slot], cursor.phase, "full",
                      cursor.slot);
    record(Moment::WaitEnd, workPipe);
    // All lanes read the same, and ptxas sees that they do.
    uint32_t item = __shfl_sync(~0u, memory.item[cursor.slot], 0);
    arriveAsWarp(&memory.empty[cursor.slot]);
    cursor.template advance<slots>();
    return item;
  }

private:
  DynamicMemory<slots> &memory;
  Cursor cursor;
};

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_DYNAMIC_H
