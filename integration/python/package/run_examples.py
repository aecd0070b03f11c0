# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the examples of the package's docstrings, and the Python of pages, as doctests:

    run_examples.py PAGE.md...

Blocks of a page share their names. One without `>>>` is a program.
"""
import doctest
import functools
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
    def linear(a: "bf16[M, K]", b: "bf16[N, K]"):
        return a @ b.T
    return {"drawloom": drawloom, "fusion": drawloom.trace(linear), "GEMM": GEMM, "np": np,
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


def check_docstrings():
    """Of what callers see, methods included, and of what is below."""
    # Without a module, or only classes would be found that are defined in it.
    find = functools.partial(doctest.DocTestFinder().find, module=False, globs=names())
    runner = doctest.DocTestRunner()
    seen = {f"drawloom.{name}": getattr(drawloom, name) for name in drawloom.__all__}
    for name in ["dtype_of", "element_of"]:
        seen[name] = getattr(importlib.import_module("drawloom._elements"), name)
    for name in ["Budget", "read_checks", "read_orders", "read_shape"]:
        seen[name] = getattr(importlib.import_module("drawloom.sweep._spec"), name)
    seen["add_up"] = importlib.import_module("drawloom.sweep._commands").add_up
    for name, value in seen.items():
        if not value.__doc__:
            sys.exit(f"{name} has no docstring")
        for test in find(value, name):
            test.globs.update(seen, np=np)
            runner.run(test)
    return runner.summarize()


def main():
    failed, total = check_docstrings()
    if failed or not total:
        sys.exit(f"docstrings: {failed} of {total} examples failed")
    for page in map(pathlib.Path, sys.argv[1:]):
        failed, count = check_page(page)
        if failed or not count:
            sys.exit(f"{page}: {failed} of {count} examples failed")
        total += count
    print(f"{total} examples")


if __name__ == "__main__":
    main()
