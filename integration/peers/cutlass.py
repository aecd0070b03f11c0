# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUTLASS C++: rows for the template in kernels/cutlass/gemm.cuh, through nvcc."""

import tempfile
from pathlib import Path

from .kernel import Kernel, cuda_tool, inputs, run, site_packages

FOLDER = Path(__file__).parent / "kernels" / "cutlass"
PACKAGES = ("nvidia-cutlass", "nvidia-cuda-nvcc", "nvidia-cuda-crt",
            "nvidia-cuda-runtime", "nvidia-cuda-cccl", "nvidia-nvvm")

# Architecture, element, tile, cluster, mainloop, epilogue, fusion, scheduler. On
# sm_100a the scheduler `void` is the dynamic one, cluster launch control.
CASES = {
    "sm90_bf16_cooperative_bias":
        "Sm90, bf16, Tile<128, 128, 64>, Cluster<2, 1>, KernelTmaWarpSpecializedCooperative, "
        "ep::TmaWarpSpecializedCooperative, Bias, PersistentScheduler",
    "sm90_fp16_pingpong_gelu":
        "Sm90, fp16, Tile<64, 128, 64>, Cluster<1, 2>, KernelTmaWarpSpecializedPingpong, "
        "ep::TmaWarpSpecialized, BiasGelu, PersistentScheduler",
    "sm90_fp8_streamk":
        "Sm90, e4m3, Tile<128, 128, 128>, Cluster<2, 1>, "
        "KernelTmaWarpSpecializedCooperativeFP8FastAccum, "
        "ep::TmaWarpSpecializedCooperative, Bias, StreamKScheduler",
    "sm90_bf16_grouped":
        "Sm90, bf16, Tile<128, 128, 64>, Cluster<2, 1>, "
        "KernelPtrArrayTmaWarpSpecializedCooperative, "
        "ep::PtrArrayTmaWarpSpecializedCooperative, Linear, GroupScheduler, Grouped",
    "sm100_bf16_1sm":
        "Sm100, bf16, Tile<128, 128, 64>, Cluster<1, 1>, KernelTmaWarpSpecialized1SmSm100, "
        "ep::TmaWarpSpecialized1Sm, Linear, void",
    "sm100_fp16_1sm_gelu":
        "Sm100, fp16, Tile<128, 128, 64>, Cluster<2, 2>, KernelTmaWarpSpecialized1SmSm100, "
        "ep::TmaWarpSpecialized1Sm, BiasGelu, void",
    "sm100_fp8_1sm_bias":
        "Sm100, e4m3, Tile<128, 256, 128>, Cluster<2, 1>, KernelTmaWarpSpecialized1SmSm100, "
        "ep::TmaWarpSpecialized1Sm, Bias, void",
    "sm100_bf16_2sm":
        "Sm100, bf16, Tile<256, 128, 64>, Cluster<2, 1>, KernelTmaWarpSpecialized2SmSm100, "
        "ep::TmaWarpSpecialized2Sm, Linear, void",
    "sm100_fp16_2sm_gelu":
        "Sm100, fp16, Tile<256, 128, 64>, Cluster<4, 2>, KernelTmaWarpSpecialized2SmSm100, "
        "ep::TmaWarpSpecialized2Sm, BiasGelu, void",
    "sm100_bf16_2sm_streamk":
        "Sm100, bf16, Tile<256, 128, 64>, Cluster<2, 1>, KernelTmaWarpSpecialized2SmSm100, "
        "ep::TmaWarpSpecialized2Sm, Linear, StreamKScheduler",
    "sm100_fp8_2sm_bias":
        "Sm100, e4m3, Tile<256, 128, 128>, Cluster<2, 2>, KernelTmaWarpSpecialized2SmSm100, "
        "ep::TmaWarpSpecialized2Sm, Bias, void",
    "sm100_mxfp8_1sm":
        "Sm100, mxfp8, Tile<128, 128, 128>, Cluster<1, 1>, "
        "KernelTmaWarpSpecialized1SmMxf8f6f4Sm100, ep::TmaWarpSpecialized1Sm, Linear, void",
    "sm100_nvfp4_2sm":
        "Sm100, nvfp4, Tile<256, 128, 256>, Cluster<2, 1>, "
        "KernelTmaWarpSpecialized2SmNvf4Sm100, ep::TmaWarpSpecialized2Sm, Linear, void",
    "sm100_bf16_1sm_grouped":
        "Sm100, bf16, Tile<128, 128, 64>, Cluster<1, 1>, "
        "KernelPtrArrayTmaWarpSpecialized1SmSm100, ep::PtrArrayTmaWarpSpecialized1Sm, Linear, "
        "GroupScheduler, Grouped",
    "sm120_fp8_cooperative_bias":
        "cutlass::arch::Sm120, e4m3, Tile<128, 128, 128>, Cluster<1, 1>, "
        "KernelTmaWarpSpecializedCooperative, ep::collective::EpilogueScheduleAuto, Bias, void",
    "sm120_mxfp8_cooperative":
        "cutlass::arch::Sm120, mxfp8, Tile<128, 128, 128>, Cluster<1, 1>, "
        "KernelTmaWarpSpecializedCooperative, ep::collective::EpilogueScheduleAuto, Linear, void",
}


def fp8_row(tile: str, cluster: str) -> str:
    return (f"Sm100, e4m3, Tile<{tile}>, Cluster<{cluster}>, collective::KernelScheduleAuto, "
            "ep::collective::EpilogueScheduleAuto, Linear, void")


# Of benchmarks that others have published, for ../timing: what vLLM and CUTLASS's
# profiler instantiate.
SWEEPS = {
    "sm100_fp8_64x64x128_1x1": fp8_row("64, 64, 128", "1, 1"),
    "sm100_fp8_64x64x256_1x8": fp8_row("64, 64, 256", "1, 8"),
    "sm100_fp8_128x128x64_2x2": fp8_row("128, 128, 64", "2, 2"),
    "sm100_fp8_128x128x128_2x1": fp8_row("128, 128, 128", "2, 1"),
    "sm100_fp8_256x128x64_2x2": fp8_row("256, 128, 64", "2, 2"),
    "sm100_fp8_256x128x128_2x2": fp8_row("256, 128, 128", "2, 2"),
}


def compile_row(row: str, arch: str) -> str:
    virtual = arch.replace("sm_", "compute_")
    headers = site_packages() / "cutlass_library" / "source" / "include"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernel.cu"
        source.write_text(f'#include "gemm.cuh"\nPEER_KERNEL({row})\n')
        run([cuda_tool("nvcc"), "-ptx", f"-gencode=arch={virtual},code={virtual}",
             "-std=c++17", "-O3", "--expt-relaxed-constexpr", "-I", FOLDER, "-I", headers,
             "-o", source.with_suffix(".ptx"), source])
        return source.with_suffix(".ptx").read_text()


def make(name: str, row: str, suite: str = "core") -> Kernel:
    arch = name.split("_")[0].replace("sm", "sm_") + "a"
    return Kernel(name=f"cutlass_{name}", peer="cutlass", arch=arch, suite=suite,
                  inputs=inputs(sources=sorted(FOLDER.iterdir()), packages=PACKAGES,
                                code=[compile_row], options=[row]),
                  build=lambda: compile_row(row, arch))


def kernels() -> list[Kernel]:
    return [*(make(name, row) for name, row in CASES.items()),
            *(make(name, row, "timing") for name, row in SWEEPS.items())]
