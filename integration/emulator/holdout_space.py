# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What hold-out kernels are drawn from: twelve families, three of each compiler's.

A family has a table of values, of which a draw takes one each, and a function that
makes of them what compiles the kernel and the case that launches it. Sizes of a
problem are drawn, too; `step` is what M, N and K are multiples of, beside 8. What
can't be asked for (`allowed`) is drawn again; so is what the peer's compiler refuses.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cases import Case, Problem
from elements import SCALED
from launch_cutedsl import cutedsl_gemm, cutedsl_scaled
from launch_cutlass import cutlass_gemm, cutlass_scaled
from launch_triton import (gluon_clc, gluon_tiled, triton_attention, triton_gelu,
                           triton_persistent, triton_scaled)

sys.path.insert(0, str(Path(__file__).parents[1]))
from peers import cutedsl, cutlass, gluon, triton  # noqa: E402

ARCHES = ("sm_90a", "sm_100a")
BYTES = {"bf16": 2, "fp16": 2, "fp8": 1, "tf32": 4}
TRITON = {"bf16": "bf16", "fp16": "fp16", "fp8": "fp8e4nv"}
CUTE = {"bf16": "BFloat16", "fp16": "Float16", "fp8": "Float8E4M3FN", "tf32": "TFloat32",
        "fp32": "Float32"}
CUTLASS = {"bf16": "bf16", "fp16": "fp16", "fp8": "e4m3", "tf32": "cutlass::tfloat32_t"}
CLUSTERS = ((1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (1, 4), (4, 2), (2, 4))
# As tl.dot_scaled has them: format, bytes of a block's scales.
FORMATS = {"mxfp8": ("e4m3", "fp8e4nv", "u8"), "mxfp4": ("e2m1", "u8", "u8"),
           "nvfp4": ("e2m1", "u8", "fp8e4nv")}


@dataclass(frozen=True)
class Kernel:
    """What compiles it to PTX, and how it is launched."""

    compile: Callable[[], str]
    case: Case


@dataclass(frozen=True)
class Family:
    values: dict
    make: Callable[[dict, tuple[Problem]], Kernel]
    allowed: Callable[[dict], bool] = lambda v: True
    step: tuple[int, int, int] = (8, 8, 16)
    # Bytes of shared memory, if the compiler doesn't say.
    shared: Callable[[dict], int] = lambda v: 0


def case_of(peer: str, v: dict, launcher, options: dict, problems) -> Case:
    short = v["arch"].replace("_", "").removesuffix("a")
    x, y = v.get("cluster", (1, 1))
    return Case(f"{peer}_{short}_holdout", v["element"], launcher, options, problems,
                sms=max(4, x * y))


def k_of(v: dict) -> int:
    """128 bytes along K, in elements."""
    return 128 // BYTES[v["element"]]


# CUTLASS

def make_cutlass(v, row, launcher, options, problems):
    return Kernel(lambda: cutlass.compile_row(row, v["arch"]),
                  case_of("cutlass", v, launcher, dict(options, row=row), problems))


def row_of(v, element, tile, mainloop, epilogue, fusion, scheduler) -> str:
    short = v["arch"].replace("_", "").removesuffix("a").capitalize()
    return (f"{short}, {element}, Tile<{', '.join(map(str, tile))}>, "
            f"Cluster<{v['cluster'][0]}, {v['cluster'][1]}>, {mainloop}, ep::{epilogue}, "
            f"{fusion}, {scheduler}")


def fusion_options(v) -> dict:
    return dict(bias=v["fusion"] != "Linear", activation=v["fusion"] == "BiasGelu")


def cutlass_dense(v, problems):
    sms = v["ctas"]
    row = row_of(v, CUTLASS[v["element"]], (128 * sms, v["bn"], k_of(v)),
                 f"KernelTmaWarpSpecialized{sms}SmSm100", f"TmaWarpSpecialized{sms}Sm",
                 v["fusion"], "void")
    return make_cutlass(v, row, cutlass_gemm, fusion_options(v), problems)


def cutlass_block_scaled(v, problems):
    sms, kind = v["ctas"], {"mxfp8": "Mxf8f6f4", "nvfp4": "Nvf4"}[v["element"]]
    row = row_of(v, v["element"], (128 * sms, v["bn"], 128 * SCALED[v["element"]].packed),
                 f"KernelTmaWarpSpecialized{sms}Sm{kind}Sm100", f"TmaWarpSpecialized{sms}Sm",
                 "Linear", "void")
    return make_cutlass(v, row, cutlass_scaled, {}, problems)


def cutlass_hopper(v, problems):
    ping_pong = v["schedule"] == "Pingpong"
    fast = "FP8FastAccum" if v["element"] == "fp8" and v["fast"] else ""
    row = row_of(v, CUTLASS[v["element"]], (v["bm"], v["bn"], k_of(v)),
                 f"KernelTmaWarpSpecialized{v['schedule']}{fast}",
                 "TmaWarpSpecialized" + ("" if ping_pong else "Cooperative"), v["fusion"],
                 "PersistentScheduler")
    return make_cutlass(v, row, cutlass_gemm, fusion_options(v), problems)


def whole_pairs(v) -> bool:
    return v["cluster"][0] % v["ctas"] == 0


FUSIONS = ("Linear", "Bias", "BiasGelu")

# CuTe DSL


def cute_options(v, **more) -> dict:
    return dict(tile=v["tile"], cluster=v["cluster"], stages=v["stages"],
                schedule=v["schedule"], **more)


def make_cute(v, module, options, types, launcher, launch, problems):
    row = cutedsl.Case("holdout", v["arch"], module, options, types)
    return Kernel(lambda: cutedsl.compile_case(row),
                  case_of("cutedsl", v, launcher, launch, problems))


def cute_blackwell(v, problems):
    tile = (128 * v["ctas"], v["bn"])
    v = dict(v, tile=tile)
    options = cute_options(v, ctas=v["ctas"], tma_store=not v["direct"])
    types = dict(ab=CUTE[v["element"]], c=CUTE[v["result"]])
    launch = dict(tile=tile, cluster=v["cluster"], pair=v["ctas"], result=v["result"],
                  stride=v["schedule"] == "stride", direct=v["direct"])
    return make_cute(v, "gemm_sm100", options, types, cutedsl_gemm, launch, problems)


def cute_block_scaled(v, problems):
    v = dict(v, cluster=(v["ctas"], 1))
    tile = (128 * v["ctas"], 128)
    form = SCALED[v["element"]]
    options = dict(tile=tile, ctas=v["ctas"], stages=v["stages"], vector=form.vector)
    types = dict(ab="Float4E2M1FN" if form.packed == 2 else "Float8E4M3FN",
                 scale="Float8E8M0FNU" if form.scale == "e8m0" else "Float8E4M3FN")
    return make_cute(v, "gemm_scaled", options, types, cutedsl_scaled,
                     dict(tile=tile, pair=v["ctas"]), problems)


def cute_hopper(v, problems):
    launch = dict(tile=v["tile"], cluster=v["cluster"], stride=v["schedule"] == "stride")
    return make_cute(v, "gemm_sm90", cute_options(v), dict(ab=CUTE[v["element"]]),
                     cutedsl_gemm, launch, problems)


def cute_shared(rows, scales, staged) -> Callable[[dict], int]:
    """Of a slot: rows of 128 bytes, and scales; and of what is staged for C."""
    return lambda v: 1024 + v["stages"] * (128 * rows(v) + scales(v)) + staged(v)


# Triton and Gluon

def make_triton(peer, v, row, launcher, launch, problems):
    return Kernel(lambda: triton.compile_case(peer, row, v["arch"]),
                  case_of(peer, dict(v, cluster=(row.options.get("num_ctas", 1), 1)), launcher,
                          launch, problems))


def triton_cluster(v, problems):
    bk = v["k_bytes"] // BYTES[v["element"]]
    row = triton.Case("holdout", "gemm.descriptor",
                      triton.bias_types(TRITON[v["element"]], v["bm"], v["bn"], bk),
                      dict(BM=v["bm"], BN=v["bn"], BK=bk, GROUP=8),
                      dict(num_ctas=v["ctas"], num_warps=v["warps"], num_stages=v["stages"]))
    return make_triton("triton", v, row, triton_gelu, dict(bm=v["bm"], bn=v["bn"]), problems)


def triton_block_scaled(v, problems):
    form = SCALED[v["element"]]
    name, stored, scale = FORMATS[v["element"]]
    bk = 128 * form.packed
    row = triton.Case("holdout", "scaled.scaled",
                      triton.scaled_types(stored, scale, v["bm"], v["bn"], 128),
                      dict(BM=v["bm"], BN=v["bn"], BK=bk, FORMAT=name, VECTOR=form.vector,
                           PACKED=form.packed),
                      dict(num_warps=v["warps"], num_stages=v["stages"]))
    return make_triton("triton", v, row, triton_scaled, dict(bm=v["bm"], bn=v["bn"]), problems)


def triton_heads(v, problems):
    row = triton.Case("holdout", "attention.forward",
                      triton.attention_types(v["element"], v["bm"], v["bn"], v["dim"]),
                      dict(BM=v["bm"], BN=v["bn"], DIM=v["dim"], CAUSAL=v["causal"],
                           SPECIALIZE=v["specialize"]),
                      dict(num_warps=v["warps"], num_stages=v["stages"]))
    heads = tuple(Problem(p.m, 1 + p.n % 3, v["dim"]) for p in problems)
    return make_triton("triton", v, row, triton_attention,
                       dict(bm=v["bm"], bn=v["bn"], causal=v["causal"]), heads)


def gluon_pair(v, problems):
    bm = 128 * v["ctas"]
    halves = gluon.HALVES if v["ctas"] == 2 else "[]"
    constants = dict(STAGES=v["stages"], PAIR=v["ctas"] == 2)
    options = dict(num_ctas=v["ctas"], num_warps=v["warps"])
    if v["clc"]:
        row = triton.Case("holdout", "clc.matmul", gluon.clc_types(bm, v["bn"], halves),
                          constants, options)
        return make_triton("gluon", v, row, gluon_clc, dict(bm=bm, bn=v["bn"]), problems)
    types = gluon.gemm(TRITON[v["element"]], bm, v["bn"], k_of(v), cga=(halves,) * 3)
    row = triton.Case("holdout", "blackwell.specialized", f"{types} i32 i32 i32:16", constants,
                      options)
    return make_triton("gluon", v, row, triton_persistent, {}, problems)


def gluon_block_scaled(v, problems):
    form, pair = SCALED[v["element"]], v["ctas"] == 2
    name, stored, scale = FORMATS[v["element"]]
    pieces = 128 * form.packed // form.vector // 4
    row = triton.Case("holdout", "scaled.matmul",
                      gluon.scaled_types(stored, scale, pieces, pair),
                      dict(FORMAT=name, VECTOR=form.vector, PACKED=form.packed,
                           STAGES=v["stages"], PAIR=pair), dict(num_ctas=v["ctas"]))
    return make_triton("gluon", v, row, triton_scaled,
                       dict(packed=True, bm=128 * v["ctas"]), problems)


def gluon_multicast(v, problems):
    types = gluon.gemm(v["element"], v["bm"], v["bn"], 64,
                       cga=(gluon.HALVES, gluon.WHOLE, gluon.HALVES))
    row = triton.Case("holdout", "hopper.multicast", f"{types} i32:16",
                      dict(STAGES=v["stages"]), dict(num_ctas=2, num_warps=v["warps"]))
    return make_triton("gluon", v, row, gluon_tiled, dict(bm=v["bm"], bn=v["bn"]), problems)


BLACKWELL, HOPPER = ("sm_100a",), ("sm_90a",)
SCALES = tuple(SCALED)

FAMILIES = {
    "cutlass dense": Family(
        dict(arch=BLACKWELL, element=tuple(BYTES), ctas=(1, 2), bn=(64, 128, 192, 256),
             cluster=CLUSTERS, fusion=FUSIONS), cutlass_dense, whole_pairs),
    "cutlass block-scaled": Family(
        dict(arch=BLACKWELL, element=("mxfp8", "nvfp4"), ctas=(1, 2), bn=(128, 192, 256),
             cluster=CLUSTERS), cutlass_block_scaled, whole_pairs, (8, 8, 64)),
    "cutlass hopper": Family(
        dict(arch=HOPPER, element=tuple(BYTES), bm=(64, 128, 256), bn=(64, 128, 192, 256),
             cluster=CLUSTERS, schedule=("Cooperative", "Pingpong"), fast=(False, True),
             fusion=FUSIONS), cutlass_hopper),
    "cutedsl blackwell": Family(
        dict(arch=BLACKWELL, element=tuple(BYTES), ctas=(1, 2), bn=(64, 128, 192, 256),
             cluster=CLUSTERS, stages=(2, 3, 5), schedule=("grid", "stride", "clc"),
             result=("bf16", "fp32"), direct=(False, True)), cute_blackwell, whole_pairs,
        shared=cute_shared(lambda v: 128 + v["bn"] // v["ctas"], lambda v: 0,
                           lambda v: 0 if v["direct"] else 32768)),
    "cutedsl block-scaled": Family(
        dict(arch=BLACKWELL, element=SCALES, ctas=(1, 2), stages=(2, 3, 5)),
        cute_block_scaled, step=(8, 8, 64),
        shared=cute_shared(lambda v: 128 + 128 // v["ctas"],
                           lambda v: 256 * 128 * SCALED[v["element"]].packed
                           // SCALED[v["element"]].vector, lambda v: 32768)),
    "cutedsl hopper": Family(
        dict(arch=HOPPER, element=("bf16", "fp16", "fp8"), tile=((128, 64), (128, 128), (128, 192),
                                                                (128, 256)),
             cluster=CLUSTERS, stages=(2, 3, 5), schedule=("grid", "stride")), cute_hopper,
        shared=cute_shared(lambda v: sum(v["tile"]), lambda v: 0,
                           lambda v: 2 * v["tile"][0] * v["tile"][1])),
    "triton cluster": Family(
        dict(arch=ARCHES, element=tuple(TRITON), ctas=(2, 4), bm=(128, 256),
             bn=(64, 128, 256), k_bytes=(64, 128), warps=(4, 8), stages=(2, 3, 5)),
        triton_cluster),
    "triton block-scaled": Family(
        dict(arch=ARCHES, element=SCALES, bm=(128, 256), bn=(128, 256), warps=(4, 8),
             stages=(1, 2, 3)), triton_block_scaled, step=(256, 256, 256)),
    "triton attention": Family(
        dict(arch=ARCHES, element=("bf16", "fp16"), bm=(64, 128), bn=(32, 64, 128),
             dim=(64, 128), causal=(False, True), specialize=(False, True), warps=(4, 8),
             stages=(2, 3)), triton_heads, step=(128, 8, 16)),
    "gluon pair": Family(
        dict(arch=BLACKWELL, element=tuple(TRITON), ctas=(1, 2), bn=(64, 128, 256),
             stages=(2, 3, 5), warps=(4, 8), clc=(False, True)), gluon_pair,
        lambda v: not v["clc"] or v["element"] == "bf16"),
    "gluon block-scaled": Family(
        dict(arch=BLACKWELL, element=SCALES, ctas=(1, 2), stages=(2, 4)), gluon_block_scaled,
        step=(256, 128, 256)),
    "gluon multicast": Family(
        dict(arch=HOPPER, element=("bf16", "fp16"), bm=(128, 256, 512), bn=(64, 128, 256),
             stages=(2, 3, 5), warps=(4, 8)), gluon_multicast),
}
