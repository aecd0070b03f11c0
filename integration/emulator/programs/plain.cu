//===- plain.cu - A CUDA program with the runtime API -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program of nvcc's commonly uses: variables, constants, streams,
// events, managed and pinned memory, dynamic shared memory above the default,
// clusters, a cooperative grid, a dependent launch, occupancy. It checks its own results and says `Passed`.
//
//===----------------------------------------------------------------------===//

#include "check.cuh"
#include <cooperative_groups.h>
#include <vector>

__constant__ float weights[4];
__device__ unsigned launches = 40;
__managed__ int total = 5;

template <class T>
__global__ void weigh(const T *in, T *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    ++launches;
  if (i < count)
    out[i] = in[i] * weights[i % 4];
}

// Reverses what a block holds, through shared memory.
__global__ void reverse(float *values) {
  extern __shared__ float staged[];
  float *mine = values + blockIdx.x * blockDim.x;
  staged[threadIdx.x] = mine[threadIdx.x];
  __syncthreads();
  mine[threadIdx.x] = staged[blockDim.x - 1 - threadIdx.x];
}

// Every block writes its rank to its neighbor's shared memory.
__global__ void meet(unsigned *out) {
  __shared__ unsigned box;
  auto cluster = cooperative_groups::this_cluster();
  unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  cluster.sync(); // The neighbor has started.
  if (threadIdx.x == 0)
    *cluster.map_shared_rank(&box, next) = cluster.block_rank();
  cluster.sync();
  if (threadIdx.x == 0)
    out[blockIdx.x] = box;
}

// Blocks of a cooperative grid wait for each other, twice.
__global__ void gather(unsigned *seen, unsigned *sums) {
  auto grid = cooperative_groups::this_grid();
  for (unsigned round = 0; round != 2; ++round) {
    seen[blockIdx.x] = blockIdx.x + 10 * round;
    grid.sync();
    unsigned sum = 0;
    for (unsigned i = 0; i != gridDim.x; ++i)
      sum += seen[i];
    sums[round * gridDim.x + blockIdx.x] = sum;
    grid.sync();
  }
}

__global__ void after(float *values, int count) {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] += 1;
}

// The host and the device see the same memory, at the same address.
__global__ void share(int *managed, int *pinned) {
  atomicAdd(&total, managed[threadIdx.x]);
  pinned[threadIdx.x] = 2 * managed[threadIdx.x];
}

int main() {
  constexpr int count = 500, block = 128, grid = (count + block - 1) / block;
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  std::printf("%s, %d SMs\n", properties.name, properties.multiProcessorCount);

  std::vector<float> in(grid * block), out(grid * block);
  for (int i = 0; i != int(in.size()); ++i)
    in[i] = float(i);
  const float scale[4] = {1, 2, 3, 4};
  CHECK(cudaMemcpyToSymbol(weights, scale, sizeof(scale)));
  float *a, *b;
  CHECK(cudaMalloc(&a, in.size() * sizeof(float)));
  CHECK(cudaMalloc(&b, in.size() * sizeof(float)));
  CHECK(cudaMemset(b, 0, in.size() * sizeof(float)));
  cudaStream_t stream;
  cudaEvent_t start, stop;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaMemcpyAsync(a, in.data(), in.size() * sizeof(float),
                        cudaMemcpyHostToDevice, stream));
  CHECK(cudaEventRecord(start, stream));
  weigh<float><<<grid, block, 0, stream>>>(a, b, count);
  CHECK(cudaGetLastError());

  // A launch that may begin before the one in front of it has ended.
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, after, b, count));

  // More shared memory than a kernel gets unasked.
  constexpr int bytes = 100 << 10;
  reverse<<<grid, block, bytes, stream>>>(b);
  REQUIRE(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(
      reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  reverse<<<grid, block, bytes, stream>>>(b);
  CHECK(cudaEventRecord(stop, stream));
  CHECK(cudaEventSynchronize(stop));
  float milliseconds;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK(cudaMemcpy(out.data(), b, out.size() * sizeof(float),
                   cudaMemcpyDeviceToHost));
  for (int i = 0; i != grid * block; ++i) {
    int from = i / block * block + block - 1 - i % block;
    float expected = from < count ? in[from] * scale[from % 4] + 1 : 0;
    REQUIRE(out[i] == expected);
  }
  unsigned seen;
  CHECK(cudaMemcpyFromSymbol(&seen, launches, sizeof(seen)));
  REQUIRE(seen == 41);

  // Clusters.
  unsigned *ranks, result[8];
  CHECK(cudaMalloc(&ranks, sizeof(result)));
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {4, 1, 1};
  config.gridDim = 8;
  config.blockDim = 32;
  CHECK(cudaLaunchKernelEx(&config, meet, ranks));
  CHECK(cudaMemcpy(result, ranks, sizeof(result), cudaMemcpyDeviceToHost));
  for (int i = 0; i != 8; ++i)
    REQUIRE(result[i] == unsigned(i + 3) % 4);

  unsigned *sums;
  CHECK(cudaMallocManaged(&sums, 8 * sizeof(unsigned)));
  void *arguments[] = {&ranks, &sums};
  CHECK(cudaLaunchCooperativeKernel(gather, 4, 32, arguments, 0, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i != 8; ++i)
    REQUIRE(sums[i] == (i < 4 ? 6 : 46));

  int *managed, *pinned;
  CHECK(cudaMallocManaged(&managed, 32 * sizeof(int)));
  CHECK(cudaMallocHost(&pinned, 32 * sizeof(int)));
  for (int i = 0; i != 32; ++i)
    managed[i] = i;
  total += 1;
  share<<<1, 32>>>(managed, pinned);
  CHECK(cudaDeviceSynchronize());
  REQUIRE(total == 6 + 31 * 16);
  for (int i = 0; i != 32; ++i)
    REQUIRE(pinned[i] == 2 * i);
  CHECK(cudaFree(managed));
  CHECK(cudaFreeHost(pinned));

  // Occupancy, and what is refused.
  int blocks, size;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, weigh<float>,
                                                      block, 0));
  REQUIRE(blocks > 0);
  CHECK(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, weigh<float>));
  REQUIRE(size % 32 == 0);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) ==
          cudaErrorNotSupported);
  REQUIRE(cudaGetLastError() == cudaErrorNotSupported);
  weigh<float><<<grid, 2048>>>(a, b, count);
  REQUIRE(cudaGetLastError() == cudaErrorInvalidConfiguration);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(a));
  CHECK(cudaDeviceSynchronize());
  std::printf("Passed\n");
  return 0;
}
