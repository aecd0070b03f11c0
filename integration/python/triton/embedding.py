# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows gathered by an index, and their gradients scattered by atomics."""
import numpy as np
import triton
import triton.language as tl

from host import Bounded, empty, expect, normal, rng


@triton.jit
def gather(table, index, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    source = tl.load(index + row)
    tl.store(out + row * N + i, tl.load(table + source * N + i, i < N), i < N)


@triton.jit
def scatter(grad, index, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    target = tl.load(index + row)
    tl.atomic_add(out + target * N + i, tl.load(grad + row * N + i, i < N), i < N)


WORDS, COUNT, N = 20, 50, 96
table, grad = normal(WORDS, N), normal(COUNT, N)
index = rng.integers(0, WORDS, COUNT)
out, total = empty((COUNT, N)), np.zeros((WORDS, N), np.float32)
gather[(COUNT,)](table, index, out, N, BLOCK=128)
scatter[(COUNT,)](grad, index, total, N, BLOCK=128)
expect("embedding forward", out, table[index])
reference, size = np.zeros((2, WORDS, N))
np.add.at(reference, index, grad.astype(np.float64))
np.add.at(size, index, np.abs(grad))
expect("embedding backward", total, Bounded(reference, COUNT * 2.0**-23 * size))
