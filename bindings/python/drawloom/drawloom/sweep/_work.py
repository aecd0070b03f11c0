# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a worker does: it plans configurations and runs points, batch by batch.

A batch has the texts of its programs in it, so a worker needs the wheel and nothing
else. Kernels stay loaded from batch to batch, and what was compiled once comes from the
cache, in this process, on this host, or in a store that hosts share (docs/Cache.md).
"""
from __future__ import annotations

import collections
import hashlib
import json
import os
import re
import signal
import socket
import time
from typing import NamedTuple, Union

import drawloom

from ._commands import run_part
from ._spec import Configuration, Point, build, read_checks, read_shape
from ._table import PlanRow, ResultRow

#: Kernels that a process keeps.
KEPT = 64
#: What is wrong with a point, from the worst on; the others are not failures.
FAILURES = ("crashed", "failed", "wrong", "races", "unjudged")
VERDICTS = (*FAILURES, "refused", "pruned", "passed")

Job = Union[Configuration, Point]
Row = Union[PlanRow, ResultRow]


class Batch(NamedTuple):
    build: str  #: Of the driver; a worker with another one refuses.
    configurations: dict[str, Configuration]  #: Of the points.
    jobs: list[Job]
    seconds: float


class Answer(NamedTuple):
    rows: list[Row]
    seconds: float  #: That the worker was busy.


_kernels: collections.OrderedDict[str, drawloom.Kernel] = collections.OrderedDict()


def _kernel(configuration: Configuration) -> drawloom.Kernel:
    kernel = _kernels.get(configuration.key)
    if kernel is None:
        kernel = drawloom.compile(_program(configuration), configuration.arch,
                                  kernel=configuration.kernel,
                                  name=configuration.program)
        _kernels[configuration.key] = kernel
        while len(_kernels) > KEPT:
            _kernels.popitem(last=False)
    _kernels.move_to_end(configuration.key)
    return kernel


def _program(configuration: Configuration) -> str:
    # A text has a line break in it; a path has none.
    return configuration.text + "\n"


def plan(configuration: Configuration) -> PlanRow:
    """Plans it, which makes no code."""
    start = time.perf_counter()

    def refused(message: str) -> PlanRow:
        return PlanRow(configuration.key, 0, message, None, None, None, None, "",
                       1e3 * (time.perf_counter() - start))
    if configuration.reason:
        return refused(configuration.reason)
    try:
        made = drawloom.plan(_program(configuration), configuration.arch,
                             kernel=configuration.kernel,
                             name=configuration.program).json()
    except drawloom.Error as error:
        return refused(str(error))
    return PlanRow(configuration.key, 1, "", made.get("threads"),
                   made.get("entryRegisters"), made.get("sharedBytes"),
                   made.get("tensorColumns"), json.dumps(made),
                   1e3 * (time.perf_counter() - start))


def _describe(finding: drawloom.Finding) -> str:
    """With the places of both accesses, as the program has them."""
    places = [" ".join(filter(None, (
        one.get("role"), one.get("access"),
        f"at {one['file']}:{one['line']}" if one.get("file") else "")))
        for one in (finding.first, finding.second)]
    return ": ".join(filter(None, (" and ".join(filter(None, places)), str(finding))))


def _judge(trial: drawloom.Trial) -> tuple[str, str]:
    beyond = [one for one in trial.comparisons if one.out_of_bound]
    if beyond:
        return "wrong", "; ".join(one.first for one in beyond)
    races = {_describe(one) for one in trial.findings if one.severity == "error"}
    if races:
        return "races", "\n".join(sorted(races))
    unjudged = [one.name for one in trial.comparisons if not one.matches]
    if unjudged:
        return "unjudged", (f"no element of {', '.join(unjudged)} has a bound, so there "
                            "is nothing to compare with")
    return "passed", ""


def run(point: Point, configuration: Configuration) -> ResultRow:
    """Compiles it, if that isn't done, runs and judges it."""
    where = f"{socket.gethostname()}:{os.getpid()}"
    start = time.perf_counter()
    try:
        kernel = _kernel(configuration)
    except drawloom.Error as error:
        # What was planned compiles, or something is wrong with the compiler.
        return ResultRow(point.key, "failed", str(error), worker=where,
                         compile_ms=1e3 * (time.perf_counter() - start))
    compiled = time.perf_counter()
    try:
        trial = kernel.trial(point.seed, read_shape(point.shape),
                             device=point.device or None, sms=point.sms,
                             order=point.order, **read_checks(point.checks))
    except drawloom.Error as error:
        # The device's errors have the names of the driver's functions, and those of the
        # program a place in it. All others are about a launch with these sizes.
        failed = error.messages[0].file or re.match(r"cu[A-Z]", str(error))
        return ResultRow(point.key, "failed" if failed else "refused", str(error),
                         compile_ms=1e3 * (compiled - start), worker=where,
                         run_ms=1e3 * (time.perf_counter() - compiled))
    ended = time.perf_counter()
    outputs = hashlib.sha256()
    for one in trial.outputs:
        outputs.update(f"{one.name} {one.element} {one.shape} ".encode() + one.data)
    verdict, message = _judge(trial)
    return ResultRow(
        point.key, verdict, message, outputs.hexdigest(),
        json.dumps([one._asdict() for one in trial.findings]),
        json.dumps([one._asdict() for one in trial.comparisons]),
        1e3 * (compiled - start), 1e3 * (ended - compiled), where)


def run_command(point: Point, configuration: Configuration) -> ResultRow:
    """A part of a command, which has a limit of its own."""
    assert configuration.command
    start = time.perf_counter()
    verdict, message = run_part(configuration.command, point.part)
    return ResultRow(point.key, verdict, message,
                     run_ms=1e3 * (time.perf_counter() - start),
                     worker=f"{socket.gethostname()}:{os.getpid()}")


def work(batch: Batch) -> Answer:
    """All jobs of a batch. One that takes too long ends the process (SIGALRM), because
    nothing else ends a function in C; the driver then tries its batch point by point."""
    if batch.build != build():
        raise RuntimeError(f"the sweep is of drawloom {batch.build}, and the worker on "
                           f"{socket.gethostname()} has {build()}: install the same "
                           "wheel everywhere")
    start = time.perf_counter()
    rows: list[Row] = []
    for job in batch.jobs:
        one = (job if isinstance(job, Configuration)
               else batch.configurations[job.configuration])
        signal.setitimer(signal.ITIMER_REAL, 0 if one.command else batch.seconds)
        if isinstance(job, Configuration):
            rows.append(plan(job))
        else:
            rows.append(run_command(job, one) if one.command else run(job, one))
    signal.setitimer(signal.ITIMER_REAL, 0)
    return Answer(rows, time.perf_counter() - start)
