# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commands of a sweep: tools that run a part of their cases, by its number.

    [[commands]]
    name = "mutants"
    command = ["{build}/bin/mutate", "--suite", "--part", "{part}"]
    parts = 100

A point is one part, "3/100". Its exit status is its verdict, and the last line that it
prints is what there is to say about it. The key of a point has the bytes of every file
in it that a word of the command names, the tool itself among them, and a worker refuses
to run other ones.
"""
from __future__ import annotations

import ctypes
import functools
import glob
import hashlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
from typing import IO, Mapping, NamedTuple, Sequence

#: Bytes of what a command printed that are kept if it fails.
TAIL = 4000

_libc = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


class Command(NamedTuple):
    words: tuple[str, ...]  #: "{part}" stands for the part.
    folder: str  #: Where it runs.
    seconds: float  #: How long a part may take.
    files: dict[str, str]  #: Those that its words name, with hashes.

    def of(self, part: str) -> list[str]:
        return [word.replace("{part}", part) for word in self.words]


@functools.lru_cache(maxsize=256)
def _hash(path: str, _changed: int, _size: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _hash_file(path: str) -> str:
    about = os.stat(path)
    return _hash(path, about.st_mtime_ns, about.st_size)


def make_command(arguments: Sequence[str], values: Mapping[str, str], folder: pathlib.Path,
                 seconds: float) -> Command:
    """With values for names in braces, and files for patterns. ValueError says what is
    wrong."""
    made: list[str] = []
    for word in arguments:
        for name in re.findall(r"\{(\w+)\}", word):
            if name == "part":
                continue
            if name not in values:
                raise ValueError(f"'{word}' has no value for {{{name}}}: there are "
                                 f"{', '.join(['part', *values])}")
            word = word.replace(f"{{{name}}}", os.path.expanduser(values[name]))
        if "*" not in word:
            made.append(word)
            continue
        found = sorted(glob.glob(word, root_dir=folder))
        if not found:
            raise ValueError(f"no file is named '{word}' in {folder}")
        made += found
    paths = {word: str(folder / word) for word in made if "/" in word}
    if "/" in made[0] and not os.access(paths[made[0]], os.X_OK):
        raise ValueError(f"there is no tool '{paths[made[0]]}': build it, or say where it "
                         "is with --value")
    return Command(tuple(made), str(folder), seconds,
                   {word: _hash_file(path) for word, path in paths.items()
                    if os.path.isfile(path)})


def _end_with_us() -> None:
    """The command must not outlive a worker that is killed."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _tail(said: IO[bytes]) -> str:
    size = said.seek(0, os.SEEK_END)
    said.seek(max(0, size - TAIL))
    return said.read().decode(errors="replace").strip()


def run_part(command: Command, part: str) -> tuple[str, str]:
    """Verdict and words."""
    for word, known in command.files.items():
        path = os.path.join(command.folder, word)
        if not os.path.isfile(path) or _hash_file(path) != known:
            raise RuntimeError(f"{path} on {socket.gethostname()} is not the file that "
                               "the sweep started with: have the same build everywhere, "
                               "at the same path, and start the sweep again")
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen(command.of(part), cwd=command.folder,
                                       stdin=subprocess.DEVNULL, stdout=said,
                                       stderr=subprocess.STDOUT, start_new_session=True,
                                       preexec_fn=_end_with_us)
        except OSError as error:
            return "failed", str(error)
        try:
            code = process.wait(command.seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return "crashed", f"no end in {command.seconds:g} s\n{_tail(said)}"
        text = _tail(said)
    last = text.rsplit("\n", 1)[-1]
    if code == 0:
        return "passed", last
    how = (f"signal {-code} ({signal.Signals(-code).name})" if code < 0
           else f"exit status {code}")
    return "failed", f"{how}: {last}\n{text}"


def add_up(lines: Sequence[str]) -> str | None:
    """One line for all parts, if theirs differ in whole numbers alone.

    >>> add_up(["gemm: 20 of 20 cases match", "gemm: 19 of 19 cases match"])
    'gemm: 39 of 39 cases match'
    >>> add_up(["1.5 s", "2.5 s"])
    """
    split = [re.split(r"(\d+)", line) for line in lines]
    if (not lines or any(re.search(r"\d\.\d", line) for line in lines)
            or len({tuple(parts[::2]) for parts in split}) != 1):
        return None
    sums = [sum(map(int, numbers)) for numbers in zip(*(parts[1::2] for parts in split))]
    words = iter(split[0][::2])
    return next(words) + "".join(f"{number}{word}" for number, word in zip(sums, words))
