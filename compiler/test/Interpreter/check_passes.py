# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs with the reference interpreter before and after passes, and
compares every argument of the kernel.

    check_passes.py --tools build/release/bin --passes slice-epilogue --programs examples/*.mlir

The arithmetic of a program stays what it is: passes that give work to roles or
cut tiles into parts must not change a bit, whatever the order of work tiles and
roles. The exceptions are sums that are cut into parts, and products that are
added to an accumulator outside the tensor core: these are rounded more often.
Where that happens, BOUNDS derives how far the results may be apart.
"""

import argparse
import itertools
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

U32 = 2.0**-24
# Columns of a part that a planner might choose.
SMALLEST_COLUMNS = 16


def gemm(m, n, k, *more):
    """The shapes of A, B and what else there is."""
    return [(m, k), (n, k), *more]


def parts_of(extent, columns):
    return -(-extent // columns)


# For each program a list of its arguments: a shape for a view, a number for a
# scalar, an array for a view of just these numbers. Sizes are chosen to have less
# than a tile, ragged edges, and several work tiles.
PROGRAMS = {
    "attention": [[(1, 150, 2, 128), (1, 200, 2, 128), (1, 200, 2, 128), (1, 150, 2, 128), 0.125],
                  [(1, 5, 1, 128), (1, 1, 1, 128), (1, 1, 1, 128), (1, 5, 1, 128), 0.125]],
    "batched_gemm": [[(2, 150, 100), (2, 100, 140), (2, 150, 140), 0.375],
                     [(1, 1, 1), (1, 1, 1), (1, 1, 1), 2.0]],
    "causal_attention": [[(1, 150, 1, 128), (1, 150, 1, 128), (1, 150, 1, 128), (1, 150, 1, 128),
                          0.125]],
    "chained": [[(150, 64), (300, 64), (300, 64), (150, 64)], [(1, 64), (128, 64), (128, 64), (1, 64)]],
    "dequantized": [[(140, 100), (140,), (150, 100), (140, 150)]],
    "dual_gemm": [gemm(140, 150, 330, (150, 330), (140, 150)), gemm(1, 1, 0, (1, 0), (1, 1))],
    "gated": [gemm(140, 130, 100, (130, 100), (140, 130))],
    "gemm": [gemm(200, 300, 130, (200, 300)), gemm(1, 1, 1, (1, 1)), gemm(130, 257, 0, (130, 257)),
             gemm(128, 512, 600, (128, 512))],
    "gemm_bias_activation_residual": [gemm(140, 270, 200, (270,), (140, 270), (140, 270)),
                                      gemm(3, 2, 1, (2,), (3, 2), (3, 2))],
    "gemm_row_sum": [gemm(140, 150, 330, (140, 150), (2, 140))],
    "grouped_gemm": [[(336, 100), (5, 150, 100), np.cumsum([0, 5, 0, 200, 1, 130]), (336, 150)]],
    "grouped_gemm_k": [[(206, 200), (4, 150, 200), np.array([0, 5, 5, 205, 206]),
                        np.array([64, 128, 200, 0]), (206, 150)]],
    "grouped_statistics": [[(336, 100), (5, 150, 100), np.cumsum([0, 5, 0, 200, 1, 130]),
                            (336, 150), (5, 2, 150), (5, 2, 150), (5, 2, 2)]],
    "masked_transposed": [gemm(140, 200, 100, 170, (200, 140))],
    "normalized": [gemm(140, 200, 10, (140, 200))],
    "rmsnorm": [[(19, 1500), (1500,), (19, 1500), 2.0**-17], [(1, 1), (1,), (1, 1), 2.0**-17]],
    "shared_operand": [gemm(140, 150, 330, (140, 150), (2, 140))],
    "sums_and_maxima": [gemm(140, 300, 100, (140, 300), (140, 300), (2, 140), (2, 140), (2, 300))],
}

# Programs with sums that are cut into parts: of small integers they are exact, in
# parts or not.
INTEGERS = {"gemm_row_sum", "sums_and_maxima"}


def g(n, u=U32):
    return n * u / (1 - n * u)


def bound_normalized(arguments, columns, roles):
    """The terms of a sum are positive. It is rounded once before; after, in each
    of its parts and when each part is added. The quotient is rounded once before
    and once after. All of that is relative to the result."""
    parts = parts_of(128, columns)
    return g(1 + (parts + 1) + 2), 0


def bound_attention(arguments, columns, roles):
    """If the accumulator is not the tensor core's own, products are summed from
    zero and then added to it: in each step along the columns the scaling, the
    product and now the addition round once, so a term is rounded up to 2 * steps
    times before and 3 * steps times after. The weights of V's rows are positive
    and the same before and after, and their sum is the divisor but for the
    rounding of each to bf16. The quotient is rounded once to f32 and once to
    bf16."""
    if not roles:
        return 0, 0
    values = (arguments[2].astype(np.uint32) << 16).view(np.float32)
    steps = parts_of(arguments[1].shape[1], 64)
    error = (g(2 * steps) + g(3 * steps) + 2 * U32) * (1 + 2.0**-7) * np.abs(values).max()
    return 2 * 2.0**-8, error


# How far results may be apart, relative to the first one and absolutely.
BOUNDS = {"attention": bound_attention, "causal_attention": bound_attention,
          "normalized": bound_normalized}

NUMPY = {"bf16": np.uint16, "f16": np.float16, "f32": np.float32, "i8": np.int8, "i32": np.int32}


def make(shape, kind, generator, integers):
    numbers = (generator.integers(-4, 5, shape) if integers or kind.startswith("i")
               else 0.5 * generator.standard_normal(shape)).astype(np.float32)
    if kind == "bf16":
        return (numbers.view(np.uint32) >> 16).astype(np.uint16)
    return numbers.astype(NUMPY[kind])


class Program:
    def __init__(self, path):
        self.path, self.name, self.text = path, path.stem, path.read_text()
        self.header = re.search(r"tile\.kernel @\w+\((.*?)\)\s*(attributes\s*\{.*?\}\s*)?\{\n", self.text, re.S)
        if not self.header:
            sys.exit(f"{path}: has no tile.kernel")
        types = re.findall(r"%\w+\s*:\s*(!tile\.view<[^>]*>|\w+)", self.header[1])
        self.kinds = [re.search(r"(?:x|^|<)(\w+?)(?:,.*)?>?$", t.split("x")[-1])[1] for t in types]

    def make_arguments(self, case):
        generator = np.random.default_rng(0)
        return [make(a, kind, generator, self.name in INTEGERS) if isinstance(a, tuple) else
                a.astype(NUMPY[kind]) if isinstance(a, np.ndarray) else a
                for a, kind in zip(case, self.kinds)]

    def scheduled(self, target, schedule):
        """The text with these attributes on its kernel."""
        fields = ", ".join(f"{key} = {value}" for key, value in schedule.items())
        attributes = [f"tile.schedule = #tile.schedule<{fields}>"] if fields else []
        if target:
            attributes.append(f'tile.target = "{target}"')
        at = self.header.end(1) + 1
        return (self.text[:at] + f" attributes {{{', '.join(attributes)}}} {{\n"
                + self.text[self.header.end():])


def interpret(tool, program, arguments, folder, shuffle=None):
    """The kernel's views after the run."""
    command, views = [tool, program], []
    for i, argument in enumerate(arguments):
        if isinstance(argument, np.ndarray):
            path = f"{folder}/{i}.npy"
            np.save(path, argument)
            command += [f"--arg={path}", f"--out={i}={folder}/out{i}.npy"]
            views.append(i)
        else:
            command.append(f"--arg={argument!r}")
    if shuffle is not None:
        command.append(f"--shuffle={shuffle}")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return [np.load(f"{folder}/out{i}.npy") for i in views]


def differ(before, after, kinds, relative=0, absolute=0):
    """What is different, as text; nothing if nothing is."""
    for number, (x, y, kind) in enumerate(zip(before, after, kinds)):
        # Bits, so that a zero's sign counts; NaN is NaN.
        bad = x.view(f"u{x.itemsize}") != y.view(f"u{y.itemsize}")
        if kind == "bf16":
            x, y = ((v.astype(np.uint32) << 16).view(np.float32) for v in (x, y))
        if x.dtype.kind == "f":
            bad &= ~(np.isnan(x) & np.isnan(y))
            bad &= ~(np.abs(x - y) <= relative * np.maximum(np.abs(x), np.abs(y)) + absolute)
        if bad.any():
            at = np.unravel_index(np.argmax(bad), bad.shape)
            return (f"{bad.sum()} of {bad.size} elements of view {number} differ, the first at "
                    f"{list(map(int, at))}: {x[at]!r} became {y[at]!r}")
    return None


def transform(opt, program, passes, target, fields, folder, number):
    """The file with the result of the passes; the error if there is one."""
    before, after = Path(folder, "before.mlir"), Path(folder, f"{number}.mlir")
    before.write_text(program.scheduled(target, fields))
    done = subprocess.run([opt, before, "-o", after,
                           f"--pass-pipeline=builtin.module(tile.kernel({passes}))"],
                          capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    return after, None if done.returncode == 0 else "".join(errors[:1]) or done.stderr[:1000]


def check(program, options, folder):
    """Compares before and after; returns how often, and what is different."""
    ways, errors, comparisons = [], [], 0
    for target, schedule in itertools.product(options.targets, options.schedules):
        fields = dict(field.split("=", 1) for field in schedule.split(":") if field)
        file, error = transform(options.tools / "drawloom-opt", program, options.passes, target,
                                fields, folder, len(ways))
        if error:
            errors.append(f"{target}, {schedule}: {error}")
        else:
            ways.append((f"{target}, {schedule}", int(fields.get("columns", SMALLEST_COLUMNS)), file))
    bound = BOUNDS.get(program.name, lambda *_: (0, 0))
    tool = options.tools / "tile-interpret"
    for case in PROGRAMS[program.name]:
        arguments = program.make_arguments(case)
        kinds = [k for a, k in zip(arguments, program.kinds) if isinstance(a, np.ndarray)]
        wanted = interpret(tool, program.path, arguments, folder)
        for (way, columns, file), seed in itertools.product(ways, options.seeds):
            comparisons += 1
            try:
                difference = differ(wanted, interpret(tool, file, arguments, folder, seed), kinds,
                                    *bound(arguments, columns, "assign-roles" in options.passes))
            except RuntimeError as error:
                difference = str(error)
            if difference:
                errors.append(f"{way}, {case}, seed {seed}: {difference}")
    return comparisons, errors


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("--passes", required=True, help="passes over tile.kernel")
    parser.add_argument("--targets", nargs="*", default=[None])
    parser.add_argument("--schedules", nargs="*", default=[""],
                        help="fields of tile.schedule, such as 'epilogue_tile=64:roles=multi'")
    parser.add_argument("--seeds", type=int, nargs="*", default=[None])
    parser.add_argument("--programs", type=Path, nargs="+", required=True)
    options = parser.parse_args()

    total = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in options.programs:
            program = Program(path)
            if program.name not in PROGRAMS:
                sys.exit(f"{path}: PROGRAMS has no arguments for it")
            comparisons, errors = check(program, options, folder)
            for error in errors:
                print(f"{path.stem}, {error}")
            print(f"{path.stem}: {comparisons} comparisons, {len(errors)} failures", flush=True)
            total += comparisons
            failures += len(errors)
    print(f"passes: {len(options.programs)} programs, {total} comparisons, {failures} failures")
    return bool(failures) or not total


if __name__ == "__main__":
    sys.exit(main())
