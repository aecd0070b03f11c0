# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modular's own Blackwell GEMM, instantiated for bf16 with CTA pairs and cluster
launch control: C[m, n] = sum over k of A[m, k] * B[n, k]. M is known only at launch.
"""

from layout import Coord, Idx, TileTensor, row_major
from linalg.matmul.gpu.sm100_structured.default.matmul import (
    blackwell_matmul_tma_umma_warp_specialized,
)
from linalg.matmul.gpu.sm100_structured.structured_kernels.config import MatmulConfig
from max.gpu.host import DeviceContext
from std.utils.index import Index

comptime BF16 = DType.bfloat16
comptime N = 512
comptime K = 512
comptime CONFIG = MatmulConfig[BF16, BF16, BF16, True](
    cta_group=2, mma_shape=Index(256, 128, 16), cluster_shape=Index(2, 1, 1)
)


def main() raises:
    var context = DeviceContext()
    var m = 512
    var a = context.enqueue_create_buffer[BF16](m * K)
    var b = context.enqueue_create_buffer[BF16](N * K)
    var c = context.enqueue_create_buffer[BF16](m * N)
    blackwell_matmul_tma_umma_warp_specialized[transpose_b=True, config=CONFIG](
        TileTensor(c, row_major(Coord(m, Idx[N]))),
        TileTensor(a, row_major(Coord(m, Idx[K]))),
        TileTensor(b, row_major[N, K]()),
        context,
    )
    context.synchronize()
