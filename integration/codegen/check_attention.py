# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of the examples, with heads of 128 and of 64, causal and not, on both
architectures: compiled, run on the emulator, compared with numpy in float64.

    check_attention.py --tools build/release/bin
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from check_gemm import from_bf16, to_bf16  # noqa: E402
from check_graphs_run import DIVIDE, EXP, UBF16, g, rounded  # noqa: E402

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
# batch, rows, heads, columns: one tile; ragged with several items; one column.
SHAPES = [(1, 128, 1, 64), (2, 300, 2, 200), (1, 5, 1, 1), (1, 520, 1, 520)]
# The tensor core cuts what lies below the bits of f32.
UCUT = 2.0**-23


def narrow(text):
    """The program for heads of 64: what has 128 columns of a head has 64."""
    for wide, small in [
            ("x?x128xbf16>", "x?x64xbf16>"),
            (": tensor<64x128xbf16> -> tensor<128x64xbf16>",
             ": tensor<64x64xbf16> -> tensor<64x64xbf16>"),
            ("tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>",
             "tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>"),
            ("tensor<128x128xbf16>", "tensor<128x64xbf16>"),
            ("tensor<64x128xbf16>", "tensor<64x64xbf16>"),
            ("tensor<128x128xf32>", "tensor<128x64xf32>")]:
        if wide not in text:
            sys.exit(f"the example has no '{wide}' any more")
        text = text.replace(wide, small)
    return text


def reference(q, k, v, scale, causal):
    """The result, and how far a kernel may be from it.

    A score is a sum of products that the tensor core cuts, then scaled; the
    difference to the maximum rounds once more. The maximum is the same in
    numerator and denominator. An error d of the exponent is a factor of 2^d, and
    numerator and denominator have it each. For each block of 64 columns what was
    summed is scaled (difference, exp2, product) and added to. The weights of the
    numerator are rounded to bf16; its products are summed by the tensor core, the
    denominator by threads. Then a division, and a rounding to bf16."""
    head, columns = q.shape[3], k.shape[1]
    seen = (np.tri(q.shape[1], columns, dtype=bool) if causal
            else np.ones((q.shape[1], columns), bool))
    scores = scale * np.einsum("bihd,bjhd->bhij", q, k)
    largest = scores.max(axis=3, keepdims=True, where=seen, initial=-np.inf)
    weights = np.exp2(np.where(seen, scores, -np.inf) - largest)
    weights /= weights.sum(axis=3, keepdims=True)
    exact = np.einsum("bhij,bjhd->bihd", weights, v)
    magnitude = np.einsum("bhij,bjhd->bihd", weights, np.abs(v))

    steps = -(-columns // 64)
    sums = scale * np.einsum("bihd,bjhd->bhij", np.abs(q), np.abs(k)).max()
    spread = np.abs(largest).max() + np.abs(scores).max()
    exponent = g(head + 1, UCUT) * sums + g(2) * np.abs(scores).max() + 2 * 2.0**-24 * spread
    factor = 2.0**exponent * (1 + EXP) ** (steps + 1) * (1 + g(4 * steps + 65 * steps, UCUT))
    error = (factor**2 * (1 + DIVIDE) * (1 + UBF16) - 1) * magnitude
    return exact, rounded(exact, error, UBF16)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tools", type=Path, required=True)
    options = parser.parse_args()
    generator = np.random.default_rng(7)
    matches = total = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for causal in (False, True):
            text = (EXAMPLES / f"{'causal_' if causal else ''}attention.mlir").read_text()
            for head, (batch, rows, heads, columns) in [(h, s) for h in (128, 64) for s in SHAPES]:
                program = folder / "attention.mlir"
                program.write_text(text if head == 128 else narrow(text))
                shape = (batch, columns, heads, head)
                inputs = {"Q": generator.standard_normal((batch, rows, heads, head)),
                          "K": generator.standard_normal(shape), "V": generator.standard_normal(shape)}
                for key, array in inputs.items():
                    inputs[key] = to_bf16(array)
                    np.save(folder / f"{key}.npy", inputs[key])
                scale = float(np.float32(np.log2(np.e) / np.sqrt(head)))
                exact, bound = reference(*(from_bf16(inputs[key]).astype(np.float64)
                                           for key in "QKV"), scale, causal)
                for arch in ("sm_90a", "sm_100a"):
                    total += 1
                    run = subprocess.run(
                        [options.tools / "drawloom", "run", program, "--arch", arch,
                         "--input", ",".join(f"{key}={folder / key}.npy" for key in "QKV"),
                         "--shape", f"O={batch}x{rows}x{heads}x{head}",
                         "--scalar", f"scale_log2e={scale!r}",
                         "--output", f"O={folder / 'O.npy'}"], capture_output=True, text=True)
                    where = f"{arch}, head {head}, {batch}x{rows}x{heads}x{columns}" + (
                        ", causal" if causal else "")
                    if run.returncode:
                        print(f"{where}: {run.stderr.strip()}")
                        continue
                    result = from_bf16(np.load(folder / "O.npy")).astype(np.float64)
                    wrong = int((~(np.abs(result - exact) <= bound)).sum())
                    if wrong:
                        print(f"{where}: {wrong} of {result.size} elements beyond the bound")
                    matches += not wrong
    print(f"attention: {matches} of {total} cases match")
    return matches != total


if __name__ == "__main__":
    sys.exit(main())
