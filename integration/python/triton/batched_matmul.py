# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl

from host import empty, exact, expect, random_matrix


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr):
    batch = tl.program_id(2)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    a += batch * M * K
    b += batch * K * N
    c += batch * M * N
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        total = tl.dot(
            tl.load(a + m[:, None] * K + k[None, :], (m[:, None] < M) & (k[None, :] < K), 0.0),
            tl.load(b + k[:, None] * N + n[None, :], (k[:, None] < K) & (n[None, :] < N), 0.0),
            total)
    tl.store(c + m[:, None] * N + n[None, :], total,
             (m[:, None] < M) & (n[None, :] < N))


B, M, N, K = 3, 100, 72, 88
a, a_values = random_matrix("fp16", B, M, K)
b, b_values = random_matrix("fp16", B, K, N)
c = empty((B, M, N))
matmul[(2, 2, B)](a, b, c, M, N, K, 64, 64, 32)
expect("batched_matmul", c, exact(a_values).dot(b_values))
