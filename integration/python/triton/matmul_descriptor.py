# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Host-side tensor descriptors: TMA, and tensor cores on both devices."""
import numpy as np
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from host import empty, exact, expect, random_matrix


@triton.jit
def matmul(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(a.load([m, k]), b.load([n, k]).T, total)
    c.store([m, n], total.to(tl.bfloat16))


def bf16(array):
    return triton.reinterpret(array, tl.bfloat16)


M, N, K, BM, BN, BK = 272, 392, 200, 128, 128, 64
a, a_values = random_matrix("bf16", M, K)
b, b_values = random_matrix("bf16", N, K)
c = empty((M, N), np.uint16)
matmul[(triton.cdiv(M, BM), triton.cdiv(N, BN))](
    TensorDescriptor.from_tensor(bf16(a), [BM, BK]),
    TensorDescriptor.from_tensor(bf16(b), [BN, BK]),
    TensorDescriptor.from_tensor(bf16(c), [BM, BN]), K, BM, BN, BK, num_stages=3)
expect("matmul_descriptor", c, exact(a_values).dot(b_values.T).rounded("bf16"))
