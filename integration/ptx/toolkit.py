# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CUDA toolkit's assembler, and a cache of its answers.

ptxas is a pure function of its input, its options and its version, so an answer
is kept under a hash of the three. One SQLite file in Drawloom's cache folder
holds them all; deleting it costs only time.
"""

import hashlib
import os
import re
import resource
import shutil
import sqlite3
import struct
import subprocess
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path


def find_tool(name: str) -> Path | None:
    """The newest toolkit comes from the pinned pip packages, so those go first."""
    packages = Path(sysconfig.get_paths()["purelib"])
    places = sorted(packages.glob(f"nvidia/*/bin/{name}"), reverse=True)
    if home := os.environ.get("CUDA_HOME"):
        places.append(Path(home) / "bin" / name)
    if found := shutil.which(name):
        places.append(Path(found))
    return next((place for place in places if place.exists()), None)


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(os.environ.get("DRAWLOOM_CACHE") or Path(base) / "drawloom")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def target_of(ptx: str) -> str:
    """The first architecture of a module's .target directive."""
    found = re.search(r"^\s*\.target\s+(\w+)", ptx, re.MULTILINE)
    return found[1] if found else "sm_75"


def sections_of(cubin: bytes) -> dict[str, bytes]:
    """The sections of a 64-bit little-endian ELF file, by name. A section that
    takes no room in the file (shared memory) is given by its size."""
    if cubin[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF file")
    [table] = struct.unpack_from("<Q", cubin, 0x28)
    entry, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", cubin, table + i * entry) for i in range(count)]
    strings = headers[names][4]
    sections = {}
    for name, kind, _, _, offset, size, *_ in headers:
        end = cubin.index(b"\0", strings + name)
        label = cubin[strings + name:end].decode()
        empty = kind == 8  # SHT_NOBITS
        sections[label] = str(size).encode() if empty else cubin[offset:offset + size]
    return sections


# What two cubins must share to be the same kernel: the instructions, the constant
# banks and the initialized data they read, the sizes of shared and global memory,
# the relocations, and .nv.info, which holds what the driver needs at launch
# (parameters, registers, barriers, cluster size). Symbol tables, string tables,
# call-frame and debug sections are left out: they carry names and the positions
# of lines in the source text, and no machine reads them when the kernel runs.
COMPARED = re.compile(r"\.(text|nv\.constant\d*|nv\.info|nv\.shared|nv\.global|rela?\.text)\b")


def compared(cubin: bytes) -> dict[str, bytes]:
    return {name: data for name, data in sections_of(cubin).items() if COMPARED.match(name)}


@dataclass(frozen=True)
class Answer:
    accepted: bool | None  # None if ptxas crashed, or did not end
    message: str
    sections: dict[str, str]  # name → hash, for what was assembled


def limit():
    """Some malformed instructions send ptxas into an endless loop that eats all
    memory. No well-formed module here needs as much as this."""
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))


class Assembler:
    """ptxas with a memory. Not for use from several threads; `assemble_all`
    runs two processes at a time by itself."""

    def __init__(self, path: Path | None = None):
        self.path = path or find_tool("ptxas")
        if not self.path:
            raise FileNotFoundError("no ptxas: install integration/requirements.txt")
        printed = subprocess.run([self.path, "--version"], capture_output=True, text=True, check=True)
        self.version = re.search(r"V(\d[\d.]*)", printed.stdout)[1]
        self.runs = 0
        self.store = sqlite3.connect(cache_folder() / "ptxas.sqlite", timeout=60)
        self.store.execute("create table if not exists answers"
                           "(key text primary key, accepted int, message text, sections text)")

    def assemble_all(self, texts: list[str], options: tuple[str, ...] = ()) -> list[Answer]:
        keys = [self._key(text, options) for text in texts]
        known = {key: answer for key in keys if (answer := self._recall(key))}
        missing = {key: text for key, text in zip(keys, texts) if key not in known}
        self.runs += len(missing)
        with ThreadPoolExecutor(max_workers=2) as pool:
            answers = pool.map(lambda text: self.assemble(text, options), missing.values())
            for key, (answer, _) in zip(missing, answers):
                known[key] = answer
                self._remember(key, answer)
        self.store.commit()
        return [known[key] for key in keys]

    def assemble(self, text: str, options: tuple[str, ...] = ()) -> tuple[Answer, bytes]:
        """Runs ptxas now, and gives the cubin as well."""
        with tempfile.TemporaryDirectory() as folder:
            source, cubin = Path(folder, "module.ptx"), Path(folder, "module.cubin")
            source.write_text(text)
            done = subprocess.run([self.path, "-arch", target_of(text), *options,
                                   source.name, "-o", cubin.name], preexec_fn=limit,
                                  cwd=folder, capture_output=True, text=True, errors="replace")
            message = (done.stdout + done.stderr).strip()
            if done.returncode < 0 or "Memory allocation failure" in message:
                return Answer(None, message or f"signal {-done.returncode}", {}), b""
            if done.returncode:
                return Answer(False, message or f"exit code {done.returncode}", {}), b""
            data = cubin.read_bytes()
        hashes = {name: hashlib.sha256(part).hexdigest() for name, part in compared(data).items()}
        return Answer(True, message, hashes), data

    def _key(self, text: str, options: tuple[str, ...]) -> str:
        parts = "\0".join((self.version, COMPARED.pattern, *options, text))
        return hashlib.sha256(parts.encode()).hexdigest()

    def _recall(self, key: str) -> Answer | None:
        row = self.store.execute("select accepted, message, sections from answers where key = ?",
                                 (key,)).fetchone()
        if not row:
            return None
        pairs = (line.split("\t") for line in row[2].splitlines())
        accepted = None if row[0] is None else bool(row[0])
        return Answer(accepted, row[1], dict(pairs))

    def _remember(self, key: str, answer: Answer):
        sections = "\n".join(f"{name}\t{value}" for name, value in answer.sections.items())
        self.store.execute("insert or replace into answers values (?, ?, ?, ?)",
                           (key, answer.accepted, answer.message, sections))
