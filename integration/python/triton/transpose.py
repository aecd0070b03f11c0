# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks through shared memory; steps of the arrays as they are."""
import triton
import triton.language as tl

from host import empty, expect, normal


@triton.jit
def transpose(x, y, M, N, xm, xn, ym, yn, B: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    n = tl.program_id(1) * B + tl.arange(0, B)
    tile = tl.load(x + m[:, None] * xm + n[None, :] * xn,
                   (m[:, None] < M) & (n[None, :] < N))
    tl.store(y + n[:, None] * ym + m[None, :] * yn, tile.T,
             (n[:, None] < N) & (m[None, :] < M))


whole = normal(140, 150)
x = whole[3:120:2, 1:140]
y = empty(x.shape[::-1])
steps = [step // 4 for step in (*x.strides, *y.strides)]
transpose[(triton.cdiv(x.shape[0], 32), triton.cdiv(x.shape[1], 32))](
    x, y, *x.shape, *steps, B=32)
expect("transpose", y, x.T)
