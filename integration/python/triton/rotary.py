# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary embedding in place: halves of a head, read and written by one kernel."""
import numpy as np
import triton
import triton.language as tl

from host import exact, expect, normal


@triton.jit
def rotary(x, cosine, sine, D: tl.constexpr, HALF: tl.constexpr):
    token, head = tl.program_id(0), tl.program_id(1)
    i = tl.arange(0, HALF)
    x += (token * tl.num_programs(1) + head) * D
    first, second = tl.load(x + i), tl.load(x + HALF + i)
    c, s = tl.load(cosine + token * HALF + i), tl.load(sine + token * HALF + i)
    tl.store(x + i, first * c - second * s)
    tl.store(x + HALF + i, second * c + first * s)


TOKENS, HEADS, D = 17, 3, 64
angle = np.outer(np.arange(TOKENS), 10000.0**(-np.arange(0, D, 2) / D))
cosine, sine = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
x = normal(TOKENS, HEADS, D)
before = x.copy()
rotary[(TOKENS, HEADS)](x, cosine, sine, D, D // 2)
first, second = exact(before[..., :D // 2]), exact(before[..., D // 2:])
c, s = cosine[:, None], sine[:, None]
expect("rotary first", x[..., :D // 2], first * c - second * s)
expect("rotary second", x[..., D // 2:], second * c + first * s)
