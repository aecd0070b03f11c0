# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what ptxas makes of the loops of attention, role by role.

    check_attention.py --drawloom build/release/bin/drawloom --arch sm_100a
        --softmax 532 --correction 58 --mma 173 --load 55 PROGRAM.mlir

A figure is the instructions on the shortest way once round a role's loop over
blocks of keys: no block has a mask, nothing is rescaled and no wait is asked
again. The loops of all roles of MMAs are added up. No figure may be larger than
the one given, no role may spill, and all roles with a figure must be there.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections import deque
from pathlib import Path

import count_sass

sys.path.append(str(Path(__file__).resolve().parent.parent / "ptx"))
from toolkit import find_tool

# What only the loop of a role has, and how often.
ROLES = {
    "compute": (re.compile(r"MUFU\.EX2"), 16),
    "softmax": (re.compile(r"MUFU\.EX2"), 16),
    "correction": (re.compile(r"VOTE\.ANY"), 1),
    "mma": (count_sass.ROLES["mma"], 1),
    "load": (count_sass.ROLES["load"], 1),
}
ENDS = re.compile(r"(BRA\b(?!.*\bU?P\d)|EXIT|RET|BRX|JMP)")


def find_next(instructions: list[str], labels: dict[str, int], at: int) -> list[int]:
    """Where control may go from an instruction."""
    text = instructions[at]
    ways = []
    branch = count_sass.BRANCH.search(text)
    if branch and branch["target"] in labels:
        ways.append(labels[branch["target"]])
    if not ENDS.match(text):
        ways.append(at + 1)
    return [way for way in ways if way < len(instructions)]


def find_way(instructions: list[str], labels: dict[str, int],
             loop: range) -> list[int]:
    """The fewest instructions from the first to the last one of a loop."""
    before = {loop.start: None}
    queue = deque([loop.start])
    while queue:
        at = queue.popleft()
        if at == loop.stop - 1:
            way = []
            while at is not None:
                way.append(at)
                at = before[at]
            return way
        for after in find_next(instructions, labels, at):
            if after not in before:
                before[after] = at
                queue.append(after)
    return []


def count_roles(instructions: list[str], labels: dict[str, int]) -> dict[str, int]:
    """The figure of each role. Two query tiles have a role of softmax each."""
    found: dict[str, dict[range, int]] = {role: {} for role in ROLES}
    for loop in count_sass.find_loops(instructions, labels):
        # Waits that are asked again stand behind the end of the kernel.
        if any("EXIT" in instructions[at] for at in loop):
            continue
        way = [count_sass.GUARD.sub("", instructions[at])
               for at in find_way(instructions, labels, loop)]
        for role, (wanted, least) in ROLES.items():
            is_innermost = not any(inner.start in loop for inner in found[role])
            if is_innermost and sum(bool(wanted.match(text)) for text in way) >= least:
                found[role][loop] = len(way)
    return {role: (max if role in ("softmax", "compute") else sum)(loops.values() or [0])
            for role, loops in found.items()}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--drawloom", required=True)
    options.add_argument("--arch", required=True)
    for role in ROLES:
        options.add_argument(f"--{role}", type=int, metavar="INSTRUCTIONS")
    options.add_argument("program")
    args = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "program.cubin"
        subprocess.run([args.drawloom, "compile", args.program, "--arch", args.arch,
                        "--emit", "cubin", "-o", cubin], check=True, capture_output=True)
        instructions, labels = count_sass.disassemble(find_tool("nvdisasm"), cubin)
    figures = {role: length for role, length in count_roles(instructions, labels).items()
               if getattr(args, role) is not None}
    errors = [f"{role}: {length} instructions, and it was {getattr(args, role)}"
              for role, length in figures.items()
              if not 0 < length <= getattr(args, role)]
    spills = sum(bool(re.match(r"(@!?P\d+ )?(STL|LDL)\b", text)) for text in instructions)
    if spills:
        errors.append(f"{spills} instructions spill")
    for error in errors:
        print(error)
    print("sass:", ", ".join(f"{role} {length}" for role, length in figures.items()),
          f"instructions for a block, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
