# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix multiplications in TileLang: C[m, n] = sum over k of A[m, k] * B[n, k].

Sizes are fixed when the kernel is compiled and need not be multiples of the tile;
rows of A and B are multiples of 16 bytes, as TMA asks.
"""

import tilelang.language as T


def pipelined(m, n, k, ab="bfloat16", c="bfloat16", tile=(128, 128, 64), stages=3,
              threads=256):
    """The accumulator is in registers. TileLang itself makes a role that loads and
    one that multiplies out of the loop."""
    bm, bn, bk = tile

    @T.prim_func
    def gemm(A: T.Tensor((m, k), ab), B: T.Tensor((n, k), ab), C: T.Tensor((m, n), c)):
        with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), threads=threads) as (x, y):
            a = T.alloc_shared((bm, bk), ab)
            b = T.alloc_shared((bn, bk), ab)
            acc = T.alloc_fragment((bm, bn), "float32")
            T.clear(acc)
            for step in T.Pipelined(T.ceildiv(k, bk), num_stages=stages):
                T.copy(A[y * bm, step * bk], a)
                T.copy(B[x * bn, step * bk], b)
                T.gemm(a, b, acc, transpose_B=True)
            T.copy(acc, C[y * bm, x * bn])

    return gemm


def bias_relu(m, n, k, ab="bfloat16", tile=(128, 128, 64), stages=3, threads=256):
    """C = max(A B^T + bias, 0), stored through shared memory and TMA."""
    bm, bn, bk = tile

    @T.prim_func
    def gemm(A: T.Tensor((m, k), ab), B: T.Tensor((n, k), ab), Bias: T.Tensor((n,), "float32"),
             C: T.Tensor((m, n), ab)):
        with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), threads=threads) as (x, y):
            a = T.alloc_shared((bm, bk), ab)
            b = T.alloc_shared((bn, bk), ab)
            out = T.alloc_shared((bm, bn), ab)
            acc = T.alloc_fragment((bm, bn), "float32")
            bias = T.alloc_fragment((bn,), "float32")
            T.clear(acc)
            T.copy(Bias[x * bn], bias)
            for step in T.Pipelined(T.ceildiv(k, bk), num_stages=stages):
                T.copy(A[y * bm, step * bk], a)
                T.copy(B[x * bn, step * bk], b)
                T.gemm(a, b, acc, transpose_B=True)
            for i, j in T.Parallel(bm, bn):
                acc[i, j] = T.max(acc[i, j] + bias[j], 0.0)
            T.copy(acc, out)
            T.copy(out, C[y * bm, x * bn])

    return gemm


def tensor_memory(m, n, k, ab="bfloat16", c="bfloat16", tile=(128, 128, 64), stages=2,
                  threads=128):
    """The accumulator is in tensor memory, the loop is TileLang's own pipeline. To be
    compiled with TileLang's own roles off: with them on, the warp that frees tensor
    memory belongs to the role that loads, and no barrier makes it wait for the
    role that reads."""
    bm, bn, bk = tile

    @T.prim_func
    def gemm(A: T.Tensor((m, k), ab), B: T.Tensor((n, k), ab), C: T.Tensor((m, n), c)):
        with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), threads=threads) as (x, y):
            a = T.alloc_shared((bm, bk), ab)
            b = T.alloc_shared((bn, bk), ab)
            acc = T.alloc_tmem((bm, bn), "float32")
            done = T.alloc_barrier(1)
            result = T.alloc_fragment((bm, bn), "float32")
            out = T.alloc_shared((bm, bn), c)
            for step in T.Pipelined(T.ceildiv(k, bk), num_stages=stages):
                T.copy(A[y * bm, step * bk], a)
                T.copy(B[x * bn, step * bk], b)
                T.gemm(a, b, acc, transpose_B=True, mbar=done, clear_accum=step == 0)
            T.copy(acc, result)
            T.copy(result, out)
            T.copy(out, C[y * bm, x * bn])
            # Warp 0 frees tensor memory when the others have read it.
            T.sync_threads()

    return gemm


def specialized(m, n, k, ab="bfloat16", c="bfloat16", tile=(128, 128, 64), stages=4, ctas=1):
    """Roles written by hand: warp 0 loads, warp 1 multiplies, warps 4-7 write. With
    two CTAs the tile is the pair's: each loads its half of the rows of A and of B,
    and the first one multiplies for both."""
    bm, bn, bk = tile
    steps = -(-k // bk)
    pair = ctas == 2
    barriers = T.alloc_cluster_barrier if pair else T.alloc_barrier

    @T.prim_func
    def gemm(A: T.Tensor((m, k), ab), B: T.Tensor((n, k), ab), C: T.Tensor((m, n), c)):
        with T.Kernel(T.ceildiv(m, bm) * ctas, T.ceildiv(n, bn), threads=256,
                      cluster_dims=(ctas, 1, 1)) as (x, y):
            a = T.alloc_shared((stages, bm // ctas, bk), ab)
            b = T.alloc_shared((stages, bn // ctas, bk), ab)
            out = T.alloc_shared((bm // ctas, bn), c)
            acc = T.alloc_tmem((bm // ctas, bn), "float32")
            result = T.alloc_fragment((bm // ctas, bn), "float32")
            full = barriers([32 * ctas] * stages)
            empty = barriers([1] * stages)
            done = barriers([1])
            rank = T.block_rank_in_cluster()
            tid = T.get_thread_binding()
            if tid < 32:
                for step in T.serial(steps):
                    slot = step % stages
                    T.mbarrier_wait_parity(empty[slot], step // stages % 2 ^ 1)
                    if pair:
                        T.tma_copy(
                            A[x * (bm // ctas): (x + 1) * (bm // ctas),
                              step * bk: (step + 1) * bk],
                            a[slot, :, :], barrier=full[slot])
                        T.tma_copy(
                            B[y * bn + rank * (bn // ctas): y * bn + (rank + 1) * (bn // ctas),
                              step * bk: (step + 1) * bk],
                            b[slot, :, :], barrier=full[slot])
                        T.mbarrier_arrive(full[slot], 0)
                    else:
                        T.tma_copy(A[x * bm: (x + 1) * bm, step * bk: (step + 1) * bk],
                                   a[slot, :, :], barrier=full[slot])
                        T.tma_copy(B[y * bn: (y + 1) * bn, step * bk: (step + 1) * bk],
                                   b[slot, :, :], barrier=full[slot])
                        T.mbarrier_arrive(full[slot])
            elif tid < 64 and rank == 0:
                for step in T.serial(steps):
                    slot = step % stages
                    T.mbarrier_wait_parity(full[slot], step // stages % 2)
                    T.tcgen05_gemm(a[slot, :, :], b[slot, :, :], acc, transpose_B=True,
                                   mbar=empty[slot], clear_accum=step == 0, use_2cta=pair)
                T.tcgen05_mma_arrive(done, arrive_2cta=pair)
            T.mbarrier_wait_parity(done, 0)
            T.sync_threads()
            if tid >= 128:
                T.copy(acc, result)
                T.copy(result, out)
                T.copy(out, C[x * (bm // ctas), y * bn])
            # Neither tensor memory nor a peer's barriers may go before their users.
            if pair:
                T.cluster_sync()
            else:
                T.sync_threads()

    return gemm
