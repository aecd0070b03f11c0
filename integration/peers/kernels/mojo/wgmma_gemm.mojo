# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Hopper GEMM in Mojo: C[m, n] = sum over k of A[m, k] * B[n, k], in bf16.

Two warp groups multiply, 64 of the tile's 128 rows each; a ninth warp loads with
TMA through a ring of four slots. A and B are K-major; what lies outside them is
loaded as zero, what lies outside C is not written. K and N are multiples of 8. The
host side exists so that the kernel is compiled.
"""

from layout import Coord, Idx, TileTensor, row_major
from layout.tma_async import SharedMemBarrier, TMATensorTile, create_tensor_tile
from max.gpu import block_idx, lane_id, thread_idx, warp_id
from max.gpu.compute.mma import (
    WGMMADescriptor,
    wgmma_async,
    wgmma_commit_group_sync,
    wgmma_fence_aligned,
    wgmma_wait_group_sync,
)
from max.gpu.host import DeviceContext, FuncAttribute
from max.gpu.host.nvidia.tma import TensorMapSwizzle
from max.gpu.memory import AddressSpace, external_memory, fence_mbarrier_init
from max.gpu.sync import barrier
from std.memory import unsafe_stack_allocation

comptime BF16 = DType.bfloat16
comptime BM = 128
comptime BN = 128
comptime BK = 64
comptime STAGES = 4
comptime CONSUMERS = 256
comptime THREADS = CONSUMERS + 32
comptime SWIZZLE = TensorMapSwizzle.SWIZZLE_128B
# Rows of 128 bytes, in groups of eight; a descriptor counts in units of 16 bytes.
comptime GROUP = 8 * 128 // 16
comptime SLOT = (BM + BN) * BK
comptime SLOT_BYTES = SLOT * 2
comptime SMEM_BYTES = STAGES * SLOT_BYTES
# The operands' tiles are alike, and so are their maps.
comptime BOX = Coord(Idx[BM], Idx[BK])
comptime Map = TMATensorTile[BF16, BOX, BOX]
comptime Operand = WGMMADescriptor[BF16]


@__llvm_arg_metadata(a_map, `nvvm.grid_constant`)
@__llvm_arg_metadata(b_map, `nvvm.grid_constant`)
def wgmma_gemm(
    a_map: Map,
    b_map: Map,
    c: Pointer[Scalar[BF16], MutAnyOrigin],
    rows: Int32,
    columns: Int32,
    depths: Int32,
):
    var m = Int(rows)
    var n = Int(columns)
    var steps = (Int(depths) + BK - 1) // BK
    var first_row = block_idx.y * BM
    var first_column = block_idx.x * BN

    var slots = external_memory[
        Scalar[BF16], address_space=AddressSpace.SHARED, alignment=1024
    ]()
    var full = unsafe_stack_allocation[
        STAGES, SharedMemBarrier, address_space=AddressSpace.SHARED, alignment=8
    ]()
    var empty = unsafe_stack_allocation[
        STAGES, SharedMemBarrier, address_space=AddressSpace.SHARED, alignment=8
    ]()
    if thread_idx.x == 0:
        comptime for i in range(STAGES):
            full[unsafe_offset=i].init()
            empty[unsafe_offset=i].init(CONSUMERS)
        fence_mbarrier_init()
    barrier()

    if warp_id() == CONSUMERS // 32:
        if lane_id() == 0:
            for step in range(steps):
                var slot = step % STAGES
                empty[unsafe_offset=slot].wait(UInt32(step // STAGES % 2 ^ 1))
                full[unsafe_offset=slot].expect_bytes(SLOT_BYTES)
                var at = slots.unsafe_offset(slot * SLOT)
                a_map.async_copy(
                    TileTensor(at, row_major[BM, BK]()),
                    full[unsafe_offset=slot],
                    (step * BK, first_row),
                )
                b_map.async_copy(
                    TileTensor(at.unsafe_offset(BM * BK), row_major[BN, BK]()),
                    full[unsafe_offset=slot],
                    (step * BK, first_column),
                )
    else:
        var half = warp_id() // 4
        var acc = SIMD[DType.float32, BN // 2](0)
        for step in range(steps):
            var slot = step % STAGES
            full[unsafe_offset=slot].wait(UInt32(step // STAGES % 2))
            var at = slots.unsafe_offset(slot * SLOT)
            var a = Operand.create[GROUP, 1, SWIZZLE](at.unsafe_offset(half * 64 * BK))
            var b = Operand.create[GROUP, 1, SWIZZLE](at.unsafe_offset(BM * BK))
            wgmma_fence_aligned()
            comptime for block in range(BK // 16):
                acc = wgmma_async[64, BN, 16, a_type=BF16, b_type=BF16](
                    a + block * 32, b + block * 32, acc
                )
            wgmma_commit_group_sync()
            wgmma_wait_group_sync()
            _ = empty[unsafe_offset=slot].arrive()

        # A thread holds pairs of columns of two rows that are eight apart.
        var row = first_row + half * 64 + warp_id() % 4 * 16 + lane_id() // 4
        comptime for pair in range(BN // 8):
            var column = first_column + pair * 8 + lane_id() % 4 * 2
            comptime for lower in range(2):
                if row + lower * 8 < m and column < n:
                    var out = SIMD[BF16, 2](
                        acc[pair * 4 + lower * 2].cast[BF16](),
                        acc[pair * 4 + lower * 2 + 1].cast[BF16](),
                    )
                    c.unsafe_offset((row + lower * 8) * n + column).unsafe_store[
                        alignment=4
                    ](out)


def main() raises:
    comptime M = 512
    comptime N = 512
    comptime K = 512
    var context = DeviceContext()
    var a = context.enqueue_create_buffer[BF16](M * K)
    var b = context.enqueue_create_buffer[BF16](N * K)
    var c = context.enqueue_create_buffer[BF16](M * N)
    var a_map = create_tensor_tile[BOX, swizzle_mode=SWIZZLE](
        context, TileTensor(a, row_major[M, K]())
    )
    var b_map = create_tensor_tile[BOX, swizzle_mode=SWIZZLE](
        context, TileTensor(b, row_major[N, K]())
    )
    context.enqueue_function[wgmma_gemm](
        a_map,
        b_map,
        c.unsafe_ptr(),
        Int32(M),
        Int32(N),
        Int32(K),
        grid_dim=(N // BN, M // BM),
        block_dim=THREADS,
        shared_mem_bytes=SMEM_BYTES,
        func_attribute=FuncAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES(SMEM_BYTES),
    )
    context.synchronize()
