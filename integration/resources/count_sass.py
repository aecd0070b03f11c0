# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the machine instructions of a k-block in the loops of a kernel.

A loop is what lies between a branch backwards and its target. For each bulk copy
and each product, the smallest loop around it is taken; what it holds, divided by
the blocks that one trip handles, is the figure. Waits that are asked again are
small loops of their own inside it, and count with it.
"""

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "ptx"))
from toolkit import find_tool

LABEL = re.compile(r"^\s*(\.L_[\w.]+):")
INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?P<text>.+?)\s*;")
BRANCH = re.compile(r"\bBRA\b.*`\((?P<target>\.L_[\w.]+)\)")
GUARD = re.compile(r"^@!?U?P\w+\s+")


@dataclass
class Role:
    """A role is found by the instruction that it is there for."""

    name: str
    instruction: str
    per_block: int


ROLES = {
    "sm_100a": [Role("load", "UTMALDG", 2), Role("mma", "UTCHMMA", 4)],
    "sm_90a": [Role("load", "UTMALDG", 2), Role("mma", "HGMMA", 4)],
}


def disassemble(nvdisasm: str, cubin: Path) -> tuple[list[str], dict[str, int]]:
    """The instructions, and where each label stands among them."""
    listing = subprocess.run([nvdisasm, "-c", cubin], check=True, text=True,
                             capture_output=True).stdout
    instructions: list[str] = []
    labels: dict[str, int] = {}
    for line in listing.splitlines():
        if found := LABEL.match(line):
            labels[found[1]] = len(instructions)
        elif found := INSTRUCTION.match(line):
            instructions.append(found["text"])
    return instructions, labels


def find_loops(instructions: list[str], labels: dict[str, int]) -> list[range]:
    loops = []
    for end, text in enumerate(instructions):
        found = BRANCH.search(text)
        if found and labels.get(found["target"], end + 1) <= end:
            loops.append(range(labels[found["target"]], end + 1))
    return sorted(loops, key=len)


def count(instructions: list[str], loops: list[range], role: Role) -> float:
    """Instructions for a block, in the loop of the role that has most of them."""
    def is_wanted(at: int) -> bool:
        return GUARD.sub("", instructions[at]).startswith(role.instruction)

    figures = []
    for at in filter(is_wanted, range(len(instructions))):
        around = next((loop for loop in loops if at in loop), None)
        if around is None:
            continue
        issued = sum(map(is_wanted, around))
        # A loop with less is for something else: an epilogue's loads.
        if issued >= role.per_block:
            figures.append(len(around) * role.per_block / issued)
    if not figures:
        sys.exit(f"no loop with {role.per_block} {role.instruction}")
    return max(figures)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--nvdisasm", default=find_tool("nvdisasm"))
    options.add_argument("--cubin", action="append", required=True,
                         metavar="ARCH=FILE")
    options.add_argument("--limit", action="append", default=[],
                         metavar="ARCH=LOAD,MMA")
    chosen = options.parse_args()
    limits = {arch: [float(n) for n in numbers.split(",")]
              for arch, numbers in (one.split("=") for one in chosen.limit)}
    figures, within = [], True
    for one in chosen.cubin:
        arch, file = one.split("=")
        instructions, labels = disassemble(chosen.nvdisasm, Path(file))
        loops = find_loops(instructions, labels)
        numbers = [count(instructions, loops, role) for role in ROLES[arch]]
        within &= all(n <= most for n, most in zip(numbers, limits.get(arch, [])))
        words = " ".join(f"{role.name} {number:g}"
                         for role, number in zip(ROLES[arch], numbers))
        figures.append(f"{words} on {arch}")
    print("sass: " + ", ".join(figures))
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
