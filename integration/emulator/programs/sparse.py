# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUTLASS's GEMMs with a sparse A as programs. nvcc makes the PTX of all kernels that
a program launches, the compressor's beside the product's, and clang the host's half."""

from pathlib import Path

from . import FOLDER, cached, cuda_tool, inputs, run
from .cutlass import build, folders
from peers.cutlass import PACKAGES

# Architecture, operand, tile, cluster, mainloop, epilogue.
CASES = {
    "sm90_fp16":
        "Sm90, half_t, Tile<128, 128, 128>, Cluster<1, 2>, KernelTmaWarpSpecializedCooperative, "
        "ep::TmaWarpSpecializedCooperative",
    "sm90_tf32":
        "Sm90, tfloat32_t, Tile<128, 128, 64>, Cluster<1, 1>, KernelTmaWarpSpecializedPingpong, "
        "ep::TmaWarpSpecialized",
    "sm90_s8":
        "Sm90, int8_t, Tile<128, 128, 128>, Cluster<2, 1>, KernelTmaWarpSpecializedCooperative, "
        "ep::TmaWarpSpecializedCooperative",
    "sm100_fp16_2sm":
        "Sm100, half_t, Tile<256, 128, 64>, Cluster<2, 1>, "
        "KernelSparseTmaWarpSpecialized2SmSm100, ep::TmaWarpSpecialized2Sm",
    "sm100_tf32_1sm":
        "Sm100, tfloat32_t, Tile<128, 128, 64>, Cluster<1, 1>, "
        "KernelSparseTmaWarpSpecialized1SmSm100, ep::TmaWarpSpecialized1Sm",
    "sm100_fp8_1sm":
        "Sm100, float_e4m3_t, Tile<128, 128, 128>, Cluster<1, 1>, "
        "KernelSparseTmaWarpSpecialized1SmSm100, ep::TmaWarpSpecialized1Sm",
    "sm100_nvfp4_2sm":
        "Sm100, nv_float4_t<float_e2m1_t>, Tile<256, 128, 256>, Cluster<2, 1>, "
        "KernelSparseTmaWarpSpecialized2SmNvf4Sm100, ep::TmaWarpSpecialized2SmNvf4",
}


def compile_ptx(text: str, arch: str, output: Path):
    virtual = arch.replace("sm_", "compute_")
    source = output.with_suffix(".cu")
    source.write_text(text)
    run([cuda_tool("nvcc"), "-ptx", f"-gencode=arch={virtual},code={virtual}",
         "-std=c++17", "-O3", "-w", "--expt-relaxed-constexpr", "-I", FOLDER,
         *(word for headers in folders() for word in ("-I", headers)), "-o", output, source])


def make(name: str, header: str, text: str, uses: str) -> Path:
    """The program with this source. Its PTX has to have the words of `uses`."""
    arch = name.split("_")[0].replace("sm", "sm_") + "a"
    text = f'#include "{header}"\n{text}\n'
    sources = [FOLDER / "program.cuh", FOLDER / header]
    # The PTX by itself: it takes minutes, the host's half seconds.
    ptx = cached(f"sparse_{name}.ptx",
                 inputs(sources=sources, packages=PACKAGES, code=[compile_ptx],
                        options=[arch, text]),
                 lambda output: compile_ptx(text, arch, output))
    if uses not in ptx.read_text():
        raise RuntimeError(f"{ptx} has no {uses}")
    return cached(f"sparse_{name}",
                  inputs(sources=[*sources, ptx], packages=PACKAGES, code=[build], options=[text]),
                  lambda output: build(text, ptx, arch, output))


def program(name: str, uses: str) -> Path:
    return make(name, "sparse_program.cuh", f"SPARSE_PROGRAM({CASES[name]})", uses)


def warp_program(name: str, uses: str) -> Path:
    """By mma.sp, as on Ampere; the name has the target in it."""
    return make(name, "sparse_warp_program.cuh", "", uses)
