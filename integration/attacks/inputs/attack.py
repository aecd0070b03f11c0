# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What attacks have in common: a child with limits, and a verdict on it.

Bad is what ends by a signal, takes longer than 20 s, or more than 2 GiB. That
an input is refused with words, or accepted, is neither.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading

seconds = 20
bytes_at_most = 2 << 30


class Verdicts:
    """Counts, and prints what is bad when it happens."""

    def __init__(self, name):
        self.name = name
        self.tried = self.accepted = self.refused = 0
        self.bad = []
        self.most_seconds = self.most_bytes = 0
        self.lock = threading.Lock()

    def add(self, what, problem="", accepted=False):
        with self.lock:
            self.tried += 1
            if problem:
                self.bad.append((what, problem))
                print(f"BAD {what}: {problem}", flush=True)
            elif accepted:
                self.accepted += 1
            else:
                self.refused += 1

    def measure(self, seconds, size):
        with self.lock:
            self.most_seconds = max(self.most_seconds, seconds)
            self.most_bytes = max(self.most_bytes, size)

    def finish(self, at_least=1):
        print(f"{self.name}: {self.tried} tried, {self.accepted} accepted, "
              f"{self.refused} refused, {len(self.bad)} bad; at most "
              f"{self.most_seconds:.1f} s of processor time and "
              f"{self.most_bytes >> 20} MiB")
        return 1 if self.bad or self.tried < at_least else 0


def run(command, verdicts, what, judge=None, stdin=None, environment=None,
        folder=None, expects=None, wall=seconds):
    """Runs a command and adds its verdict. `judge(code, output)` may say what
    is wrong beyond signals, time and memory."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            [str(word) for word in command], stdout=output,
            stderr=subprocess.STDOUT, cwd=folder, start_new_session=True,
            stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
            env=os.environ | {"DRAWLOOM_NO_CACHE": "1", "NO_COLOR": "1"}
            | (environment or {}))
        if stdin is not None:
            try:
                child.stdin.write(stdin)
                child.stdin.close()
            except BrokenPipeError:
                pass
        # On a machine that others use, the wall says little about the program.
        timer = threading.Timer(4 * wall, child.kill)
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
        output.seek(0)
        text = output.read(1 << 20)
    spent = usage.ru_utime + usage.ru_stime
    size = usage.ru_maxrss << 10
    verdicts.measure(spent, size)
    problem = ""
    if child.returncode < 0:
        problem = f"signal {-child.returncode}"
        if child.returncode == -9:
            problem += f" after {4 * wall} s"
    elif spent > seconds:
        problem = f"{spent:.1f} s"
    elif size > bytes_at_most:
        problem = f"{size >> 20} MiB"
    elif b"Stack dump" in text or b"LLVM ERROR" in text:
        problem = "a stack dump"
    elif expects is not None and child.returncode not in expects:
        problem = f"exit code {child.returncode}"
    elif child.returncode != 0 and not text.strip():
        problem = "no word"
    if not problem and judge:
        problem = judge(child.returncode, text)
    if problem and text:
        tail = text.decode(errors="replace").strip().splitlines()[-3:]
        problem += "; " + " | ".join(line[:200] for line in tail)
    verdicts.add(what, problem, accepted=child.returncode == 0)
    return child.returncode, text


def parse(description, more=lambda parser: None):
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="a sample")
    more(parser)
    options = parser.parse_args()
    # A crash needs no file of its memory.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    options.drawloom = options.build / "bin" / "drawloom"
    return options
