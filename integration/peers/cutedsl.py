# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CuTe DSL: our kernels in kernels/cutedsl, compiled for a GPU that is not there.

A row names a module and the options of its `program`; `types` are options whose
values are types of the `cutlass` package, by name.
"""

import importlib
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from .kernel import Kernel, inputs

FOLDER = Path(__file__).parent / "kernels" / "cutedsl"
PACKAGES = ("nvidia-cutlass-dsl", "nvidia-cutlass-dsl-libs-base",
            "nvidia-cutlass-dsl-libs-core", "nvidia-cutlass-dsl-libs-cu12")


@dataclass(frozen=True)
class Case:
    name: str
    arch: str
    module: str
    options: dict = field(default_factory=dict)
    types: dict = field(default_factory=dict)


PAIR = dict(tile=(256, 128), ctas=2)
FP8 = dict(ab="Float8E4M3FN")
NVFP4 = dict(ab="Float4E2M1FN", scale="Float8E4M3FN")

CASES = (
    Case("bf16", "sm_90a", "gemm_sm90"),
    Case("bf16_multicast_persistent", "sm_90a", "gemm_sm90",
         dict(tile=(128, 256), cluster=(2, 1), stages=3, schedule="stride")),
    Case("fp8_multicast", "sm_90a", "gemm_sm90", dict(cluster=(1, 2)), FP8),
    Case("rms_norm", "sm_90a", "rms_norm"),
    Case("bf16_1cta", "sm_100a", "gemm_sm100"),
    Case("fp16_1cta_direct", "sm_100a", "gemm_sm100", dict(tma_store=False),
         dict(ab="Float16", c="Float32")),
    Case("bf16_2cta", "sm_100a", "gemm_sm100", dict(PAIR, cluster=(2, 1))),
    Case("bf16_2cta_persistent", "sm_100a", "gemm_sm100",
         dict(tile=(256, 256), ctas=2, cluster=(2, 1), schedule="stride")),
    Case("bf16_1cta_split_k", "sm_100a", "gemm_sm100", dict(splits=4), dict(c="Float32")),
    Case("bf16_1cta_clc", "sm_100a", "gemm_sm100", dict(schedule="clc")),
    Case("bf16_2cta_multicast_clc", "sm_100a", "gemm_sm100",
         dict(PAIR, cluster=(4, 2), schedule="clc")),
    Case("fp8_1cta_multicast", "sm_100a", "gemm_sm100", dict(cluster=(2, 2)), FP8),
    Case("tf32_2cta", "sm_100a", "gemm_sm100", dict(PAIR, cluster=(2, 1)),
         dict(ab="TFloat32", c="Float32")),
    Case("mxfp8_1cta", "sm_100a", "gemm_scaled"),
    Case("mxfp4_1cta", "sm_100a", "gemm_scaled", {}, dict(ab="Float4E2M1FN")),
    Case("nvfp4_2cta", "sm_100a", "gemm_scaled", dict(PAIR, vector=16), NVFP4),
    Case("rms_norm_dependent", "sm_100a", "rms_norm", dict(dependent=True)),
    Case("rms_norm", "sm_120a", "rms_norm"),
)


def compile_case(case: Case) -> str:
    # The DSL reads these when it is imported. It keeps PTX only with the switch,
    # and then also writes it to a folder, which is of no use here.
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(CUTE_DSL_ARCH=case.arch, CUTE_DSL_KEEP_PTX="1",
                          CUTE_DSL_DISABLE_FILE_CACHING="1", CUTE_DSL_DUMP_DIR=folder)
        import cutlass

        module = importlib.import_module(f".kernels.cutedsl.{case.module}", __package__)
        types = {name: getattr(cutlass, value) for name, value in case.types.items()}
        return cutlass.cute.compile(*module.program(**case.options, **types)).__ptx__


def make(case: Case) -> Kernel:
    short = case.arch.replace("_", "").removesuffix("a")
    return Kernel(name=f"cutedsl_{short}_{case.name}", peer="cutedsl", arch=case.arch,
                  suite="core",
                  inputs=inputs(sources=sorted(FOLDER.glob("*.py")), packages=PACKAGES,
                                code=[compile_case], options=[repr(case)]),
                  build=lambda: compile_case(case))


def kernels() -> list[Kernel]:
    return [make(case) for case in CASES]
