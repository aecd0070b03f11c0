# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutated programs: each is refused with words, or it computes what the
interpreter says.

    run_accepted.py --library build/release/lib/libdrawloom-c.so.1 --count 20000 --run-every 10

compiles every mutant through the C API, the even ones for sm_90a and the odd
ones for sm_100a. Of every tenth, those that are accepted run on an emulated
device with random numbers, and are compared. Mutants run in child processes, a
batch in each, so that a crash costs one mutant and is reported by its number:
`--first 4711 --count 1 --verbose` repeats it.

A mutant fails if it ends the process, takes too long or too much memory, is
refused without a message, takes more than 2 GiB, ends in a report of the emulator, or is
beyond its bound. Programs that name slots and barriers by number are compiled and
don't run.
A launch may refuse what a program promises for its tensors and the sizes of a
run don't keep; and the interpreter may refuse to run what has no meaning, such
as work tiles that store to one place.

The last line: `accepted: N mutants, R refused, A accepted, C compared, U without
a verdict, 0 crashes, 0 hangs, 0 wrong`.
"""

import argparse
import collections
import ctypes
import json
import math
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import re
import resource
import signal
import sys
import time

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
sys.path.insert(0, str(here.parents[1]))
import mutate_programs  # noqa: E402
import part  # noqa: E402

# Of processor time, for a mutant; most take some milliseconds.
most_elements = 1 << 24
seconds_each = 60
# That a batch has resident, at most. The emulated device maps far more.
most_bytes = 2 << 30
batch_size = 100

# What the emulated device reports when a kernel does something wrong.
reports = ("illegal address", "deadlock", "misaligned", "is not executed",
           "out of range", "the kernel", "no progress", "trap", "race")


class CompileOptions(ctypes.Structure):
    _fields_ = [("structSize", ctypes.c_size_t), ("name", ctypes.c_char_p),
                ("arch", ctypes.c_char_p), ("kernel", ctypes.c_char_p),
                ("stage", ctypes.c_char_p), ("unproved", ctypes.c_int),
                ("noCache", ctypes.c_int)]


class RunOptions(ctypes.Structure):
    _fields_ = [("structSize", ctypes.c_size_t), ("kernel", ctypes.c_char_p),
                ("device", ctypes.c_char_p), ("sms", ctypes.c_uint),
                ("order", ctypes.c_char_p), ("check", ctypes.c_char_p),
                ("compare", ctypes.c_int), ("random", ctypes.c_int),
                ("seed", ctypes.c_uint64)]


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        handle = ctypes.c_void_p
        for name, result in (("drawloomCompile", handle), ("drawloomRun", handle),
                             ("drawloomErrorText", ctypes.c_char_p),
                             ("drawloomProgramKernel", ctypes.c_char_p),
                             ("drawloomProgramCount", ctypes.c_size_t),
                             ("drawloomResultReport", ctypes.c_char_p)):
            getattr(self.c, name).restype = result

    def words(self, error):
        text = self.c.drawloomErrorText(ctypes.c_void_p(error)).decode(
            errors="replace")
        self.c.drawloomErrorDestroy(ctypes.c_void_p(error))
        return text

    def compile(self, text, arch):
        """A program, or the words of its refusal."""
        options = CompileOptions(ctypes.sizeof(CompileOptions), b"mutant",
                                 arch.encode(), None, None, 0, 1)
        program = ctypes.c_void_p()
        error = self.c.drawloomCompile(text, ctypes.c_size_t(len(text)),
                                       ctypes.byref(options),
                                       ctypes.byref(program))
        return (None, self.words(error)) if error else (program, "")

    def kernels(self, program):
        return [self.c.drawloomProgramKernel(program, ctypes.c_size_t(i))
                for i in range(self.c.drawloomProgramCount(program))]

    def run(self, program, kernel):
        """The report, or the words of an error."""
        options = RunOptions(ctypes.sizeof(RunOptions), kernel, None, 0,
                             b"deterministic", None, 1, 1, 7)
        result = ctypes.c_void_p()
        error = self.c.drawloomRun(program, None, ctypes.c_size_t(0),
                                   ctypes.byref(options), ctypes.byref(result))
        if error:
            return None, self.words(error)
        report = json.loads(self.c.drawloomResultReport(result))
        self.c.drawloomResultDestroy(result)
        return report, ""

    def destroy(self, program):
        self.c.drawloomProgramDestroy(program)


def judge(report):
    """What a run came to: compared, unjudged or wrong, and words."""
    for output in report["comparison"]:
        if output["out_of_bound"]:
            return "wrong", (f"{output['out_of_bound']} of {output['elements']} "
                             f"elements of {output['name']} are wrong: "
                             f"{output['first']}")
    judged = [output["elements"] - output["unbounded"]
              for output in report["comparison"]]
    return ("compared" if any(judged) else "unjudged"), ""


def is_large(text):
    """Whether a tensor has so many elements that a run takes minutes, not seconds:
    the mutant of a program for 8192 x 8192 is no hang."""
    shapes = re.findall(rb"<((?:\d+x)+)", text)
    return any(math.prod(map(int, shape.split(b"x")[:-1])) >= most_elements
               for shape in shapes)


def names_slots(text):
    """Whether a program takes slots and barriers by numbers of its own, as code does
    behind lower-pipes: one that isn't there is its own mistake."""
    return b"agent.slots" in text or b"agent.barriers" in text


def try_mutant(library, mutant, runs):
    arch = "sm_100a" if mutant.number % 2 else "sm_90a"
    program, message = library.compile(mutant.text, arch)
    if program is None:
        return ("refused" if message.strip() else "silent"), message
    kinds = ["accepted"]
    if runs and (is_large(mutant.text) or names_slots(mutant.text)):
        kinds.append("not run")
    elif runs:
        for kernel in library.kernels(program):
            report, message = library.run(program, kernel)
            if report is not None:
                kind, message = judge(report)
            else:
                kind = "reported" if any(one in message for one in reports) else "not run"
            kinds.append(kind)
            if kind not in ("compared", "unjudged"):
                break
    library.destroy(program)
    return " ".join(kinds), message


def work(options, numbers, out):
    """A child: its mutants, one after the other."""
    seeds = mutate_programs.programs()
    null = os.open(os.devnull, os.O_WRONLY)
    if not options.verbose:
        os.dup2(null, 2)
    library = Library(options.library)
    for number in numbers:
        (mutant,) = mutate_programs.draw(seeds, 1, options.seed, number)
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + seconds_each
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        out.send((number, mutant.name, "begins", ""))
        if options.verbose:
            print(mutant.text.decode(errors="replace"))
        kind, words = try_mutant(library, mutant,
                                 number % options.run_every == 0)
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        if most > most_bytes:
            kind, words = "memory", f"{most >> 20} MiB; {words}"
        if options.verbose:
            print(f"{mutant.name}: {kind}\n{words}")
        out.send((number, mutant.name, kind, words))


class Campaign:
    def __init__(self, options):
        self.options = options
        self.kinds = collections.Counter()
        self.failures = []
        self.total = 0
        self.slowest = (0, "")

    def count(self, number, name, kind, words):
        self.total += 1
        for one in set(kind.split(" ")) | {kind}:
            self.kinds[one] += 1
        if any(one in kind for one in ("wrong", "reported", "silent", "crash",
                                       "hang", "memory")):
            self.failures.append((number, name, kind, words))
            print(f"{number}: {name}: {kind}: {words[:600]}", flush=True)
        elif "not run" in kind and self.options.list_refusals:
            print(f"{number}: {name}: {kind}: {words[:200]}", flush=True)

    def run(self, numbers):
        waiting = [numbers[i:i + batch_size]
                   for i in range(0, len(numbers), batch_size)]
        running = {}
        while waiting or running:
            while waiting and len(running) < self.options.jobs:
                batch = waiting.pop(0)
                here, there = multiprocessing.Pipe(duplex=False)
                child = multiprocessing.get_context("fork").Process(
                    target=work, args=(self.options, batch, there))
                child.start()
                there.close()
                running[here] = (child, batch, [None, time.monotonic()])
            ready = multiprocessing.connection.wait(list(running), timeout=5)
            for pipe in ready:
                self.receive(pipe, running, waiting)
            for pipe, (child, batch, now) in list(running.items()):
                if time.monotonic() - now[1] > 4 * seconds_each:
                    child.kill()

    def receive(self, pipe, running, waiting):
        child, batch, now = running[pipe]
        try:
            number, name, kind, words = pipe.recv()
        except EOFError:
            child.join()
            del running[pipe]
            if now[0] is None:
                if child.exitcode:
                    sys.exit(f"a child ends with {child.exitcode} between two "
                             f"mutants, {batch[0]} to {batch[-1]}")
                return
            number, name = now[0]
            isHang = child.exitcode in (-signal.SIGXCPU, -signal.SIGKILL)
            self.count(number, name, "hang" if isHang else "crash",
                       f"exit code {child.exitcode}")
            rest = batch[batch.index(number) + 1:]
            if rest:
                waiting.insert(0, rest)
            return
        if kind == "begins":
            now[:] = [(number, name), time.monotonic()]
            return
        seconds = time.monotonic() - now[1]
        self.slowest = max(self.slowest, (seconds, name))
        now[0] = None
        self.count(number, name, kind, words)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--run-every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--at-least", type=int, default=1,
                        help="fail if fewer mutants are compared")
    parser.add_argument("--list-refusals", action="store_true",
                        help="print what launches and the interpreter refuse")
    parser.add_argument("--verbose", action="store_true")
    part.add_arguments(parser)
    options = parser.parse_args()
    numbers = options.part.of(list(range(options.first,
                                         options.first + options.count)))
    if options.list:
        print(*numbers, sep="\n")
        return
    campaign = Campaign(options)
    campaign.run(numbers)
    kinds = campaign.kinds
    print(f"slowest: {campaign.slowest[0]:.1f} s, {campaign.slowest[1]}")
    print(f"accepted: {campaign.total} mutants, {kinds['refused']} refused, "
          f"{kinds['accepted']} accepted, {kinds['compared']} compared, "
          f"{kinds['accepted unjudged'] + kinds['accepted not run']} without a "
          f"verdict, {kinds['crash'] + kinds['memory']} crashes, "
          f"{kinds['hang']} hangs, "
          f"{kinds['wrong'] + kinds['reported'] + kinds['silent']} wrong")
    if campaign.failures or kinds["compared"] < options.at_least:
        sys.exit(1)


if __name__ == "__main__":
    main()
