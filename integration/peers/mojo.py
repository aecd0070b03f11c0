# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mojo: our programs in kernels/mojo. Each launches one kernel; Mojo compiles both
halves and leaves the kernel's PTX beside the host's assembly."""

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .kernel import BuildError, Kernel, inputs, run

FOLDER = Path(__file__).parent / "kernels" / "mojo"
PACKAGES = ("mojo", "mojo-compiler", "mojo-compiler-mojo-libs", "max-mojo-libs")


@dataclass(frozen=True)
class Case:
    name: str
    arch: str
    program: str


CASES = (
    Case("simt_gemm", "sm_90a", "simt_gemm"),
    Case("wgmma_gemm", "sm_90a", "wgmma_gemm"),
    Case("library_gemm", "sm_90a", "library_gemm_sm90"),
    Case("simt_gemm", "sm_100a", "simt_gemm"),
    Case("tcgen05_gemm", "sm_100a", "tcgen05_gemm"),
    Case("library_gemm", "sm_100a", "library_gemm_sm100"),
)


def source(case: Case) -> Path:
    return FOLDER / f"{case.program}.mojo"


def compile_case(case: Case) -> str:
    mojo = Path(sys.executable).parent / "mojo"
    if not mojo.exists():
        raise BuildError("mojo is not in this Python environment; "
                         "install integration/requirements-extended.txt")
    with tempfile.TemporaryDirectory() as folder:
        run([mojo, "build", "--emit", "asm", "--target-accelerator", case.arch,
             "-o", Path(folder) / "host.s", source(case)])
        found = list(Path(folder).glob("*.ptx"))
        if len(found) != 1:
            raise BuildError(f"{case.program}.mojo gave {len(found)} PTX files, not one")
        return found[0].read_text()


def make(case: Case) -> Kernel:
    short = case.arch.replace("_", "").removesuffix("a")
    return Kernel(name=f"mojo_{short}_{case.name}", peer="mojo", arch=case.arch,
                  suite="extended",
                  inputs=inputs(sources=[source(case)], packages=PACKAGES,
                                code=[compile_case]),
                  build=lambda: compile_case(case))


def kernels() -> list[Kernel]:
    return [make(case) for case in CASES]
