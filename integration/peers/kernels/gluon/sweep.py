# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix multiplications whose times others have published for many shapes, for
../../../timing. `persistent` is for wgmma; the others are for tcgen05 and take their
tiles by cluster launch control or in turn. B is stored as K x N, unless it has scales."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout,
                                                                 TensorMemoryScalesLayout,
                                                                 allocate_tensor_memory,
                                                                 fence_async_shared, mbarrier,
                                                                 tcgen05_commit, tcgen05_copy,
                                                                 tcgen05_mma, tcgen05_mma_scaled,
                                                                 tma)
from triton.experimental.gluon.language.nvidia.hopper import (warpgroup_mma,
                                                              warpgroup_mma_wait)

from .clc import make_barriers, next_item, schedule_role
from .hopper import wgmma_layout
from .scaled import as_matrix, make_ring


@gluon.jit
def load_step(a, b, a_ring, b_ring, full, step, row, k, col, STAGES: gl.constexpr, pred):
    slot = step % STAGES
    bar = full.index(slot)
    mbarrier.expect(bar, a.nbytes_per_cta + b.nbytes_per_cta, pred=pred)
    tma.async_load(a, [row, k], bar, a_ring.index(slot), pred=pred)
    tma.async_load(b, [k, col], bar, b_ring.index(slot), pred=pred)


@gluon.jit
def multiply_step(acc, a_ring, b_ring, full, step, add, STAGES: gl.constexpr):
    """One product stays in flight."""
    slot = step % STAGES
    mbarrier.wait(full.index(slot), step // STAGES & 1)
    acc = warpgroup_mma_wait(0, deps=(acc, ))
    return warpgroup_mma(a_ring.index(slot), b_ring.index(slot), acc, use_acc=add, is_async=True)


@gluon.jit
def persistent(a, b, d, M, N, K, STAGES: gl.constexpr):
    """Each program has a range of tiles, column by column. All warps multiply, and the
    copies of a tile start while the one before is multiplied and stored."""
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = d.block_type.shape[1]
    BK: gl.constexpr = a.block_type.shape[1]
    a_ring = make_ring(a, STAGES)
    b_ring = make_ring(b, STAGES)
    out = gl.allocate_shared_memory(d.dtype, d.block_type.shape, d.layout)
    full = make_barriers(STAGES)
    rows = gl.cdiv(M, BM)
    tiles = rows * gl.cdiv(N, BN)
    share = gl.cdiv(tiles, gl.num_programs(0))
    item = gl.program_id(0) * share
    last = gl.minimum(item + share, tiles)
    row = item % rows * BM
    col = item // rows * BN
    for step in gl.static_range(STAGES - 1):
        load_step(a, b, a_ring, b_ring, full, step, row, step * BK, col, STAGES, item < last)
    loaded = STAGES - 1
    done = 0
    layout: gl.constexpr = wgmma_layout(BN, a.dtype.primitive_bitwidth, gl.num_warps())
    acc = gl.zeros((BM, BN), gl.float32, layout)
    while item < last:
        acc = multiply_step(acc, a_ring, b_ring, full, done, False, STAGES)
        done += 1
        for k in range((STAGES - 1) * BK, K, BK):
            load_step(a, b, a_ring, b_ring, full, loaded, row, k, col, STAGES, True)
            acc = multiply_step(acc, a_ring, b_ring, full, done, True, STAGES)
            loaded += 1
            done += 1
        out_row = row
        out_col = col
        item += 1
        row = item % rows * BM
        col = item // rows * BN
        for step in gl.static_range(STAGES - 2):
            load_step(a, b, a_ring, b_ring, full, loaded, row, step * BK, col, STAGES,
                      item < last)
            acc = multiply_step(acc, a_ring, b_ring, full, done, True, STAGES)
            loaded += 1
            done += 1
        load_step(a, b, a_ring, b_ring, full, loaded, row, (STAGES - 2) * BK, col, STAGES,
                  item < last)
        loaded += 1
        acc = warpgroup_mma_wait(0, deps=(acc, ))
        tma.store_wait(0)
        out.store(acc.to(d.dtype))
        fence_async_shared()
        tma.async_store(d, [out_row, out_col], out)
    tma.store_wait(0)


@gluon.jit
def place(item, N, BM: gl.constexpr, BN: gl.constexpr, WIDTH: gl.constexpr, CLC: gl.constexpr):
    """Of a tile: bands of WIDTH rows of tiles, column by column. With CLC, every other
    band from the last column to the first."""
    columns = gl.cdiv(N, BN)
    band = item // (WIDTH * columns)
    column = item // WIDTH % columns
    if CLC:
        column = gl.where(band % 2 == 0, column, columns - 1 - column)
    return (band * WIDTH + item % WIDTH) * BM, column * BN


@gluon.jit
def follow(item, tiles, clc, count, CLC: gl.constexpr):
    """The next tile, or -1."""
    if CLC:
        return next_item(clc[0], clc[1], clc[2], count)
    else:
        item += gl.num_programs(0)
        return gl.where(item < tiles, item, -1)


@gluon.jit
def load_role(a, b, a_ring, b_ring, full, empty, clc, N, K, tiles, BM: gl.constexpr,
              BN: gl.constexpr, WIDTH: gl.constexpr, STAGES: gl.constexpr, CLC: gl.constexpr):
    item = gl.program_id(0)
    count = 0
    step = 0
    while item >= 0:
        row, col = place(item, N, BM, BN, WIDTH, CLC)
        for k in range(0, K, a.block_type.shape[1]):
            mbarrier.wait(empty.index(step % STAGES), step // STAGES & 1 ^ 1)
            load_step(a, b, a_ring, b_ring, full, step, row, k, col, STAGES, True)
            step += 1
        item = follow(item, tiles, clc, count, CLC)
        count += 1


@gluon.jit
def mma_role(a_ring, b_ring, full, empty, accs, done, drained, clc, K, tiles, BK: gl.constexpr,
             STAGES: gl.constexpr, ACCS: gl.constexpr, CLC: gl.constexpr):
    item = gl.program_id(0)
    count = 0
    step = 0
    while item >= 0:
        mbarrier.wait(drained.index(count % ACCS), count // ACCS & 1 ^ 1)
        for k in range(0, K, BK):
            slot = step % STAGES
            mbarrier.wait(full.index(slot), step // STAGES & 1)
            tcgen05_mma(a_ring.index(slot), b_ring.index(slot), accs.index(count % ACCS),
                        use_acc=k > 0, mbarriers=[empty.index(slot)])
            step += 1
        tcgen05_commit(done.index(count % ACCS))
        item = follow(item, tiles, clc, count, CLC)
        count += 1


@gluon.jit
def epilogue_role(d, accs, done, drained, clc, N, tiles, BN: gl.constexpr, WIDTH: gl.constexpr,
                  BUFFERS: gl.constexpr, ACCS: gl.constexpr, CLC: gl.constexpr):
    """Stores a tile in slices as wide as D's block."""
    BM: gl.constexpr = d.block_type.shape[0]
    SLICE: gl.constexpr = d.block_type.shape[1]
    out = gl.allocate_shared_memory(d.dtype, [BUFFERS] + d.block_type.shape, d.layout)
    item = gl.program_id(0)
    count = 0
    stored = 0
    while item >= 0:
        row, col = place(item, N, BM, BN, WIDTH, CLC)
        acc = accs.index(count % ACCS)
        mbarrier.wait(done.index(count % ACCS), count // ACCS & 1)
        for part in gl.static_range(BN // SLICE):
            value = acc.slice(part * SLICE, SLICE).load().to(d.dtype)
            if part == BN // SLICE - 1:
                mbarrier.arrive(drained.index(count % ACCS))
            tma.store_wait(BUFFERS - 1)
            out.index(stored % BUFFERS).store(value)
            fence_async_shared()
            tma.async_store(d, [row, col + part * SLICE], out.index(stored % BUFFERS))
            stored += 1
        item = follow(item, tiles, clc, count, CLC)
        count += 1
    tma.store_wait(0)


@gluon.jit
def pair(a, b, d, M, N, K, STAGES: gl.constexpr, WIDTH: gl.constexpr, BUFFERS: gl.constexpr):
    """Two CTAs share one product: each loads half of A's rows and of B's columns."""
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = b.block_type.shape[1]
    BK: gl.constexpr = a.block_type.shape[1]
    a_ring = make_ring(a, STAGES)
    b_ring = make_ring(b, STAGES)
    full = make_barriers(STAGES, PAIR=True)
    empty = make_barriers(STAGES)
    done = make_barriers(2)
    drained = make_barriers(2, PAIR=True)
    ready = make_barriers(2)
    taken = make_barriers(2, 4, True)
    messages = gl.allocate_shared_memory(gl.int64, [2, 2],
                                         mbarrier.MBarrierLayout.multicta(2, two_cta=True))
    accs = allocate_tensor_memory(gl.float32, [2, BM, BN],
                                  TensorMemoryLayout([128, BN], 1, d.layout.cga_layout, True))
    tiles = gl.cdiv(M, BM) * gl.cdiv(N, BN)
    clc = (messages, ready, taken)
    gl.warp_specialize([
        (epilogue_role, (d, accs, done, drained, clc, N, tiles, BN, WIDTH, BUFFERS, 2, True)),
        (load_role, (a, b, a_ring, b_ring, full, empty, clc, N, K, tiles, BM, BN, WIDTH, STAGES,
                     True)),
        (mma_role, (a_ring, b_ring, full, empty, accs, done, drained, clc, K, tiles, BK, STAGES,
                    2, True)),
        (schedule_role, (messages, ready, taken)),
    ], [1, 1, 1], [40, 40, 24])


@gluon.jit
def scaled_load_role(a, a_scales, b, b_scales, rings, full, empty, clc, N, steps, tiles,
                     BM: gl.constexpr, BN: gl.constexpr, WIDTH: gl.constexpr,
                     STAGES: gl.constexpr, CLC: gl.constexpr):
    BYTES: gl.constexpr = a.block_type.shape[1]
    PIECES: gl.constexpr = a_scales.block_type.shape[1]
    size: gl.constexpr = (a.nbytes_per_cta + b.nbytes_per_cta + a_scales.nbytes_per_cta +
                          b_scales.nbytes_per_cta)
    item = gl.program_id(0)
    count = 0
    step = 0
    while item >= 0:
        row, col = place(item, N, BM, BN, WIDTH, CLC)
        for k in range(steps):
            slot = step % STAGES
            bar = full.index(slot)
            mbarrier.wait(empty.index(slot), step // STAGES & 1 ^ 1)
            mbarrier.expect(bar, size)
            tma.async_load(a, [row, k * BYTES], bar, rings[0].index(slot))
            tma.async_load(b, [col, k * BYTES], bar, rings[2].index(slot))
            tma.async_load(a_scales, [row // 128, k * PIECES, 0, 0], bar, rings[1].index(slot))
            tma.async_load(b_scales, [col // 128, k * PIECES, 0, 0], bar, rings[3].index(slot),
                           multicast=CLC)
            step += 1
        item = follow(item, tiles, clc, count, CLC)
        count += 1


@gluon.jit
def scaled_mma_role(rings, scales, full, empty, accs, done, drained, clc, steps, tiles,
                    BM: gl.constexpr, BN: gl.constexpr, COLS: gl.constexpr,
                    FORMAT: gl.constexpr, STAGES: gl.constexpr, CLC: gl.constexpr):
    item = gl.program_id(0)
    count = 0
    step = 0
    while item >= 0:
        mbarrier.wait(drained.index(0), count & 1 ^ 1)
        for k in range(steps):
            slot = step % STAGES
            mbarrier.wait(full.index(slot), step // STAGES & 1)
            tcgen05_copy(as_matrix(rings[1].index(slot), BM, COLS), scales[0])
            tcgen05_copy(as_matrix(rings[3].index(slot), BN, COLS), scales[1])
            tcgen05_mma_scaled(rings[0].index(slot), rings[2].index(slot).permute((1, 0)),
                               accs.index(0), scales[0], scales[1], FORMAT, FORMAT,
                               use_acc=k > 0, mbarriers=[empty.index(slot)])
            step += 1
        tcgen05_commit(done.index(0))
        item = follow(item, tiles, clc, count, CLC)
        count += 1


@gluon.jit
def scaled(a, a_scales, b, b_scales, d, M, N, K, FORMAT: gl.constexpr, VECTOR: gl.constexpr,
           PACKED: gl.constexpr, STAGES: gl.constexpr, WIDTH: gl.constexpr,
           BUFFERS: gl.constexpr, CLC: gl.constexpr):
    """With block scales, as scaled.py has them. With CLC, two CTAs share one product."""
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = b.block_type.shape[0]
    COLS: gl.constexpr = a.block_type.shape[1] * PACKED // VECTOR
    rings = (make_ring(a, STAGES), make_ring(a_scales, STAGES), make_ring(b, STAGES),
             make_ring(b_scales, STAGES))
    full = make_barriers(STAGES, PAIR=CLC)
    empty = make_barriers(STAGES)
    done = make_barriers(1)
    drained = make_barriers(1, PAIR=CLC)
    halves: gl.constexpr = d.layout.cga_layout
    whole: gl.constexpr = [[0, 0]] if CLC else []
    accs = allocate_tensor_memory(gl.float32, [1, BM, BN],
                                  TensorMemoryLayout([128, BN], 1, halves, CLC))
    scales = (allocate_tensor_memory(a_scales.dtype, [BM, COLS],
                                     TensorMemoryScalesLayout(halves)),
              allocate_tensor_memory(b_scales.dtype, [BN, COLS],
                                     TensorMemoryScalesLayout(whole)))
    tiles = gl.cdiv(M, BM) * gl.cdiv(N, BN)
    steps = gl.cdiv(K, a.block_type.shape[1] * PACKED)
    if CLC:
        ready = make_barriers(2)
        taken = make_barriers(2, 4, True)
        messages = gl.allocate_shared_memory(gl.int64, [2, 2],
                                             mbarrier.MBarrierLayout.multicta(2, two_cta=True))
        clc = (messages, ready, taken)
        gl.warp_specialize([
            (epilogue_role, (d, accs, done, drained, clc, N, tiles, BN, WIDTH, BUFFERS, 1, CLC)),
            (scaled_load_role, (a, a_scales, b, b_scales, rings, full, empty, clc, N, steps,
                                tiles, BM, BN, WIDTH, STAGES, CLC)),
            (scaled_mma_role, (rings, scales, full, empty, accs, done, drained, clc, steps,
                               tiles, BM, BN, COLS, FORMAT, STAGES, CLC)),
            (schedule_role, (messages, ready, taken)),
        ], [1, 1, 1], [40, 40, 24])
    else:
        clc = (full, full, full)
        gl.warp_specialize([
            (epilogue_role, (d, accs, done, drained, clc, N, tiles, BN, WIDTH, BUFFERS, 1, CLC)),
            (scaled_load_role, (a, a_scales, b, b_scales, rings, full, empty, clc, N, steps,
                                tiles, BM, BN, WIDTH, STAGES, CLC)),
            (scaled_mma_role, (rings, scales, full, empty, accs, done, drained, clc, steps,
                               tiles, BM, BN, COLS, FORMAT, STAGES, CLC)),
        ], [1, 1], [40, 40])
