# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix multiplications on tcgen05 in Gluon. B is stored as N x K throughout,
K is at least one step, and the block shapes are those of the descriptors."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout,
                                                                 allocate_tensor_memory,
                                                                 fence_async_shared, mbarrier,
                                                                 tcgen05_commit, tcgen05_mma, tma)


@gluon.jit
def make_ring(desc, STAGES: gl.constexpr):
    return gl.allocate_shared_memory(desc.dtype, [STAGES] + desc.block_type.shape, desc.layout)


@gluon.jit
def make_barriers(STAGES: gl.constexpr, COUNT: gl.constexpr = 1, PAIR: gl.constexpr = False):
    """A ring of barriers. With PAIR, two CTAs share the leader's."""
    bars = mbarrier.allocate_mbarrier(batch=STAGES, two_ctas=PAIR)
    for i in gl.static_range(STAGES):
        mbarrier.init(bars.index(i), count=COUNT)
    return bars


@gluon.jit
def store_tile(d, row, col, value):
    out = gl.allocate_shared_memory(d.dtype, d.block_type.shape, d.layout, value.to(d.dtype))
    fence_async_shared()
    tma.async_store(d, [row, col], out)
    tma.store_wait(0)


@gluon.jit
def pipelined(a, b, d, K, STAGES: gl.constexpr):
    """D = A B^T, one tile for a program; every warp waits on the same barriers."""
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = d.block_type.shape[1]
    BK: gl.constexpr = a.block_type.shape[1]
    row = gl.program_id(0) * BM
    col = gl.program_id(1) * BN
    steps = gl.cdiv(K, BK)
    a_ring = make_ring(a, STAGES)
    b_ring = make_ring(b, STAGES)
    full = make_barriers(STAGES)
    empty = make_barriers(STAGES)
    acc = allocate_tensor_memory(gl.float32, [BM, BN], TensorMemoryLayout([BM, BN], 1))
    for step in range(steps + STAGES - 1):
        # The products stay STAGES - 1 steps behind the copies.
        slot = step % STAGES
        fill = step < steps
        mbarrier.wait(empty.index(slot), step // STAGES & 1 ^ 1, pred=fill)
        mbarrier.expect(full.index(slot), a.nbytes_per_cta + b.nbytes_per_cta, pred=fill)
        tma.async_load(a, [row, step * BK], full.index(slot), a_ring.index(slot), pred=fill)
        tma.async_load(b, [col, step * BK], full.index(slot), b_ring.index(slot), pred=fill)
        behind = step - (STAGES - 1)
        slot = (behind + STAGES) % STAGES
        mbarrier.wait(full.index(slot), behind // STAGES & 1, pred=behind >= 0)
        tcgen05_mma(a_ring.index(slot), b_ring.index(slot).permute((1, 0)), acc,
                    use_acc=behind > 0, pred=behind >= 0, mbarriers=[empty.index(slot)],
                    mbarrier_preds=[behind >= 0])
    last = steps - 1
    mbarrier.wait(empty.index(last % STAGES), last // STAGES & 1)
    store_tile(d, row, col, acc.load())


@gluon.jit
def load_role(a, b, d, a_ring, b_ring, full, empty, M, N, K, STAGES: gl.constexpr):
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = d.block_type.shape[1]
    BK: gl.constexpr = a.block_type.shape[1]
    columns = gl.cdiv(N, BN)
    step = 0
    for item in range(gl.program_id(0), gl.cdiv(M, BM) * columns, gl.num_programs(0)):
        for k in range(0, K, BK):
            slot = step % STAGES
            mbarrier.wait(empty.index(slot), step // STAGES & 1 ^ 1)
            mbarrier.expect(full.index(slot), a.nbytes_per_cta + b.nbytes_per_cta)
            tma.async_load(a, [item // columns * BM, k], full.index(slot), a_ring.index(slot))
            tma.async_load(b, [item % columns * BN, k], full.index(slot), b_ring.index(slot))
            step += 1


@gluon.jit
def mma_role(a, d, a_ring, b_ring, full, empty, accs, done, drained, M, N, K,
             STAGES: gl.constexpr):
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = d.block_type.shape[1]
    BK: gl.constexpr = a.block_type.shape[1]
    step = 0
    count = 0
    for item in range(gl.program_id(0), gl.cdiv(M, BM) * gl.cdiv(N, BN), gl.num_programs(0)):
        half = count % 2
        mbarrier.wait(drained.index(half), count // 2 & 1 ^ 1)
        for k in range(0, K, BK):
            slot = step % STAGES
            mbarrier.wait(full.index(slot), step // STAGES & 1)
            tcgen05_mma(a_ring.index(slot), b_ring.index(slot).permute((1, 0)),
                        accs.index(half), use_acc=k > 0, mbarriers=[empty.index(slot)])
            step += 1
        tcgen05_commit(done.index(half))
        count += 1


@gluon.jit
def epilogue_role(d, accs, done, drained, M, N):
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = d.block_type.shape[1]
    out = gl.allocate_shared_memory(d.dtype, d.block_type.shape, d.layout)
    columns = gl.cdiv(N, BN)
    count = 0
    for item in range(gl.program_id(0), gl.cdiv(M, BM) * columns, gl.num_programs(0)):
        half = count % 2
        mbarrier.wait(done.index(half), count // 2 & 1)
        value = accs.index(half).load()
        mbarrier.arrive(drained.index(half))
        tma.store_wait(0)
        out.store(value.to(d.dtype))
        fence_async_shared()
        tma.async_store(d, [item // columns * BM, item % columns * BN], out)
        count += 1
    tma.store_wait(0)


@gluon.jit
def specialized(a, b, d, M, N, K, STAGES: gl.constexpr, PAIR: gl.constexpr):
    """D = A B^T, persistent: a warp loads, a warp multiplies into two halves of
    tensor memory in turn, and four warps store. With PAIR, two CTAs share one
    product: each loads half of A's rows and half of B's."""
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = d.block_type.shape[1]
    a_ring = make_ring(a, STAGES)
    b_ring = make_ring(b, STAGES)
    full = make_barriers(STAGES, PAIR=PAIR)
    empty = make_barriers(STAGES)
    done = make_barriers(2)
    drained = make_barriers(2, PAIR=PAIR)
    layout: gl.constexpr = TensorMemoryLayout([BM // gl.num_ctas(), BN], 1,
                                              d.layout.cga_layout, PAIR)
    accs = allocate_tensor_memory(gl.float32, [2, BM, BN], layout)
    gl.warp_specialize([
        (epilogue_role, (d, accs, done, drained, M, N)),
        (load_role, (a, b, d, a_ring, b_ring, full, empty, M, N, K, STAGES)),
        (mma_role, (a, d, a_ring, b_ring, full, empty, accs, done, drained, M, N, K, STAGES)),
    ], [1, 1], [40, 40])


@gluon.jit
def lhs_in_tmem(a, scale, b, d, K):
    """D = (scale * A) B^T with int8 A: it is widened in registers and handed to
    the tensor core through tensor memory."""
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = d.block_type.shape[1]
    BK: gl.constexpr = a.block_type.shape[1]
    row = gl.program_id(0) * BM
    col = gl.program_id(1) * BN
    a_slot = make_ring(a, 1).index(0)
    b_slot = make_ring(b, 1).index(0)
    full = make_barriers(1).index(0)
    done = make_barriers(1).index(0)
    acc = allocate_tensor_memory(gl.float32, [BM, BN], TensorMemoryLayout([BM, BN], 1))
    left = allocate_tensor_memory(gl.bfloat16, [BM, BK], TensorMemoryLayout([BM, BK], 1))
    layout: gl.constexpr = left.get_reg_layout()
    rows = row + gl.arange(0, BM, gl.SliceLayout(1, layout))
    factors = gl.load(scale + rows)
    phase = 0
    for k in range(0, K, BK):
        mbarrier.expect(full, a.nbytes_per_cta + b.nbytes_per_cta)
        tma.async_load(a, [row, k], full, a_slot)
        tma.async_load(b, [col, k], full, b_slot)
        mbarrier.wait(full, phase)
        x = a_slot.load(layout).to(gl.float32) * factors[:, None]
        left.store(x.to(gl.bfloat16))
        tcgen05_mma(left, b_slot.permute((1, 0)), acc, use_acc=k > 0, mbarriers=[done])
        mbarrier.wait(done, phase)
        phase ^= 1
    store_tile(d, row, col, acc.load())


@gluon.jit
def gathered(a, b, indices, d, K):
    """D = A[indices] B^T, the rows of A gathered by the copy itself."""
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = d.block_type.shape[1]
    BK: gl.constexpr = b.block_type.shape[1]
    row = gl.program_id(0) * BM
    col = gl.program_id(1) * BN
    a_slot = gl.allocate_shared_memory(a.dtype, [BM, BK], a.layout)
    b_slot = make_ring(b, 1).index(0)
    full = make_barriers(1).index(0)
    done = make_barriers(1).index(0)
    acc = allocate_tensor_memory(gl.float32, [BM, BN], TensorMemoryLayout([BM, BN], 1))
    # A warp's gather takes four rows at a time from a register of each lane.
    layout: gl.constexpr = gl.SliceLayout(
        0, gl.BlockedLayout([1, 4], [32, 1], [1, gl.num_warps()], [1, 0]))
    rows = gl.load(indices + row + gl.arange(0, BM, layout))
    phase = 0
    for k in range(0, K, BK):
        mbarrier.expect(full, BM * BK * 2 + b.nbytes_per_cta)
        tma.async_gather(a, rows, k, full, a_slot)
        tma.async_load(b, [col, k], full, b_slot)
        mbarrier.wait(full, phase)
        tcgen05_mma(a_slot, b_slot.permute((1, 0)), acc, use_acc=k > 0, mbarriers=[done])
        mbarrier.wait(done, phase)
        phase ^= 1
    store_tile(d, row, col, acc.load())
