# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""liger-kernel's entry points as they are, forward and backward, its Triton kernels on
CPU tensors."""
import sys

# Where CuTe DSL is installed, jsd takes it, for tensors on a device.
sys.modules["cutlass"] = None
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from entries import check, run, run_all  # noqa: E402
from liger_kernel.transformers import functional as liger  # noqa: E402

torch.manual_seed(3)
ROWS, N = 16, 192


def rms_norm(x, w, eps=1e-6):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w


def poly_norm(x, w, b, eps=1e-6):
    return sum(w[i] * rms_norm(x**(3 - i), 1, eps) for i in range(3)) + b


def kl(x, y):
    return F.kl_div(x, y, reduction="batchmean")


def jsd(x, y):
    p, q = x.exp(), y.exp()
    m = ((p + q) / 2).log()
    return 0.5 * ((p * (x - m)).sum() + (q * (y - m)).sum()) / x.shape[0]


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos[:, None] + torch.cat([-b, a], -1) * sin[:, None]


def rope(q, k, cos, sin):
    return rotate(q, cos, sin), rotate(k, cos, sin)


def normal(*shape):
    return torch.randn(*shape)


def log_weights(*shape):
    return torch.randn(*shape).log_softmax(-1)


angle = torch.outer(torch.arange(ROWS), 10000.0**(-torch.arange(0, 32, 2) / 32))
angle = torch.cat([angle, angle], -1)[None]
targets = torch.randint(0, N, (ROWS,))

# Name, ours, torch's, the inputs with gradients, and others.
CASES = [
    ("rms_norm", lambda x, w: liger.liger_rms_norm(x, w, 1e-6), rms_norm,
     [normal(ROWS, N), normal(N)], []),
    ("layer_norm", lambda x, w, b: liger.liger_layer_norm(x, w, b, 1e-6),
     lambda x, w, b: F.layer_norm(x, (N,), w, b, 1e-6),
     [normal(ROWS, N), normal(N), normal(N)], []),
    ("fused_add_rms_norm", lambda x, r, w: liger.liger_fused_add_rms_norm(
        x, r, w, 1e-6), lambda x, r, w: (rms_norm(x + r, w), x + r),
     [normal(ROWS, N), normal(ROWS, N), normal(N)], []),
    ("swiglu", liger.liger_swiglu, lambda a, b: F.silu(a) * b,
     [normal(ROWS, N), normal(ROWS, N)], []),
    ("geglu", liger.liger_geglu, lambda a, b: F.gelu(a, approximate="tanh") * b,
     [normal(ROWS, N), normal(ROWS, N)], []),
    ("relu_squared", liger.liger_relu_squared, lambda x: F.relu(x)**2,
     [normal(ROWS, N)], []),
    ("softmax", liger.liger_softmax, lambda x: x.softmax(-1), [normal(ROWS, N)], []),
    ("poly_norm", lambda x, w, b: liger.liger_poly_norm(x, w, b, 1e-6), poly_norm,
     [normal(ROWS, N), normal(3), torch.randn(())], []),
    ("cross_entropy", liger.liger_cross_entropy, F.cross_entropy,
     [normal(ROWS, N)], [targets]),
    ("cross_entropy smooth", lambda x, t: liger.liger_cross_entropy(
        x, t, label_smoothing=0.1), lambda x, t: F.cross_entropy(
            x, t, label_smoothing=0.1), [normal(ROWS, N)], [targets]),
    ("fused_linear_cross_entropy",
     lambda x, w, t: liger.liger_fused_linear_cross_entropy(x, w, t),
     lambda x, w, t: F.cross_entropy(x @ w.T, t), [normal(ROWS, 64), normal(N, 64)],
     [targets]),
    ("tvd", lambda x, y: liger.liger_tvd(x, y, reduction="batchmean"), lambda x, y: (
        0.5 * (x - y).abs().sum() / ROWS), [log_weights(ROWS, N).exp()],
     [log_weights(ROWS, N).exp()]),
    ("kl_div", lambda x, y: liger.liger_kl_div(x, y, reduction="batchmean"), kl,
     [log_weights(ROWS, N)], [log_weights(ROWS, N).exp()]),
    ("jsd", liger.liger_jsd, jsd, [log_weights(ROWS, N)], [log_weights(ROWS, N)]),
    ("group_norm", lambda x, w, b: liger.liger_group_norm(x, w, b, 8, 4, 1e-6),
     lambda x, w, b: F.group_norm(x, 4, w, b, 1e-6),
     [normal(4, 8, 24), normal(8), normal(8)], []),
    ("rope", liger.liger_rope, rope, [normal(1, 4, ROWS, 32), normal(1, 2, ROWS, 32)],
     [angle.cos(), angle.sin()]),
]


# It asks torch for the properties of the device that its tensors are on.
REFUSED = [("dyt", liger.liger_dyt,
            [normal(ROWS, N), normal(1), normal(N), normal(N)],
            "Expected a cuda device, but got: cpu")]


def forward_and_backward(ours, theirs, inputs, others):
    # Some write gradients over their inputs, which autograd wants to itself.
    return lambda: check(lambda *x: ours(*(y * 1 if y.requires_grad else y
                                           for y in x)), theirs, inputs, others)


def refused(function, inputs):
    return lambda: run(function, inputs, [], [torch.ones(ROWS, N)])


run_all("liger-kernel",
        [(name, forward_and_backward(*case)) for name, *case in CASES],
        [(name, refused(function, inputs), words)
         for name, function, inputs, words in REFUSED])
