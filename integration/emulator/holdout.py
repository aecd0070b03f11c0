# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that nobody looked at: tiles, types and shapes drawn by a seed.

The suites are what the emulator was built with, so they say little about kernels that
it has not seen. SPACE is what the peers' packages can be asked for beyond them; `draw`
takes twelve of it. A draw that is in a suite already, or that the peer's compiler
refuses, is drawn again. `build` compiles them, `run` runs them on the emulator and
compares with numpy.
"""

import argparse
import random
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cases import Case, Problem, load_case, make_job
from driver import Driver, DriverError
from launch_cutedsl import cutedsl_gemm
from launch_cutlass import cutlass_gemm
from launch_triton import gluon_tiled, triton_attention, triton_gelu, triton_persistent
from match import compare
from workers import MODELS as DEVICES

sys.path.insert(0, str(Path(__file__).parents[1]))
from peers import cutedsl, cutlass, gluon, triton  # noqa: E402
from peers.kernel import cache_root  # noqa: E402

MOST_SHARED = 227 * 1024
ARCHES = ("sm_90a", "sm_100a")
BYTES = {"bf16": 2, "fp16": 2, "fp8": 1}
TRITON = {"bf16": "bf16", "fp16": "fp16", "fp8": "fp8e4nv"}
CUTE = {"bf16": "BFloat16", "fp16": "Float16", "fp8": "Float8E4M3FN"}

# What is drawn for each family, one value of each.
SPACE = {
    "triton_gelu": dict(arch=ARCHES, element=tuple(BYTES), bm=(64, 128), bn=(64, 128, 256),
                        k_bytes=(64, 128, 256), warps=(4, 8), stages=(2, 3, 5),
                        clc=(False, True)),
    "triton_persistent": dict(arch=ARCHES, element=("bf16", "fp16"), bm=(64, 128),
                              bn=(64, 128, 256), k_bytes=(64, 128), warps=(4, 8),
                              specialize=(False, True)),
    "triton_attention": dict(arch=ARCHES, element=("bf16", "fp16"), bm=(64, 128),
                             bn=(32, 64, 128), dim=(64, 128), causal=(False, True)),
    "gluon_tiled": dict(arch=ARCHES, element=tuple(BYTES), bm=(64, 128), bn=(64, 128, 256),
                        stages=(2, 3, 5)),
    "cutedsl_gemm": dict(arch=ARCHES, element=tuple(BYTES), tile=((128, 64), (128, 128),
                                                                  (128, 256)),
                         cluster=((1, 1), (2, 1), (1, 2), (2, 2)), stages=(2, 3)),
    "cutlass_gemm": dict(arch=ARCHES, element=("bf16", "fp16"), bm=(128,), bn=(64, 256),
                         cluster=((1, 1), (2, 1), (1, 2)), fusion=("Linear", "Bias")),
}
# How many of each.
FAMILIES = ("triton_gelu", "triton_gelu", "triton_persistent", "triton_persistent",
            "triton_attention", "triton_attention", "gluon_tiled", "gluon_tiled",
            "cutedsl_gemm", "cutedsl_gemm", "cutedsl_gemm", "cutlass_gemm")
ROWS, COLUMNS, DEPTHS = (72, 200, 384, 520), (64, 144, 320, 512), (64, 208, 336, 640)


@dataclass(frozen=True)
class Drawn:
    family: str
    values: dict
    problem: tuple[int, int, int]

    @property
    def name(self) -> str:
        words = [str(value).replace(" ", "") for value in self.values.values()]
        return f"{self.family}: {' '.join(words)} {'x'.join(map(str, self.problem))}"


def draw_one(rng: random.Random, family: str) -> Drawn:
    while True:
        values = {key: rng.choice(choices) for key, choices in SPACE[family].items()}
        m, n, k = (rng.choice(sizes) for sizes in (ROWS, COLUMNS, DEPTHS))
        if family == "triton_attention":
            m, n, k = rng.choice((256, 384)), rng.choice((1, 3)), values["dim"]
        if not values.get("clc") or values["arch"] == "sm_100a":
            return Drawn(family, values, (m, n, k))


def draw(seed: int) -> list[Drawn]:
    """Those that a compiler has refused are replaced: `build` leaves a note."""
    rng = random.Random(seed)
    drawn = [draw_one(rng, family) for family in FAMILIES]
    for index, family in enumerate(FAMILIES):
        for attempt in range(refusals(seed, index)):
            drawn[index] = draw_one(random.Random(f"{seed} {index} {attempt}"), family)
    return drawn


def describe(one: Drawn) -> tuple[Callable[[], str], Case]:
    """What compiles it to PTX, and how it is launched."""
    v, problems = one.values, (Problem(*one.problem),)
    element = v["element"]
    short = v["arch"].replace("_", "").removesuffix("a")
    peer = one.family.split("_")[0]
    name = f"{peer}_{short}_holdout"
    bk = v["k_bytes"] // BYTES[element] if "k_bytes" in v else 128 // BYTES[element]
    if one.family in ("triton_gelu", "triton_persistent"):
        gelu = one.family == "triton_gelu"
        types = (triton.bias_types if gelu else triton.gemm_types)(TRITON[element], v["bm"],
                                                                   v["bn"], bk)
        constants = dict(BM=v["bm"], BN=v["bn"], BK=bk, GROUP=8)
        options = dict(num_warps=v["warps"])
        if gelu:
            options |= dict(num_stages=v["stages"]) | (dict(clc=True) if v["clc"] else {})
        else:
            constants |= dict(FLATTEN=v["arch"] == "sm_100a", SPECIALIZE=v["specialize"])
        row = triton.Case("holdout", "gemm.descriptor" if gelu else "gemm.persistent", types,
                          constants, options)
        case = (Case(name, element, triton_gelu, dict(bm=v["bm"], bn=v["bn"]), problems) if gelu
                else Case(name, element, triton_persistent, {}, problems))
        return lambda: triton.compile_case("triton", row, v["arch"]), case
    if one.family == "triton_attention":
        row = triton.Case("holdout", "attention.forward",
                          triton.attention_types(element, v["bm"], v["bn"], v["dim"]),
                          dict(BM=v["bm"], BN=v["bn"], DIM=v["dim"], CAUSAL=v["causal"],
                               SPECIALIZE=False), dict(num_warps=4))
        return (lambda: triton.compile_case("triton", row, v["arch"]),
                Case(name, element, triton_attention,
                     dict(bm=v["bm"], bn=v["bn"], causal=v["causal"]), problems))
    if one.family == "gluon_tiled":
        function = ("hopper" if v["arch"] == "sm_90a" else "blackwell") + ".pipelined"
        row = triton.Case("holdout", function,
                          f"{gluon.gemm(TRITON[element], v['bm'], v['bn'], bk)} i32:16",
                          dict(STAGES=v["stages"]))
        return (lambda: triton.compile_case("gluon", row, v["arch"]),
                Case(name, element, gluon_tiled, dict(bm=v["bm"], bn=v["bn"]), problems))
    if one.family == "cutedsl_gemm":
        row = cutedsl.Case("holdout", v["arch"], "gemm_" + short,
                           dict(tile=v["tile"], cluster=v["cluster"], stages=v["stages"]),
                           dict(ab=CUTE[element]))
        return (lambda: cutedsl.compile_case(row),
                Case(name, element, cutedsl_gemm, dict(tile=v["tile"], cluster=v["cluster"]),
                     problems))
    schedule = ("KernelTmaWarpSpecializedCooperative, ep::TmaWarpSpecializedCooperative"
                if v["arch"] == "sm_90a" else
                "KernelTmaWarpSpecialized1SmSm100, ep::TmaWarpSpecialized1Sm")
    scheduler = "PersistentScheduler" if v["arch"] == "sm_90a" else "void"
    row = (f"{short.capitalize()}, {element}, Tile<{v['bm']}, {v['bn']}, 64>, "
           f"Cluster<{v['cluster'][0]}, {v['cluster'][1]}>, {schedule}, {v['fusion']}, "
           f"{scheduler}")
    cutlass.CASES[f"{short}_holdout"] = row
    return (lambda: cutlass.compile_row(row, v["arch"]),
            Case(name, element, cutlass_gemm, dict(bias=v["fusion"] == "Bias"), problems))


def path_of(seed: int, index: int) -> Path:
    return cache_root() / "holdout" / f"{seed}-{index}.ptx"


def refusals(seed: int, index: int) -> int:
    note = path_of(seed, index).with_suffix(".refused")
    return len(note.read_text().splitlines()) if note.exists() else 0


def build(seed: int):
    for index in range(len(FAMILIES)):
        path = path_of(seed, index)
        path.parent.mkdir(parents=True, exist_ok=True)
        while not path.exists():
            one = draw(seed)[index]
            # A compiler may read its target once in a process.
            done = subprocess.run([sys.executable, __file__, "compile", "--seed", str(seed),
                                   "--index", str(index)], capture_output=True, text=True)
            if done.returncode:
                reason = (done.stderr.splitlines() or ["?"])[-1][:200]
                with path.with_suffix(".refused").open("a") as note:
                    note.write(f"{one.name}: {reason}\n")
                print(f"{index:2} {one.name}: refused: {reason}", flush=True)
            else:
                print(f"{index:2} {one.name}: built", flush=True)


def compile_index(seed: int, index: int):
    text = describe(draw(seed)[index])[0]()
    # Triton finds out at the launch, when there is a device to ask.
    found = re.search(r'^// launch: .*"shared": (\d+)', text, re.M)
    if found and int(found[1]) > MOST_SHARED:
        raise SystemExit(f"{found[1]} bytes of shared memory; a CTA has {MOST_SHARED}")
    path_of(seed, index).write_text(text)


def run(seed: int, library: str, arch: str) -> int:
    driver = Driver(library, DEVICES[arch], sms=4)
    for index, one in enumerate(draw(seed)):
        path = path_of(seed, index)
        if one.values["arch"] != arch or not path.exists():
            continue
        case = describe(one)[1]
        try:
            driver.reset()
            job = make_job(case, load_case(case, driver, path), case.problems[0])
            error, share = compare(job, job.run())
            verdict = "right" if share <= 1 else f"beyond the bound: {error:.2e}"
        except (DriverError, RuntimeError, ValueError) as error:
            verdict = f"{error}: {driver.last_report()}"
        print(f"{index:2} {one.name}: {verdict}", flush=True)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("draw", "build", "compile", "run"))
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--index", type=int, help="of what is compiled")
    parser.add_argument("--library", help="the emulator's libcuda.so.1")
    parser.add_argument("--arch", choices=DEVICES, help="of what is run")
    args = parser.parse_args()
    if args.command == "run":
        return run(args.seed, args.library, args.arch)
    if args.command == "compile":
        compile_index(args.seed, args.index)
    elif args.command == "build":
        build(args.seed)
    else:
        for one in draw(args.seed):
            print(one.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
