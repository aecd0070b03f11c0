# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two kernels on two streams write to the same numbers, and nothing orders them. On a
GPU the result is 1 or 2."""
import numpy as np
from cuda.core import (Device, LaunchConfig, LegacyPinnedMemoryResource, Program,
                       ProgramOptions, launch)

device = Device()
device.set_current()
streams = [device.create_stream() for _ in range(2)]
kernel = Program('extern "C" __global__ void add(float *x) { x[threadIdx.x] += 1; }',
                 "c++", ProgramOptions(arch=f"sm_{device.arch}")).compile(
    "ptx").get_kernel("add")
memory = LegacyPinnedMemoryResource().allocate(4 * 32)
numbers = np.from_dlpack(memory).view(np.float32)
numbers[:] = 0
for stream in streams:
    launch(stream, LaunchConfig(grid=1, block=32), kernel, memory)
for stream in streams:
    stream.sync()
print(numbers[0])
