# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A convolution as an implicit GEMM: filters of 3 x 3, borders of zeros."""
import numpy as np
import triton
import triton.language as tl

from host import empty, exact, expect, random_matrix


@triton.jit
def convolve(x, w, y, H, W, C: tl.constexpr, O: tl.constexpr, BM: tl.constexpr):
    image = tl.program_id(1)
    pixel = tl.program_id(0) * BM + tl.arange(0, BM)
    row, column = pixel // W, pixel % W
    c, o = tl.arange(0, C), tl.arange(0, O)
    total = tl.zeros((BM, O), tl.float32)
    for tap in range(9):
        r, s = row + tap // 3 - 1, column + tap % 3 - 1
        inside = (r >= 0) & (r < H) & (s >= 0) & (s < W) & (pixel < H * W)
        place = ((image * H + r) * W + s)[:, None] * C + c[None, :]
        total = tl.dot(tl.load(x + place, inside[:, None], 0.0),
                       tl.load(w + (tap * C + c)[:, None] * O + o[None, :]), total)
    tl.store(y + (image * H * W + pixel)[:, None] * O + o[None, :], total,
             pixel[:, None] < H * W)


B, H, W, C, O = 2, 13, 11, 32, 64
x, x_values = random_matrix("fp16", B, H, W, C)
w, w_values = random_matrix("fp16", 9, C, O)
y = empty((B, H, W, O))
convolve[(triton.cdiv(H * W, 64), B)](x, w, y, H, W, C, O, 64)
padded = np.pad(x_values, ((0, 0), (1, 1), (1, 1), (0, 0)))
taps = np.stack([padded[:, r:r + H, s:s + W] for r in range(3) for s in range(3)], -2)
expect("convolution", y, exact(taps.reshape(B, H, W, 9 * C)).dot(
    w_values.reshape(9 * C, O)))
