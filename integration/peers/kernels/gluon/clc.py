# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A matrix multiplication in Gluon that takes its tiles by cluster launch control:
the grid has a program for each tile, and those that run cancel those that wait."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout,
                                                                 allocate_tensor_memory, clc,
                                                                 fence_async_shared, mbarrier,
                                                                 tcgen05_commit, tcgen05_mma, tma)


@gluon.jit
def make_barriers(STAGES: gl.constexpr, COUNT: gl.constexpr = 1, PAIR: gl.constexpr = False):
    """A ring of barriers. With PAIR, two CTAs share the leader's."""
    bars = mbarrier.allocate_mbarrier(batch=STAGES, two_ctas=PAIR)
    for i in gl.static_range(STAGES):
        mbarrier.init(bars.index(i), count=COUNT)
    return bars


@gluon.jit
def next_item(messages, ready, taken, count):
    """The answer to the request of this number: an item, or -1 for none."""
    slot = count % 2
    mbarrier.wait(ready.index(slot), count // 2 & 1)
    answer = clc.load_result(messages.index(slot))
    item = -1
    if answer.is_canceled():
        item = answer.program_id(0)
    mbarrier.arrive(taken.index(slot))
    return item


@gluon.jit
def schedule_role(messages, ready, taken):
    item = gl.program_id(0)
    count = 0
    while item >= 0:
        slot = count % 2
        mbarrier.wait(taken.index(slot), count // 2 & 1 ^ 1)
        mbarrier.expect(ready.index(slot), 16)
        clc.try_cancel(messages.index(slot), ready.index(slot))
        item = next_item(messages, ready, taken, count)
        count += 1


@gluon.jit
def load_role(a, b, d, a_ring, b_ring, full, empty, messages, ready, taken, N, K,
              STAGES: gl.constexpr):
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = d.block_type.shape[1]
    BK: gl.constexpr = a.block_type.shape[1]
    columns = gl.cdiv(N, BN)
    item = gl.program_id(0)
    count = 0
    step = 0
    while item >= 0:
        for k in range(0, K, BK):
            slot = step % STAGES
            mbarrier.wait(empty.index(slot), step // STAGES & 1 ^ 1)
            mbarrier.expect(full.index(slot), a.nbytes_per_cta + b.nbytes_per_cta)
            tma.async_load(a, [item // columns * BM, k], full.index(slot), a_ring.index(slot))
            tma.async_load(b, [item % columns * BN, k], full.index(slot), b_ring.index(slot))
            step += 1
        item = next_item(messages, ready, taken, count)
        count += 1


@gluon.jit
def mma_role(a_ring, b_ring, full, empty, accs, done, drained, messages, ready, taken, K,
             BK: gl.constexpr, STAGES: gl.constexpr):
    item = gl.program_id(0)
    count = 0
    step = 0
    while item >= 0:
        half = count % 2
        mbarrier.wait(drained.index(half), count // 2 & 1 ^ 1)
        for k in range(0, K, BK):
            slot = step % STAGES
            mbarrier.wait(full.index(slot), step // STAGES & 1)
            tcgen05_mma(a_ring.index(slot), b_ring.index(slot).permute((1, 0)),
                        accs.index(half), use_acc=k > 0, mbarriers=[empty.index(slot)])
            step += 1
        tcgen05_commit(done.index(half))
        item = next_item(messages, ready, taken, count)
        count += 1


@gluon.jit
def epilogue_role(d, bias, accs, done, drained, messages, ready, taken, N):
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = d.block_type.shape[1]
    out = gl.allocate_shared_memory(d.dtype, d.block_type.shape, d.layout)
    layout: gl.constexpr = accs.index(0).get_reg_layout()
    columns = gl.cdiv(N, BN)
    item = gl.program_id(0)
    count = 0
    while item >= 0:
        row = item // columns * BM
        col = item % columns * BN
        cols = col + gl.arange(0, BN, gl.SliceLayout(0, layout))
        added = gl.load(bias + cols, mask=cols < N, other=0.0)
        half = count % 2
        mbarrier.wait(done.index(half), count // 2 & 1)
        value = accs.index(half).load(layout)
        mbarrier.arrive(drained.index(half))
        value = gl.maximum(value + added[None, :], 0.0)
        tma.store_wait(0)
        out.store(value.to(d.dtype))
        fence_async_shared()
        tma.async_store(d, [row, col], out)
        item = next_item(messages, ready, taken, count)
        count += 1
    tma.store_wait(0)


@gluon.jit
def matmul(a, b, bias, d, N, K, STAGES: gl.constexpr, PAIR: gl.constexpr):
    """D = relu(A B^T + bias). With PAIR, two CTAs share one product."""
    BM: gl.constexpr = d.block_type.shape[0]
    BN: gl.constexpr = d.block_type.shape[1]
    BK: gl.constexpr = a.block_type.shape[1]
    a_ring = gl.allocate_shared_memory(a.dtype, [STAGES] + a.block_type.shape, a.layout)
    b_ring = gl.allocate_shared_memory(b.dtype, [STAGES] + b.block_type.shape, b.layout)
    full = make_barriers(STAGES, PAIR=PAIR)
    empty = make_barriers(STAGES)
    done = make_barriers(2)
    drained = make_barriers(2, PAIR=PAIR)
    # An answer is 16 bytes. Each CTA gets a copy, and all its four roles take it.
    ready = make_barriers(2)
    taken = make_barriers(2, 4, PAIR)
    messages = gl.allocate_shared_memory(
        gl.int64, [2, 2], mbarrier.MBarrierLayout.multicta(gl.num_ctas(), two_cta=PAIR))
    layout: gl.constexpr = TensorMemoryLayout([BM // gl.num_ctas(), BN], 1,
                                              d.layout.cga_layout, PAIR)
    accs = allocate_tensor_memory(gl.float32, [2, BM, BN], layout)
    gl.warp_specialize([
        (epilogue_role, (d, bias, accs, done, drained, messages, ready, taken, N)),
        (load_role, (a, b, d, a_ring, b_ring, full, empty, messages, ready, taken, N, K,
                     STAGES)),
        (mma_role, (a_ring, b_ring, full, empty, accs, done, drained, messages, ready, taken, K,
                    BK, STAGES)),
        (schedule_role, (messages, ready, taken)),
    ], [1, 1, 1], [40, 40, 24])
