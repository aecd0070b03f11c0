# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the plans in agent text with the reference interpreter and compares each
with the tile program that it is a plan of.

    check_plans.py --tool build/release/bin/tile-interpret --plans compiler/test/Dialect/Agent/Plans

A plan does the same arithmetic in the same order, only in several roles. So the
results must have the same bits, whatever role moves next: each plan runs in the
order of its text and in orders from several seeds.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

SEEDS = [None, 1, 2, 3]


def gemm_shapes(m, n, k, residual):
    """A, B, perhaps C, and D last."""
    return [(m, k), (n, k)] + [(m, n)] * residual + [(m, n)]


# Less than an item, several of them, an odd number, and loops over k around the
# number of slots, which is four: 1, 3, 4, 5, 9 steps, and none.
GEMMS = [(1, 1, 1), (128, 256, 64), (300, 520, 190), (129, 700, 256), (200, 257, 320),
         (256, 256, 560), (64, 64, 0)]
LINEAR = ("linear", [gemm_shapes(*size, True) for size in GEMMS])
PRODUCT = ("product", [gemm_shapes(*size, False) for size in GEMMS])
ATTENTION = ("attention", [[(m, 64), (keys, 64), (keys, 64), (m, 64)]
                           for m, keys in [(128, 128), (300, 384), (40, 640)]])

# For each plan its tile program and the shapes to try: views of bf16, the last
# one the result.
PLANS = {
    "blackwell-attention": ATTENTION,
    "blackwell-multi-role": LINEAR,
    "blackwell-pair-dynamic": PRODUCT,
    "hopper-multi-role": LINEAR,
    "hopper-ping-pong": PRODUCT,
    "hopper-ping-pong-rings": PRODUCT,
    "hopper-single-role": LINEAR,
}


def run(tool, program, inputs, shape, seed, folder):
    command = [tool, program]
    command += [f"--arg={path}" for path in inputs]
    command += ["--arg=" + "x".join(map(str, shape)), f"--out={len(inputs)}={folder}/out.npy"]
    if seed is not None:
        command.append(f"--shuffle={seed}")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{program.name}: {done.stderr}")
    return np.load(f"{folder}/out.npy")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tool", type=Path, required=True)
    parser.add_argument("--plans", type=Path, required=True)
    arguments = parser.parse_args()
    found = {path.stem for path in arguments.plans.glob("*.mlir")}
    if found != set(PLANS):
        sys.exit(f"plans and programs differ: {', '.join(sorted(found ^ set(PLANS)))}")

    generator = np.random.default_rng(0)
    runs = 0
    with tempfile.TemporaryDirectory() as folder:
        for plan, (program, cases) in PLANS.items():
            for shapes in cases:
                inputs = []
                for i, shape in enumerate(shapes[:-1]):
                    numbers = generator.standard_normal(shape).astype(np.float32)
                    inputs.append(f"{folder}/{i}.npy")
                    np.save(inputs[-1], (numbers.view(np.uint32) >> 16).astype(np.uint16))
                program_file = Path(__file__).parent / "Plans" / f"{program}.mlir"
                wanted = run(arguments.tool, program_file, inputs, shapes[-1], None, folder)
                for seed in SEEDS:
                    result = run(arguments.tool, arguments.plans / f"{plan}.mlir", inputs,
                                 shapes[-1], seed, folder)
                    if not np.array_equal(result, wanted):
                        sys.exit(f"{plan} differs from {program} for {shapes}, seed {seed}")
                    runs += 1
            print(f"{plan}: as {program}, {len(cases)} sizes", flush=True)
    print(f"interpreter: {len(PLANS)} plans, {runs} runs, each with the bits of its tile program")


if __name__ == "__main__":
    main()
