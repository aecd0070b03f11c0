# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GEMM in Mojo without tensor cores: C[m, n] = sum over k of A[m, k] * B[n, k].

A CTA computes a square of C, its threads stage squares of A and B in shared memory.
Any sizes: what lies outside A and B counts as zero, what lies outside C is not
written. The host side exists so that the kernel is compiled.
"""

from max.gpu import block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace
from max.gpu.sync import barrier
from std.memory import unsafe_stack_allocation

comptime TILE = 16


def simt_gemm(
    a: Pointer[Float32, ImmutAnyOrigin],
    b: Pointer[Float32, ImmutAnyOrigin],
    c: Pointer[Float32, MutAnyOrigin],
    rows: Int32,
    columns: Int32,
    depths: Int32,
):
    var m = Int(rows)
    var n = Int(columns)
    var k = Int(depths)
    var a_square = unsafe_stack_allocation[
        TILE * TILE, Float32, address_space=AddressSpace.SHARED
    ]()
    # A column more, so that threads that read down a column use different banks.
    var b_square = unsafe_stack_allocation[
        TILE * (TILE + 1), Float32, address_space=AddressSpace.SHARED
    ]()
    var x = thread_idx.x
    var y = thread_idx.y
    var row = block_idx.y * TILE + y
    var column = block_idx.x * TILE + x
    var b_row = block_idx.x * TILE + y
    var sum = Float32(0)
    for first in range(0, k, TILE):
        var depth = first + x
        a_square[unsafe_offset=y * TILE + x] = (
            a[unsafe_offset=row * k + depth] if row < m and depth < k else 0
        )
        b_square[unsafe_offset=y * (TILE + 1) + x] = (
            b[unsafe_offset=b_row * k + depth] if b_row < n and depth < k else 0
        )
        barrier()
        for i in range(TILE):
            sum += (
                a_square[unsafe_offset=y * TILE + i]
                * b_square[unsafe_offset=x * (TILE + 1) + i]
            )
        barrier()
    if row < m and column < n:
        c[unsafe_offset=row * n + column] = sum


def main() raises:
    var context = DeviceContext()
    var a = context.enqueue_create_buffer[DType.float32](1)
    var b = context.enqueue_create_buffer[DType.float32](1)
    var c = context.enqueue_create_buffer[DType.float32](1)
    context.enqueue_function[simt_gemm](
        a.unsafe_ptr(),
        b.unsafe_ptr(),
        c.unsafe_ptr(),
        Int32(1),
        Int32(1),
        Int32(1),
        grid_dim=(1, 1),
        block_dim=(TILE, TILE),
    )
    context.synchronize()
