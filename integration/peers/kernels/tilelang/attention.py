# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in TileLang: O = softmax(Q K^T / sqrt(D)) V for each head, with the
softmax computed as the blocks of K and V go by.

Sizes are fixed when the kernel is compiled. The length need not be a multiple of
the blocks: keys past the end, and with `causal` those after the query, start from
a score of minus infinity.
"""

import tilelang.language as T

LOG2_E = 1.4426950408889634


def forward(heads, length, dim, dtype="bfloat16", queries=128, keys=64, causal=True, stages=2,
            threads=256):
    scale = LOG2_E / dim ** 0.5
    shape = (heads, length, dim)

    @T.prim_func
    def attention(Q: T.Tensor(shape, dtype), K: T.Tensor(shape, dtype),
                  V: T.Tensor(shape, dtype), O: T.Tensor(shape, dtype)):
        with T.Kernel(T.ceildiv(length, queries), heads, threads=threads) as (block, head):
            q = T.alloc_shared((queries, dim), dtype)
            k = T.alloc_shared((keys, dim), dtype)
            v = T.alloc_shared((keys, dim), dtype)
            score = T.alloc_fragment((queries, keys), "float32")
            weight = T.alloc_fragment((queries, keys), dtype)
            out = T.alloc_fragment((queries, dim), "float32")
            top = T.alloc_fragment((queries,), "float32")
            last_top = T.alloc_fragment((queries,), "float32")
            shrink = T.alloc_fragment((queries,), "float32")
            part = T.alloc_fragment((queries,), "float32")
            total = T.alloc_fragment((queries,), "float32")
            first = block * queries
            T.copy(Q[head, first: first + queries, :], q)
            T.clear(out)
            T.clear(total)
            T.fill(top, -T.infinity("float32"))
            end = T.min(length, first + queries) if causal else length
            for step in T.Pipelined(T.ceildiv(end, keys), num_stages=stages):
                T.copy(K[head, step * keys: (step + 1) * keys, :], k)
                for i, j in T.Parallel(queries, keys):
                    score[i, j] = T.if_then_else(
                        step * keys + j < (T.min(length, first + i + 1) if causal else length),
                        0.0, -T.infinity("float32"))
                T.gemm(q, k, score, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(top, last_top)
                T.reduce_max(score, top, dim=1, clear=False)
                for i in T.Parallel(queries):
                    shrink[i] = T.exp2((last_top[i] - top[i]) * scale)
                for i, j in T.Parallel(queries, keys):
                    score[i, j] = T.exp2((score[i, j] - top[i]) * scale)
                T.reduce_sum(score, part, dim=1)
                for i in T.Parallel(queries):
                    total[i] = total[i] * shrink[i] + part[i]
                for i, j in T.Parallel(queries, dim):
                    out[i, j] *= shrink[i]
                T.copy(score, weight)
                T.copy(V[head, step * keys: (step + 1) * keys, :], v)
                T.gemm(weight, v, out, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(queries, dim):
                out[i, j] /= total[i]
            T.copy(out, O[head, first: first + queries, :])

    return attention
