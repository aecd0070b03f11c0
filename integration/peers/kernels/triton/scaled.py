# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Block-scaled matrix multiplications in Triton."""

import triton
import triton.language as tl


@triton.jit
def blocked_scales(scales, tile, step, stride, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Loads ROWS x COLS scales that are stored as the tensor core reads them:
    128 x 4 blocks, in each the 32 rows outermost, then four groups of 32 rows,
    then four scales along K. Gives them as a plain matrix."""
    BLOCK: tl.constexpr = 512
    blocks = tl.arange(0, ROWS // 128)
    steps = tl.arange(0, COLS // 4)
    bytes = tl.arange(0, BLOCK)
    offsets = ((tile * (ROWS // 128) + blocks)[:, None, None] * stride
               + (step * (COLS // 4) + steps)[None, :, None] * BLOCK
               + bytes[None, None, :])
    x = tl.load(scales + offsets)
    x = x.reshape(ROWS // 128, COLS // 4, 32, 4, 4)
    return x.trans(0, 3, 2, 1, 4).reshape(ROWS, COLS)


@triton.jit
def scaled(a, a_scales, b, b_scales, d, M, N, K, scale_stride,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           FORMAT: tl.constexpr, VECTOR: tl.constexpr, PACKED: tl.constexpr):
    """D = (A * scales) (B * scales)^T, one scale for VECTOR elements along K and
    PACKED elements in a byte. M and N are multiples of 128, and K of BK."""
    tile_m = tl.program_id(0)
    tile_n = tl.program_id(1)
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        x = a.load([tile_m * BM, step * (BK // PACKED)])
        y = b.load([tile_n * BN, step * (BK // PACKED)])
        xs = blocked_scales(a_scales, tile_m, step, scale_stride, BM, BK // VECTOR)
        ys = blocked_scales(b_scales, tile_n, step, scale_stride, BN, BK // VECTOR)
        acc = tl.dot_scaled(x, xs, FORMAT, y.T, ys, FORMAT, acc)
    d.store([tile_m * BM, tile_n * BN], acc.to(d.dtype))
