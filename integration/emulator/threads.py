# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs other compilers' kernels on several numbers of host threads: the bits and the
counters must not change. Kernels whose clusters meet in global memory (stream-K,
split-K by atomics) and those that take their work by cluster launch control are
among them."""

import argparse
import os
import sys
from pathlib import Path

import numpy as np
import workers
from cases import CASES, Problem, load_case, make_job, problem_of
from driver import DriverError
from match import compare, read_manifest
from workers import Device

THREADS = (1, 2, 4)
# Many clusters, none of them full.
PROBLEM = Problem(1000, 776, 272)
SMS = 64


def run_case(case, driver, path) -> bool:
    driver.reset()
    job = make_job(case, load_case(case, driver, path), problem_of(case, PROBLEM))
    outcomes = []
    for threads in THREADS:
        os.environ["DRAWLOOM_THREADS"] = str(threads)
        try:
            bits = job.run()
        except DriverError as error:
            print(f"{case.name:40} {threads} threads: {error}\n    {driver.last_report()}")
            return False
        outcomes.append((bits.tobytes(), driver.statistics()))
    same = all(outcome == outcomes[0] for outcome in outcomes)
    right = compare(job, np.frombuffer(outcomes[0][0], bits.dtype).reshape(bits.shape))[1] <= 1
    instructions, ctas, operations = outcomes[0][1]
    print(f"{case.name:40} {instructions:9} instructions {ctas:4} CTAs {operations:6} operations  "
          f"{'identical' if same else 'DIFFERENT'}{'' if right else ', beyond the bound'}",
          flush=True)
    return same and right


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    workers.add_arguments(parser)
    parser.add_argument("--manifest", type=Path, required=True,
                        help="where the kernels are, as `utils/peers build` writes it")
    parser.add_argument("names", nargs="*", help="only these kernels")
    args = parser.parse_args()
    cases = [case for case in CASES if not args.names or case.name in args.names]
    if args.device:
        paths = read_manifest(args.manifest)
        driver = args.device.open(args.library)
        good = [run_case(case, driver, paths[case.name])
                for case in cases if Device.of(case, SMS) == args.device]
        return 0 if all(good) else 1
    started = workers.start(Device.of(case, SMS) for case in cases)
    failed = [worker for worker in started if worker.wait()]
    if not failed:
        print(f"threads: {len(cases)} kernels on {', '.join(map(str, THREADS))} host threads: "
              "identical output and counters")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
