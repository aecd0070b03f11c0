# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import triton
import triton.language as tl

from host import empty, exact, expect, random_matrix


@triton.jit
def rms_norm(x, w, y, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        values = tl.load(x + row * N + i, i < N, 0.0).to(tl.float32)
        total += values * values
    scale = tl.rsqrt(tl.sum(total, 0) / N + eps)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        values = tl.load(x + row * N + i, i < N, 0.0).to(tl.float32)
        weight = tl.load(w + i, i < N, 0.0).to(tl.float32)
        tl.store(y + row * N + i, (values * scale * weight).to(tl.bfloat16), i < N)


M, N, eps = 16, 1000, 1e-6
x, x_values = random_matrix("bf16", M, N)
w, w_values = random_matrix("bf16", N)
y = empty((M, N), np.uint16)
bf16 = lambda array: triton.reinterpret(array, tl.bfloat16)
rms_norm[(M,)](bf16(x), bf16(w), bf16(y), N, eps, BLOCK=256)
scale = ((exact(x_values) * x_values).sum(1, keepdims=True) / N + eps).rsqrt()
expect("rms_norm", y, (exact(x_values) * scale * w_values).rounded("bf16"))
