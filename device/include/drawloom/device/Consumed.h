//===- Consumed.h - A slot while a role reads it --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_CONSUMED_H
#define DRAWLOOM_DEVICE_CONSUMED_H

#include "drawloom/device/Mma.h"
#include "drawloom/device/Slot.h"
#include "drawloom/device/Stream.h"

namespace drawloom::device {

/// A slot that a role reads. At the end of its life, or when it is released,
/// the producer gets it back.
template <class Kernel, class Role, class Pipe>
class [[nodiscard(
    "drawloom: the slot is a temporary and is released at once, before it is "
    "read; bind it: auto slot = role.consume<P>();")]] Consumed
    : public Slot<Kernel, Role, Pipe> {
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
      // A copy has read its slot before the producer writes there again.
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
      ptx::mbarrier_arrive(this->place.empty);
    }
  }

  /// Columns of accumulators, in the row of this thread.
  template <int count>
  __device__ void read(int column, float (&values)[count]) const {
    static_assert(
        !Kernel::Work::isStreamed,
        "drawloom: with stream K, accumulators are read with their item, of "
        "which others may have parts");
    readOwn(column, values);
  }
  /// The same with stream K, with the parts that others have. Columns are read
  /// from the first to the last.
  template <int count>
  __device__ void read(const StreamItem &item, int column,
                       float (&values)[count]) const {
    static_assert(
        Kernel::Work::isStreamed,
        "drawloom: only with stream K, accumulators are read with their "
        "item");
    readOwn(column, values);
    item.fixUp<Payload::columns>(getRow(), column, values);
  }
  /// 16 bytes of a row; `column` is a multiple of 16 bytes.
  __device__ uint4 readRow(int row, int column) const {
    static_assert(
        Role::hasThreads && Payload::place == Place::Shared,
        "drawloom: a role by CUDA cores reads rows of tiles in shared "
        "memory");
    return *reinterpret_cast<const uint4 *>(this->place.memory +
                                            Payload::offset(row, column));
  }
  /// The row of the accumulator that this thread has.
  __device__ int getRow() const { return int(threadIdx.x % 128); }

  /// Copies the tile to a tensor; what is outside it stays as it is.
  template <class Map_>
  __device__ void store(const Map_ &map, int column, int row) {
    static_assert(
        Kernel::Work::parts == 1,
        "drawloom: where K is split, parts of accumulators are added to a "
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
                  "drawloom: only accumulators are read with read()");
    static_assert(Role::by == By::CudaCores,
                  "drawloom: only a role by CUDA cores reads accumulators");
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

#endif // DRAWLOOM_DEVICE_CONSUMED_H
