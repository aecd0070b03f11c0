# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in linalg as people write them: each is compiled for both
architectures, run on the emulator and compared with the reference interpreter,
element by element within derived bounds.

    check_programs.py --drawloom build/release/bin/drawloom [--every 6] [--only dit_] [--at-least 100]

right      it ran, every element is within its bound, and ptxas doesn't spill
spills     the same, but ptxas spills
part       every element that has a bound is within it, and some have none
planning   refused before there is a plan
later      planned, and refused afterwards
bad        a wrong result, a report of the emulator, a crash or a hang

Nothing may end 'later' or 'bad', and --at-least so many have to be right, with
spills or without.
"""

import argparse
import collections
import concurrent.futures
import subprocess
import sys
from pathlib import Path

ENDS = ("right", "spills", "part", "planning", "later", "bad")
FOLDER = Path(__file__).resolve().parent / "holdout"


def call(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return None, "no answer in 300 s"


def run(drawloom, program, arch):
    code, text = call(drawloom, "run", program, "--arch", arch, "--random", "--compare")
    if code == 0:
        if "elements without one were not compared" in text:
            return "part", text
        return "spills" if "spills registers" in text else "right", text
    planned, refusal = call(drawloom, "explain", program, "--arch", arch, "-o", "/dev/null")
    if planned == 1 and f"{program.name}:" in refusal:
        return "planning", refusal
    if planned == 0 and code == 1 and "ran in" not in text and "drawloom: cu" not in text:
        return "later", text
    return "bad", text if planned == 0 else refusal


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--drawloom", required=True)
    parser.add_argument("--arch", nargs="+", default=["sm_90a", "sm_100a"])
    parser.add_argument("--only", default="", help="programs with this in their name")
    parser.add_argument("--every", type=int, default=1, help="every n-th of them")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--at-least", type=int, default=0, help="fail if fewer are right")
    options = parser.parse_args()
    programs = [p for p in sorted(FOLDER.glob("*.mlir")) if options.only in p.name][::options.every]
    cases = [(program, arch) for program in programs for arch in options.arch]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        ends = list(pool.map(lambda case: run(options.drawloom, *case), cases))
    counts = {arch: collections.Counter() for arch in options.arch}
    for (program, arch), (end, text) in zip(cases, ends):
        counts[arch][end] += 1
        if end in ("spills", "part"):
            print(f"{end}: {program.stem} on {arch}")
        elif end != "right":
            print(f"{end}: {program.stem} on {arch}: {' '.join(text.split())[:600]}")
    for arch, count in counts.items():
        print(f"hold-out, {arch}: " + ", ".join(f"{count[end]} {end}" for end in ENDS))
    right = sum(count["right"] + count["spills"] for count in counts.values())
    print(f"hold-out: {right} of {len(cases)} programs are right")
    return right < options.at_least or any(count["later"] + count["bad"] for count in counts.values())


if __name__ == "__main__":
    sys.exit(main())
