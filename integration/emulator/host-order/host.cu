//===- host.cu - Order between streams and the host ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cases.cuh"
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unistd.h>

CASE(pinned_overwritten, "host-order") {
  int *h = pinned(), *x = device();
  CHECK(cudaMemcpyAsync(x, h, bytes, cudaMemcpyHostToDevice, stream()));
  h[100] = 1;
  CHECK(cudaDeviceSynchronize());
}
CASE(pinned_overwritten_later, "right") {
  int *h = pinned(), *x = device();
  cudaStream_t a = stream();
  for (int round = 1; round != 4; ++round) {
    for (int i = 0; i != count; ++i)
      h[i] = round + i;
    CHECK(cudaMemcpyAsync(x, h, bytes, cudaMemcpyHostToDevice, a));
    CHECK(cudaStreamSynchronize(a));
  }
  require(x, 3);
}
// A few bytes inside a page.
CASE(pinned_part_overwritten, "host-order") {
  int *h = pinned(), *x = device();
  CHECK(cudaMemcpyAsync(x, h + 10, 64, cudaMemcpyHostToDevice, stream()));
  h[12] = 1;
  CHECK(cudaDeviceSynchronize());
}
CASE(pinned_other_part_overwritten, "right") {
  int *h = pinned(), *x = device();
  CHECK(cudaMemcpyAsync(x, h + 10, 64, cudaMemcpyHostToDevice, stream()));
  h[9] = h[26] = 1;
  CHECK(cudaDeviceSynchronize());
}
CASE(pinned_read_early, "host-order") {
  int *h = pinned(), *x = device();
  cudaStream_t a = stream();
  fill<<<1, 128, 0, a>>>(x, 1);
  CHECK(cudaMemcpyAsync(h, x, bytes, cudaMemcpyDeviceToHost, a));
  std::printf("%d\n", h[3]);
  CHECK(cudaDeviceSynchronize());
}
CASE(pinned_read_after_another_stream, "host-order") {
  int *h = pinned(), *x = device();
  cudaStream_t a = stream(), b = stream();
  CHECK(cudaMemcpyAsync(h, x, bytes, cudaMemcpyDeviceToHost, a));
  CHECK(cudaStreamSynchronize(b));
  std::printf("%d\n", h[3]);
  CHECK(cudaDeviceSynchronize());
}
CASE(pinned_read_after_an_earlier_event, "host-order") {
  int *h = pinned(), *x = device();
  cudaStream_t a = stream();
  cudaEvent_t e = event();
  fill<<<1, 128, 0, a>>>(x, 1);
  CHECK(cudaEventRecord(e, a));
  CHECK(cudaMemcpyAsync(h, x, bytes, cudaMemcpyDeviceToHost, a));
  CHECK(cudaEventSynchronize(e));
  std::printf("%d\n", h[3]);
  CHECK(cudaDeviceSynchronize());
}
CASE(pinned_read_after_its_event, "right") {
  int *h = pinned(), *x = device();
  cudaStream_t a = stream();
  cudaEvent_t e = event();
  fill<<<1, 128, 0, a>>>(x, 1);
  CHECK(cudaMemcpyAsync(h, x, bytes, cudaMemcpyDeviceToHost, a));
  CHECK(cudaEventRecord(e, a));
  CHECK(cudaEventSynchronize(e));
  REQUIRE(h[3] == 4);
}
CASE(polled_event, "right") {
  int *h = pinned(), *x = device();
  cudaStream_t a = stream();
  cudaEvent_t e = event();
  fill<<<1, 128, 0, a>>>(x, 1);
  CHECK(cudaMemcpyAsync(h, x, bytes, cudaMemcpyDeviceToHost, a));
  CHECK(cudaEventRecord(e, a));
  while (cudaEventQuery(e) == cudaErrorNotReady)
    ;
  REQUIRE(h[3] == 4);
}
CASE(polled_stream, "right") {
  int *h = pinned(), *x = device();
  cudaStream_t a = stream();
  fill<<<1, 128, 0, a>>>(x, 1);
  CHECK(cudaMemcpyAsync(h, x, bytes, cudaMemcpyDeviceToHost, a));
  while (cudaStreamQuery(a) == cudaErrorNotReady)
    ;
  REQUIRE(h[3] == 4);
}
// Copies from pinned to pinned memory are synchronous, whatever their name.
CASE(copy_on_the_host, "right") {
  int *g = pinned(), *h = pinned();
  fill<<<1, 128>>>(g, 1);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyAsync(h, g, bytes, cudaMemcpyHostToHost, stream()));
  REQUIRE(h[3] == 4);
  g[3] = 5;
}
CASE(pageable_memory, "right") {
  std::vector<int> g(count, 1), h(count);
  int *x = device();
  cudaStream_t a = stream();
  CHECK(cudaMemcpyAsync(x, g.data(), bytes, cudaMemcpyHostToDevice, a));
  g[3] = 5; // It is staged.
  CHECK(cudaMemcpyAsync(h.data(), x, bytes, cudaMemcpyDeviceToHost, a));
  REQUIRE(h[3] == 1);
}
// System calls don't raise SIGSEGV, and mustn't fail.
CASE(file_into_the_other_half, "right") {
  int *h = pinned(2 * bytes), *x = device();
  int ends[2];
  REQUIRE(pipe(ends) == 0 && write(ends[1], "abcd", 4) == 4);
  CHECK(cudaMemcpyAsync(x, h, bytes - 400, cudaMemcpyHostToDevice, stream()));
  REQUIRE(read(ends[0], h + count - 100, 4) == 4);
  CHECK(cudaDeviceSynchronize());
  REQUIRE(!memcmp(h + count - 100, "abcd", 4));
}

CASE(registered_overwritten, "host-order") {
  std::vector<int> h(count);
  int *x = device();
  CHECK(cudaHostRegister(h.data(), bytes, cudaHostRegisterDefault));
  CHECK(cudaMemcpyAsync(x, h.data(), bytes, cudaMemcpyHostToDevice, stream()));
  h[100] = 1;
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaHostUnregister(h.data()));
}
// A copy to it, too, is over when the host has waited for it.
CASE(registered_overwritten_by_both, "host-order") {
  std::vector<int> h(count);
  int *x = device();
  CHECK(cudaHostRegister(h.data(), bytes, cudaHostRegisterDefault));
  CHECK(cudaMemcpyAsync(h.data(), x, bytes, cudaMemcpyDeviceToHost, stream()));
  h[100] = 1;
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaHostUnregister(h.data()));
}
CASE(registered_overwritten_later, "right") {
  std::vector<int> h(count);
  int *x = device();
  cudaStream_t a = stream();
  CHECK(cudaHostRegister(h.data(), bytes, cudaHostRegisterDefault));
  CHECK(cudaMemcpyAsync(x, h.data(), bytes, cudaMemcpyHostToDevice, a));
  // In the order of the stream, too.
  CHECK(cudaMemcpyAsync(h.data(), x, bytes, cudaMemcpyDeviceToHost, a));
  CHECK(cudaStreamSynchronize(a));
  h[100] = 1;
  CHECK(cudaHostUnregister(h.data()));
}

CASE(managed_read_early, "host-order") {
  int *m = managed();
  fill<<<1, 128>>>(m, 1);
  std::printf("%d\n", m[3]);
  CHECK(cudaDeviceSynchronize());
}
CASE(managed_written_early, "host-order") {
  int *m = managed(), *x = device();
  copy<<<1, 128>>>(m, x);
  m[3] = 5;
  CHECK(cudaDeviceSynchronize());
}
CASE(managed_both_read, "right") {
  int *m = managed(), *x = device();
  for (int i = 0; i != count; ++i)
    m[i] = 1 + i;
  copy<<<1, 128>>>(m, x);
  REQUIRE(m[3] == 4);
  require(x, 1);
}
CASE(managed_waited_for, "right") {
  int *m = managed();
  for (int round = 0; round != 3; ++round) {
    fill<<<1, 128>>>(m, round);
    CHECK(cudaDeviceSynchronize());
    REQUIRE(m[3] == 3 + round);
    m[3] = 0;
  }
}
// To move memory isn't to wait for it.
CASE(managed_prefetched, "host-order") {
  int *m = managed();
  fill<<<1, 128>>>(m, 1);
  cudaMemLocation host = {cudaMemLocationTypeHost, 0};
  CHECK(cudaMemPrefetchAsync(m, bytes, host, 0, 0));
  std::printf("%d\n", m[3]);
  CHECK(cudaDeviceSynchronize());
}
__managed__ int shared[count];
__global__ void fillShared() { shared[threadIdx.x] = threadIdx.x; }
CASE(managed_variable, "host-order") {
  fillShared<<<1, count>>>();
  std::printf("%d\n", shared[3]);
  CHECK(cudaDeviceSynchronize());
}
CASE(managed_variable_waited_for, "right") {
  fillShared<<<1, count>>>();
  CHECK(cudaDeviceSynchronize());
  REQUIRE(shared[3] == 3);
}
// Pages of one allocation, one for the kernel and one for the host.
CASE(managed_pages, "right") {
  int *m = managed(2 * bytes);
  fill<<<1, 128>>>(m, 1);
  m[count] = 7;
  CHECK(cudaDeviceSynchronize());
  REQUIRE(m[3] == 4 && m[count] == 7);
}
CASE(mapped_memory, "host-order") {
  int *h = pinned(), *seen;
  CHECK(cudaHostGetDevicePointer(&seen, h, 0));
  fill<<<1, 128, 0, stream()>>>(seen, 1);
  std::printf("%d\n", h[3]);
  CHECK(cudaDeviceSynchronize());
}
// The host lets a kernel that waits for it go on.
__global__ void waitForFlag(volatile int *flag, const volatile int *data,
                            int *out) {
  while (!*flag)
    ;
  __threadfence_system();
  *out = *data;
}
CASE(flag_for_a_kernel, "right") {
  int *h = pinned(), *x = device();
  waitForFlag<<<1, 1>>>(h, h + 1, x);
  h[1] = 42;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  h[0] = 1;
  CHECK(cudaDeviceSynchronize());
  int out;
  CHECK(cudaMemcpy(&out, x, 4, cudaMemcpyDeviceToHost));
  REQUIRE(out == 42);
}

// A host function is an operation of its stream.
static void addOne(void *memory) { ++*static_cast<int *>(memory); }
CASE(host_function_in_its_stream, "right") {
  int *h = pinned(), *x = device();
  cudaStream_t a = stream();
  fill<<<1, 128, 0, a>>>(x, 1);
  CHECK(cudaMemcpyAsync(h, x, bytes, cudaMemcpyDeviceToHost, a));
  CHECK(cudaLaunchHostFunc(a, addOne, h));
  CHECK(cudaStreamSynchronize(a));
  REQUIRE(h[0] == 2);
}
CASE(host_function_on_a_part, "right") {
  int *h = pinned(), *x = device();
  cudaStream_t a = stream();
  fill<<<1, 128, 0, a>>>(x, 1);
  CHECK(cudaMemcpyAsync(h, x, 64, cudaMemcpyDeviceToHost, a));
  CHECK(cudaLaunchHostFunc(a, addOne, h));
  CHECK(cudaMemcpyAsync(x, h, 64, cudaMemcpyHostToDevice, a));
  CHECK(cudaStreamSynchronize(a));
  REQUIRE(h[0] == 2);
}
CASE(host_function_in_another_stream, "stream-order") {
  int *h = pinned(), *x = device();
  CHECK(cudaMemcpyAsync(h, x, bytes, cudaMemcpyDeviceToHost, stream()));
  CHECK(cudaLaunchHostFunc(stream(), addOne, h));
  CHECK(cudaDeviceSynchronize());
}
static std::atomic<bool> isDone = false;
CASE(host_function_wakes_the_host, "right") {
  int *h = pinned(), *x = device();
  cudaStream_t a = stream();
  fill<<<1, 128, 0, a>>>(x, 1);
  CHECK(cudaMemcpyAsync(h, x, bytes, cudaMemcpyDeviceToHost, a));
  CHECK(cudaLaunchHostFunc(a, [](void *) { isDone = true; }, nullptr));
  while (!isDone)
    std::this_thread::yield();
  REQUIRE(h[0] == 1);
}
CASE(callback_in_its_stream, "right") {
  int *h = pinned(), *x = device();
  cudaStream_t a = stream();
  fill<<<1, 128, 0, a>>>(x, 1);
  CHECK(cudaMemcpyAsync(h, x, bytes, cudaMemcpyDeviceToHost, a));
  CHECK(cudaStreamAddCallback(
      a, [](cudaStream_t, cudaError_t, void *data) { addOne(data); }, h, 0));
  CHECK(cudaStreamSynchronize(a));
  REQUIRE(h[0] == 2);
}

// Threads of the host, each with a stream.
static void twoThreads(bool waits) {
  int *x = device(), *y = device();
  std::mutex mutex;
  std::condition_variable changed;
  bool isThere = false;
  std::thread producer([&] {
    cudaStream_t a = stream();
    fill<<<1, 128, 0, a>>>(x, 1);
    if (waits)
      CHECK(cudaStreamSynchronize(a));
    std::lock_guard lock(mutex);
    isThere = true;
    changed.notify_one();
  });
  std::thread consumer([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return isThere; });
    cudaStream_t b = stream();
    copy<<<1, 128, 0, b>>>(x, y);
    CHECK(cudaStreamSynchronize(b));
  });
  producer.join();
  consumer.join();
  require(y, 1);
}
CASE(two_threads, "right") { twoThreads(true); }
CASE(two_threads_in_order_only, "stream-order") { twoThreads(false); }

// Results of threads that the grid doesn't have.
__global__ void square(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = i * i;
}
CASE(grid_rounds_down, "uninitialized-copy") {
  int *x, h[100];
  CHECK(cudaMalloc(&x, sizeof(h)));
  square<<<100 / 64, 64>>>(x, 100);
  CHECK(cudaMemcpy(h, x, sizeof(h), cudaMemcpyDeviceToHost));
}
CASE(grid_rounds_up, "right") {
  int *x, h[100];
  CHECK(cudaMalloc(&x, sizeof(h)));
  square<<<(100 + 63) / 64, 64>>>(x, 100);
  CHECK(cudaMemcpy(h, x, sizeof(h), cudaMemcpyDeviceToHost));
}
// Bytes between the fields of a record hold nothing.
struct Entry {
  char kind;
  double value;
};
__global__ void setEntries(Entry *entries) {
  entries[threadIdx.x].kind = 1;
  entries[threadIdx.x].value = threadIdx.x;
}
CASE(padding_is_copied, "right") {
  Entry *x, h[32];
  CHECK(cudaMalloc(&x, sizeof(h)));
  setEntries<<<1, 32>>>(x);
  CHECK(cudaMemcpy(h, x, sizeof(h), cudaMemcpyDeviceToHost));
  REQUIRE(h[31].value == 31);
}
