# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program with host code of its own: NVRTC compiles a kernel for the device that is
there, and NVIDIA's cuda-core launches it."""
import numpy as np
from cuda.core import (Device, LaunchConfig, LegacyPinnedMemoryResource, Program,
                       ProgramOptions, launch)

SOURCE = r"""
extern "C" __global__ void scale(float *x, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= by;
}
"""

device = Device()
device.set_current()
stream = device.create_stream()
kernel = Program(SOURCE, "c++", ProgramOptions(arch=f"sm_{device.arch}")).compile(
    "ptx").get_kernel("scale")
memory = LegacyPinnedMemoryResource().allocate(4 * 1000)
x = np.from_dlpack(memory).view(np.float32)
x[:] = np.arange(1000)
launch(stream, LaunchConfig(grid=8, block=128), kernel, memory, np.float32(3),
       np.int32(len(x)))
stream.sync()
print(device.name, "right" if (x == 3 * np.arange(1000)).all() else "wrong")
