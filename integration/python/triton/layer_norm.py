# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forward and backward; the gradients of the weights are added under a lock."""
import numpy as np
import triton
import triton.language as tl

from host import empty, exact, expect, normal


@triton.jit
def forward(x, w, b, y, mean, rstd, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * N + i, i < N, 0.0)
    middle = tl.sum(values, 0) / N
    centered = tl.where(i < N, values - middle, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centered * centered, 0) / N + eps)
    tl.store(mean + row, middle)
    tl.store(rstd + row, scale)
    tl.store(y + row * N + i, centered * scale * tl.load(w + i, i < N) +
             tl.load(b + i, i < N), i < N)


@triton.jit
def backward(dx, dy, dw, db, x, w, mean, rstd, lock, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < N
    scale = tl.load(rstd + row)
    normed = (tl.load(x + row * N + i, inside, 0.0) - tl.load(mean + row)) * scale
    normed = tl.where(inside, normed, 0.0)
    grad = tl.load(dy + row * N + i, inside, 0.0)
    weighted = tl.load(w + i, inside, 0.0) * grad
    c1 = tl.sum(normed * weighted, 0) / N
    c2 = tl.sum(weighted, 0) / N
    tl.store(dx + row * N + i, (weighted - (normed * c1 + c2)) * scale, inside)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(dw + i, tl.load(dw + i, inside) + grad * normed, inside)
    tl.store(db + i, tl.load(db + i, inside) + grad, inside)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


M, N, eps = 20, 300, 1e-5
x, w, b, dy = normal(M, N), normal(N), normal(N), normal(M, N)
y, mean, rstd, dx = empty((M, N)), empty(M), empty(M), empty((M, N))
dw, db = np.zeros(N, np.float32), np.zeros(N, np.float32)
lock = np.zeros(1, np.int32)
forward[(M,)](x, w, b, y, mean, rstd, N, eps, BLOCK=512)
backward[(M,)](dx, dy, dw, db, x, w, mean, rstd, lock, N, BLOCK=512)

middle = exact(x).sum(1, keepdims=True) / N
centered = exact(x) - middle
scale = exact(np.ones((M, 1))) / (
    (centered * centered).sum(1, keepdims=True) / N + eps).sqrt()
normed = centered * scale
expect("layer_norm y", y, normed * w + b)
weighted = exact(dy) * w
c1 = (normed * weighted).sum(1, keepdims=True) / N
c2 = weighted.sum(1, keepdims=True) / N
expect("layer_norm dx", dx, (weighted - (normed * c1 + c2)) * scale)
expect("layer_norm dw", dw, (normed * dy).sum(0))
expect("layer_norm db", db, exact(dy).sum(0))
