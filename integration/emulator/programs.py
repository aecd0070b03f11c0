# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs with their own host code on the emulator, with `drawloom run --`.

Each checks its own results. A row says what it is made of and what it ought to
print; programs that can't run are in the table, too, with what is said to them.
"""

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from programs import FOLDER, cache_root, cutlass, execute, gencode, nvcc, sparse, toolkit

EXAMPLES = Path(__file__).parents[2] / "examples" / "run"
SHARED = ("-cudart", "shared")


@dataclass(frozen=True)
class Program:
    name: str
    device: str  # Empty for the one that `run` chooses.
    command: Callable[[], list[object]]
    says: str
    succeeds: bool = True
    # Two, so that a grid takes several waves and persistent kernels walk.
    sms: int = 2
    # "extended" has more of the same, which nvcc compiles for minutes.
    suite: str = "core"


def plain(*options: str):
    return lambda: [nvcc("plain", [FOLDER / "plain.cu", FOLDER / "check.cuh"], options)]


def toolkit_program(name: str, *arguments: object, libraries: tuple[str, ...] = ()):
    """A program over a library of the toolkit, for both devices."""
    links = tuple(f"-l:{library}" for library in libraries)
    if libraries:
        links += ("-Xlinker", f"-rpath={toolkit() / 'lib'}")
    return lambda: [nvcc(name, [FOLDER / f"{name}.cu", FOLDER / "check.cuh"],
                         (*SHARED, *gencode("90a", "100a"), *links)), *arguments]


def imports(*modules: str):
    """Of the environment that has torch."""
    return lambda: [cache_root() / "venv-extended" / "bin" / "python", FOLDER / "imports.py",
                    *modules]


def gemm(row: str, *problem: int, uses: tuple[str, ...] = ()):
    return lambda: [cutlass.program(row, uses), *problem]


def convolution(images: str, filters: str, padding: str, steps: str, dilation: str):
    return lambda: [cutlass.convolution(),
                    *" ".join((images, filters, padding, steps, dilation)).split()]


def sparse_gemm(row: str, *problem: int, uses: str):
    return lambda: [sparse.program(row, uses), *problem]


# What makes a kernel one of CTA pairs, and its scheduler a dynamic one.
PAIRS = ("tcgen05.mma.cta_group::2",)
CLC = ("clusterlaunchcontrol.try_cancel",)


PROGRAMS = [
    *(Program(f"plain-{device}", device, plain(*SHARED, *gencode("90a", "100a")), "Passed")
      for device in ("h100", "b200")),
    # PTX that isn't compressed, and compressed with LZ4; zstd is the default.
    *(Program(f"plain-{mode}", "h100",
              plain(*SHARED, f"--compress-mode={mode}", *gencode("90", "sm_90")), "Passed")
      for mode in ("none", "speed")),
    # The device linker adds SASS, for which no PTX is there.
    Program("plain-chosen", "",
            plain(*SHARED, "-gencode=arch=compute_100a,code=[sm_100a,compute_100a]"), "Passed"),
    Program("static-runtime", "h100", plain(*gencode("90a")),
            "has the CUDA runtime linked into it; relink it with nvcc -cudart shared, so that "
            "the emulator's can take its place [static-cudart]",
            succeeds=False),
    Program("machine-code-only", "b200", plain(*SHARED, *gencode("sm_100")),
            "it has SASS for sm_100; compile with "
            "-gencode arch=compute_100a,code=compute_100a", succeeds=False),
    Program("cutlass-1cta", "b200", gemm("sm100_bf16_1sm", 328, 384, 200), "Passed"),
    Program("cutlass-2cta-clc", "b200",
            gemm("sm100_bf16_2sm", 328, 384, 200, uses=PAIRS + CLC), "Passed"),
    # The last tiles are cut off in all three sizes, and so are the blocks of scales.
    Program("cutlass-mxfp8-1cta", "b200",
            gemm("sm100_mxfp8_1sm", 328, 200, 272, uses=(".kind::mxf8f6f4",)), "Passed"),
    Program("cutlass-nvfp4-2cta-clc", "b200",
            gemm("sm100_nvfp4_2sm", 328, 200, 352,
                 uses=(".kind::mxf4nvf4.block_scale.block16", *PAIRS, *CLC)), "Passed"),
    # Rows and elements along K that the compressor has to pad.
    Program("cutlass-sparse-wgmma", "h100",
            sparse_gemm("sm90_fp16", 328, 384, 208, uses="wgmma.mma_async.sp"), "Passed"),
    *(Program(f"cutlass-sparse-{row}", "h100",
              sparse_gemm(row, 328, 384, 448, uses="wgmma.mma_async.sp"), "Passed", suite="extended")
      for row in ("sm90_tf32", "sm90_s8")),
    Program("cutlass-sparse-2cta", "b200",
            sparse_gemm("sm100_fp16_2sm", 328, 384, 208, uses="tcgen05.mma.sp.cta_group::2"),
            "Passed"),
    *(Program(f"cutlass-sparse-{row}", "b200",
              sparse_gemm(row, 328, 384, 448, uses=f"tcgen05.mma.sp.cta_group::{kind}"),
              "Passed", suite="extended")
      for row, kind in (("sm100_tf32_1sm", "1.kind::tf32"), ("sm100_fp8_1sm", "1.kind::f8f6f4"),
                        ("sm100_nvfp4_2sm", "2.kind::mxf4nvf4"))),
    Program("cutlass-sparse-warp", "h100",
            lambda: [sparse.warp_program("sm90_warp", "mma.sp::ordered_metadata"), 64, 128, 256],
            "Passed"),
    # Ten tiles on eight SMs, and deep ones: CUTLASS's own rule shares them.
    Program("cutlass-streamk", "h100", gemm("sm90_fp8_streamk", 256, 640, 2304), "Passed", sms=8),
    Program("cutlass-pingpong", "h100", gemm("sm90_fp16_pingpong_gelu", 328, 384, 200), "Passed"),
    # Tiles of pixels and of channels that are cut off; then a filter that is no
    # square, with other edges, steps and dilation along H than along W.
    Program("cutlass-conv", "h100",
            convolution("2 9 7 72", "136 3 3", "1 1 1 1", "1 1", "1 1"), "Passed", sms=4),
    Program("cutlass-conv-uneven", "h100",
            convolution("3 11 9 40", "72 3 2", "0 1 1 2", "2 1", "1 2"), "Passed", sms=4),
    Program("cuda-core", "h100", lambda: [sys.executable, EXAMPLES / "saxpy_cuda_core.py"],
            "saxpy is right on NVIDIA H100"),
    *(Program(f"{name}-{device}", device, toolkit_program(name), "Passed", suite="toolkit")
      for name in ("cub", "heap") for device in ("h100", "b200")),
    *(Program(f"nvrtc-{device}", device,
              toolkit_program("nvrtc", f"--gpu-architecture=compute_{target}",
                              libraries=("libnvrtc.so.13",)), "Passed", suite="toolkit")
      for device, target in (("h100", "90a"), ("b200", "100a"))),
    # An array of eight, whose name in PTX is that of all local memory of the kernel.
    Program("local-array", "h100", toolkit_program("errors", "index", 7), "Passed",
            suite="toolkit"),
    *(Program(f"local-array-{name}", "h100", toolkit_program("errors", "index", index),
              f"byte {4 * index} of '__local_depot0', which has 32 bytes", succeeds=False,
              suite="toolkit")
      for name, index in (("end", 8), ("far", 100), ("further", 100000), ("before", -1))),
    Program("block-too-large", "h100", toolkit_program("errors", "threads", 2048),
            "a block of (2048, 1, 1) = 2048 threads; 1 to 1024 are possible", succeeds=False,
            suite="toolkit"),
    *(Program("-then-".join(order), "h100", imports(*order), "the kernel stored 42",
              suite="imports")
      for order in (("torch", "triton"), ("triton", "torch"))),
]


def make(program: Program) -> tuple[list[object], float]:
    """Its command, and the seconds that it took to build."""
    start = time.monotonic()
    return program.command(), time.monotonic() - start


def check(program: Program, runner: Path, command: list[object], seconds: float) -> bool:
    start = time.monotonic()
    device = ["--device", program.device] if program.device else []
    done = execute([runner, *device, "--sms", program.sms, "--", *command])
    output = done.stdout + done.stderr
    good = (done.returncode == 0) == program.succeeds and program.says in output
    print(f"{program.name:32} {program.device:6} built in {seconds:6.1f} s, ran in "
          f"{time.monotonic() - start:6.1f} s  {'as it ought to' if good else 'NOT SO'}",
          flush=True)
    if not good:
        print("  " + output.replace("\n", "\n  "))
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runner", type=Path, required=True, help="drawloom-run")
    parser.add_argument("--suite", default="core", choices=sorted({p.suite for p in PROGRAMS}))
    parser.add_argument("names", nargs="*", help="only these programs")
    args = parser.parse_args()
    chosen = [p for p in PROGRAMS
              if (p.name in args.names if args.names else p.suite == args.suite)]
    # Two compilers at once, and each program as soon as it is there.
    with ThreadPoolExecutor(max_workers=2) as pool:
        good = sum(check(program, args.runner, *made)
                   for program, made in zip(chosen, pool.map(make, chosen)))
    print(f"programs: {good} of {len(chosen)} do what they ought to")
    return 0 if chosen and good == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
