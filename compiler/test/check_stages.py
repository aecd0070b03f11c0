#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every pass of ours after place-memory stands alone.

Which passes there are is read from the path (Pipelines/Path.cpp) and from the
definitions (Passes.td). Each must show, in its description, IR before and
after it, or, if it changes nothing, what it refuses; and a test must run it
and nothing else, and look at what comes out.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILER = ROOT / "compiler"


def definitions():
    """The passes of all Passes.td and what they include: class, flag and description."""
    for path in (COMPILER / "include").rglob("*Passes.td"):
        text = path.read_text()
        for match in re.finditer(
            r'^def (\w+)\s*: Pass<"([\w-]+)".*?description = \[\{(.*?)\}\]', text, re.S | re.M
        ):
            yield match.groups()


def passes_after_plan():
    """The classes that buildProtocol and buildNVVM add, in their order."""
    text = (COMPILER / "lib/Pipelines/Path.cpp").read_text()
    bodies = re.findall(r"void drawloom::build(?:Protocol|NVVM)\(.*?\n}\n", text, re.S)
    return re.findall(r"create(\w+?)(?:Pass)?\(", "".join(bodies))


def is_described(description):
    shown = "```mlir" in description
    changes = "// before" in description and "// after" in description
    return shown and (changes or "Changes nothing." in description)


def is_tested_alone(flag):
    """Whether a test runs this pass and no other, and checks the result. Tiles in programs
    by hand get their layouts before it."""
    alone = re.compile(
        rf"drawloom-opt %s( --assign-layouts)? --{re.escape(flag)}(=\S+)?( --split-input-file| --verify-diagnostics)* \| .*FileCheck"
    )
    return any(
        alone.search(line)
        for test in (COMPILER / "test").rglob("*.mlir")
        for line in test.read_text().splitlines()
        if "RUN:" in line
    )


def main():
    ours = {name: (flag, text) for name, flag, text in definitions()}
    names = [name for name in passes_after_plan() if name in ours]
    described = [name for name in names if is_described(ours[name][1])]
    tested = [name for name in names if is_tested_alone(ours[name][0])]
    for name in names:
        if name not in described:
            print(f"{ours[name][0]}: its description shows no IR before and after it")
        if name not in tested:
            print(f"{ours[name][0]}: no test runs it alone and looks at what comes out")
    print(f"stages: {len(names)} passes, {len(described)} described, {len(tested)} tested alone")
    return 0 if names and len(described) == len(tested) == len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
