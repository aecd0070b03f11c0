# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Hopper GEMM in CuTe DSL: C[m, n] = sum over k of A[m, k] * B[n, k].

Three warp groups share a CTA: the first loads with TMA and gives most of its
registers to the other two, which multiply half of the tile's rows each with wgmma
and write it out together. One wgmma group stays in flight, so a slot of the ring
of operands is released one step after it was read.

A and B are K-major, C is N-major, and the sizes are known only at launch: at least
one each, rows of A, B and C multiples of 16 bytes. Nothing else divides anything,
since a TMA load fills what lies outside with zeros and a TMA store drops it.
"""

from dataclasses import dataclass

import cutlass
import cutlass.cute as cute
from cutlass import pipeline
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, warpgroup
from cutlass.memory import SmemAllocator
from cutlass.tensor_utils import LayoutEnum
from cutlass.utils import sm90

from .arguments import columns, matrix, rows
from .schedule import first_tile, launch_grid, next_tile

THREADS = 384
CONSUMER_THREADS = 256
# What the CTA enters with, 168 registers for each of 384 threads, shared out anew.
LOAD_REGISTERS, MMA_REGISTERS = 40, 232


@dataclass(frozen=True)
class Config:
    """What is fixed when the kernel is compiled."""

    ab: type = cutlass.BFloat16
    c: type = cutlass.BFloat16
    tile: tuple[int, int] = (128, 128)
    cluster: tuple[int, int] = (1, 1)
    stages: int = 4
    schedule: str = "grid"

    @property
    def tile_k(self) -> int:
        return 128 * 8 // self.ab.width


class Gemm:
    def __init__(self, config: Config):
        self.config = config

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor,
                 clusters: cutlass.Int32):
        """`clusters` is how many a launch of the "stride" schedule starts."""
        cfg = self.config
        mma = sm90.make_trivial_tiled_mma(
            cfg.ab, cfg.ab, OperandMajorMode.K, OperandMajorMode.K, cutlass.Float32,
            (2, 1, 1), (64, cfg.tile[1]))
        tiler = (*cfg.tile, cfg.tile_k)
        a_smem = sm90.make_smem_layout_a(LayoutEnum.ROW_MAJOR, tiler, cfg.ab, cfg.stages)
        b_smem = sm90.make_smem_layout_b(LayoutEnum.ROW_MAJOR, tiler, cfg.ab, cfg.stages)
        c_smem = sm90.make_smem_layout_epi(cfg.c, LayoutEnum.ROW_MAJOR, cfg.tile, 1)
        tma_a, a_map = self.make_load(a, a_smem, (cfg.tile[0], cfg.tile_k), cfg.cluster[1])
        tma_b, b_map = self.make_load(b, b_smem, (cfg.tile[1], cfg.tile_k), cfg.cluster[0])
        tma_c, c_map = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileS2GOp(), c, cute.select(c_smem, mode=[0, 1]), cfg.tile)

        tiles = cute.round_up(cute.ceil_div(c.shape, cfg.tile), cfg.cluster)
        self.kernel(mma, tma_a, a_map, tma_b, b_map, tma_c, c_map, a_smem, b_smem, c_smem,
                    tiles).launch(
            grid=launch_grid(cfg.schedule, tiles, cfg.cluster, clusters),
            block=(THREADS, 1, 1), cluster=(*cfg.cluster, 1), min_blocks_per_mp=1)

    def make_load(self, tensor, smem, box, sharers):
        """A TMA load of one stage, multicast to the CTAs of the cluster that
        share the operand: each loads its part of the box."""
        op = (cpasync.CopyBulkTensorTileG2SMulticastOp() if sharers > 1
              else cpasync.CopyBulkTensorTileG2SOp())
        return cpasync.make_tiled_tma_atom(
            op, tensor, cute.slice_(smem, (None, None, 0)), box, num_multicast=sharers)

    @cute.kernel
    def kernel(self, mma: cute.TiledMma, tma_a: cute.CopyAtom, a: cute.Tensor,
               tma_b: cute.CopyAtom, b: cute.Tensor, tma_c: cute.CopyAtom, c: cute.Tensor,
               a_smem: cute.ComposedLayout, b_smem: cute.ComposedLayout,
               c_smem: cute.ComposedLayout, tiles: cute.Shape):
        cfg = self.config
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        tid, _, _ = cute.arch.thread_idx()
        cluster = cute.make_layout((*cfg.cluster, 1))
        rank = cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster())
        coord = cluster.get_flat_coord(rank)

        smem = SmemAllocator()
        smem_a = smem.allocate_tensor(cfg.ab, a_smem.outer, 1024, swizzle=a_smem.inner)
        smem_b = smem.allocate_tensor(cfg.ab, b_smem.outer, 1024, swizzle=b_smem.inner)
        smem_c = smem.allocate_tensor(cfg.c, c_smem.outer, 1024, swizzle=c_smem.inner)

        one_stage = (None, None, 0)
        stage_bytes = (cute.size_in_bytes(cfg.ab, cute.slice_(a_smem, one_stage))
                       + cute.size_in_bytes(cfg.ab, cute.slice_(b_smem, one_stage)))
        # Each warp that reads a slot tells every CTA that wrote a part of it.
        writers = cfg.cluster[0] + cfg.cluster[1] - 1
        operands = pipeline.PipelineTmaAsync.create(
            num_stages=cfg.stages,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(
                pipeline.Agent.Thread, CONSUMER_THREADS // 32 * writers),
            tx_count=stage_bytes, cta_layout_vmnk=cute.make_layout((1, *cfg.cluster, 1)),
            defer_sync=True)
        pipeline.pipeline_init_arrive(cute.make_layout(cfg.cluster), is_relaxed=True)
        pipeline.pipeline_init_wait(cute.make_layout(cfg.cluster))

        k_tiles = cute.ceil_div(a.shape[1], cfg.tile_k)
        m, n, item, valid = first_tile(cfg.schedule, tiles, cfg.cluster)
        if warp < 4:
            cute.arch.setmaxregister_decrease(LOAD_REGISTERS)
            if warp == 0:
                a_to, a_from = cpasync.tma_partition(
                    tma_a, coord[1], cute.make_layout(cfg.cluster[1]),
                    cute.group_modes(smem_a, 0, 2),
                    cute.group_modes(
                        cute.local_tile(a, (cfg.tile[0], cfg.tile_k), (None, None)), 0, 2))
                b_to, b_from = cpasync.tma_partition(
                    tma_b, coord[0], cute.make_layout(cfg.cluster[0]),
                    cute.group_modes(smem_b, 0, 2),
                    cute.group_modes(
                        cute.local_tile(b, (cfg.tile[1], cfg.tile_k), (None, None)), 0, 2))
                a_mask, b_mask = None, None
                if cutlass.const_expr(cfg.cluster[1] > 1):
                    a_mask = cute.make_layout_image_mask(cluster, coord, mode=1)
                if cutlass.const_expr(cfg.cluster[0] > 1):
                    b_mask = cute.make_layout_image_mask(cluster, coord, mode=0)
                slot = pipeline.make_pipeline_state(
                    pipeline.PipelineUserType.Producer, cfg.stages)
                while valid:
                    for k in cutlass.range(k_tiles):
                        operands.producer_acquire(slot)
                        barrier = operands.producer_get_barrier(slot)
                        cute.copy(tma_a, a_from[None, m, k], a_to[None, slot.index],
                                  tma_bar_ptr=barrier, mcast_mask=a_mask)
                        cute.copy(tma_b, b_from[None, n, k], b_to[None, slot.index],
                                  tma_bar_ptr=barrier, mcast_mask=b_mask)
                        slot.advance()
                    m, n, item, valid = next_tile(cfg.schedule, tiles, cfg.cluster, item)
                operands.producer_tail(slot)
        else:
            cute.arch.setmaxregister_increase(MMA_REGISTERS)
            consumer = tid - (THREADS - CONSUMER_THREADS)
            # wgmma works on a warp group's rows; the descriptors need its number only.
            thr_mma = mma.get_slice(cute.arch.make_warp_uniform(consumer // 128) * 128)
            a_frag = mma.make_fragment_A(thr_mma.partition_A(smem_a))
            b_frag = mma.make_fragment_B(thr_mma.partition_B(smem_b))
            acc = cute.make_rmem_tensor(mma.partition_shape_C(cfg.tile), cutlass.Float32)
            out = cute.make_rmem_tensor(acc.shape, cfg.c)
            write = cute.make_tiled_copy_C(
                sm90.get_smem_store_op(LayoutEnum.ROW_MAJOR, cfg.c, cutlass.Float32), mma)
            thread_write = write.get_slice(consumer)
            c_from, c_to = cpasync.tma_partition(
                tma_c, 0, cute.make_layout(1), cute.group_modes(smem_c, 0, 2),
                cute.group_modes(cute.local_tile(c, cfg.tile, (None, None)), 0, 2))
            together = pipeline.NamedBarrier(1, CONSUMER_THREADS)

            slot = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, cfg.stages)
            freed = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, cfg.stages)
            while valid:
                # The first slot stands apart: it overwrites the accumulator.
                operands.consumer_wait(slot)
                warpgroup.fence()
                mma.set(warpgroup.Field.ACCUMULATE, False)
                for block in cutlass.range_constexpr(cute.size(a_frag, mode=[2])):
                    at = (None, None, block, slot.index)
                    cute.gemm(mma, acc, a_frag[at], b_frag[at], acc)
                    mma.set(warpgroup.Field.ACCUMULATE, True)
                warpgroup.commit_group()
                slot.advance()
                for _ in cutlass.range(1, k_tiles):
                    operands.consumer_wait(slot)
                    warpgroup.fence()
                    cute.gemm(mma, acc, a_frag[None, None, None, slot.index],
                              b_frag[None, None, None, slot.index], acc)
                    warpgroup.commit_group()
                    slot.advance()
                    warpgroup.wait_group(1)
                    operands.consumer_release(freed)
                    freed.advance()
                warpgroup.wait_group(0)
                operands.consumer_release(freed)
                freed.advance()

                out.store(acc.load().to(cfg.c))
                if warp == 4:
                    cute.arch.cp_async_bulk_wait_group(0, read=True)
                together.arrive_and_wait()
                cute.copy(write, thread_write.retile(out),
                          thread_write.partition_D(smem_c)[None, None, None, 0])
                cute.arch.fence_proxy("async.shared", space="cta")
                together.arrive_and_wait()
                if warp == 4:
                    with cute.arch.elect_one():
                        cute.copy(tma_c, c_from[None, 0], c_to[None, m, n])
                        cute.arch.cp_async_bulk_commit_group()
                m, n, item, valid = next_tile(cfg.schedule, tiles, cfg.cluster, item)
            if warp == 4:
                cute.arch.cp_async_bulk_wait_group(0)


def program(**options):
    """What `cute.compile` takes: the function and arguments like those of a launch."""
    config = Config(**options)
    m, n, k = rows(), columns(config.c), columns(config.ab)
    return (Gemm(config), matrix(config.ab, m, k), matrix(config.ab, n, k),
            matrix(config.c, m, n), cutlass.Int32(1))
