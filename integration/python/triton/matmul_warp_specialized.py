# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's own warp specialization of a persistent loop: loads, products and the
epilogue in different warps. Triton does it to this loop on Blackwell only."""
import numpy as np
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from host import empty, exact, expect, random_matrix


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr, SMS: tl.constexpr, SPECIALIZE: tl.constexpr):
    columns = tl.cdiv(N, BN)
    for item in tl.range(tl.program_id(0), tl.cdiv(M, BM) * columns, SMS,
                         warp_specialize=SPECIALIZE):
        m, n = item // columns * BM, item % columns * BN
        total = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            total = tl.dot(a.load([m, k]), b.load([n, k]).T, total)
        c.store([m, n], total.to(tl.float16))


M, N, K, BM, BN, BK = 384, 256, 256, 128, 128, 64
a, a_values = random_matrix("fp16", M, K)
b, b_values = random_matrix("fp16", N, K)
c = empty((M, N), np.float16)
matmul[(2,)](TensorDescriptor.from_tensor(a, [BM, BK]),
             TensorDescriptor.from_tensor(b, [BN, BK]),
             TensorDescriptor.from_tensor(c, [BM, BN]), M, N, K, BM, BN, BK, 2,
             triton.runtime.driver.active.get_current_target().arch >= 100,
             num_stages=3, num_warps=4)
expect("matmul_warp_specialized", c,
       exact(a_values).dot(b_values.T).rounded("fp16"))
