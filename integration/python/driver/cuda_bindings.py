# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda-python's bindings: the driver and NVRTC. Its runtime module has NVIDIA's
runtime inside, which is reported."""
import subprocess
import sys

import numpy as np
from cuda.bindings import driver, nvrtc

SOURCE = b'extern "C" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }'


def call(function, *arguments):
    code, *results = function(*arguments)
    assert int(code) == 0, (function, code)
    return results[0] if len(results) == 1 else results


call(driver.cuInit, 0)
device = call(driver.cuDeviceGet, 0)
call(driver.cuCtxSetCurrent, call(driver.cuDevicePrimaryCtxRetain, device))
major = call(driver.cuDeviceGetAttribute, driver.CUdevice_attribute.
             CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)
program = call(nvrtc.nvrtcCreateProgram, SOURCE, b"twice.cu", 0, [], [])
call(nvrtc.nvrtcCompileProgram, program, 1, [b"-arch=compute_%d0" % major])
ptx = b" " * call(nvrtc.nvrtcGetPTXSize, program)
call(nvrtc.nvrtcGetPTX, program, ptx)
kernel = call(driver.cuModuleGetFunction, call(driver.cuModuleLoadData, ptx),
              b"twice")

x = np.arange(32, dtype=np.float32)
y = np.empty_like(x)
memory = call(driver.cuMemAlloc, x.nbytes)
call(driver.cuMemcpyHtoD, memory, x.ctypes.data, x.nbytes)
pointer = np.array([int(memory)], np.uint64)
parameters = np.array([pointer.ctypes.data], np.uint64)
call(driver.cuLaunchKernel, kernel, 1, 1, 1, 32, 1, 1, 0, 0, parameters.ctypes.data,
     0)
call(driver.cuMemcpyDtoH, y.ctypes.data, memory, x.nbytes)
assert np.array_equal(y, 2 * x)

said = subprocess.run(
    [sys.executable, "-c", "from cuda.bindings import runtime\n"
     "print(int(runtime.cudaGetDeviceCount()[0]))"], capture_output=True, text=True)
assert int(said.stdout) != 0
assert "has NVIDIA's CUDA runtime linked into it" in said.stderr, said.stderr
