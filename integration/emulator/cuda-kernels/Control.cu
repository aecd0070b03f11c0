//===- Control.cu - Calls, recursion, divergence --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cassert>
#include <cstdint>
#include <cstdio>

__device__ __noinline__ uint32_t ackermann(uint32_t m, uint32_t n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ uint32_t twice(uint32_t x) { return 2 * x; }
__device__ __noinline__ uint32_t square(uint32_t x) { return x * x; }
__device__ __noinline__ uint32_t collatz(uint32_t x) {
  uint32_t steps = 0;
  for (x |= 1; x != 1; ++steps)
    x = x % 2 ? 3 * x + 1 : x / 2;
  return steps;
}

using Function = uint32_t (*)(uint32_t);
__device__ Function table[] = {twice, square, collatz};

struct Shape {
  __device__ virtual uint32_t area() const = 0;
};
struct Rectangle : Shape {
  uint32_t width, height;
  __device__ Rectangle(uint32_t w, uint32_t h) : width(w), height(h) {}
  __device__ uint32_t area() const override { return width * height; }
};
struct Square : Shape {
  uint32_t side;
  __device__ explicit Square(uint32_t s) : side(s) {}
  __device__ uint32_t area() const override { return side * side + 1; }
};

__device__ __noinline__ uint32_t areaOf(const Shape &shape) {
  return shape.area();
}

extern "C" __global__ void calls(const uint32_t *in, uint32_t *out) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t a = in[index];
  uint32_t *row = out + 6 * index;
  row[0] = ackermann(a % 3, a % 5);
  row[1] = table[a % 3](a % 1000);
  Rectangle rectangle(a % 10, a % 7);
  Square square(a % 9);
  row[2] = areaOf(a % 2 ? static_cast<const Shape &>(rectangle) : square);
  switch (a % 8) {
  case 0:
    row[3] = a + 1;
    break;
  case 1:
    row[3] = a * 3;
    break;
  case 2:
    row[3] = a ^ 0x1234;
    break;
  case 3:
    row[3] = a >> 3;
    break;
  case 4:
    row[3] = ~a;
    break;
  case 5:
    row[3] = a - 77;
    break;
  case 6:
    row[3] = a << 5;
    break;
  default:
    row[3] = 8;
    break;
  }
  // Lanes leave two nested loops at different times, some of them early.
  uint32_t count = 0;
  for (uint32_t i = 0; i != a % 13; ++i) {
    for (uint32_t j = i; j < 10; ++j) {
      if ((i + j + a) % 11 == 0)
        break;
      if (j == 7)
        continue;
      ++count;
    }
    if (count > 40)
      goto out;
  }
  count += 100;
out:
  row[4] = count;
  // An array that is indexed by a value lives in local memory.
  uint32_t digits[10] = {};
  for (uint32_t x = a; x; x /= 10)
    ++digits[x % 10];
  row[5] = digits[a % 10] * 16 + digits[(a >> 8) % 10];
}

extern "C" __global__ void prints(int number, double real) {
  if (threadIdx.x < 2)
    printf("thread %u: %d %s %.3f %c %lld%%\n", threadIdx.x, number, "words",
           real, 'x', (long long)number << 33);
}

extern "C" __global__ void asserts(uint32_t bound) {
  assert(threadIdx.x < bound && "too many threads");
}
