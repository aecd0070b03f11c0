# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Descriptors that the kernel makes in scratch memory, and as many programs as
the device has SMs."""
import numpy as np
import triton
import triton.language as tl

from host import empty, exact, expect, random_matrix


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr, SMS: tl.constexpr):
    a = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    columns = tl.cdiv(N, BN)
    for item in tl.range(tl.program_id(0), tl.cdiv(M, BM) * columns, SMS,
                         flatten=True):
        m, n = item // columns * BM, item % columns * BN
        total = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            total = tl.dot(a.load([m, k]), b.load([n, k]).T, total)
        c.store([m, n], total.to(tl.float16))


triton.set_allocator(lambda size, align, stream: empty(size, np.int8))
M, N, K = 512, 384, 192
a, a_values = random_matrix("fp16", M, K)
b, b_values = random_matrix("fp16", N, K)
c = empty((M, N), np.float16)
matmul[(5,)](a, b, c, M, N, K, BM=128, BN=128, BK=64, SMS=5, num_warps=4)
expect("matmul_persistent", c, exact(a_values).dot(b_values.T).rounded("fp16"))
