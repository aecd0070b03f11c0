# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Online softmax, causal and not, with host-side descriptors."""
import numpy as np
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from bounded import softmax
from host import empty, exact, expect, random_matrix


@triton.jit
def attention(q, k, v, o, length, scale, CAUSAL: tl.constexpr, BM: tl.constexpr,
              BN: tl.constexpr, D: tl.constexpr):
    first = tl.program_id(0) * BM
    head = tl.program_id(1) * length
    rows = first + tl.arange(0, BM)
    queries = q.load([head + first, 0])
    top = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    result = tl.zeros((BM, D), tl.float32)
    end = first + BM if CAUSAL else length
    for start in range(0, end, BN):
        scores = tl.dot(queries, k.load([head + start, 0]).T) * scale
        if CAUSAL:
            columns = start + tl.arange(0, BN)
            scores = tl.where(rows[:, None] >= columns[None, :], scores,
                              -float("inf"))
        new = tl.maximum(top, tl.max(scores, 1))
        weights = tl.exp(scores - new[:, None])
        shrink = tl.exp(top - new)
        total = total * shrink + tl.sum(weights, 1)
        result = result * shrink[:, None]
        result = tl.dot(weights.to(tl.float16), v.load([head + start, 0]), result)
        top = new
    o.store([head + first, 0], (result / total[:, None]).to(tl.float16))


HEADS, LENGTH, D, BM, BN = 2, 256, 64, 128, 64
scale = D**-0.5
tensors = [random_matrix("fp16", HEADS * LENGTH, D) for _ in range(3)]
blocks = [BM, BN, BN]
q, k, v = [TensorDescriptor.from_tensor(raw, [block, D])
           for (raw, _), block in zip(tensors, blocks)]
for causal in [False, True]:
    out = empty((HEADS * LENGTH, D), np.float16)
    attention[(LENGTH // BM, HEADS)](
        q, k, v, TensorDescriptor.from_tensor(out, [BM, D]), LENGTH, scale, causal,
        BM, BN, D)
    for head in range(HEADS):
        part = slice(head * LENGTH, (head + 1) * LENGTH)
        scores = exact(tensors[0][1][part]).dot(tensors[1][1][part].T) * scale
        inside = np.tril(np.ones((LENGTH, LENGTH), bool)) if causal else True
        # A weight is scaled once for each block, and rounded for the product.
        weights = softmax(scores, inside).rounded("fp16")
        weights.bound = weights.bound + weights.values * (LENGTH // BN) * 2.0**-20
        expect(f"attention {'causal' if causal else 'full'} {head}", out[part],
               weights.dot(tensors[2][1][part]).rounded("fp16"))
