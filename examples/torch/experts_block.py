# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A mixture of experts, in PyTorch: the router, the experts and their weighted sum are
kernels; which two experts a row takes, torch decides."""
import sys

import torch
from torch import nn
from torch.nn import functional

import drawloom.torch

ROWS, WIDTH, HIDDEN, EXPERTS, TAKEN = 128, 256, 256, 4, 2


class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Linear(WIDTH, EXPERTS, bias=False)

    def forward(self, x):
        return torch.softmax(self.weight(x).float(), -1)


class Expert(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.up = nn.Linear(WIDTH, HIDDEN, bias=False)

    def forward(self, x):
        return functional.silu(self.gate(x)) * self.up(x)


class Combine(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, total, share, hidden):
        return total + share * self.down(hidden).float()


class ExpertsBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = Router()
        self.experts = nn.ModuleList(Expert() for _ in range(EXPERTS))
        self.combine = nn.ModuleList(Combine() for _ in range(EXPERTS))

    def forward(self, x):
        likely = self.router(x)
        best, which = torch.topk(likely, TAKEN)
        shares = torch.zeros_like(likely).scatter(
            1, which, best / best.sum(-1, keepdim=True))
        total = x.float()
        for number, (expert, combine) in enumerate(zip(self.experts, self.combine)):
            total = combine(total, shares[:, number:number + 1], expert(x))
        return total.bfloat16()


KERNELS = [Router, Expert, Combine]


def make_model():
    torch.manual_seed(0)
    return ExpertsBlock().bfloat16().eval(), (torch.randn(ROWS, WIDTH).bfloat16(),)


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
