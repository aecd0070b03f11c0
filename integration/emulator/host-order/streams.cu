//===- streams.cu - Order between streams -------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cases.cuh"

CASE(two_streams, "stream-order") {
  int *x = device(), *y = device();
  fill<<<1, 128, 0, stream()>>>(x, 1);
  copy<<<1, 128, 0, stream()>>>(x, y);
  CHECK(cudaDeviceSynchronize());
}
CASE(two_streams_event, "right") {
  int *x = device(), *y = device();
  cudaStream_t a = stream(), b = stream();
  fill<<<1, 128, 0, a>>>(x, 1);
  order(a, b);
  copy<<<1, 128, 0, b>>>(x, y);
  require(y, 1);
}

CASE(event_too_early, "stream-order") {
  int *x = device(), *y = device();
  cudaStream_t a = stream(), b = stream();
  cudaEvent_t e = event();
  CHECK(cudaEventRecord(e, a));
  fill<<<1, 128, 0, a>>>(x, 1);
  CHECK(cudaStreamWaitEvent(b, e));
  copy<<<1, 128, 0, b>>>(x, y);
  CHECK(cudaDeviceSynchronize());
}

// An event stands for where it was recorded last.
CASE(event_recorded_again_elsewhere, "stream-order") {
  int *x = device(), *y = device();
  cudaStream_t a = stream(), b = stream(), c = stream();
  cudaEvent_t e = event();
  fill<<<1, 128, 0, a>>>(x, 1);
  CHECK(cudaEventRecord(e, a));
  CHECK(cudaEventRecord(e, c));
  CHECK(cudaStreamWaitEvent(b, e));
  copy<<<1, 128, 0, b>>>(x, y);
  CHECK(cudaDeviceSynchronize());
}
// A wait is for the record before it, whatever becomes of the event.
CASE(event_recorded_again_later, "right") {
  int *x = device(), *y = device();
  cudaStream_t a = stream(), b = stream(), c = stream();
  cudaEvent_t e = event();
  fill<<<1, 128, 0, a>>>(x, 1);
  CHECK(cudaEventRecord(e, a));
  CHECK(cudaStreamWaitEvent(b, e));
  CHECK(cudaEventRecord(e, c));
  copy<<<1, 128, 0, b>>>(x, y);
  require(y, 1);
}
CASE(event_never_recorded, "stream-order") {
  int *x = device(), *y = device();
  cudaStream_t a = stream(), b = stream();
  fill<<<1, 128, 0, a>>>(x, 1);
  CHECK(cudaStreamWaitEvent(b, event()));
  copy<<<1, 128, 0, b>>>(x, y);
  CHECK(cudaDeviceSynchronize());
}
CASE(events_in_a_row, "right") {
  int *x = device(), *y = device();
  cudaStream_t a = stream(), b = stream(), c = stream();
  fill<<<1, 128, 0, a>>>(x, 1);
  order(a, b);
  order(b, c);
  copy<<<1, 128, 0, c>>>(x, y);
  require(y, 1);
}
CASE(event_the_other_way, "stream-order") {
  int *x = device(), *y = device();
  cudaStream_t a = stream(), b = stream();
  order(b, a);
  fill<<<1, 128, 0, a>>>(x, 1);
  copy<<<1, 128, 0, b>>>(x, y);
  CHECK(cudaDeviceSynchronize());
}

CASE(overwritten_while_read, "stream-order") {
  int *x = device(), *y = device();
  copy<<<1, 128, 0, stream()>>>(x, y);
  fill<<<1, 128, 0, stream()>>>(x, 1);
  CHECK(cudaDeviceSynchronize());
}
CASE(both_read, "right") {
  int *x = device(), *y = device(), *z = device();
  fill<<<1, 128>>>(x, 1);
  CHECK(cudaDeviceSynchronize());
  copy<<<1, 128, 0, stream()>>>(x, y);
  copy<<<1, 128, 0, stream()>>>(x, z);
  require(y, 1);
  require(z, 1);
}
CASE(halves, "right") {
  int *x = device(), *y = device();
  fill<<<1, 128>>>(x, 1);
  CHECK(cudaDeviceSynchronize());
  // Not where a page ends.
  add<<<1, 128, 0, stream()>>>(x, y, 301);
  add<<<1, 128, 0, stream()>>>(x + 301, y + 301, count - 301);
  require(y, 1);
}
CASE(halves_that_overlap, "stream-order") {
  int *x = device(), *y = device();
  add<<<1, 128, 0, stream()>>>(x, y, 302);
  add<<<1, 128, 0, stream()>>>(x + 301, y + 301, count - 301);
  CHECK(cudaDeviceSynchronize());
}
__global__ void increment(int *x) { atomicAdd(x, 1); }
CASE(atomics, "right") {
  int *x = device();
  increment<<<1, 32, 0, stream()>>>(x);
  increment<<<1, 32, 0, stream()>>>(x);
  CHECK(cudaDeviceSynchronize());
  int sum;
  CHECK(cudaMemcpy(&sum, x, 4, cudaMemcpyDeviceToHost));
  REQUIRE(sum == 64);
}
CASE(atomics_and_a_fill, "stream-order") {
  int *x = device();
  increment<<<1, 32, 0, stream()>>>(x);
  CHECK(cudaMemsetAsync(x, 0, 4, stream()));
  CHECK(cudaDeviceSynchronize());
}

// The legacy default stream and streams that block wait for each other.
CASE(legacy_between_blocking_streams, "right") {
  int *x = device(), *y = device(), *z = device();
  fill<<<1, 128, 0, stream(cudaStreamDefault)>>>(x, 1);
  copy<<<1, 128>>>(x, y);
  copy<<<1, 128, 0, stream(cudaStreamDefault)>>>(y, z);
  require(z, 1);
}
CASE(legacy_and_non_blocking, "stream-order") {
  int *x = device(), *y = device();
  fill<<<1, 128>>>(x, 1);
  copy<<<1, 128, 0, stream()>>>(x, y);
  CHECK(cudaDeviceSynchronize());
}
// Streams that block don't wait for each other.
CASE(two_blocking_streams, "stream-order") {
  int *x = device(), *y = device();
  fill<<<1, 128, 0, stream(cudaStreamDefault)>>>(x, 1);
  copy<<<1, 128, 0, stream(cudaStreamDefault)>>>(x, y);
  CHECK(cudaDeviceSynchronize());
}
CASE(event_in_the_legacy_stream, "right") {
  int *x = device(), *y = device();
  cudaStream_t a = stream(cudaStreamDefault), b = stream();
  fill<<<1, 128, 0, a>>>(x, 1);
  order(cudaStreamLegacy, b);
  copy<<<1, 128, 0, b>>>(x, y);
  require(y, 1);
}

CASE(copy_in_another_stream, "stream-order") {
  int *h = pinned(), *x = device(), *y = device();
  CHECK(cudaMemcpyAsync(x, h, bytes, cudaMemcpyHostToDevice, stream()));
  copy<<<1, 128, 0, stream()>>>(x, y);
  CHECK(cudaDeviceSynchronize());
}
CASE(copy_in_the_same_stream, "right") {
  int *h = pinned(), *x = device(), *y = device();
  cudaStream_t a = stream();
  for (int i = 0; i != count; ++i)
    h[i] = 5 + i;
  CHECK(cudaMemcpyAsync(x, h, bytes, cudaMemcpyHostToDevice, a));
  copy<<<1, 128, 0, a>>>(x, y);
  require(y, 5);
}
// It is asynchronous with respect to the host.
CASE(copy_on_the_device, "stream-order") {
  int *x = device(), *y = device(), *z = device();
  CHECK(cudaMemcpy(y, x, bytes, cudaMemcpyDeviceToDevice));
  copy<<<1, 128, 0, stream()>>>(y, z);
  CHECK(cudaDeviceSynchronize());
}
CASE(copy_to_the_host_waits, "right") {
  int *x = device(), *y = device(), h[count];
  fill<<<1, 128>>>(x, 1);
  CHECK(cudaMemcpy(h, x, bytes, cudaMemcpyDeviceToHost));
  copy<<<1, 128, 0, stream()>>>(x, y);
  REQUIRE(h[7] == 8);
  require(y, 1);
}
CASE(rows_in_another_stream, "stream-order") {
  int *x = device(), *y = device();
  fill<<<1, 128, 0, stream()>>>(x, 1);
  CHECK(cudaMemcpy2DAsync(y, 64, x, 128, 64, 16, cudaMemcpyDeviceToDevice,
                          stream()));
  CHECK(cudaDeviceSynchronize());
}
__device__ int variable[count];
CASE(symbol_in_another_stream, "stream-order") {
  int *x = device();
  fill<<<1, 128, 0, stream()>>>(x, 1);
  CHECK(cudaMemcpyToSymbolAsync(variable, x, bytes, 0, cudaMemcpyDeviceToDevice,
                                stream()));
  CHECK(cudaDeviceSynchronize());
}

// It returns at once; what is in the stream goes on.
CASE(stream_destroyed, "stream-order") {
  int *x = device(), *y = device();
  cudaStream_t a = stream();
  fill<<<1, 128, 0, a>>>(x, 1);
  CHECK(cudaStreamDestroy(a));
  copy<<<1, 128, 0, stream()>>>(x, y);
  CHECK(cudaDeviceSynchronize());
}
CASE(stream_waited_for_and_destroyed, "right") {
  int *x = device(), *y = device();
  for (int i = 0; i != 8; ++i) {
    cudaStream_t a = stream();
    fill<<<1, 128, 0, a>>>(x, i);
    CHECK(cudaStreamSynchronize(a));
    CHECK(cudaStreamDestroy(a));
  }
  copy<<<1, 128, 0, stream()>>>(x, y);
  require(y, 7);
}
CASE(device_waited_for, "right") {
  int *x = device(), *y = device();
  fill<<<1, 128, 0, stream()>>>(x, 1);
  CHECK(cudaDeviceSynchronize());
  copy<<<1, 128, 0, stream()>>>(x, y);
  require(y, 1);
}
CASE(device_reset, "right") {
  int *x = device();
  fill<<<1, 128, 0, stream()>>>(x, 1);
  CHECK(cudaDeviceReset());
  int *y = device(), *z = device();
  fill<<<1, 128, 0, stream()>>>(y, 1);
  fill<<<1, 128, 0, stream()>>>(z, 2);
  require(z, 2);
}

CASE(allocated_in_another_stream, "stream-order") {
  int *x;
  CHECK(cudaMallocAsync(&x, bytes, stream()));
  fill<<<1, 128, 0, stream()>>>(x, 1);
  CHECK(cudaDeviceSynchronize());
}
CASE(freed_in_another_stream, "freed-in-flight") {
  int *x, *y = device();
  cudaStream_t a = stream();
  CHECK(cudaMallocAsync(&x, bytes, a));
  fill<<<1, 128, 0, a>>>(x, 1);
  copy<<<1, 128, 0, a>>>(x, y);
  CHECK(cudaFreeAsync(x, stream()));
  CHECK(cudaDeviceSynchronize());
}
// cudaFree doesn't wait for memory of a pool.
CASE(freed_by_the_host, "freed-in-flight") {
  int *x;
  cudaStream_t a = stream();
  CHECK(cudaMallocAsync(&x, bytes, a));
  fill<<<1, 128, 0, a>>>(x, 1);
  CHECK(cudaFree(x));
  CHECK(cudaDeviceSynchronize());
}
CASE(allocated_and_freed_in_order, "right") {
  int *y = device(), *x;
  cudaStream_t a = stream(), b = stream();
  for (int i = 0; i != 3; ++i) {
    CHECK(cudaMallocAsync(&x, bytes, a));
    fill<<<1, 128, 0, a>>>(x, i);
    order(a, b);
    copy<<<1, 128, 0, b>>>(x, y);
    order(b, a);
    CHECK(cudaFreeAsync(x, a));
  }
  require(y, 2);
}
CASE(plain_memory_freed, "right") {
  int *x = device(), *y = device();
  fill<<<1, 128, 0, stream()>>>(x, 1);
  CHECK(cudaFree(x));
  fill<<<1, 128, 0, stream()>>>(y, 1);
  require(y, 1);
}

// Two buffers: the producer may refill one when the consumer has read it.
static void twoBuffers(bool waitsForConsumer) {
  int *x[] = {device(), device()}, *y = device();
  cudaStream_t a = stream(), b = stream();
  cudaEvent_t filled[] = {event(), event()}, read[] = {event(), event()};
  for (int i = 0; i != 6; ++i) {
    if (waitsForConsumer)
      CHECK(cudaStreamWaitEvent(a, read[i % 2]));
    fill<<<1, 128, 0, a>>>(x[i % 2], i);
    CHECK(cudaEventRecord(filled[i % 2], a));
    CHECK(cudaStreamWaitEvent(b, filled[i % 2]));
    copy<<<1, 128, 0, b>>>(x[i % 2], y);
    CHECK(cudaEventRecord(read[i % 2], b));
  }
  require(y, 5);
}
CASE(two_buffers, "right") { twoBuffers(true); }
CASE(two_buffers_refilled_early, "stream-order") { twoBuffers(false); }
