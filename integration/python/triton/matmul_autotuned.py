# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The autotuner runs every configuration and takes the one that executes the
fewest instructions."""
import numpy as np
import triton
import triton.language as tl

from host import empty, exact, expect, random_matrix


@triton.autotune(
    configs=[triton.Config({"BM": bm, "BN": bn, "BK": 32}, num_warps=warps)
             for bm, bn, warps in [(32, 32, 4), (64, 64, 4), (128, 64, 8)]],
    key=["M", "N", "K"])
@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        total = tl.dot(
            tl.load(a + m[:, None] * K + k[None, :], m[:, None] < M, 0.0),
            tl.load(b + k[:, None] * N + n[None, :], n[None, :] < N, 0.0), total)
    tl.store(c + m[:, None] * N + n[None, :], total.to(tl.float16),
             (m[:, None] < M) & (n[None, :] < N))


M, N, K = 200, 136, 128
a, a_values = random_matrix("fp16", M, K)
b, b_values = random_matrix("fp16", K, N)
c = empty((M, N), np.float16)
grid = lambda meta: (triton.cdiv(M, meta["BM"]), triton.cdiv(N, meta["BN"]))
matmul[grid](a, b, c, M, N, K)
expect("matmul_autotuned", c, exact(a_values).dot(b_values).rounded("fp16"))
# Larger tiles execute fewer instructions.
assert matmul.best_config.kwargs["BM"] > 32, matmul.best_config
