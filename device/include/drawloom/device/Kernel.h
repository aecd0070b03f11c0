//===- Kernel.h - A kernel made of roles and pipes -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_KERNEL_H
#define DRAWLOOM_DEVICE_KERNEL_H

#include "drawloom/device/Grant.h"
#include "drawloom/device/Slot.h"

namespace drawloom::device {

/// A role at work, in the warps that have it. In other warps it is false.
template <class Kernel, class Role>
class Worker {
  static_assert(Kernel::Plan::Roles::template has<Role>,
                "drawloom: no pipe of the kernel begins or ends at this role");

public:
  __device__ explicit Worker(const Kernel &kernel) : kernel(kernel) {
    if constexpr (Role::by == By::Tma)
      isIssuer = elect();
  }
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  __device__ explicit operator bool() const {
    constexpr int first = Kernel::Plan::template getFirstWarp<Role>();
    return kernel.warp >= first && kernel.warp < first + Role::warps;
  }

  /// The items of this CTA, the same for every role. A role goes through them
  /// once.
  __device__ auto work() const {
    using Work = typename Kernel::Work;
    if constexpr (Work::slots > 0)
      return Items(kernel.work, NextByGrant(kernel.grantMemory()));
    else
      return Items(kernel.work, NextByStride());
  }

  /// The next slot of a pipe, as soon as its consumer has left it.
  template <class Pipe>
  __device__ Produced<Role, Pipe> produce() {
    static_assert(Kernel::template has<Pipe>,
                  "drawloom: the kernel doesn't have this pipe");
    SlotPlace place = take<Pipe>([](const SlotPlace &place, auto cursor) {
      wait<Pipe>(place.empty, cursor.phase ^ 1, "empty", cursor.slot);
    });
    if constexpr (Pipe::Payload::place == Place::Tensor)
      ptx::tcgen05_fence_after_thread_sync();
    return Produced<Role, Pipe>(place, isIssuer);
  }

  /// The next slot of a pipe, as soon as it is full.
  template <class Pipe>
  __device__ Consumed<Role, Pipe> consume() {
    static_assert(Kernel::template has<Pipe>,
                  "drawloom: the kernel doesn't have this pipe");
    static_assert(Pipe::Payload::place == Place::Shared ||
                      Role::by != By::Threads ||
                      (Role::warps == 4 &&
                       Kernel::Plan::template getFirstWarp<Role>() % 4 == 0),
                  "drawloom: a role that reads tensor memory has 4 warps, and "
                  "roles by threads before it have 4 or a multiple");
    SlotPlace place = take<Pipe>([](const SlotPlace &place, auto cursor) {
      wait<Pipe>(place.full, cursor.phase, "full", cursor.slot);
    });
    if constexpr (Role::by == By::TensorCore ||
                  Pipe::Payload::place == Place::Tensor)
      ptx::tcgen05_fence_after_thread_sync();
    return Consumed<Role, Pipe>(place, isIssuer);
  }

private:
  template <class Pipe, class Wait>
  __device__ SlotPlace take(Wait wait) {
    Cursor &cursor = cursors[Kernel::template indexOf<Pipe>()];
    SlotPlace place = kernel.template find<Pipe>(cursor.slot);
    wait(place, cursor);
    cursor.template advance<Pipe::slots>();
    return place;
  }

  const Kernel &kernel;
  Cursor cursors[Kernel::pipeCount];
  bool isIssuer = false;
};

/// A warp-specialised kernel. Its life is the kernel's: the constructor makes
/// the barriers and takes tensor memory, the destructor gives it back when all
/// roles have ended. Both are for all threads of a CTA.
template <class Work_, class... Pipes>
class Kernel {
public:
  using Work = Work_;
  using Plan = device::Plan<Pipes...>;
  static constexpr bool isGranted = Work::slots > 0;
  static constexpr int threads = (Plan::countWarps() + isGranted) * 32;
  static constexpr int sharedBytes =
      Plan::getSharedBytes() +
      (isGranted ? int(sizeof(GrantMemory<Work::slots>)) : 0);
  static constexpr int pipeCount = sizeof...(Pipes);
  template <class Pipe>
  static constexpr bool has = Set<Pipes...>::template has<Pipe>;
  template <class Pipe>
  static consteval int indexOf() {
    return Set<Pipes...>::template indexOf<Pipe>();
  }

  static_assert(pipeCount > 0, "drawloom: a kernel has at least one pipe");
  static_assert(Set<Pipes...>::size == Insert<Set<>, Pipes...>::type::size,
                "drawloom: a pipe stands twice in the list of a kernel");
  static_assert(threads <= 1024,
                "drawloom: the roles of a kernel have more than "
                "the 32 warps of a CTA");

  static_assert(
      sharedBytes <= 227 * 1024,
      "drawloom: the slots of all pipes need more than the 227 KiB of "
      "shared memory that a CTA can have: use fewer slots or smaller "
      "tiles");

  __device__ explicit Kernel(Problem problem)
      : work(problem), warp(__shfl_sync(~0u, int(threadIdx.x / 32), 0)) {
    if (warp == 0 && elect()) {
      (initialize<Pipes>(), ...);
      if constexpr (isGranted)
        Scheduler(grantMemory()).initialize(Plan::countWarps());
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    if constexpr (usesTensorMemory)
      if (warp == allocator) {
        ptx::tcgen05_alloc(ptx::cta_group_1, tensorBase(),
                           Plan::getTensorColumns());
        ptx::tcgen05_relinquish_alloc_permit(ptx::cta_group_1);
        ptx::tcgen05_fence_before_thread_sync();
      }
    __syncthreads();
    if constexpr (usesTensorMemory) {
      ptx::tcgen05_fence_after_thread_sync();
      tensorAddress = *tensorBase();
    }
  }
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;
  __device__ ~Kernel() {
    // The scheduler has no role, so its warp comes here at once. In the
    // constructor, ptxas would take all that follows for divergent.
    if constexpr (isGranted)
      if (warp == Plan::countWarps() && elect())
        Scheduler(grantMemory()).run();
    if constexpr (usesTensorMemory) {
      ptx::tcgen05_fence_before_thread_sync();
      __syncthreads();
      ptx::tcgen05_fence_after_thread_sync();
      if (warp == allocator)
        ptx::tcgen05_dealloc(ptx::cta_group_1, tensorAddress,
                             Plan::getTensorColumns());
    }
  }

  template <class Role>
  __device__ Worker<Kernel, Role> role() const {
    return Worker<Kernel, Role>(*this);
  }

private:
  template <class, class>
  friend class Worker;
  static constexpr bool usesTensorMemory = Plan::getTensorColumns() > 0;
  static constexpr int allocator = 0;

  static __device__ unsigned char *shared(int offset) {
    extern __shared__ __align__(1024) unsigned char drawloomShared[];
    return drawloomShared + offset;
  }
  static __device__ uint32_t *tensorBase() {
    return reinterpret_cast<uint32_t *>(shared(Plan::getTensorBase()));
  }
  static __device__ GrantMemory<Work::slots> &grantMemory() {
    return *reinterpret_cast<GrantMemory<Work::slots> *>(
        shared(Plan::getSharedBytes()));
  }
  template <class Pipe>
  __device__ SlotPlace find(uint32_t slot) const {
    using Payload = typename Pipe::Payload;
    SlotPlace place{};
    auto *barriers = reinterpret_cast<uint64_t *>(
        shared(Plan::template getBarriers<Pipe>()));
    place.full = barriers + slot;
    place.empty = barriers + Pipe::slots + slot;
    if constexpr (Payload::place == Place::Tensor)
      place.tensorAddress = tensorAddress +
                            Plan::template getFirstColumn<Pipe>() +
                            slot * Payload::columns;
    else
      place.memory =
          shared(Plan::template getSlots<Pipe>()) + slot * Payload::bytes;
    return place;
  }
  template <class Pipe>
  __device__ void initialize() const {
    for (int slot = 0; slot < Pipe::slots; ++slot) {
      SlotPlace place = find<Pipe>(slot);
      ptx::mbarrier_init(place.full, Pipe::fullArrivals);
      ptx::mbarrier_init(place.empty, Pipe::emptyArrivals);
    }
  }

  const Work work;
  const int warp;
  uint32_t tensorAddress = 0;
};

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_KERNEL_H
