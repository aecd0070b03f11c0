# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in Gluon: O = softmax(scale Q K^T) V with a running maximum. The
matrices are (batch * heads * length) x DIM, and the length is a multiple of the
block sizes."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout,
                                                                 allocate_tensor_memory, mul2,
                                                                 tcgen05_mma)
from triton.experimental.gluon.language.nvidia.hopper import (fence_async_shared, mbarrier, tma,
                                                              warpgroup_mma,
                                                              warpgroup_mma_wait)


@gluon.jit
def make_ring(desc, STAGES: gl.constexpr):
    return gl.allocate_shared_memory(desc.dtype, [STAGES] + desc.block_type.shape, desc.layout)


@gluon.jit
def make_barriers(STAGES: gl.constexpr):
    bars = mbarrier.allocate_mbarrier(batch=STAGES)
    for i in gl.static_range(STAGES):
        mbarrier.init(bars.index(i), count=1)
    return bars


@gluon.jit
def store_rows(o, row, value):
    out = gl.allocate_shared_memory(o.dtype, o.block_type.shape, o.layout, value.to(o.dtype))
    fence_async_shared()
    tma.async_store(o, [row, 0], out)
    tma.store_wait(0)


@gluon.jit
def load_pair(k, v, k_ring, v_ring, full, n, base, STAGES: gl.constexpr, pred):
    slot = n % STAGES
    row = base + n * k.block_type.shape[0]
    mbarrier.expect(full.index(slot), k.nbytes_per_cta + v.nbytes_per_cta, pred=pred)
    tma.async_load(k, [row, 0], full.index(slot), k_ring.index(slot), pred=pred)
    tma.async_load(v, [row, 0], full.index(slot), v_ring.index(slot), pred=pred)


@gluon.jit
def wgmma(q, k, v, o, scale, length, STAGES: gl.constexpr):
    """The probabilities stay in registers, as the left operand of the second
    product."""
    BM: gl.constexpr = q.block_type.shape[0]
    DIM: gl.constexpr = q.block_type.shape[1]
    BN: gl.constexpr = k.block_type.shape[0]
    base = gl.program_id(1) * length
    row = base + gl.program_id(0) * BM
    q_slot = make_ring(q, 1).index(0)
    k_ring = make_ring(k, STAGES)
    v_ring = make_ring(v, STAGES)
    q_full = make_barriers(1).index(0)
    full = make_barriers(STAGES)
    blocks = length // BN
    mbarrier.expect(q_full, q.nbytes_per_cta)
    tma.async_load(q, [row, 0], q_full, q_slot)
    for n in gl.static_range(STAGES - 1):
        load_pair(k, v, k_ring, v_ring, full, n, base, STAGES, n < blocks)
    scores: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, BN, 16])
    result: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, DIM, 16])
    left: gl.constexpr = gl.DotOperandLayout(0, result, 2)
    of_rows: gl.constexpr = gl.SliceLayout(1, scores)
    to_log2 = scale * 1.44269504
    top = gl.full((BM, ), float("-inf"), gl.float32, of_rows)
    total = gl.zeros((BM, ), gl.float32, of_rows)
    acc = gl.zeros((BM, DIM), gl.float32, result)
    zeros = gl.zeros((BM, BN), gl.float32, scores)
    mbarrier.wait(q_full, 0)
    for n in range(blocks):
        slot = n % STAGES
        mbarrier.wait(full.index(slot), n // STAGES & 1)
        s = warpgroup_mma(q_slot, k_ring.index(slot).permute((1, 0)), zeros, use_acc=False)
        s = s * to_log2
        above = gl.maximum(top, gl.max(s, axis=1))
        p = gl.exp2(s - above[:, None])
        shrink = gl.exp2(top - above)
        total = total * shrink + gl.sum(p, axis=1)
        top = above
        acc = acc * gl.convert_layout(shrink, gl.SliceLayout(1, result))[:, None]
        p = gl.convert_layout(p.to(q.dtype), left)
        acc = warpgroup_mma(p, v_ring.index(slot), acc)
        ahead = n + STAGES - 1
        load_pair(k, v, k_ring, v_ring, full, ahead, base, STAGES, ahead < blocks)
    total = gl.convert_layout(total, gl.SliceLayout(1, result))
    store_rows(o, row, acc / total[:, None])


@gluon.jit
def load_role(q, k, v, q_slot, k_ring, v_ring, q_full, k_full, k_empty, v_full, v_empty,
              row, base, blocks, STAGES: gl.constexpr):
    mbarrier.expect(q_full, q.nbytes_per_cta)
    tma.async_load(q, [row, 0], q_full, q_slot)
    for n in range(blocks):
        slot = n % STAGES
        phase = n // STAGES & 1 ^ 1
        at = base + n * k.block_type.shape[0]
        mbarrier.wait(k_empty.index(slot), phase)
        mbarrier.expect(k_full.index(slot), k.nbytes_per_cta)
        tma.async_load(k, [at, 0], k_full.index(slot), k_ring.index(slot))
        mbarrier.wait(v_empty.index(slot), phase)
        mbarrier.expect(v_full.index(slot), v.nbytes_per_cta)
        tma.async_load(v, [at, 0], v_full.index(slot), v_ring.index(slot))


@gluon.jit
def mma_role(q_slot, k_ring, v_ring, q_full, k_full, k_empty, v_full, v_empty, s, p, o,
             s_done, p_ready, o_done, blocks, STAGES: gl.constexpr):
    mbarrier.wait(q_full, 0)
    mbarrier.wait(k_full.index(0), 0)
    tcgen05_mma(q_slot, k_ring.index(0).permute((1, 0)), s, use_acc=False,
                mbarriers=[s_done, k_empty.index(0)])
    for n in range(blocks):
        # The probabilities of this block are written, so its scores are read: the
        # next scores can overwrite them while the second product runs.
        mbarrier.wait(p_ready, n & 1)
        if n + 1 < blocks:
            slot = (n + 1) % STAGES
            mbarrier.wait(k_full.index(slot), (n + 1) // STAGES & 1)
            tcgen05_mma(q_slot, k_ring.index(slot).permute((1, 0)), s, use_acc=False,
                        mbarriers=[s_done, k_empty.index(slot)])
        slot = n % STAGES
        mbarrier.wait(v_full.index(slot), n // STAGES & 1)
        tcgen05_mma(p, v_ring.index(slot), o, use_acc=n > 0,
                    mbarriers=[o_done, v_empty.index(slot)])


@gluon.jit
def softmax_role(out, s, p, o, s_done, p_ready, o_done, row, to_log2, blocks):
    BM: gl.constexpr = s.shape[0]
    scores: gl.constexpr = s.get_reg_layout()
    result: gl.constexpr = o.get_reg_layout()
    of_rows: gl.constexpr = gl.SliceLayout(1, scores)
    top = gl.full((BM, ), float("-inf"), gl.float32, of_rows)
    total = gl.zeros((BM, ), gl.float32, of_rows)
    for n in range(blocks):
        mbarrier.wait(s_done, n & 1)
        x = mul2(s.load(scores), to_log2)
        above = gl.maximum(top, gl.max(x, axis=1))
        e = gl.exp2(x - above[:, None])
        shrink = gl.exp2(top - above)
        total = total * shrink + gl.sum(e, axis=1)
        top = above
        if n > 0:
            # The product before this one has read P and written O.
            mbarrier.wait(o_done, n - 1 & 1)
            factor = gl.convert_layout(shrink, gl.SliceLayout(1, result))
            o.store(mul2(o.load(result), factor[:, None]))
        p.store(gl.convert_layout(e.to(p.dtype), p.get_reg_layout()))
        mbarrier.arrive(p_ready)
    mbarrier.wait(o_done, blocks - 1 & 1)
    total = gl.convert_layout(total, gl.SliceLayout(1, result))
    store_rows(out, row, o.load(result) / total[:, None])


@gluon.jit
def tcgen05(q, k, v, out, scale, length, STAGES: gl.constexpr):
    """A warp loads, a warp multiplies, and four warps do the softmax, one row to a
    thread. The probabilities go to the second product through tensor memory."""
    BM: gl.constexpr = q.block_type.shape[0]
    DIM: gl.constexpr = q.block_type.shape[1]
    BN: gl.constexpr = k.block_type.shape[0]
    base = gl.program_id(1) * length
    row = base + gl.program_id(0) * BM
    blocks = length // BN
    q_slot = make_ring(q, 1).index(0)
    k_ring = make_ring(k, STAGES)
    v_ring = make_ring(v, STAGES)
    q_full = make_barriers(1).index(0)
    k_full = make_barriers(STAGES)
    k_empty = make_barriers(STAGES)
    v_full = make_barriers(STAGES)
    v_empty = make_barriers(STAGES)
    s_done = make_barriers(1).index(0)
    p_ready = make_barriers(1).index(0)
    o_done = make_barriers(1).index(0)
    s = allocate_tensor_memory(gl.float32, [BM, BN], TensorMemoryLayout([BM, BN], 1))
    p = allocate_tensor_memory(q.dtype, [BM, BN], TensorMemoryLayout([BM, BN], 1))
    o = allocate_tensor_memory(gl.float32, [BM, DIM], TensorMemoryLayout([BM, DIM], 1))
    gl.warp_specialize([
        (softmax_role, (out, s, p, o, s_done, p_ready, o_done, row, scale * 1.44269504,
                        blocks)),
        (load_role, (q, k, v, q_slot, k_ring, v_ring, q_full, k_full, k_empty, v_full, v_empty,
                     row, base, blocks, STAGES)),
        (mma_role, (q_slot, k_ring, v_ring, q_full, k_full, k_empty, v_full, v_empty, s, p, o,
                    s_done, p_ready, o_done, blocks, STAGES)),
    ], [1, 1], [40, 40])
