# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Blackwell GEMM in Mojo: C[m, n] = sum over k of A[m, k] * B[n, k], in bf16.

Six warps share a CTA: warps 0-3 are the epilogue, warp 4 issues the MMAs, warp 5
the TMA loads, through a ring of four slots. A and B are K-major; what lies outside
them is loaded as zero, what lies outside C is not written. K and N are multiples
of 8. The host side exists so that the kernel is compiled.
"""

from layout import Coord, Idx, TileTensor, row_major
from layout.tma_async import SharedMemBarrier, TMATensorTile, create_tensor_tile
from max.gpu import block_idx, lane_id, thread_idx, warp_id
from max.gpu.compute.arch.mma_nvidia_sm100 import (
    MMASmemDescriptor,
    UMMAInsDescriptor,
    UMMAKind,
    mma,
    mma_arrive,
)
from max.gpu.compute.arch.tcgen05 import (
    tcgen05_alloc,
    tcgen05_dealloc,
    tcgen05_fence_after,
    tcgen05_fence_before,
    tcgen05_ld,
    tcgen05_load_wait,
    tcgen05_release_allocation_lock,
)
from max.gpu.host import DeviceContext, FuncAttribute
from max.gpu.host.nvidia.tma import TensorMapSwizzle
from max.gpu.memory import AddressSpace, external_memory, fence_mbarrier_init
from max.gpu.sync import barrier
from std.memory import unsafe_stack_allocation
from std.utils.index import Index

comptime BF16 = DType.bfloat16
comptime BM = 128
comptime BN = 128
comptime BK = 64
comptime STAGES = 4
comptime THREADS = 192
comptime SWIZZLE = TensorMapSwizzle.SWIZZLE_128B
# Rows of 128 bytes, in groups of eight.
comptime GROUP_BYTES = 8 * 128
comptime SLOT = (BM + BN) * BK
comptime SLOT_BYTES = SLOT * 2
comptime SMEM_BYTES = STAGES * SLOT_BYTES
comptime COLUMNS = 32  # of an accumulator that a thread reads at once

# The operands' tiles are alike, and so are their maps.
comptime BOX = Coord(Idx[BM], Idx[BK])
comptime Map = TMATensorTile[BF16, BOX, BOX]


@__llvm_arg_metadata(a_map, `nvvm.grid_constant`)
@__llvm_arg_metadata(b_map, `nvvm.grid_constant`)
def tcgen05_gemm(
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
    var done = unsafe_stack_allocation[
        1, SharedMemBarrier, address_space=AddressSpace.SHARED, alignment=8
    ]()
    var accumulator = unsafe_stack_allocation[
        1, UInt32, address_space=AddressSpace.SHARED, alignment=16
    ]()

    if thread_idx.x == 0:
        comptime for i in range(STAGES):
            full[unsafe_offset=i].init()
            empty[unsafe_offset=i].init()
        done[].init()
        fence_mbarrier_init()
    if warp_id() == 0:
        tcgen05_alloc[1](accumulator, BN)
        tcgen05_release_allocation_lock[1]()
    tcgen05_fence_before()
    barrier()
    tcgen05_fence_after()
    var tmem = accumulator[]

    if warp_id() == 5:
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
    elif warp_id() == 4:
        if lane_id() == 0:
            var instruction = UMMAInsDescriptor[UMMAKind.KIND_F16].create[
                DType.float32, BF16, BF16, Index[dtype=DType.uint32](BM, BN)
            ]()
            for step in range(steps):
                var slot = step % STAGES
                full[unsafe_offset=slot].wait(UInt32(step // STAGES % 2))
                tcgen05_fence_after()
                var at = slots.unsafe_offset(slot * SLOT)
                var a = MMASmemDescriptor.create[GROUP_BYTES, 16, SWIZZLE](at)
                var b = MMASmemDescriptor.create[GROUP_BYTES, 16, SWIZZLE](
                    at.unsafe_offset(BM * BK)
                )
                comptime for block in range(BK // 16):
                    mma(
                        a + block * 32,
                        b + block * 32,
                        tmem,
                        instruction,
                        c_scale=UInt32(0) if step == 0 and block == 0 else UInt32(1),
                    )
                mma_arrive(empty.unsafe_offset(slot))
            mma_arrive(done)
    else:
        done[].wait(0)
        tcgen05_fence_after()
        var row = first_row + Int(thread_idx.x)
        # A warp sees its own 32 of the 128 lanes; the lane is in the upper half.
        var lanes = tmem + UInt32(warp_id() * 32 << 16)
        comptime for group in range(BN // COLUMNS):
            var values = tcgen05_ld[
                datapaths=32,
                bits=32,
                repeat=COLUMNS,
                dtype=DType.float32,
                pack=False,
            ](lanes + UInt32(group * COLUMNS))
            tcgen05_load_wait()
            comptime for vector in range(COLUMNS // 8):
                var column = first_column + group * COLUMNS + vector * 8
                if row < m and column < n:
                    var out = SIMD[BF16, 8]()
                    comptime for i in range(8):
                        out[i] = values[vector * 8 + i].cast[BF16]()
                    c.unsafe_offset(row * n + column).unsafe_store[alignment=16](out)
        tcgen05_fence_before()
    barrier()
    if warp_id() == 0:
        tcgen05_fence_after()
        tcgen05_dealloc[1](tmem, BN)


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
    context.enqueue_function[tcgen05_gemm](
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
