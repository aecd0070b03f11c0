# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TileLang: our kernels in kernels/tilelang, to CUDA C++ and on through nvcc.

A row names a function and its arguments; `switches` are TileLang's own options.
"""

import importlib
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from .kernel import Kernel, cuda_tool, inputs, run, site_packages

FOLDER = Path(__file__).parent / "kernels" / "tilelang"
PACKAGES = ("tilelang", "apache-tvm-ffi", "nvidia-cuda-nvcc", "nvidia-cuda-crt",
            "nvidia-cuda-runtime", "nvidia-cuda-cccl", "nvidia-nvvm")
OPTIONS = ("-std=c++20", "-O3", "--expt-relaxed-constexpr", "-w")


@dataclass(frozen=True)
class Case:
    name: str
    arch: str
    function: str
    arguments: dict
    switches: dict = field(default_factory=dict)
    suite: str = field(default="extended", repr=False)  # repr is of what is compiled


CUBE = dict(m=512, n=512, k=512)

CASES = (
    Case("gemm", "sm_90a", "gemm.pipelined", dict(m=500, n=512, k=320)),
    Case("gemm_fp8", "sm_90a", "gemm.pipelined",
         dict(CUBE, ab="float8_e4m3fn", tile=(128, 128, 128))),
    Case("gemm_bias_relu", "sm_90a", "gemm.bias_relu", CUBE),
    Case("attention_causal", "sm_90a", "attention.forward",
         dict(heads=2, length=500, dim=128, queries=64, threads=128)),
    Case("gemm", "sm_100a", "gemm.tensor_memory", CUBE,
         {"tl.disable_warp_specialized": True}),
    Case("gemm_specialized", "sm_100a", "gemm.specialized", CUBE),
    Case("gemm_2cta", "sm_100a", "gemm.specialized", dict(CUBE, tile=(256, 128, 64), ctas=2)),
    Case("gemm_mxfp8", "sm_100a", "scaled.mxfp8", CUBE),
    Case("attention", "sm_100a", "attention.forward",
         dict(heads=2, length=512, dim=64, causal=False)),
    Case("gemm", "sm_120a", "gemm.pipelined", dict(m=500, n=512, k=320)),
    Case("gemm_fp8", "sm_120a", "gemm.pipelined",
         dict(CUBE, ab="float8_e4m3fn", tile=(128, 128, 128))),
    Case("attention_causal", "sm_120a", "attention.forward",
         dict(heads=2, length=500, dim=128, queries=64, threads=128)),
)

# Of benchmarks that others have published, for ../timing.
SWEEPS = tuple(
    Case(f"sweep_{name}_k{k}", "sm_90a", "sweep.stored_through_shared",
         dict(m=8192, n=8192, k=k, ab=element, tile=tile), suite="timing")
    for name, element, tile in (("fp16", "float16", (128, 256, 64)),
                                ("fp8", "float8_e4m3fn", (128, 256, 128)))
    for k in (256, 512, 1024, 2048, 4096, 8192, 16384))


def compile_case(case: Case) -> str:
    import tilelang
    from tilelang import tvm

    module, _, name = case.function.rpartition(".")
    function = getattr(
        importlib.import_module(f".kernels.tilelang.{module}", __package__), name)
    target = tvm.target.Target({"kind": "cuda", "arch": case.arch})
    with tvm.transform.PassContext(config=case.switches), target:
        cuda = tilelang.lower(function(**case.arguments), target=target).kernel_source

    virtual = case.arch.replace("sm_", "compute_")
    headers = site_packages() / "tilelang"
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "kernel.cu", Path(folder) / "kernel.ptx"
        source.write_text(cuda)
        run([cuda_tool("nvcc"), "-ptx", f"-gencode=arch={virtual},code={virtual}", *OPTIONS,
             "-I", headers / "src", "-I", headers / "3rdparty" / "cutlass" / "include",
             "-o", output, source])
        return output.read_text()


def make(case: Case) -> Kernel:
    short = case.arch.replace("_", "").removesuffix("a")
    return Kernel(name=f"tilelang_{short}_{case.name}", peer="tilelang", arch=case.arch,
                  suite=case.suite,
                  inputs=inputs(sources=sorted(FOLDER.glob("*.py")), packages=PACKAGES,
                                code=[compile_case], options=[*OPTIONS, repr(case)]),
                  build=lambda: compile_case(case))


def kernels() -> list[Kernel]:
    return [make(case) for case in CASES + SWEEPS]
