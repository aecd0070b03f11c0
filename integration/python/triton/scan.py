# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prefix sums by tl.cumsum, and a recurrence by an associative scan of pairs."""
import numpy as np
import triton
import triton.language as tl

from host import Bounded, empty, expect, rng


@triton.jit
def combine(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def scan(counts, sums, a, b, h, N: tl.constexpr):
    row = tl.program_id(0)
    i = row * N + tl.arange(0, N)
    tl.store(sums + i, tl.cumsum(tl.load(counts + i), 0))
    _, state = tl.associative_scan((tl.load(a + i), tl.load(b + i)), 0, combine)
    tl.store(h + i, state)


M, N = 6, 256
counts = rng.integers(-1000, 1000, (M, N), np.int32)
a, b = rng.uniform(-1, 1, (2, M, N)).astype(np.float32)
sums, h = empty((M, N), np.int32), empty((M, N))
scan[(M,)](counts, sums, a, b, h, N)
expect("scan sums", sums, np.cumsum(counts, 1))
# h[i] = a[i] h[i-1] + b[i]. A term b[j] is multiplied by at most N factors and
# added in at most N additions, in whatever order, each of which rounds.
state, size = np.zeros(M), np.zeros(M)
values, bounds = [], []
for j in range(N):
    state = a[:, j].astype(np.float64) * state + b[:, j]
    size = np.abs(a[:, j]) * size + np.abs(b[:, j])
    values.append(state)
    bounds.append(2 * N * 2.0**-24 * size)
expect("scan recurrence", h, Bounded(np.stack(values, 1), np.stack(bounds, 1)))
