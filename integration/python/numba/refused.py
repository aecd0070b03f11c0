# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What can't run says why: numba's own launcher, and CuPy, which has NVIDIA's
runtime inside."""
import subprocess
import sys

NUMBA = """
import numpy
from numba import cuda
@cuda.jit
def double(x):
    x[cuda.grid(1)] *= 2
double[1, 32](numpy.ones(32, numpy.float32))
"""
CUPY = """
import cupy
cupy.zeros(10)
"""


def refused(program, words):
    result = subprocess.run([sys.executable, "-W", "ignore", "-c", program],
                            capture_output=True, text=True)
    assert result.returncode == 1, result
    assert words in result.stderr, result.stderr


if __name__ == "__main__":
    refused(NUMBA, "the module is a cubin, SASS without PTX")
    refused(CUPY, "has NVIDIA's CUDA runtime linked into it")
