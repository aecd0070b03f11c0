# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the largest element is, and a sort."""
import numpy as np
import triton
import triton.language as tl

from host import empty, expect, rng


@triton.jit
def top(x, value, index, ordered, N: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, N)
    values = tl.load(x + row * N + i)
    largest, where = tl.max(values, 0, return_indices=True)
    tl.store(value + row, largest)
    tl.store(index + row, where)
    tl.store(ordered + row * N + i, tl.sort(values))


M, N = 8, 256
x = rng.permuted(np.tile(np.arange(N, dtype=np.int32) - 100, (M, 1)), axis=1)
value, index = empty(M, np.int32), empty(M, np.int32)
ordered = empty((M, N), np.int32)
top[(M,)](x, value, index, ordered, N)
expect("top value", value, x.max(1))
expect("top index", index, x.argmax(1))
expect("top sorted", ordered, np.sort(x, 1))
