# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels over the rows of a matrix in Triton."""

import triton
import triton.language as tl


@triton.jit
def softmax(x, y, rows, columns, stride, BLOCK: tl.constexpr):
    """One row at a time; a row fits into a block."""
    cols = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0)):
        v = tl.load(x + row * stride + cols, mask=cols < columns, other=float("-inf"))
        v = tl.exp(v.to(tl.float32) - tl.max(v.to(tl.float32), axis=0))
        v = v / tl.sum(v, axis=0)
        tl.store(y + row * stride + cols, v.to(y.dtype.element_ty), mask=cols < columns)


@triton.jit
def rms_norm(x, weight, y, columns, stride, eps, BLOCK: tl.constexpr):
    """y = x / sqrt(mean(x * x) + eps) * weight, in two passes over a row."""
    x += tl.program_id(0) * stride
    y += tl.program_id(0) * stride
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + cols, mask=cols < columns, other=0.0).to(tl.float32)
        squares += v * v
    scale = tl.rsqrt(tl.sum(squares, axis=0) / columns + eps)
    for start in range(0, columns, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + cols, mask=cols < columns, other=0.0).to(tl.float32)
        w = tl.load(weight + cols, mask=cols < columns, other=0.0).to(tl.float32)
        tl.store(y + cols, (v * scale * w).to(y.dtype.element_ty), mask=cols < columns)
