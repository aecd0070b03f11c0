# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the examples of the package's docstrings, and the Python of pages, as doctests:

    run_examples.py PAGE.md...

Blocks of a page share their names. One without `>>>` is a program.
"""
import doctest
import importlib
import pathlib
import re
import sys

import ml_dtypes
import numpy as np

import drawloom

GEMM = (pathlib.Path(__file__).resolve().parents[3] / "examples/gemm.mlir").read_text()


def names():
    """What examples of methods start from."""
    return {"drawloom": drawloom, "GEMM": GEMM, "np": np,
            "kernel": drawloom.compile(GEMM, arch="sm_90a"),
            "A": np.arange(64 * 32).reshape(64, 32).astype(ml_dtypes.bfloat16),
            "B": np.eye(32, dtype=ml_dtypes.bfloat16)}


def check_page(path):
    text = path.read_text()
    shared, failed, count = {}, 0, 0
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for match in re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S):
        line = text.count("\n", 0, match.start(1))
        if ">>>" not in match[1]:
            exec(compile("\n" * line + match[1], str(path), "exec"), shared)
            count += 1
            continue
        test = doctest.DocTestParser().get_doctest(
            match[1], shared, path.name, str(path), line)
        result = runner.run(test, clear_globs=False)
        shared.update(test.globs)
        failed, count = failed + result.failed, count + result.attempted
    return failed, count


def main():
    total = 0
    for name in ["drawloom", "drawloom._elements"]:
        failed, count = doctest.testmod(importlib.import_module(name),
                                        extraglobs=names())
        # A name that callers see has an example or a sentence.
        if failed or not count:
            sys.exit(f"{name}: {failed} of {count} examples failed")
        total += count
    for name in drawloom.__all__:
        if not getattr(drawloom, name).__doc__:
            sys.exit(f"drawloom.{name} has no docstring")
    for page in map(pathlib.Path, sys.argv[1:]):
        failed, count = check_page(page)
        if failed or not count:
            sys.exit(f"{page}: {failed} of {count} examples failed")
        total += count
    print(f"{total} examples")


if __name__ == "__main__":
    main()
