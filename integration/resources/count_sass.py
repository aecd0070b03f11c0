# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the SASS instructions in the loops of a kernel, role by role.

A loop is what lies between a branch backwards and its target. A role is known by
the instructions that it is there for; the loops of a role are the smallest ones
around each of these. What a loop holds, for one of these instructions, is the
figure: 21 instructions with 2 copies among them. Waits that are asked again are
small loops of their own inside it, and count with it.
"""

import re
import subprocess
from pathlib import Path

LABEL = re.compile(r"^\s*(\.L_[\w.]+):")
INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?P<text>.+?)\s*;")
BRANCH = re.compile(r"\bBRA\b.*`\((?P<target>\.L_[\w.]+)\)")
GUARD = re.compile(r"^@!?U?P\w+\s+")

# By the names of instructions: TMA copies, cp.async, MMAs of tensor cores on
# either architecture, and what brings results to global memory.
ROLES = {
    "load": re.compile(r"UTMALDG|UBLKCP"),
    "copy": re.compile(r"LDGSTS"),
    "mma": re.compile(r"UTC\w*MMA|[BHIQ]GMMA"),
    "store": re.compile(r"UTMASTG|UTMAREDG|STG|REDG?|ATOMG?"),
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


def find_loops_of(instructions: list[str], loops: list[range],
                  wanted: re.Pattern) -> dict[range, int]:
    """The loops of a role, and how many instructions each has that it is there for."""
    places = [at for at, text in enumerate(instructions)
              if wanted.match(GUARD.sub("", text))]
    around = {next((loop for loop in loops if at in loop), None) for at in places}
    return {loop: sum(at in loop for at in places) for loop in around if loop}


def count(instructions: list[str], loops: list[range],
          wanted: re.Pattern) -> list[tuple[int, int]]:
    """The loops of a role: how many instructions, and how many that it is there
    for. The one with the most for each comes first."""
    figures = [(len(loop), of_role) for loop, of_role
               in find_loops_of(instructions, loops, wanted).items()]
    return sorted(figures, key=lambda figure: (figure[0] / figure[1], figure),
                  reverse=True)
