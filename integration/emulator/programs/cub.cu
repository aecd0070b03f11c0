//===- cub.cu - CUB's sort, reduction and scan of a whole device ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against the standard library's, on numbers that all sums of are exact. It says
// `Passed`.
//
//===----------------------------------------------------------------------===//

#include "check.cuh"
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

/// Calls one of CUB's functions twice, as it asks for: for the size of its
/// workspace, and to do it.
template <class F>
static void withWorkspace(F call) {
  void *workspace = nullptr;
  size_t bytes = 0;
  CHECK(call(workspace, bytes));
  CHECK(cudaMalloc(&workspace, bytes));
  CHECK(call(workspace, bytes));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(workspace));
}

template <class T>
static T *upload(const std::vector<T> &values) {
  T *memory = nullptr;
  CHECK(cudaMalloc(&memory, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T),
                   cudaMemcpyHostToDevice));
  return memory;
}

template <class T>
static std::vector<T> download(const T *memory, size_t count) {
  std::vector<T> values(count);
  CHECK(cudaMemcpy(values.data(), memory, count * sizeof(T),
                   cudaMemcpyDeviceToHost));
  return values;
}

static void sort(const std::vector<int> &keys) {
  int count = int(keys.size());
  std::vector<int> places(count);
  std::iota(places.begin(), places.end(), 0);
  int *in = upload(keys), *from = upload(places);
  int *out = upload(keys), *to = upload(places);
  withWorkspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceRadixSort::SortPairs(workspace, bytes, in, out, from, to,
                                           count);
  });
  std::stable_sort(places.begin(), places.end(),
                   [&](int a, int b) { return keys[a] < keys[b]; });
  std::vector<int> sorted = keys;
  std::stable_sort(sorted.begin(), sorted.end());
  REQUIRE(download(out, count) == sorted);
  REQUIRE(download(to, count) == places);
  withWorkspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceRadixSort::SortKeysDescending(workspace, bytes, in, out,
                                                    count);
  });
  REQUIRE(download(out, count) ==
          std::vector<int>(sorted.rbegin(), sorted.rend()));
}

static void reduce(const std::vector<int> &values) {
  int count = int(values.size());
  std::vector<float> floats(values.begin(), values.end());
  float *in = upload(floats), *sum = upload(std::vector<float>(1));
  withWorkspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceReduce::Sum(workspace, bytes, in, sum, count);
  });
  REQUIRE(download(sum, 1)[0] ==
          std::accumulate(floats.begin(), floats.end(), 0.0f));
  int *whole = upload(values), *least = upload(std::vector<int>(1));
  withWorkspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceReduce::Min(workspace, bytes, whole, least, count);
  });
  REQUIRE(download(least, 1)[0] ==
          *std::min_element(values.begin(), values.end()));
}

static void scan(const std::vector<int> &values) {
  int count = int(values.size());
  int *in = upload(values), *out = upload(values);
  std::vector<int> sums(count);
  withWorkspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceScan::InclusiveSum(workspace, bytes, in, out, count);
  });
  std::partial_sum(values.begin(), values.end(), sums.begin());
  REQUIRE(download(out, count) == sums);
  withWorkspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceScan::ExclusiveSum(workspace, bytes, in, out, count);
  });
  std::rotate(sums.begin(), sums.end() - 1, sums.end());
  sums[0] = 0;
  REQUIRE(download(out, count) == sums);
}

int main() {
  // One tile, and several with a rest.
  for (int count : {100, 20011}) {
    unsigned seed = 7;
    std::vector<int> values(count);
    for (int &value : values) {
      seed = seed * 1664525 + 1013904223;
      value = int(seed >> 20) - 2048;
    }
    sort(values);
    for (int &value : values)
      value /= 64; // So that sums are exact in f32.
    reduce(values);
    scan(values);
  }
  std::puts("Passed");
}
