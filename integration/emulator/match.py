# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs other compilers' kernels on the emulator and compares with numpy in f64.

A row for each kernel and problem: the largest error, the largest share that an
error has of its bound (see elements.py), and the seconds of the run. A kernel
matches if no element is beyond its bound on any problem.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from driver import Driver, DriverError
from cases import CASES, EXTENDED, Problem, load_case, make_job

DEVICES = {"sm_90a": "h100", "sm_100a": "b200"}


def compare(job, raw) -> tuple[float, float]:
    """The largest error, and the largest share of a bound."""
    error = np.abs(job.element.decode(raw) - job.expected.values)
    # What isn't a number is beyond any bound.
    error = np.where(np.isnan(error), np.inf, error)
    return error.max(), (error / job.expected.bound).max()


def read_manifest(path: Path, cases=CASES) -> dict[str, Path]:
    """Where the kernels are. All of `cases` must be."""
    paths = {row["name"]: Path(row["path"]) for row in json.loads(path.read_text())}
    if missing := [case.name for case in cases if case.name not in paths]:
        sys.exit(f"not in {path}: {', '.join(missing)}")
    return paths


def run_case(case, driver, path, problems) -> bool:
    matches = True
    for problem in problems:
        start = time.monotonic()
        try:
            driver.reset()
            job = make_job(case, load_case(case, driver, path), problem)
            start = time.monotonic()
            worst, share = compare(job, job.run())
            verdict = "" if share <= 1 else "  beyond the bound"
        except (DriverError, RuntimeError, ValueError) as error:
            worst, share = np.nan, np.inf
            report = driver.last_report() if isinstance(error, DriverError) else ""
            verdict = f"  {error}\n    {report}"
        matches &= share <= 1
        print(f"{case.name:40} {case.arch:8} {case.element:5} {str(problem):13} {worst:9.2e} "
              f"{share:6.1%} {time.monotonic() - start:7.2f}{verdict}", flush=True)
    return matches


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="the emulator's libcuda.so.1")
    parser.add_argument("--manifest", type=Path, required=True,
                        help="where the kernels are, as `utils/peers build` writes it")
    parser.add_argument("--extended", type=Path, metavar="MANIFEST",
                        help="that of the extended suite, whose kernels run, too")
    parser.add_argument("--at-least", type=int, default=1, metavar="N",
                        help="fail if fewer kernels match")
    parser.add_argument("--problem", metavar="MxNxK", help="instead of the small ones")
    parser.add_argument("--arch", choices=DEVICES, help="only this one, in this process")
    parser.add_argument("names", nargs="*", help="only these kernels")
    args = parser.parse_args()

    cases = [case for case in CASES + (EXTENDED if args.extended else [])
             if not args.names or case.name in args.names]
    if args.arch:
        paths = read_manifest(args.manifest)
        if args.extended:
            paths |= read_manifest(args.extended, EXTENDED)
        driver = Driver(args.library, DEVICES[args.arch])
        problems = [Problem(*map(int, args.problem.split("x")))] if args.problem else None
        matched = sum(run_case(case, driver, paths[case.name], problems or case.problems)
                      for case in cases if case.arch == args.arch)
        print(f"matched {matched}")
        return 0

    # A process has one device, so there is one for each architecture.
    print(f"{'kernel':40} {'arch':8} {'dtype':5} {'shape':13} {'worst err':>9} {'bound':>6} "
          f"{'seconds':>7}")
    workers = [subprocess.Popen([sys.executable, __file__, *sys.argv[1:], "--arch", arch],
                                stdout=subprocess.PIPE, text=True)
               for arch in DEVICES if any(case.arch == arch for case in cases)]
    matched = 0
    for worker in workers:
        for line in worker.stdout:
            if line.startswith("matched "):
                matched += int(line.split()[1])
            else:
                print(line, end="", flush=True)
        if worker.wait():
            print(f"a process ended with {worker.returncode}")
            return 1
    compilers = len({case.name.split("_")[0] for case in cases})
    print(f"peers: {matched} of {len(cases)} kernels match, from {compilers} compilers")
    return 0 if matched == len(cases) and matched >= args.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
