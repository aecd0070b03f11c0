# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as people write them: each is compiled, run on the emulator and
compared with the reference interpreter, element by element within derived bounds.

    check_programs.py --drawloom build/release/bin/drawloom [--folder programs] [--every 6] [--only dit_]

right      it ran, every element is within its bound, and ptxas doesn't spill
spills     the same, but ptxas spills
part       every element that has a bound is within it, and some have none
planning   refused before there is a plan
launch     planned, and refused by the launch: a condition, a size
later      planned, and refused afterwards
bad        a wrong result, a report of the emulator, a crash or a hang

A folder has all programs for both architectures, or a cases.csv that says with
which options each runs and how it must end:

right              right, with spills or without
refused            while planning
right or launch    right, or refused by the launch
any                each of these

Nothing may end 'later' or 'bad'. --at-least so many have to be right, and
--ptx-seconds is the processor time that none of these may need to PTX. With
--orders each runs under so many random orders and every adversarial one,
too; with --protocol that tool compares the PTX of what is right with its plan.
"""

import argparse
import collections
import concurrent.futures
import csv
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

RIGHT = ("right", "spills", "part")
ENDS = (*RIGHT, "planning", "launch", "later", "bad")
MAY_END = {"right": RIGHT, "refused": ("planning",), "right or launch": (*RIGHT, "launch"),
           "any": (*RIGHT, "planning", "launch")}
HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

import part
Case = collections.namedtuple("Case", "program arch options must")


def call(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return None, "no answer in 300 s"


def run(drawloom, case, orders):
    program = case.program
    command = ["--orders", str(orders)] if orders else []
    code, text = call(drawloom, "run", program, "--arch", case.arch, "--random", "--compare",
                      *command, *shlex.split(case.options))
    if code == 0:
        if "elements without one were not compared" in text:
            return "part", text
        return "spills" if "spills registers" in text else "right", text
    planned, refusal = call(drawloom, "explain", program, "--arch", case.arch, "-o", "/dev/null")
    if planned == 3 and program.name in refusal:
        return "planning", refusal
    if planned == 0 and code == 3 and "ran in" not in text and "drawloom: cu" not in text:
        return ("launch" if re.search("^drawloom: ", text, re.M) else "later"), text
    return "bad", text if planned == 0 else refusal


def measure(drawloom, case):
    """Processor seconds from the text to PTX."""
    process = subprocess.Popen([drawloom, "compile", case.program, "--arch", case.arch, "--no-cache",
                                "--emit", "ptx", "-o", "/dev/null"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime


def compare_protocol(tool, case):
    code, text = call(tool, case.program, "--arch", case.arch)
    return text if code else ""


def read_cases(folder):
    if (folder / "cases.csv").exists():
        with (folder / "cases.csv").open(newline="") as file:
            return [Case(folder / f"{row['program']}.mlir", row["arch"], row["options"], row["must"])
                    for row in csv.DictReader(file)]
    return [Case(program, arch, "", "any") for program in sorted(folder.glob("*.mlir"))
            for arch in ("sm_90a", "sm_100a")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--drawloom", required=True)
    parser.add_argument("--folder", default="holdout", help="beside this file")
    parser.add_argument("--only", default="", help="programs with this in their name")
    parser.add_argument("--every", type=int, default=1, help="every n-th program")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--at-least", type=int, default=0, help="fail if fewer are right")
    parser.add_argument("--ptx-seconds", type=float, help="fail if one needs more")
    parser.add_argument("--orders", type=int, default=0, help="random orders for each")
    parser.add_argument("--protocol", help="compare-protocol, to run on what is right")
    part.add_arguments(parser)
    options = parser.parse_args()
    cases = [case for case in read_cases(HERE / options.folder)
             if options.only in case.program.name]
    chosen = sorted({case.program for case in cases})[::options.every]
    cases = options.part.of([case for case in cases if case.program in chosen])
    if options.list:
        for case in cases:
            print(case.program.stem, case.arch, case.options)
        return 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        ends = list(pool.map(lambda case: run(options.drawloom, case, options.orders), cases))
        right = [case for case, (end, _) in zip(cases, ends) if end in RIGHT]
        seconds = []
        if options.ptx_seconds:
            seconds = list(pool.map(lambda case: measure(options.drawloom, case), right))
        differ = []
        if options.protocol:
            differ = list(pool.map(lambda case: compare_protocol(options.protocol, case), right))
    counts = collections.defaultdict(collections.Counter)
    amiss = 0
    for case, (end, text) in zip(cases, ends):
        counts[case.arch][end] += 1
        amiss += end not in MAY_END[case.must]
        if end in RIGHT[1:]:
            print(f"{end}: {case.program.stem} on {case.arch}")
        elif end not in MAY_END[case.must] or end == "planning" and case.must == "any":
            print(f"{end}: {case.program.stem} on {case.arch}: {' '.join(text.split())[:600]}")
    for arch, count in counts.items():
        print(f"{options.folder}, {arch}: " + ", ".join(f"{count[end]} {end}" for end in ENDS))
    slow = [case for case, time in zip(right, seconds) if time > options.ptx_seconds]
    if seconds:
        for case in slow:
            print(f"more than {options.ptx_seconds} s to PTX: {case.program.stem} on {case.arch}")
        print(f"{options.folder}: the slowest takes {max(seconds):.1f} s to PTX")
    refused = len(cases) - len(right) - amiss
    for case, text in zip(right, differ):
        if text:
            print(f"the plan and PTX differ: {case.program.stem} on {case.arch}: "
                  f"{' '.join(text.split())[:600]}")
    if differ:
        print(f"{options.folder}: plan and PTX agree for {differ.count('')} of {len(differ)}")
    print(f"{options.folder}: {len(right)} of {len(right) + amiss} programs are right, "
          f"and {refused} refused as they may be")
    return amiss > 0 or bool(slow) or any(differ) or len(right) < options.at_least


if __name__ == "__main__":
    sys.exit(main())
