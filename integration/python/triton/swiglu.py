# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise, with libdevice and a heuristic for the block."""
import numpy as np
import triton
import triton.language as tl
from triton.language.extra import libdevice

from host import empty, exact, expect, normal


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})
@triton.jit
def activate(gate, up, silu, gelu, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    g = tl.load(gate + row * n + i, i < n)
    u = tl.load(up + row * n + i, i < n)
    tl.store(silu + row * n + i, g * tl.sigmoid(g) * u, i < n)
    inner = 0.7978845608028654 * (g + 0.044715 * g * g * g)
    tl.store(gelu + row * n + i, 0.5 * g * (1 + libdevice.tanh(inner)) * u, i < n)


shape = (10, 300)
gate, up, silu, gelu = normal(*shape), normal(*shape), empty(shape), empty(shape)
activate[(shape[0],)](gate, up, silu, gelu, shape[1])
g = exact(gate)
expect("swiglu silu", silu, g * g.sigmoid() * up)
inner = (g + g * g * g * 0.044715) * 0.7978845608028654
tanh = inner.function(np.tanh, 1)
expect("swiglu gelu", gelu, g * 0.5 * (tanh + 1) * up)
