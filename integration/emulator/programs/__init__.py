# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the programs that run on the emulator are built, each cached by what it is
made from."""

import hashlib
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from peers.kernel import cache_root, cuda_tool, inputs, run, site_packages  # noqa: E402

FOLDER = Path(__file__).parent
PACKAGES = ("nvidia-cuda-nvcc", "nvidia-cuda-crt", "nvidia-cuda-runtime", "nvidia-cuda-cccl",
            "nvidia-cuda-nvrtc", "nvidia-nvvm")


def toolkit() -> Path:
    return site_packages() / "nvidia" / "cu13"


# One for each program, since two rows of a table may ask for the same one at once.
LOCKS: dict[Path, threading.Lock] = {}


def cached(name: str, parts: tuple[bytes, ...], build) -> Path:
    """The program of that name; `build(path)` makes it if no program was made
    from the same parts."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    path = cache_root() / "programs" / f"{name}-{digest.hexdigest()[:16]}"
    with LOCKS.setdefault(path, threading.Lock()):
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            # Two tests may build it at once; each moves a whole file into place.
            with tempfile.TemporaryDirectory(dir=path.parent) as folder:
                build(Path(folder) / name)
                os.replace(Path(folder) / name, path)
    return path


def nvcc(name: str, sources: list[Path], options: tuple[str, ...], packages=PACKAGES,
         folders: tuple[Path, ...] = ()) -> Path:
    """A program by nvcc alone, from the first of `sources`; the others are what it
    includes, besides headers of packages in `folders`."""
    def build(output: Path):
        run([cuda_tool("nvcc"), *options, "-std=c++17", "-w", f"-L{toolkit() / 'lib'}",
             *(word for folder in (toolkit() / "include" / "cccl", *folders)
               for word in ("-I", folder)), "-o", output, sources[0]])

    return cached(name, inputs(sources=sources, packages=packages, code=[nvcc],
                               options=options), build)


def gencode(*targets: str) -> tuple[str, ...]:
    """PTX for each of these, such as 90a; nvcc's sm_90a for SASS."""
    return tuple(f"-gencode=arch=compute_{t.removeprefix('sm_')},"
                 f"code={t if t.startswith('sm_') else f'compute_{t}'}" for t in targets)


def execute(command: list[object]) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)
