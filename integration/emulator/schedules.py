# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs other compilers' kernels under many schedules: the bits must not change.

A schedule decides which warp runs next and when asynchronous work takes effect. A
kernel that is right gives the same bits under all of them, unless it adds to memory
with atomics; none of these does.
"""

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np
import workers
from cases import CASES, Problem, load_case, make_job, problem_of
from driver import DriverError
from match import compare, read_manifest
from workers import Device

sys.path.append(str(Path(__file__).resolve().parents[1]))
import part

KERNELS = ("cutlass_sm90_bf16_cooperative_bias", "cutlass_sm90_fp16_pingpong_gelu",
           "cutlass_sm90_fp8_streamk", "cutlass_sm100_bf16_1sm", "cutlass_sm100_bf16_2sm_streamk",
           "cutlass_sm100_nvfp4_2sm", "triton_sm90_gemm_specialized", "triton_sm100_gemm_clc",
           "triton_sm100_attention_specialized", "gluon_sm90_wgmma_multicast",
           "gluon_sm90_attention", "gluon_sm100_specialized", "gluon_sm100_clc_2cta",
           "gluon_sm100_mxfp8_2cta", "cutedsl_sm90_bf16_multicast_persistent",
           "cutedsl_sm100_bf16_2cta_multicast_clc", "cutedsl_sm100_fp8_1cta_multicast",
           "cutedsl_sm100_nvfp4_2cta")
# Several tiles, none of them full, and more steps of K than stages.
PROBLEM = Problem(200, 264, 400)
KINDS = ("copy", "bulk", "tensor", "mma", "commit", "remote-store", "launch-control")


def schedules(seeds: int) -> list[str]:
    return [*(f"random:{seed}" for seed in range(seeds)), "timed:0", "timed:1", "adversarial",
            *(f"adversarial:{kind}" for kind in KINDS)]


def run_case(case, driver, path, seeds: int) -> bool:
    start = time.monotonic()
    driver.reset()
    job = make_job(case, load_case(case, driver, path), problem_of(case, PROBLEM))
    os.environ["DRAWLOOM_ORDER"] = "deterministic"
    expected = job.run()
    problems = []
    if compare(job, expected)[1] > 1:
        problems.append("deterministic: beyond the bound")
    for schedule in schedules(seeds):
        os.environ["DRAWLOOM_ORDER"] = schedule
        try:
            if not np.array_equal(job.run(), expected):
                problems.append(f"{schedule}: other bits")
        except DriverError as error:
            problems.append(f"{schedule}: {error}\n    {driver.last_report()}")
            break
    verdict = "identical" if not problems else "; ".join(problems)
    print(f"{case.name:40} {len(schedules(seeds)):4} schedules "
          f"{time.monotonic() - start:7.1f} s  {verdict}", flush=True)
    return not problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    workers.add_arguments(parser)
    parser.add_argument("--manifest", type=Path, required=True,
                        help="where the kernels are, as `utils/peers build` writes it")
    parser.add_argument("--seeds", type=int, default=100, metavar="N")
    part.add_arguments(parser)
    args = parser.parse_args()
    cases = args.part.of([case for case in CASES if case.name in KERNELS])
    if args.list:
        print(*(case.name for case in cases), sep="\n")
        return 0
    if args.device:
        paths = read_manifest(args.manifest)
        driver = args.device.open(args.library)
        good = [run_case(case, driver, paths[case.name], args.seeds)
                for case in cases if Device.of(case) == args.device]
        return 0 if all(good) else 1
    failed = [worker for worker in workers.start(map(Device.of, cases)) if worker.wait()]
    count = len(schedules(args.seeds))
    if not failed:
        print(f"{count} schedules each\nschedules: {len(cases)} kernels, {len(cases) * count} runs: "
              "identical output")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
