//===- Slot.h - A slot while a role has it -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_SLOT_H
#define DRAWLOOM_DEVICE_SLOT_H

#include "drawloom/device/Barrier.h"
#include "drawloom/device/Cluster.h"
#include "drawloom/device/Map.h"
#include "drawloom/device/Plan.h"

namespace drawloom::device {

/// Where a slot is, and in which CTA of the cluster.
struct SlotPlace {
  unsigned char *memory;
  uint64_t *full, *empty;
  uint32_t tensorAddress;
  uint32_t rank;
};

/// A commit arrives when the products that this thread has issued are done: at
/// the barrier of this CTA, or at those of all CTAs in a set. A whole warp
/// calls it.
template <int group, bool isForSet>
__device__ inline void commit(uint64_t *barrier, uint16_t set) {
  constexpr ptx::cta_group_t<group == 1 ? ptx::dot_cta_group::cta_group_1
                                        : ptx::dot_cta_group::cta_group_2>
      ctaGroup{};
  if (!elect())
    return;
  if constexpr (isForSet)
    ptx::tcgen05_commit_multicast(ctaGroup, barrier, set);
  else
    ptx::tcgen05_commit(ctaGroup, barrier);
}

/// A warp releases operands to the CTAs that load them.
template <class Cluster>
__device__ inline void arriveForLoaders(uint32_t barrier) {
  __syncwarp();
  if constexpr (Cluster::size == 1) {
    if (threadIdx.x % 32 == 0)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier)
                   : "memory");
  } else {
    uint32_t lane = threadIdx.x % 32;
    if (lane < Cluster::size &&
        Cluster::getLoaders(Cluster::getRank()) >> lane & 1)
      arriveAt(getAddressIn(lane, barrier));
  }
}

/// A slot that products still read.
template <class Cluster>
class HeldSlot {
public:
  __device__ void replace(uint64_t *byEmpty, int ofPipe) {
    release();
    empty = getSharedAddress(byEmpty);
    pipe = ofPipe;
  }
  __device__ void release() {
    if (empty) {
      record(Moment::Give, pipe);
      arriveForLoaders<Cluster>(empty);
    }
    empty = 0;
  }

private:
  int pipe = 0;
  /// Its barrier. Slots come before barriers, so none is at 0.
  uint32_t empty = 0;
};

/// A slot that a role has. It belongs to one place in the code: it can't be
/// copied, moved or kept.
template <class Kernel, class Role_, class Pipe_>
class Slot {
public:
  using Role = Role_;
  using Pipe = Pipe_;
  using Payload = typename Pipe::Payload;

  // A deleted copy would give the compiler's own message. These are only
  // instantiated where a kernel copies a slot.
  __device__ Slot(const Slot &other)
      : place(other.place), isIssuer(other.isIssuer) {
    static_assert(sizeof(Role) == 0,
                  "drawloom: a slot can't be copied or kept: it belongs to the "
                  "scope that took it");
  }
  Slot &operator=(const Slot &) = delete;

protected:
  /// `isIssuer` is true for the thread that issues copies.
  __device__ Slot(SlotPlace place, bool isIssuer)
      : place(place), isIssuer(isIssuer) {}

  const SlotPlace place;
  const bool isIssuer;
};

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_SLOT_H
