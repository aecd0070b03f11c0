# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`drawloom sweep`, which is `python -m drawloom.sweep`. `drawloom sweep --help` and
docs/Sweep.md have the words."""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import shlex
import sqlite3
import subprocess
import sys
from typing import Sequence

# Exit statuses, as of every verb; 2, for usage, is argparse's.
CLEAN, FINDINGS, FAILED = 0, 1, 3

if sys.version_info < (3, 11):
    print("drawloom: sweeps need Python 3.11, which reads TOML, and this is "
          f"{sys.version.split()[0]}", file=sys.stderr)
    sys.exit(FAILED)

from ._commands import Command
from ._drive import drive
from ._engines import Engine, Local, Ray
from ._report import write_report
from ._spec import Point, SpecError, Sweep, read_sweep, sample
from ._table import Busy, Table
from ._work import FAILURES, VERDICTS, plan, run


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="drawloom sweep", description="Runs kernels with many shapes, schedules, "
        "orders and checks (docs/Sweep.md).")
    parser.add_argument("spec", type=pathlib.Path, metavar="SPEC.toml")
    parser.add_argument("--table", type=pathlib.Path, metavar="FILE",
                        help="results; without it, SPEC.sqlite")
    parser.add_argument("--report", type=pathlib.Path, metavar="FILE",
                        help="a report in HTML; without it, SPEC.html")
    parser.add_argument("--jobs", type=int, metavar="N",
                        default=len(os.sched_getaffinity(0)),
                        help="processes; without it, as many as there are cores")
    parser.add_argument("--ray", nargs="?", const="127.0.0.1:6379", metavar="ADDRESS",
                        help="run on a Ray cluster; without an address, the one of "
                        "this machine at 127.0.0.1:6379")
    parser.add_argument("--sample", type=int, metavar="N",
                        help="N of the points, evenly")
    parser.add_argument("--only", metavar="KEY", help="run the point whose key begins so "
                        "again, here, and tell all about it; the table stays as it is")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER",
                        help="with --only: write the program of the point there")
    parser.add_argument("--value", action="append", default=[], dest="values",
                        metavar="NAME=TEXT", help="for {NAME} in commands, in the place "
                        "of the file's own")
    parser.add_argument("--list", action="store_true",
                        help="print the points and run none")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    options = parser.parse_args(arguments)
    if options.jobs < 1 or (options.sample is not None and options.sample < 1):
        parser.error("--jobs and --sample take a number from 1 on")
    if not all("=" in value for value in options.values):
        parser.error("--value takes NAME=TEXT")
    if options.keep and not options.only:
        parser.error("--keep goes with --only")
    options.table = options.table or options.spec.with_suffix(".sqlite")
    options.report = options.report or options.spec.with_suffix(".html")
    return options


def command_of(options: argparse.Namespace) -> str:
    """That has the same points."""
    return shlex.join(["drawloom", "sweep", str(options.spec), *(
        word for value in options.values for word in ("--value", value))])


def describe(point: Point, sweep: Sweep) -> str:
    """In a line."""
    one = sweep.configurations[point.configuration]
    if one.command:
        return f"{one.program}, part {point.part}"
    return ", ".join(filter(None, (
        one.program + (f" @{one.kernel}" if one.kernel else ""), one.arch,
        point.device, f"{point.sms} SMs" if point.sms else "", one.schedule, point.shape,
        point.order, f"seed {point.seed}", point.checks)))


def repeat_part(command: Command, part: str) -> int:
    """Here, with all that it prints."""
    words = command.of(part)
    print(f"cd {shlex.quote(command.folder)} && {shlex.join(words)}", flush=True)
    code = subprocess.run(words, cwd=command.folder).returncode
    print(f"exit status {code}" if code else "passed")
    return FINDINGS if code else CLEAN


def repeat(sweep: Sweep, key: str, folder: pathlib.Path | None) -> int:
    """One point, here, with all that is known about it."""
    found = [point for point in sweep.points if point.key.startswith(key)]
    if len(found) != 1:
        raise SpecError(f"{len(found)} points of the sweep have keys that begin with "
                        f"'{key}'" + ("; give more of it" if found else
                                      f": the spec, or drawloom {sweep.build}, is "
                                      "another one than when the point ran"))
    point, = found
    one = sweep.configurations[point.configuration]
    print(f"{point.key}: {describe(point, sweep)}", flush=True)
    if one.command:
        return repeat_part(one.command, point.part)
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{point.key}.mlir"
        file.write_text(one.text)
        print(f"program: {file}")
    row = plan(one)
    message = row.message if not row.fits else sweep.budget.over(row)
    if message:
        print(f"pruned: {message}")
        return CLEAN
    print(f"plan: {row.threads} threads, {row.registers} registers at entry, "
          f"{row.shared_bytes} bytes of shared memory, {row.tensor_columns or 0} columns of "
          f"tensor memory, in {row.milliseconds:.0f} ms")
    result = run(point, one)
    print(f"compiled in {result.compile_ms:.0f} ms, ran in {result.run_ms:.0f} ms")
    print(f"outputs: {result.outputs or 'none'}")
    for output in json.loads(result.comparisons):
        print(f"{output['name']}: {output['out_of_bound']} of {output['elements']} elements "
              f"beyond their bounds; the largest error is {output['largest_error']:.3g}, "
              f"its bound {output['bound']:.3g}")
    for finding in json.loads(result.findings):
        print(json.dumps(finding, indent=1))
    print(f"{result.verdict}{': ' if result.message else ''}{result.message}")
    return FINDINGS if result.verdict in FAILURES else CLEAN


def summarize(table: Table, options: argparse.Namespace) -> int:
    verdicts = table.verdicts()
    total, = table.database.execute("SELECT count(*) FROM points").fetchone()
    print(", ".join(f"{verdicts[name]} {name}" for name in VERDICTS if name in verdicts)
          + f", of {total} points")
    for one in table.commands():
        print(f"{one.name}: {one.message or f'{one.passed} of {one.parts} parts passed'}")
    failures = [name for name in FAILURES if name in verdicts]
    marks = ", ".join("?" * len(failures))
    for key, verdict, program, arch, count, message in table.database.execute(
            "SELECT key, verdict, program, arch, count(*), message FROM sweep "
            f"WHERE verdict IN ({marks}) GROUP BY verdict, program, arch "
            "ORDER BY min(number) LIMIT 10", failures):
        print(f"{verdict}: {program}{arch and f' for {arch}'}, {count} point{'s' if count > 1 else ''}: "
              f"{message.splitlines()[0]}\n  "
              f"{command_of(options)} --only {key}")
    print(f"table: {options.table}\nreport: {options.report}")
    if failures:
        return FINDINGS
    return CLEAN if sum(verdicts.values()) == total else FAILED


def sweep_all(sweep: Sweep, options: argparse.Namespace) -> int:
    table = Table(options.table)
    try:
        table.start(sweep, command_of(options))
        engine: Engine = Ray(options.ray) if options.ray else Local(options.jobs)
        try:
            print(drive(sweep, table, engine, options.quiet))
        finally:
            engine.close()
        write_report(table, options.report)
        return summarize(table, options)
    finally:
        table.close()


def main(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    try:
        sweep = read_sweep(options.spec, dict(
            value.split("=", 1) for value in options.values))
        if options.only:
            return repeat(sweep, options.only, options.keep)
        if options.sample:
            sweep = sample(sweep, options.sample)
        if options.list:
            for point in sweep.points:
                print(point.key, describe(point, sweep))
            return CLEAN
        return sweep_all(sweep, options)
    except (SpecError, Busy, RuntimeError, OSError, sqlite3.Error) as error:
        print(f"drawloom: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("\ndrawloom: stopped; the same command goes on from here",
              file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
