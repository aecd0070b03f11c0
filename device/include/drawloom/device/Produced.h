//===- Produced.h - A slot while a role fills it --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_PRODUCED_H
#define DRAWLOOM_DEVICE_PRODUCED_H

#include "drawloom/device/Hint.h"
#include "drawloom/device/Mma.h"
#include "drawloom/device/Slot.h"

namespace drawloom::device {

/// A slot that a role fills. At the end of its life the consumer gets it.
template <class Kernel, class Role, class Pipe>
class [[nodiscard(
    "drawloom: the slot is a temporary and is passed on at once, before it is "
    "filled; bind it: auto slot = role.produce<P>();")]] Produced
    : public Slot<Kernel, Role, Pipe> {
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

  /// Copies the operands of a K tile: of A the rows of the work tile, of B the
  /// rows that are the work tile's columns. What is outside a tensor is zero.
  /// In a cluster each CTA copies its part of what several need, to all of
  /// them.
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

  /// Copies a tile; what is outside the tensor is zero.
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
    static_assert(
        Role::hasThreads,
        "drawloom: only a role by CUDA cores writes values to a slot");
    unsigned char *to = this->place.memory + Payload::offset(row, column);
    *reinterpret_cast<uint4 *>(to) = values;
  }
  /// Writes the 16 rows of this warp and 16 columns, two bytes each, from
  /// `column` on. A thread has them as it has products of a warp group.
  __device__ void writeBlock(int column, uint4 values) {
    static_assert(Role::by == By::WarpGroups,
                  "drawloom: only a role by warp groups writes blocks of its "
                  "accumulators");
    static_assert(
        sizeof(typename Payload::Element) == 2 &&
            Payload::rows == 16 * Role::warps,
        "drawloom: a block of accumulators is written as half or bfloat16, "
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
  /// Copies the scales of a K tile, for the rows from `row` on.
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

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_PRODUCED_H
