# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels outside the suites: tiles, types, clusters and shapes drawn by a seed.

The suites are what the emulator was built with, so they say little about kernels that
it has not seen. `draw` takes one of each family of holdout_space.py. A draw that is in
a suite already, or that the peer's compiler refuses, is drawn again, and counted.
`build` compiles them, `run` runs them on the emulator and compares with numpy.
"""

import argparse
import random
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import workers
from cases import Problem, load_case, make_job
from driver import DriverError
from holdout_space import FAMILIES, Kernel
from match import compare
from peers import all_kernels
from peers.kernel import cache_root
from workers import Device

MOST_SHARED = 227 * 1024
# Before they are rounded up to what a kernel can do.
ROWS, COLUMNS, DEPTHS = (72, 200, 384, 520, 1000), (64, 144, 320, 512), (64, 208, 336, 640, 1024)


@dataclass(frozen=True)
class Drawn:
    family: str
    values: dict
    problem: Problem

    def __str__(self):
        words = [f"{key}={value}".replace(" ", "") for key, value in self.values.items()]
        return f"{self.family}: {' '.join(words)} {self.problem}"

    @property
    def kernel(self) -> Kernel:
        return FAMILIES[self.family].make(self.values, (self.problem,))


def draw_one(rng: random.Random, name: str) -> Drawn:
    family = FAMILIES[name]
    while True:
        values = {key: rng.choice(choices) for key, choices in family.values.items()}
        sizes = [rng.choice(choices) for choices in (ROWS, COLUMNS, DEPTHS)]
        if family.allowed(values):
            return Drawn(name, values, Problem(*(-(-size // step) * step for size, step
                                                 in zip(sizes, family.step))))


def draw(seed: int) -> list[Drawn]:
    """Those that were refused are replaced: `build` leaves a note."""
    return [draw_one(random.Random(f"{seed} {index} {refusals(seed, index)}"), name)
            for index, name in enumerate(FAMILIES)]


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
            verdict = "built"
            if done.returncode:
                verdict = f"refused: {(done.stderr.splitlines() or ['?'])[-1][:200]}"
                with path.with_suffix(".refused").open("a") as note:
                    note.write(f"{one}: {verdict}\n")
            print(f"{index:2} {one}: {verdict}", flush=True)
    print(f"drawn again: {sum(refusals(seed, index) for index in range(len(FAMILIES)))}")


def compile_index(seed: int, index: int):
    one = draw(seed)[index]
    text = one.kernel.compile()
    # The peers find out at the launch, when there is a device to ask.
    found = re.search(r'^// launch: .*"shared": (\d+)', text, re.M)
    shared = int(found[1]) if found else FAMILIES[one.family].shared(one.values)
    if shared > MOST_SHARED:
        raise SystemExit(f"{shared} bytes of shared memory; a CTA has {MOST_SHARED}")
    for kernel in all_kernels():
        if kernel.path.exists() and kernel.path.read_text() == text:
            raise SystemExit(f"it is {kernel.name}")
    path_of(seed, index).write_text(text)


def run(seed: int, library: str, device: Device | None) -> int:
    drawn = draw(seed)
    cases = [one.kernel.case for one in drawn]
    if not device:
        started = workers.start(map(Device.of, cases), stdout=subprocess.PIPE, text=True)
        lines = [line for worker in started for line in worker.stdout]
        print("".join(sorted(lines)), end="")
        right = sum(line.endswith(": right\n") for line in lines)
        print(f"hold-out: {right} of {len(drawn)} with seed {seed} are right")
        return 0 if right == len(drawn) else 1
    driver = device.open(library)
    for index, (one, case) in enumerate(zip(drawn, cases)):
        if Device.of(case) != device:
            continue
        try:
            driver.reset()
            job = make_job(case, load_case(case, driver, path_of(seed, index)), case.problems[0])
            error, share = compare(job, job.run())
            verdict = "right" if share <= 1 else f"beyond the bound: {error:.2e}"
        except (DriverError, RuntimeError, ValueError) as error:
            verdict = f"{error}: {driver.last_report()}".replace("\n", " ")
        print(f"{index:2} {one}: {verdict}", flush=True)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("draw", "build", "compile", "run"))
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--index", type=int, help="of what is compiled")
    workers.add_arguments(parser, library_required=False)
    args = parser.parse_args()
    if args.command == "run":
        return run(args.seed, args.library, args.device)
    if args.command == "compile":
        compile_index(args.seed, args.index)
    elif args.command == "build":
        build(args.seed)
    else:
        print(*draw(args.seed), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
