# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CPU tensors as they come: transposed, with steps, of a storage that others use,
under inference mode, and descriptors of them."""
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def copy(x, y, M, N, xm, xn, ym, yn, B: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)[:, None]
    n = tl.program_id(1) * B + tl.arange(0, B)[None, :]
    inside = (m < M) & (n < N)
    tl.store(y + m * ym + n * yn, tl.load(x + m * xm + n * xn, inside), inside)


@triton.jit
def double(x, y, B: tl.constexpr):
    i, j = tl.program_id(0) * B, tl.program_id(1) * B
    y.store([i, j], x.load([i, j]) * 2.0)


def copied(x, y):
    copy[(triton.cdiv(x.shape[0], 32), triton.cdiv(x.shape[1], 32))](
        x, y, *x.shape, *x.stride(), *y.stride(), B=32)
    return y


whole = torch.randn(70, 90, dtype=torch.float16)
with torch.inference_mode():
    for x in [whole, whole.T, whole[3:50:2, 5:80:3], whole.view(30, 210)]:
        assert torch.equal(copied(x, torch.empty(x.shape, dtype=x.dtype)), x)
# Both arguments in one storage.
storage = torch.zeros(2, 40, 40)
storage[0].copy_(torch.randn(40, 40))
copied(storage[0], storage[1])
assert torch.equal(storage[0], storage[1])

x, y = torch.randn(100, 64), torch.empty(100, 64)
double[(4, 2)](TensorDescriptor.from_tensor(x, [32, 32]),
               TensorDescriptor.from_tensor(y, [32, 32]), B=32)
assert torch.equal(y, 2 * x)
