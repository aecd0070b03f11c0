# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modular's own Hopper GEMM, instantiated for bf16 with two consumer warp groups and
clusters of two CTAs that share B by multicast: C[m, n] = sum over k of
A[m, k] * B[n, k]. M is known only at launch.
"""

from layout import Coord, Idx, TileTensor, row_major
from linalg.matmul.gpu.sm90.matmul import warp_specialize_gemm_with_multicasting
from linalg.utils_gpu import MatmulConfig
from max.gpu.host import DeviceContext
from std.utils.index import Index

comptime BF16 = DType.bfloat16
comptime N = 512
comptime K = 512
comptime CONFIG = MatmulConfig[BF16, BF16, BF16, True](
    block_tile_shape=Index(128, 128, 64),
    mma_shape=Index(64, 128, 16),
    cluster_shape=Index(2, 1, 1),
    num_pipeline_stages=4,
    num_consumer=2,
)


def main() raises:
    var context = DeviceContext()
    var m = 512
    var a = context.enqueue_create_buffer[BF16](m * K)
    var b = context.enqueue_create_buffer[BF16](N * K)
    var c = context.enqueue_create_buffer[BF16](m * N)
    warp_specialize_gemm_with_multicasting[
        transpose_b=True, config=CONFIG, use_tma_store=True
    ](
        TileTensor(c, row_major(Coord(m, Idx[N]))),
        TileTensor(a, row_major(Coord(m, Idx[K]))),
        TileTensor(b, row_major[N, K]()),
        context,
    )
    context.synchronize()
