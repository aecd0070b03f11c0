# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GEMMs of different sizes in one launch: the kernel gets tables of addresses and
sizes, and goes on where the last GEMM ended. The arrays are parts of one, because
an address in a table is no argument that the driver could follow."""
import numpy as np
import triton
import triton.language as tl

from host import empty, exact, expect, random_matrix


@triton.jit
def matmul(a, b, c, places, sizes, groups, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr):
    item = tl.program_id(0)
    done = 0
    for group in range(groups):
        M = tl.load(sizes + group * 3)
        N = tl.load(sizes + group * 3 + 1)
        K = tl.load(sizes + group * 3 + 2)
        columns = tl.cdiv(N, BN)
        count = tl.cdiv(M, BM) * columns
        while item < done + count:
            m = (item - done) // columns * BM + tl.arange(0, BM)
            n = (item - done) % columns * BN + tl.arange(0, BN)
            pa = a + tl.load(places + group * 3)
            pb = b + tl.load(places + group * 3 + 1)
            pc = c + tl.load(places + group * 3 + 2)
            total = tl.zeros((BM, BN), tl.float32)
            for start in range(0, K, BK):
                k = start + tl.arange(0, BK)
                total = tl.dot(
                    tl.load(pa + m[:, None] * K + k[None, :], (m[:, None] < M) & (k[None, :] < K), 0.0),
                    tl.load(pb + k[:, None] * N + n[None, :], (k[:, None] < K) & (n[None, :] < N), 0.0),
                    total)
            tl.store(pc + m[:, None] * N + n[None, :], total,
                     (m[:, None] < M) & (n[None, :] < N))
            item += tl.num_programs(0)
        done += count


shapes = [(100, 72, 64), (17, 200, 40), (128, 64, 96), (1, 8, 8)]
parts = [(random_matrix("fp16", m, k), random_matrix("fp16", k, n))
         for m, n, k in shapes]
a = np.concatenate([left[0].ravel() for left, _ in parts])
b = np.concatenate([right[0].ravel() for _, right in parts])
counts = np.array([(m * k, k * n, m * n) for m, n, k in shapes])
places = (np.cumsum(counts, 0) - counts).astype(np.int64)
c = empty(counts[:, 2].sum())
matmul[(4,)](a, b, c, places, np.array(shapes, np.int32), len(shapes), 64, 64, 32)
for (m, n, k), (left, right), place in zip(shapes, parts, places[:, 2]):
    expect(f"grouped_matmul {m}x{n}x{k}", c[place:place + m * n].reshape(m, n),
           exact(left[1]).dot(right[1]))
