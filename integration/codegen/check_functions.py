# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the functions that code generation writes down itself, over all
numbers of bf16 and as many random ones of f32, against float64, in ulp of the
type of the result.

    check_functions.py --tools build/release/bin

Prints a row of the table in docs/Layouts.md for each function, and fails
if one is worse than the table says. The emulator's ex2, rsqrt, rcp and div are
its own; what the hardware's may be wrong by is in the column next to it. Its
tanh.approx is the nearest number, so the kernels that have it are measured with
as much added as the PTX ISA allows.
"""

import argparse
import math
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from check_graphs_run import BF16, F32, Case, compile_graph, launch  # noqa: E402

erf = np.vectorize(math.erf, otypes=[np.float64])
# Bits after the point.
DIGITS = {F32: 23, BF16: 7}
# For each program and output, the exact function and the largest error in ulp;
# if it holds for small x only, the largest |x|.
PROGRAMS = {
    "functions": {
        "exp": (np.exp, 3), "exp2": (np.exp2, 2), "log": (np.log, 2), "log2": (np.log2, 3),
        "tanh": (np.tanh, 4), "erf": (erf, 3), "rsqrt": (lambda x: 1 / np.sqrt(x), 2),
        "sqrt": (np.sqrt, 0.5), "div": (lambda x: x / 3, 2),
    },
    "more_functions": {
        "sin": (np.sin, 2), "cos": (np.cos, 2), "expm1": (np.expm1, 2), "log1p": (np.log1p, 2),
    },
    "powers": {"powf": (np.power, 3)},
    # Stored as bf16. Rounding is half an ulp, and an approximation may add a
    # quarter; next to the largest number of f32 it may overflow. One plus tanh
    # has no bound: with tanh.approx it would be 16 ulp off.
    "approximations": {
        "tanh": (np.tanh, 0.75), "gate": (lambda x: x * np.tanh(x), 0.75, 2.0**100),
        "1+tanh": (lambda x: 1 + np.tanh(x), 0.51, 3),
    },
}

TANH = re.compile(r"tanh\.approx\.f32\s+(%\w+), %\w+;")
# Of tanh.approx, relative.
TANH_ERROR = 2.0**-11


def make_numbers(random):
    """All numbers of bf16, and as many of f32: about as large as one, and any."""
    every = (np.arange(2**16, dtype=np.uint32) << 16).view(np.float32)
    spread = random.standard_normal(2**15) * np.exp2(random.uniform(-8, 6, 2**15))
    bits = random.integers(0, 2**32, 2**15, dtype=np.uint32).view(np.float32)
    return np.concatenate([every, spread.astype(np.float32), bits]).reshape(-1, 256)


def make_exponents(random, shape):
    """Integers, fractions near them, small and large, and special numbers."""
    count = int(np.prod(shape))
    kinds = [random.integers(-9, 10, count), random.standard_normal(count) * 4,
             random.integers(-9, 10, count) / 2, random.choice([0, -0.0, np.inf, -np.inf, np.nan, 1e9], count),
             random.integers(0, 2**32, count, dtype=np.uint32).view(np.float32)]
    chosen = random.choice(len(kinds), count, p=[.3, .3, .2, .1, .1])
    return np.choose(chosen, kinds).astype(np.float32).reshape(shape)


def worsen(ptx, error):
    """Lets each tanh.approx in a file be off by a relative error."""
    factor = np.float32(1 + error).view(np.uint32)
    text, count = TANH.subn(rf"\g<0>\n\tmul.rn.f32 \1, \1, 0f{factor:08X};", ptx.read_text())
    if not count:
        sys.exit("no function is tanh.approx")
    ptx.write_text(text)


def measure(tools, target, folder, program, functions, error_of_tanh) -> int:
    """How many of the functions of a program are worse than they may be."""
    case = Case()
    inputs = [case.add(F32, make_numbers(case.random))]
    kind = BF16 if program == "approximations" else F32
    if program == "powers":
        inputs.append(case.add(F32, make_exponents(case.random, inputs[0].shape)))
    for _ in functions:
        case.output(kind, np.zeros(inputs[0].shape), np.zeros(inputs[0].shape))
    compiled, error = compile_graph(tools, program, target, folder)
    if error:
        sys.exit(error)
    if error_of_tanh:
        worsen(compiled[0], error_of_tanh)
    done = launch(tools, compiled, case, target, folder, 4)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    results = [kind.wide(np.load(folder / f"out{len(inputs) + i}.npy"))
               for i in range(len(functions))]
    failures = 0
    for (name, (function, allowed, *domain)), got in zip(functions.items(), results):
        exact = function(*inputs)
        nearest = np.where(np.isnan(exact), exact, kind.wide(kind.make(exact)))
        # Not numbers, and infinities, have to be the same.
        special = ~np.isfinite(nearest)
        same = (np.isnan(nearest) & np.isnan(got)) | (nearest == got)
        exponent = np.maximum(np.frexp(nearest)[1] - 1, -126)
        error = np.where(special, np.where(same, 0, np.inf),
                         np.abs(got - exact) / np.exp2(exponent - DIGITS[kind]))
        if domain:
            error = np.where(np.abs(inputs[0]) <= domain[0], error, 0)
        # ex2 gives zero instead of a subnormal number: an absolute error.
        if name == "exp2":
            error = np.where(np.abs(exact) < 2.0**-126,
                             np.where(np.abs(got) <= 2.0**-126, 0, np.inf), error)
        error = np.nan_to_num(error, nan=np.inf)
        at = np.unravel_index(np.argmax(error), error.shape)
        bad = error[at] > allowed
        failures += bad
        where = ", ".join(f"{x[at]:.9g}" for x in inputs)
        print(f"{name:6} {error[at]:8.2f} ulp at {where}: {got[at]:.9g}, exact "
              f"{exact[at]:.9g}{'  WORSE than ' + str(allowed) if bad else ''}")
    return failures


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    options.add_argument("--tools", type=Path, required=True)
    options.add_argument("--target", default="sm_100a")
    options.add_argument("--keep", type=Path)
    chosen = options.parse_args()
    # Some of the numbers are infinite, or none.
    np.seterr(all="ignore")
    failures = 0
    runs = [(program, 0) for program in PROGRAMS if program != "approximations"]
    runs += [("approximations", TANH_ERROR), ("approximations", -TANH_ERROR)]
    for program, error in runs:
        with tempfile.TemporaryDirectory() as scratch:
            folder = chosen.keep or Path(scratch)
            folder.mkdir(parents=True, exist_ok=True)
            failures += measure(chosen.tools, chosen.target, folder, program,
                                PROGRAMS[program], error)
    count = sum(len(PROGRAMS[program]) for program, _ in runs)
    print(f"functions: {count - failures} of {count} within the table")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
