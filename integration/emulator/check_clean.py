# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels and programs that are right under the checker: peers' and ours.

Each runs under three schedules; --only is one suite of ours, of which --part runs some,
or `peers`: all that is no suite. What is found has to be explained: docs/BugsInTheWild.md
has a row for the rule and for whose kernels it is about, of an error among the bugs.
A finding without a row fails.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

import part

PYTHON = HERE.parent / "python"
FINDINGS = HERE.parents[1] / "docs" / "BugsInTheWild.md"
ROW = re.compile(r"^\| `([a-z-]+)` \| ([a-z0-9, ]+) \|", re.M)
SUITES = ("gemm", "dynamic", "clusters", "graphs", "examples", "breadth")
# The adversarial one holds commits back until a CTA has exited, and the emulator reports
# that: docs/BugsInTheWild.md has the kernel.
SCHEDULES = ("deterministic", "random:1", "random:2")
# "peers: 76 of 76 kernels match", "programs: 18 of 18 do what they ought to"
COUNT = re.compile(r": (\d+) of (\d+) ")


def family_of(finding: dict) -> str:
    """Whose kernel it is."""
    if match := re.search(r"(?:kernels|python)/([a-z]+)/", finding["first"].get("file", "")):
        return match[1]
    for family in ("cutedsl", "cutlass", "cub::"):
        if family in finding["kernel"]:
            return family.strip(":")
    # These have no lines of a source.
    if re.match(r"SM100_kind_|sm90_matmul_", finding["kernel"]):
        return "mojo"
    if finding["kernel"] in ("gemm_kernel", "attention_kernel"):
        return "tilelang"
    return "drawloom"


def read_rows() -> dict[str, set[tuple[str, str]]]:
    """By severity: the rules and families that docs/BugsInTheWild.md has a row for."""
    bugs, warnings = FINDINGS.read_text().split("\n## Warnings in released kernels\n")
    warnings = warnings.split("\n## ")[0]
    return {severity: {(rule, family.strip()) for rule, families in ROW.findall(text)
                       for family in families.split(",")}
            for severity, text in (("warning", warnings), ("error", bugs))}


def run(command: list, folder: Path, schedule: str) -> tuple[int, list[dict]]:
    """The kernels or programs that ran, from the last line, and what was found."""
    environment = os.environ | {"DRAWLOOM_CHECK": "default", "DRAWLOOM_ORDER": schedule,
                                "DRAWLOOM_CHECK_REPORT": str(folder / "%p.json")}
    done = subprocess.run(list(map(str, command)), env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    count = COUNT.search((done.stdout.splitlines() or [""])[-1] + " ")
    if done.returncode or not count or count[1] != count[2]:
        sys.exit(f"{done.stdout}{done.stderr}\n{command}: ended with {done.returncode}")
    found = []
    for report in folder.glob("*.json"):
        found += json.loads(report.read_text())["findings"]
        report.unlink()
    return int(count[1]), found


def commands_of(args: argparse.Namespace) -> list[list]:
    if args.only in SUITES:
        return [[args.suite, "--jobs", args.jobs, args.only, "--every", args.every,
                 "--part", args.part]]
    match = [sys.executable, HERE / "match.py", "--library", args.library,
             "--manifest", args.manifest]
    if args.extended:
        match += ["--extended", args.extended]
    suites = [] if args.only else [[args.suite, name, "--every", args.every]
                                   for name in SUITES]
    if not args.runner:
        return [match, *suites]
    programs = [[sys.executable, HERE / "programs.py", "--suite", suite, "--runner", args.runner]
                for suite in ("core", "toolkit")]
    python = [[sys.executable, PYTHON / "check_programs.py", "--runner", args.runner,
               "--python", sys.executable, "--folder", PYTHON / folder]
              for folder in ("driver", "triton")]
    written = [sys.executable, HERE.parent / "breadth" / "check_programs.py", "--drawloom",
               args.drawloom, "--folder", "programs"]
    return [match, *suites, written, *programs, *python]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", help="the emulator's libcuda.so.1")
    parser.add_argument("--manifest", help="of the peers' kernels")
    parser.add_argument("--extended", help="manifest of the peers' extended suite")
    parser.add_argument("--suite", required=True, help="drawloom-suite")
    parser.add_argument("--only", choices=(*SUITES, "peers"))
    parser.add_argument("--jobs", type=int, default=2, help="processes, with --only SUITE")
    parser.add_argument("--drawloom", help="for programs as people write them")
    parser.add_argument("--every", type=int, default=1, help="every n-th case of the suite")
    parser.add_argument("--runner", help="drawloom-run, for programs with their own host code")
    part.add_arguments(parser)
    args = parser.parse_args()
    if args.only not in SUITES and not (args.library and args.manifest):
        parser.error("peers' kernels need --library and --manifest")
    if args.only not in SUITES and (args.list or args.part.count > 1):
        parser.error("parts are those of a suite: --only")
    if args.list:
        return subprocess.run([*map(str, commands_of(args)[0]), "--list"]).returncode

    explained = read_rows()
    kernels, found = 0, {}
    with tempfile.TemporaryDirectory() as folder:
        for schedule in SCHEDULES:
            ran = 0
            for command in commands_of(args):
                count, findings = run(command, Path(folder), schedule)
                ran += count
                for finding in findings:
                    key = (finding["rule"], finding["kernel"], finding["first"]["ptxLine"],
                           finding.get("second", finding["first"])["ptxLine"])
                    found.setdefault(key, finding)
            kernels = max(kernels, ran)
    counts = Counter((finding["severity"], finding["rule"], family_of(finding))
                     for finding in found.values())
    unexplained = 0
    for (severity, rule, family), count in sorted(counts.items()):
        if severity == "note":
            continue
        known = (rule, family) in explained[severity]
        unexplained += not known
        print(f"{severity:8} {rule:28} {family:9} {count:4}{'' if known else '  not explained'}")
    for finding in found.values():
        rows = explained.get(finding["severity"])
        if rows is not None and (finding["rule"], family_of(finding)) not in rows:
            print(json.dumps(finding, indent=2))
    total = Counter(finding["severity"] for finding in found.values())
    print(f"check-clean: {kernels} kernels, {total['error']} errors, {total['warning']} warnings, "
          f"{'all explained' if not unexplained else f'{unexplained} kinds not explained'}")
    return int(bool(unexplained))


if __name__ == "__main__":
    sys.exit(main())
