// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: reader and writer of a sequence lock touch the payload by weak accesses; the reader throws torn values away
// fix: relaxed accesses
// isa: 8.7.1 a weak access is never morally strong: reading while the writer stores is a data race, whatever the
//      sequence number says afterwards
#include "../common.h"

DEVICE u32 get(const u32 *p) { return FIXED ? gpu::relaxed(p) : gpu::weak(p); }
DEVICE void put(u32 *p, u32 v) {
  if (FIXED)
    gpu::relaxed(p, v);
  else
    gpu::weak(p, v);
}
DEVICE void update(u32 *sequence, u32 *payload, u32 n) {
  gpu::relaxed(sequence, 2 * n - 1);
  gpu::fence();
  put(payload, 7 * n);
  put(payload + 1, ~(7 * n));
  gpu::release(sequence, 2 * n);
}

// The second update waits until the reader has begun, so the two always meet.
__global__ void seqlock(u32 *sequence, u32 *payload, u32 *begun, u32 *y) {
  if (blockIdx.x == 0) {
    update(sequence, payload, 1);
    while (gpu::relaxed(begun) == 0) {
    }
    update(sequence, payload, 2);
    return;
  }
  for (;;) {
    u32 seen = gpu::acquire(sequence);
    if (seen == 0 || seen % 2)
      continue;
    gpu::relaxed(begun, 1);
    u32 a = get(payload), b = get(payload + 1);
    gpu::fence();
    if (gpu::relaxed(sequence) == seen) {
      *y = a == ~b;
      return;
    }
  }
}

int main() {
  u32 *sequence = zeros(1), *payload = zeros(2), *begun = zeros(1), *y = zeros(1);
  seqlock<<<2, 1>>>(sequence, payload, begun, y);
  return expect(y, 1, [](size_t) { return 1; });
}
