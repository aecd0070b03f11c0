# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Blackwell GEMM in CuTe DSL: C[m, n] = sum over k of A[m, k] * B[n, k].

Six or seven warps share a CTA: warps 0-3 are the epilogue, warp 4 issues the
MMAs, warp 5 the TMA loads, and warp 6, when there is one, asks the hardware for
more work. Operands flow to the MMA through a ring of shared memory, accumulators
to the epilogue through a ring of tensor memory.

A and B are K-major, C is N-major, and the sizes are known only at launch: at least
one each, rows of A, B and C multiples of 16 bytes. Nothing else divides anything.
The edges need no masks here: a TMA load fills what lies outside with zeros, and
the epilogue drops it.
"""

from dataclasses import dataclass

import cutlass
import cutlass.cute as cute
from cutlass import pipeline
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, tcgen05
from cutlass.memory import SmemAllocator, TmemAllocator
from cutlass.utils import sm100

from . import epilogue_sm100 as epilogue
from .arguments import columns, matrix, rows
from .schedule import GRANT_STAGES, Grants, first_tile, launch_grid, next_tile

MMA_WARP, LOAD_WARP, SCHEDULER_WARP = 4, 5, 6
PRODUCER, CONSUMER = pipeline.PipelineUserType.Producer, pipeline.PipelineUserType.Consumer


@dataclass(frozen=True)
class Config:
    """What is fixed when the kernel is compiled."""

    ab: type = cutlass.BFloat16
    c: type = cutlass.BFloat16
    tile: tuple[int, int] = (128, 128)  # of one MMA: of both CTAs if there are two
    ctas: int = 1  # that share one MMA
    cluster: tuple[int, int] = (1, 1)
    stages: int = 4
    schedule: str = "grid"
    tma_store: bool = True
    # CTAs (or pairs) that share a tile, each with every `splits`-th step of K. They
    # add to C, which is zero before; K has at least as many steps. Only with the
    # "grid" schedule and TMA stores.
    splits: int = 1

    @property
    def tile_k(self) -> int:
        return 128 * 8 // self.ab.width

    @property
    def acc_stages(self) -> int:
        return 1 if self.schedule == "grid" else 2

    @property
    def tmem_columns(self) -> int:
        """A power of two, as an allocation must be."""
        return 1 << (self.tile[1] * self.acc_stages - 1).bit_length()

    @property
    def threads(self) -> int:
        return 32 * (7 if self.schedule == "clc" else 6)


class Gemm:
    def __init__(self, config: Config):
        self.config = config

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor,
                 clusters: cutlass.Int32):
        """`clusters` is how many a launch of the "stride" schedule starts."""
        cfg = self.config
        group = tcgen05.CtaGroup.TWO if cfg.ctas == 2 else tcgen05.CtaGroup.ONE
        mma = sm100.make_trivial_tiled_mma(
            cfg.ab, cfg.ab, OperandMajorMode.K, OperandMajorMode.K,
            cutlass.Float32, group, cfg.tile)
        tiler = (*cfg.tile, cfg.tile_k)
        cta_tile = (cfg.tile[0] // cfg.ctas, cfg.tile[1])
        vmnk = cute.tiled_divide(cute.make_layout((*cfg.cluster, 1)), (mma.thr_id.shape,))

        a_smem = sm100.make_smem_layout_a(mma, tiler, cfg.ab, cfg.stages)
        b_smem = sm100.make_smem_layout_b(mma, tiler, cfg.ab, cfg.stages)
        tma_a, a_map = cute.nvgpu.make_tiled_tma_atom_A(
            sm100.cluster_shape_to_tma_atom_A(cfg.cluster, mma.thr_id), a,
            cute.select(a_smem, mode=[0, 1, 2]), tiler, mma, vmnk.shape)
        tma_b, b_map = cute.nvgpu.make_tiled_tma_atom_B(
            sm100.cluster_shape_to_tma_atom_B(cfg.cluster, mma.thr_id), b,
            cute.select(b_smem, mode=[0, 1, 2]), tiler, mma, vmnk.shape)
        part = epilogue.part_shape(cta_tile[0], cfg.c)
        c_smem = epilogue.staging_layout(part, cfg.c)
        tma_c, c_map = None, c
        if cutlass.const_expr(cfg.tma_store):
            store = (cpasync.CopyReduceBulkTensorTileS2GOp() if cfg.splits > 1
                     else cpasync.CopyBulkTensorTileS2GOp())
            tma_c, c_map = cpasync.make_tiled_tma_atom(
                store, c, cute.select(c_smem, mode=[0, 1]), part)

        tiles = cute.round_up(cute.ceil_div(c.shape, cta_tile), cfg.cluster)
        self.kernel(mma, tma_a, a_map, tma_b, b_map, tma_c, c_map, vmnk, a_smem, b_smem,
                    c_smem, part, cta_tile, tiles).launch(
            grid=launch_grid(cfg.schedule, tiles, cfg.cluster, clusters, cfg.splits),
            block=(cfg.threads, 1, 1), cluster=(*cfg.cluster, 1))

    @cute.kernel
    def kernel(self, mma: cute.TiledMma, tma_a: cute.CopyAtom, a: cute.Tensor,
               tma_b: cute.CopyAtom, b: cute.Tensor, tma_c: cute.CopyAtom | None,
               c: cute.Tensor, vmnk: cute.Layout, a_smem: cute.ComposedLayout,
               b_smem: cute.ComposedLayout, c_smem: cute.ComposedLayout,
               part: cutlass.Constexpr, cta_tile: cutlass.Constexpr, tiles: cute.Shape):
        cfg = self.config
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        rank = cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster())
        coord = vmnk.get_flat_coord(rank)
        half = coord[0]  # which of the MMA's CTAs this one is

        smem = SmemAllocator()
        smem_a = smem.allocate_tensor(cfg.ab, a_smem.outer, 1024, swizzle=a_smem.inner)
        smem_b = smem.allocate_tensor(cfg.ab, b_smem.outer, 1024, swizzle=b_smem.inner)
        smem_c = None
        if cutlass.const_expr(cfg.tma_store):
            smem_c = smem.allocate_tensor(cfg.c, c_smem.outer, 1024, swizzle=c_smem.inner)

        thread = pipeline.CooperativeGroup(pipeline.Agent.Thread)
        stage_bytes = (cute.size_in_bytes(cfg.ab, cute.select(a_smem, mode=[0, 1, 2]))
                       + cute.size_in_bytes(cfg.ab, cute.select(b_smem, mode=[0, 1, 2])))
        # A slot is free when the MMA of every tile it was multicast to has read it.
        readers = cfg.cluster[0] // cfg.ctas + cfg.cluster[1] - 1
        operands = pipeline.PipelineTmaUmma.create(
            num_stages=cfg.stages, producer_group=thread,
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, readers),
            tx_count=stage_bytes * cfg.ctas, cta_layout_vmnk=vmnk, defer_sync=True)
        results = pipeline.PipelineUmmaAsync.create(
            num_stages=cfg.acc_stages, producer_group=thread,
            consumer_group=pipeline.CooperativeGroup(
                pipeline.Agent.Thread, epilogue.THREADS * cfg.ctas),
            cta_layout_vmnk=vmnk, defer_sync=True)
        grants = None
        if cutlass.const_expr(cfg.schedule == "clc"):
            ctas = cfg.cluster[0] * cfg.cluster[1]
            grants = Grants.create(smem, vmnk, readers=(cfg.threads - 32) * ctas + 32)
        tmem = TmemAllocator(
            barrier_for_retrieve=pipeline.NamedBarrier(1, epilogue.THREADS + 32),
            allocator_warp_id=0, is_two_cta=cfg.ctas == 2)
        pipeline.pipeline_init_arrive(cute.make_layout(cfg.cluster), is_relaxed=True)
        pipeline.pipeline_init_wait(cute.make_layout(cfg.cluster))

        _, _, split = cute.arch.block_idx() if cfg.splits > 1 else (0, 0, 0)
        k_tiles = cute.ceil_div(cute.ceil_div(a.shape[1], cfg.tile_k) - split, cfg.splits)
        acc_layout = mma.make_fragment_C(
            cute.append(mma.partition_shape_C(cfg.tile), cfg.acc_stages)).layout
        grant = pipeline.make_pipeline_state(CONSUMER, GRANT_STAGES)
        m, n, item, valid = first_tile(cfg.schedule, tiles, cfg.cluster)

        if warp == LOAD_WARP:
            cpasync.prefetch_descriptor(tma_a)
            cpasync.prefetch_descriptor(tma_b)
            thr_mma = mma.get_slice(half)
            a_tiles = thr_mma.partition_A(
                cute.local_tile(a, (cfg.tile[0], cfg.tile_k), (None, None)))
            b_tiles = thr_mma.partition_B(
                cute.local_tile(b, (cfg.tile[1], cfg.tile_k), (None, None)))
            # The CTAs of a row of the cluster share A, those of a column share B.
            a_to, a_from = cpasync.tma_partition(
                tma_a, coord[2], cute.make_layout(cute.size(vmnk, mode=[2])),
                cute.group_modes(smem_a, 0, 3), cute.group_modes(a_tiles, 0, 3))
            b_to, b_from = cpasync.tma_partition(
                tma_b, coord[1], cute.make_layout(cute.size(vmnk, mode=[1])),
                cute.group_modes(smem_b, 0, 3), cute.group_modes(b_tiles, 0, 3))
            a_mask, b_mask = None, None
            if cutlass.const_expr(cfg.cluster[1] > 1):
                a_mask = cpasync.create_tma_multicast_mask(vmnk, coord, mcast_mode=2)
            if cutlass.const_expr(cfg.cluster[0] > cfg.ctas):
                b_mask = cpasync.create_tma_multicast_mask(vmnk, coord, mcast_mode=1)
            slot = pipeline.make_pipeline_state(PRODUCER, cfg.stages)
            while valid:
                for step in cutlass.range(k_tiles):
                    k = step * cfg.splits + split
                    operands.producer_acquire(slot)
                    barrier = operands.producer_get_barrier(slot)
                    cute.copy(tma_a, a_from[None, m // cfg.ctas, k], a_to[None, slot.index],
                              tma_bar_ptr=barrier, mcast_mask=a_mask)
                    cute.copy(tma_b, b_from[None, n, k], b_to[None, slot.index],
                              tma_bar_ptr=barrier, mcast_mask=b_mask)
                    slot.advance()
                m, n, item, valid, grant = self.advance(tiles, item, grants, grant)
            operands.producer_tail(slot)

        if warp == MMA_WARP:
            tmem.wait_for_alloc()
            acc = cute.make_tensor(tmem.retrieve_ptr(), acc_layout)
            a_frag, b_frag = mma.make_fragment_A(smem_a), mma.make_fragment_B(smem_b)
            slot = pipeline.make_pipeline_state(CONSUMER, cfg.stages)
            result = pipeline.make_pipeline_state(PRODUCER, cfg.acc_stages)
            while valid:
                if half == 0:
                    results.producer_acquire(result)
                    into = acc[None, None, None, result.index]
                    mma.set(tcgen05.Field.ACCUMULATE, False)
                    for _ in cutlass.range(k_tiles):
                        operands.consumer_wait(slot)
                        for block in cutlass.range_constexpr(cute.size(a_frag, mode=[2])):
                            at = (None, None, block, slot.index)
                            cute.gemm(mma, into, a_frag[at], b_frag[at], into)
                            mma.set(tcgen05.Field.ACCUMULATE, True)
                        operands.consumer_release(slot)
                        slot.advance()
                    results.producer_commit(result)
                result.advance()
                m, n, item, valid, grant = self.advance(tiles, item, grants, grant)
            results.producer_tail(result)

        if warp < MMA_WARP:
            tmem.allocate(cfg.tmem_columns)
            tmem.wait_for_alloc()
            base = tmem.retrieve_ptr()
            writer = epilogue.TileWriter.create(
                cute.make_tensor(base, acc_layout), cta_tile, part, c, tma_c, smem_c, cfg.c,
                adds=cfg.splits > 1)
            result = pipeline.make_pipeline_state(CONSUMER, cfg.acc_stages)
            while valid:
                results.consumer_wait(result)
                writer.write(result.index, m, n)
                results.consumer_release(result)
                result.advance()
                m, n, item, valid, grant = self.advance(tiles, item, grants, grant)
            writer.finish()
            tmem.relinquish_alloc_permit()
            pipeline.NamedBarrier(epilogue.BARRIER, epilogue.THREADS).arrive_and_wait()
            tmem.free(base)

        if cutlass.const_expr(cfg.schedule == "clc"):
            if warp == SCHEDULER_WARP and rank == 0:
                ask = pipeline.make_pipeline_state(PRODUCER, GRANT_STAGES)
                while valid:
                    grants.ask(ask)
                    ask.advance()
                    m, n, item, valid, grant = self.advance(tiles, item, grants, grant)
                grants.pipe.producer_tail(ask)

    @cute.jit
    def advance(self, tiles, item, grants, grant):
        """The CTA's next tile, and the state of the pipe of grants after it."""
        cfg = self.config
        if cutlass.const_expr(cfg.schedule != "clc"):
            return (*next_tile(cfg.schedule, tiles, cfg.cluster, item), grant)
        m, n, valid = grants.read(grant)
        grant.advance()
        return m, n, item, valid, grant


def program(**options):
    """What `cute.compile` takes: the function and arguments like those of a launch."""
    config = Config(**options)
    m, n, k = rows(), columns(config.c), columns(config.ab)
    return (Gemm(config), matrix(config.ab, m, k), matrix(config.ab, n, k),
            matrix(config.c, m, n), cutlass.Int32(1))
