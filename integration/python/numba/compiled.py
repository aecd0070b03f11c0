# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numba: its launcher links to SASS. Its compiler gives PTX, which is
launched with cuda-core."""
import re

import numpy as np
from cuda.core import Device, LaunchConfig, ObjectCode, launch
from numba import cuda, types


def saxpy(n, a, x, y):
    i = cuda.grid(1)
    if i < n:
        y[i] += a * x[i]


device = Device()
device.set_current()
stream = device.create_stream()
pointer = types.CPointer(types.float32)
ptx, _ = cuda.compile_ptx(saxpy, (types.int32, types.float32, pointer, pointer),
                          cc=tuple(device.compute_capability), device=False)
name = re.search(r"\.entry\s+(\w+)", ptx).group(1)
kernel = ObjectCode.from_ptx(ptx.encode()).get_kernel(name)

n = 1000
x = np.random.default_rng(1).standard_normal(n, np.float32)
y = np.empty_like(x)
arrays = [cuda.to_device(x), cuda.to_device(x)]
launch(stream, LaunchConfig(grid=8, block=128), kernel, np.int32(n), np.float32(2),
       *[int(array.device_ctypes_pointer.value) for array in arrays])
stream.sync()
arrays[1].copy_to_host(y)
assert np.array_equal(y, 2 * x + x)
