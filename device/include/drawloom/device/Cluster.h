//===- Cluster.h - CTAs that work together -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_CLUSTER_H
#define DRAWLOOM_DEVICE_CLUSTER_H

#include "drawloom/device/Map.h"
#include "drawloom/device/Pipe.h"

namespace drawloom::device {

/// Each CTA of a cluster multiplies for itself.
struct Alone {};
/// Two CTAs, one below the other, multiply together: the even one issues.
struct Pair {};

/// CTAs that take neighboring tiles of a result together, `rows` below each
/// other and `columns` beside each other. Those in a row need the same rows of
/// A, those in a column the same rows of B: each loads a part and sends it to
/// all that need it. A pair holds B once, half in each CTA.
///
///            column 0   column 1      ranks in Cluster<2, 2>
///     row 0     0          2
///     row 1     1          3
template <int rows_, int columns_, class Multiplies = Alone>
struct Cluster {
  static constexpr int rows = rows_;
  static constexpr int columns = columns_;
  static constexpr int size = rows * columns;
  static constexpr bool isPaired = std::is_same_v<Multiplies, Pair>;
  /// CTAs that multiply together.
  static constexpr int group = isPaired ? 2 : 1;

  static constexpr bool isPower(int value) {
    return value > 0 && (value & (value - 1)) == 0;
  }
  static_assert(isPower(rows) && isPower(columns) && size <= 8,
                "drawloom: a cluster has 1, 2, 4 or 8 CTAs: rows times "
                "columns, both powers of two");
  static_assert(!isPaired || rows > 1,
                "drawloom: the two CTAs of a pair stand below each other: a "
                "cluster of pairs has an even number of rows");

  static __device__ uint32_t getRank() { return blockIdx.x % size; }
  static __device__ uint32_t getRow(uint32_t rank) { return rank % rows; }
  static __device__ uint32_t getColumn(uint32_t rank) { return rank / rows; }
  /// The CTA that multiplies for this one.
  static __device__ uint32_t getLeader(uint32_t rank) {
    return rank / group * group;
  }

  /// Sets of CTAs, a bit for each rank: the two of a pair,
  static __device__ uint16_t getGroup(uint32_t rank) {
    return ((1 << group) - 1) << getLeader(rank);
  }
  /// those that need the same rows of A,
  static __device__ uint16_t getSharersOfA(uint32_t rank) {
    return repeat(columns, rows) << getRow(rank);
  }
  /// those that hold the same rows of B,
  static __device__ uint16_t getSharersOfB(uint32_t rank) {
    return repeat(rows / group, group) << getColumn(rank) * rows + rank % group;
  }
  /// and those that load for the group of a leader.
  static __device__ uint16_t getLoaders(uint32_t leader) {
    return repeat(columns, rows) * ((1 << group) - 1) << getRow(leader) |
           ((1 << rows) - 1) << getColumn(leader) * rows;
  }
  /// How many leaders release what a CTA has loaded.
  static constexpr int releases = columns + rows / group - 1;

private:
  /// `count` bits, each so many after the last.
  static consteval uint32_t repeat(int count, int step) {
    uint32_t bits = 0;
    for (int i = 0; i < count; ++i)
      bits |= 1 << i * step;
    return bits;
  }
};

/// Operands as a CTA has them in a slot: of B the rows that it holds, and its
/// scales in shared memory and, for tensor cores, in tensor memory. Two CTAs
/// that multiply together have all scales of B, each of them.
template <class A_, class B_, class WholeB>
struct HeldOperands {
  using A = A_;
  using B = B_;
  using ScalesOfA = Scales<A>;
  using ScalesOfB = Scales<WholeB>;
  static constexpr Place place = Place::Shared;
  static constexpr int scales = A::bytes + B::bytes;
  static constexpr int bytes = scales + ScalesOfA::bytes + ScalesOfB::bytes;
  static constexpr int tensorColumns =
      ScalesOfA::tensorColumns + ScalesOfB::tensorColumns;
};

/// What goes through a pipe in a cluster.
template <class Cluster, class Payload>
struct Share {
  /// What a slot of a CTA holds.
  using Held = Payload;
  using MapOfA = Map<Payload>;
  using MapOfB = Map<Payload>;
  static constexpr bool isOperands = false;
  static constexpr bool hasScales = false;
};
template <class Cluster, class A, class B>
struct Share<Cluster, Operands<A, B>> {
  static constexpr bool isOperands = true;
  static constexpr bool hasScales = Stored<typename A::Element>::isScaled;
  static_assert(A::rows % (8 * Cluster::columns) == 0 &&
                    B::rows % (8 * Cluster::rows) == 0,
                "drawloom: CTAs that share an operand load equal parts of it, "
                "of 8, 16, ... rows");
  static_assert(!Cluster::isPaired || B::rows % 32 == 0,
                "drawloom: a pair multiplies 32, 64, ... 256 columns");

  template <class Tile_, int parts>
  using Part =
      Tile<typename Tile_::Element, Tile_::rows / parts, Tile_::columns>;
  using Held = HeldOperands<A, Part<B, Cluster::group>, B>;
  /// What a CTA loads, of each operand. Scales it loads for itself.
  using LoadedA = Part<A, Cluster::columns>;
  using LoadedB = Part<B, Cluster::rows>;
  using MapOfA = MapWithScales<LoadedA, A>;
  using MapOfB = MapWithScales<LoadedB, B>;
};

/// How often barriers of a pipe are arrived at in a cluster.
template <class Cluster, class Pipe>
struct Arrivals {
  using PipeShare = Share<Cluster, typename Pipe::Payload>;
  static constexpr bool isInTensorMemory =
      Pipe::Payload::place == Place::Tensor;
  static constexpr int full = Pipe::fullArrivals;
  static constexpr int empty =
      Pipe::emptyArrivals * (PipeShare::isOperands ? Cluster::releases
                             : isInTensorMemory    ? Cluster::group
                                                   : 1);
  static_assert(!PipeShare::isOperands || Cluster::size == 1 ||
                    (Pipe::Producer::by == By::Tma &&
                     (Pipe::Consumer::by == By::TensorCore ||
                      Pipe::Consumer::by == By::WarpGroups)),
                "drawloom: operands that CTAs share go from a role by TMA to "
                "one by tensor core or warp groups");
  static_assert(!Cluster::isPaired || Pipe::Consumer::by != By::WarpGroups,
                "drawloom: warp groups of two CTAs can't multiply together");
};

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_CLUSTER_H
