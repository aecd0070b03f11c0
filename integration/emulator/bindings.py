# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's own Python bindings of the driver API, on the emulator's libcuda.so.1.

They find every function through cuGetProcAddress and pass what NVIDIA's headers
say, so this shows that the library is one to a program that doesn't know it.
LD_LIBRARY_PATH says where it is.
"""

import ctypes
import sys
from pathlib import Path

import numpy as np
from cuda.bindings import driver as cu

SAXPY = Path(__file__).parents[2] / "examples" / "run" / "saxpy.ptx"


def done(answer):
    """What a call returns besides its result, which must be success."""
    result, *values = answer
    if result != cu.CUresult.CUDA_SUCCESS:
        sys.exit(f"{result!r}")
    return values[0] if len(values) == 1 else values


def main() -> int:
    done(cu.cuInit(0))
    device = done(cu.cuDeviceGet(0))
    done(cu.cuCtxSetCurrent(done(cu.cuDevicePrimaryCtxRetain(device))))
    module = done(cu.cuModuleLoadData(SAXPY.read_bytes() + b"\0"))
    function = done(cu.cuModuleGetFunction(module, b"saxpy"))
    stream = done(cu.cuStreamCreate(0))
    x, y = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
    device_x, device_y = done(cu.cuMemAlloc(x.nbytes)), done(cu.cuMemAlloc(y.nbytes))
    done(cu.cuMemcpyHtoDAsync(device_x, x.ctypes.data, x.nbytes, stream))
    done(cu.cuMemcpyHtoDAsync(device_y, y.ctypes.data, y.nbytes, stream))
    arguments = ((2.5, int(device_x), int(device_y), len(x)),
                 (ctypes.c_float, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint32))
    done(cu.cuLaunchKernel(function, 4, 1, 1, 32, 1, 1, 0, stream, arguments, 0))
    result = np.empty_like(y)
    done(cu.cuMemcpyDtoHAsync(result.ctypes.data, device_y, y.nbytes, stream))
    done(cu.cuStreamSynchronize(stream))
    if not np.array_equal(result, 2.5 * x + y):
        sys.exit(f"wrong: {result}")
    name, _, _ = done(cu.cuDeviceGetName(64, device)).partition(b"\0")
    print(f"bindings: a kernel ran on {name.decode()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
