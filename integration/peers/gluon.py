# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gluon, which comes with Triton: our kernels in kernels/gluon. Rows are those
of triton.py, and a descriptor's type says how its blocks lie in shared memory."""

from .kernel import Kernel
from .triton import SM90, SM100, Case, make

BITS = {"bf16": 16, "fp16": 16, "fp32": 32, "fp8e4nv": 8, "u8": 8, "i8": 8}

# How the two CTAs of a cluster share a block: a basis for the bit of the CTA's
# rank, so that each has half of the rows, or both have all of them.
HALVES = "[[1,0]]"
WHOLE = "[[0,0]]"

MXFP8 = dict(FORMAT="e4m3", VECTOR=32, PACKED=1)
NVFP4 = dict(FORMAT="e2m1", VECTOR=16, PACKED=2)


def block(element: str, *shape: int, swizzle: int = 128, cga: str = "[]") -> str:
    """The type of a descriptor."""
    return (f"tensordesc<{element}[{','.join(map(str, shape))}],"
            f"NVMMASharedLayout({swizzle},{BITS[element]},{len(shape)},cga_layout={cga})>")


def gemm(element: str, bm: int, bn: int, bk: int, result: str = "bf16",
         cga: tuple[str, str, str] = ("[]", "[]", "[]")) -> str:
    """The types of A, B and D."""
    return " ".join([block(element, bm, bk, cga=cga[0]), block(element, bn, bk, cga=cga[1]),
                     block(result, bm, bn, cga=cga[2])])


def clc_types(bm: int, bn: int, cga: str = "[]") -> str:
    a, b, d = gemm("bf16", bm, bn, 64, cga=(cga, cga, cga)).split()
    return f"{a} {b} *fp32:16 {d} i32:16 i32:16"


def scaled_types(element: str, scale: str, pieces: int, pair: bool = False) -> str:
    """Tiles of 128 x 128 for each CTA with 128 bytes along K, and for each 128 rows
    so many pieces of 512 bytes with their scales. A row of a box has at most 256."""
    cga = (HALVES, HALVES, HALVES) if pair else ("[]", "[]", "[]")
    a, b, d = gemm(element, 256 if pair else 128, 128, 128, cga=cga).split()
    a_scales = block(scale, 2 if pair else 1, pieces, 2, 256, swizzle=0,
                     cga="[[1,0,0,0]]" if pair else "[]")
    b_scales = block(scale, 1, pieces, 2, 256, swizzle=0, cga="[[0,0,0,0]]" if pair else "[]")
    return f"{a} {a_scales} {b} {b_scales} {d} i32:16"


def sweep_types(element: str, bm: int, bn: int, slice: int, cga: tuple[str, str, str]) -> str:
    """A, B that is stored as K x N, and D in slices of its columns."""
    return (f"{block(element, bm, 64, cga=cga[0])} {block(element, 64, bn, cga=cga[1])} "
            f"{block(element, bm, slice, swizzle=min(2 * slice, 128), cga=cga[2])} "
            "i32:16 i32:16 i32:16")


def scaled_sweep_types(element: str, scale: str, pieces: int, pair: bool) -> str:
    """Tiles of 128 x 256 with 128 bytes along K, or a pair's of 256 x 256."""
    cga = HALVES if pair else "[]"
    rows = 256 if pair else 128
    a_scales = block(scale, rows // 128, pieces, 2, 256, swizzle=0,
                     cga="[[1,0,0,0]]" if pair else "[]")
    b_scales = block(scale, 2, pieces, 2, 256, swizzle=0, cga="[[0,0,0,0]]" if pair else "[]")
    return (f"{block(element, rows, 128, cga=cga)} {a_scales} "
            f"{block(element, 256, 128, cga=cga)} {b_scales} "
            f"{block('fp16', rows, 64 if pair else 256, cga=cga)} i32:16 i32:16 i32:16")


def attention_types(element: str, bm: int, bn: int, dim: int) -> str:
    q = block(element, bm, dim)
    k = block(element, bn, dim)
    return f"{q} {k} {k} {q} fp32 i32:16"


CASES = (
    Case("wgmma_bf16", "hopper.pipelined", f"{gemm('bf16', 128, 128, 64)} i32:16",
         dict(STAGES=4), {}, SM90),
    Case("wgmma_fp8", "hopper.pipelined", f"{gemm('fp8e4nv', 128, 128, 128)} i32:16",
         dict(STAGES=4), dict(num_warps=8), SM90),
    Case("wgmma_multicast", "hopper.multicast",
         f"{gemm('bf16', 256, 128, 64, cga=(HALVES, WHOLE, HALVES))} i32:16",
         dict(STAGES=3), dict(num_ctas=2), SM90),
    Case("wgmma_specialized", "hopper.specialized",
         f"{gemm('bf16', 128, 256, 64)} i32 i32 i32:16", dict(STAGES=3), dict(num_warps=8), SM90),
    Case("wgmma_split_k", "hopper.split_k", f"{gemm('fp16', 64, 128, 64, 'fp32')} i32:16",
         dict(SHARE=4), {}, SM90),
    Case("wgmma_cp_async", "hopper.cp_async",
         "*bf16:16 *bf16:16 *bf16:16 i32 i32 i32:16 i32:16 i32:16 i32:16",
         dict(BM=128, BN=128, BK=64, STAGES=3), dict(num_warps=8), SM90),
    Case("tcgen05_fp16", "blackwell.pipelined", f"{gemm('fp16', 128, 128, 64)} i32:16",
         dict(STAGES=4), {}, SM100),
    Case("tcgen05_fp8", "blackwell.pipelined", f"{gemm('fp8e4nv', 128, 256, 128)} i32:16",
         dict(STAGES=3), dict(num_warps=8), SM100),
    Case("specialized", "blackwell.specialized", f"{gemm('bf16', 128, 128, 64)} i32 i32 i32:16",
         dict(STAGES=4, PAIR=False), {}, SM100),
    Case("specialized_2cta", "blackwell.specialized",
         f"{gemm('bf16', 256, 256, 64, cga=(HALVES, HALVES, HALVES))} i32 i32 i32:16",
         dict(STAGES=4, PAIR=True), dict(num_ctas=2), SM100),
    Case("lhs_in_tmem", "blackwell.lhs_in_tmem",
         f"{block('i8', 128, 64, swizzle=64)} *fp32:16 {block('bf16', 128, 64)} "
         f"{block('bf16', 128, 128)} i32:16",
         {}, {}, SM100),
    Case("gathered", "blackwell.gathered",
         f"{block('bf16', 1, 64)} {block('bf16', 128, 64)} *i32:16 {block('bf16', 128, 128)} "
         "i32:16",
         {}, {}, SM100),
    Case("clc", "clc.matmul", clc_types(128, 128), dict(STAGES=4, PAIR=False), {}, SM100),
    Case("clc_2cta", "clc.matmul", clc_types(256, 128, HALVES), dict(STAGES=4, PAIR=True),
         dict(num_ctas=2), SM100),
    Case("mxfp8", "scaled.matmul", scaled_types("fp8e4nv", "u8", 1),
         dict(MXFP8, STAGES=3, PAIR=False), {}, SM100),
    Case("mxfp8_2cta", "scaled.matmul", scaled_types("fp8e4nv", "u8", 1, pair=True),
         dict(MXFP8, STAGES=3, PAIR=True), dict(num_ctas=2), SM100),
    Case("nvfp4", "scaled.matmul", scaled_types("u8", "fp8e4nv", 4),
         dict(NVFP4, STAGES=3, PAIR=False), {}, SM100),
    Case("nvfp4_2cta", "scaled.matmul", scaled_types("u8", "fp8e4nv", 4, pair=True),
         dict(NVFP4, STAGES=3, PAIR=True), dict(num_ctas=2), SM100),
    Case("attention", "attention.wgmma", attention_types("fp16", 64, 64, 128), dict(STAGES=2),
         {}, SM90),
    Case("attention", "attention.tcgen05", attention_types("bf16", 128, 128, 64),
         dict(STAGES=2), {}, SM100),
)

# Of benchmarks that others have published, for ../timing.
PERSISTENT = dict(STAGES=3, WIDTH=8, BUFFERS=1, CLC=False)
PAIRS = dict(STAGES=5, WIDTH=8, BUFFERS=2, CLC=True)
SWEEPS = (
    Case("sweep", "sweep.persistent", sweep_types("fp16", 128, 256, 256, ("[]", "[]", "[]")),
         dict(STAGES=3), dict(num_warps=8), SM90, "timing"),
    Case("sweep_2cta", "sweep.pair",
         sweep_types("fp16", 256, 256, 32, (HALVES, "[[0,1]]", HALVES)),
         dict(STAGES=6, WIDTH=16, BUFFERS=4), dict(num_ctas=2), SM100, "timing"),
    Case("sweep_mxfp8", "sweep.scaled", scaled_sweep_types("fp8e4nv", "u8", 1, False),
         dict(MXFP8, **PERSISTENT), {}, SM100, "timing"),
    Case("sweep_mxfp8_2cta", "sweep.scaled", scaled_sweep_types("fp8e4nv", "u8", 1, True),
         dict(MXFP8, **PAIRS), dict(num_ctas=2), SM100, "timing"),
    Case("sweep_nvfp4", "sweep.scaled", scaled_sweep_types("u8", "fp8e4nv", 4, False),
         dict(NVFP4, **PERSISTENT), {}, SM100, "timing"),
    Case("sweep_nvfp4_2cta", "sweep.scaled", scaled_sweep_types("u8", "fp8e4nv", 4, True),
         dict(NVFP4, **PAIRS), dict(num_ctas=2), SM100, "timing"),
)


def kernels() -> list[Kernel]:
    return [make("gluon", case, arch) for case in CASES + SWEEPS for arch in case.arches]
