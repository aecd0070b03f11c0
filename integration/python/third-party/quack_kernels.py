# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quack's kernels as they are, CuTe DSL with its own launcher, on tensors of the
emulated device. What torch itself computes there is SASS, so a function
that adds with torch between two kernels is called in its parts."""
import os

# What it has compiled before is SASS, whose PTX is gone.
os.environ["QUACK_CACHE_ENABLED"] = "0"
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from entries import BF16, F32, check, run_all
from quack import cross_entropy, rmsnorm, softmax
from quack import gemm_interface as gemms
from quack.linear import linear_func
from quack.rmsnorm import layernorm_fwd
from quack.rotary import apply_rotary_emb
from quack.topk import topk

torch.manual_seed(7)
M, N, K = 128, 192, 128


def normal(*shape):
    return torch.randn(*shape).bfloat16()


def on_device(ours, theirs, inputs, others=(), **rest):
    def call():
        share = check(ours, theirs, inputs, others, device="cuda", **rest)
        torch.cuda.synchronize()
        return share
    return call


def product(ours, theirs, *inputs, roundings=2):
    """One product of tensor cores, exact but for the rounding of its result."""
    return on_device(ours, theirs, list(inputs), roundings=roundings, unit=BF16,
                     backward=False)


def rms(x, w):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    cos, sin = cos[:, None], sin[:, None]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def relu_square(x):
    return F.relu(x)**2


ANGLE = torch.outer(torch.arange(64), 10000.0**(-torch.arange(32) / 32))
TARGET = torch.randint(0, N, (M,))
x, w = torch.randn(M, N), torch.randn(N)
A, B, C = normal(M, K), normal(K, N), normal(M, N)
CASES = [
    ("softmax", on_device(softmax, lambda x: x.softmax(-1), [x])),
    ("rmsnorm", on_device(rmsnorm, rms, [x, w], backward=False)),
    ("rmsnorm prenorm", on_device(
        lambda x, r, w: rmsnorm(x, w, residual=r, prenorm=True),
        lambda x, r, w: (rms(x + r, w), x + r), [x, torch.randn(M, N), w],
        backward=False)),
    ("layernorm_fwd", on_device(
        layernorm_fwd, lambda x, w, b: F.layer_norm(x, (N,), w, b, 1e-6),
        [x, w, torch.randn(N)], backward=False)),
    ("cross_entropy", on_device(
        lambda x, t: cross_entropy(x, t, reduction="none"),
        lambda x, t: F.cross_entropy(x, t, reduction="none"), [x], [TARGET])),
    ("topk", on_device(lambda x: topk(x, 16)[0], lambda x: x.topk(16).values,
                       [torch.randn(M, 256)], backward=False)),
    ("topk softmax", on_device(
        lambda x: topk(x, 16, softmax=True)[0],
        lambda x: x.topk(16).values.softmax(-1), [torch.randn(M, 256)],
        backward=False)),
    ("apply_rotary_emb", on_device(apply_rotary_emb, rotate, [
        torch.randn(2, 64, 4, 64)], [ANGLE.cos(), ANGLE.sin()])),
    ("gemm", product(lambda a, b: gemms.gemm(a, b, tuned=False),
                     lambda a, b: a @ b, A, B)),
    ("gemm batched", product(lambda a, b: gemms.gemm(a, b, tuned=False),
                             lambda a, b: a @ b, normal(2, M, K), normal(2, K, N))),
    ("gemm bias", product(lambda a, b, c: gemms.gemm(a, b, bias=c, tuned=False),
                          lambda a, b, c: a @ b + c, A, B, torch.randn(N))),
    ("gemm_add", product(lambda a, b, c: gemms.gemm_add(a, b, c, tuned=False),
                         lambda a, b, c: a @ b + c, A, B, C)),
    ("gemm_act relu_sq", product(
        lambda a, b: gemms.gemm_act(a, b, activation="relu_sq", store_preact=False,
                                    tuned=False)[1],
        lambda a, b: relu_square(a @ b), A, B, roundings=4)),
    ("gemm_act gelu", product(
        lambda a, b: gemms.gemm_act(a, b, activation="gelu_tanh_approx",
                                    tuned=False)[1],
        lambda a, b: F.gelu(a @ b, approximate="tanh"), A, B)),
    ("gemm_act swiglu", product(
        lambda a, b: gemms.gemm_act(a, b, activation="swiglu", store_preact=False,
                                    tuned=False)[1],
        lambda a, b: F.silu((a @ b)[:, ::2]) * (a @ b)[:, 1::2], A, B, roundings=4)),
    ("gemm_symmetric", product(lambda a: gemms.gemm_symmetric(a, a.mT),
                               lambda a: a @ a.mT, normal(256, K))),
    ("linear_func", on_device(
        lambda x, w: linear_func(x, w, tuned=False), lambda x, w: x @ w.mT,
        [normal(M, K), normal(N, K)], roundings=2, unit=BF16)),
]
# Gradients of weights are added up by torch.
REFUSED = [
    ("rmsnorm backward", on_device(rmsnorm, rms, [x, w]),
     "the program has no PTX for this device"),
]
run_all("quack-kernels", CASES, REFUSED)
