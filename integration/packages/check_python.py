# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python package, from its wheel in a fresh environment: the examples of every
docstring, of docs/Python.md and of examples/python with its notebook, and its tests. numpy and ml_dtypes
come from the environment of the tests, torch from the one of the extended suite. With
--sample it is a wheel for this machine, which is packed faster, and no torch."""
import argparse
import os
import pathlib
import re
import sys
import tempfile
import time

from check_wheels import ROOT, Failure, expect, install, run

TESTS = ROOT / "integration/python/package"
# From the formula to the compared result.
MOST_LINES = 15
SAYS = {"linear.py": "right", "torch_op.py": "right", "finding.py": "[in-flight]",
        "plan.py": "roles,"}


def count_lines(program):
    """Lines of code, without comments, the docstring and empty ones."""
    text = re.sub(r'^""".*?"""$', "", program.read_text(), flags=re.M | re.S)
    return sum(bool(line.strip()) and not line.startswith("#")
               for line in text.splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--sample", action="store_true")
    options = parser.parse_args()
    start = time.monotonic()

    def say(words):
        print(f"{time.monotonic() - start:5.1f} s  {words}", flush=True)
    here = ["--here"] if options.sample else []
    run(ROOT / "utils/wheels", *here, options.build)
    say("packed")
    cache = pathlib.Path(os.environ["DRAWLOOM_CACHE"])
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch).resolve() / "fresh"
        install(folder, options.build / ("wheels-here" if here else "wheels"),
                "drawloom")
        say("installed")
        python = folder / "bin/python"
        # Nothing of this build.
        clean = {"PATH": f"{folder}/bin:/usr/bin", "HOME": scratch, "LANG": "C.UTF-8",
                 "DRAWLOOM_NO_CACHE": "1"}
        said = run(python, "-c", "import drawloom; print(drawloom.plan("
                   f"{str(ROOT / 'examples/gemm.mlir')!r}, 'sm_90a'))", env=clean)
        expect("@operand_load" in said, said)
        say("a plan without numpy")
        packages = cache / ("venv" if options.sample else "venv-extended")
        own, = folder.glob("lib/python3.*/site-packages")
        others, = packages.glob("lib/python3.*/site-packages")
        (own / "others.pth").write_text(f"{others}\n")

        say(run(python, TESTS / "run_examples.py", ROOT / "docs/Python.md",
                env=clean).strip())
        said = run(python, TESTS / "test_package.py", env=clean)
        say(f"{re.search(r'Ran (.*)', said)[1]}")
        notebooks = sorted((ROOT / "examples/python").glob("*.ipynb"))
        say(run(python, TESTS / "run_notebook.py", *notebooks, env=clean).strip())
        examples = sorted((ROOT / "examples/python").glob("*.py"))
        expect({example.name for example in examples} == set(SAYS), f"{examples}")
        for example in examples:
            if options.sample and example.name == "torch_op.py":
                continue
            said = run(python, "-W", "error", example, env=clean, cwd=scratch)
            expect(SAYS[example.name] in said, said)
            say(example.name)
        lines = count_lines(ROOT / "examples/python/linear.py")
        expect(lines <= MOST_LINES, f"linear.py has {lines} lines")
        say(f"from formula to compared result in {lines} lines")
    print("python: pass")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"python: {failure}")
