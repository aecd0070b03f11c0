//===- Worker.h - A role at work ------------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_WORKER_H
#define DRAWLOOM_DEVICE_WORKER_H

#include "drawloom/device/Consumed.h"
#include "drawloom/device/Dynamic.h"
#include "drawloom/device/Groups.h"
#include "drawloom/device/Produced.h"
#include "drawloom/device/Stream.h"

namespace drawloom::device {

/// A role at work, in the warps that have it. In other warps it is false.
template <class Kernel, class Role>
class Worker {
  static_assert(Kernel::Plan::Roles::template has<Role>,
                "drawloom: no pipe of the kernel begins or ends at this role");

  using Cluster = typename Kernel::Cluster;

public:
  __device__ explicit Worker(const Kernel &kernel) : kernel(kernel) {
    if constexpr (Role::by == By::Tma)
      isIssuer = elect();
  }
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  __device__ explicit operator bool() const {
    constexpr int first = Kernel::template firstWarp<Role>;
    if (kernel.warp < first || kernel.warp >= first + Role::warps)
      return false;
    if constexpr (Role::by == By::WarpGroups && Kernel::movesRegisters)
      takeRegisters<Kernel::groupRegisters>();
    return Role::by != By::TensorCore || kernel.isLeader();
  }

  /// The items of this CTA, the same for every role and every CTA of the
  /// cluster. A role goes through them once.
  __device__ auto work() const {
    // Products are of what other roles have loaded.
    if constexpr (Kernel::Work::isDependent && Role::by != By::TensorCore)
      awaitLaunches();
    uint32_t first = blockIdx.x / Cluster::size;
    if constexpr (Kernel::isDynamic)
      return Items(kernel.tiles, NextDynamic(kernel.dynamicMemory()), first);
    else if constexpr (Kernel::Work::isStreamed)
      return Items(kernel.tiles,
                   NextInShare<typename Kernel::Tiles>{kernel.tiles},
                   kernel.tiles.first);
    else
      return Items(kernel.tiles, NextByStride<Cluster>(), first);
  }

  /// The next slot of a pipe, as soon as its consumer has left it.
  template <class Pipe>
  __device__ Produced<Kernel, Role, Pipe> produce() {
    static_assert(Kernel::template has<Pipe>,
                  "drawloom: the kernel doesn't have this pipe");
    SlotPlace place = take<Pipe>([](const SlotPlace &place, auto cursor) {
      wait<Pipe, emptyScope<Pipe>>(place.empty, cursor.phase, "empty",
                                   cursor.slot);
    });
    if constexpr (Pipe::Payload::place == Place::Tensor)
      ptx::tcgen05_fence_after_thread_sync();
    return Produced<Kernel, Role, Pipe>(place, isIssuer);
  }

  /// The next slot of a pipe, as soon as it is full.
  template <class Pipe>
  __device__ Consumed<Kernel, Role, Pipe> consume() {
    static_assert(Kernel::template has<Pipe>,
                  "drawloom: the kernel doesn't have this pipe");
    static_assert(
        Pipe::Payload::place == Place::Shared || Role::by != By::CudaCores ||
            (Role::warps == 4 && Kernel::template firstWarp<Role> % 4 == 0),
        "drawloom: a role that reads tensor memory has 4 warps, and "
        "roles by CUDA cores before it have 4 or a multiple");
    SlotPlace place = take<Pipe>([](const SlotPlace &place, auto cursor) {
      wait<Pipe>(place.full, cursor.phase, "full", cursor.slot);
    });
    if constexpr (Role::by == By::TensorCore ||
                  Pipe::Payload::place == Place::Tensor)
      ptx::tcgen05_fence_after_thread_sync();
    return Consumed<Kernel, Role, Pipe>(place, isIssuer);
  }

  /// Looks whether the next slot of a pipe is there already, without waiting.
  /// If it is, taking it doesn't wait either. A role that has something else to
  /// do asks early, and takes the slot after that.
  template <class Pipe>
  __device__ bool peek() {
    static_assert(Kernel::template has<Pipe>,
                  "drawloom: the kernel doesn't have this pipe");
    constexpr bool produces = std::is_same_v<Role, typename Pipe::Producer>;
    static_assert(produces || std::is_same_v<Role, typename Pipe::Consumer>,
                  "drawloom: this role is at no end of the pipe");
    constexpr int index = Kernel::template indexOf<Pipe>();
    const Cursor &cursor = cursors.of[index];
    SlotPlace place = kernel.template find<Pipe>(cursor.slot);
    constexpr ptx::scope_t<produces ? emptyScope<Pipe> : ptx::dot_scope::cta>
        in{};
    bool isDone = ptx::mbarrier_test_wait_parity(
        ptx::sem_acquire, in, produces ? place.empty : place.full,
        cursor.phase);
    // All lanes take the result of the first one, and what it observed is
    // visible to them.
    isThere[index] = __shfl_sync(~0u, int(isDone), 0);
    __syncwarp();
    return isThere[index];
  }

  /// Waits until it is this role's turn, at either end of a pipe of turns. The
  /// other role has the next one.
  template <class Pipe>
  __device__ auto turn() {
    static_assert(std::is_same_v<typename Pipe::Payload, Turn>,
                  "drawloom: only a pipe of Turn says whose turn it is");
    if constexpr (std::is_same_v<Role, typename Pipe::Producer>)
      return produce<Pipe>();
    else
      return consume<Pipe>();
  }

  /// Accumulators in registers, for products of warp groups.
  template <int rows, int columns>
  __device__ RegisterAccumulators<Kernel, Role, rows, columns>
  accumulators() const {
    constexpr int first = Kernel::template firstWarp<Role>;
    static_assert(
        first % 4 == 0,
        "drawloom: roles by CUDA cores before one by warp groups have 4 "
        "warps or a multiple");
    int group = (kernel.warp - first) / 4;
    return RegisterAccumulators<Kernel, Role, rows, columns>(group);
  }

private:
  /// Threads of both CTAs of a pair arrive for an accumulator, and warp groups
  /// of several CTAs for operands.
  template <class Pipe>
  static constexpr ptx::dot_scope emptyScope =
      (Cluster::isPaired && Pipe::Payload::place == Place::Tensor) ||
              (Cluster::size > 1 && Pipe::Consumer::by == By::WarpGroups)
          ? ptx::dot_scope::cluster
          : ptx::dot_scope::cta;

  template <class Pipe, class Wait>
  __device__ SlotPlace take(Wait wait) {
    Cursor &cursor = cursors.of[Kernel::template indexOf<Pipe>()];
    bool &isReady = isThere[Kernel::template indexOf<Pipe>()];
    SlotPlace place = kernel.template find<Pipe>(cursor.slot);
    record(Moment::Wait, Kernel::template indexOf<Pipe>(), cursor.slot);
    if (!isReady)
      wait(place, cursor);
    isReady = false;
    record(Moment::WaitEnd, Kernel::template indexOf<Pipe>(), cursor.slot);
    cursor.template advance<Pipe::slots>();
    return place;
  }

  const Kernel &kernel;
  typename Kernel::template Cursors<Role> cursors;
  /// Whether the next slot is there, by pipe, as peek() found.
  bool isThere[Kernel::pipeCount] = {};
  bool isIssuer = false;
};

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_WORKER_H
