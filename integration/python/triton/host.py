# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the programs share: arrays, element types that numpy lacks, the check."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "emulator"))
from elements import ELEMENTS, Matrix  # noqa: E402
from bounded import Bounded, exact  # noqa: E402, F401

rng = np.random.default_rng(7)


class Array(np.ndarray):
    """A numpy array with the two methods that Triton asks a tensor for when it
    makes a descriptor of it, or another type. Plain arrays are arguments, too."""

    def data_ptr(self):
        return self.ctypes.data

    def stride(self, *dimension):
        steps = tuple(step // self.itemsize for step in self.strides)
        return steps[dimension[0]] if dimension else steps


def normal(*shape):
    return rng.standard_normal(shape, np.float32)


def aligned(array):
    """The same in memory that begins at a multiple of 128 bytes, as TMA and
    vector loads like it."""
    bytes = np.empty(array.nbytes + 128, np.uint8)
    lead = -bytes.ctypes.data % 128
    result = bytes[lead:lead + array.nbytes].view(array.dtype)
    result = result.reshape(array.shape).view(Array)
    result[...] = array
    return result


def random_matrix(name, *shape):
    """Bits for the kernel, and their values."""
    matrix = Matrix.random(name, shape, rng)
    return aligned(matrix.raw), matrix.values


def empty(shape, dtype=np.float32):
    """Nothing that a kernel leaves out looks right."""
    result = aligned(np.zeros(shape, dtype))
    result.view(np.uint8)[...] = 0xff
    return result


def expect(name, got, reference):
    """Every element is within its bound of the reference."""
    reference = exact(reference)
    got = np.asarray(got)
    values = ELEMENTS["bf16"].decode(got) if got.dtype == np.uint16 else got
    error = np.abs(values.astype(np.float64) - reference.values)
    wrong = ~(error <= reference.bound)
    if values.shape != reference.values.shape:
        sys.exit(f"{name}: {values.shape}, not {reference.values.shape}")
    if wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        sys.exit(f"{name}: {wrong.sum()} of {wrong.size} elements are wrong; at {at} "
                 f"{values[at]}, expected {reference.values[at]} +- "
                 f"{reference.bound[at]}")
    share = (error / np.maximum(reference.bound, 1e-300))[reference.bound > 0]
    print(f"{name}: {wrong.size} elements right, the largest error is "
          f"{100 * share.max() if share.size else 0:.0f} % of its bound")
