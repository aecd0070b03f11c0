# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mxfp8: a scale of e8m0 for each 32 elements along K. Blackwell's tensor cores
apply it; on Hopper Triton does."""
import numpy as np
import triton
import triton.language as tl

from host import empty, exact, expect, random_matrix, rng


@triton.jit
def matmul(a, sa, b, sb, c, N, K, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    s = tl.arange(0, BK // 32)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        scale = start // 32 + s[None, :]
        total = tl.dot_scaled(
            tl.load(a + m[:, None] * K + (start + k)[None, :]),
            tl.load(sa + m[:, None] * (K // 32) + scale), "e4m3",
            tl.load(b + n[None, :] * K + (start + k)[:, None]),
            tl.load(sb + n[:, None] * (K // 32) + scale), "e4m3", total)
    tl.store(c + m[:, None] * N + n[None, :], total)


def scaled(rows, K):
    raw, values = random_matrix("fp8", rows, K)
    codes = rng.integers(124, 131, (rows, K // 32)).astype(np.uint8)
    scales = 2.0**(codes.astype(np.float64) - 127)
    return (triton.reinterpret(raw, tl.float8e4nv), codes,
            values * np.repeat(scales, 32, 1))


M, N, K = 256, 128, 256
a, sa, a_values = scaled(M, K)
b, sb, b_values = scaled(N, K)
c = empty((M, N))
matmul[(M // 128, N // 128)](a, sa, b, sb, c, N, K, 128, 128, 128)
expect("block_scaled_matmul", c, exact(a_values).dot(b_values.T))
