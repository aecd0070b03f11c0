# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loss and gradient in one walk over the logits."""
import numpy as np
import triton
import triton.language as tl

from bounded import softmax
from host import empty, exact, expect, normal, rng


@triton.jit
def cross_entropy(x, target, loss, grad, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * N + i, i < N, -float("inf"))
    label = tl.load(target + row)
    top = tl.max(values, 0)
    weights = tl.exp(values - top)
    total = tl.sum(weights, 0)
    chosen = tl.sum(tl.where(i == label, values, 0.0), 0)
    tl.store(loss + row, tl.log(total) + top - chosen)
    tl.store(grad + row * N + i, weights / total - tl.where(i == label, 1.0, 0.0),
             i < N)


M, N = 24, 500
x, target = normal(M, N), rng.integers(0, N, M)
loss, grad = empty(M), empty((M, N))
cross_entropy[(M,)](x, target, loss, grad, N, BLOCK=512)
top = exact(x.max(1, keepdims=True))
total = (exact(x) - top).exp().sum(1)
expect("cross_entropy loss", loss,
       total.log() + top[:, 0] - x[np.arange(M), target])
hot = np.zeros((M, N))
hot[np.arange(M), target] = 1
expect("cross_entropy grad", grad, softmax(exact(x)) - hot)
