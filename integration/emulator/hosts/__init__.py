# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The host halves of peers' kernels that only the peer's own code can write."""

import ctypes
import fcntl
import functools
import hashlib
import subprocess
import sys
import tempfile
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_void_p
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from peers import cutlass  # noqa: E402
from peers.kernel import cache_root, package_version, site_packages  # noqa: E402

FOLDER = Path(__file__).parent
COMPILER = "clang++-22"


class CutlassProblem(ctypes.Structure):
    """`Problem` in cutlass.cuh."""

    _fields_ = [("m", c_int), ("n", c_int), ("k", c_int), ("sm_count", c_int),
                ("a", c_void_p), ("b", c_void_p), ("c", c_void_p), ("bias", c_void_p),
                ("d", c_void_p), ("workspace", c_void_p), ("alpha", c_float),
                ("beta", c_float), ("a_scales", c_void_p), ("b_scales", c_void_p),
                ("groups", c_int), ("sizes", c_void_p), ("depths", c_void_p),
                ("widths", c_void_p)]


class CutlassShape(ctypes.Structure):
    _fields_ = [("grid", c_uint * 3), ("block", c_uint * 3), ("cluster", c_uint * 3),
                ("shared", c_uint), ("parameter_bytes", c_uint), ("workspace_bytes", c_uint)]


@dataclass(frozen=True)
class Shape:
    grid: tuple
    block: tuple
    cluster: tuple
    shared: int


def compile_halves(rows: dict[str, str], output: Path):
    """Compiles the host's halves of rows to a shared library. It takes clang, which
    can leave the device's half out; its new driver would call a tool for devices
    that Debian's clang doesn't come with."""
    packages = site_packages()
    with tempfile.TemporaryDirectory(dir=output.parent) as folder:
        source, library = Path(folder) / "host.cu", Path(folder) / "host.so"
        halves = [f"HOST_HALF({name}, {row})\n" for name, row in rows.items()]
        source.write_text("".join(['#include "cutlass.cuh"\n', *halves]))
        command = [COMPILER, "-x", "cuda", "--cuda-host-only", "--no-offload-new-driver",
                   "--cuda-gpu-arch=sm_90a",
                   "-nocudalib", f"--cuda-path={packages / 'nvidia' / 'cu13'}", "-w",
                   # CUTLASS asks which nvcc compiles it; clang doesn't say.
                   "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0",
                   "-DCUTLASS_ENABLE_DIRECT_CUDA_DRIVER_CALL=1",
                   "-std=c++17", "-O0", "-fPIC", "-shared",
                   "-I", FOLDER, "-I", cutlass.FOLDER,
                   "-I", packages / "cutlass_library" / "source" / "include",
                   "-isystem", packages / "nvidia" / "cu13" / "include" / "cccl",
                   source, "-o", library]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError("\n".join(done.stderr.splitlines()[:20]))
        library.replace(output)


@functools.cache
def cutlass_library(title: str, rows: tuple[tuple[str, str], ...]):
    digest = hashlib.sha256()
    for part in (repr(rows).encode(), (FOLDER / "cutlass.cuh").read_bytes(),
                 Path(__file__).read_bytes(), (cutlass.FOLDER / "gemm.cuh").read_bytes(),
                 *(f"{p}=={package_version(p)}".encode() for p in cutlass.PACKAGES)):
        digest.update(len(part).to_bytes(8, "little") + part)
    path = cache_root() / "hosts" / f"{title}-{digest.hexdigest()[:16]}.so"
    path.parent.mkdir(parents=True, exist_ok=True)
    # Processes with different devices want it at the same time.
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            compile_halves(dict(rows), path)
    return ctypes.CDLL(str(path))


def cutlass_half(name: str, row: str | None):
    """The function of a kernel of `peers`, in the library of all those of its
    architecture; or that of a row that isn't among them."""
    short = name.removeprefix("cutlass_")
    arch = short.split("_")[0]
    rows = {short: row} if row else {other: row for other, row in cutlass.CASES.items()
                                     if other.startswith(f"{arch}_")}
    library = cutlass_library(name if row else f"cutlass_{arch}", tuple(rows.items()))
    return getattr(library, f"describe_{short}")


def cutlass_parameters(name, driver, row=None, **fields):
    """The shape of the launch, the parameters as CUTLASS makes them, and the address
    and size of the workspace. `fields` are those of CutlassProblem."""
    half = cutlass_half(name, row)
    shape = CutlassShape()
    buffer = ctypes.create_string_buffer(8192 + 128)
    at = ctypes.addressof(buffer)
    at += -at % 128

    def describe(workspace):
        wanted = CutlassProblem(sm_count=driver.sm_count, workspace=workspace, **fields)
        if not half(byref(wanted), byref(shape), c_void_p(at), c_size_t(8192)):
            raise RuntimeError(f"{name} can't do {fields}")

    describe(None)
    workspace = 0
    if shape.workspace_bytes:
        workspace = driver.allocate(shape.workspace_bytes)
        describe(workspace)
    return (Shape(tuple(shape.grid), tuple(shape.block), tuple(shape.cluster), shape.shared),
            ctypes.string_at(at, shape.parameter_bytes), (workspace, shape.workspace_bytes))
