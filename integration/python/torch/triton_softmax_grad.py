# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An autograd function of Triton kernels, checked against torch's own softmax."""
import torch
import triton
import triton.language as tl


@triton.jit
def forward(x, y, N, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    place = tl.program_id(0) * N + i
    values = tl.load(x + place, i < N, -float("inf"))
    values = tl.exp(values - tl.max(values, 0))
    tl.store(y + place, values / tl.sum(values, 0), i < N)


@triton.jit
def backward(y, dy, dx, N, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    place = tl.program_id(0) * N + i
    values, grads = tl.load(y + place, i < N, 0.0), tl.load(dy + place, i < N, 0.0)
    inner = tl.sum(values * grads, 0)
    tl.store(dx + place, values * (grads - inner), i < N)


class Softmax(torch.autograd.Function):

    @staticmethod
    def forward(context, x):
        y = torch.empty_like(x)
        forward[(x.shape[0],)](x, y, x.shape[1],
                               BLOCK=triton.next_power_of_2(x.shape[1]))
        context.save_for_backward(y)
        return y

    @staticmethod
    def backward(context, dy):
        y, = context.saved_tensors
        dx = torch.empty_like(y)
        backward[(y.shape[0],)](y, dy.contiguous(), dx, y.shape[1],
                                BLOCK=triton.next_power_of_2(y.shape[1]))
        return dx


x = torch.randn(20, 77, requires_grad=True)
weight = torch.randn(20, 77)
(Softmax.apply(x) * weight).sum().backward()
reference = x.detach().double().requires_grad_()
y = torch.softmax(reference, 1)
(y * weight).sum().backward()
# As in triton/bounded.py: sums of 77 terms, each of which an exponential and a
# quotient have touched, twice.
rate = 2 * 77 * 2.0**-23 + 8 * 2.0**-22
size = y * (weight.abs() + (y * weight.abs()).sum(1, keepdim=True))
assert ((x.grad.double() - reference.grad).abs() <= rate * size).all()
