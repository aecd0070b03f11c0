# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RMSNorm in CuTe DSL: y[i, j] = x[i, j] * w[j] / sqrt(mean over j of x[i, j]^2 + eps).

One CTA for each row, vectors of eight values, the sum reduced by shuffles within
a warp and through shared memory between warps. Rows are multiples of 16 bytes.
With `dependent` the kernel may be launched before the one in front of it in the
stream has ended: it waits for that one before it reads.
"""

import operator

import cutlass
import cutlass.cute as cute
from cutlass.memory import SmemAllocator

from .arguments import columns, matrix, rows, vector

WARPS = 4
VECTOR = 8


class RmsNorm:
    def __init__(self, dependent: bool):
        self.dependent = dependent

    @cute.jit
    def __call__(self, x: cute.Tensor, w: cute.Tensor, y: cute.Tensor, eps: cutlass.Float32):
        self.kernel(x, w, y, eps).launch(
            grid=(x.shape[0], 1, 1), block=(32 * WARPS, 1, 1), use_pdl=self.dependent)

    @cute.kernel
    def kernel(self, x: cute.Tensor, w: cute.Tensor, y: cute.Tensor, eps: cutlass.Float32):
        row, _, _ = cute.arch.block_idx()
        tid, _, _ = cute.arch.thread_idx()
        partial = SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(WARPS), 16)
        x_vectors = cute.zipped_divide(x[row, None], (VECTOR,))
        w_vectors = cute.zipped_divide(w, (VECTOR,))
        y_vectors = cute.zipped_divide(y[row, None], (VECTOR,))
        vectors = cute.size(x_vectors, mode=[1])

        if cutlass.const_expr(self.dependent):
            cute.arch.griddepcontrol_wait()
        total = cutlass.Float32(0)
        for i in cutlass.range(tid, vectors, 32 * WARPS):
            value = x_vectors[None, i].load().to(cutlass.Float32)
            total += (value * value).reduce(cute.ReductionOp.ADD, cutlass.Float32(0), 0)
        total = cute.arch.warp_reduction(total, operator.add)
        if tid % 32 == 0:
            partial[tid // 32] = total
        cute.arch.sync_threads()
        if cutlass.const_expr(self.dependent):
            cute.arch.griddepcontrol_launch_dependents()
        total = cutlass.Float32(0)
        for warp in cutlass.range_constexpr(WARPS):
            total += partial[warp]
        scale = cute.math.rsqrt(total / x.shape[1] + eps)
        for i in cutlass.range(tid, vectors, 32 * WARPS):
            value = x_vectors[None, i].load().to(cutlass.Float32) * scale
            value *= w_vectors[None, i].load().to(cutlass.Float32)
            y_vectors[None, i].store(value.to(y.element_type))


def program(dtype=cutlass.BFloat16, dependent=False):
    """What `cute.compile` takes: the function and arguments like those of a launch."""
    m, n = rows(), columns(dtype)
    return (RmsNorm(dependent), matrix(dtype, m, n), vector(dtype, n), matrix(dtype, m, n),
            cutlass.Float32(1e-5))
