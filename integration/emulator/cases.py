# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of `peers` that run on the emulator: how each is launched, and problems
for it."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from driver import Driver
from launch_cutedsl import cutedsl_gemm, cutedsl_rms_norm, cutedsl_scaled
from launch_cutlass import cutlass_gemm, cutlass_grouped, cutlass_scaled
from launch_mojo import mojo_gemm, mojo_library, mojo_simt
from launch_tilelang import tilelang_attention, tilelang_gemm, tilelang_mxfp8
from launch_triton import (gluon_gathered, gluon_clc, gluon_lhs_in_tmem, gluon_split_k,
                           gluon_tiled, triton_attention, triton_gelu, triton_grouped,
                           triton_persistent, triton_pointers, triton_rms_norm, triton_scaled,
                           triton_softmax)
from launches import Job, Kernel, Problem

SQUARE = Problem(256, 256, 256)
RAGGED = Problem(200, 136, 80)
SCALES = (Problem(256, 128, 256), Problem(128, 256, 1280))
SCALES_256 = (Problem(256, 256, 512), Problem(512, 128, 1280))
HEADS_128 = (Problem(256, 2, 128), Problem(384, 1, 128))
HEADS_64 = (Problem(256, 2, 64), Problem(384, 1, 64))
ROWS = (Problem(7, 1600, 1), Problem(3, 528, 1))


@dataclass(frozen=True)
class Fix:
    """What PTX doesn't allow a kernel: it must be reported with this text, and the
    kernel is right with that in the place of `pattern`."""

    report: str
    pattern: str
    replacement: str


@dataclass(frozen=True)
class Case:
    """A kernel of `peers`, how it is launched, and problems for it."""

    name: str
    element: str
    launcher: object
    options: dict = field(default_factory=dict)
    problems: tuple[Problem, ...] = (SQUARE, RAGGED)
    # Few SMs, so that small problems take several waves of CTAs, too. A cluster fits.
    sms: int = 4
    fix: Fix | None = None

    @property
    def is_gemm(self) -> bool:
        """Whether it can do any M, N and K that are multiples of 8, K of 16."""
        return self.problems[0].k > 1 and not any(
            word in self.name for word in ("attention", "mxf", "nvfp4", "split_k", "streamk",
                                           "gemm_grouped"))

    @property
    def arch(self) -> str:
        return self.name.split("_")[1].replace("sm", "sm_") + "a"


def both(name: str, *rest, **more) -> list[Case]:
    """A case for each architecture."""
    return [Case(name.format(arch=arch), *rest, **more) for arch in ("sm90", "sm100")]


WIDE = dict(bm=128, bn=256)

# The sums of CTAs that share a tile go back to tensor memory, and are loaded for the
# epilogue without a wait.
WAIT_FOR_STORES = Fix("there was no tcgen05.wait::st behind it",
                      r"(tcgen05\.st\.sync[^;]*;)", r"\1 tcgen05.wait::st.sync.aligned;")
# Copies of the second CTA signal the barrier of the first, its rank masked away, which
# PTX has for .cta_group::2 alone.
OWN_BARRIER = Fix("only .cta_group::2 may signal the other CTA of a pair",
                  r"(and\.b32\s+%r\d+, %r\d+), -16777\d+;", r"\1, -1;")

CASES = [
    Case("cutlass_sm90_bf16_cooperative_bias", "bf16", cutlass_gemm, dict(bias=True)),
    Case("cutlass_sm90_fp16_pingpong_gelu", "fp16", cutlass_gemm,
         dict(bias=True, activation=True)),
    Case("cutlass_sm90_fp8_streamk", "fp8", cutlass_gemm, dict(bias=True, splits=4),
         problems=(Problem(256, 384, 1280), Problem(200, 264, 1200))),
    Case("cutlass_sm100_fp16_1sm_gelu", "fp16", cutlass_gemm,
         dict(bias=True, activation=True)),
    Case("cutlass_sm100_fp8_1sm_bias", "fp8", cutlass_gemm, dict(bias=True)),
    Case("cutlass_sm100_bf16_1sm", "bf16", cutlass_gemm,
         problems=(SQUARE, Problem(1000, 136, 80))),
    Case("cutlass_sm90_bf16_grouped", "bf16", cutlass_grouped),
    Case("cutlass_sm100_bf16_1sm_grouped", "bf16", cutlass_grouped),
    *both("triton_{arch}_gemm_pointer", "bf16", triton_pointers),
    *both("triton_{arch}_gemm_split_k", "bf16", triton_pointers, dict(bm=64, splits=4)),
    *both("triton_{arch}_gemm_fp16_gelu", "fp16", triton_gelu),
    *both("triton_{arch}_gemm_fp8_gelu", "fp8", triton_gelu, WIDE),
    *both("triton_{arch}_gemm_persistent", "bf16", triton_persistent,
          problems=(Problem(512, 512, 128), RAGGED)),
    *both("triton_{arch}_gemm_specialized", "bf16", triton_persistent),
    Case("triton_sm100_gemm_clc", "bf16", triton_gelu,
         problems=(SQUARE, Problem(1000, 136, 80))),
    *both("triton_{arch}_gemm_cluster", "bf16", triton_gelu, dict(bm=256)),
    *both("triton_{arch}_gemm_grouped", "bf16", triton_grouped,
          problems=(SQUARE, Problem(200, 144, 80))),
    Case("gluon_sm90_wgmma_bf16", "bf16", gluon_tiled),
    Case("gluon_sm90_wgmma_fp8", "fp8", gluon_tiled),
    Case("gluon_sm90_wgmma_multicast", "bf16", gluon_tiled, dict(bm=256)),
    Case("gluon_sm90_wgmma_specialized", "bf16", triton_persistent),
    Case("gluon_sm90_wgmma_split_k", "fp16", gluon_split_k,
         problems=(Problem(256, 256, 512), RAGGED)),
    Case("gluon_sm90_wgmma_cp_async", "bf16", triton_pointers, dict(flat=False)),
    Case("gluon_sm100_tcgen05_fp16", "fp16", gluon_tiled),
    Case("gluon_sm100_tcgen05_fp8", "fp8", gluon_tiled, WIDE),
    Case("gluon_sm100_specialized", "bf16", triton_persistent),
    Case("gluon_sm100_clc", "bf16", gluon_clc,
         problems=(SQUARE, Problem(1000, 144, 80))),
    Case("gluon_sm100_lhs_in_tmem", "bf16", gluon_lhs_in_tmem),
    Case("cutedsl_sm90_bf16", "bf16", cutedsl_gemm),
    Case("cutedsl_sm90_bf16_multicast_persistent", "bf16", cutedsl_gemm,
         dict(tile=(128, 256), cluster=(2, 1), stride=True)),
    Case("cutedsl_sm90_fp8_multicast", "fp8", cutedsl_gemm, dict(cluster=(1, 2))),
    Case("cutedsl_sm100_bf16_1cta", "bf16", cutedsl_gemm),
    Case("cutedsl_sm100_fp16_1cta_direct", "fp16", cutedsl_gemm,
         dict(result="fp32", direct=True)),
    Case("cutedsl_sm100_bf16_1cta_split_k", "bf16", cutedsl_gemm,
         dict(result="fp32", splits=4), problems=(SQUARE, Problem(200, 136, 272))),
    Case("cutedsl_sm100_bf16_1cta_clc", "bf16", cutedsl_gemm,
         problems=(SQUARE, Problem(1000, 136, 80))),
    Case("cutedsl_sm100_fp8_1cta_multicast", "fp8", cutedsl_gemm, dict(cluster=(2, 2))),
    # CTA pairs.
    Case("cutlass_sm100_bf16_2sm", "bf16", cutlass_gemm),
    Case("cutlass_sm100_fp16_2sm_gelu", "fp16", cutlass_gemm, dict(bias=True, activation=True),
         sms=8),
    Case("cutlass_sm100_fp8_2sm_bias", "fp8", cutlass_gemm, dict(bias=True)),
    Case("cutlass_sm100_bf16_2sm_streamk", "bf16", cutlass_gemm, dict(splits=4),
         problems=(Problem(256, 384, 1024), Problem(200, 264, 1000)), fix=WAIT_FOR_STORES),
    Case("cutedsl_sm100_bf16_2cta_multicast_clc", "bf16", cutedsl_gemm,
         dict(tile=(256, 128), pair=2, cluster=(4, 2)),
         problems=(Problem(1024, 512, 256), Problem(1000, 136, 80)), sms=8),
    Case("gluon_sm100_specialized_2cta", "bf16", triton_persistent),
    Case("gluon_sm100_clc_2cta", "bf16", gluon_clc, dict(bm=256),
         problems=(Problem(512, 256, 256), Problem(1000, 144, 80))),
    Case("cutedsl_sm100_bf16_2cta", "bf16", cutedsl_gemm,
         dict(tile=(256, 128), pair=2, cluster=(2, 1))),
    Case("cutedsl_sm100_bf16_2cta_persistent", "bf16", cutedsl_gemm,
         dict(tile=(256, 256), pair=2, cluster=(2, 1), stride=True)),
    Case("cutedsl_sm100_tf32_2cta", "tf32", cutedsl_gemm,
         dict(tile=(256, 128), pair=2, cluster=(2, 1), result="fp32")),
    # Block scales.
    *both("triton_{arch}_gemm_mxfp8", "mxfp8", triton_scaled, problems=SCALES),
    Case("triton_sm100_gemm_nvfp4", "nvfp4", triton_scaled, problems=SCALES),
    Case("gluon_sm100_mxfp8", "mxfp8", triton_scaled, dict(packed=True), problems=SCALES),
    Case("gluon_sm100_nvfp4", "nvfp4", triton_scaled, dict(packed=True), problems=SCALES),
    Case("gluon_sm100_mxfp8_2cta", "mxfp8", triton_scaled, dict(packed=True, bm=256),
         problems=SCALES_256),
    Case("gluon_sm100_nvfp4_2cta", "nvfp4", triton_scaled, dict(packed=True, bm=256),
         problems=SCALES_256),
    Case("cutlass_sm100_mxfp8_1sm", "mxfp8", cutlass_scaled, problems=SCALES),
    Case("cutlass_sm100_nvfp4_2sm", "nvfp4", cutlass_scaled, problems=SCALES_256),
    Case("cutedsl_sm100_mxfp8_1cta", "mxfp8", cutedsl_scaled, problems=SCALES),
    Case("cutedsl_sm100_mxfp4_1cta", "mxfp4", cutedsl_scaled, problems=SCALES),
    Case("cutedsl_sm100_nvfp4_2cta", "nvfp4", cutedsl_scaled, dict(tile=(256, 128), pair=2),
         problems=SCALES_256),
    # What isn't a GEMM: heads of so many rows and columns, and rows.
    *both("triton_{arch}_attention", "bf16", triton_attention, dict(bm=128, bn=64, causal=True),
          problems=HEADS_128),
    Case("triton_sm100_attention_specialized", "fp16", triton_attention, dict(bm=128, bn=128),
         problems=HEADS_64),
    Case("gluon_sm90_attention", "fp16", triton_attention, dict(bm=64, bn=64, sums=False),
         problems=HEADS_128),
    Case("gluon_sm100_attention", "bf16", triton_attention, dict(bm=128, bn=128, sums=False),
         problems=HEADS_64),
    Case("triton_sm90_softmax", "bf16", triton_softmax, problems=ROWS),
    Case("triton_sm100_rms_norm", "bf16", triton_rms_norm, problems=ROWS),
    Case("cutedsl_sm90_rms_norm", "bf16", cutedsl_rms_norm, problems=ROWS),
    Case("cutedsl_sm100_rms_norm_dependent", "bf16", cutedsl_rms_norm, problems=ROWS),
    Case("gluon_sm100_gathered", "bf16", gluon_gathered),
    # mma.sync, with block scales and without.
    Case("triton_sm120_gemm_fp16_gelu", "fp16", triton_gelu),
    Case("triton_sm120_gemm_mxfp8", "mxfp8", triton_scaled, problems=SCALES),
    Case("triton_sm120_gemm_nvfp4", "nvfp4", triton_scaled, problems=SCALES),
    Case("triton_sm120_gemm_pointer", "bf16", triton_pointers),
    Case("triton_sm120_gemm_persistent", "bf16", triton_persistent),
    Case("triton_sm120_gemm_grouped", "bf16", triton_grouped,
         problems=(SQUARE, Problem(200, 144, 80))),
    Case("triton_sm120_attention", "bf16", triton_attention, dict(bm=128, bn=64, causal=True),
         problems=HEADS_64),
    Case("cutlass_sm120_fp8_cooperative_bias", "fp8", cutlass_gemm, dict(bias=True)),
    Case("cutlass_sm120_mxfp8_cooperative", "mxfp8", cutlass_scaled, problems=SCALES),
    Case("cutedsl_sm120_rms_norm", "bf16", cutedsl_rms_norm, problems=ROWS),
]


# TileLang's problems are fixed in its kernels.
CUBE = (Problem(512, 512, 512),)
MOJO = (SQUARE, Problem(200, 144, 80))
EXTENDED = [
    Case("tilelang_sm90_gemm", "bf16", tilelang_gemm, problems=(Problem(500, 512, 320),)),
    Case("tilelang_sm90_gemm_fp8", "fp8", tilelang_gemm, problems=CUBE),
    Case("tilelang_sm90_gemm_bias_relu", "bf16", tilelang_gemm, dict(bias=True), problems=CUBE),
    Case("tilelang_sm90_attention_causal", "bf16", tilelang_attention,
         dict(queries=64, causal=True), problems=(Problem(500, 2, 128),)),
    Case("tilelang_sm100_gemm", "bf16", tilelang_gemm, problems=CUBE),
    Case("tilelang_sm100_gemm_specialized", "bf16", tilelang_gemm, dict(rows_first=True),
         problems=CUBE),
    Case("tilelang_sm100_gemm_2cta", "bf16", tilelang_gemm,
         dict(tile=(256, 128), pair=2, rows_first=True), problems=CUBE),
    Case("tilelang_sm100_attention", "bf16", tilelang_attention,
         dict(queries=128, causal=False), problems=(Problem(512, 2, 64),)),
    Case("tilelang_sm100_gemm_mxfp8", "mxfp8", tilelang_mxfp8, problems=CUBE),
    Case("tilelang_sm120_gemm", "bf16", tilelang_gemm, problems=(Problem(500, 512, 320),)),
    Case("tilelang_sm120_gemm_fp8", "fp8", tilelang_gemm, problems=CUBE),
    Case("tilelang_sm120_attention_causal", "bf16", tilelang_attention,
         dict(queries=64, causal=True), problems=(Problem(500, 2, 128),)),
    *both("mojo_{arch}_simt_gemm", "fp32", mojo_simt, problems=MOJO),
    Case("mojo_sm90_wgmma_gemm", "bf16", mojo_gemm, dict(threads=288), problems=MOJO),
    Case("mojo_sm100_tcgen05_gemm", "bf16", mojo_gemm, dict(threads=192), problems=MOJO),
    Case("mojo_sm90_library_gemm", "bf16", mojo_library, dict(threads=384),
         problems=(*CUBE, Problem(200, 512, 512)), fix=OWN_BARRIER),
    Case("mojo_sm100_library_gemm", "bf16", mojo_library, dict(threads=224),
         problems=(*CUBE, Problem(200, 512, 512))),
    Case("triton_sm120_gemm_split_k", "bf16", triton_pointers, dict(bm=64, splits=4)),
    Case("triton_sm120_gemm_fp8_gelu", "fp8", triton_gelu),
    Case("triton_sm120_softmax", "bf16", triton_softmax, problems=ROWS),
]


def load_case(case: Case, driver: Driver, path: Path, fixed: bool = True) -> Kernel:
    text = path.read_text()
    if case.fix and fixed:
        text, count = re.subn(case.fix.pattern, case.fix.replacement, text)
        if not count:
            raise ValueError(f"{case.name} has nothing to fix")
    return Kernel(driver, case.name, case.arch, text)


def make_job(case: Case, kernel: Kernel, problem: Problem) -> Job:
    return case.launcher(kernel, problem, np.random.default_rng(1), element=case.element,
                         **case.options)


def problem_of(case: Case, wanted: Problem) -> Problem:
    """That one if it can be done, and the deepest of the case's own otherwise."""
    return wanted if case.is_gemm else max(case.problems, key=lambda problem: problem.k)
