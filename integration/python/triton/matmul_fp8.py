# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""e4m3 operands with a scale for each row and column."""
import numpy as np
import triton
import triton.language as tl

from host import Bounded, empty, exact, expect, normal, random_matrix


@triton.jit
def matmul(a, b, sa, sb, c, N, K, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        total = tl.dot(tl.load(a + m[:, None] * K + (start + k)[None, :]),
                       tl.load(b + n[None, :] * K + (start + k)[:, None]), total)
    total *= tl.load(sa + m)[:, None] * tl.load(sb + n)[None, :]
    tl.store(c + m[:, None] * N + n[None, :], total)


M, N, K = 128, 256, 256
a, a_values = random_matrix("fp8", M, K)
b, b_values = random_matrix("fp8", N, K)
sa, sb, c = abs(normal(M)), abs(normal(N)), empty((M, N))
fp8 = lambda x: triton.reinterpret(x, tl.float8e4nv)
matmul[(M // 128, N // 128)](fp8(a), fp8(b), sa, sb, c, N, K, 128, 128, 128)
total = exact(a_values).dot(b_values.T)
# Hopper keeps 14 bits when it adds up products of fp8 (see elements.py).
size = np.abs(a_values) @ np.abs(b_values).T
total = Bounded(total.values, total.bound + K / 32 * 2.0**-13 * size)
expect("matmul_fp8", c, total * (exact(sa[:, None]) * sb[None, :]))
