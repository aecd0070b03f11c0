# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A peer's kernel: a name, what it is made from, and a function that gives PTX.

The invariant is that `inputs` names everything that `build` reads: our source,
the options, and the versions of the packages and tools that do the work. The
key of the cache is a hash over it, so a stale file cannot be found.
"""

import hashlib
import importlib.metadata
import inspect
import os
import subprocess
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Callable, Iterable

ARCHES = ("sm_90a", "sm_100a", "sm_120a")
SUITES = ("core", "extended", "timing")


class BuildError(Exception):
    """A kernel could not be built, for a reason worth showing to a person."""


@dataclass(frozen=True)
class Kernel:
    """One kernel of one peer for one architecture."""

    name: str
    peer: str
    arch: str
    suite: str
    inputs: tuple[bytes, ...]
    build: Callable[[], str]

    def __post_init__(self):
        if self.arch not in ARCHES:
            raise ValueError(f"{self.name}: arch {self.arch!r} is not in {ARCHES}")
        if self.suite not in SUITES:
            raise ValueError(f"{self.name}: suite {self.suite!r} is not in {SUITES}")

    @property
    def key(self) -> str:
        """A digest of the inputs. Each is preceded by its length, so that no
        two lists of inputs run together into the same bytes."""
        digest = hashlib.sha256()
        for item in (self.peer.encode(), self.arch.encode(), *self.inputs):
            digest.update(len(item).to_bytes(8, "little") + item)
        return digest.hexdigest()[:16]

    @property
    def path(self) -> Path:
        return cache_root() / "peers" / f"{self.name}-{self.key}.ptx"


def inputs(*, sources: Iterable[Path], packages: Iterable[str],
           code: Iterable[Callable] = (), options: Iterable[str] = ()) -> tuple[bytes, ...]:
    """The inputs of a kernel: the bytes of `sources`, the installed version of
    each of `packages`, the text of the functions `code` that run the peer, and
    `options` (arguments, rows of a table)."""
    return (*(path.read_bytes() for path in sources),
            *(f"{name}=={package_version(name)}".encode() for name in packages),
            *(inspect.getsource(function).encode() for function in code),
            *(option.encode() for option in options))


@cache
def package_version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "missing"


def cache_root() -> Path:
    """Where built kernels and the Python environment live."""
    if root := os.environ.get("DRAWLOOM_CACHE"):
        return Path(root).expanduser()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "drawloom"


def site_packages() -> Path:
    return Path(sysconfig.get_path("purelib"))


def cuda_tool(name: str) -> Path:
    """A program of the CUDA toolkit that pip installed, such as nvcc."""
    path = site_packages() / "nvidia" / "cu13" / "bin" / name
    if not path.exists():
        raise BuildError(f"{name} is not in this Python environment; "
                         "install integration/requirements.txt")
    return path


def run(command: Iterable[object], **options) -> str:
    """Runs a compiler and gives its standard output. If it fails, the error
    carries the command and the start of what it printed."""
    command = [str(word) for word in command]
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines()
        # A line of nvcc may hold a type of several thousand characters.
        raise BuildError("\n".join([" ".join(command), *(line[:300] for line in lines[:20])]))
    return done.stdout
