# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Block-scaled matrix multiplications on tcgen05 in Gluon."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout,
                                                                 TensorMemoryScalesLayout,
                                                                 allocate_tensor_memory,
                                                                 fence_async_shared, mbarrier,
                                                                 tcgen05_copy,
                                                                 tcgen05_mma_scaled, tma)


@gluon.jit
def make_ring(desc, STAGES: gl.constexpr):
    return gl.allocate_shared_memory(desc.dtype, [STAGES] + desc.block_type.shape, desc.layout)


@gluon.jit
def make_barriers(STAGES: gl.constexpr, PAIR: gl.constexpr = False):
    """A ring of barriers. With PAIR, two CTAs share the leader's."""
    bars = mbarrier.allocate_mbarrier(batch=STAGES, two_ctas=PAIR)
    for i in gl.static_range(STAGES):
        mbarrier.init(bars.index(i), count=1)
    return bars


@gluon.jit
def as_matrix(slot, ROWS: gl.constexpr, COLS: gl.constexpr):
    """The scales of a slot as rows of the operand by blocks along K. They are
    stored in 128 x 4 pieces of 512 bytes, in each the 32 rows outermost, then
    four groups of 32 rows, then four blocks along K."""
    pieces = slot.reshape((ROWS // 128, COLS // 4, 32, 4, 4))
    return pieces.permute((0, 3, 2, 1, 4)).reshape((ROWS, COLS))


@gluon.jit
def matmul(a, a_scales, b, b_scales, d, K, FORMAT: gl.constexpr, VECTOR: gl.constexpr,
           PACKED: gl.constexpr, STAGES: gl.constexpr, PAIR: gl.constexpr):
    """D = (A * scales) (B * scales)^T, with a scale for VECTOR elements along K and
    PACKED elements in a byte. The scales go through shared into tensor memory.
    With PAIR, two CTAs share one product, and both get all of B's scales."""
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = d.block_type.shape[1]
    BYTES: gl.constexpr = a.block_type.shape[1]
    COLS: gl.constexpr = BYTES * PACKED // VECTOR
    tile_m = gl.program_id(0)
    tile_n = gl.program_id(1)
    steps = gl.cdiv(K, BYTES * PACKED)
    a_ring = make_ring(a, STAGES)
    b_ring = make_ring(b, STAGES)
    as_ring = make_ring(a_scales, STAGES)
    bs_ring = make_ring(b_scales, STAGES)
    full = make_barriers(STAGES, PAIR)
    empty = make_barriers(STAGES)
    halves: gl.constexpr = d.layout.cga_layout
    whole: gl.constexpr = [[0, 0]] if PAIR else []
    acc = allocate_tensor_memory(gl.float32, [BM, BN],
                                 TensorMemoryLayout([128, BN], 1, halves, PAIR))
    a_tmem = allocate_tensor_memory(a_scales.dtype, [BM, COLS], TensorMemoryScalesLayout(halves))
    b_tmem = allocate_tensor_memory(b_scales.dtype, [BN, COLS], TensorMemoryScalesLayout(whole))
    size: gl.constexpr = (a.nbytes_per_cta + b.nbytes_per_cta + a_scales.nbytes_per_cta +
                          b_scales.nbytes_per_cta)
    for step in range(steps + STAGES - 1):
        # The products stay STAGES - 1 steps behind the copies.
        slot = step % STAGES
        bar = full.index(slot)
        fill = step < steps
        mbarrier.wait(empty.index(slot), step // STAGES & 1 ^ 1, pred=fill)
        mbarrier.expect(bar, size, pred=fill)
        tma.async_load(a, [tile_m * BM, step * BYTES], bar, a_ring.index(slot), pred=fill)
        tma.async_load(b, [tile_n * BN, step * BYTES], bar, b_ring.index(slot), pred=fill)
        tma.async_load(a_scales, [tile_m * (BM // 128), step * (COLS // 4), 0, 0], bar,
                       as_ring.index(slot), pred=fill)
        tma.async_load(b_scales, [tile_n * (BN // 128), step * (COLS // 4), 0, 0], bar,
                       bs_ring.index(slot), pred=fill, multicast=PAIR)
        behind = step - (STAGES - 1)
        if behind >= 0:
            slot = behind % STAGES
            mbarrier.wait(full.index(slot), behind // STAGES & 1)
            tcgen05_copy(as_matrix(as_ring.index(slot), BM, COLS), a_tmem)
            tcgen05_copy(as_matrix(bs_ring.index(slot), BN, COLS), b_tmem)
            tcgen05_mma_scaled(a_ring.index(slot), b_ring.index(slot).permute((1, 0)), acc,
                               a_tmem, b_tmem, FORMAT, FORMAT, use_acc=behind > 0,
                               mbarriers=[empty.index(slot)])
    last = steps - 1
    mbarrier.wait(empty.index(last % STAGES), last // STAGES & 1)
    out = gl.allocate_shared_memory(d.dtype, d.block_type.shape, d.layout,
                                    acc.load().to(d.dtype))
    fence_async_shared()
    tma.async_store(d, [tile_m * BM, tile_n * BN], out)
    tma.store_wait(0)
