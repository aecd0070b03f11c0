# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/guides/write-a-kernel.md, step by step: its programs compile and print what
the page says. A block of C++ is a program, with its name first; a block of changes is
for the program before it.
"""

import argparse
import re
import shlex
import sys
import tempfile
from pathlib import Path

from errors import compile_text as find_errors
from library import ROOT, compile_text
from proof import compile_ptx
from programs import execute

PAGE = ROOT / "docs" / "guides" / "write-a-kernel.md"


def change(text: str, block: str) -> str:
    """The lines with - or a space are there once; those with + or a space take their place."""
    old, new = ("".join(line[1:] for line in block.splitlines(keepends=True) if line[0] in marks)
                for marks in ("- ", "+ "))
    assert text.count(old) == 1, f"stands {text.count(old)} times in the program: {old}"
    return text.replace(old, new)


def run_command(command: list[str], fails: bool, name: str, text: str, runner: Path, drawloom: Path,
                folder: Path) -> str:
    """What a command of the page prints, for the program as it is then."""
    if command[0] == "nvcc" and fails:
        [error, *_] = find_errors(text, "100a", folder, name)
        return re.sub(r"^.*?: error", "error", error) + "\n"
    if command[0] == "nvcc":
        # What else it makes is made where it is used.
        return "" if "-ptx" in command or compile_text(name, "100a", text) else "no program"
    if "--" in command:
        at = command.index("--")
        assert command[at + 1] == f"./{name}", command
        start = [runner] if command[1] == "run" else [drawloom, command[1]]
        done = execute([*start, *command[2:at], "--", compile_text(name, "100a", text), *command[at + 2:]])
    else:
        assert f"{name}.ptx" in command, command
        path = compile_ptx(name, text, folder)
        done = execute([drawloom, *(path if word == f"{name}.ptx" else word for word in command[1:])])
    return done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runner", type=Path, required=True, help="drawloom-run")
    parser.add_argument("--drawloom", type=Path, required=True)
    options = parser.parse_args()
    name = text = ""
    steps = right = 0
    with tempfile.TemporaryDirectory() as made:
        for kind, block in re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text(), re.S):
            if kind == "cpp":
                name, text = block.split("\n", 1)[0].removeprefix("// ").removesuffix(".cu"), block
                continue
            if kind == "diff":
                text = change(text, block)
                continue
            for command, wanted in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
                steps += 1
                found = run_command(shlex.split(command), bool(wanted), name, text, options.runner,
                                    options.drawloom, Path(made))
                # A picture may be cut short.
                isRight = found.startswith(wanted) if "mermaid" in command else found == wanted
                right += isRight
                if not isRight:
                    print(f"{command}\nprints:\n{found}not:\n{wanted}")
    print(f"device-guide: {right} of {steps} commands")
    sys.exit(right != steps or steps == 0)


if __name__ == "__main__":
    main()
