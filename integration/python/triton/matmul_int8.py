# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers are exact."""
import numpy as np
import triton
import triton.language as tl

from host import empty, expect, rng


@triton.jit
def matmul(a, b, c, K, N: tl.constexpr, BM: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    n = tl.arange(0, N)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, N), tl.int32)
    for start in range(0, K, BK):
        total += tl.dot(tl.load(a + m * K + (start + k)[None, :]),
                        tl.load(b + (start + k)[:, None] * N + n[None, :]))
    tl.store(c + m * N + n[None, :], total)


M, N, K = 192, 128, 256
a = rng.integers(-128, 128, (M, K), np.int8)
b = rng.integers(-128, 128, (K, N), np.int8)
c = empty((M, N), np.int32)
matmul[(M // 64,)](a, b, c, K, N, 64, 64)
expect("matmul_int8", c, a.astype(np.int64) @ b.astype(np.int64))
