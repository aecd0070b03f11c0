# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the SASS instructions of epilogues for each element of the output.

    check_epilogues.py --drawloom build/release/bin/drawloom

An epilogue is the code from where the accumulator is read to where TMA stores a
part of it. On Blackwell it is a loop over the parts, and counts as one trip: the
shortest way round, without waits that are asked again, and without the way of
loads that are not aligned. On Hopper the parts stand one after the other, behind
the last MMA; the shortest way from there to the last store counts. A thread has
tile / threads elements of each part.

No figure may be larger than it was when it was written here.
"""

import argparse
import heapq
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import count_sass

sys.path.append(str(Path(__file__).resolve().parent.parent / "ptx"))
from toolkit import find_tool

HERE = Path(__file__).resolve().parent / "epilogues"
# Instructions per element, at most: program, whether its schedule says fast_math,
# sm_100a, sm_90a.
FIGURES = [
    ("bf16", False, 1.13, 1.92),
    ("bias", False, 2.42, 3.94),
    ("bias_gelu_residual", False, 18.13, 28.56),
    ("bias_gelu_residual", True, 9.07, 15.55),
]
FAST = "{tile.schedule = #tile.schedule<fast_math = true>}"
ROWS, COLUMNS = 128, 256
THREADS = {"sm_100a": 128, "sm_90a": 256}
STORE = re.compile(r"UTMASTG")


def find_ways(instructions: list[str], labels: dict[str, int]) -> list[list[int]]:
    """Where each instruction goes on."""
    ways = []
    for at, text in enumerate(instructions):
        bare = count_sass.GUARD.sub("", text)
        found = count_sass.BRANCH.search(text)
        target = labels.get(found["target"]) if found else None
        # `BRA.U UP0, ...` has its guard among its operands.
        always = found and bare == text and not re.match(r"BRA(\.\w+)* !?U?P\d", text)
        goes = [] if always or re.match(r"EXIT|BRX|RET", text) else [at + 1]
        if target is not None:
            goes.append(target)
        ways.append([there for there in goes if there < len(instructions)])
    return ways


def measure(ways: list[list[int]], start: int, end: int) -> int | None:
    """The fewest instructions from one to another, with both."""
    queue, seen = [(1, start)], set()
    while queue:
        length, at = heapq.heappop(queue)
        if at == end and length > 1:
            return length
        if at in seen:
            continue
        seen.add(at)
        for there in ways[at]:
            if there == end or there not in seen:
                heapq.heappush(queue, (length + 1, there))
    return None


def count(instructions: list[str], labels: dict[str, int], arch: str) -> float:
    ways = find_ways(instructions, labels)
    stores = [at for at, text in enumerate(instructions)
              if STORE.match(count_sass.GUARD.sub("", text))]
    if arch == "sm_100a":
        # Once round from the one store to itself; the store is there twice.
        elements = count_columns(instructions, stores[0]) * ROWS / THREADS[arch]
        return (measure(ways, stores[0], stores[0]) - 1) / elements
    last = max(at for at, text in enumerate(instructions) if "HGMMA" in text)
    length, at = 0, last
    for store in stores:
        length += measure(ways, at, store) - 1
        at = store
    return length / (ROWS * COLUMNS / THREADS[arch])


def count_columns(instructions: list[str], store: int) -> int:
    """Columns of a part: those that are loaded of tensor memory before it."""
    before = [re.search(r"LDTM\.x(\d+)", text) for text in instructions[:store]]
    return sum(int(found[1]) for found in before if found)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--drawloom", required=True)
    args = options.parse_args()
    errors = 0
    print(f"{'epilogue':36}{'sm_100a':>9}{'sm_90a':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name, fast, *most in FIGURES:
            text = (HERE / f"{name}.mlir").read_text()
            if fast:
                text = re.sub(r"(?m)^(tile\.kernel .*\)) \{$", rf"\1 attributes {FAST} {{", text)
            program = Path(folder) / f"{name}.mlir"
            program.write_text(text)
            figures = []
            for arch, limit in zip(THREADS, most):
                cubin = Path(folder) / "program.cubin"
                subprocess.run([args.drawloom, "compile", program, "--arch", arch, "--emit",
                                "cubin", "-o", cubin], check=True, capture_output=True)
                figure = count(*count_sass.disassemble(find_tool("nvdisasm"), cubin), arch)
                figures.append(f"{figure:8.2f}" + ("!" if figure > limit else " "))
                errors += figure > limit
            print(f"{name + (', fast' if fast else ''):36}{''.join(figures)}")
    print(f"sass: instructions for each element of the output, {errors} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
