# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Workers for batches: processes of this machine, or a Ray cluster.

Both give out batches and take answers, and say when a worker is lost with its batch.
What is done about it is the driver's affair, so it is the same with both.
"""
from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import signal
import time
from typing import Any, Iterator, Protocol, Union

from ._work import Answer, Batch, work


class Lost(Exception):
    """A worker ended before it answered."""


#: A batch, with its answer or with why there is none.
Done = tuple[Batch, Union[Answer, Lost]]


class Engine(Protocol):
    def workers(self) -> int:
        """How many work at the moment."""

    def room(self) -> int:
        """How many batches it takes now without keeping many waiting."""

    def submit(self, batch: Batch) -> None: ...

    def wait(self, seconds: float) -> Iterator[Done]:
        """What is done, after so many seconds at most."""

    def close(self) -> None: ...


def _serve(pipe: Any) -> None:
    """A process of this machine: until the driver is gone."""
    # Ctrl-C is for the driver, which then closes the pipes.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        while True:
            batch = pipe.recv()
            try:
                pipe.send(work(batch))
            except RuntimeError as error:
                pipe.send(error)
    except (EOFError, OSError):
        pass


class _Process:
    def __init__(self) -> None:
        # A new interpreter: what this one has open stays here.
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.batch: Batch | None = None

    def take(self) -> Answer | Lost:
        """The answer, or why there will be none."""
        assert self.batch
        try:
            answer: Answer | Exception = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            code = self.process.exitcode or 0
            if code == -signal.SIGALRM:
                return Lost(f"no answer in {self.batch.seconds:g} s")
            return Lost(f"ended by signal {-code} ({signal.Signals(-code).name})"
                        if code < 0 else f"ended with exit status {code}")
        if isinstance(answer, Exception):
            raise answer
        return answer


class Local:
    """Processes of this machine, one batch each."""

    def __init__(self, jobs: int):
        self.processes = [_Process() for _ in range(jobs)]

    def workers(self) -> int:
        return len(self.processes)

    def room(self) -> int:
        return sum(one.batch is None for one in self.processes)

    def submit(self, batch: Batch) -> None:
        one = next(one for one in self.processes if one.batch is None)
        one.batch = batch
        try:
            one.pipe.send(batch)
        except OSError:
            pass  # It ended meanwhile, which `wait` sees.

    def wait(self, seconds: float) -> Iterator[Done]:
        busy = [one for one in self.processes if one.batch]
        ready = multiprocessing.connection.wait([one.pipe for one in busy], seconds)
        for one in busy:
            if one.pipe not in ready:
                continue
            assert one.batch
            batch, answer = one.batch, one.take()
            one.batch = None
            if isinstance(answer, Lost):
                self.processes[self.processes.index(one)] = _Process()
            yield batch, answer

    def close(self) -> None:
        for one in self.processes:
            one.pipe.close()
        for one in self.processes:
            one.process.join(1)
            if one.process.is_alive():
                one.process.kill()


class Ray:
    """A Ray cluster. Each batch is a task of one CPU. Ray keeps processes, so kernels
    stay loaded in them. Nodes may come and go."""

    #: Batches for each CPU: one that runs, and one that is ready.
    AHEAD = 2

    def __init__(self, address: str):
        try:
            import ray
        except ImportError as error:
            raise RuntimeError("--ray needs Ray here and on the cluster: pip install "
                               "ray") from error
        self.ray = ray
        ray.init(address=address, log_to_driver=False, logging_level="error")
        # Lost batches come back to the driver, which tries them point by point.
        self.task = ray.remote(num_cpus=1, max_retries=0)(work)
        self.batches: dict[Any, Batch] = {}
        self._cpus, self._looked = 0, 0.0

    def workers(self) -> int:
        if time.monotonic() - self._looked > 1:
            self._cpus = int(self.ray.cluster_resources().get("CPU", 0))
            self._looked = time.monotonic()
        return self._cpus

    def room(self) -> int:
        return self.AHEAD * self.workers() - len(self.batches)

    def submit(self, batch: Batch) -> None:
        self.batches[self.task.remote(batch)] = batch

    def wait(self, seconds: float) -> Iterator[Done]:
        from ray.exceptions import RaySystemError, RayTaskError, TaskUnschedulableError
        if not self.batches:
            time.sleep(seconds)
            return
        ready, _ = self.ray.wait(list(self.batches), num_returns=1, timeout=seconds)
        for reference in ready:
            batch = self.batches.pop(reference)
            try:
                yield batch, self.ray.get(reference)
            except (RayTaskError, TaskUnschedulableError) as error:
                raise RuntimeError(str(getattr(error, "cause", None) or error)) from error
            except (self.ray.exceptions.RayError, RaySystemError) as error:
                yield batch, Lost(str(error).strip().split("\n")[0])

    def close(self) -> None:
        for reference in self.batches:
            self.ray.cancel(reference)
        self.ray.shutdown()
