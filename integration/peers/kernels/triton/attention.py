# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in Triton."""

import triton
import triton.language as tl


@triton.jit
def forward(q, k, v, o, lse, scale, length,
            BM: tl.constexpr, BN: tl.constexpr, DIM: tl.constexpr,
            CAUSAL: tl.constexpr, SPECIALIZE: tl.constexpr):
    """O = softmax(scale Q K^T) V and the log of each row's sum, with a running
    maximum. The matrices are (batch * heads * length) x DIM, and length is a
    multiple of BM and BN."""
    start = tl.program_id(0) * BM
    base = tl.program_id(1) * length
    rows = start + tl.arange(0, BM)
    to_log2 = scale * 1.44269504
    query = q.load([base + start, 0])
    top = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, DIM), tl.float32)
    last = start + BM if CAUSAL else length
    for n in tl.range(0, last, BN, warp_specialize=SPECIALIZE):
        s = tl.dot(query, k.load([base + n, 0]).T) * to_log2
        if CAUSAL:
            s = tl.where(rows[:, None] >= n + tl.arange(0, BN)[None, :], s, -1.0e6)
        above = tl.maximum(top, tl.max(s, axis=1))
        p = tl.math.exp2(s - above[:, None])
        shrink = tl.math.exp2(top - above)
        total = total * shrink + tl.sum(p, axis=1)
        acc = tl.dot(p.to(q.dtype), v.load([base + n, 0]), acc * shrink[:, None])
        top = above
    o.store([base + start, 0], (acc / total[:, None]).to(o.dtype))
    tl.store(lse + base + rows, top + tl.math.log2(total))
