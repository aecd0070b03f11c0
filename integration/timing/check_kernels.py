# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each kernel of the ladders multiplies matrices: its output is compared with numpy's.

Numbers are small integers, so that sums are exact in fp32; what is left is the rounding of
D to bf16, half a unit in the last of eight bits, or 1 / 2^8 at most relative to it.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "emulator"))
import run
from driver import Driver
from exam import read, recipe_of

# Rows for CTA pairs, and more steps of K than any ring has slots.
SIZE = (512, 512, 1024)


def check(args) -> int:
    driver = Driver(args.library, args.worker, 2)  # So that a persistent CTA has several tiles.
    recipes = sorted({row["recipe"] for row in read() if row["recipe"] and row["arch"] == args.worker})[::args.every]
    failed = 0
    for text in recipes:
        recipe = recipe_of({"arch": args.worker, "recipe": text})
        for order in ("deterministic", "timed:0"):
            os.environ["DRAWLOOM_ORDER"] = order
            error = run.check(driver, recipe, *SIZE)
            driver.reset()
            if error > 1:
                print(f"{args.worker} {text}: off by {error} of what bf16 allows, under {order}")
                failed += 1
    print(f"{args.worker}: {len(recipes)} kernels, {failed} wrong")
    return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each N-th kernel")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        return check(args)
    results = [subprocess.run([sys.executable, __file__, "--library", args.library, "--every",
                               str(args.every), "--worker", arch], check=False).returncode
               for arch in ("h100", "b200")]
    return max(results)


if __name__ == "__main__":
    sys.exit(main())
