# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix multiplications on wgmma in Gluon. B is stored as N x K throughout, and
the block shapes are those of the descriptors."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (async_copy, cluster,
                                                              fence_async_shared, mbarrier, tma,
                                                              warpgroup_mma,
                                                              warpgroup_mma_wait)


@gluon.constexpr_function
def wgmma_layout(bn, bits, warps, cga=()):
    return gl.NVMMADistributedLayout([3, 0], [warps, 1], [16, bn, 256 // bits],
                                     [list(basis) for basis in cga])


@gluon.jit
def make_ring(desc, STAGES: gl.constexpr):
    return gl.allocate_shared_memory(desc.dtype, [STAGES] + desc.block_type.shape, desc.layout)


@gluon.jit
def make_barriers(COUNT: gl.constexpr, STAGES: gl.constexpr):
    bars = mbarrier.allocate_mbarrier(batch=STAGES)
    for i in gl.static_range(STAGES):
        mbarrier.init(bars.index(i), count=COUNT)
    return bars


@gluon.jit
def load_step(a, b, a_ring, b_ring, full, step, row, col, STAGES: gl.constexpr, pred,
              MULTICAST: gl.constexpr = False):
    """Starts the copies of one step of K into its slot."""
    slot = step % STAGES
    k = step * a.block_type.shape[1]
    bar = full.index(slot)
    mbarrier.expect(bar, a.nbytes_per_cta + b.nbytes_per_cta, pred=pred)
    tma.async_load(a, [row, k], bar, a_ring.index(slot), pred=pred)
    tma.async_load(b, [col, k], bar, b_ring.index(slot), pred=pred, multicast=MULTICAST)


@gluon.jit
def store_tile(d, row, col, acc):
    out = gl.allocate_shared_memory(d.dtype, d.block_type.shape, d.layout, acc.to(d.dtype))
    fence_async_shared()
    tma.async_store(d, [row, col], out)
    tma.store_wait(0)


@gluon.jit
def pipelined(a, b, d, K, STAGES: gl.constexpr):
    """D = A B^T, one tile for a program. Every warp issues wgmma, and one product
    stays in flight while the slot of the one before is filled again."""
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = d.block_type.shape[1]
    BK: gl.constexpr = a.block_type.shape[1]
    row = gl.program_id(0) * BM
    col = gl.program_id(1) * BN
    steps = gl.cdiv(K, BK)
    a_ring = make_ring(a, STAGES)
    b_ring = make_ring(b, STAGES)
    full = make_barriers(1, STAGES)
    for step in gl.static_range(STAGES - 1):
        load_step(a, b, a_ring, b_ring, full, step, row, col, STAGES, step < steps)
    layout: gl.constexpr = wgmma_layout(BN, a.dtype.primitive_bitwidth, gl.num_warps())
    acc = gl.zeros((BM, BN), gl.float32, layout)
    for step in range(steps):
        slot = step % STAGES
        mbarrier.wait(full.index(slot), step // STAGES & 1)
        acc = warpgroup_mma(a_ring.index(slot), b_ring.index(slot).permute((1, 0)), acc,
                            is_async=True)
        acc = warpgroup_mma_wait(1, deps=(acc, ))
        ahead = step + STAGES - 1
        load_step(a, b, a_ring, b_ring, full, ahead, row, col, STAGES, ahead < steps)
    acc = warpgroup_mma_wait(0, deps=(acc, ))
    store_tile(d, row, col, acc)


@gluon.jit
def multicast(a, b, d, K, STAGES: gl.constexpr):
    """D = A B^T by a cluster of two CTAs, which split M and receive B together.
    A slot is filled again when both have left it."""
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = d.block_type.shape[1]
    BK: gl.constexpr = a.block_type.shape[1]
    row = gl.program_id(0) * BM
    col = gl.program_id(1) * BN
    steps = gl.cdiv(K, BK)
    a_ring = make_ring(a, STAGES)
    b_ring = make_ring(b, STAGES)
    full = make_barriers(1, STAGES)
    for step in gl.static_range(STAGES - 1):
        load_step(a, b, a_ring, b_ring, full, step, row, col, STAGES, step < steps, True)
    layout: gl.constexpr = wgmma_layout(BN, 16, gl.num_warps(), a.layout.cga_layout)
    acc = gl.zeros((BM, BN), gl.float32, layout)
    for step in range(steps):
        slot = step % STAGES
        mbarrier.wait(full.index(slot), step // STAGES & 1)
        acc = warpgroup_mma(a_ring.index(slot), b_ring.index(slot).permute((1, 0)), acc,
                            is_async=True)
        acc = warpgroup_mma_wait(1, deps=(acc, ))
        cluster.barrier()
        ahead = step + STAGES - 1
        load_step(a, b, a_ring, b_ring, full, ahead, row, col, STAGES, ahead < steps, True)
    acc = warpgroup_mma_wait(0, deps=(acc, ))
    store_tile(d, row, col, acc)


@gluon.jit
def specialized_load(a, b, d, a_ring, b_ring, full, empty, M, N, K, STAGES: gl.constexpr):
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = d.block_type.shape[1]
    columns = gl.cdiv(N, BN)
    steps = gl.cdiv(K, a.block_type.shape[1])
    step = 0
    for item in range(gl.program_id(0), gl.cdiv(M, BM) * columns, gl.num_programs(0)):
        for k in range(steps):
            slot = step % STAGES
            mbarrier.wait(empty.index(slot), step // STAGES & 1 ^ 1)
            bar = full.index(slot)
            mbarrier.expect(bar, a.nbytes_per_cta + b.nbytes_per_cta)
            at = k * a.block_type.shape[1]
            tma.async_load(a, [item // columns * BM, at], bar, a_ring.index(slot))
            tma.async_load(b, [item % columns * BN, at], bar, b_ring.index(slot))
            step += 1


@gluon.jit
def specialized_mma(a, d, a_ring, b_ring, full, empty, M, N, K, STAGES: gl.constexpr):
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = d.block_type.shape[1]
    layout: gl.constexpr = wgmma_layout(BN, a.dtype.primitive_bitwidth, gl.num_warps())
    out = gl.allocate_shared_memory(d.dtype, d.block_type.shape, d.layout)
    columns = gl.cdiv(N, BN)
    steps = gl.cdiv(K, a.block_type.shape[1])
    step = 0
    for item in range(gl.program_id(0), gl.cdiv(M, BM) * columns, gl.num_programs(0)):
        acc = gl.zeros((BM, BN), gl.float32, layout)
        for k in range(steps):
            slot = step % STAGES
            mbarrier.wait(full.index(slot), step // STAGES & 1)
            acc = warpgroup_mma(a_ring.index(slot), b_ring.index(slot).permute((1, 0)), acc,
                                is_async=True)
            acc = warpgroup_mma_wait(1, deps=(acc, ))
            # The product before this one is done: its slot is free.
            mbarrier.arrive(empty.index((step + STAGES - 1) % STAGES), pred=k > 0)
            step += 1
        acc = warpgroup_mma_wait(0, deps=(acc, ))
        mbarrier.arrive(empty.index((step + STAGES - 1) % STAGES), pred=steps > 0)
        tma.store_wait(0)
        out.store(acc.to(d.dtype))
        fence_async_shared()
        tma.async_store(d, [item // columns * BM, item % columns * BN], out)
    tma.store_wait(0)


@gluon.jit
def specialized(a, b, d, M, N, K, STAGES: gl.constexpr):
    """D = A B^T, persistent: one warp loads, the others multiply and store."""
    a_ring = make_ring(a, STAGES)
    b_ring = make_ring(b, STAGES)
    full = make_barriers(1, STAGES)
    empty = make_barriers(1, STAGES)
    gl.warp_specialize([
        (specialized_mma, (a, d, a_ring, b_ring, full, empty, M, N, K, STAGES)),
        (specialized_load, (a, b, d, a_ring, b_ring, full, empty, M, N, K, STAGES)),
    ], [1], [40])


@gluon.jit
def split_k(a, b, d, K, SHARE: gl.constexpr):
    """D += relu(A) B^T, each program adding its SHARE steps of K with a reducing
    copy. The left operand is read from registers, where the ReLU happens."""
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = d.block_type.shape[1]
    BK: gl.constexpr = a.block_type.shape[1]
    row = gl.program_id(0) * BM
    col = gl.program_id(1) * BN
    a_ring = make_ring(a, 1)
    b_ring = make_ring(b, 1)
    full = make_barriers(1, 1)
    layout: gl.constexpr = wgmma_layout(BN, 16, gl.num_warps())
    left: gl.constexpr = gl.DotOperandLayout(0, layout, 2)
    acc = gl.zeros((BM, BN), gl.float32, layout)
    first = gl.program_id(2) * SHARE
    last = gl.minimum(first + SHARE, gl.cdiv(K, BK))
    for step in range(first, last):
        mbarrier.expect(full.index(0), a.nbytes_per_cta + b.nbytes_per_cta)
        tma.async_load(a, [row, step * BK], full.index(0), a_ring.index(0))
        tma.async_load(b, [col, step * BK], full.index(0), b_ring.index(0))
        mbarrier.wait(full.index(0), step - first & 1)
        x = gl.maximum(a_ring.index(0).load(left), 0.0)
        acc = warpgroup_mma(x, b_ring.index(0).permute((1, 0)), acc)
    out = gl.allocate_shared_memory(d.dtype, d.block_type.shape, d.layout, acc.to(d.dtype))
    fence_async_shared()
    tma.async_atomic_add(d, [row, col], out)
    tma.store_wait(0)


@gluon.jit
def copy_step(a, b, a_ring, b_ring, rows, cols, step, M, N, K, lda, ldb, BK: gl.constexpr,
              STAGES: gl.constexpr, LAYOUT: gl.constexpr):
    """Starts the copies of one step of K, through pointers, as one group. What
    lies outside the matrices arrives as zero."""
    ks = step * BK + gl.arange(0, BK, gl.SliceLayout(0, LAYOUT))
    slot = step % STAGES
    async_copy.async_load(a_ring.index(slot), a + rows[:, None] * lda + ks[None, :],
                          mask=(rows[:, None] < M) & (ks[None, :] < K))
    async_copy.async_load(b_ring.index(slot), b + cols[:, None] * ldb + ks[None, :],
                          mask=(cols[:, None] < N) & (ks[None, :] < K))
    async_copy.commit_group()


@gluon.jit
def cp_async(a, b, d, M, N, K, lda, ldb, ldd, BM: gl.constexpr, BN: gl.constexpr,
             BK: gl.constexpr, STAGES: gl.constexpr):
    """D = A B^T through pointers, with copies that fill a ring in groups."""
    copies: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0])
    smem: gl.constexpr = gl.NVMMASharedLayout(128, 16)
    a_ring = gl.allocate_shared_memory(gl.bfloat16, [STAGES, BM, BK], smem)
    b_ring = gl.allocate_shared_memory(gl.bfloat16, [STAGES, BN, BK], smem)
    rows = gl.program_id(0) * BM + gl.arange(0, BM, gl.SliceLayout(1, copies))
    cols = gl.program_id(1) * BN + gl.arange(0, BN, gl.SliceLayout(1, copies))
    for step in gl.static_range(STAGES - 1):
        copy_step(a, b, a_ring, b_ring, rows, cols, step, M, N, K, lda, ldb, BK, STAGES, copies)
    layout: gl.constexpr = wgmma_layout(BN, 16, gl.num_warps())
    acc = gl.zeros((BM, BN), gl.float32, layout)
    for step in range(gl.cdiv(K, BK)):
        async_copy.wait_group(STAGES - 2)
        gl.barrier()
        fence_async_shared()
        slot = step % STAGES
        acc = warpgroup_mma(a_ring.index(slot), b_ring.index(slot).permute((1, 0)), acc)
        copy_step(a, b, a_ring, b_ring, rows, cols, step + STAGES - 1, M, N, K, lda, ldb, BK,
                  STAGES, copies)
    async_copy.wait_group(0)
    out_rows = gl.program_id(0) * BM + gl.arange(0, BM, gl.SliceLayout(1, layout))
    out_cols = gl.program_id(1) * BN + gl.arange(0, BN, gl.SliceLayout(0, layout))
    gl.store(d + out_rows[:, None] * ldd + out_cols[None, :], acc.to(gl.bfloat16),
             mask=(out_rows[:, None] < M) & (out_cols[None, :] < N))
