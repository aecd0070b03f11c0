# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A matrix multiplication as TileLang's benchmarks have it, for ../../../timing."""

import tilelang.language as T


def stored_through_shared(m, n, k, ab, tile, stages=3, threads=256):
    """C[m, n] = sum over k of A[m, k] * B[n, k], in the type of A. Tiles go column by
    column in panels of ten, and C through shared memory."""
    bm, bn, bk = tile

    @T.prim_func
    def gemm(A: T.Tensor((m, k), ab), B: T.Tensor((n, k), ab), C: T.Tensor((m, n), ab)):
        with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), threads=threads) as (x, y):
            a = T.alloc_shared((bm, bk), ab)
            b = T.alloc_shared((bn, bk), ab)
            out = T.alloc_shared((bm, bn), ab)
            acc = T.alloc_fragment((bm, bn), "float32")
            T.use_swizzle(panel_size=10)
            T.clear(acc)
            for step in T.Pipelined(T.ceildiv(k, bk), num_stages=stages):
                T.copy(A[y * bm, step * bk], a)
                T.copy(B[x * bn, step * bk], b)
                T.gemm(a, b, acc, transpose_B=True)
            T.copy(acc, out)
            T.copy(out, C[y * bm, x * bn])

    return gemm
