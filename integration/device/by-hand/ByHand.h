//===- ByHand.h - What the kernels by hand have in common -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles, tensor maps and products are the library's. Nothing here knows of
// roles, pipes or slots.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_BY_HAND_H
#define DRAWLOOM_DEVICE_BY_HAND_H

#include "Files.h"
#include "drawloom/device/Launch.h"

using namespace drawloom::device;
using bf16 = __nv_bfloat16;
using A = Tile<bf16, 128, 64>;
using D = Tile<bf16, 128, 64>;
#ifdef BOX_OF_B // rows of B that a CTA loads, where it isn't all
using LoadedA = Tile<bf16, BOX_OF_A, 64>;
using B = Tile<bf16, BOX_OF_B, 64>;
#else
using LoadedA = A;
using B = Tile<bf16, 256, 64>;
#endif

struct Arguments {
  Map<LoadedA> a;
  Map<B> b;
  Map<D> d;
  Problem problem;
};
__global__ void gemm(const __grid_constant__ Arguments);

/// A place in shared memory.
template <class Type>
__device__ inline Type *at(int offset) {
  extern __shared__ __align__(1024) unsigned char memory[];
  return reinterpret_cast<Type *>(memory + offset);
}

/// The same address, which a compiler can't put together from its parts: it
/// would do so for every copy.
__device__ inline const void *hide(const void *address) {
  const void *result;
  asm("mov.b64 %0, %1;" : "=l"(result) : "l"(address));
  return result;
}

__device__ inline void await(uint64_t *barrier, uint32_t parity) {
  while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
  }
}

template <int count>
__device__ inline void next(uint32_t &slot, uint32_t &phase) {
  if (++slot < count)
    return;
  slot = 0;
  phase ^= 1;
}

/// Eight accumulators as bf16.
static __device__ uint4 round(const float *accumulators) {
  uint4 values;
  auto *pairs = reinterpret_cast<__nv_bfloat162 *>(&values);
  for (int i = 0; i < 4; ++i)
    pairs[i] =
        __floats2bfloat162_rn(accumulators[2 * i], accumulators[2 * i + 1]);
  return values;
}

struct Launch {
  int ctas, threads, sharedBytes, cluster = 1;
};

/// M N K a.bin b.bin d.bin; `plan` gives the launch for a problem and a number
/// of multiprocessors.
template <class Plan>
int runGemm(int argc, char **argv, Plan plan) {
  if (argc != 7)
    return std::fprintf(stderr, "M N K a.bin b.bin d.bin\n"), 1;
  Problem problem{std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3])};
  auto [m, n, k] = problem;
  bf16 *a = readTensor<bf16>(argv[4], size_t(m) * k);
  bf16 *b = readTensor<bf16>(argv[5], size_t(n) * k);
  bf16 *d;
  check(cudaMalloc(&d, sizeof(bf16) * m * n));
  Arguments arguments{.problem = problem};
  check(describe(arguments.a, a, m, k));
  check(describe(arguments.b, b, n, k));
  check(describe(arguments.d, d, m, n));
  int multiprocessors;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount,
                               0));
  Launch launch = plan(problem, multiprocessors);
  check(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             launch.sharedBytes));
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(launch.ctas);
  config.blockDim = dim3(launch.threads);
  config.dynamicSmemBytes = launch.sharedBytes;
  cudaLaunchAttribute attribute{.id = cudaLaunchAttributeClusterDimension};
  attribute.val.clusterDim = {unsigned(launch.cluster), 1, 1};
  config.attrs = &attribute;
  config.numAttrs = launch.cluster > 1;
  check(cudaLaunchKernelEx(&config, gemm, arguments));
  check(cudaDeviceSynchronize());
  writeTensor(argv[6], d, size_t(m) * n);
  return 0;
}

#endif // DRAWLOOM_DEVICE_BY_HAND_H
