# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gluon: layouts by hand, and a copy by TMA that a barrier waits for."""
import numpy as np
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (fence_async_shared,
                                                               mbarrier, tma)
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

from host import aligned, empty, expect, normal


@gluon.jit
def double(x, y, M: gl.constexpr, N: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0])
    row = gl.program_id(0) * M
    tile = gl.allocate_shared_memory(x.dtype, [M, N], x.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, x.block_type.nbytes)
    tma.async_load(x, [row, 0], bar, tile)
    mbarrier.wait(bar, phase=0)
    mbarrier.invalidate(bar)
    tile.store(tile.load(layout) * 2.0)
    fence_async_shared()
    tma.async_store(y, [row, 0], tile)
    tma.store_wait(pendings=0)


M, N = 100, 128
x, y = aligned(normal(M, N)), empty((M, N))
layout = gl.NVMMASharedLayout.get_default_for([32, N], gl.float32)
double[(triton.cdiv(M, 32),)](TensorDescriptor.from_tensor(x, [32, N], layout),
                              TensorDescriptor.from_tensor(y, [32, N], layout), 32,
                              N)
expect("gluon_copy", y, x * np.float32(2))
