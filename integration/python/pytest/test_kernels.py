# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A project for the pytest plugin: one kernel is right, one gives a wrong result,
one hangs, one reads what a copy may not have brought yet, and one fails without
a check. check_pytest.py knows which."""
import numpy as np
import pytest
from cuda.core import (Device, LaunchConfig, LegacyPinnedMemoryResource, Program,
                       ProgramOptions, launch)

SOURCE = r"""
extern "C" __global__ void right(float *x) { x[threadIdx.x] *= 2; }
extern "C" __global__ void wrong(float *x) { x[threadIdx.x] *= 3; }
extern "C" __global__ void hang(float *x) {
  __shared__ unsigned long long barrier;
  unsigned address = __cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 65;" :: "r"(address));
  __syncthreads();
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" :: "r"(address));
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0;"
                 "  selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(address));
  x[threadIdx.x] *= 2;
}
extern "C" __global__ void early(float *x) {
  __shared__ alignas(16) float copy[64];
  __shared__ unsigned long long barrier;
  unsigned to = __cvta_generic_to_shared(copy);
  unsigned address = __cvta_generic_to_shared(&barrier);
  copy[threadIdx.x] = 0;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(address));
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("{ .reg .b64 s;"
                 "  mbarrier.arrive.expect_tx.shared.b64 s, [%0], 256;"
                 "  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 "    [%1], [%2], 256, [%0]; }"
                 :: "r"(address), "r"(to), "l"(x) : "memory");
  // Long enough, most of the time; the barrier is waited for too late.
  __syncthreads();
  __syncthreads();
  float value = copy[threadIdx.x];
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0;"
                 "  selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(address));
  x[threadIdx.x] = 2 * value;
}
extern "C" __global__ void outside(float *x) { x[threadIdx.x + 1] *= 2; }
"""


def run(name):
    device = Device()
    device.set_current()
    stream = device.create_stream()
    kernel = Program(SOURCE, "c++", ProgramOptions(
        arch=f"sm_{device.arch}", lineinfo=True)).compile("ptx").get_kernel(name)
    buffer = device.allocate(256, stream=stream)
    pinned = LegacyPinnedMemoryResource().allocate(256)
    values = np.from_dlpack(pinned).view(np.float32)
    values[:] = np.arange(64)
    buffer.copy_from(pinned, stream=stream)
    launch(stream, LaunchConfig(grid=1, block=64), kernel, buffer)
    return stream, buffer, pinned, values


@pytest.mark.parametrize("name", ["right", "wrong", "hang", "early"])
def test_doubles(name):
    stream, buffer, pinned, values = run(name)
    buffer.copy_to(pinned, stream=stream)
    stream.sync()
    assert np.array_equal(values, 2 * np.arange(64, dtype=np.float32))


@pytest.mark.drawloom(orders=0)
def test_unchecked_failure():
    run("outside")


@pytest.mark.drawloom(orders=0)
def test_after_failures():
    """What failed before is another test's."""
    stream, *_ = run("right")
    stream.sync()
