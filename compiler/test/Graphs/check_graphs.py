# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs with the reference interpreter when their operations belong to
roles, and when the roles and pipes exist, and compares the bits.

    check_graphs.py --tools build/release/bin --programs examples/*.mlir [--every 4]

What assign-roles leaves behind is still a tile program, so form-pipes alone is
held to it, without any tolerance: with every way to specialize, with the
default slots and with one slot of each pipe, and in several orders of the
roles. `--every 4` takes one in four of the targets and schedules, others for
the next program.
"""

import argparse
import itertools
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Interpreter"))
from check_passes import PROGRAMS, Program, differ, interpret, transform  # noqa: E402

TARGETS = ["sm_90a", "sm_100a"]
SCHEDULES = [{"roles": "multi"}, {"roles": "single"}, {"roles": "none"},
             {"roles": "multi", "slots": "{operands = 1, result = 1, middle = 1, output = 1}"}]
SEEDS = [None, 1, 2]


def check(program, tools, folder, first, every):
    """How many results were compared, and what is different."""
    runs, errors = 0, []
    schedules = itertools.product(TARGETS, SCHEDULES)
    for target, schedule in itertools.islice(schedules, first, None, every):
        files = []
        for number, passes in enumerate(["assign-roles", "assign-roles,form-pipes"]):
            file, error = transform(tools / "drawloom-opt", program, passes, target, schedule,
                                    folder, number)
            if error:
                errors.append(f"{target}, {schedule}: {error}")
            files.append(file)
        if errors:
            continue
        for case in PROGRAMS[program.name]:
            arguments = program.make_arguments(case)
            kinds = [k for a, k in zip(arguments, program.kinds) if isinstance(a, np.ndarray)]
            assigned, formed = files
            wanted = interpret(tools / "tile-interpret", assigned, arguments, folder)
            for seed in SEEDS:
                runs += 1
                result = interpret(tools / "tile-interpret", formed, arguments, folder, seed)
                if difference := differ(wanted, result, kinds):
                    errors.append(f"{target}, {schedule}, {case}, seed {seed}: {difference}")
    return runs, errors


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("--programs", type=Path, nargs="+", required=True)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()

    total = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, path in enumerate(options.programs):
            runs, errors = check(Program(path), options.tools, folder, number % options.every,
                                 options.every)
            for error in errors:
                print(f"{path.stem}, {error}")
            total += runs
            failures += len(errors)
    print(f"graphs: {len(options.programs)} programs, {total} comparisons, {failures} failures")
    return bool(failures) or not total


if __name__ == "__main__":
    sys.exit(main())
