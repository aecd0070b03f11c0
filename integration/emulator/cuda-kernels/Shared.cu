//===- Shared.cu - Shared memory, barriers and clusters -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

/// A tile of 32 by 32 words, without bank conflicts.
extern "C" __global__ void transpose(const uint32_t *in, uint32_t *out,
                                     unsigned rows, unsigned columns) {
  __shared__ uint32_t tile[32][33];
  unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (unsigned i = 0; i != 32; i += blockDim.y)
    if (x < columns && y + i < rows)
      tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * columns + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (unsigned i = 0; i != 32; i += blockDim.y)
    if (x < rows && y + i < columns)
      out[(y + i) * rows + x] = tile[threadIdx.x][threadIdx.y + i];
}

/// Sums of all elements in front of each one, in dynamic shared memory.
extern "C" __global__ void scan(const uint32_t *in, uint32_t *out) {
  extern __shared__ uint32_t values[];
  unsigned count = 2 * blockDim.x, thread = threadIdx.x, distance = 1;
  const uint32_t *from = in + blockIdx.x * count;
  uint32_t *to = out + blockIdx.x * count;
  values[2 * thread] = from[2 * thread];
  values[2 * thread + 1] = from[2 * thread + 1];
  for (unsigned active = count / 2; active > 0; active /= 2, distance *= 2) {
    __syncthreads();
    if (thread < active)
      values[distance * (2 * thread + 2) - 1] +=
          values[distance * (2 * thread + 1) - 1];
  }
  if (thread == 0)
    values[count - 1] = 0;
  for (unsigned active = 1; active < count; active *= 2) {
    distance /= 2;
    __syncthreads();
    if (thread < active) {
      unsigned a = distance * (2 * thread + 1) - 1,
               b = distance * (2 * thread + 2) - 1;
      uint32_t old = values[a];
      values[a] = values[b];
      values[b] += old;
    }
  }
  __syncthreads();
  to[2 * thread] = values[2 * thread];
  to[2 * thread + 1] = values[2 * thread + 1];
}

/// Each CTA reads what its neighbor in the cluster wrote.
extern "C" __global__ void __cluster_dims__(4)
    neighbors(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t mine[128];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  mine[threadIdx.x] = in[index];
  cluster.sync();
  unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  const uint32_t *theirs = cluster.map_shared_rank(mine, next);
  uint32_t value = theirs[blockDim.x - 1 - threadIdx.x];
  cluster.sync(); // An atomic races with a plain read.
  atomicAdd(cluster.map_shared_rank(&mine[0], 0), 0);
  cluster.sync();
  out[index] = value + __syncthreads_count(value & 1);
}
