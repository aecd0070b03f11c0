# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages of kernels through their own Python, on each device. A program prints
`right PACKAGE ENTRY` or `refused PACKAGE ENTRY: WORDS` for each entry point. What one
device refuses counts as refused, even if it is right on the other. Prints
`third-party: N right, R refused by name of M`."""
import argparse
import pathlib
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from check_programs import run

LINE = re.compile(r"^(right|refused|WRONG) (\S+ [^:\n]+)", re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runner", required=True, help="drawloom-run")
    parser.add_argument("--python", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--only", help="names of programs, with commas between")
    parser.add_argument("--at-least", type=int, default=1, help="right ones")
    parser.add_argument("--devices", default="h100,b200")
    parser.add_argument("--timeout", type=int, default=3600)
    options = parser.parse_args()
    options.verb = []
    programs = sorted(file for file in options.folder.glob("*.py")
                      if file.stem != "entries")
    if options.only:
        programs = [file for file in programs if file.stem in options.only.split(",")]
    cases = [(program, device) for program in programs
             for device in options.devices.split(",")]

    def run_case(case):
        with tempfile.TemporaryDirectory() as cache:
            return run(options, *case, cache)

    outcomes, crashed = {}, []
    with ThreadPoolExecutor(2) as pool:
        for (program, device), (code, words, seconds) in zip(
                cases, pool.map(run_case, cases)):
            found = LINE.findall(words)
            print(f"{program.stem} {device}: {len(found)} entry points, exit code "
                  f"{code}, {seconds:.0f} s", flush=True)
            if code or not found:
                crashed.append(program.stem)
                print(words, flush=True)
            for outcome, entry in found:
                outcomes.setdefault(entry, set()).add(outcome)
    kinds = [sorted(kind) for kind in outcomes.values()]
    right = kinds.count(["right"])
    refused = sum("refused" in kind and "WRONG" not in kind for kind in kinds)
    print(f"third-party: {right} right, {refused} refused by name of {len(kinds)}")
    sys.exit(bool(crashed) or right + refused != len(kinds)
             or right < options.at_least)


if __name__ == "__main__":
    main()
