//===- heap.cu - new and delete in kernels ----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists that one kernel makes and another one walks and deletes; an array with a
// constructor; a heap that is too small. It says `Passed`.
//
//===----------------------------------------------------------------------===//

#include "check.cuh"
#include <vector>

struct Node {
  __device__ Node(int value, Node *next) : value(value), next(next) {}
  int value;
  Node *next;
};

struct Seven {
  __device__ Seven() : value(7) {}
  int value;
};

// Thread i has the list i, ..., 1.
__global__ void make(Node **lists) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Node *list = nullptr;
  for (int value = 1; value <= i; ++value)
    list = new Node(value, list);
  lists[i] = list;
}

__global__ void take(Node **lists, int *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (Node *node = lists[i]; node;) {
    sum += node->value;
    Node *next = node->next;
    delete node;
    node = next;
  }
  sums[i] = sum;
}

__global__ void array(int *sums, int count) {
  Seven *sevens = new Seven[count];
  int sum = 0;
  for (int i = 0; i != count; ++i)
    sum += sevens[i].value;
  delete[] sevens;
  sums[threadIdx.x] = sum;
}

__global__ void exhaust(int *got) {
  void *block = malloc(1 << 20);
  if (block)
    atomicAdd(got, 1);
}

int main() {
  const int count = 128;
  Node **lists = nullptr;
  int *sums = nullptr;
  std::vector<int> results(count);
  CHECK(cudaMalloc(&lists, count * sizeof(*lists)));
  CHECK(cudaMalloc(&sums, count * sizeof(int)));
  make<<<2, count / 2>>>(lists);
  take<<<2, count / 2>>>(lists, sums);
  CHECK(cudaMemcpy(results.data(), sums, count * sizeof(int),
                   cudaMemcpyDeviceToHost));
  for (int i = 0; i != count; ++i)
    REQUIRE(results[i] == i * (i + 1) / 2);

  array<<<1, 32>>>(sums, 5);
  CHECK(cudaMemcpy(results.data(), sums, 32 * sizeof(int),
                   cudaMemcpyDeviceToHost));
  for (int i = 0; i != 32; ++i)
    REQUIRE(results[i] == 35);

  size_t limit = 0;
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  REQUIRE(limit == size_t(8) << 20);
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 4 << 20));
  CHECK(cudaMemset(sums, 0, sizeof(int)));
  exhaust<<<1, 32>>>(sums);
  CHECK(cudaMemcpy(results.data(), sums, sizeof(int), cudaMemcpyDeviceToHost));
  REQUIRE(results[0] > 0 && results[0] <= 4);
  std::puts("Passed");
}
