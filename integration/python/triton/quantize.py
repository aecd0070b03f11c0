# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows in int8 with a scale of their own, and the way back."""
import numpy as np
import triton
import triton.language as tl

from host import Bounded, empty, exact, expect, normal


@triton.jit
def quantize(x, q, scale, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * N + i, i < N, 0.0)
    largest = tl.max(tl.abs(values), 0)
    tl.store(scale + row, largest / 127)
    # To the nearest, ties away from zero.
    steps = values * (127 / largest)
    tl.store(q + row * N + i,
             tl.where(steps < 0, steps - 0.5, steps + 0.5).to(tl.int8), i < N)


@triton.jit
def restore(q, scale, x, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(q + row * N + i, i < N).to(tl.float32)
    tl.store(x + row * N + i, values * tl.load(scale + row), i < N)


M, N = 12, 200
x, q, scale, back = normal(M, N), empty((M, N), np.int8), empty(M), empty((M, N))
quantize[(M,)](x, q, scale, N, BLOCK=256)
restore[(M,)](q, scale, back, N, BLOCK=256)
expect("quantize scale", scale, exact(np.abs(x).max(1)) / 127)
# Half a step, and what the arithmetic loses of up to 127 steps.
step = np.abs(x).max(1, keepdims=True) / 127.0
expect("quantize back", back, Bounded(x, step * (0.5 + 127 * 2.0**-21)))
assert (np.abs(q).max(1) == 127).all()
