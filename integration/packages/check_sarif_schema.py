# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every way in which `drawloom` writes SARIF, held to the schema of SARIF 2.1.0: runs
that are checked, with findings, with calls that were inlined, with suppressions, that
ended early and of a program; checks without a run; refusals of the compiler, with and
without a place; and nothing at all. The schema refuses what is spoiled."""
import argparse
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from check_wheels import ROOT, Failure, expect
from sarif import errors, read_results

EXAMPLES = ROOT / "examples"
REVERSE = (EXAMPLES / "check/reverse.ptx").read_text()
EXAMPLE = (EXAMPLES / "check/ring.ptx").read_text()
GEMM = (EXAMPLES / "gemm.mlir").read_text()
INLINED = REVERSE.replace(
    ".address_size 64",
    '.address_size 64\n.file 1 "/src/re verse.cu"\n.file 2 "/lib/copy.h"').replace(
    "  st.shared", ".loc 1 10 3\n.loc 2 7 3, function_name $name, inlined_at 1 10 3\n"
    "  st.shared")
FILES = {
    "reverse.ptx": REVERSE,
    "inlined.ptx": INLINED,
    "hangs.ptx": REVERSE.replace("// bar.sync 0", "bar.sync 0, 96"),
    "count.ptx": EXAMPLE.replace("[empty], 32;", "[empty], 31;"),
    "wrong.ptx": EXAMPLE.replace("bar.sync 0;", "barr.sync 0;"),
    "silent.ptx": REVERSE,
    "known.txt": "unordered ptx:24\n",
    "gemm.mlir": GEMM,
    "parse.mlir": GEMM.replace("%t : tensor", "%none : tensor"),
    "deep.mlir": (EXAMPLES / "repository/programs/deep_gemm.mlir").read_text(),
    "remark.mlir": (EXAMPLES / "guides/skipped_gemm.mlir").read_text().replace(
        "i1) {", "i1) attributes {tile.schedule = "
        "#tile.schedule<fallback = unspecialized>} {"),
    "code.mlir": "llvm.func @f()\n",
}
LAUNCH = f"--launch {EXAMPLES / 'check/reverse.json'} -o ."
# A command, and how what it writes begins.
COMMANDS = [
    (f"run --check reverse.ptx {LAUNCH}", "error unordered reverse.ptx:24"),
    (f"run --check inlined.ptx {LAUNCH}", "error unordered file:///lib/copy.h:7"),
    (f"run --check hangs.ptx {LAUNCH}", "error deadlock hangs.ptx:25"),
    (f"run --check reverse.ptx {LAUNCH} --suppressions known.txt",
     "error unordered reverse.ptx:24 reverse.ptx:28 suppressed"),
    ("run --check deep.mlir --arch sm_100a --random", "error shared-memory-limit deep.mlir:10"),
    (f"run --check -- python3 {ROOT / 'tools/test/drawloom/Inputs/double.py'}",
     "warning uninitialized -"),
    ("check count.ptx", "error count count.ptx:26"),
    ("check wrong.ptx", "error ptx-syntax wrong.ptx:"),
    ("compile deep.mlir --arch sm_100a --emit ptx -o a.ptx",
     "error shared-memory-limit deep.mlir:10"),
    ("compile parse.mlir --arch sm_90a", "error syntax parse.mlir:19"),
    ("compile remark.mlir --arch sm_90a --emit ptx -o a.ptx",
     "note remark remark.mlir:8"),
    ("compile code.mlir --arch sm_90a --emit plan", "error no-kernel code.mlir"),
    ("compile gemm.mlir --arch sm_90a --emit ptx -o a.ptx", "successful"),
    ("explain deep.mlir --arch sm_100a", "error shared-memory-limit deep.mlir:10"),
    ("explain parse.mlir --arch sm_90a", "error syntax parse.mlir:19"),
    ("explain wrong.ptx", "error ptx-syntax wrong.ptx:"),
    ("explain silent.ptx", "error no-kernel silent.ptx"),
    ("explain gemm.mlir --arch sm_90a", "successful"),
]


def spoil(log):
    """Logs that aren't SARIF 2.1.0, and what is wrong with each."""
    def change(words, edit):
        other = copy.deepcopy(log)
        edit(other["runs"][0])
        return words, other
    yield change("no tool", lambda run: run.pop("tool"))
    yield change("a level", lambda run: run["results"][0].update(level="fatal"))
    yield change("no text", lambda run: run["results"][0]["message"].pop("text"))
    yield change("line 0", lambda run: run["results"][0]["locations"][0][
        "physicalLocation"]["region"].update(startLine=0))
    yield change("a property", lambda run: run["results"][0].update(line=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    environment = {**os.environ, "DRAWLOOM_NO_CACHE": "1"}
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for name, text in FILES.items():
            (folder / name).write_text(text)
        log = folder / "log.sarif"
        for command, begin in COMMANDS:
            log.unlink(missing_ok=True)
            verb, *rest = command.split()
            said = subprocess.run(
                [options.build / "bin/drawloom", verb, "--sarif", log, *rest],
                cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT).stdout
            expect(log.exists(), f"{command} wrote nothing, but said\n{said}")
            results = read_results(log)
            expect(results.startswith(begin), f"{command}: {results}")
            if begin == COMMANDS[0][1]:
                for words, spoiled in spoil(json.loads(log.read_text())):
                    expect(errors(spoiled), f"the schema takes a log with {words}")
        print(f"{len(COMMANDS)} logs are as the schema of SARIF 2.1.0 says")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"sarif: {failure}")
