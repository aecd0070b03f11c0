# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda-core: NVRTC, buffers of its memory resources, DLPack, a launch."""
import numpy as np
from cuda.core import (Device, DeviceMemoryResource, DeviceMemoryResourceOptions,
                       LaunchConfig, LegacyPinnedMemoryResource, Program,
                       ProgramOptions, launch)

SOURCE = """
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += a * x[i];
}
"""

device = Device()
device.set_current()
stream = device.create_stream()
kernel = Program(SOURCE, "c++", ProgramOptions(arch=f"sm_{device.arch}")).compile(
    "ptx").get_kernel("saxpy")

n = 1000
x = np.random.default_rng(1).standard_normal(n, np.float32)
pinned = LegacyPinnedMemoryResource().allocate(x.nbytes)
host = np.from_dlpack(pinned).view(np.float32)
host[:] = x
assert pinned.is_host_accessible
buffers = [device.allocate(x.nbytes, stream=stream) for _ in range(2)]
for buffer in buffers:
    assert buffer.is_device_accessible and not buffer.is_host_accessible
    buffer.copy_from(pinned, stream=stream)
launch(stream, LaunchConfig(grid=8, block=128), kernel, np.float32(2), *buffers,
       np.int32(n))
buffers[1].copy_to(pinned, stream=stream)
stream.sync()
assert np.array_equal(host, x + 2 * x)

# A pool of its own.
pool = DeviceMemoryResource(
    device, options=DeviceMemoryResourceOptions(max_size=1 << 20))
buffer = pool.allocate(1000, stream=stream)
assert pool.attributes.used_mem_current == 1000
buffer.close(stream=stream)
assert pool.attributes.used_mem_current == 0
pool.close()
