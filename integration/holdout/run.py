# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs under the checker that were written before it saw them.

    run.py --drawloom build/release/bin/drawloom --work DIR [--jobs 2] [NAME ...]
    run.py --work DIR --build-only

bugs/   one bug each: a data race, undefined behavior or a deadlock in every
        execution. Found by default, with one of more schedules, or not at all.
        With FIXED=1 the same program is right.
clean/  programs that are right and look suspicious.

A bug is found if the report has a finding of severity error, or if the
emulator ends the run with a message. A right program is silent if nothing of
severity error or warning is in the report and it says PASS.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
DEVICES = {"90a": "h100", "100a": "b200"}
SCHEDULES = ("random:1", "random:2", "random:3", "adversarial")
# What stops a kernel; a program that can't run for another reason is not a bug found.
STOPPED = re.compile(r"deadlock|out of bounds|outside|misaligned|illegal|cudaError"
                     r"(IllegalAddress|MisalignedAddress|LaunchFailure|LaunchTimeout)", re.I)


@dataclass(frozen=True)
class Program:
    source: Path
    fixed: bool

    @property
    def name(self) -> str:
        return f"{self.source.parent.name}/{self.source.stem}"

    @property
    def arch(self) -> str:
        found = re.search(r"^// arch: sm_(\w+)", self.source.read_text(), re.M)
        return found[1] if found else "90a"

    def binary(self, work: Path) -> Path:
        return work / self.source.parent.name / (self.source.stem + ("-fixed" if self.fixed else ""))


@dataclass(frozen=True)
class Run:
    severities: frozenset[str]
    rules: frozenset[str]
    output: str
    code: int | None  # None if it took too long.

    @property
    def found(self) -> bool:
        return "error" in self.severities or \
            (self.code not in (0, None) and STOPPED.search(self.output) is not None)

    @property
    def silent(self) -> bool:
        return self.code == 0 and not self.severities & {"error", "warning"} and \
            re.search(r"^PASS$", self.output, re.M) is not None

    def __str__(self) -> str:
        if self.rules:
            return ", ".join(sorted(self.rules))
        lines = self.output.strip().splitlines() or ["nothing printed"]
        return "time limit" if self.code is None else f"exit code {self.code}: {lines[-1]}"


def build(program: Program, work: Path) -> str:
    """Returns what nvcc says if it fails."""
    binary = program.binary(work)
    headers = [FOLDER / "common.h", FOLDER / "tensor.h"]
    if binary.exists() and all(binary.stat().st_mtime > file.stat().st_mtime
                               for file in (program.source, *headers)):
        return ""
    binary.parent.mkdir(parents=True, exist_ok=True)
    arch = program.arch
    done = subprocess.run(
        ["nvcc", "-std=c++17", "-cudart", "shared", "-lineinfo", f"-DFIXED={int(program.fixed)}",
         "-gencode", f"arch=compute_{arch},code=[sm_{arch},compute_{arch}]",
         "-o", binary, program.source], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def execute(program: Program, args: argparse.Namespace, *options: str) -> Run:
    binary = program.binary(args.work)
    report = binary.with_name(binary.name + ".json")
    report.unlink(missing_ok=True)
    # A program that polls forever ends at the limit, and isn't found by that.
    command = [args.drawloom, "run", "--check", "--device", DEVICES[program.arch],
               "--step-limit", "20000000", "--report", report, *options, "--", binary]
    done = subprocess.run(command, capture_output=True, text=True, timeout=args.timeout)
    output, code = done.stdout + done.stderr, done.returncode
    findings = json.loads(report.read_text())["findings"] if report.exists() else []
    reported = [f for f in findings if f["severity"] in ("error", "warning")]
    return Run(frozenset(f["severity"] for f in reported), frozenset(f["rule"] for f in reported),
               output, code)


def judge(program: Program, args: argparse.Namespace) -> tuple[str, str]:
    """Of a bug "default", "schedules" or "missed", of a right program "silent" or "not silent"; and why."""
    run = execute(program, args)
    if program.fixed or program.source.parent.name == "clean":
        return ("silent", "") if run.silent else ("not silent", str(run))
    if run.found:
        return "default", str(run)
    for schedule in SCHEDULES:
        other = execute(program, args, "--order", schedule)
        if other.found:
            return "schedules", f"{schedule}: {other}"
    return "missed", str(run)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drawloom", type=Path, help="the tool")
    parser.add_argument("--work", type=Path, required=True, help="where programs are built")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    parser.add_argument("--timeout", type=int, default=120, help="seconds for one run")
    parser.add_argument("--misses", nargs="*", default=[],
                        help="the bugs that are known not to be found; others fail")
    parser.add_argument("names", nargs="*", help="only programs whose name has one of these")
    args = parser.parse_args()
    if not args.build_only and not args.drawloom:
        parser.error("--drawloom is needed to run them")
    args.work = args.work.resolve()

    def listed(kind: str, *forms: bool) -> list[Program]:
        sources = sorted((FOLDER / kind).glob("*.cu"))
        return [Program(source, fixed) for fixed in forms for source in sources
                if not args.names or any(name in f"{kind}/{source.stem}" for name in args.names)]

    programs = listed("bugs", False, True) + listed("clean", False)
    with ThreadPoolExecutor(args.jobs) as pool:
        said = list(pool.map(lambda program: build(program, args.work), programs))
        for program, text in zip(programs, said):
            if text:
                print(f"{program.name}{' fixed' if program.fixed else ''}: does not compile\n{text}")
        if any(said) or args.build_only:
            print(f"hold-out: {len(programs) - sum(map(bool, said))} of {len(programs)} programs built")
            return int(any(said))
        outcomes = []
        for program, outcome in zip(programs, pool.map(lambda p: judge(p, args), programs)):
            print(f"{program.name:52} {'fixed' if program.fixed else '':5} {outcome[0]:10} {outcome[1]}", flush=True)
            outcomes.append((program, outcome[0]))

    def count(kind: str, fixed: bool, *wanted: str) -> int:
        return sum(program.source.parent.name == kind and program.fixed == fixed and
                   (not wanted or outcome in wanted) for program, outcome in outcomes)

    bugs, clean = count("bugs", False), count("clean", False)
    errors, more = count("bugs", False, "default"), count("bugs", False, "default", "schedules")
    fixed, silent = count("bugs", True, "silent"), count("clean", False, "silent")
    print(f"hold-out: {bugs} bugs, {errors} errors by default, {more} with more schedules, "
          f"{fixed} of {bugs} fixed silent, {silent} of {clean} clean silent")
    missed = {program.source.stem[:2] for program, outcome in outcomes if outcome == "missed"}
    if missed != set(args.misses):
        print(f"missed: {' '.join(sorted(missed))}; known: {' '.join(args.misses)}")
    return int(missed != set(args.misses) or fixed < bugs or silent < clean)


if __name__ == "__main__":
    sys.exit(main())
