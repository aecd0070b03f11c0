//===- errors.cu - Mistakes that are reported to a program ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `errors index N` reads element N of a local array of eight; `errors threads N`
// launches a block of N threads. It prints what CUDA returns.
//
//===----------------------------------------------------------------------===//

#include "check.cuh"
#include <cstring>

__global__ void index(int *out, int at) {
  int values[8];
  for (int i = 0; i != 8; ++i)
    values[i] = out[i];
  out[0] = values[at];
}

int main(int, char **arguments) {
  int number = std::atoi(arguments[2]), *out = nullptr;
  CHECK(cudaMalloc(&out, 8 * sizeof(int)));
  CHECK(cudaMemset(out, 0, 8 * sizeof(int)));
  if (!std::strcmp(arguments[1], "index"))
    index<<<1, 1>>>(out, number);
  else
    index<<<1, number>>>(out, 0);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::puts("Passed");
}
