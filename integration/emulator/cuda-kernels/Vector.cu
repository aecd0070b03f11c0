//===- Vector.cu - Vectors, structures and constants ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdint>

struct Parameters {
  uint32_t scale[5];
  uint64_t offset;
  uint8_t shift;
};

__constant__ uint32_t primes[16] = {2,  3,  5,  7,  11, 13, 17, 19,
                                    23, 29, 31, 37, 41, 43, 47, 53};
__device__ uint64_t visits = 5;
__device__ uint8_t packed[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

extern "C" __global__ void
vectors(const uint4 *in, uint4 *out,
        const __grid_constant__ Parameters parameters) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 a = in[index];
  uchar4 bytes = reinterpret_cast<const uchar4 *>(in)[4 * index + 1];
  ushort2 shorts = reinterpret_cast<const ushort2 *>(in)[4 * index + 2];
  ulonglong2 longs = reinterpret_cast<const ulonglong2 *>(in)[index];
  unsigned __int128 wide =
      *reinterpret_cast<const unsigned __int128 *>(in + index);
  uint4 b;
  b.x = a.x * parameters.scale[a.y % 5] + bytes.x + 256 * bytes.w;
  b.y = uint32_t(longs.x >> parameters.shift) + shorts.x * shorts.y;
  b.z = uint32_t((wide >> 60) + parameters.offset) + primes[a.z % 16];
  b.w = uint32_t(longs.y >> 32) ^ packed[a.w % 9];
  out[index] = b;
  if (index == 0)
    visits += gridDim.x;
}
