//===- Kernel.h - A kernel made of roles and pipes -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_KERNEL_H
#define DRAWLOOM_DEVICE_KERNEL_H

#include "drawloom/device/Graph.h"
#include "drawloom/device/Wgmma.h"
#include "drawloom/device/Worker.h"

namespace drawloom::device {

/// A warp-specialized kernel. Its life is the kernel's: the constructor makes
/// the barriers and takes tensor memory, the destructor gives it back when all
/// roles have ended. Both are for all threads of a CTA.
template <class Cluster_, class Work_, class... Pipes>
class ClusterKernel {
public:
  using Cluster = Cluster_;
  using Work = Work_;
  using Tiles = std::conditional_t<
      (Work::groups > 1), GroupedTiles<Cluster, Work>,
      std::conditional_t<Work::isStreamed, StreamTiles<Cluster, Work>,
                         device::Tiles<Cluster, Work>>>;
  using Problem = typename Tiles::Problem;
  static_assert(Work::groups == 1 ||
                    !(Share<Cluster, typename Pipes::Payload>::hasScales ||
                      ...),
                "drawloom: grouped work has no block scales: these are stored "
                "for 128 rows at a time, and a problem begins at any row");
  using Plan = device::Plan<Cluster, Pipes...>;
  static_assert(!Work::isStreamed || Plan::countWarpsBy(By::WarpGroups) == 0,
                "drawloom: stream K has accumulators in tensor memory, not in "
                "registers of warp groups");
  static constexpr bool isDynamic = Work::slots > 0;
  template <class Role>
  static constexpr int firstWarp = Plan::template getFirstWarp<Role>();
  /// With roles by warp groups there are whole groups only, because a group
  /// changes its number of registers together.
  static constexpr int threads =
      ceilDivide(Plan::countWarps() + isDynamic,
                 Plan::countWarpsBy(By::WarpGroups) ? 4 : 1) *
      (Plan::countWarpsBy(By::WarpGroups) ? 128 : 32);
  static constexpr int sharedBytes =
      Plan::getSharedBytes() +
      (isDynamic ? int(sizeof(DynamicMemory<Work::slots>)) : 0) + profileBytes;
  static constexpr int pipeCount = sizeof...(Pipes);
  template <class Pipe>
  static constexpr bool has = Set<Pipes...>::template has<Pipe>;
  template <class Pipe>
  static consteval int indexOf() {
    return Set<Pipes...>::template indexOf<Pipe>();
  }

  /// A role's places. A producer begins a phase behind: all slots are empty.
  template <class Role>
  struct Cursors {
    Cursor of[pipeCount] = {
        {0, std::is_same_v<Role, typename Pipes::Producer>}...};
  };

  /// The maps of tensors that a pipe's operands are loaded from.
  template <class Pipe>
  using MapOfA = typename Share<Cluster, typename Pipe::Payload>::MapOfA;
  template <class Pipe>
  using MapOfB = typename Share<Cluster, typename Pipe::Payload>::MapOfB;

  static_assert(pipeCount > 0, "drawloom: a kernel has at least one pipe");
  static_assert(Set<Pipes...>::size == Insert<Set<>, Pipes...>::type::size,
                "drawloom: a pipe stands twice in the list of a kernel");
  static_assert(Plan::Roles::hasNamesOfItsOwn() &&
                    Set<Pipes...>::hasNamesOfItsOwn(),
                "drawloom: two roles or two pipes of a kernel have the same "
                "name");
  static_assert(!isDynamic ||
                    (Plan::Roles::template countNamed<"scheduler">() == 0 &&
                     Set<Pipes...>::template countNamed<"work">() == 0),
                "drawloom: a kernel with dynamic work has a role 'scheduler' "
                "and a pipe 'work' already: use other names");
  static_assert(threads <= 1024,
                "drawloom: the roles of a kernel have more than "
                "the 32 warps of a CTA");

  static_assert(
      sharedBytes <= 227 * 1024,
      "drawloom: the slots of all pipes need more than the 227 KiB of "
      "shared memory that a CTA can have: use fewer slots or smaller "
      "tiles");

  /// Calls `role(name, first warp, warps)` and `pipe(name)` for each.
  template <class OfRole, class OfPipe>
  static void forEachPart(OfRole role, OfPipe pipe) {
    forEachRole(role, typename Plan::Roles{});
    (pipe(Pipes::name.text), ...);
  }

  /// Roles, pipes, counts and bytes, as text (Graph.h).
  static constexpr const char *graph() { return Graph::value; }

  __device__ explicit ClusterKernel(typename Tiles::Given problem)
      : tiles(problem), warp(__shfl_sync(~0u, int(threadIdx.x / 32), 0)) {
    // A comment in the PTX, where `drawloom check` finds it.
    asm volatile("// drawloom: %0" ::"C"(Graph::value));
    record(Moment::Start);
    if (warp == 0 && elect()) {
      (initialize<Pipes>(), ...);
      if constexpr (usesTensorMemory)
        ptx::mbarrier_init(drained(), Plan::countWarpsBy(By::TensorCore));
      if constexpr (isDynamic)
        scheduler().initialize(
            Plan::countWarps() -
            (isLeader() ? 0 : Plan::countWarpsBy(By::TensorCore)));
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    // Two CTAs take tensor memory together, so both have to be there.
    if constexpr (Cluster::isPaired)
      meet();
    if constexpr (usesTensorMemory)
      if (warp == allocator) {
        ptx::tcgen05_alloc(ctaGroup, tensorBase(), Plan::getTensorColumns());
        ptx::tcgen05_relinquish_alloc_permit(ctaGroup);
        ptx::tcgen05_fence_before_thread_sync();
      }
    if constexpr (Cluster::isPaired)
      __syncthreads();
    else
      meet();
    if constexpr (usesTensorMemory) {
      ptx::tcgen05_fence_after_thread_sync();
      tensorAddress = *tensorBase();
    }
    // Four warps change their registers by the same instruction, so warps with
    // different roles do it here.
    if constexpr (movesRegisters)
      if (warp >= groupThreads / 32)
        giveRegisters<issuerRegisters>();
  }
  ClusterKernel(const ClusterKernel &) = delete;
  ClusterKernel &operator=(const ClusterKernel &) = delete;
  /// No CTA of a cluster leaves while another may still arrive at its barriers.
  __device__ ~ClusterKernel() {
    record(Moment::End);
    // The role that begins has no more to do, so there is room soon.
    if constexpr (Work::isDependent)
      if (warp == firstWarp<typename Plan::FirstRole>)
        beginNextLaunch();
    // The scheduler has no role, so its warp comes here at once. In the
    // constructor, ptxas would take all that follows for divergent.
    if constexpr (isDynamic)
      if (warp == Plan::countWarps() && elect())
        scheduler().run();
    if constexpr (usesTensorMemory) {
      drain(typename Plan::Roles{});
      ptx::tcgen05_fence_before_thread_sync();
    }
    if constexpr (usesTensorMemory || Cluster::size > 1)
      meet();
    if constexpr (usesTensorMemory) {
      ptx::tcgen05_fence_after_thread_sync();
      if (warp == allocator)
        ptx::tcgen05_dealloc(ctaGroup, tensorAddress, Plan::getTensorColumns());
    }
  }

  /// Has maps at hand before the first copies ask for them. All threads may
  /// call it; one does it.
  template <class... Maps>
  __device__ void prefetch(const Maps &...maps) const {
    if (warp == firstWarp<typename Plan::FirstRole> && elect())
      (prefetchMap(maps), ...);
  }

  template <class Role>
  __device__ Worker<ClusterKernel, Role> role() const {
    return Worker<ClusterKernel, Role>(*this);
  }

private:
  template <class, class>
  friend class Worker;
  template <class, class>
  friend struct GraphArray;

  static constexpr GraphText describe() {
    GraphText text;
    text.add("kernel threads", threads, "cluster", Cluster::rows,
             Cluster::columns, Cluster::isPaired ? "pair" : "alone", "items",
             isDynamic ? "dynamic" : "static", "shared", sharedBytes, "columns",
             Plan::getTensorColumns(), ";");
    describeRoles(text, typename Plan::Roles{});
    (describePipe<Cluster, Plan, Pipes>(text), ...);
    if constexpr (Plan::getTensorColumns() > 0)
      text.add("barrier drained", Plan::getDrained(), ";");
    if constexpr (isDynamic) {
      using Memory = DynamicMemory<Work::slots>;
      constexpr int at = Plan::getSharedBytes();
      text.add("role scheduler warp", Plan::countWarps(), "warps 1 by clc ;",
               "pipe work from scheduler to");
      nameRoles(text, typename Plan::Roles{});
      text.add("slots", Work::slots, "in message", 4, "at",
               at + int(offsetof(Memory, item)), "full",
               at + int(offsetof(Memory, full)), "arrivals 1 empty",
               at + int(offsetof(Memory, empty)), "arrivals",
               Plan::countWarps(), "; barrier answered",
               at + int(offsetof(Memory, answered)), "; barrier taken",
               at + int(offsetof(Memory, taken)), ";");
    }
    return text;
  }
  template <class... Roles>
  static constexpr void describeRoles(GraphText &text, Set<Roles...>) {
    (describeRole<Plan, Roles>(text), ...);
  }
  template <class OfRole, class... Roles>
  static void forEachRole(OfRole role, Set<Roles...>) {
    (role(Roles::name.text, firstWarp<Roles>, Roles::warps), ...);
  }
  template <class... Roles>
  static constexpr void nameRoles(GraphText &text, Set<Roles...>) {
    text.add(Roles::name.text...);
  }
  using Graph = GraphArray<ClusterKernel,
                           std::make_integer_sequence<int, describe().size>>;

  /// A CTA's registers at the start, the same for each thread; then warp groups
  /// take what issuing warps don't need.
  static constexpr int entryRegisters = 65536 / threads / 8 * 8;
  static constexpr int issuerRegisters = 40;
  static constexpr int groupThreads = Plan::countWarpsBy(By::WarpGroups) * 32;
  static consteval int getGroupRegisters() {
    if constexpr (groupThreads == 0 || Plan::countWarpsBy(By::CudaCores) > 0)
      return 0;
    else
      return (entryRegisters * threads -
              issuerRegisters * (threads - groupThreads)) /
             groupThreads / 8 * 8;
  }
  static constexpr int groupRegisters = getGroupRegisters();
  static constexpr bool movesRegisters =
      (groupRegisters > entryRegisters) && (groupRegisters <= 256);

  static constexpr bool usesTensorMemory = Plan::getTensorColumns() > 0;
  static constexpr int allocator = 0;
  static constexpr ptx::cta_group_t<Cluster::isPaired
                                        ? ptx::dot_cta_group::cta_group_2
                                        : ptx::dot_cta_group::cta_group_1>
      ctaGroup{};

  /// Possibly no role waits for the last slots that a tensor core releases. Its
  /// own role does, so that no commit arrives at a barrier that is gone.
  struct Drained {
    static constexpr Name name = "all";
  };
  template <class... Roles>
  __device__ void drain(Set<Roles...>) const {
    (drain<Roles>(), ...);
  }
  template <class Role>
  __device__ void drain() const {
    if constexpr (Role::by == By::TensorCore)
      if (warp == firstWarp<Role> && isLeader()) {
        commit<Cluster::group, false>(drained(), 0);
        wait<Drained>(drained(), 0, "drained", 0);
      }
  }

  /// True in the CTA that multiplies.
  static __device__ bool isLeader() {
    return Cluster::getLeader(Cluster::getRank()) == Cluster::getRank();
  }
  /// Waits for all threads of the cluster.
  static __device__ void meet() {
    if constexpr (Cluster::size == 1) {
      __syncthreads();
    } else {
      ptx::barrier_cluster_arrive(ptx::sem_release);
      ptx::barrier_cluster_wait(ptx::sem_acquire);
    }
  }
  static __device__ unsigned char *shared(int offset) {
    extern __shared__ __align__(1024) unsigned char drawloomShared[];
    return drawloomShared + offset;
  }
  static __device__ uint32_t *tensorBase() {
    return reinterpret_cast<uint32_t *>(shared(Plan::getTensorBase()));
  }
  static __device__ uint64_t *drained() {
    return reinterpret_cast<uint64_t *>(shared(Plan::getDrained()));
  }
  static __device__ DynamicMemory<Work::slots> &dynamicMemory() {
    return *reinterpret_cast<DynamicMemory<Work::slots> *>(
        shared(Plan::getSharedBytes()));
  }
  static __device__ auto scheduler() {
    return Scheduler<Cluster, Work::slots>(dynamicMemory());
  }
  template <class Pipe>
  __device__ SlotPlace find(uint32_t slot) const {
    using Payload = typename Share<Cluster, typename Pipe::Payload>::Held;
    SlotPlace place{.rank = Cluster::getRank()};
    auto *barriers = reinterpret_cast<uint64_t *>(
        shared(Plan::template getBarriers<Pipe>()));
    place.full = barriers + slot;
    place.empty = barriers + Pipe::slots + slot;
    if constexpr (Payload::tensorColumns > 0)
      place.tensorAddress = tensorAddress +
                            Plan::template getFirstColumn<Pipe>() +
                            slot * Payload::tensorColumns;
    if constexpr (Payload::place == Place::Shared)
      place.memory = shared(Plan::template getSlots<Pipe>()) +
                     slot * Plan::template slotBytes<Pipe>;
    return place;
  }
  template <class Pipe>
  __device__ void initialize() const {
    for (int slot = 0; slot < Pipe::slots; ++slot) {
      SlotPlace place = find<Pipe>(slot);
      ptx::mbarrier_init(place.full, Arrivals<Cluster, Pipe>::full);
      ptx::mbarrier_init(place.empty, Arrivals<Cluster, Pipe>::empty);
    }
  }

  const Tiles tiles;
  const int warp;
  uint32_t tensorAddress = 0;
};

/// A kernel begins with its cluster, or has none: then a CTA is alone.
template <class... Parts>
struct MakeKernel {
  using type = ClusterKernel<Cluster<1, 1>, Parts...>;
};
template <int rows, int columns, class Multiplies, class... Parts>
struct MakeKernel<Cluster<rows, columns, Multiplies>, Parts...> {
  using type = ClusterKernel<Cluster<rows, columns, Multiplies>, Parts...>;
};
template <class... Parts>
using Kernel = typename MakeKernel<Parts...>::type;

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_KERNEL_H
