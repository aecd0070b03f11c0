# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From an accumulator in tensor memory to a tile of C in global memory.

Four warps read the accumulator in parts, 128 bytes of C for each row, a row a
thread. A part goes out through shared memory and TMA, with two stages so that one
is filled while the other is stored, or straight from registers in vectors of 16
bytes, each behind a test of the matrix's edges.
"""

from dataclasses import dataclass

import cutlass
import cutlass.cute as cute
from cutlass import pipeline
from cutlass.cute.nvgpu import cpasync, tcgen05
from cutlass.tensor_utils import LayoutEnum
from cutlass.utils import sm100

THREADS = 128
STAGES = 2
BARRIER = 2


def part_shape(rows: int, dtype) -> tuple[int, int]:
    return rows, 128 * 8 // dtype.width


def staging_layout(part, dtype):
    return sm100.make_smem_layout_epi(dtype, LayoutEnum.ROW_MAJOR, part, STAGES)


@dataclass(frozen=True)
class TileWriter:
    """Writes tiles of C, `tile` = (rows of this CTA, columns) each. A tile has an
    even number of parts, so that it begins with the stage after the one with which
    the tile before it ended."""

    tile: tuple[int, int]
    part: tuple[int, int]
    dtype: type
    c: cute.Tensor
    load: cute.TiledCopy
    source: cute.Tensor  # the thread's share of the accumulator
    held: cute.Tensor  # the coordinates in a part of the values that the thread holds
    tma_c: cute.CopyAtom | None
    adds: bool  # whether `tma_c` adds to C instead of storing
    store: cute.TiledCopy | None = None
    staged: cute.Tensor | None = None
    c_from: cute.Tensor | None = None
    c_to: cute.Tensor | None = None

    @staticmethod
    def create(acc, tile, part, c, tma_c, smem_c, dtype, adds=False) -> "TileWriter":
        """`acc` is the accumulator with its stages; `c` is what a TMA store
        addresses if there is a `tma_c`, else the tensor itself."""
        if tile[1] // part[1] % STAGES:
            raise ValueError(f"{tile[1]} columns are not a multiple of {STAGES} parts "
                             f"of {part[1]}")
        tid, _, _ = cute.arch.thread_idx()
        parts = cute.flat_divide(acc[((None, None), 0, 0, None)], part)
        load = tcgen05.make_tmem_copy(
            cute.make_copy_atom(
                tcgen05.Ld32x32bOp(tcgen05.Repetition(part[1]), tcgen05.Pack.NONE),
                cutlass.Float32),
            parts[None, None, 0, 0, 0])
        thread_load = load.get_slice(tid)
        common = dict(tile=tile, part=part, dtype=dtype, c=c, load=load, tma_c=tma_c, adds=adds,
                      source=thread_load.partition_S(parts),
                      held=thread_load.partition_D(cute.make_identity_tensor(part)))
        if tma_c is None:
            return TileWriter(**common)
        store = cute.make_tiled_copy_D(
            sm100.get_smem_store_op(LayoutEnum.ROW_MAJOR, dtype, cutlass.Float32, load), load)
        c_parts = cute.flat_divide(cute.local_tile(c, tile, (None, None)), part)
        c_from, c_to = cpasync.tma_partition(
            tma_c, 0, cute.make_layout(1), cute.group_modes(smem_c, 0, 2),
            cute.group_modes(c_parts, 0, 2))
        return TileWriter(**common, store=store, c_from=c_from, c_to=c_to,
                          staged=store.get_slice(tid).partition_D(smem_c))

    @cute.jit
    def write(self, stage, m, n):
        """Writes tile (m, n) from the accumulator's `stage`."""
        values = cute.make_rmem_tensor(self.held.shape, cutlass.Float32)
        out = cute.make_rmem_tensor(self.held.shape, self.dtype)
        for i in cutlass.range_constexpr(self.tile[1] // self.part[1]):
            cute.copy(self.load, self.source[None, None, None, 0, i, stage], values)
            cute.arch.fence_view_async_tmem_load()
            out.store(values.load().to(self.dtype))
            if cutlass.const_expr(self.tma_c is not None):
                self.store_staged(out, i, m, n)
            else:
                self.store_direct(out, i, m, n)

    @cute.jit
    def store_staged(self, out, i: cutlass.Constexpr, m, n):
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        together = pipeline.NamedBarrier(BARRIER, THREADS)
        # The thread that issues the stores waits until TMA has read the stage's
        # last part; then everyone may overwrite it.
        if warp == 0:
            cute.arch.cp_async_bulk_wait_group(STAGES - 1, read=True)
        together.arrive_and_wait()
        cute.copy(self.store, self.store.retile(out), self.staged[None, None, None, i % STAGES])
        cute.arch.fence_proxy("async.shared", space="cta")
        together.arrive_and_wait()
        if warp == 0:
            # The DSL elects a thread for a copy that adds, but not for one that stores;
            # and a thread that is elected must not ask the others again.
            if cutlass.const_expr(self.adds):
                cute.copy(self.tma_c, self.c_from[None, i % STAGES],
                          self.c_to[None, 0, i, m, n])
            with cute.arch.elect_one():
                if cutlass.const_expr(not self.adds):
                    cute.copy(self.tma_c, self.c_from[None, i % STAGES],
                              self.c_to[None, 0, i, m, n])
                cute.arch.cp_async_bulk_commit_group()

    @cute.jit
    def store_direct(self, out, i: cutlass.Constexpr, m, n):
        row = m * self.tile[0] + self.held[0][0]
        width = 16 * 8 // self.dtype.width
        vectors = cute.zipped_divide(cute.coalesce(out), (width,))
        if row < self.c.shape[0]:
            for v in cutlass.range_constexpr(self.part[1] // width):
                column = n * self.tile[1] + i * self.part[1] + v * width
                if column < self.c.shape[1]:
                    cute.autovec_copy(
                        vectors[None, v],
                        cute.local_tile(self.c[row, None], (width,), (column // width,)))

    @cute.jit
    def finish(self):
        """Waits until every store is done; shared memory must outlive them."""
        if cutlass.const_expr(self.tma_c is not None):
            if cute.arch.make_warp_uniform(cute.arch.warp_idx()) == 0:
                cute.arch.cp_async_bulk_wait_group(0)
