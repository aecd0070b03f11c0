# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A block-scaled multiplication in TileLang:

  C[m, n] = sum over k of A[m, k] * SFA[m, k / 32] * B[n, k] * SFB[n, k / 32]

A and B are E4M3, the scales E8M0. A word holds the scales of 128 values along K,
the first in its lowest byte; words lie with the rows of the matrix innermost:
SFA[word * M + row]. Sizes are fixed when the kernel is compiled and are multiples
of the tile.
"""

import tilelang.language as T


def mxfp8(m, n, k, tile=(128, 128), stages=3):
    """Roles written by hand: warp 0 loads, warp 1 moves the scales to tensor memory
    and multiplies, warp 2 reorders the scales for it, warps 4-7 write."""
    bm, bn = tile
    bk = 128
    steps = k // bk

    @T.prim_func
    def gemm(A: T.Tensor((m, k), "float8_e4m3fn"), B: T.Tensor((n, k), "float8_e4m3fn"),
             SFA: T.Tensor((steps * m,), "uint32"), SFB: T.Tensor((steps * n,), "uint32"),
             C: T.Tensor((m, n), "bfloat16")):
        with T.Kernel(n // bn, m // bm, threads=256) as (x, y):
            a = T.alloc_shared((stages, bm, bk), "float8_e4m3fn")
            b = T.alloc_shared((stages, bn, bk), "float8_e4m3fn")
            sfa = T.alloc_shared((stages, bm), "uint32")
            sfb = T.alloc_shared((stages, bn), "uint32")
            out = T.alloc_shared((bm, bn), "bfloat16")
            acc = T.alloc_tmem((bm, bn), "float32")
            sfa_tmem = T.alloc_tmem((bm, bm // 128 * 4), "uint32")
            sfb_tmem = T.alloc_tmem((bm, bn // 128 * 4), "uint32")
            result = T.alloc_fragment((bm, bn), "float32")
            full = T.alloc_barrier([32] * stages)
            ordered = T.alloc_barrier([32] * stages)
            empty = T.alloc_barrier([1] * stages)
            done = T.alloc_barrier(1)
            tid = T.get_thread_binding()
            if tid < 32:
                for step in T.serial(steps):
                    slot = step % stages
                    T.mbarrier_wait_parity(empty[slot], step // stages % 2 ^ 1)
                    T.tma_copy(A[y * bm: (y + 1) * bm, step * bk: (step + 1) * bk],
                               a[slot, :, :], barrier=full[slot])
                    T.tma_copy(B[x * bn: (x + 1) * bn, step * bk: (step + 1) * bk],
                               b[slot, :, :], barrier=full[slot])
                    T.tma_copy(SFA[step * m + y * bm: step * m + (y + 1) * bm],
                               sfa[slot, :], barrier=full[slot])
                    T.tma_copy(SFB[step * n + x * bn: step * n + (x + 1) * bn],
                               sfb[slot, :], barrier=full[slot])
                    T.mbarrier_arrive(full[slot])
            elif tid < 64:
                for step in T.serial(steps):
                    slot = step % stages
                    T.mbarrier_wait_parity(ordered[slot], step // stages % 2)
                    T.tcgen05_cp_warpx4(sfa[slot, :], sfa_tmem)
                    T.tcgen05_cp_warpx4(sfb[slot, :], sfb_tmem)
                    T.tcgen05_gemm_blockscaled(
                        a[slot, :, :], b[slot, :, :], acc, sfa_tmem, sfb_tmem,
                        transpose_B=True, mbar=empty[slot], clear_accum=step == 0,
                        k_start=step * bk, sf_a_granularity_k=32, sf_b_granularity_k=32)
                T.tcgen05_mma_arrive(done)
            elif tid < 96:
                for step in T.serial(steps):
                    slot = step % stages
                    T.mbarrier_wait_parity(full[slot], step // stages % 2)
                    T.tcgen05_sf_warp_transpose(sfa[slot, :])
                    T.tcgen05_sf_warp_transpose(sfb[slot, :])
                    T.fence_proxy_async()
                    T.mbarrier_arrive(ordered[slot])
            T.mbarrier_wait_parity(done, 0)
            T.sync_threads()
            if tid >= 128:
                T.copy(acc, result)
                T.copy(result, out)
                T.copy(out, C[y * bm, x * bn])
            T.sync_threads()

    return gemm
