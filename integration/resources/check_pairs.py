# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what ptxas makes of a product of pairs of CTAs.

    check_pairs.py --drawloom build/release/bin/drawloom PROGRAM.mlir

Counts the machine instructions of a k-block, of 64 bf16 of a tile of 256 x 256 by
two CTAs: two copies in the load loop of each CTA, and four products in that of the
leader. Neither loop may get longer than it was. Its copies, products and commits
must be those of pairs.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import count_sass

sys.path.append(str(Path(__file__).resolve().parent.parent / "ptx"))
from toolkit import find_tool

# Loops: how many instructions, and how many copies or products among them.
MOST = {"load": (23, 2), "mma": (40, 4)}
OF_PAIRS = [r"UTMALDG\.2D\.2CTA", r"UTCHMMA\.2CTA", r"UTCBAR\.2CTA\.MULTICAST"]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--drawloom", required=True)
    options.add_argument("program")
    args = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "pairs.cubin"
        subprocess.run([args.drawloom, "compile", args.program, "--arch", "sm_100a",
                        "--emit", "cubin", "-o", cubin], check=True, capture_output=True)
        instructions, labels = count_sass.disassemble(find_tool("nvdisasm"), cubin)
    loops = count_sass.find_loops(instructions, labels)
    faults = [f"no {form}" for form in OF_PAIRS
              if not any(re.search(form, text) for text in instructions)]
    figures = []
    for role, most in MOST.items():
        found = count_sass.count(instructions, loops, count_sass.ROLES[role])
        if len(found) != 1 or found[0][1] != most[1] or found[0][0] > most[0]:
            faults.append(f"{role}: {found}, and it was {most[0]} with {most[1]}")
        figures += [f"{role} {length}" for length, _ in found]
    for fault in faults:
        print(fault)
    print(f"sass: {', '.join(figures)} instructions for a k-block of a pair, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
