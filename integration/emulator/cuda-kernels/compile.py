#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the .cu files of this folder to PTX with nvcc, for each target.

    compile.py --output FOLDER    writes FOLDER/<name>-<target>.ptx

A file that is newer than its source and the shared header stays.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent.parent))

from peers.kernel import cuda_tool  # noqa: E402

TARGETS = ("sm_90a", "sm_100a")


def compile_file(source: pathlib.Path, target: str, output: pathlib.Path) -> str:
    """What went wrong; empty if nothing did."""
    result = output / f"{source.stem}-{target}.ptx"
    newest = max(path.stat().st_mtime for path in (source, FOLDER / "Integer.h"))
    if result.exists() and result.stat().st_mtime > newest:
        return ""
    virtual = target.replace("sm_", "compute_")
    done = subprocess.run(
        [cuda_tool("nvcc"), "-ptx", f"-gencode=arch={virtual},code={virtual}",
         "-std=c++17", "-O3", "-o", result, source],
        capture_output=True, text=True)
    if done.returncode == 0:
        return ""
    result.unlink(missing_ok=True)
    return done.stdout + done.stderr


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    output = parser.parse_args().output
    output.mkdir(parents=True, exist_ok=True)
    work = [(source, target, output) for source in sorted(FOLDER.glob("*.cu"))
            for target in TARGETS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = [text for text in pool.map(compile_file, *zip(*work)) if text]
    print(*errors, sep="\n")
    print(f"{len(work) - len(errors)} of {len(work)} files compiled")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
