# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DeepGEMM: instantiations of its FP8 kernel, through nvcc. Its headers, and the CuTe
that they were written for, are in SGLang's package of kernels.

A row has the template's arguments that DeepGEMM's own rules choose for a shape on 132
SMs: the tile, slots, CTAs that share a copy, and the swizzle of D's rows.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from .kernel import Kernel, cuda_tool, inputs, run, site_packages

PACKAGES = ("sgl-kernel", "nvidia-cuda-nvcc", "nvidia-cuda-crt", "nvidia-cuda-runtime",
            "nvidia-cuda-cccl", "nvidia-nvvm")
OPTIONS = ("-std=c++20", "-O3", "--expt-relaxed-constexpr", "--expt-extended-lambda", "-w")


@dataclass(frozen=True)
class Case:
    m: int
    n: int
    k: int
    bm: int
    bn: int
    stages: int
    multicast: int  # of A
    swizzle: int

    @property
    def name(self) -> str:
        return f"deepgemm_sm90_{self.m}x{self.n}x{self.k}"


CASES = (
    Case(64, 2112, 7168, 64, 16, 8, 1, 32),
    Case(64, 24576, 1536, 64, 96, 4, 1, 64),
    Case(64, 32768, 512, 64, 128, 4, 1, 128),
    Case(64, 7168, 16384, 64, 56, 8, 1, 0),
    Case(64, 4096, 7168, 64, 32, 8, 1, 64),
    Case(64, 7168, 2048, 64, 56, 8, 1, 0),
    Case(128, 2112, 7168, 64, 32, 8, 1, 64),
    Case(128, 24576, 1536, 128, 96, 4, 1, 64),
    Case(128, 32768, 512, 128, 128, 4, 1, 128),
    Case(128, 7168, 16384, 64, 112, 8, 1, 32),
    Case(128, 4096, 7168, 64, 64, 8, 1, 128),
    Case(128, 7168, 2048, 64, 112, 8, 1, 32),
    Case(4096, 2112, 7168, 256, 88, 4, 2, 0),
    Case(4096, 24576, 1536, 256, 128, 3, 2, 128),
    Case(4096, 32768, 512, 256, 128, 3, 2, 128),
    Case(4096, 7168, 16384, 256, 128, 3, 2, 128),
    Case(4096, 4096, 7168, 256, 128, 3, 2, 128),
    Case(4096, 7168, 2048, 256, 128, 3, 2, 128),
)


def compile_case(case: Case) -> str:
    arguments = (case.n, case.k, case.bm, case.bn, 128, 0, case.swizzle, 1, case.stages, 128,
                 128, case.multicast, "true", "GemmType::Normal")
    headers = site_packages() / "deep_gemm" / "include"
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "kernel.cu", Path(folder) / "kernel.ptx"
        source.write_text("#include <cuda.h>\n#include <cuda_bf16.h>\n#include <cuda_fp8.h>\n"
                          "#include <deep_gemm/fp8_gemm.cuh>\n"
                          "using namespace deep_gemm;\n"
                          f"auto *kernel = &fp8_gemm_kernel<{', '.join(map(str, arguments))}>;\n")
        run([cuda_tool("nvcc"), "-ptx", "-gencode=arch=compute_90a,code=compute_90a", *OPTIONS,
             "-I", headers, "-o", output, source])
        return output.read_text()


def make(case: Case) -> Kernel:
    return Kernel(name=case.name, peer="deepgemm", arch="sm_90a", suite="timing",
                  inputs=inputs(sources=(), packages=PACKAGES, code=[compile_case],
                                options=[*OPTIONS, repr(case)]),
                  build=lambda: compile_case(case))


def kernels() -> list[Kernel]:
    return [make(case) for case in CASES]
