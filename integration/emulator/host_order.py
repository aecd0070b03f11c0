# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs about the order of streams and the host under the checker.

Half of them are wrong: each has to be found by the rule that it names, as an
error if the rule is one by default. The others have to come out right, and nothing may be said about them.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from programs import FOLDER, execute, gencode, nvcc

CASES = Path(__file__).parent / "host-order"
# What each is compiled with.
SOURCES = {"streams": (), "host": (), "driver": ("-lcuda",),
           "per_thread": ("--default-stream", "per-thread")}
WARNINGS = {"uninitialized-copy"}


def compile_cases(name: str, stub: Path) -> Path:
    options = ("-cudart", "shared", "-lineinfo", *gencode("90a"), f"-I{FOLDER}", f"-L{stub}",
               *SOURCES[name])
    return nvcc(f"host-order-{name}", [CASES / f"{name}.cu", CASES / "cases.cuh",
                                       FOLDER / "check.cuh"], options)


def check(runner: Path, program: Path, case: str, verdict: str, report: Path) -> bool:
    report.unlink(missing_ok=True)
    done = execute([runner, "--check", "--device", "h100", "--report", report, "--", program, case])
    findings = json.loads(report.read_text())["findings"] if report.exists() else []
    reported = {f["rule"] for f in findings if f["severity"] != "note"}
    if verdict == "right":
        good = not reported and done.returncode == 0 and "Passed" in done.stdout
    else:
        good = reported == {verdict} and "Passed" in done.stdout and \
            done.returncode == (verdict not in WARNINGS)
    print(f"{case:36} {verdict:16} {'as it ought to' if good else 'NOT SO'}", flush=True)
    if not good:
        print("  " + (done.stdout + done.stderr).replace("\n", "\n  "))
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runner", type=Path, required=True, help="drawloom-run")
    parser.add_argument("--libraries", type=Path, required=True, help="the folder of libcuda.so")
    parser.add_argument("cases", nargs="*", help="only these")
    args = parser.parse_args()
    counts = {True: [0, 0], False: [0, 0]}  # Of the right and the wrong ones: good, all.
    with tempfile.TemporaryDirectory() as folder:
        for name in SOURCES:
            program = compile_cases(name, args.libraries)
            listed = execute([args.runner, "--device", "h100", "--", program]).stdout
            for line in listed.splitlines():
                case, verdict = line.split()
                if args.cases and case not in args.cases:
                    continue
                good = check(args.runner, program, case, verdict, Path(folder) / "report.json")
                counts[verdict == "right"][0] += good
                counts[verdict == "right"][1] += 1
    (right, rights), (found, wrongs) = counts[True], counts[False]
    print(f"host-order: {rights + wrongs} programs, {found} of {wrongs} wrong found, "
          f"{rights - right} of {rights} right reported")
    return 0 if (args.cases or (rights >= 15 and wrongs >= 15)) and \
        right == rights and found == wrongs else 1


if __name__ == "__main__":
    sys.exit(main())
