# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles graphs beyond a matrix product, runs them on the emulator, and
compares every output with numpy in float64.

    check_graphs_run.py --tools build/release/bin --graphs rmsnorm gemm_row_sum

For each output the reference comes with a bound: how far a kernel may be from
it that adds in any order in f32, uses the functions of docs/Layouts.md
and rounds to the type of the output. Nothing in it is tuned.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from check_gemm import from_bf16, read_parameters, to_bf16  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [Path(__file__).resolve().parent / "programs", ROOT / "examples",
           ROOT / "compiler" / "test" / "Graphs",
           ROOT / "compiler" / "test" / "Interpreter" / "Programs"]
DEVICES = {"sm_90a": "h100", "sm_100a": "b200"}
U32, UBF16, UF16 = 2.0**-24, 2.0**-8, 2.0**-11
# Of the functions, relative: docs/Layouts.md, in units of 2^-23.
EXP, DIVIDE, RSQRT = 4 * 2.0**-23, 2 * 2.0**-23, 2 * 2.0**-23


def g(n, u=U32):
    """The factor of n roundings."""
    return n * u / (1 - n * u)


def rounded(exact, error, unit):
    """The bound behind one more rounding."""
    return error + unit * (np.abs(exact) + error) + 2.0**-133


class BF16:
    """Stored as its bits."""
    name = "bf16"
    make = staticmethod(lambda x: to_bf16(x))
    wide = staticmethod(lambda x: from_bf16(x).astype(np.float64))


class Plain:
    def __init__(self, name, dtype):
        self.name, self.dtype = name, dtype

    def make(self, x):
        return np.asarray(x).astype(self.dtype)

    def wide(self, x):
        return x.astype(np.float64)


F16, F32 = Plain("f16", np.float16), Plain("f32", np.float32)
I8, I32 = Plain("u8", np.int8), Plain("s32", np.int32)


class Short:
    """A float of eight bits, stored as its byte: all its numbers are listed."""
    name = "u8"

    def __init__(self, exponent, mantissa, bias, infinities):
        byte = np.arange(128)
        power, digits = byte >> mantissa, byte & (1 << mantissa) - 1
        value = np.where(power == 0, digits * 2.0**(1 - bias - mantissa),
                         (1 + digits / 2.0**mantissa) * 2.0**(power - bias))
        last = (1 << exponent) - 1
        if infinities:
            value = np.where(power == last, np.where(digits == 0, np.inf, np.nan), value)
        else:
            value[127] = np.nan
        self.values = np.concatenate([value, -value])

    def make(self, numbers):
        """To nearest, ties to even; what is beyond the last number is rounded
        as if there were more, and then infinity or NaN."""
        magnitude = self.values[:128]
        finite = magnitude[np.isfinite(magnitude)]
        edges = np.append(finite, 2 * finite[-1] - finite[-2])
        x = np.abs(np.asarray(numbers, np.float64))
        upper = np.clip(np.searchsorted(edges, x), 1, len(edges) - 1)
        middle = (edges[upper - 1] + edges[upper]) / 2
        even = np.where(upper % 2 == 0, upper, upper - 1)
        byte = np.where(x > middle, upper, np.where(x < middle, upper - 1, even))
        byte = np.where(x >= 2 * edges[-1], len(edges) - 1, byte)
        return (byte + 128 * np.signbit(numbers)).astype(np.uint8)

    def wide(self, byte):
        return self.values[byte]


E4M3, E5M2 = Short(4, 3, 7, False), Short(5, 2, 15, True)


class Case:
    """The arguments of a launch, and what its outputs have to be."""

    def __init__(self, seed=1):
        self.random = np.random.default_rng(seed)
        self.arguments, self.kinds, self.expected = [], [], {}

    def normal(self, kind, *shape):
        return self.add(kind, 0.5 * self.random.standard_normal(shape))

    def add(self, kind, numbers):
        self.arguments.append(kind.make(numbers))
        self.kinds.append(kind)
        return kind.wide(self.arguments[-1])

    def scalar(self, number):
        self.arguments.append(np.float32(number))
        self.kinds.append(F32)
        return float(self.arguments[-1])

    def output(self, kind, exact, bound):
        # What a kernel does not write stays what it is, and is found out.
        self.expected[len(self.arguments)] = (exact, bound)
        self.add(kind, np.full(exact.shape, -77.0))


def multiply(a, b):
    """a b^T, the sum of magnitudes, and its error by k additions."""
    magnitude = np.abs(a) @ np.abs(b).T
    return a @ b.T, magnitude, g(a.shape[-1] + 1) * magnitude


def silu(x, error):
    """x / (1 + exp(-x)): its slope is below 1.1, and its own roundings are
    relative."""
    exact = x / (1 + np.exp(-x))
    return exact, 1.1 * error + np.abs(exact) * (EXP + DIVIDE + 2 * U32)


def rmsnorm(rows, columns):
    case = Case()
    x = case.normal(BF16, rows, columns)
    weight = case.normal(BF16, columns)
    number = len(case.arguments)
    epsilon = float(np.float32(2.0**-17))
    exact = x / np.sqrt((x * x).mean(1, keepdims=True) + epsilon) * weight
    # All terms of the sum are positive, so its error is relative, and half of
    # it is left behind the square root.
    error = np.abs(exact) * (g(columns + 4) / 2 + DIVIDE + RSQRT + 4 * U32)
    case.output(BF16, exact, rounded(exact, error, UBF16))
    assert number == 2
    case.scalar(2.0**-17)
    return case


def gemm_row_sum(m, n, k):
    case = Case()
    a, b = case.normal(BF16, m, k), case.normal(BF16, n, k)
    exact, magnitude, error = multiply(a, b)
    case.output(BF16, exact, rounded(exact, error, UBF16))
    parts = range(0, n, 128)
    sums = np.stack([exact[:, i:i + 128].sum(1) for i in parts])
    # Each sum is one of k + 128 roundings of products.
    bound = np.stack([g(k + 129) * magnitude[:, i:i + 128].sum(1) for i in parts])
    case.output(F32, sums, bound)
    return case


def shared_operand(m, n, k):
    case = Case()
    a, b = case.normal(BF16, m, k), case.normal(BF16, n, k)
    exact, _, error = multiply(a, b)
    case.output(BF16, exact, rounded(exact, error, UBF16))
    tiles = -(-n // 128)
    sums = np.repeat(a.sum(1)[None], tiles, 0)
    case.output(F32, sums, np.repeat((g(k + 2) * np.abs(a).sum(1))[None], tiles, 0))
    return case


def gemm_bias_activation_residual(m, n, k):
    case = Case()
    a, b = case.normal(BF16, m, k), case.normal(BF16, n, k)
    bias, residual = case.normal(BF16, n), case.normal(BF16, m, n)
    product, magnitude, error = multiply(a, b)
    x = product + bias
    exact, error = silu(x, error + U32 * (magnitude + np.abs(bias)))
    exact = exact + residual
    error = error + U32 * (np.abs(exact) + error)
    case.output(BF16, exact, rounded(exact, error, UBF16))
    return case


def dual_gemm(m, n, k):
    case = Case()
    a, b, c = (case.normal(BF16, *shape) for shape in ((m, k), (n, k), (n, k)))
    x, _, x_error = multiply(a, b)
    y, _, y_error = multiply(a, c)
    s, s_error = silu(x, x_error)
    exact = s * y
    error = s_error * np.abs(y) + np.abs(s) * y_error + s_error * y_error
    error += U32 * (np.abs(exact) + error)
    case.output(BF16, exact, rounded(exact, error, UBF16))
    return case


def batched_gemm(batch, m, n, k):
    case = Case()
    a, b = case.normal(F16, batch, m, k), case.normal(F16, batch, k, n)
    alpha = 0.375
    exact = alpha * (a @ b)
    error = alpha * g(k + 2) * (np.abs(a) @ np.abs(b))
    case.output(F16, exact, rounded(exact, error, UF16))
    case.scalar(alpha)
    return case


# Around the tile's 128 rows; every other group is NaN, which the rest must not see.
GROUPS = [0, 1, 7, 127, 128, 129, 300, 5, 0, 3, 9]


def make_groups(sizes, n, k, depths=None):
    """The operands of grouped products, and each group's rows, product,
    magnitude and error. What a group doesn't sum is NaN, too."""
    case = Case()
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    depths = [k] * len(sizes) if depths is None else depths
    rows = 0.5 * case.random.standard_normal((offsets[-1], k))
    for begin, end in zip(offsets[1::2], offsets[2::2]):
        rows[begin:end] = np.nan
    for begin, end, depth in zip(offsets, offsets[1:], depths):
        rows[begin:end, depth:] = np.nan
    a, b = case.add(BF16, rows), case.normal(BF16, len(sizes), n, k)
    case.add(I32, offsets)
    parts = [slice(begin, end) for begin, end in zip(offsets, offsets[1:])]
    return case, [(part, *multiply(a[part, :depth], b[i, :, :depth]))
                  for i, (part, depth) in enumerate(zip(parts, depths))]


def join(parts, shape):
    """The products of all groups; what is NaN has no error."""
    exact, error = np.zeros(shape), np.zeros(shape)
    for part, product, _, its_error in parts:
        exact[part], error[part] = product, np.nan_to_num(its_error)
    return exact, error


def grouped_gemm(sizes, n, k):
    case, parts = make_groups(sizes, n, k)
    exact, error = join(parts, (sum(sizes), n))
    case.output(BF16, exact, np.nan_to_num(rounded(exact, error, UBF16)))
    return case


def grouped_statistics(sizes, n, k):
    """Of each tile, its sums and maxima along the rows, and its largest
    magnitude; rows past a group's end are zeros."""
    case, parts = make_groups(sizes, n, k)
    exact, error = join(parts, (sum(sizes), n))
    case.output(BF16, exact, np.nan_to_num(rounded(exact, error, UBF16)))
    shape = (len(sizes), -(-max(sizes) // 128), -(-n // 128))
    # What no tile of a group writes stays as it was.
    sums, maxima, amaxes = (np.full((*shape[:2], last), -77.0) for last in (n, n, shape[2]))
    sum_error, max_error, amax_error = (np.zeros(x.shape) for x in (sums, maxima, amaxes))
    for group, (_, product, magnitude, its_error) in enumerate(parts):
        for row in range(0, len(product), 128):
            at = group, row // 128
            tile, its_magnitude, tile_error = (
                np.concatenate([x[row:row + 128], np.zeros((max(0, row + 128 - len(x)), n))])
                for x in (product, magnitude, its_error))
            # Each sum is one of k + 128 roundings of products.
            sums[at], sum_error[at] = tile.sum(0), g(k + 129) * its_magnitude.sum(0)
            maxima[at], max_error[at] = tile.max(0), tile_error.max(0)
            for column in range(0, n, 128):
                part = np.s_[:, column:column + 128]
                amaxes[at][column // 128] = np.abs(tile[part]).max()
                amax_error[at][column // 128] = tile_error[part].max()
    for numbers, bound in ((sums, sum_error), (maxima, max_error), (amaxes, amax_error)):
        case.output(F32, numbers, np.nan_to_num(bound))
    return case


def grouped_gemm_k(sizes, depths, n, k):
    case, parts = make_groups(sizes, n, k, depths)
    case.add(I32, depths)
    exact, error = join(parts, (sum(sizes), n))
    case.output(BF16, exact, np.nan_to_num(rounded(exact, error, UBF16)))
    return case


def dequantized(m, n, k):
    case = Case()
    a = case.add(I8, case.random.integers(-100, 100, (m, k)))
    scale = case.normal(F32, m)
    b = case.normal(BF16, n, k)
    # The operand is rounded to f32 and to bf16 before it is multiplied: the
    # same in the reference, so only sums differ.
    wide = (a * scale[:, None]).astype(np.float32)
    exact, _, error = multiply(from_bf16(to_bf16(wide)).astype(np.float64), b)
    case.output(BF16, exact, rounded(exact, error, UBF16))
    return case


def vectors(rows, columns):
    """programs/vectors.mlir: iota, masks, reductions along both axes, scalars."""
    case = Case()
    x = case.normal(F32, rows, columns)
    column_bias = case.normal(F32, columns)
    inside = np.arange(columns) % 128 < np.arange(rows)[:, None] % 64 + 1
    masked = np.where(inside, x + column_bias, 0)
    error = U32 * np.abs(masked)
    case.output(F32, masked, error)
    tile_rows, tile_columns = -(-rows // 64), -(-columns // 128)
    sums = np.zeros((tile_rows, columns))
    sum_error = np.zeros((tile_rows, columns))
    largest = np.full((tile_columns, rows), -np.inf)
    totals = np.zeros((tile_rows, tile_columns))
    total_error = np.zeros((tile_rows, tile_columns))
    for i in range(tile_rows):
        for j in range(tile_columns):
            part = masked[64 * i:64 * i + 64, 128 * j:128 * j + 128]
            sums[i, 128 * j:128 * j + 128] = part.sum(0)
            sum_error[i, 128 * j:128 * j + 128] = g(65) * np.abs(part).sum(0)
            largest[j, 64 * i:64 * i + 64] = part.max(1)
            totals[i, j] = part.sum()
            total_error[i, j] = g(64 + 129) * np.abs(part).sum()
    case.output(F32, sums, sum_error)
    case.output(F32, largest, U32 * np.abs(largest))
    case.output(F32, totals, total_error)
    return case


def conversions(rows, columns):
    case = Case()
    random = case.random
    x = case.add(F32, random.standard_normal((rows, columns))
                 * np.exp2(random.uniform(-20, 14, (rows, columns))))
    # Exactly half way between two numbers, and at the ends of the types.
    x[0, :9] = [464, -464, 464.001, 61440, -61440, 61439.9, 0.0009765625, 17, 19]
    case.arguments[0] = x.astype(np.float32)
    x = F32.wide(case.arguments[0])
    parts = []
    for kind in (E4M3, E5M2, F16, BF16, I32):
        made = kind.make(x.astype(np.float32))
        parts.append(kind.wide(made))
        case.output(kind, parts[-1], np.zeros(x.shape))
    with np.errstate(invalid="ignore"):
        a, b, c, d, e = (part.astype(np.float32) for part in parts)
        total = ((a + b) + (c + d)) + e
    case.output(F32, total.astype(np.float64), np.zeros(x.shape))
    return case


GRAPHS = {
    "conversions": [lambda: conversions(70, 144)],
    "rmsnorm": [lambda: rmsnorm(19, 1504), lambda: rmsnorm(1, 8)],
    "gemm_row_sum": [lambda: gemm_row_sum(140, 152, 200)],
    "shared_operand": [lambda: shared_operand(140, 152, 200)],
    "gemm_bias_activation_residual": [lambda: gemm_bias_activation_residual(140, 272, 200),
                                      lambda: gemm_bias_activation_residual(3, 8, 8)],
    "dual_gemm": [lambda: dual_gemm(140, 152, 200)],
    "batched_gemm": [lambda: batched_gemm(2, 136, 144, 104)],
    "grouped_gemm": [lambda: grouped_gemm(GROUPS, 152, 104),
                     lambda: grouped_gemm(GROUPS[1:], 152, 104)],
    "grouped_pairs": [lambda: grouped_gemm(GROUPS, 152, 104),
                      lambda: grouped_gemm(GROUPS[1:], 152, 104)],
    "grouped_statistics": [lambda: grouped_statistics(GROUPS, 152, 104),
                           lambda: grouped_statistics(GROUPS[1:], 152, 104)],
    "grouped_gemm_k": [lambda: grouped_gemm_k([5, 0, 200, 1], [64, 128, 200, 8], 152, 200),
                       lambda: grouped_gemm_k(GROUPS, [72, 1, 200, 8, 64, 9] + [100] * 5, 152, 200)],
    "dequantized": [lambda: dequantized(144, 152, 112)],
    "vectors": [lambda: vectors(150, 300), lambda: vectors(64, 128)],
}

# Those of CTA pairs.
TARGETS = {"grouped_pairs": ["sm_100a"]}


def compile_graph(tools, name, target, folder):
    source = next(path for path in (f / f"{name}.mlir" for f in FOLDERS) if path.exists())
    program, nvvm, ptx = (folder / f for f in ("graph.mlir", "kernel.mlir", "kernel.ptx"))
    text = re.sub(r"attributes \{tile\.target = \"\w+\"\} ", "", source.read_text())
    head = re.search(r"tile\.kernel @\w+\([^)]*\)(\s*attributes \{)?", text)
    attribute = f'tile.target = "{target}"'
    given = f"{attribute}, " if head[1] else f" attributes {{{attribute}}}"
    program.write_text(text[:head.end()] + given + text[head.end():])
    for command in ([tools / "drawloom-opt", program, "--front-half",
                     "--lower-work-tiles", "--assign-slot-phase", "--lower-pipes",
                     "--schedule-wgmma",
                     "--unroll-slices", "--access-memory", "--branch-on-masks",
                    "--branch-on-factors", "--stage-conversions",
                     "--convert-agent-to-nvvm", "-o", nvvm],
                    [tools / "drawloom", "compile", nvvm, "--arch", target,
                     "--emit", "ptx", "-o", ptx]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return None, done.stderr
    return (ptx, nvvm.read_text()), None


def launch(tools, compiled, case, target, folder, ctas):
    ptx, text = compiled
    names = [f"x{i}" for i in range(len(case.arguments))]
    values, described = [], {}
    for parameter in read_parameters(text):
        number = parameter["argument"]
        array, kind = case.arguments[number], case.kinds[number]
        if parameter["kind"] == "map":
            values.append({"tensorMap": {
                "array": names[number], "type": kind.name, "box": parameter["box"],
                "swizzle": f"{parameter['swizzle']}B"}})
        elif parameter["kind"] == "pointer":
            values.append({"pointer": names[number]})
        elif parameter["kind"] == "stride":
            values.append({"u64": array.strides[parameter["dimension"]] // array.itemsize})
        elif parameter["kind"] == "size":
            values.append({"u32": array.shape[parameter["dimension"]]})
        else:
            values.append({"f32": float(array)})
    for number, array in enumerate(case.arguments):
        if array.ndim == 0:
            continue
        np.save(folder / f"{names[number]}.npy", array)
        described[names[number]] = {"file": f"{names[number]}.npy"}
        if number in case.expected:
            described[names[number]]["output"] = f"out{number}.npy"
    threads = int(re.search(r"nvvm\.reqntid = array<i32: (\d+)", text).group(1))
    shared = re.search(r"agent\.shared_bytes = (\d+)", text)
    (folder / "launch.json").write_text(json.dumps({
        "device": DEVICES[target], "sms": 4, "grid": [ctas], "block": [threads],
        "dynamicShared": int(shared.group(1)), "arrays": described,
        "parameters": values}))
    return subprocess.run([tools / "drawloom", "run", ptx, "--launch",
                           folder / "launch.json", "-o", folder],
                          capture_output=True, text=True)


def main() -> int:
    np.seterr(invalid="ignore")
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    options.add_argument("--tools", type=Path, required=True)
    options.add_argument("--graphs", nargs="+", default=list(GRAPHS))
    options.add_argument("--targets", nargs="+", default=list(DEVICES))
    options.add_argument("--keep", type=Path, help="leave the files here")
    chosen = options.parse_args()
    passed = total = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in chosen.graphs:
            for target in TARGETS.get(name, chosen.targets):
                folder = (chosen.keep or Path(scratch)) / f"{name}.{target}"
                folder.mkdir(parents=True, exist_ok=True)
                compiled, error = compile_graph(chosen.tools, name, target, folder)
                for number, make in enumerate(GRAPHS[name]):
                    total += 1
                    where = f"{name} {target} {number}"
                    if error:
                        print(f"{where}: {error.strip()[:1000]}")
                        continue
                    case = make()
                    done = launch(chosen.tools, compiled, case, target, folder, 2)
                    if done.returncode:
                        print(f"{where}: {(done.stdout + done.stderr).strip()[-1500:]}")
                        continue
                    wrong, worst = 0, 0.0
                    for argument, (exact, bound) in case.expected.items():
                        got = case.kinds[argument].wide(np.load(folder / f"out{argument}.npy"))
                        same = (got == exact) | (np.isnan(got) & np.isnan(exact))
                        error_now = np.where(same, 0, np.abs(got - exact))
                        bad = ~(error_now <= bound)
                        wrong += int(bad.sum())
                        ratio = error_now / np.maximum(bound, 2.0**-140)
                        worst = max(worst, float(np.nan_to_num(ratio, nan=np.inf).max()))
                        if bad.any():
                            at = np.unravel_index(np.argmax(bad), bad.shape)
                            print(f"{where}: argument {argument}: {bad.sum()} of {bad.size} beyond "
                                  f"the bound, the first at {list(map(int, at))}: {got[at]!r} "
                                  f"instead of {exact[at]!r} +- {bound[at]:.3g}")
                    passed += not wrong
                    print(f"{where}: {'ok' if not wrong else 'WRONG'}, "
                          f"largest error {worst:.2f} of the bound")
    print(f"graphs: {passed} of {total} cases match")
    return 0 if passed == total else 1


if __name__ == "__main__":
    sys.exit(main())
