// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: one block looks keys up while another one still inserts them, with no fence anywhere
// isa: 8.10.3 key and value are one 64-bit word; relaxed accesses at gpu scope are morally strong and single-copy atomic
#include "../common.h"

constexpr u32 slots = 128;

__global__ void table(const u32 *x, unsigned long long *words, u32 *y) {
  u32 t = threadIdx.x, key = x[t], i = key * 2654435761u % slots;
  if (blockIdx.x == 0) {
    unsigned long long word = u64(key) << 32 | (t + 1);
    while (atomicCAS(words + i, 0ull, word) != 0)
      i = (i + 1) % slots;
    return;
  }
  for (;;) {
    u64 word = gpu::relaxed(reinterpret_cast<u64 *>(words + i));
    if (word >> 32 == key) {
      y[t] = u32(word);
      return;
    }
    if (word != 0)
      i = (i + 1) % slots;
  }
}

int main() {
  u32 *x = items(64), *y = zeros(64);
  auto *words = zeros<unsigned long long>(slots);
  table<<<2, 64>>>(x, words, y);
  return expect(y, 64, [](size_t i) { return i + 1; });
}
