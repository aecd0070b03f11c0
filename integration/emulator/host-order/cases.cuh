//===- cases.cuh - Programs about the order of streams and the host ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case is the main function of a small program. What it is given is the rule
// that has to find it, or "right". Without an argument, an executable lists its
// cases; with the name of one, it runs that.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_INTEGRATION_CASES_CUH
#define DRAWLOOM_INTEGRATION_CASES_CUH

#include "check.cuh"
#include <cstring>
#include <vector>

struct Case {
  const char *name, *verdict;
  void (*run)();
  static std::vector<Case> &all() {
    static std::vector<Case> cases;
    return cases;
  }
};
struct CaseAdder {
  CaseAdder(const char *name, const char *verdict, void (*run)()) {
    Case::all().push_back({name, verdict, run});
  }
};
#define CASE(name, verdict)                                                    \
  static void name();                                                          \
  static CaseAdder name##Added(#name, verdict, name);                          \
  static void name()

constexpr int count = 1024, bytes = count * sizeof(int);

template <typename T> __global__ void zero(T *x, size_t n) {
  for (size_t i = threadIdx.x; i < n; i += blockDim.x)
    x[i] = 0;
}
__global__ void fill(int *x, int value) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    x[i] = value + i;
}
__global__ void add(const int *x, int *y, int n = count) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[i] += x[i];
}
__global__ void copy(const int *x, int *y) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    y[i] = x[i];
}

template <typename T = int> T *device(size_t size = bytes) {
  T *memory;
  CHECK(cudaMalloc(&memory, size));
  zero<<<1, 128>>>(memory, size / sizeof(T));
  CHECK(cudaDeviceSynchronize());
  return memory;
}
inline int *pinned(size_t size = bytes) {
  int *memory;
  CHECK(cudaMallocHost(&memory, size));
  memset(memory, 0, size);
  return memory;
}
inline int *managed(size_t size = bytes) {
  int *memory;
  CHECK(cudaMallocManaged(&memory, size));
  memset(memory, 0, size);
  return memory;
}
inline cudaStream_t stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t made;
  CHECK(cudaStreamCreateWithFlags(&made, flags));
  return made;
}
inline cudaEvent_t event() {
  cudaEvent_t made;
  CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
  return made;
}
/// `second` waits for what is in `first`.
inline void order(cudaStream_t first, cudaStream_t second) {
  cudaEvent_t made = event();
  CHECK(cudaEventRecord(made, first));
  CHECK(cudaStreamWaitEvent(second, made));
  CHECK(cudaEventDestroy(made));
}
/// Waits for everything, and looks at memory of the device.
inline void require(const int *memory, int first) {
  CHECK(cudaDeviceSynchronize());
  std::vector<int> host(count);
  CHECK(cudaMemcpy(host.data(), memory, bytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i != count; ++i)
    REQUIRE(host[i] == first + i);
}

int main(int argumentCount, char **arguments) {
  for (const Case &one : Case::all())
    if (argumentCount == 1) {
      std::printf("%s %s\n", one.name, one.verdict);
    } else if (!std::strcmp(one.name, arguments[1])) {
      one.run();
      std::puts("Passed");
      return 0;
    }
  return argumentCount != 1;
}

#endif // DRAWLOOM_INTEGRATION_CASES_CUH
