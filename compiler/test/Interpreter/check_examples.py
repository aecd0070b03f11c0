# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every program in examples/ with the reference interpreter and compares
it with numpy.

    check_examples.py --tool build/release/bin/tile-interpret --examples examples

The reference is numpy in float64. No tolerance is chosen: each comparison
states how far the program's exact rounding rules can be from the reference,
derived where it stands, and the result must lie between the roundings of
reference - error and reference + error. Rounding is monotonic, so that is what
an answer within the error can become, and mostly it is a single number.

In the derivations, u = 2^-24 is the unit roundoff of f32, and
g(n, u) = n*u / (1 - n*u) bounds the effect of n roundings in a row. Sums in
float64, the interpreter's and numpy's, carry g(n, 2^-53) of the sum of
magnitudes each.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

U32 = 2.0**-24
U64 = 2.0**-53


def g(n, u):
    return n * u / (1 - n * u)


# --- Formats ------------------------------------------------------------------


def to_bf16(values):
    """The bit patterns of float64 values rounded to bf16, ties to even. The
    halfway cases are decided on the float64 itself: scale so that a unit is the
    last place of bf16, round to an integer, scale back."""
    values = np.asarray(values, np.float64)
    _, exponent = np.frexp(values)
    last_place = np.ldexp(1.0, np.maximum(exponent - 8, -126 - 7))
    rounded = (np.rint(values / last_place) * last_place).astype(np.float32)
    return (rounded.view(np.uint32) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


# How a type is stored in a file, and read back as numbers.
FORMATS = {
    "bf16": (to_bf16, from_bf16),
    "f16": (lambda x: np.asarray(x, np.float64).astype(np.float16), lambda x: x.astype(np.float64)),
    "f32": (lambda x: np.asarray(x, np.float64).astype(np.float32), lambda x: x.astype(np.float64)),
    "i32": (lambda x: np.asarray(x, np.int32), lambda x: x),
}


def random(shape, kind, generator, scale=1.0):
    """Numbers that the format holds exactly."""
    store, load = FORMATS[kind]
    return load(store(scale * generator.standard_normal(shape)))


def small_ints(shape, generator):
    """Integers whose sums of products of a thousand are exact in f32."""
    return generator.integers(-8, 9, shape).astype(np.float64)


# --- Running ------------------------------------------------------------------


class Tool:
    def __init__(self, tool, examples):
        self.tool, self.examples = tool, examples

    def run(self, example, arguments, shuffle=None):
        """Runs a program. An argument is (numbers, kind) for a view, a pair of a
        shape and a kind for the result, or a number. Returns the result."""
        with tempfile.TemporaryDirectory() as folder:
            command = [self.tool, self.examples / f"{example}.mlir"]
            for i, argument in enumerate(arguments):
                if not isinstance(argument, tuple):
                    command.append(f"--arg={argument!r}")
                elif isinstance(argument[0], tuple):
                    command.append("--arg=" + "x".join(map(str, argument[0])))
                    command.append(f"--out={i}={folder}/out.npy")
                    kind = argument[1]
                else:
                    numbers, stored = argument
                    np.save(f"{folder}/{i}.npy", np.ascontiguousarray(FORMATS[stored][0](numbers)))
                    command.append(f"--arg={folder}/{i}.npy")
            if shuffle is not None:
                command.append(f"--shuffle={shuffle}")
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{example}: {done.stderr}")
            return FORMATS[kind][1](np.load(f"{folder}/out.npy"))


def compare(name, result, reference, error, kind):
    """The result is a rounding of some number within `error` of the reference."""
    store, load = FORMATS[kind]
    low, high = load(store(reference - error)), load(store(reference + error))
    bad = ~((result >= low) & (result <= high))
    if bad.any():
        at = np.unravel_index(np.argmax(bad), bad.shape)
        sys.exit(f"{name}: {bad.sum()} of {bad.size} elements are outside their bounds; at "
                 f"{list(map(int, at))} {result[at]!r} is not in [{low[at]!r}, {high[at]!r}]")
    print(f"{name}: {result.size} elements, {np.mean(low == high):.1%} of them with one "
          "admissible value")


# --- The programs -------------------------------------------------------------


def product_error(a, b, stored=False):
    """Of tile.mma in a loop over K in steps of 64: a @ b.T, for the last two
    dimensions. Products are exact, each step is summed in float64 and rounded
    once to f32. A product that entered in the first step is rounded once for
    each step. If the sum is stored as it is, `compare` does the last rounding."""
    k = a.shape[-1]
    steps = -(-k // 64) - stored
    magnitude = np.abs(a) @ np.abs(np.swapaxes(b, -1, -2))
    return (g(steps, U32) + 2 * g(k + 1, U64)) * magnitude


def check_gemm(tool, generator):
    for m, n, k in [(128, 256, 64), (200, 300, 130), (1, 1, 1), (129, 257, 65)]:
        # Integers: every sum is exact, whatever its order.
        a, b = small_ints((m, k), generator), small_ints((n, k), generator)
        result = tool.run("gemm", [(a, "bf16"), (b, "bf16"), ((m, n), "f32")])
        compare(f"gemm {m}x{n}x{k}, integers", result, a @ b.T, 0, "f32")
        a, b = random((m, k), "bf16", generator), random((n, k), "bf16", generator)
        arguments = [(a, "bf16"), (b, "bf16"), ((m, n), "f32")]
        result = tool.run("gemm", arguments)
        compare(f"gemm {m}x{n}x{k}", result, a @ b.T, product_error(a, b, stored=True), "f32")
        # Work tiles are independent, so their order changes nothing at all.
        if not np.array_equal(result, tool.run("gemm", arguments, shuffle=k)):
            sys.exit("gemm: the order of the work tiles changed the result")


def check_batched_gemm(tool, generator):
    for batch, m, n, k in [(1, 128, 128, 64), (3, 150, 140, 100)]:
        a = random((batch, m, k), "f16", generator, 0.25)
        b = random((batch, k, n), "f16", generator, 0.25)
        alpha = 0.375
        product, error = a @ b, product_error(a, np.swapaxes(b, 1, 2))
        # One multiplication in f32 more.
        error = alpha * error * (1 + U32) + U32 * np.abs(alpha * product)
        result = tool.run("batched_gemm", [(a, "f16"), (b, "f16"), ((batch, m, n), "f16"), alpha])
        compare(f"batched_gemm {batch}x{m}x{n}x{k}", result, alpha * product, error, "f16")


def check_grouped_gemm(tool, generator):
    for sizes, n, k in [([128, 128], 128, 64), ([5, 0, 200, 1, 130], 150, 100)]:
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        rows, groups = offsets[-1], len(sizes)
        a = random((rows, k), "bf16", generator)
        b = random((groups, n, k), "bf16", generator)
        reference, error = np.zeros((rows, n)), np.zeros((rows, n))
        for i in range(groups):
            part = slice(offsets[i], offsets[i + 1])
            reference[part] = a[part] @ b[i].T
            error[part] = product_error(a[part], b[i])
        arguments = [(a, "bf16"), (b, "bf16"), (offsets, "i32"), ((rows, n), "bf16")]
        result = tool.run("grouped_gemm", arguments)
        compare(f"grouped_gemm {sizes}x{n}x{k}", result, reference, error, "bf16")
        if not np.array_equal(result, tool.run("grouped_gemm", arguments, shuffle=n)):
            sys.exit("grouped_gemm: the order of the work tiles changed the result")


def check_gemm_bias_activation_residual(tool, generator):
    for m, n, k in [(128, 256, 64), (140, 270, 200)]:
        a = random((m, k), "bf16", generator, 0.5)
        b = random((n, k), "bf16", generator, 0.5)
        bias = random((n,), "bf16", generator)
        residual = random((m, n), "bf16", generator)
        x = a @ b.T + bias
        y = x / (1 + np.exp(-x))
        z = y + residual
        # x: the product's error and one addition. The slope of silu is at most
        # 1.0998 in magnitude. y itself: exp, the addition of 1 and the division
        # round once each, and an error of exp counts at most in full. z: one
        # addition. The factor 1 + 2^-10 covers products of errors, each of which
        # is below 2^-10 of a first-order term.
        error_x = product_error(a, b) + U32 * np.abs(x)
        error_y = 1.0998 * error_x + g(3, U32) * np.abs(y)
        error_z = (error_y + U32 * np.abs(z)) * (1 + 2.0**-10)
        result = tool.run("gemm_bias_activation_residual",
                          [(a, "bf16"), (b, "bf16"), (bias, "bf16"), (residual, "bf16"),
                           ((m, n), "bf16")])
        compare(f"gemm_bias_activation_residual {m}x{n}x{k}", result, z, error_z, "bf16")


def check_rmsnorm(tool, generator):
    for rows, n in [(8, 1024), (19, 1500), (3, 2049), (1, 1)]:
        x = random((rows, n), "bf16", generator)
        weight = random((n,), "bf16", generator)
        epsilon = 2.0**-17
        reference = x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + epsilon) * weight
        # Squares of bf16 are exact in f32 and positive, so errors stay relative.
        # A square is rounded once in its piece's sum and once for each of the
        # pieces; then the division, the addition of epsilon: pieces + 3
        # roundings, of which the square root halves the effect. The root and two
        # multiplications add 3. pieces + 8 leaves more than the float64 sums.
        pieces = -(-n // 1024)
        error = g(pieces + 8, U32) * np.abs(reference)
        result = tool.run("rmsnorm", [(x, "bf16"), (weight, "bf16"), ((rows, n), "bf16"), epsilon])
        compare(f"rmsnorm {rows}x{n}", result, reference, error, "bf16")


def check_attention(tool, generator, name="attention", causal=False):
    for batch, rows, heads, columns in [(1, 128, 1, 64), (2, 150, 3, 200), (1, 5, 1, 1)]:
        q = random((batch, rows, heads, 128), "bf16", generator)
        k = random((batch, columns, heads, 128), "bf16", generator)
        v = random((batch, columns, heads, 128), "bf16", generator)
        scale = float(np.float32(np.log2(np.e) / np.sqrt(128)))
        seen = np.tri(rows, columns, dtype=bool) if causal else np.ones((rows, columns), bool)
        scores = scale * np.einsum("bihd,bjhd->bhij", q, k)
        weights = np.exp2(np.where(seen, scores, -np.inf) - scores.max(axis=3, keepdims=True,
                                                                       where=seen, initial=-np.inf))
        weights /= weights.sum(axis=3, keepdims=True)
        reference = np.einsum("bhij,bjhd->bihd", weights, v)
        magnitude = np.einsum("bhij,bjhd->bihd", weights, np.abs(v))

        # A score is rounded by the product and by the scaling, and the
        # difference to the maximum once more; an error d of the exponent is a
        # factor of 2^d. The maximum itself cancels: numerator and denominator
        # use the same one. exp2 rounds once. For each of the steps along the
        # columns, what was summed is scaled by a factor that is rounded three
        # times (difference, exp2, product) and added to, one rounding; the
        # differences of maxima add up to no more than the range of the scores.
        # Numerator and denominator have that each, and the division rounds once.
        # The numerator's weights are rounded to bf16 besides, each by at most a
        # factor of 1 + 2^-8.
        steps = -(-columns // 64)
        spread = (scores.max(axis=3) - scores.min(axis=3)).max()
        exact = scale * np.einsum("bihd,bjhd->bhij", np.abs(q), np.abs(k)).max()
        exponent = g(2, U32) * np.abs(scores).max() + 2 * U32 * spread + 2 * g(129, U64) * exact
        factor = 2.0**exponent * (1 + g(4 * steps + 1, U32)) * (1 + 2 * g(columns + 1, U64))
        error = (factor**2 * (1 + U32) * (1 + 2.0**-8) - 1) * magnitude
        result = tool.run(name, [(q, "bf16"), (k, "bf16"), (v, "bf16"),
                                 ((batch, rows, heads, 128), "bf16"), scale])
        compare(f"{name} {batch}x{rows}x{heads}x{columns}", result, reference, error, "bf16")

        # Scores that are integers from 0 to 6 make every weight a power of two,
        # at least 2^-6. With V of integers up to 8 and at most 256 columns all
        # sums are multiples of 2^-6 below 2^11, exact in f32. So the result is
        # rounded once by the division and once to bf16.
        q, k = np.zeros(q.shape), np.zeros(k.shape)
        q[..., 0] = generator.integers(1, 3, q.shape[:3])
        k[..., 0] = generator.integers(0, 4, k.shape[:3])
        v = small_ints(v.shape, generator)
        weights = seen * np.exp2(np.einsum("bih,bjh->bhij", q[..., 0], k[..., 0]))
        total = np.swapaxes(weights.sum(axis=3, keepdims=True), 1, 2)
        reference = np.einsum("bhij,bjhd->bihd", weights, v) / total
        error = (U32 + U64) * np.abs(reference)
        result = tool.run(name, [(q, "bf16"), (k, "bf16"), (v, "bf16"),
                                 ((batch, rows, heads, 128), "bf16"), 1.0])
        compare(f"{name} {batch}x{rows}x{heads}x{columns}, powers of two", result, reference,
                error, "bf16")


def check_causal_attention(tool, generator):
    check_attention(tool, generator, "causal_attention", causal=True)


CHECKS = {
    "attention": check_attention,
    "batched_gemm": check_batched_gemm,
    "causal_attention": check_causal_attention,
    "gemm": check_gemm,
    "gemm_bias_activation_residual": check_gemm_bias_activation_residual,
    "grouped_gemm": check_grouped_gemm,
    "rmsnorm": check_rmsnorm,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tool", type=Path, required=True)
    parser.add_argument("--examples", type=Path, required=True)
    arguments = parser.parse_args()

    programs = {path.stem for path in arguments.examples.glob("*.mlir")}
    if programs != set(CHECKS):
        sys.exit(f"programs and checks differ: {', '.join(sorted(programs ^ set(CHECKS)))}")
    tool = Tool(arguments.tool, arguments.examples)
    for number, check in enumerate(CHECKS.values()):
        check(tool, np.random.default_rng(number))
    print(f"interpreter: {len(CHECKS)} programs agree with numpy")


if __name__ == "__main__":
    main()
