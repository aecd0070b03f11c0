# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A block-scaled Blackwell GEMM in CuTe DSL, one output tile for each CTA or pair:

  C[m, n] = sum over k of A[m, k] * SFA[m, k / V] * B[n, k] * SFB[n, k / V]

where one scale covers V values along K. The roles are those of gemm_sm100; each
slot holds the scales beside the operands, and the MMA warp copies them to tensor
memory before it multiplies.

A and B are K-major, C is N-major, and the sizes are known only at launch: at least
one each, rows of A, B and C multiples of 16 bytes. Scales lie in global memory as the MMA wants
them, in blocks of 128 rows by 4 scales (row r and scale s of a block at byte
r % 32 * 16 + r / 32 * 4 + s), blocks along K first; a block that the matrix fills
in part is whole in memory, and its spare scales are finite.
"""

from dataclasses import dataclass

import cutlass
import cutlass.cute as cute
from cutlass import pipeline
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, tcgen05
from cutlass.memory import SmemAllocator, TmemAllocator
from cutlass.utils import blockscaled_layout, sm100

from . import epilogue_sm100 as epilogue
from .arguments import columns, matrix, rows, vector
from .gemm_sm100 import CONSUMER, LOAD_WARP, MMA_WARP, PRODUCER

THREADS = 192


@dataclass(frozen=True)
class Config:
    """What is fixed when the kernel is compiled."""

    ab: type = cutlass.Float8E4M3FN
    scale: type = cutlass.Float8E8M0FNU
    vector: int = 32  # values for each scale
    c: type = cutlass.BFloat16
    tile: tuple[int, int] = (128, 128)  # of one MMA: of both CTAs if there are two
    ctas: int = 1  # that share one MMA, and the cluster
    stages: int = 4

    @property
    def tile_k(self) -> int:
        return 128 * 8 // self.ab.width

    @property
    def tmem_columns(self) -> int:
        """The accumulator's columns, and as many for the scales."""
        return 2 * self.tile[1]


class ScaledGemm:
    def __init__(self, config: Config):
        self.config = config

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, sfa: cute.Tensor, sfb: cute.Tensor,
                 c: cute.Tensor):
        """`sfa` and `sfb` are the scales' bytes as they lie in memory."""
        cfg = self.config
        group = tcgen05.CtaGroup.TWO if cfg.ctas == 2 else tcgen05.CtaGroup.ONE
        mma = self.make_mma(group, cfg.tile)
        # Both CTAs of a pair need the scales of all columns, as if each had an MMA
        # of its own.
        mma_sfb = self.make_mma(tcgen05.CtaGroup.ONE, (cfg.tile[0] // cfg.ctas, cfg.tile[1]))
        tiler = (*cfg.tile, cfg.tile_k)
        cta_tile = (cfg.tile[0] // cfg.ctas, cfg.tile[1])
        cluster = (cfg.ctas, 1, 1)
        vmnk = cute.tiled_divide(cute.make_layout(cluster), (mma.thr_id.shape,))
        vmnk_sfb = cute.tiled_divide(cute.make_layout(cluster), (mma_sfb.thr_id.shape,))

        a_smem = sm100.make_smem_layout_a(mma, tiler, cfg.ab, cfg.stages)
        b_smem = sm100.make_smem_layout_b(mma, tiler, cfg.ab, cfg.stages)
        sfa_smem = blockscaled_layout.make_smem_layout_sfa(mma, tiler, cfg.vector, cfg.stages)
        sfb_smem = blockscaled_layout.make_smem_layout_sfb(mma, tiler, cfg.vector, cfg.stages)
        block = blockscaled_layout.BlockScaledBasicChunk(cfg.vector).layout
        sfa = cute.make_tensor(sfa.iterator, cute.tile_to_shape(block, a.shape, (2, 1)))
        sfb = cute.make_tensor(sfb.iterator, cute.tile_to_shape(block, b.shape, (2, 1)))

        one_stage = [0, 1, 2]
        load_a = sm100.cluster_shape_to_tma_atom_A(cluster, mma.thr_id)
        load_b = sm100.cluster_shape_to_tma_atom_B(cluster, mma.thr_id)
        load_sfb = sm100.cluster_shape_to_tma_atom_SFB(cluster, mma.thr_id)
        tma_a, a_map = cute.nvgpu.make_tiled_tma_atom_A(
            load_a, a, cute.select(a_smem, mode=one_stage), tiler, mma, vmnk.shape)
        tma_b, b_map = cute.nvgpu.make_tiled_tma_atom_B(
            load_b, b, cute.select(b_smem, mode=one_stage), tiler, mma, vmnk.shape)
        # TMA moves scales in pairs: it has no element type for one.
        tma_sfa, sfa_map = cute.nvgpu.make_tiled_tma_atom_A(
            load_a, sfa, cute.select(sfa_smem, mode=one_stage), tiler, mma, vmnk.shape,
            internal_type=cutlass.Int16)
        tma_sfb, sfb_map = cute.nvgpu.make_tiled_tma_atom_B(
            load_sfb, sfb, cute.select(sfb_smem, mode=one_stage), tiler, mma_sfb,
            vmnk_sfb.shape, internal_type=cutlass.Int16)
        part = epilogue.part_shape(cta_tile[0], cfg.c)
        c_smem = epilogue.staging_layout(part, cfg.c)
        tma_c, c_map = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileS2GOp(), c, cute.select(c_smem, mode=[0, 1]), part)

        tiles = cute.round_up(cute.ceil_div(c.shape, cta_tile), (cfg.ctas, 1))
        self.kernel(mma, mma_sfb, tma_a, a_map, tma_b, b_map, tma_sfa, sfa_map, tma_sfb,
                    sfb_map, tma_c, c_map, vmnk, vmnk_sfb, a_smem, b_smem, sfa_smem, sfb_smem,
                    c_smem, part, cta_tile).launch(
            grid=(*tiles, 1), block=(THREADS, 1, 1), cluster=cluster)

    def make_mma(self, group, tile):
        cfg = self.config
        return sm100.make_blockscaled_trivial_tiled_mma(
            cfg.ab, cfg.ab, OperandMajorMode.K, OperandMajorMode.K, cfg.scale, cfg.vector,
            group, tile)

    @cute.kernel
    def kernel(self, mma: cute.TiledMma, mma_sfb: cute.TiledMma, tma_a: cute.CopyAtom,
               a: cute.Tensor, tma_b: cute.CopyAtom, b: cute.Tensor, tma_sfa: cute.CopyAtom,
               sfa: cute.Tensor, tma_sfb: cute.CopyAtom, sfb: cute.Tensor,
               tma_c: cute.CopyAtom, c: cute.Tensor, vmnk: cute.Layout,
               vmnk_sfb: cute.Layout, a_smem: cute.ComposedLayout,
               b_smem: cute.ComposedLayout, sfa_smem: cute.Layout, sfb_smem: cute.Layout,
               c_smem: cute.ComposedLayout, part: cutlass.Constexpr,
               cta_tile: cutlass.Constexpr):
        cfg = self.config
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        rank = cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster())
        coord = vmnk.get_flat_coord(rank)
        coord_sfb = vmnk_sfb.get_flat_coord(rank)
        half = coord[0]  # which of the MMA's CTAs this one is
        m, n, _ = cute.arch.block_idx()

        smem = SmemAllocator()
        smem_a = smem.allocate_tensor(cfg.ab, a_smem.outer, 1024, swizzle=a_smem.inner)
        smem_b = smem.allocate_tensor(cfg.ab, b_smem.outer, 1024, swizzle=b_smem.inner)
        smem_sfa = smem.allocate_tensor(cfg.scale, sfa_smem, 1024)
        smem_sfb = smem.allocate_tensor(cfg.scale, sfb_smem, 1024)
        smem_c = smem.allocate_tensor(cfg.c, c_smem.outer, 1024, swizzle=c_smem.inner)

        one_stage = [0, 1, 2]
        stage_bytes = (cute.size_in_bytes(cfg.ab, cute.select(a_smem, mode=one_stage))
                       + cute.size_in_bytes(cfg.ab, cute.select(b_smem, mode=one_stage))
                       + cute.size_in_bytes(cfg.scale, cute.select(sfa_smem, mode=one_stage))
                       + cute.size_in_bytes(cfg.scale, cute.select(sfb_smem, mode=one_stage)))
        thread = pipeline.CooperativeGroup(pipeline.Agent.Thread)
        operands = pipeline.PipelineTmaUmma.create(
            num_stages=cfg.stages, producer_group=thread, consumer_group=thread,
            tx_count=stage_bytes * cfg.ctas, cta_layout_vmnk=vmnk, defer_sync=True)
        results = pipeline.PipelineUmmaAsync.create(
            num_stages=1, producer_group=thread,
            consumer_group=pipeline.CooperativeGroup(
                pipeline.Agent.Thread, epilogue.THREADS * cfg.ctas),
            cta_layout_vmnk=vmnk, defer_sync=True)
        tmem = TmemAllocator(
            barrier_for_retrieve=pipeline.NamedBarrier(1, epilogue.THREADS + 32),
            allocator_warp_id=0, is_two_cta=cfg.ctas == 2)
        cluster = cute.make_layout((cfg.ctas, 1))
        pipeline.pipeline_init_arrive(cluster, is_relaxed=True)
        pipeline.pipeline_init_wait(cluster)

        k_tiles = cute.ceil_div(a.shape[1], cfg.tile_k)
        acc_layout = mma.make_fragment_C(
            cute.append(mma.partition_shape_C(cfg.tile), 1)).layout

        if warp == LOAD_WARP:
            thr_mma, thr_sfb = mma.get_slice(half), mma_sfb.get_slice(0)
            a_box, b_box = (cfg.tile[0], cfg.tile_k), (cfg.tile[1], cfg.tile_k)
            alone = cute.make_layout(1)
            every = (None, None)
            a_to, a_from = cpasync.tma_partition(
                tma_a, 0, alone, cute.group_modes(smem_a, 0, 3),
                cute.group_modes(thr_mma.partition_A(cute.local_tile(a, a_box, every)), 0, 3))
            b_to, b_from = cpasync.tma_partition(
                tma_b, 0, alone, cute.group_modes(smem_b, 0, 3),
                cute.group_modes(thr_mma.partition_B(cute.local_tile(b, b_box, every)), 0, 3))
            sfa_to, sfa_from = cpasync.tma_partition(
                tma_sfa, 0, alone, cute.group_modes(smem_sfa, 0, 3),
                cute.group_modes(thr_mma.partition_A(cute.local_tile(sfa, a_box, every)), 0, 3))
            sfb_to, sfb_from = cpasync.tma_partition(
                tma_sfb, coord_sfb[1], cute.make_layout(cute.size(vmnk_sfb, mode=[1])),
                cute.group_modes(smem_sfb, 0, 3),
                cute.group_modes(
                    thr_sfb.partition_B(cute.local_tile(sfb, b_box, every)), 0, 3))
            # A scale is one byte that stands for a whole vector: drop the strides
            # of zero that say so.
            sfa_to, sfa_from = cute.filter_zeros(sfa_to), cute.filter_zeros(sfa_from)
            sfb_to, sfb_from = cute.filter_zeros(sfb_to), cute.filter_zeros(sfb_from)
            sfb_mask = None
            if cutlass.const_expr(cfg.ctas == 2):
                sfb_mask = cpasync.create_tma_multicast_mask(vmnk_sfb, coord_sfb, mcast_mode=1)
            slot = pipeline.make_pipeline_state(PRODUCER, cfg.stages)
            for k in cutlass.range(k_tiles):
                operands.producer_acquire(slot)
                barrier = operands.producer_get_barrier(slot)
                row = m // cfg.ctas
                cute.copy(tma_a, a_from[None, row, k], a_to[None, slot.index],
                          tma_bar_ptr=barrier)
                cute.copy(tma_b, b_from[None, n, k], b_to[None, slot.index],
                          tma_bar_ptr=barrier)
                cute.copy(tma_sfa, sfa_from[None, row, k], sfa_to[None, slot.index],
                          tma_bar_ptr=barrier)
                cute.copy(tma_sfb, sfb_from[None, n, k], sfb_to[None, slot.index],
                          tma_bar_ptr=barrier, mcast_mask=sfb_mask)
                slot.advance()
            operands.producer_tail(slot)

        if warp == MMA_WARP:
            tmem.wait_for_alloc()
            base = tmem.retrieve_ptr()
            acc = cute.make_tensor(base, acc_layout)
            tmem_sfa = cute.make_tensor(
                cute.recast_ptr(base + tcgen05.find_tmem_tensor_col_offset(acc),
                                dtype=cfg.scale),
                blockscaled_layout.make_tmem_layout_sfa(
                    mma, (*cfg.tile, cfg.tile_k), cfg.vector,
                    cute.select(sfa_smem, mode=one_stage)))
            tmem_sfb = cute.make_tensor(
                cute.recast_ptr(base + tcgen05.find_tmem_tensor_col_offset(acc)
                                + tcgen05.find_tmem_tensor_col_offset(tmem_sfa),
                                dtype=cfg.scale),
                blockscaled_layout.make_tmem_layout_sfb(
                    mma, (*cfg.tile, cfg.tile_k), cfg.vector,
                    cute.select(sfb_smem, mode=one_stage)))
            copy_sfa, sfa_source, sfa_target = self.make_scale_copy(smem_sfa, tmem_sfa)
            copy_sfb, sfb_source, sfb_target = self.make_scale_copy(smem_sfb, tmem_sfb)
            a_frag, b_frag = mma.make_fragment_A(smem_a), mma.make_fragment_B(smem_b)
            slot = pipeline.make_pipeline_state(CONSUMER, cfg.stages)
            result = pipeline.make_pipeline_state(PRODUCER, 1)
            if half == 0:
                results.producer_acquire(result)
                into = acc[None, None, None, 0]
                mma.set(tcgen05.Field.ACCUMULATE, False)
                for k in cutlass.range(k_tiles):
                    operands.consumer_wait(slot)
                    stage = (None, None, None, None, slot.index)
                    cute.copy(copy_sfa, sfa_source[stage], sfa_target)
                    cute.copy(copy_sfb, sfb_source[stage], sfb_target)
                    for step in cutlass.range_constexpr(cute.size(a_frag, mode=[2])):
                        at = (None, None, step, slot.index)
                        scales = (None, None, step)
                        cute.gemm(mma, into, [a_frag[at], tmem_sfa[scales]],
                                  [b_frag[at], tmem_sfb[scales]], into)
                        mma.set(tcgen05.Field.ACCUMULATE, True)
                    operands.consumer_release(slot)
                    slot.advance()
                results.producer_commit(result)
            result.advance()
            results.producer_tail(result)

        if warp < MMA_WARP:
            tmem.allocate(cfg.tmem_columns)
            tmem.wait_for_alloc()
            base = tmem.retrieve_ptr()
            writer = epilogue.TileWriter.create(
                cute.make_tensor(base, acc_layout), cta_tile, part, c, tma_c, smem_c, cfg.c)
            result = pipeline.make_pipeline_state(CONSUMER, 1)
            results.consumer_wait(result)
            writer.write(0, m, n)
            results.consumer_release(result)
            writer.finish()
            tmem.relinquish_alloc_permit()
            pipeline.NamedBarrier(epilogue.BARRIER, epilogue.THREADS).arrive_and_wait()
            tmem.free(base)

    def make_scale_copy(self, source, target):
        """The copy of one stage of scales to tensor memory, its source with all
        stages, and its target."""
        group = tcgen05.CtaGroup.TWO if self.config.ctas == 2 else tcgen05.CtaGroup.ONE
        atom = cute.make_copy_atom(tcgen05.Cp4x32x128bOp(group), self.config.scale)
        source, target = cute.filter_zeros(source), cute.filter_zeros(target)
        copy = tcgen05.make_s2t_copy(atom, target)
        thread_copy = copy.get_slice(0)
        return (copy,
                tcgen05.get_s2t_smem_desc_tensor(copy, thread_copy.partition_S(source)),
                thread_copy.partition_D(target))


def program(**options):
    """What `cute.compile` takes: the function and arguments like those of a launch."""
    config = Config(**options)
    m, n, k = rows(), columns(config.c), columns(config.ab)
    scales = [vector(config.scale, cute.sym_int(divisibility=512)) for _ in range(2)]
    return (ScaledGemm(config), matrix(config.ab, m, k), matrix(config.ab, n, k), *scales,
            matrix(config.c, m, n))
