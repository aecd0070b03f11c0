# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what ptxas makes of the loops of a program that baseline.csv doesn't have.

    check_loops.py --drawloom build/release/bin/drawloom --arch sm_100a
        --load 23/2 --mma 33/4 [--form REGEX ...] [--without REGEX ...]
        [--not-in-loops REGEX] PROGRAM.mlir

Counts the SASS instructions of the loops along K, and the copies and MMAs
among them. Neither loop may get longer than it was, and there is one of each: ptxas
makes a second one where it takes the lanes of a warp to be apart. The code must have
an instruction of each form, none of those that it has to be without, and these
loops none that --not-in-loops describes.
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


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--drawloom", required=True)
    options.add_argument("--arch", required=True)
    for name in ("form", "without"):
        options.add_argument(f"--{name}", action="append", default=[], metavar="REGEX")
    options.add_argument("--not-in-loops", metavar="REGEX")
    for role in ("load", "mma"):
        options.add_argument(f"--{role}", required=True, metavar="INSTRUCTIONS/COUNT")
    options.add_argument("program")
    args = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "program.cubin"
        subprocess.run([args.drawloom, "compile", args.program, "--arch", args.arch,
                        "--emit", "cubin", "-o", cubin], check=True, capture_output=True)
        instructions, labels = count_sass.disassemble(find_tool("nvdisasm"), cubin)
    loops = count_sass.find_loops(instructions, labels)
    errors = [f"no {form}" for form in args.form
              if not any(re.search(form, text) for text in instructions)]
    errors += [text for form in args.without for text in instructions if re.search(form, text)]
    figures, inside = [], []
    for role in ("load", "mma"):
        found = count_sass.count(instructions, loops, count_sass.ROLES[role])
        most, count = map(int, getattr(args, role).split("/"))
        if len(found) != 1 or found[0][1] != count or found[0][0] > most:
            errors.append(f"{role}: {found}, and it was {most} with {count}")
        figures += [f"{role} {length}" for length, _ in found]
        of_role = count_sass.find_loops_of(instructions, loops, count_sass.ROLES[role])
        inside += [f"{role}: {instructions[at]}" for loop in of_role for at in loop
                   if args.not_in_loops and re.search(args.not_in_loops, instructions[at])]
    errors += inside
    if args.not_in_loops:
        print(f"sass: {len(inside)} of {args.not_in_loops} in loops")
    for error in errors:
        print(error)
    print(f"sass: {', '.join(figures)} instructions, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
