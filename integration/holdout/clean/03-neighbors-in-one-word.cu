// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: four warps store one byte each of the same words, in shared and in global memory, with nothing between them
// isa: 8.2.1, 8.7.1 the bytes do not overlap, so the stores do not conflict
#include "../common.h"

__global__ void bytes(const u32 *x, u32 *words, u32 *y) {
  __shared__ u32 tile[32];
  u32 l = lane(), w = warp();
  reinterpret_cast<u8 *>(tile)[4 * l + w] = x[w * 32 + l];
  reinterpret_cast<u8 *>(words)[4 * l + w] = x[w * 32 + l] + 1;
  __syncthreads();
  if (w == 0)
    y[l] = tile[l];
}

int main() {
  u32 *x = items(128), *words = zeros(32), *y = zeros(64);
  bytes<<<1, 128>>>(x, words, y);
  CUDA(cudaMemcpy(y + 32, words, 128, cudaMemcpyDeviceToDevice));
  return expect(y, 64, [](size_t i) {
    u32 word = 0;
    for (u32 w = 0; w < 4; ++w)
      word |= ((item(w * 32 + i % 32) + i / 32) & 0xff) << 8 * w;
    return word;
  });
}
