# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a sweep: hands out batches, takes rows, tries again what was lost.

    points that have no result ──→ batches ──→ workers ──→ rows ──→ table
                                      ↑           │
                                      └── lost ───┘  point by point, a few times

A batch is as many points as take about a second, so that handing it out costs little
and little is lost with it, or one part of a command. No more batches are on their way than workers take.
"""
from __future__ import annotations

import collections
import sys
import time
from typing import Callable, NamedTuple, Sequence

from ._engines import Engine, Lost
from ._spec import Configuration, Sweep
from ._table import PlanRow, ResultRow, Table
from ._work import FAILURES, Batch, Job, Row

#: How long a batch takes, and how many points it has at most.
BATCH_SECONDS, MOST_POINTS = 1.0, 200
#: Processes that may end with a point before it is said to crash.
TRIES = 3


class Figures(NamedTuple):
    """How it went."""
    points: int  #: That ran this time.
    seconds: float  #: On the clock.
    busy: float  #: Seconds of workers, in which they worked.
    lost: int  #: Workers.
    workers: float  #: On the average.

    def __str__(self) -> str:
        rate = self.points / max(self.seconds, 1e-9)
        idle = max(0.0, self.workers * self.seconds - self.busy)
        return (f"{self.points} points in {self.seconds:.1f} s with {self.workers:.1f} "
                f"workers: {rate:.1f}/s; {1e3 * self.busy / max(self.points, 1):.1f} ms "
                f"of work and {1e3 * idle / max(self.points, 1):.1f} ms of overhead for "
                f"each; {self.lost} lost batches")


class Progress:
    """A line that is written over on a terminal, and one every ten seconds elsewhere."""

    def __init__(self, what: str, total: int, quiet: bool):
        self.what, self.total, self.quiet = what, total, quiet
        self.begin = self.last = time.monotonic()
        self.done = self.failed = 0
        self.every = 0.5 if sys.stderr.isatty() else 10

    def add(self, rows: Sequence[Row]) -> None:
        self.done += len(rows)
        self.failed += sum(isinstance(row, ResultRow) and row.verdict in FAILURES
                           for row in rows)
        now = time.monotonic()
        if self.quiet or now - self.last < self.every:
            return
        self.last = now
        print(f"{self}  ", end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr,
              flush=True)

    def __str__(self) -> str:
        rate = self.done / (time.monotonic() - self.begin)
        left = int((self.total - self.done) / rate) if rate else 0
        return (f"{self.done} of {self.total} {self.what}, {self.failed} failed, "
                f"{rate:.1f}/s, {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left")


class _Loop:
    """Jobs of one kind."""

    def __init__(self, sweep: Sweep, engine: Engine, take: Callable[[list[Row]], None]):
        self.sweep, self.engine, self.take = sweep, engine, take
        #: What is lost is tried one by one, and first.
        self.single: collections.deque[Job] = collections.deque()
        self.tries: collections.Counter[str] = collections.Counter()
        self.on_way = self.lost = self.done = 0
        self.busy = self.presence = 0.0
        self.job_seconds = 0.05  # A guess, until the first answer.

    def run(self, jobs: Sequence[Job]) -> Figures:
        begin = last = time.monotonic()
        waiting = collections.deque(jobs)
        while waiting or self.single or self.on_way:
            for _ in range(self.engine.room()):
                if not waiting and not self.single:
                    break
                self.engine.submit(self.batch(waiting))
                self.on_way += 1
            for batch, answer in self.engine.wait(0.5):
                self.on_way -= 1
                if isinstance(answer, Lost):
                    self.retry(batch, answer)
                    continue
                self.busy += answer.seconds
                self.done += len(answer.rows)
                self.job_seconds = self.busy / self.done
                self.take(answer.rows)
            now = time.monotonic()
            self.presence += self.engine.workers() * (now - last)
            last = now
        seconds = last - begin
        return Figures(self.done, seconds, self.busy, self.lost,
                       self.presence / seconds if seconds else 0)

    def batch(self, waiting: collections.deque[Job]) -> Batch:
        if self.single:
            jobs = [self.single.popleft()]
        else:
            # At the end all workers have something to do.
            fair = len(waiting) // (2 * max(1, self.engine.workers())) + 1
            count = min(MOST_POINTS, fair, int(BATCH_SECONDS / self.job_seconds) + 1)
            # Parts of commands take long, each as long as it takes.
            jobs = [waiting.popleft()]
            while (waiting and len(jobs) < count
                   and not self.is_command(jobs[0]) and not self.is_command(waiting[0])):
                jobs.append(waiting.popleft())
        needed = {job.configuration for job in jobs
                  if not isinstance(job, Configuration)}
        return Batch(self.sweep.build,
                     {key: self.sweep.configurations[key] for key in needed}, jobs,
                     self.sweep.seconds)

    def is_command(self, job: Job) -> bool:
        return (not isinstance(job, Configuration)
                and self.sweep.configurations[job.configuration].command is not None)

    def retry(self, batch: Batch, why: Lost) -> None:
        self.lost += 1
        if len(batch.jobs) > 1:
            self.single.extend(batch.jobs)
            return
        job, = batch.jobs
        self.tries[job.key] += 1
        if self.tries[job.key] < TRIES:
            self.single.append(job)
            return
        message = f"its process ended {TRIES} times: {why}"
        self.done += 1
        self.take([PlanRow(job.key, 0, message, None, None, None, None, "", 0)
                   if isinstance(job, Configuration)
                   else ResultRow(job.key, "crashed", message)])


def drive(sweep: Sweep, table: Table, engine: Engine, quiet: bool = False) -> Figures:
    """Does what the table doesn't have."""
    def loop(what: str, jobs: Sequence[Job]) -> Figures:
        progress = Progress(what, len(jobs), quiet)

        def take(rows: list[Row]) -> None:
            table.add(rows)
            progress.add(rows)
        return _Loop(sweep, engine, take).run(jobs)

    planned = table.keys("plans")
    loop("plans", [one for key, one in sweep.configurations.items()
                   if key not in planned and not one.command])
    pruned = {key: plan.message if not plan.fits else over
              for key, plan in table.plans().items()
              if not plan.fits or (over := sweep.budget.over(plan))}
    # What has no program was refused before there was a plan.
    table.add(ResultRow(point.key, "refused" if reason else "pruned",
                        pruned[point.configuration])
              for point in sweep.points if point.configuration in pruned
              for reason in [sweep.configurations[point.configuration].reason])
    done = table.keys("results")
    return loop("points", [point for point in sweep.points if point.key not in done])
