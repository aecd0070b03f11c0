# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel as an operation of torch's: eager, in a graph, and without data. The tensors
are on the CPU, and the kernel runs on an emulated B200."""
import torch

import drawloom


@drawloom.fuse("sm_100a")
def kernel(a: "bf16[M, K]", b: "bf16[N, K]", bias: "f32[N]"):
    return drawloom.relu(a @ b.T + bias)


@torch.library.custom_op("drawloom_example::linear", mutates_args=())
def linear(a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(kernel(a, b, bias))


@linear.register_fake
def _(a, b, bias):
    return a.new_empty((a.shape[0], b.shape[0]), dtype=torch.float32)


torch.manual_seed(0)
a, b, bias = torch.randn(72, 64).bfloat16(), torch.randn(40, 64).bfloat16(), torch.randn(40)
torch.library.opcheck(linear, (a, b, bias))  # the fake kernel fits the real one
out = torch.compile(lambda *x: linear(*x) * 2, backend="eager", fullgraph=True)(a, b, bias)

# As examples/python/linear.py derives it; times two is exact.
a, b = a.double(), b.double()
bound = (64 + 1) * 2.0**-23 * (a.abs() @ b.abs().T + bias.abs())
assert ((out / 2 - torch.relu(a @ b.T + bias)).abs() <= bound).all()
print("right")
