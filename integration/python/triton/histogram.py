# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import triton
import triton.language as tl

from host import expect, rng


@triton.jit
def histogram(x, bins, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(x + i, i < n, 0), BINS, i < n)
    tl.atomic_add(bins + tl.arange(0, BINS), counts)


n = 5000
x, bins = rng.integers(0, 64, n, np.int32), np.zeros(64, np.int32)
histogram[(triton.cdiv(n, 512),)](x, bins, n, 64, 512)
expect("histogram", bins, np.bincount(x, minlength=64))
