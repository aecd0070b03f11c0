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
#include "drawloom/device/Hint.h"
#include "drawloom/device/Map.h"
#include "drawloom/device/Mma.h"
#include "drawloom/device/Plan.h"
#include "drawloom/device/Stream.h"

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

/// A warp gives back operands to the CTAs that load them.
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

  // A deleted copy would say so in the compiler's words. These are only looked
  // at where somebody copies.
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

/// A slot that a role fills. At the end of its life the consumer gets it.
template <class Kernel, class Role, class Pipe>
class [[nodiscard(
    "drawloom: without a name, the slot is passed on before it is "
    "filled")]] Produced : public Slot<Kernel, Role, Pipe> {
  static_assert(std::is_same_v<Role, typename Pipe::Producer>,
                "drawloom: another role produces what goes through this pipe");

  using Cluster = typename Kernel::Cluster;
  using Work = typename Kernel::Work;

public:
  using Payload = typename Pipe::Payload;
  using Shares = Share<Cluster, Payload>;

  /// Where a pair multiplies, the barrier of its leader counts the bytes of the
  /// operands of both CTAs.
  __device__ Produced(SlotPlace place, bool isIssuer)
      : Slot<Kernel, Role, Pipe>(place, isIssuer) {
    constexpr int ctas = Shares::isOperands ? Cluster::group : 1;
    if constexpr (Role::by == By::Tma)
      if (isIssuer &&
          (ctas == 1 || Cluster::getLeader(place.rank) == place.rank))
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                       ptx::space_shared, place.full,
                                       Shares::Held::bytes * ctas);
  }
  __device__ ~Produced() {
    record(Moment::Give, Kernel::template indexOf<Pipe>());
    if constexpr (Role::by == By::TensorCore) {
      commit<Cluster::group, Cluster::isPaired>(
          this->place.full, Cluster::getGroup(this->place.rank));
    } else if constexpr (Role::hasThreads) {
      // What threads wrote is read by TMA or a tensor core.
      if constexpr (!std::is_same_v<Payload, Turn>)
        ptx::fence_proxy_async(ptx::space_shared);
      arriveAsWarp(this->place.full);
    }
  }

  /// Copies the operands of a step along K: of A the rows of the item, of B the
  /// rows that are the item's columns. What is outside of a tensor is zero. In
  /// a cluster each CTA copies its part of what several need, to all of them.
  template <class GivenA, class GivenB, class Item>
  __device__ void load(const GivenA &givenA, const GivenB &givenB, Item item,
                       int step) {
    using AsA = Loaded<GivenA>;
    using AsB = Loaded<GivenB>;
    const auto &a = AsA::get(givenA);
    const auto &b = AsB::get(givenB);
    static_assert(Role::by == By::Tma,
                  "drawloom: only a role by TMA loads into a slot");
    static_assert(Shares::isOperands,
                  "drawloom: only operands are loaded by item and step");
    static_assert(Work::m == Payload::A::rows && Work::n == Payload::B::rows &&
                      Work::k == Payload::A::columns,
                  "drawloom: what is loaded is as large as an item: the work's "
                  "m is A's rows, its n is B's rows, its k their columns");
    using Held = typename Shares::Held;
    using A = typename Shares::LoadedA;
    using B = typename Shares::LoadedB;
    static_assert(
        std::is_same_v<typename AsA::Map, typename Shares::MapOfA> &&
            std::is_same_v<typename AsB::Map, typename Shares::MapOfB>,
        "drawloom: the maps of a load are the kernel's MapOfA and "
        "MapOfB for this pipe, in this order");
    // Out of sight, or every step puts these addresses together. In a function
    // of their own they would not leave the loop.
    const void *mapA, *mapB;
    asm("mov.b64 %0, %1;" : "=l"(mapA) : "l"(&a));
    asm("mov.b64 %0, %1;" : "=l"(mapB) : "l"(&b));
    if (!this->isIssuer)
      return;
    uint32_t rank = this->place.rank, row = Cluster::getRow(rank);
    uint32_t partOfA = Cluster::getColumn(rank) * A::rows;
    uint32_t partOfB = row / Cluster::group * B::rows;
    int k = (item.first + step) * A::columns;
    if constexpr (AsA::isGathered)
      gatherIn<typename Held::A>(this->place.memory, mapA, k,
                                 givenA.rows + item.getRowOfA());
    else
      copyIn<typename Held::A, (Cluster::columns > 1), AsA::evict>(
          this->place.memory, mapA, k, item.getRowOfA(), partOfA,
          Cluster::getSharersOfA(rank));
    copyIn<typename Held::B, (Cluster::rows > Cluster::group), AsB::evict>(
        this->place.memory + Held::A::bytes, mapB, k,
        item.getRowOfB() + row % Cluster::group * Held::B::rows, partOfB,
        Cluster::getSharersOfB(rank));
    if constexpr (Shares::hasScales) {
      using ScalesOfA = typename Held::ScalesOfA;
      unsigned char *scales = this->place.memory + Held::scales;
      copyScales<ScalesOfA>(scales, a.scales, item.first + step, item.row);
      copyScales<typename Held::ScalesOfB>(scales + ScalesOfA::bytes, b.scales,
                                           item.first + step, item.column);
    }
  }

  /// Copies a tile; what is outside of the tensor is zero.
  template <class Given>
  __device__ void load(const Given &given, int column, int row) {
    static_assert(Role::by == By::Tma,
                  "drawloom: only a role by TMA loads into a slot");
    static_assert(!Shares::isOperands,
                  "drawloom: operands are loaded by item and step");
    using As = Loaded<Given>;
    static_assert(std::is_same_v<typename As::Map, Map<Payload>> &&
                      !As::isGathered,
                  "drawloom: the map of a load is a Map of the slot's tile");
    if (this->isIssuer)
      copyIn<Payload, false, As::evict>(this->place.memory, &As::get(given),
                                        column, row, 0, 0);
  }

  /// Adds the product of a slot's operands; step 0 begins the sum.
  template <class Operands>
  __device__ void mma(const Operands &operands, int step) {
    static_assert(Role::by == By::TensorCore,
                  "drawloom: only a role by tensor core multiplies");
    using From = typename Share<Cluster, typename Operands::Payload>::Held;
    if constexpr (From::tensorColumns > 0)
      multiplyScaled<Cluster::group, From, Payload>(
          this->place.tensorAddress, operands.getAddress(),
          operands.getTensorAddress(), step > 0);
    else
      multiply<Cluster::group, typename From::A, typename From::B, Payload>(
          this->place.tensorAddress, operands.getAddress(),
          operands.getAddress() + From::A::bytes, step > 0);
  }
  /// Adds A B^T for tiles of two slots, or A B where B is `flipped`; step 0
  /// begins the sum.
  template <class A, class B>
  __device__ void mma(const A &a, const B &b, int step) {
    static_assert(Role::by == By::TensorCore,
                  "drawloom: only a role by tensor core multiplies");
    static_assert(!Cluster::isPaired,
                  "drawloom: a pair multiplies Operands, which it shares, not "
                  "tiles of two slots");
    multiply<1, typename A::Operand, typename B::Operand, Payload>(
        this->place.tensorAddress, a.getAddress(), b.getAddress(), step > 0);
  }

  /// Writes 16 bytes of a row; `column` is a multiple of 16 bytes.
  __device__ void write(int row, int column, uint4 values) {
    static_assert(Role::hasThreads,
                  "drawloom: only a role by threads writes values to a slot");
    unsigned char *to = this->place.memory + Payload::offset(row, column);
    *reinterpret_cast<uint4 *>(to) = values;
  }
  /// Writes the 16 rows of this warp and 16 columns, two bytes each, from
  /// `column` on. A thread has them as it has products of a warp group.
  __device__ void writeBlock(int column, uint4 values) {
    static_assert(Role::by == By::WarpGroups,
                  "drawloom: only a role by warp groups writes blocks of its "
                  "sums");
    static_assert(sizeof(typename Payload::Element) == 2 &&
                      Payload::rows == 16 * Role::warps,
                  "drawloom: a block of sums is written as half or bfloat16, "
                  "to a tile with 64 rows for each warp group");
    constexpr int first = Kernel::template firstWarp<Role>;
    int warp = int(threadIdx.x / 32) - first, lane = int(threadIdx.x % 32);
    int row = warp * 16 + lane % 16;
    uint32_t to = getSharedAddress(
        this->place.memory + Payload::offset(row, column + lane / 16 * 8));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "[%0], {%1, %2, %3, %4};" ::"r"(to),
                 "r"(values.x), "r"(values.y), "r"(values.z), "r"(values.w)
                 : "memory");
  }

private:
  /// Copies the rows of a tile that begin at `part`.
  template <class Tile, bool isForSet, Evict evict>
  __device__ void copyIn(unsigned char *to, const void *map, int column,
                         int row, uint32_t part, uint16_t set) {
#pragma unroll
    for (int panel = 0; panel < Tile::panels; ++panel) {
      int32_t at[] = {column + panel * Tile::panelColumns, row + int(part)};
      copyBox<isForSet, evict>(to + panel * Tile::panelBytes + part * 128, map,
                               at, set);
    }
  }
  /// Copies rows of a tile by their numbers.
  template <class Tile>
  __device__ void gatherIn(unsigned char *to, const void *map, int column,
                           const int *rows) {
    static_assert(Cluster::size == 1,
                  "drawloom: rows are gathered by CTAs without a cluster");
    for (int row = 0; row < Tile::rows; row += 4) {
      int4 from = *reinterpret_cast<const int4 *>(rows + row);
#pragma unroll
      for (int panel = 0; panel < Tile::panels; ++panel) {
        int32_t at[] = {column + panel * Tile::panelColumns, from.x, from.y,
                        from.z, from.w};
        ptx::cp_async_bulk_tensor_tile_gather4(
            ptx::space_shared, ptx::space_global,
            to + panel * Tile::panelBytes + row * 128, map, at,
            this->place.full);
      }
    }
  }
  /// Copies the scales of a step along K, for the rows from `row` on.
  template <class Scales>
  __device__ void copyScales(unsigned char *to, const CUtensorMap &map,
                             int step, int row) {
    int32_t at[] = {step * Scales::stepBlocks * Scales::blockBytes / 8,
                    row / 128};
    copyBox<false, Evict::Normal>(to, &map, at, 0);
  }
  template <bool isForSet, Evict evict>
  __device__ void copyBox(unsigned char *to, const void *map,
                          const int32_t (&at)[2], uint16_t set) {
    constexpr bool isPaired = Cluster::isPaired && Shares::isOperands;
    if constexpr (evict != Evict::Normal)
      copyHinted<isForSet, isPaired>(
          getSharedAddress(to), map, at,
          isPaired ? getAddressIn(Cluster::getLeader(this->place.rank),
                                  this->place.full)
                   : getSharedAddress(this->place.full),
          set, createPolicy<evict>());
    else if constexpr (isPaired)
      copyForPair<isForSet>(
          getSharedAddress(to), map, at,
          getAddressIn(Cluster::getLeader(this->place.rank), this->place.full),
          set);
    else if constexpr (isForSet)
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map,
                                at, this->place.full, set);
    else
      ptx::cp_async_bulk_tensor(ptx::space_shared, ptx::space_global, to, map,
                                at, this->place.full);
  }
};

/// A slot that a role reads. At the end of its life, or when it is released,
/// the producer gets it back.
template <class Kernel, class Role, class Pipe>
class [[nodiscard(
    "drawloom: without a name, the slot is given back before it is "
    "read")]] Consumed : public Slot<Kernel, Role, Pipe> {
  static_assert(std::is_same_v<Role, typename Pipe::Consumer>,
                "drawloom: this role is no consumer of the pipe");

  using Cluster = typename Kernel::Cluster;

public:
  using Payload = typename Pipe::Payload;
  /// What it is in a product.
  using Operand = Payload;

  __device__ Consumed(SlotPlace place, bool isIssuer)
      : Slot<Kernel, Role, Pipe>(place, isIssuer) {}
  __device__ ~Consumed() { release(); }

  /// Gives the slot back early.
  __device__ void release() {
    if (isReleased)
      return;
    isReleased = true;
    record(Moment::Give, Kernel::template indexOf<Pipe>());
    if constexpr (Role::by == By::TensorCore) {
      commit<Cluster::group, (Cluster::size > 1)>(
          this->place.empty, Cluster::getLoaders(this->place.rank));
    } else if constexpr (Share<Cluster, Payload>::isOperands) {
      arriveForLoaders<Cluster>(getSharedAddress(this->place.empty));
    } else if constexpr (Role::hasThreads) {
      if constexpr (Payload::place == Place::Tensor)
        ptx::tcgen05_fence_before_thread_sync();
      else if constexpr (!std::is_same_v<Payload, Turn>)
        // What threads have read, TMA writes again.
        ptx::fence_proxy_async(ptx::space_shared);
      if constexpr (Payload::place == Place::Tensor && Cluster::isPaired)
        arriveAsWarpAt(getAddressIn(Cluster::getLeader(this->place.rank),
                                    this->place.empty));
      else
        arriveAsWarp(this->place.empty);
    } else if (this->isIssuer) {
      // A copy has read its slot before somebody writes there again.
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
      ptx::mbarrier_arrive(this->place.empty);
    }
  }

  /// Columns of sums, in the row of this thread.
  template <int count>
  __device__ void read(int column, float (&values)[count]) const {
    static_assert(!Kernel::Work::isStreamed,
                  "drawloom: with stream K, sums are read with their item, of "
                  "which others may have parts");
    readOwn(column, values);
  }
  /// The same with stream K, with the parts that others have. Columns are read
  /// from the first to the last.
  template <int count>
  __device__ void read(const StreamItem &item, int column,
                       float (&values)[count]) const {
    static_assert(Kernel::Work::isStreamed,
                  "drawloom: only with stream K, sums are read with their "
                  "item");
    readOwn(column, values);
    item.fixUp<Payload::columns>(getRow(), column, values);
  }
  /// 16 bytes of a row; `column` is a multiple of 16 bytes.
  __device__ uint4 readRow(int row, int column) const {
    static_assert(Role::hasThreads && Payload::place == Place::Shared,
                  "drawloom: a role by threads reads rows of tiles in shared "
                  "memory");
    return *reinterpret_cast<const uint4 *>(this->place.memory +
                                            Payload::offset(row, column));
  }
  /// The row of the accumulator that this thread has.
  __device__ int getRow() const { return int(threadIdx.x % 128); }

  /// Copies the tile to a tensor; what is outside of it stays as it is.
  template <class Map_>
  __device__ void store(const Map_ &map, int column, int row) {
    static_assert(Kernel::Work::parts == 1,
                  "drawloom: where K is split, parts of sums are added to a "
                  "tensor, not stored");
    copyOut(map, column, row, [](auto &map, auto &at, auto *from) {
      ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at,
                                from);
    });
  }
  /// Adds the tile to a tensor, each element atomically.
  template <class Map_>
  __device__ void add(const Map_ &map, int column, int row) {
    copyOut(map, column, row, [](auto &map, auto &at, auto *from) {
      ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared,
                                       ptx::op_add, &map, at, from);
    });
  }

  /// Products that are under way give the slot back later.
  __device__ void leaveTo(HeldSlot<Cluster> &held) {
    held.replace(this->place.empty, Kernel::template indexOf<Pipe>());
    isReleased = true;
  }

  __device__ uint32_t getAddress() const {
    return getSharedAddress(this->place.memory);
  }
  /// Where tensor cores have the scales of operands.
  __device__ uint32_t getTensorAddress() const {
    return this->place.tensorAddress;
  }

private:
  template <int count>
  __device__ void readOwn(int column, float (&values)[count]) const {
    static_assert(Payload::place == Place::Tensor,
                  "drawloom: only accumulators are read as sums");
    static_assert(Role::by == By::Threads,
                  "drawloom: only a role by threads reads sums");
    static_assert((count & (count - 1)) == 0 && count <= 128,
                  "drawloom: 1, 2, 4, ... 128 columns are read at once");
    uint32_t lanes = threadIdx.x / 32 % 4 * 32;
    uint32_t words[count];
    ptx::tcgen05_ld_32x32b(words,
                           this->place.tensorAddress + (lanes << 16) + column);
    ptx::tcgen05_wait_ld();
#pragma unroll
    for (int i = 0; i < count; ++i)
      values[i] = __uint_as_float(words[i]);
  }
  template <class Map_, class Copy>
  __device__ void copyOut(const Map_ &map, int column, int row, Copy copy) {
    static_assert(Role::by == By::Tma,
                  "drawloom: only a role by TMA stores a slot");
    static_assert(std::is_same_v<Map_, Map<Payload>>,
                  "drawloom: the map of a store is a Map of the slot's tile");
    if (!this->isIssuer)
      return;
#pragma unroll
    for (int panel = 0; panel < Payload::panels; ++panel) {
      int32_t at[] = {column + panel * Payload::panelColumns, row};
      copy(map, at, this->place.memory + panel * Payload::panelBytes);
    }
  }

  bool isReleased = false;
};

/// A slot whose tile is multiplied the other way round, with K along columns.
template <class Slot>
struct FlippedSlot {
  using Operand = Flipped<typename Slot::Payload>;
  const Slot &slot;

  __device__ uint32_t getAddress() const { return slot.getAddress(); }
};
template <class Slot>
__device__ inline FlippedSlot<Slot> flipped(const Slot &slot) {
  return {slot};
}

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_SLOT_H
