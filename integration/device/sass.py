# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the device library costs: instructions, lines and time to compile.

    device-sass [--peers]

Compiles each GEMM of the library, and a copy of it with hand-written barriers, to
SASS, and counts the instructions in the loop of each role. The loops of the load
and the multiply role, which run for each K tile, may not be longer than the
hand-written ones; the 2-CTA GEMM has at most 150 lines. Loops that run for an
item, and times, are there to be read.

With --peers the same is reported of CUTLASS's and CuTe DSL's kernels, whose PTX
`utils/peers build` has made, and of our compiler's, from baseline.csv; and CUTLASS's
2-CTA GEMM is compiled, which takes a minute.
"""

import argparse
import csv
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from library import BY_HAND, KERNELS, OPTIONS, ROOT
from programs import cuda_tool, gencode, run, site_packages

sys.path.append(str(ROOT / "integration" / "resources"))
import count_sass  # noqa: E402
from peers import all_kernels, cutlass  # noqa: E402

GEMMS = {"gemm_sm100": "sm_100a", "gemm_sm100_pair": "sm_100a", "gemm_sm90": "sm_90a"}
MAX_LINES = 150
# A K tile of 64 elements: two copies, four MMAs.
STEP = {"load": (re.compile("UTMALDG"), 2), "mma": (re.compile(r"UTC\w*MMA|HGMMA"), 4)}
# Four or 16 parts of an item.
ITEM = {"epilogue": (re.compile("LDTM|STSM"), None), "store": (re.compile("UTMASTG"), None)}
PEERS = {"gemm_sm100": ("cutlass_sm100_bf16_1sm", "cutedsl_sm100_bf16_1cta"),
         "gemm_sm100_pair": ("cutlass_sm100_bf16_2sm", "cutedsl_sm100_bf16_2cta_multicast_clc"),
         "gemm_sm90": ("cutlass_sm90_bf16_cooperative_bias", "cutedsl_sm90_bf16")}
# Where the protocol of CUTLASS's 2-CTA GEMM is written, below its include folder.
CUTLASS_FILES = ("gemm/kernel/sm100_gemm_tma_warpspecialized.hpp",
                 "gemm/collective/sm100_mma_warpspecialized.hpp",
                 "epilogue/collective/sm100_epilogue_tma_warpspecialized.hpp")
EMPTY = "__global__ void empty() {}\n"


def compile_cubin(source: Path, arch: str, folder: Path, name: str) -> Path:
    cubin = folder / f"{name}.cubin"
    run([cuda_tool("nvcc"), *OPTIONS, "-I", KERNELS, *gencode(arch), "-cubin", "-o", cubin, source])
    return cubin


def spend(action) -> float:
    """Seconds of processor time that programs took which were started meanwhile."""
    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    before = spent()
    action()
    return spent() - before


def count_loops(cubin: Path, roles) -> dict[str, float]:
    """The instructions of each role's loop, for a step where it has steps. Of several
    loops, unrolled ones and their remainders, the one that takes the fewest."""
    instructions, labels = count_sass.disassemble(cuda_tool("nvdisasm"), cubin)
    loops = count_sass.find_loops(instructions, labels)
    figures = {}
    for role, (wanted, times) in roles.items():
        found = count_sass.count(instructions, loops, wanted)
        figures[role] = min((length / issued * times if times else length
                             for length, issued in found), default=float("nan"))
    return figures


def check_registers(cubin: Path) -> list[str]:
    """Where warps give registers away, four of a group do so by one instruction, and
    the loops of those that issue copies live with what is left. ptxas doesn't know
    which warps come where."""
    instructions, labels = count_sass.disassemble(cuda_tool("nvdisasm"), cubin)
    given = [text for text in instructions if "USETMAXREG.DEALLOC" in text]
    if not given:
        return []
    if len(given) > 1:
        return [f"{len(given)} instructions give registers away"]
    left = int(given[0].split()[-1], 16)
    loops = count_sass.find_loops(instructions, labels)
    used = {int(register) for wanted in (STEP["load"][0], ITEM["store"][0])
            for at, text in enumerate(instructions)
            if wanted.match(count_sass.GUARD.sub("", text))
            for place in next(loop for loop in loops if at in loop)
            for register in re.findall(r"\bR(\d+)", instructions[place])}
    return [] if max(used) < left else [f"a loop of copies uses R{max(used)} of {left} registers"]


def count_peer(name: str, folder: Path) -> str:
    kernel = next(kernel for kernel in all_kernels() if kernel.name == name)
    if not kernel.path.exists():
        return f"not built; utils/peers build {name}"
    cubin = folder / f"{name}.cubin"
    subprocess.run([cuda_tool("ptxas"), f"-arch={kernel.arch}", "-o", cubin, kernel.path], check=True)
    return say(count_loops(cubin, STEP))


def count_ours(arch: str) -> str:
    """Our compiler's GEMM of one CTA, as its own test found it."""
    with open(ROOT / "integration" / "resources" / "baseline.csv", newline="") as file:
        row = next(row for row in csv.DictReader(file)
                   if (row["suite"], row["kernel"]) == ("examples", f"{arch}-gemm"))
    pairs = {role: [tuple(map(int, part.split("/"))) for part in row[role].split()] for role in STEP}
    return say({role: min(length / issued * STEP[role][1] for length, issued in pairs[role])
                for role in STEP})


def say(figures: dict[str, float]) -> str:
    return ", ".join(f"{role} {figure:g}" for role, figure in figures.items())


def count_lines(*files: Path) -> int:
    return sum(len(file.read_text().splitlines()) for file in files)


def main():
    parser = argparse.ArgumentParser(prog="device-sass", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", action="store_true", help="other people's kernels, too")
    options = parser.parse_args()
    errors = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "empty.cu").write_text(EMPTY)
        compile_cubin(folder / "empty.cu", "sm_100a", folder, "empty")  # files into memory
        empty = spend(lambda: compile_cubin(folder / "empty.cu", "sm_100a", folder, "empty"))
        for gemm, arch in GEMMS.items():
            sources = {"library": KERNELS / f"{gemm}.cu", "by hand": BY_HAND / f"{gemm}.cu"}
            figures = {}
            for who, source in sources.items():
                seconds = spend(lambda: compile_cubin(source, arch, folder, gemm))
                figures[who] = count_loops(folder / f"{gemm}.cubin", STEP | ITEM)
                lines = count_lines(source)
                print(f"{gemm}, {who}: {say(figures[who])}; {lines} lines; nvcc {seconds - empty:.1f} s "
                      "above an empty kernel")
                errors += [f"{gemm}, {who}: {error}" for error in check_registers(folder / f"{gemm}.cubin")]
            # NaN, for a loop that wasn't found, is an error.
            errors += [f"{gemm}: the loop of {role} has more instructions than by hand"
                       for role in STEP if not figures["library"][role] <= figures["by hand"][role]]
            if options.peers:
                for peer in PEERS[gemm]:
                    print(f"{gemm}, {peer}: {count_peer(peer, folder)}")
                print(f"{gemm}, our compiler, one CTA: {count_ours(arch)}")
        if count_lines(KERNELS / "gemm_sm100_pair.cu") > MAX_LINES:
            errors.append(f"gemm_sm100_pair.cu has more than {MAX_LINES} lines")
        if options.peers:
            headers = site_packages() / "cutlass_library" / "source" / "include" / "cutlass"
            seconds = spend(lambda: cutlass.compile_row(cutlass.CASES["sm100_bf16_2sm"], "sm_100a"))
            print(f"CUTLASS, pairs and launch control: {count_lines(*(headers / f for f in CUTLASS_FILES))} "
                  f"lines in {len(CUTLASS_FILES)} headers; nvcc to PTX {seconds - empty:.1f} s above an empty kernel")
    for error in errors:
        print(error)
    print(f"device-sass: {len(GEMMS)} GEMMs, {len(errors)} errors")
    sys.exit(bool(errors))


if __name__ == "__main__":
    main()
