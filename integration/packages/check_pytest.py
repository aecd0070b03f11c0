# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pytest plugin, from the wheel: a project in which three kernels are wrong, one
of them under some schedules only, fails exactly there and says where."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from check_wheels import ROOT, Failure, expect, install, run

PROJECT = ROOT / "integration/python/pytest/test_kernels.py"
# A copy that nobody has waited for may be late under these.
LATE = {"adversarial", "adversarial:bulk"}


def outcomes(text):
    """{(test, schedule): outcome} of pytest's verbose lines."""
    found = {}
    for name, outcome in re.findall(r"::(\S+) (PASSED|FAILED)", text):
        test, _, parameters = name.rstrip("]").partition("[")
        found[test, parameters] = outcome
    return found


def check(text):
    got = outcomes(text)
    late = set()
    for (test, parameters), outcome in got.items():
        if "early" in parameters:
            schedule = next(p for p in parameters.split("-") if p != "early")
            late |= {schedule} if outcome == "FAILED" else set()
            continue
        wrong = test == "test_nobody_looks" or re.search("wrong|hang", parameters)
        expect(outcome == ("FAILED" if wrong else "PASSED"),
               f"{test}[{parameters}] {outcome}\n{text}")
    expect(LATE <= late and "deterministic" not in late,
           f"the early read fails under {late}\n{text}")
    # 1 + 8 + 2 schedules of four kernels, and two tests without.
    expect(len(got) == 46, f"{len(got)} tests\n{text}")
    for words in ["a kernel failed, and the test didn't look", "illegal address",
                  "deadlock", "mbarrier"]:
        expect(words in text, f"'{words}' isn't said\n{text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    python = pathlib.Path(os.environ["DRAWLOOM_CACHE"]) / "venv-python"
    packages = next(python.glob("lib/python3.*/site-packages"))
    run(ROOT / "utils/wheels", options.build, "drawloom-emulator")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch).resolve() / "fresh"
        install(folder, options.build / "wheels", "drawloom-emulator")
        own = next(folder.glob("lib/python3.*/site-packages"))
        (own / "others.pth").write_text(f"{packages}\n")
        result = subprocess.run(
            [folder / "bin/python", "-m", "pytest", "-v", "-p", "no:cacheprovider",
             "--drawloom-device", "h100", "--drawloom-schedules", "2", PROJECT],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            cwd=scratch)
        expect(result.returncode == 1, result.stdout)
        check(result.stdout)
        # Without the option the plugin leaves tests alone.
        result = subprocess.run(
            [folder / "bin/python", "-m", "pytest", "--collect-only", "-q",
             "-p", "no:cacheprovider", PROJECT], stdout=subprocess.PIPE, text=True,
            cwd=scratch)
        expect("6 tests collected" in result.stdout, result.stdout)
    print("pytest: pass")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"pytest: {failure}")
