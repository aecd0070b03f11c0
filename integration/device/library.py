# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The device library's kernels, compiled by nvcc when a test asks for them."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "integration" / "emulator"))
from programs import PACKAGES, cached, cuda_tool, gencode, inputs, run, toolkit  # noqa: E402

HEADERS = ROOT / "device" / "include"
KERNELS = ROOT / "device" / "kernels"
# Copies of kernels that use no roles and pipes.
BY_HAND = Path(__file__).parent / "by-hand"
OPTIONS = ("-std=c++20", "-Werror", "all-warnings", "-I", str(HEADERS),
           "-I", str(toolkit() / "include" / "cccl"))


def compile_text(name: str, arch: str, text: str, options: tuple[str, ...] = ()) -> Path:
    """A program with its own host code, which finds CUDA's runtime when it starts."""
    sources = [*sorted(KERNELS.iterdir()), *sorted(BY_HAND.iterdir()),
               *sorted(HEADERS.rglob("*.h"))]

    def build(output: Path):
        source = output.parent / f"{name}.cu"
        source.write_text(text)
        run([cuda_tool("nvcc"), *OPTIONS, *options, *gencode(arch), "-lineinfo", "-cudart", "shared",
             f"-L{toolkit() / 'lib'}", "-I", KERNELS, "-I", BY_HAND, "-o", output, source])

    # Paths of this checkout are no part of what a program is.
    return cached(name, inputs(sources=sources, packages=PACKAGES, code=[compile_text],
                               options=(arch, text, *options)), build)
