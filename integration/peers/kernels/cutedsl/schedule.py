# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which output tile a CTA computes first, and which next.

A tile is its row and column among the tiles of C; `tiles` says how many there
are each way, rounded up to whole clusters. There are three schedules: "grid" (one
tile for each CTA), "stride" (a persistent loop; `item` is the number of the
cluster's tile, down the rows before it moves to the next column) and "clc"
(cluster launch control, see `Grants`).
"""

from dataclasses import dataclass

import cutlass
import cutlass.cute as cute
from cutlass import pipeline

GRANT_STAGES = 2
GRANT_BYTES = 16


def launch_grid(schedule: str, tiles, cluster, clusters, splits: int = 1):
    """`splits` CTAs share each tile; what each does of it is the kernel's matter."""
    return (*cluster, clusters) if schedule == "stride" else (*tiles, splits)


@cute.jit
def first_tile(schedule: cutlass.Constexpr, tiles, cluster: cutlass.Constexpr):
    """Row, column, item, and whether there is such a tile."""
    x, y, z = cute.arch.block_idx()
    if cutlass.const_expr(schedule == "stride"):
        return strided_tile(tiles, cluster, z)
    return x, y, cutlass.Int32(0), cutlass.Boolean(True)


@cute.jit
def next_tile(schedule: cutlass.Constexpr, tiles, cluster: cutlass.Constexpr, item):
    if cutlass.const_expr(schedule == "stride"):
        _, _, clusters = cute.arch.grid_dim()
        return strided_tile(tiles, cluster, item + clusters)
    return cutlass.Int32(0), cutlass.Int32(0), item, cutlass.Boolean(False)


@cute.jit
def strided_tile(tiles, cluster: cutlass.Constexpr, item):
    x, y, _ = cute.arch.block_idx()
    rows, columns = tiles[0] // cluster[0], tiles[1] // cluster[1]
    return (item % rows * cluster[0] + x, item // rows * cluster[1] + y,
            item, item < rows * columns)


@dataclass(frozen=True)
class Grants:
    """The pipe of cluster launch control: one warp of the cluster's first CTA asks
    the hardware to cancel a cluster that has not started, the answer arrives in
    the shared memory of every CTA, and all `readers` threads of the cluster read
    it, the asking warp among them."""

    answers: cute.Tensor
    pipe: pipeline.PipelineClcFetchAsync

    @staticmethod
    def create(smem, vmnk, readers: int) -> "Grants":
        answers = smem.allocate_tensor(
            cutlass.Int32, cute.make_layout((4, GRANT_STAGES)), GRANT_BYTES)
        return Grants(answers, pipeline.PipelineClcFetchAsync.create(
            num_stages=GRANT_STAGES,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, readers),
            tx_count=GRANT_BYTES, cta_layout_vmnk=vmnk, defer_sync=True))

    @cute.jit
    def ask(self, state):
        self.pipe.producer_acquire(state)
        with cute.arch.elect_one():
            cute.arch.issue_clc_query(self.pipe.producer_get_barrier(state),
                                      self.answers[None, state.index].iterator)

    @cute.jit
    def read(self, state):
        """Row and column of the next tile, and whether there is one."""
        self.pipe.consumer_wait(state)
        x, y, _, valid = cute.arch.clc_response(self.answers[None, state.index].iterator)
        # Threads read the answer, the asynchronous proxy writes the next one.
        cute.arch.fence_proxy("async.shared", space="cta")
        self.pipe.consumer_release(state)
        # A grant names the first CTA of a cluster.
        in_x, in_y, _ = cute.arch.block_in_cluster_idx()
        return x + in_x, y + in_y, cutlass.Boolean(valid)
