# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs of this folder share: entry points of a package, forward and
backward, against torch in float64 on the CPU.

The bound of an element is R u of the largest one. R is how often a number is rounded
on its way from the inputs to the element, u the unit of the type that it is rounded
to. Rounding errors are independent, so the error of a sum of such numbers
grows as the sum does. Without tensor cores u is 2^-22, that of the approximations of
exp, log and rsqrt, and R the length of a row, forward and once more backward."""
import ctypes
import sys
import traceback

import torch
from triton.runtime.autotuner import Autotuner

BF16, F32 = 2.0**-8, 2.0**-22


tune = Autotuner.run


def run_first(self, *arguments, **options):
    """Compiling every configuration of every kernel would take hours."""
    self.configs = self.configs[:1]
    return tune(self, *arguments, **options)


Autotuner.run = run_first


def tensors(value):
    if isinstance(value, (tuple, list)):
        return [x for x in value if torch.is_tensor(x)]
    return [value]


def first(function):
    return lambda *inputs: function(*inputs)[0]


def run(function, inputs, others, gradients):
    """Results and, if there are any to ask for, the gradients of the inputs."""
    inputs = [x.clone().requires_grad_(gradients is not None) for x in inputs]
    results = tensors(function(*inputs, *others))
    if gradients is None:
        return [x.detach() for x in results]
    torch.autograd.backward(
        results, [g.to(r, copy=True) for g, r in zip(gradients, results)])
    return [x.detach() for x in results] + [x.grad for x in inputs]


def wide(x):
    return x.double() if torch.is_tensor(x) and x.is_floating_point() else x


def move(values, device):
    return [x.to(device) if torch.is_tensor(x) else x for x in values]


def check(ours, theirs, inputs, others=(), roundings=384, unit=F32, backward=True,
          device="cpu"):
    expected = tensors(theirs(*map(wide, inputs), *map(wide, others)))
    gradients = None
    if backward:
        gradients = [torch.randn(x.shape).to(inputs[0].dtype) for x in expected]
    got = run(ours, move(inputs, device), move(others, device),
              gradients and move(gradients, device))
    expected = run(theirs, list(map(wide, inputs)), list(map(wide, others)),
                   gradients and list(map(wide, gradients)))
    assert len(got) == len(expected), (len(got), len(expected))
    share = 0
    for index, (a, b) in enumerate(zip(got, expected)):
        assert a.shape == b.shape, (a.shape, b.shape)
        error = (a.cpu().double() - b).abs().max().item()
        bound = roundings * unit * b.abs().max().item()
        share = max(share, error / bound if bound else error)
        # Not `error > bound`, which a NaN passes.
        assert error <= bound, f"number {index}: off by {error}, bound {bound}"
    return share


def last_report():
    """What the emulator says of the kernel that failed, if one did."""
    driver = ctypes.CDLL("libcuda.so.1")
    driver.drawloomLastReport.restype = ctypes.c_char_p
    return (driver.drawloomLastReport() or b"").decode()


def run_all(package, cases, refused=()):
    """Runs cases (name, call) and prints what came of each. Those that are refused
    (name, call, words) must say these words."""
    wrong = 0
    for name, call in cases:
        try:
            share = call()
            print(f"right {package} {name}: {100 * share:.0f}% of the bound", flush=True)
        except Exception:
            wrong += 1
            print(f"WRONG {package} {name}\n{traceback.format_exc()}", flush=True)
    for name, call, words in refused:
        try:
            call()
            answer = "it runs"
        except Exception as error:
            answer = f"{error}\n{last_report()}"
        if words in answer:
            print(f"refused {package} {name}: {words}", flush=True)
        else:
            wrong += 1
            print(f"WRONG {package} {name}: {answer}", flush=True)
    sys.exit(wrong > 0)
