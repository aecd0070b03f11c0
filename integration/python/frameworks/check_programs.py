# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What JAX and torch made of two blocks of models, without either: every stored program
compiles for both architectures, runs, and is within its bounds. check_blocks.py holds
the programs to the frameworks."""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drawloom", type=pathlib.Path, required=True)
    options = parser.parse_args()

    def run(case):
        program, arch = case
        done = subprocess.run(
            [options.drawloom, "run", program, "--arch", arch, "--random", "--compare"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "DRAWLOOM_NO_CACHE": "1"})
        isRight = (done.returncode == 0
                   and "the results match the reference\n" in done.stdout)
        return "" if isRight else f"{program.name} on {arch}:\n{done.stdout}"

    cases = [(program, arch) for program in sorted(PROGRAMS.glob("*.mlir"))
             for arch in ("sm_90a", "sm_100a")]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = list(filter(None, pool.map(run, cases)))
    for one in wrong:
        print(one)
    print(f"frameworks: {len(cases) - len(wrong)} of {len(cases)} programs of JAX and "
          "torch match")
    sys.exit(bool(wrong) or not cases)


if __name__ == "__main__":
    main()
