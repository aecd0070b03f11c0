# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SageAttention as it is, on tensors of the emulated device: queries and keys as int8, weights and values
as f16. A query or a key is off by half a step of 127 in a block's largest, a score by
two such steps of the largest score that a block can have; that is some hundredths for
these sizes, and so is the relative error of a weight."""
import torch
from entries import check, run_all
from sageattention import sageattn, sageattn_varlen

torch.manual_seed(13)
# Keys beyond the length are not masked, so it is a multiple of a block, 64.
B, H, T, D = 1, 2, 192, 64


def attention(q, k, v):
    return (q @ k.mT * q.shape[-1]**-0.5).softmax(-1) @ v


def inputs(*shape):
    return [torch.randn(*shape).half() for _ in range(3)]


def varlen():
    starts = torch.tensor([0, 64, T], dtype=torch.int32).to("cuda")
    q, k, v = (x.to("cuda") for x in inputs(T, H, D))
    sageattn_varlen(q, k, v, starts, starts, 128, 128, smooth_k=False)


def case(ours, theirs, values):
    return lambda: check(ours, theirs, values, roundings=2, unit=1 / 64,
                         backward=False, device="cuda")


# Lengths are torch's differences, and the mean of the keys is torch's.
REFUSED = [
    ("sageattn_varlen", varlen, "the program has no PTX for this device"),
    ("sageattn smooth_k", lambda: sageattn(*(x.to("cuda") for x in inputs(B, H, T, D))),
     "the program has no PTX for this device"),
]
CASES = [("sageattn", case(lambda *x: sageattn(*x, smooth_k=False), attention,
                           inputs(B, H, T, D)))]
if torch.cuda.get_device_capability()[0] == 9:
    # Triton's code for an accumulator of f16 reads it before wgmma.wait_group.
    REFUSED += [(*CASES.pop(), "hasn't waited (wgmma.wait_group)")]
run_all("sageattention", CASES, REFUSED)
