# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton: our kernels in kernels/triton, compiled for a GPU that is not there.

A row names a function, the types of its arguments in Triton's own spelling
(`:16` says that a pointer or an integer is divisible by 16, as Triton finds out
itself when it launches) and its compile-time arguments.
"""

import importlib
import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from .kernel import BuildError, Kernel, inputs


@dataclass(frozen=True)
class Case:
    """One function with its arguments, for each of `arches`. `options` are those
    of Triton's CUDA back end."""

    name: str
    function: str
    types: str
    constants: dict
    options: dict = field(default_factory=dict)
    arches: tuple[str, ...] = ("sm_90a", "sm_100a")
    suite: str = field(default="core", repr=False)  # repr is of what is compiled


TILE = dict(BM=128, BN=128, BK=64)
POINTERS = "*bf16:16 *bf16:16 {d}:16 i32 i32 i32:16 i32:16 i32:16 i32:16"
SM90 = ("sm_90a",)
SM100 = ("sm_100a",)
SM120 = ("sm_120a",)


def descriptors(element: str, bm: int, bn: int, bk: int, result: str = "bf16") -> list[str]:
    """The types of the operands and of the result of a tile."""
    return [f"tensordesc<{element}[{bm},{bk}]>", f"tensordesc<{element}[{bn},{bk}]>",
            f"tensordesc<{result}[{bm},{bn}]>"]


def gemm_types(element: str, *tile: int) -> str:
    a, b, d = descriptors(element, *tile)
    return f"{a} {b} {d} i32 i32 i32:16"


def bias_types(element: str, *tile: int) -> str:
    a, b, d = descriptors(element, *tile)
    return f"{a} {b} *bf16:16 {d} i32 i32 i32:16"


def scaled_types(element: str, scale: str, bm: int, bn: int, bytes: int) -> str:
    a, b, d = descriptors(element, bm, bn, bytes)
    return f"{a} *{scale}:16 {b} *{scale}:16 {d} i32 i32 i32:16 i32:16"


def attention_types(element: str, bm: int, bn: int, dim: int) -> str:
    q = f"tensordesc<{element}[{bm},{dim}]>"
    k = f"tensordesc<{element}[{bn},{dim}]>"
    return f"{q} {k} {k} {q} *fp32:16 fp32 i32:16"


CASES = (
    Case("gemm_pointer", "gemm.pointer", POINTERS.format(d="*bf16"),
         dict(TILE, GROUP=8), dict(num_warps=8)),
    Case("gemm_split_k", "gemm.split_k", POINTERS.format(d="*fp32"),
         dict(BM=64, BN=128, BK=64, SPLIT=4)),
    Case("gemm_fp16_gelu", "gemm.descriptor", bias_types("fp16", 128, 128, 64),
         dict(TILE, GROUP=8), dict(num_warps=8, num_stages=4)),
    Case("gemm_fp8_gelu", "gemm.descriptor", bias_types("fp8e4nv", 128, 256, 128),
         dict(BM=128, BN=256, BK=128, GROUP=8), dict(num_warps=8)),
    Case("gemm_persistent", "gemm.persistent", gemm_types("bf16", 128, 256, 64),
         dict(BM=128, BN=256, BK=64, GROUP=8, FLATTEN=True, SPECIALIZE=False),
         dict(num_warps=8)),
    # On sm_90a Triton specializes no flattened loop.
    Case("gemm_specialized", "gemm.persistent", gemm_types("bf16", 64, 128, 64),
         dict(BM=64, BN=128, BK=64, GROUP=8, FLATTEN=False, SPECIALIZE=True), {}, SM90),
    Case("gemm_specialized", "gemm.persistent", gemm_types("bf16", 128, 128, 64),
         dict(TILE, GROUP=8, FLATTEN=True, SPECIALIZE=True), {}, SM100),
    Case("gemm_clc", "gemm.descriptor", bias_types("bf16", 128, 128, 64),
         dict(TILE, GROUP=8), dict(clc=True), SM100),
    Case("gemm_cluster", "gemm.descriptor", bias_types("bf16", 256, 128, 64),
         dict(BM=256, BN=128, BK=64, GROUP=8), dict(num_ctas=2)),
    Case("gemm_grouped", "gemm.grouped", "*i64:16 *i64:16 *i64:16 *i32:16 i32", TILE,
         dict(num_warps=8)),
    Case("gemm_mxfp8", "scaled.scaled", scaled_types("fp8e4nv", "u8", 128, 128, 128),
         dict(BM=128, BN=128, BK=128, FORMAT="e4m3", VECTOR=32, PACKED=1)),
    Case("gemm_nvfp4", "scaled.scaled", scaled_types("u8", "fp8e4nv", 128, 128, 128),
         dict(BM=128, BN=128, BK=256, FORMAT="e2m1", VECTOR=16, PACKED=2), {}, SM100),
    Case("softmax", "rows.softmax", "*bf16:16 *bf16:16 i32 i32 i32:16", dict(BLOCK=2048),
         {}, SM90),
    Case("rms_norm", "rows.rms_norm", "*bf16:16 *bf16:16 *bf16:16 i32:16 i32:16 fp32",
         dict(BLOCK=1024), {}, SM100),
    Case("attention", "attention.forward", attention_types("bf16", 128, 64, 128),
         dict(BM=128, BN=64, DIM=128, CAUSAL=True, SPECIALIZE=False), dict(num_warps=8)),
    Case("attention_specialized", "attention.forward",
         attention_types("fp16", 128, 128, 64),
         dict(BM=128, BN=128, DIM=64, CAUSAL=False, SPECIALIZE=True), {}, SM100),
    # 99 KiB of shared memory: smaller tiles.
    Case("gemm_fp16_gelu", "gemm.descriptor", bias_types("fp16", 128, 128, 64),
         dict(TILE, GROUP=8), dict(num_warps=8, num_stages=2), SM120),
    Case("gemm_mxfp8", "scaled.scaled", scaled_types("fp8e4nv", "u8", 128, 128, 128),
         dict(BM=128, BN=128, BK=128, FORMAT="e4m3", VECTOR=32, PACKED=1),
         dict(num_stages=2), SM120),
    Case("gemm_nvfp4", "scaled.scaled", scaled_types("u8", "fp8e4nv", 128, 128, 128),
         dict(BM=128, BN=128, BK=256, FORMAT="e2m1", VECTOR=16, PACKED=2),
         dict(num_stages=2), SM120),
    Case("gemm_pointer", "gemm.pointer", POINTERS.format(d="*bf16"),
         dict(TILE, GROUP=8), dict(num_warps=8, num_stages=2), SM120),
    Case("gemm_split_k", "gemm.split_k", POINTERS.format(d="*fp32"),
         dict(BM=64, BN=128, BK=64, SPLIT=4), {}, SM120, "extended"),
    Case("gemm_fp8_gelu", "gemm.descriptor", bias_types("fp8e4nv", 128, 128, 128),
         dict(BM=128, BN=128, BK=128, GROUP=8), dict(num_warps=8, num_stages=2), SM120,
         "extended"),
    Case("gemm_persistent", "gemm.persistent", gemm_types("bf16", 128, 128, 64),
         dict(TILE, GROUP=8, FLATTEN=True, SPECIALIZE=False),
         dict(num_warps=8, num_stages=2), SM120),
    Case("gemm_grouped", "gemm.grouped", "*i64:16 *i64:16 *i64:16 *i32:16 i32", TILE,
         dict(num_warps=8, num_stages=2), SM120),
    Case("softmax", "rows.softmax", "*bf16:16 *bf16:16 i32 i32 i32:16", dict(BLOCK=2048),
         {}, SM120, "extended"),
    Case("attention", "attention.forward", attention_types("bf16", 128, 64, 64),
         dict(BM=128, BN=64, DIM=64, CAUSAL=True, SPECIALIZE=False),
         dict(num_warps=8, num_stages=2), SM120),
)


def compile_case(peer: str, case: Case, arch: str) -> str:
    """PTX of a case whose function is in kernels/<peer>, and a last line with
    what a launch of it needs."""
    import triton
    from triton.backends.compiler import GPUTarget

    if peer == "gluon":
        from triton.experimental.gluon import GluonASTSource as Source
    else:
        from triton.compiler import ASTSource as Source

    module, name = case.function.split(".")
    function = getattr(importlib.import_module(f".kernels.{peer}.{module}", __package__), name)
    words = iter(case.types.split())
    signature, attributes = {}, {}
    for position, argument in enumerate(function.arg_names):
        if argument in case.constants:
            signature[argument] = "constexpr"
            continue
        word = next(words, None)
        if word is None:
            raise BuildError(f"{case.function} has an argument {argument} "
                             f"that {case.name} gives no type")
        signature[argument], _, divisor = word.partition(":")
        if divisor:
            attributes[(position,)] = [["tt.divisibility", int(divisor)]]
    if extra := list(words):
        raise BuildError(f"{case.name} gives types that {case.function} "
                         f"has no argument for: {' '.join(extra)}")

    target = GPUTarget("cuda", int(arch.removeprefix("sm_").removesuffix("a")), 32)
    # Triton's own cache would outlive a change that only our key knows about.
    with tempfile.TemporaryDirectory() as folder:
        triton.knobs.cache.dir = folder
        compiled = triton.compile(Source(function, signature, case.constants, attributes),
                                  target=target,
                                  options={"enable_fp_fusion": True, **case.options})
    # What a launch needs and PTX does not say.
    facts = {name: getattr(compiled.metadata, name)
             for name in ("shared", "num_ctas", "tensordesc_meta", "global_scratch_size")}
    return f"{compiled.asm['ptx']}// launch: {json.dumps(facts)}\n"


def make(peer: str, case: Case, arch: str) -> Kernel:
    short = arch.replace("_", "").removesuffix("a")
    sources = sorted((Path(__file__).parent / "kernels" / peer).glob("*.py"))
    return Kernel(name=f"{peer}_{short}_{case.name}", peer=peer, arch=arch, suite=case.suite,
                  inputs=inputs(sources=sources, packages=["triton"], code=[compile_case],
                                options=[repr(case)]),
                  build=lambda: compile_case(peer, case, arch))


def kernels() -> list[Kernel]:
    return [make("triton", case, arch) for case in CASES for arch in case.arches]
