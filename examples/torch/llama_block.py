# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A block of a Llama model, in PyTorch: torch's own modules, and a few of this file,
become kernels for Blackwell, or for the architecture that is named, and run on an
emulated one."""
import sys

import torch
from torch import nn
from torch.nn import functional

import drawloom.torch

ROWS, WIDTH, HEADS, HIDDEN = 128, 256, 4, 512
HEAD = WIDTH // HEADS


class Rotate(nn.Module):
    """Turns pairs of a head's elements by an angle that grows with the row."""

    def __init__(self):
        super().__init__()
        angles = torch.outer(torch.arange(ROWS),
                             10000.0 ** (-2 * torch.arange(HEAD // 2) / HEAD))
        self.register_buffer("cos", torch.cos(angles))
        self.register_buffer("sin", torch.sin(angles))

    def forward(self, even, odd):
        even, odd = even.float(), odd.float()
        return ((even * self.cos - odd * self.sin).bfloat16(),
                (odd * self.cos + even * self.sin).bfloat16())


class Attention(nn.Module):
    def forward(self, q, k, v):
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)


class SwiGLU(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.up = nn.Linear(WIDTH, HIDDEN, bias=False)

    def forward(self, x):
        return functional.silu(self.gate(x)) * self.up(x)


class LlamaBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.norm2 = nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH)
        self.q, self.k, self.v, self.o = (
            nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.rotate, self.attention, self.mlp = Rotate(), Attention(), SwiGLU()
        self.down = nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, x):
        y = self.norm(x)
        q, k, v = (project(y).view(ROWS, HEADS, HEAD).transpose(0, 1)
                   for project in (self.q, self.k, self.v))
        q, k = (torch.cat(self.rotate(*one.chunk(2, -1)), -1) for one in (q, k))
        y = self.attention(q, k, v).transpose(0, 1).reshape(ROWS, WIDTH)
        x = x + self.o(y)
        return x + self.down(self.mlp(self.norm2(x)))


KERNELS = [SwiGLU]


def make_model():
    torch.manual_seed(0)
    model = LlamaBlock().bfloat16().eval()
    model.rotate.float()
    return model, (torch.randn(ROWS, WIDTH).bfloat16(),)


if __name__ == "__main__":
    arch = sys.argv[1] if len(sys.argv) > 1 else "sm_100a"
    model, arguments = make_model()
    parts = drawloom.torch.split(model, *arguments, kernels=KERNELS)
    made = parts.run(arch, *arguments)
    with torch.no_grad():
        wanted = model(*arguments)
    print(parts)
    print(f"largest difference to torch: {(made - wanted).abs().max()}, where the largest "
          f"element is {wanted.abs().max()}")
