//===- per_thread.cu - A default stream for each thread -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cases.cuh"
#include <thread>

static void inThread(void (*function)(int *, int *), int *x, int *y) {
  std::thread(function, x, y).join();
}
static void fillIt(int *x, int *) { fill<<<1, 128>>>(x, 1); }
static void copyIt(int *x, int *y) { copy<<<1, 128>>>(x, y); }

CASE(two_threads_default_streams, "stream-order") {
  int *x = device(), *y = device();
  inThread(fillIt, x, y);
  inThread(copyIt, x, y);
  CHECK(cudaDeviceSynchronize());
}
CASE(one_thread_default_stream, "right") {
  int *x = device(), *y = device();
  fillIt(x, y);
  copyIt(x, y);
  require(y, 1);
}
CASE(thread_waits_for_its_stream, "right") {
  int *x = device(), *y = device();
  inThread(
      [](int *x, int *y) {
        fillIt(x, y);
        CHECK(cudaStreamSynchronize(0));
      },
      x, y);
  inThread(copyIt, x, y);
  require(y, 1);
}
// It synchronizes with threads' default streams.
CASE(legacy_between_threads, "right") {
  int *x = device(), *y = device(), *z = device();
  inThread(fillIt, x, y);
  copy<<<1, 128, 0, cudaStreamLegacy>>>(x, y);
  inThread(copyIt, y, z);
  require(z, 1);
}
CASE(thread_and_blocking_stream, "stream-order") {
  int *x = device(), *y = device();
  fill<<<1, 128>>>(x, 1);
  copy<<<1, 128, 0, stream(cudaStreamDefault)>>>(x, y);
  CHECK(cudaDeviceSynchronize());
}
// Calls that aren't asynchronous go into the thread's stream, too.
CASE(copy_in_a_threads_stream, "stream-order") {
  int *x = device(), *y = device();
  inThread([](int *x, int *y) {
    CHECK(cudaMemcpy(y, x, bytes, cudaMemcpyDeviceToDevice));
  }, x, y);
  fill<<<1, 128>>>(x, 1);
  CHECK(cudaDeviceSynchronize());
}
