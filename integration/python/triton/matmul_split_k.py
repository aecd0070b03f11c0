# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of K in several programs, added by atomics."""
import numpy as np
import triton
import triton.language as tl

from host import aligned, exact, expect, random_matrix


@triton.jit
def matmul(a, b, c, N, K, PART: tl.constexpr, BM: tl.constexpr,
           BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    first = tl.program_id(2) * PART
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(first, first + PART, BK):
        k = start + tl.arange(0, BK)
        total = tl.dot(tl.load(a + m[:, None] * K + k[None, :]),
                       tl.load(b + k[:, None] * N + n[None, :]), total)
    tl.atomic_add(c + m[:, None] * N + n[None, :], total)


M, N, K = 128, 128, 512
a, a_values = random_matrix("fp16", M, K)
b, b_values = random_matrix("fp16", K, N)
c = aligned(np.zeros((M, N), np.float32))
matmul[(M // 64, N // 64, 4)](a, b, c, N, K, K // 4, 64, 64, 64)
expect("matmul_split_k", c, exact(a_values).dot(b_values))
