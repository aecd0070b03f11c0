# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""By pointers, with work tiles in groups, and an activation."""
import numpy as np
import triton
import triton.language as tl

from host import empty, exact, expect, random_matrix


@triton.jit
def matmul(a, b, c, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr,
           BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    item = tl.program_id(0)
    group = item // (GROUP * columns)
    size = min(rows - group * GROUP, GROUP)
    row = group * GROUP + item % (GROUP * columns) % size
    column = item % (GROUP * columns) // size
    m = (row * BM + tl.arange(0, BM)) % M
    n = (column * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a += m[:, None] * am + k[None, :] * ak
    b += k[:, None] * bk + n[None, :] * bn
    total = tl.zeros((BM, BN), tl.float32)
    for i in range(tl.cdiv(K, BK)):
        left = K - i * BK
        total = tl.dot(tl.load(a, k[None, :] < left, 0.0),
                       tl.load(b, k[:, None] < left, 0.0), total)
        a += BK * ak
        b += BK * bk
    total = tl.where(total >= 0, total, 0.01 * total)
    m = row * BM + tl.arange(0, BM)
    n = column * BN + tl.arange(0, BN)
    tl.store(c + m[:, None] * cm + n[None, :] * cn, total.to(tl.float16),
             (m[:, None] < M) & (n[None, :] < N))


M, N, K = 300, 272, 200
a, a_values = random_matrix("fp16", M, K)
b, b_values = random_matrix("fp16", K, N)
c = empty((M, N), np.float16)
grid = lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]),)
matmul[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(), BM=128,
             BN=128, BK=64, GROUP=8, num_stages=3, num_warps=4)
total = exact(a_values).dot(b_values)
expect("matmul", c,
       total.where(total.values >= 0, total * 0.01).rounded("fp16"))
