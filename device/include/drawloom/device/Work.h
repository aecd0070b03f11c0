//===- Work.h - What a CTA computes, and in which order ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_WORK_H
#define DRAWLOOM_DEVICE_WORK_H

#include "drawloom/device/Mark.h"
#include "drawloom/device/Profile.h"
#include <cstdint>

namespace drawloom::device {

struct Problem {
  int m, n, k;

  /// A sum of no products has no step that begins it.
  bool isPossible() const { return m > 0 && n > 0 && k > 0; }
};

/// 0, 1, ... count - 1.
class Steps {
public:
  class Iterator {
  public:
    __device__ explicit Iterator(int at) : at(at) {}
    __device__ int operator*() const { return at; }
    __device__ void operator++() {
      markStep();
      ++at;
    }
    __device__ bool operator!=(Iterator other) const { return at != other.at; }

  private:
    int at;
  };

  __device__ explicit Steps(int count) : count(count) {}
  __device__ Iterator begin() const { return Iterator(0); }
  __device__ Iterator end() const { return Iterator(count); }

private:
  int count;
};

/// One output tile: where it begins, how many K tiles it takes, and which one
/// is its first.
struct Item {
  int row, column, steps, first;

  __device__ Steps k() const { return Steps(steps); }
  __device__ int getRowOfA() const { return row; }
  __device__ int getRowOfB() const { return column; }
};

constexpr __host__ __device__ int ceilDivide(int value, int by) {
  return (value + by - 1) / by;
}

/// The items of a kernel, row by row: each is a tile of the result for every
/// CTA of a cluster. An item's place is that of this CTA's tile.
template <class Cluster, class Work>
class Tiles {
public:
  using Problem = device::Problem;
  /// How a kernel takes it.
  using Given = Problem;

  __device__ explicit Tiles(Given problem)
      : count(countItems(problem)), columns(ceilDivide(problem.n, itemN)),
        steps(ceilDivide(problem.k, Work::k)), parts(countParts(problem)),
        row(Cluster::getRow(Cluster::getRank()) * Work::m),
        column(Cluster::getColumn(Cluster::getRank()) * Work::n) {}

  static constexpr __host__ __device__ int countItems(Problem problem) {
    return ceilDivide(problem.m, itemM) * ceilDivide(problem.n, itemN) *
           countParts(problem);
  }
  __device__ Item item(uint32_t number) const {
    uint32_t first = 0, end = steps;
    if constexpr (Work::parts > 1) {
      uint32_t part = number % parts;
      number /= parts;
      first = part * steps / parts;
      end = (part + 1) * steps / parts;
    }
    return {int(number / columns * itemM) + row,
            int(number % columns * itemN) + column, int(end - first),
            int(first)};
  }

  static constexpr int turns = Work::turns;
  const uint32_t count;

private:
  static constexpr int itemM = Work::m * Cluster::rows;
  static constexpr int itemN = Work::n * Cluster::columns;

  /// Each part has at least one step.
  static constexpr __host__ __device__ int countParts(Problem problem) {
    int steps = ceilDivide(problem.k, Work::k);
    return steps < Work::parts ? steps : Work::parts;
  }

  const uint32_t columns, steps, parts;
  const int row, column;
};

/// Cluster c of C takes the items c, c + C, c + 2 C, ... A CTA's tile has
/// m x n elements, and it goes along K in steps of k.
template <int m_, int n_, int k_>
struct Static {
  static constexpr int m = m_, n = n_, k = k_;
  /// In how many parts K is split.
  static constexpr int parts = 1;
  /// How many items a CTA takes at once.
  static constexpr int turns = 1;
  /// How many problems there may be.
  static constexpr int groups = 1;
  /// Whether a launch begins before the one in front of it has ended.
  static constexpr bool isDependent = false;
  /// Whether shares of CTAs end within tiles.
  static constexpr bool isStreamed = false;
  /// How many slots pass work tiles to roles: none is needed.
  static constexpr int slots = 0;

  static int countClusters(int items, int places) {
    return items < places ? items : places;
  }
};

/// A cluster begins with the item of its own number, and asks the hardware for
/// others whose clusters haven't begun: cluster launch control. One warp asks,
/// one item ahead, and tells every role. `slots` is how far it may be ahead of
/// the last.
template <int m_, int n_, int k_, int slots_ = 2>
struct Dynamic {
  static constexpr int m = m_, n = n_, k = k_;
  static constexpr int parts = 1;
  static constexpr int turns = 1;
  static constexpr int groups = 1;
  static constexpr bool isDependent = false;
  static constexpr bool isStreamed = false;
  static constexpr int slots = slots_;

  static_assert(slots > 0, "drawloom: dynamic work has at least one slot for "
                           "what the scheduler says; Static has none");

  static int countClusters(int items, int) { return items; }
};

/// Static or dynamic work whose items are parts of accumulators: K is split,
/// and the parts of a tile are added in memory. Where K has fewer steps than
/// parts, it has a part for each step.
template <class Work, int parts_>
struct SplitK : Work {
  static constexpr int parts = parts_;

  static_assert(Work::parts == 1 && parts > 1,
                "drawloom: K is split once, in 2, 3, ... parts");
  static_assert(Work::groups == 1 && !Work::isStreamed,
                "drawloom: K of grouped work and of stream K isn't split");
};

/// Any work, in a launch that begins while the one in front of it in its stream
/// ends: barriers and tensor memory are ready when the other's results are. A
/// role waits for these before its first item.
template <class Work>
struct Dependent : Work {
  static constexpr bool isDependent = true;

  static_assert(!Work::isDependent, "drawloom: work is Dependent once");
};

/// Waits until all launches in front of this one have ended, and what they
/// wrote is there. CCCL of CUDA 13.0 has no such form.
__device__ inline void awaitLaunches() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
/// The launch behind this one may begin, as soon as all CTAs say so.
__device__ inline void beginNextLaunch() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/// Static work for roles that take turns: the items of a CTA come in rounds of
/// so many. The last round is a whole one, too. What is in it and not in the
/// result is outside all tensors: zeros are loaded, nothing is stored.
template <class Work, int turns_>
struct PingPong : Work {
  static constexpr int turns = turns_;

  static_assert(Work::slots == 0 && Work::turns == 1 && Work::groups == 1 &&
                    turns > 1,
                "drawloom: roles take turns on Static work, 2, 3, ... items in "
                "a round");
};

/// Items of a CTA that its roles take in turns.
template <int turns>
struct RoundOfItems {
  Item items[turns];

  template <int turn>
  __device__ Item get() const {
    static_assert(turn >= 0 && turn < turns,
                  "drawloom: a round has as many items as its work has turns, "
                  "the first one is 0");
    return items[turn];
  }
};

/// The items of a cluster in the order in which a role gets them. `Next` gives
/// the number after another; one that isn't below the count is the end.
template <class Tiles, class Next>
class Items {
public:
  struct End {};
  class Iterator {
  public:
    __device__ Iterator(const Tiles &tiles, Next &next, uint32_t first)
        : tiles(tiles), next(next), number(first) {}
    /// An item, or a round of them.
    __device__ auto operator*() const {
      markItem();
      record(Moment::Item, 0, number);
      if constexpr (Tiles::turns == 1) {
        return tiles.item(number);
      } else {
        RoundOfItems<Tiles::turns> round;
        uint32_t at = number;
        for (Item &item : round.items) {
          item = tiles.item(at);
          at = next(at);
        }
        return round;
      }
    }
    __device__ void operator++() {
      record(Moment::ItemEnd);
      number = next(number);
      for (int turn = 1; turn < Tiles::turns; ++turn)
        number = next(number);
    }
    __device__ bool operator!=(End) const { return number < tiles.count; }

  private:
    const Tiles &tiles;
    Next &next;
    uint32_t number;
  };

  __device__ Items(const Tiles &tiles, Next next, uint32_t first)
      : tiles(tiles), next(next), first(first) {}
  __device__ Iterator begin() { return {tiles, next, first}; }
  __device__ End end() const { return {}; }

private:
  const Tiles &tiles;
  Next next;
  const uint32_t first;
};

template <class Cluster>
struct NextByStride {
  __device__ uint32_t operator()(uint32_t number) const {
    return number + gridDim.x / Cluster::size;
  }
};

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_WORK_H
