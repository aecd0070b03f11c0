# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CuTe DSL: its launcher has NVIDIA's runtime inside. It compiles without, and
what it keeps of the PTX is launched through the driver."""
import os
import re
import tempfile

import numpy as np
from cuda.bindings import driver


def call(function, *arguments):
    code, *results = function(*arguments)
    assert int(code) == 0, (function, code)
    return results[0] if results else None


call(driver.cuInit, 0)
device = call(driver.cuDeviceGet, 0)
call(driver.cuCtxSetCurrent, call(driver.cuDevicePrimaryCtxRetain, device))
major = call(driver.cuDeviceGetAttribute, driver.CUdevice_attribute.
             CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)
# The DSL reads these when it is imported.
folder = tempfile.TemporaryDirectory()
os.environ.update(CUTE_DSL_ARCH=f"sm_{major}0a", CUTE_DSL_KEEP_PTX="1",
                  CUTE_DSL_DUMP_DIR=folder.name, CUTE_DSL_DISABLE_FILE_CACHING="1")
import cutlass  # noqa: E402
import cutlass.cute as cute  # noqa: E402
from cutlass.cute.runtime import make_fake_compact_tensor  # noqa: E402


@cute.kernel
def scale(x: cute.Tensor, y: cute.Tensor, factor: cutlass.Float32):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if i < cute.size(x):
        y[i] = x[i] * factor


@cute.jit
def program(x: cute.Tensor, y: cute.Tensor, factor: cutlass.Float32):
    scale(x, y, factor).launch(grid=(8, 1, 1), block=(128, 1, 1))


vector = make_fake_compact_tensor(cutlass.Float32, (cute.sym_int(),))
ptx = cute.compile(program, vector, vector, cutlass.Float32(0)).__ptx__
name = re.search(r"\.entry\s+(\w+)", ptx).group(1)

n = 1000
x = np.random.default_rng(1).standard_normal(n, np.float32)
y = np.empty_like(x)
memory = [call(driver.cuMemAlloc, x.nbytes) for _ in range(2)]
call(driver.cuMemcpyHtoD, memory[0], x.ctypes.data, x.nbytes)
# A tensor of one dimension is its address and its size.
values = [np.array([int(memory[0]), n], np.uint64),
          np.array([int(memory[1]), n], np.uint64), np.array([3], np.float32)]
parameters = np.array([value.ctypes.data for value in values], np.uint64)
module = call(driver.cuModuleLoadData, ptx.encode())
function = call(driver.cuModuleGetFunction, module, name.encode())
call(driver.cuLaunchKernel, function, 8, 1, 1, 128, 1, 1, 0, 0,
     parameters.ctypes.data, 0)
call(driver.cuMemcpyDtoH, y.ctypes.data, memory[1], y.nbytes)
assert np.array_equal(y, 3 * x)
