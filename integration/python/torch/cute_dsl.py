# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CuTe DSL with its own launcher, by TVM FFI, on tensors of the emulated device. Two
kernels of one name are compiled before either is launched."""
import cutlass
import cutlass.cute as cute
import torch
from cutlass.cute.runtime import from_dlpack


@cute.kernel
def scale(x: cute.Tensor, y: cute.Tensor, factor: cutlass.Constexpr):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if i < cute.size(x):
        y[i] = x[i] * factor


class Scale:

    def __init__(self, factor):
        self.factor = factor

    @cute.jit
    def __call__(self, x: cute.Tensor, y: cute.Tensor):
        scale(x, y, self.factor).launch(grid=(8, 1, 1), block=(128, 1, 1))


x = torch.randn(1000)
source, target = x.to("cuda"), torch.empty(1000, device="cuda")
tensors = [from_dlpack(tensor, enable_tvm_ffi=True) for tensor in (source, target)]
functions = [(cute.compile(Scale(factor), *tensors, options="--enable-tvm-ffi"), factor)
             for factor in (3.0, 5.0)]
for function, factor in functions:
    function(source, target)
    assert torch.equal(target.cpu(), factor * x), factor
