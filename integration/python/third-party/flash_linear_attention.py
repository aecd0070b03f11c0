# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""flash-linear-attention's operators as they are, its Triton kernels on CPU tensors.

Roundings to bf16 in a chunk: products of queries and keys, the state, the values
that are new to it, and the result; backward as many again."""
import os

# Where TileLang is installed, some are its.
os.environ["FLA_TILELANG"] = "0"
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from entries import BF16, F32, check, first, run_all  # noqa: E402
from fla import ops  # noqa: E402

torch.manual_seed(5)
B, T, H, K = 1, 96, 2, 32


def normal(*shape):
    return torch.randn(*shape).bfloat16()


def unit_rows(*shape):
    return F.normalize(torch.randn(*shape), dim=-1).bfloat16()


def log_gate(*shape):
    return F.logsigmoid(torch.randn(*shape) + 2)


def recurrence(q, k, v, decay=None, beta=None, a=None, b=None, bonus=None, scale=None):
    """S = diag(decay) S + a (b S) + k v, o = q S, a row of the sequence at a time."""
    scale = q.shape[-1]**-0.5 if scale is None else scale
    state = q.new_zeros(q.shape[0], q.shape[2], q.shape[3], v.shape[3])
    outputs = []
    for t in range(q.shape[1]):
        row, before = k[:, t], state
        if decay is not None:
            state = state * decay[:, t].exp()[..., None]
        value = v[:, t]
        if beta is not None:
            value = (value - (row[..., None] * state).sum(-2)) * beta[:, t, :, None]
        if a is not None:
            state = state + b[:, t, :, :, None] * (
                a[:, t, :, :, None] * before).sum(-2, keepdim=True)
        product = row[..., None] * value[..., None, :]
        if bonus is not None:
            read = before + bonus[None, :, :, None] * product
        state = state + product
        outputs.append((q[:, t, :, :, None] * scale * (
            read if bonus is not None else state)).sum(-2))
    return torch.stack(outputs, 1)


def attention(q, k, v, bias=None):
    scores = torch.einsum("bthd,bshd->bhts", q, k) * q.shape[-1]**-0.5
    if bias is not None:
        total = bias.cumsum(1).transpose(1, 2)
        scores = scores + total[..., None] - total[..., None, :]
    mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    return torch.einsum("bhts,bshd->bthd", weights, v)


def hgrn(x, g):
    state, outputs = torch.zeros_like(x[:, 0]), []
    for t in range(x.shape[1]):
        state = state * g[:, t].exp() + x[:, t]
        outputs.append(state)
    return torch.stack(outputs, 1)


def retention_gate(q):
    gamma = (1 - 2.0**(-5 - torch.arange(H, dtype=torch.float64))).log()
    return gamma[None, None, :, None].expand(B, T, H, 1)


def lightning_gate(q):
    slope = -(8 / H * (1 - 1 / 4)) * torch.arange(H, dtype=torch.float64)
    return slope[None, None, :, None].expand(B, T, H, 1)


def qkv():
    return [normal(B, T, H, K), normal(B, T, H, K), normal(B, T, H, K)]


def delta():
    return [normal(B, T, H, K), unit_rows(B, T, H, K), normal(B, T, H, K)]


def case(function, reference, inputs, roundings=8):
    return lambda: check(first(function), reference, inputs, roundings=roundings,
                         unit=BF16)


def plain(function, reference, inputs, **rest):
    return lambda: check(function, reference, inputs, **{
        "roundings": 8, "unit": BF16, **rest})


def scalar(q, k, v, g):
    return recurrence(q, k, v, g[..., None])


def with_beta(q, k, v, beta):
    return recurrence(q, k, v, beta=beta)


def gated_delta(q, k, v, g, beta):
    return recurrence(q, k, v, g[..., None], beta)


def kda(q, k, v, g, beta):
    return recurrence(q, k, v, g, beta)


def no_norm(function):
    return lambda q, k, v: function(q, k, v, normalize=False)


beta = lambda: torch.rand(B, T, H).bfloat16()
CASES = [(function.__name__, case(no_norm(function), recurrence, qkv()))
         for function in [ops.chunk_linear_attn, ops.fused_chunk_linear_attn,
                          ops.fused_recurrent_linear_attn]]
CASES += [(function.__name__, case(function, lambda q, k, v: recurrence(
    q, k, v, retention_gate(q)), qkv()))
    for function in [ops.chunk_retention, ops.fused_chunk_retention,
                     ops.fused_recurrent_retention, ops.parallel_retention]]
CASES += [(function.__name__, case(function, scalar, qkv() + [log_gate(B, T, H)]))
          for function in [ops.chunk_simple_gla, ops.fused_chunk_simple_gla,
                           ops.fused_recurrent_simple_gla, ops.parallel_simple_gla]]
CASES += [(function.__name__, case(function, recurrence,
                                   qkv() + [log_gate(B, T, H, K).bfloat16()]))
          for function in [ops.chunk_gla, ops.fused_recurrent_gla]]
CASES += [(function.__name__, case(function, with_beta, delta() + [beta()]))
          for function in [ops.chunk_delta_rule, ops.fused_recurrent_delta_rule]]
CASES += [(function.__name__, case(function, gated_delta,
                                   delta() + [log_gate(B, T, H), beta()]))
          for function in [ops.chunk_gated_delta_rule]]
CASES += [("fused_recurrent_gated_delta_rule", plain(
    lambda q, k, v, g, b: ops.fused_recurrent_gated_delta_rule(
        q, k, v, g=g, beta=b)[0], gated_delta, delta() + [log_gate(B, T, H), beta()],
    backward=False))]
CASES += [("chunk_kda", case(ops.chunk_kda, kda, delta() + [log_gate(B, T, H, K),
                                                            beta()])),
          ("fused_recurrent_kda", plain(first(ops.fused_recurrent_kda), kda,
                                        delta() + [log_gate(B, T, H, K), beta()],
                                        backward=False))]
CASES += [("parallel_attn", plain(ops.parallel_attn, attention, qkv())),
          ("parallel_forgetting_attn", plain(ops.parallel_forgetting_attn, attention,
                                             qkv() + [log_gate(B, T, H)])),
          ("fused_recurrent_hgrn", plain(first(ops.fused_recurrent_hgrn), hgrn, [
              torch.randn(B, T, H * K), log_gate(B, T, H * K)], unit=F32,
              roundings=4 * T))]
CASES += [(f.__name__, case(f, lambda q, k, v, w, u: recurrence(
    q, k, v, w, bonus=u), qkv() + [log_gate(B, T, H, K).bfloat16(), normal(H, K)]))
    for f in [ops.chunk_rwkv6, ops.fused_recurrent_rwkv6]]
CASES += [(f.__name__, case(lambda q, k, v, f=f: f(q, k, v, layer_idx=1, num_layers=4),
                            lambda q, k, v: recurrence(q, k, v, lightning_gate(q)),
                            qkv()))
          for f in [ops.chunk_lightning_attn, ops.fused_recurrent_lightning_attn]]


def rwkv7(r, w, k, v, a, b):
    return recurrence(r, k, v, w, a=a, b=b, scale=1)


def dplr(q, k, v, a, b, gk):
    return recurrence(q, k, v, gk, a=a, b=b)


def iplr(q, k, v, a, b):
    return recurrence(q, k, v, a=a, b=b)


def plr():
    a = F.normalize(torch.randn(B, T, H, K), dim=-1)
    return [(-a).bfloat16(), (a * torch.rand(B, T, H, 1)).bfloat16()]


CASES += [("chunk_rwkv7", case(ops.chunk_rwkv7, rwkv7, [
    normal(B, T, H, K), log_gate(B, T, H, K).bfloat16(), normal(B, T, H, K),
    normal(B, T, H, K), *plr()])),
    ("fused_recurrent_rwkv7", plain(lambda *i: ops.fused_recurrent_rwkv7(
        *i, scale=1.0)[0], rwkv7, [
        normal(B, T, H, K), log_gate(B, T, H, K).bfloat16(), normal(B, T, H, K),
        normal(B, T, H, K), *plr()], backward=False)),
    ("chunk_dplr_delta_rule", case(ops.chunk_dplr_delta_rule, dplr,
                                   qkv() + plr() + [log_gate(B, T, H, K).bfloat16()])),
    ("fused_recurrent_dplr_delta_rule", plain(
        first(ops.fused_recurrent_dplr_delta_rule), dplr,
        qkv() + plr() + [log_gate(B, T, H, K).bfloat16()], backward=False)),
    ("fused_recurrent_iplr_delta_rule", case(ops.fused_recurrent_iplr_delta_rule, iplr,
                                             qkv() + plr())),
]
run_all("flash-linear-attention", CASES)
