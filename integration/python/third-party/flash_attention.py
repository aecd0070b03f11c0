# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FlashAttention-4 as it is, forward and backward, CuTe DSL with its own launcher,
on tensors of the emulated device.

Roundings to bf16 on the way forward: the weights and the result. Backward: the
weights, the result in the sum over a row, the gradient of the scores and the
gradient."""
import os
import pathlib
import re

import torch
from cutlass import cute
from entries import BF16, check, run_all, tensors
from flash_attn.cute import flash_attn_func, flash_attn_varlen_func

torch.manual_seed(9)
KEPT = pathlib.Path(os.environ["DRAWLOOM_KEPT_PTX"])
compile_kernel = type(cute.compile).__call__


def compile_as_allowed(self, *arguments, **options):
    """Backward on sm_100a, warps of one warp group ask setmaxnreg for 24 registers and
    for 88, or 104 with heads of 128, which PTX doesn't allow. All ask for the larger
    number here."""
    result = compile_kernel(self, *arguments, **options)
    for file in KEPT.glob("*.ptx"):
        text = file.read_text()
        if more := re.search(r"setmaxnreg\.dec\S*\s+(88|104);", text):
            file.write_text(re.sub(r"(setmaxnreg\.dec\S*\s+)24;",
                                   rf"\g<1>{more[1]};", text))
    return result


B, T, H, D = 1, 160, 2, 64
BLACKWELL = torch.cuda.get_device_capability()[0] == 10


def normal(*shape):
    return torch.randn(*shape).bfloat16()


def attention(q, k, v, causal=False, window=None, cap=None, scale=None):
    groups = q.shape[2] // k.shape[2]
    k, v = (x.repeat_interleave(groups, 2) for x in (k, v))
    scores = torch.einsum("bthd,bshd->bhts", q, k) * (scale or q.shape[-1]**-0.5)
    if cap:
        scores = cap * (scores / cap).tanh()
    rows, columns = scores.shape[-2:]
    distance = (torch.arange(rows)[:, None] + columns - rows
                - torch.arange(columns)[None])
    if causal:
        scores = scores.masked_fill(distance < 0, float("-inf"))
    if window:
        scores = scores.masked_fill((distance > window[0]) | (distance < -window[1]),
                                    float("-inf"))
    return torch.einsum("bhts,bshd->bthd", scores.softmax(-1), v)


def case(ours=None, theirs=None, heads=H, keys=T, width=D, rows=T, backward=True):
    def call():
        inputs = [normal(B, rows, H, width), normal(B, keys, heads, width),
                  normal(B, keys, heads, width)]
        share = check(
            # With gradients the logarithms of the sums come, too.
            lambda *x: tensors(flash_attn_func(*x, **(ours or {})))[0],
            lambda *x: attention(*x, **(ours or {} if theirs is None else theirs)), inputs,
            roundings=6 if backward else 2, unit=BF16, backward=backward,
            device="cuda")
        torch.cuda.synchronize()
        return share
    return call


LENGTHS = [48, 112]


def varlen():
    total = sum(LENGTHS)
    starts = torch.tensor([0, *torch.tensor(LENGTHS).cumsum(0)], dtype=torch.int32)

    def theirs(q, k, v, _):
        parts = [x.split(LENGTHS) for x in (q, k, v)]
        return torch.cat([attention(*(x[None] for x in part), causal=True)[0]
                          for part in zip(*parts)])

    share = check(
        lambda q, k, v, starts: tensors(flash_attn_varlen_func(
            q, k, v, cu_seqlens_q=starts, cu_seqlens_k=starts,
            max_seqlen_q=max(LENGTHS), max_seqlen_k=max(LENGTHS), causal=True))[0],
        theirs, [normal(total, H, D) for _ in range(3)], [starts], roundings=2,
        unit=BF16, backward=False, device="cuda")
    torch.cuda.synchronize()
    return share


def two_counts_of_registers():
    type(cute.compile).__call__ = compile_kernel
    # A width that nothing has compiled before.
    inputs = [normal(B, T, H, 96).to("cuda").requires_grad_() for _ in range(3)]
    tensors(flash_attn_func(*inputs))[0].backward(normal(B, T, H, 96).to("cuda"))
    torch.cuda.synchronize()


CASES = [
    ("forward", case(backward=False)),
    ("forward and backward", case()),
    ("causal", case({"causal": True})),
    ("grouped heads", case(heads=1, backward=False)),
    ("window", case({"window_size": (32, 0)}, {"window": (32, 0)}, backward=False)),
    ("softcap", case({"softcap": 15.0}, {"cap": 15.0}, backward=False)),
    ("head of 128", case({"causal": True}, width=128)),
    ("more keys than queries", case({"causal": True}, rows=64, keys=192,
                                    backward=False)),
    ("varlen", varlen),
]
REFUSED = []
if BLACKWELL:
    type(cute.compile).__call__ = compile_as_allowed
    CASES.append(("split keys", case({"num_splits": 2}, {}, keys=512,
                                     backward=False)))
    REFUSED = [("backward with two counts of registers", two_counts_of_registers,
                "setmaxnreg")]
run_all("flash-attn-4", CASES, REFUSED)
