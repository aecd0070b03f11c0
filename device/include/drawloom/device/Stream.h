//===- Stream.h - Items that end where a CTA's share of all steps does ----===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of all tiles in a row, cut in equal shares, one for each cluster:
//
//   tiles      |   0   |   1   |   2   |   3   |   4   |
//   clusters   |    0     |     1     |     2    | ...
//
// The cluster with the first step of a tile finishes it. The others' parts of
// it are the first items of their shares. They leave their accumulators in a
// workspace and raise flags, and wait for no other cluster; so the one that
// finishes waits, at the end of its own share, for CTAs that run and come to it
// first.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_STREAM_H
#define DRAWLOOM_DEVICE_STREAM_H

#include "drawloom/device/Work.h"
#include <cuda_runtime.h>

namespace drawloom::device {

/// Static work by steps instead of tiles: all clusters have as many, give or
/// take one.
template <class Work>
struct StreamK : Work {
  static constexpr bool isStreamed = true;

  static_assert(Work::slots == 0 && Work::parts == 1 && Work::turns == 1 &&
                    Work::groups == 1 && !Work::isStreamed,
                "drawloom: stream K is of Static work: shares are cut before "
                "it begins");
};

/// Parts of accumulators, 128 x n for each CTA, and how many columns of them
/// each of its four warps has written.
struct StreamMemory {
  float *parts;
  uint32_t *flags;
};

struct StreamProblem {
  int m, n, k;
  /// From `allocateStream`.
  StreamMemory memory{};

  bool isPossible() const { return m > 0 && n > 0 && k > 0 && memory.parts; }
};

/// A tile, or a part of its sum. That of a part has no row in the result: what
/// is stored of it is outside.
struct StreamItem {
  int row, column, steps, first, rowOfA;
  /// CTAs after this one have parts of the tile: each that is so far from the
  /// one before it, up to the last.
  uint32_t stride, last;
  StreamMemory memory;

  __device__ Steps k() const { return Steps(steps); }
  __device__ int getRowOfA() const { return rowOfA; }
  __device__ int getRowOfB() const { return column; }
  __device__ bool isPart() const { return first > 0; }
  /// Only instantiated where a kernel converts an item.
  template <class Other>
  __device__ operator Other() const {
    static_assert(sizeof(Other) == 0, "drawloom: an item of stream K is a "
                                      "StreamItem, which may be a part");
    return {};
  }

  /// Leaves columns of a part for who finishes it, or adds those of all others
  /// to one's own. `values` are those of a row.
  template <int n, int count>
  __device__ void fixUp(int row, int at, float (&values)[count]) const {
    uint32_t warp = row / 32, done = at + count;
    if (isPart()) {
      float *part = find<n>(blockIdx.x, row, at);
#pragma unroll
      for (int i = 0; i < count; ++i)
        part[i * 128] = values[i];
      __syncwarp();
      // One lane does it, without a branch.
      asm volatile("{\n\t.reg .pred first;\n\tsetp.eq.u32 first, %2, 0;\n\t"
                   "@first st.release.gpu.global.u32 [%0], %1;\n\t}" ::"l"(
                       memory.flags + blockIdx.x * 4 + warp),
                   "r"(done), "r"(row % 32)
                   : "memory");
      return;
    }
    for (uint32_t cta = blockIdx.x + stride; cta <= last; cta += stride) {
      uint32_t written;
      // All lanes go on together, after what the first one has seen.
      do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                     : "=r"(written)
                     : "l"(memory.flags + cta * 4 + warp)
                     : "memory");
        written = __shfl_sync(~0u, written, 0);
      } while (written < done);
      __syncwarp();
      const float *part = find<n>(cta, row, at);
#pragma unroll
      for (int i = 0; i < count; ++i)
        values[i] += part[i * 128];
    }
  }

private:
  template <int n>
  __device__ float *find(uint32_t cta, int row, int column) const {
    return memory.parts + (size_t(cta) * n + column) * 128 + row;
  }
};

/// The items of a cluster's share. They are numbered by their first steps.
template <class Cluster, class Work>
class StreamTiles {
  static constexpr int itemM = Work::m * Cluster::rows;
  static constexpr int itemN = Work::n * Cluster::columns;

public:
  using Problem = StreamProblem;
  using Given = const Problem &;

  __device__ explicit StreamTiles(Given problem)
      : first(findShare(problem, blockIdx.x / Cluster::size)),
        count(findShare(problem, blockIdx.x / Cluster::size + 1)),
        steps(ceilDivide(problem.k, Work::k)), problem(problem) {}

  /// Steps: a cluster may have as few as one.
  static __host__ __device__ int countItems(const Problem &problem) {
    return ceilDivide(problem.m, itemM) * ceilDivide(problem.n, itemN) *
           ceilDivide(problem.k, Work::k);
  }
  __device__ StreamItem item(uint32_t number) const {
    uint32_t tile = number / steps, begin = number % steps;
    uint32_t end = (tile + 1) * steps, rank = Cluster::getRank();
    uint32_t columns = ceilDivide(problem.n, itemN);
    int row = tile / columns * itemM + Cluster::getRow(rank) * Work::m;
    int column = tile % columns * itemN + Cluster::getColumn(rank) * Work::n;
    // Whose share has the last step of the tile.
    uint32_t clusters = gridDim.x / Cluster::size;
    uint32_t last = (uint64_t(end) * clusters - 1) / countItems(problem);
    return {.row = begin ? problem.m : row,
            .column = column,
            .steps = int(after(number) - number),
            .first = int(begin),
            .rowOfA = row,
            .stride = Cluster::size,
            .last = last * Cluster::size + rank,
            .memory = problem.memory};
  }
  /// The first step of the item after one.
  __device__ uint32_t after(uint32_t number) const {
    uint32_t end = (number / steps + 1) * steps;
    return end < count ? end : count;
  }

  static constexpr int turns = 1;
  const uint32_t first, count;

private:
  /// Where the share of a cluster begins.
  static __device__ uint32_t findShare(Given problem, uint32_t cluster) {
    return uint64_t(countItems(problem)) * cluster /
           (gridDim.x / Cluster::size);
  }

  const uint32_t steps;
  Given problem;
};

template <class Tiles>
struct NextInShare {
  const Tiles &tiles;
  __device__ uint32_t operator()(uint32_t number) const {
    return tiles.after(number);
  }
};

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_STREAM_H
