# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel in PTX, launched from Python with NVIDIA's cuda-core.

With a GPU this is an ordinary program. Without one:

    drawloom run -- python3 examples/run/saxpy_cuda_core.py
"""

import ctypes
import sys
from pathlib import Path

import numpy as np
from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, ObjectCode, launch

device = Device()
device.set_current()
stream = device.create_stream()
code = ObjectCode.from_ptx((Path(__file__).parent / "saxpy.ptx").read_bytes())
saxpy = code.get_kernel("saxpy")

x = np.arange(100, dtype=np.float32)
y = np.ones(100, dtype=np.float32)
host = np.concatenate([x, y])
memory = device.allocate(host.nbytes, stream=stream)


def copy(to, source):
    """Between the host and the device, in the stream that the memory is allocated in;
    the driver knows which is which."""
    (result,) = driver.cuMemcpyAsync(int(to), int(source), host.nbytes, stream.handle)
    if result != driver.CUresult.CUDA_SUCCESS:
        sys.exit(f"{result!r}")


copy(memory.handle, host.ctypes.data)
at = int(memory.handle)
launch(stream, LaunchConfig(grid=4, block=32), saxpy,
       ctypes.c_float(2.5), at, at + x.nbytes, ctypes.c_uint32(len(x)))
copy(host.ctypes.data, memory.handle)
stream.sync()
if not np.array_equal(host, np.concatenate([x, 2.5 * x + y])):
    sys.exit(f"wrong: {host}")
print(f"saxpy is right on {device.name}")
memory.close(stream)
