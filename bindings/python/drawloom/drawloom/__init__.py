# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warp-specialized GPU kernels from Python, without a GPU.

A formula, or a program in MLIR, becomes a plan that explains itself and a kernel for
Hopper (sm_90a) or Blackwell (sm_100a), which runs on an emulated device and is checked
there:

    import drawloom, ml_dtypes, numpy as np

    @drawloom.fuse("sm_100a")
    def linear(a: "bf16[M, K]", b: "bf16[N, K]", bias: "f32[N]"):
        return drawloom.relu(a @ b.T + bias)

    a, b = (np.ones((n, 64), ml_dtypes.bfloat16) for n in (200, 136))
    bias = np.zeros(136, np.float32)
    out = linear(a, b, bias)          # numpy's arrays, or tensors with DLPack
    print(linear.plan)                # roles, pipes, registers, memory, and why
    linear.check(a, b, bias)          # races, and fences that are missing

`drawloom.compile` takes a program. docs/Python.md has the rest; the command `drawloom`
is installed, too. Arrays need numpy, and bf16 and fp8 need ml_dtypes.
"""
import importlib.metadata
import pathlib

from drawloom_emulator import library_folder

from ._block import Block
from ._fusion import (Fusion, Tensor, exp, fuse, gelu, maximum, minimum, relu, rsqrt,
                      silu, trace)
from ._kernel import (Argument, Comparison, Finding, Kernel, Output, Plan, Trial,
                      compile, plan, reschedule)
from ._library import Error, Message, installed

__all__ = ["Argument", "Block", "Comparison", "Error", "Finding", "Fusion", "Kernel",
           "Message", "Output", "Plan", "Tensor", "Trial", "command", "compile", "exp",
           "fuse", "gelu", "library_folder", "maximum", "minimum", "plan", "relu",
           "reschedule", "rsqrt", "silu", "trace"]
__version__ = importlib.metadata.version("drawloom")

def command() -> pathlib.Path:
    """The path of the command `drawloom`."""
    return installed("drawloom")


# Names as callers write them.
for _name in __all__:
    if globals()[_name].__module__.startswith("drawloom._"):
        globals()[_name].__module__ = "drawloom"
