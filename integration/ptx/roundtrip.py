# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every peer kernel survives our parser, typed form and printer.

For each kernel: PTX text → typed form → PTX text, both texts through ptxas, and
the two cubins must agree (toolkit.COMPARED says in what). The printer sees the
typed form only, so whatever the parser lost shows up as different SASS.
"""

import argparse
import difflib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from toolkit import Assembler, compared, find_tool


def kernels_of(args) -> list[tuple[str, Path]]:
    if args.manifest:
        rows = json.loads(args.manifest.read_text())
        return [(row["name"], Path(row["path"])) for row in rows]
    return [(path.stem, path) for path in sorted(args.folder.glob("*.ptx"))]


def print_again(printer: Path, path: Path) -> tuple[str | None, str]:
    """The printed text, or None and the parser's first errors."""
    done = subprocess.run([printer, path], capture_output=True, text=True)
    first_errors = "\n".join(done.stderr.splitlines()[:9])
    return (done.stdout if done.returncode == 0 else None), first_errors


def disassemble(cubin: bytes) -> list[str]:
    tool = find_tool("nvdisasm")
    if not tool:
        return []
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        done = subprocess.run([tool, "-c", file.name], capture_output=True, text=True)
    return done.stdout.splitlines()


def explain(assembler: Assembler, before: str, after: str) -> str:
    """Which sections differ, and where the SASS first does."""
    (_, one), (_, two) = assembler.assemble(before), assembler.assemble(after)
    first, second = compared(one), compared(two)
    sizes = {name: (len(first.get(name, b"")), len(second.get(name, b"")))
             for name in sorted(first.keys() | second.keys())
             if first.get(name) != second.get(name)}
    lines = [f"  {name}: {old} bytes before, {new} after" for name, (old, new) in sizes.items()]
    for old, new in zip(disassemble(one), disassemble(two)):
        if old != new:
            return "\n".join([*lines, f"  before: {old.strip()}", f"  after:  {new.strip()}"])
    changed = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return "\n".join([*lines, "  no instruction differs; the text differs first at",
                      *(f"  {line}" for line in list(changed)[3:6])])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--manifest", type=Path, help="what `python -m peers build` wrote")
    source.add_argument("--folder", type=Path, help="any folder of .ptx files")
    parser.add_argument("--ptx-print", type=Path, required=True)
    parser.add_argument("--at-least", type=int, default=1, metavar="N",
                        help="fewer kernels than this is a failure")
    args = parser.parse_args()

    kernels = kernels_of(args)
    assembler = Assembler()
    print(f"ptxas {assembler.version}, {len(kernels)} kernels", flush=True)
    wrong = {}
    printed = {}
    for name, path in kernels:
        text, message = print_again(args.ptx_print, path)
        if text is None:
            wrong[name] = message
        else:
            printed[name] = (path.read_text(), text)
    before = assembler.assemble_all([old for old, _ in printed.values()])
    after = assembler.assemble_all([new for _, new in printed.values()])
    for (name, texts), old, new in zip(printed.items(), before, after):
        if not old.accepted:
            wrong[name] = f"  ptxas refuses the original\n{old.message}"
        elif not new.accepted:
            wrong[name] = f"  ptxas refuses the printed text\n{new.message}"
        elif old.sections != new.sections:
            wrong[name] = explain(assembler, *texts)
        else:
            print(f"{name}: identical in {len(old.sections)} sections")
    for name, reason in wrong.items():
        print(f"{name}: not identical\n{reason}")
    same = len(kernels) - len(wrong)
    if len(kernels) < args.at_least:
        print(f"only {len(kernels)} kernels, {args.at_least} are asked for")
    print(f"ptxas ran {assembler.runs} times, the rest was cached")
    print(f"ptx round trip: {same} of {len(kernels)} kernels identical")
    return 0 if same == len(kernels) >= args.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
