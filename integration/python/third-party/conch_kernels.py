# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""conch-triton-kernels as they are, on CPU tensors."""
import torch
import torch.nn.functional as F
from conch.ops.activation.gelu_tanh_and_mul import gelu_tanh_and_mul
from conch.ops.activation.silu_and_mul import silu_and_mul
from conch.ops.embedding.rotary_embedding import rotary_embedding
from conch.ops.normalization.gemma_rms_norm import gemma_rms_norm
from conch.ops.normalization.rms_norm import fused_add_rms_norm, rms_norm
from conch.ops.quantization.int8 import scaled_int8_quant
from conch.ops.vision.nms import nms
from entries import check, run_all

torch.manual_seed(11)
ROWS, N, EPSILON = 16, 192, 1e-6


def rms(x, w):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + EPSILON) * w


def forward(ours, theirs, *inputs, others=(), **rest):
    return lambda: check(ours, theirs, list(inputs), others, backward=False, **rest)


def rotate(q, k, positions, cache):
    cos, sin = cache[positions].chunk(2, -1)

    def one(x):
        a, b = x.view(ROWS, -1, 64).chunk(2, -1)
        return torch.cat([a * cos[:, None] - b * sin[:, None],
                          b * cos[:, None] + a * sin[:, None]], -1).view(ROWS, -1)
    return one(q), one(k)


def keep_boxes(boxes, scores):
    """Greedily, the best first."""
    kept = []
    for i in scores.argsort(descending=True).tolist():
        corner = torch.maximum(boxes[kept, :2], boxes[i, :2])
        size = (torch.minimum(boxes[kept, 2:], boxes[i, 2:]) - corner).clamp(min=0)
        common = size.prod(-1)
        area = (boxes[:, 2:] - boxes[:, :2]).prod(-1)
        if (common / (area[kept] + area[i] - common) <= 0.5).all():
            kept.append(i)
    return torch.tensor(kept)


x, w = torch.randn(ROWS, N), torch.randn(N)
ANGLE = torch.outer(torch.arange(64), 10000.0**(-torch.arange(32) / 32))
CACHE = torch.cat([ANGLE.cos(), ANGLE.sin()], -1)
CORNER = torch.rand(64, 2) * 8
BOXES = torch.cat([CORNER, CORNER + 1 + torch.rand(64, 2) * 4], -1)
run_all("conch-triton-kernels", [
    ("silu_and_mul", forward(
        silu_and_mul, lambda x: F.silu(x[:, :N // 2]) * x[:, N // 2:], x)),
    ("gelu_tanh_and_mul", forward(
        gelu_tanh_and_mul, lambda x: F.gelu(
            x[:, :N // 2], approximate="tanh") * x[:, N // 2:], x)),
    ("rms_norm", forward(lambda x, w: rms_norm(x, w, EPSILON), rms, x, w)),
    ("fused_add_rms_norm", forward(
        lambda x, r, w: fused_add_rms_norm(x, r, w, EPSILON),
        lambda x, r, w: (rms(x + r, w), x + r), x, torch.randn(ROWS, N), w)),
    ("gemma_rms_norm", forward(lambda x, w: gemma_rms_norm(x, w, EPSILON),
                               lambda x, w: rms(x, 1 + w), x, w)),
    ("rotary_embedding", forward(
        lambda q, k, p, c: rotary_embedding(p, q, k, 64, c), rotate,
        torch.randn(ROWS, 256), torch.randn(ROWS, 128),
        others=[torch.randint(0, 64, (ROWS,)), CACHE])),
    # Its rounding is that of a cast, towards zero; a quotient beside an integer may
    # be on either side.
    ("scaled_int8_quant", forward(
        lambda x: scaled_int8_quant(x, torch.tensor([0.05]))[0].float(),
        lambda x: (x / 0.05).clamp(-128, 127).trunc(), x, roundings=1,
        unit=1 / (x / 0.05).abs().max().item())),
    ("nms", forward(lambda b, s: nms(b, s, 0.5), keep_boxes, BOXES, torch.rand(64),
                    roundings=0)),
])
