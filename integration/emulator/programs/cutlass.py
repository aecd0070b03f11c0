# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUTLASS's GEMMs and a convolution as programs. The kernels of GEMMs are those of
peers/cutlass.py, which nvcc has compiled already; clang compiles the host's half
and puts the PTX into it, as a fat binary by NVIDIA's own tool. So such a program
costs seconds, not minutes. The convolution is as nvcc makes it."""

import tempfile
from pathlib import Path

from . import FOLDER, cached, cuda_tool, gencode, inputs, nvcc, run, site_packages, toolkit
from peers import cutlass

COMPILER = "clang++-22"


def folders() -> tuple[Path, Path]:
    """Where CUTLASS's headers are, and its utilities."""
    source = site_packages() / "cutlass_library" / "source"
    return source / "include", source / "tools" / "util" / "include"


def build(text: str, ptx: Path, arch: str, output: Path):
    """The program with this source, whose kernels are in `ptx`."""
    with tempfile.TemporaryDirectory() as folder:
        source, fat = Path(folder) / "gemm.cu", Path(folder) / "gemm.fatbin"
        source.write_text(text)
        run([cuda_tool("fatbinary"), "-64", f"--create={fat}",
             f"--image3=kind=ptx,sm={arch.removeprefix('sm_')},file={ptx}"])
        run([COMPILER, "-x", "cuda", "--cuda-host-only", "--no-offload-new-driver",
             f"--cuda-gpu-arch={arch}",
             "-nocudalib", f"--cuda-path={toolkit()}", "-w",
             "-Xclang", "-fcuda-include-gpubinary", "-Xclang", fat,
             # CUTLASS asks which nvcc compiles it; clang doesn't say.
             "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0",
             "-std=c++17", "-O0", "-I", FOLDER, "-I", cutlass.FOLDER,
             *(word for headers in folders() for word in ("-I", headers)),
             "-isystem", toolkit() / "include" / "cccl", source, "-o", output,
             f"-L{toolkit() / 'lib'}", "-l:libcudart.so.13"])


def program(name: str, uses: tuple[str, ...] = ()) -> Path:
    """The program of a row of peers/cutlass.py. Its kernel has to be built, and to
    have the words of `uses` in its PTX."""
    row = cutlass.CASES[name]
    kernel = cutlass.make(name, row)
    if not kernel.path.exists():
        raise RuntimeError(f"{kernel.path} is missing; `utils/peers build` makes it")
    text = kernel.path.read_text()
    if missing := [words for words in uses if words not in text]:
        raise RuntimeError(f"{kernel.path} has no {', '.join(missing)}")
    gelu = "true" if "Gelu" in row else "false"
    source = f'#include "gemm_program.cuh"\nGEMM_PROGRAM({gelu}, {row})\n'
    parts = inputs(sources=[*sorted(FOLDER.glob("*.cuh")), cutlass.FOLDER / "gemm.cuh",
                            kernel.path],
                   packages=cutlass.PACKAGES, code=[build], options=[source])
    return cached(name, parts, lambda output: build(source, kernel.path, kernel.arch, output))


def convolution() -> Path:
    return nvcc("conv", [FOLDER / "conv.cu", FOLDER / "program.cuh"],
                ("-cudart", "shared", "--expt-relaxed-constexpr", *gencode("90a")),
                cutlass.PACKAGES, folders())
