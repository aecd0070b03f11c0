# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs other compilers' kernels on the emulator and compares with numpy in f64.

A row for each kernel and problem: the largest error, the largest share that an
error has of its bound (see elements.py), and the seconds of the run. A kernel
matches if no element is beyond its bound on any problem. One that does what PTX doesn't
allow must be reported, and match with what PTX asks for in its place.
"""

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import workers
from cases import CASES, EXTENDED, Problem, load_case, make_job, problem_of
from driver import DriverError
from workers import Device


def compare(job, raw) -> tuple[float, float]:
    """The largest error, and the largest share of a bound."""
    error = np.abs(job.element.decode(raw) - job.expected.values)
    # What isn't a number is beyond any bound.
    error = np.where(np.isnan(error), np.inf, error)
    return error.max(), (error / job.expected.bound).max()


def read_manifest(path: Path, cases=CASES) -> dict[str, Path]:
    """Where the kernels are. All of `cases` must be, and each must have a
    case."""
    paths = {row["name"]: Path(row["path"]) for row in json.loads(path.read_text())}
    names = {case.name for case in cases}
    if missing := names - set(paths):
        sys.exit(f"not in {path}: {', '.join(sorted(missing))}")
    if missing := set(paths) - names:
        sys.exit(f"no case runs {', '.join(sorted(missing))}")
    return paths


def check_report(case, driver, path, problem):
    """Of the kernel as its compiler wrote it."""
    driver.reset()
    try:
        make_job(case, load_case(case, driver, path, fixed=False), problem).run()
    except DriverError:
        if case.fix.report in driver.last_report():
            return
        raise
    raise RuntimeError(f"it isn't reported: {case.fix.report}")


def run_case(case, driver, path, problems) -> bool:
    matches = True
    for problem in problems:
        start = time.monotonic()
        try:
            if case.fix:
                check_report(case, driver, path, problem)
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


def verdict_of(cases) -> str:
    """How many kernels there are, from how many compilers."""
    compilers = [case.name.split("_")[0] for case in cases]
    return f"{len(compilers)} kernels match, from {len(set(compilers))} compilers"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    workers.add_arguments(parser)
    parser.add_argument("--manifest", type=Path, required=True,
                        help="where the kernels are, as `utils/peers build` writes it")
    parser.add_argument("--extended", type=Path, metavar="MANIFEST",
                        help="that of the extended suite, whose kernels run, too")
    parser.add_argument("--at-least", type=int, default=1, metavar="N",
                        help="fail if fewer kernels match")
    parser.add_argument("--problem", metavar="MxNxK", help="instead of the small ones, for kernels that can do any")
    parser.add_argument("names", nargs="*", help="only these kernels")
    args = parser.parse_args()

    cases = [case for case in CASES + (EXTENDED if args.extended else [])
             if not args.names or case.name in args.names]
    if args.device:
        paths = read_manifest(args.manifest)
        if args.extended:
            paths |= read_manifest(args.extended, EXTENDED)
        driver = args.device.open(args.library)
        wanted = Problem(*map(int, args.problem.split("x"))) if args.problem else None
        matched = sum(run_case(case, driver, paths[case.name],
                               [problem_of(case, wanted)] if wanted else case.problems)
                      for case in cases if Device.of(case) == args.device)
        print(f"matched {args.device.arch} {matched}")
        return 0

    print(f"{'kernel':40} {'arch':8} {'dtype':5} {'shape':13} {'worst err':>9} {'bound':>6} "
          f"{'seconds':>7}")
    matched = Counter()
    for worker in workers.start(map(Device.of, cases), stdout=subprocess.PIPE, text=True):
        for line in worker.stdout:
            if line.startswith("matched "):
                _, arch, count = line.split()
                matched[arch] += int(count)
            else:
                print(line, end="", flush=True)
        if worker.wait():
            print(f"a process ended with {worker.returncode}")
            return 1
    for arch in sorted(matched):
        own = [case for case in cases if case.arch == arch]
        print(f"{arch}: {matched[arch]} of {verdict_of(own)}")
    if fixed := [case.name for case in cases if case.fix]:
        print(f"reported as they are, and matching with what PTX asks for: {', '.join(fixed)}")
    print(f"peers: {matched.total()} of {verdict_of(cases)}")
    return 0 if matched.total() == len(cases) and len(cases) >= args.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
