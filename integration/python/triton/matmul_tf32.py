# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""f32 operands, which tensor cores read as TF32."""
import triton
import triton.language as tl

from host import empty, exact, expect, random_matrix


@triton.jit
def matmul(a, b, c, K, N: tl.constexpr, BM: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    n = tl.arange(0, N)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, N), tl.float32)
    for start in range(0, K, BK):
        total = tl.dot(tl.load(a + m * K + (start + k)[None, :]),
                       tl.load(b + (start + k)[:, None] * N + n[None, :]), total,
                       input_precision="tf32")
    tl.store(c + m * N + n[None, :], total)


M, N, K = 256, 128, 160
a, a_values = random_matrix("tf32", M, K)
b, b_values = random_matrix("tf32", K, N)
c = empty((M, N))
matmul[(M // 64,)](a, b, c, K, N, 64, 32)
expect("matmul_tf32", c, exact(a_values).dot(b_values))
