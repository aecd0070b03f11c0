# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pytest plugin, from the wheel: a project in which three kernels are wrong, one
of them under some schedules only, fails exactly there and says where."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from action import run_action
from check_wheels import ROOT, Failure, expect, install, run
from sarif import read_results

PROJECT = ROOT / "integration/python/pytest/test_kernels.py"
# A copy that no thread has waited for may be late under these.
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
        wrong = test == "test_unchecked_failure" or re.search("wrong|hang", parameters)
        expect(outcome == ("FAILED" if wrong else "PASSED"),
               f"{test}[{parameters}] {outcome}\n{text}")
    expect(LATE <= late and "deterministic" not in late,
           f"the early read fails under {late}\n{text}")
    # 1 + 8 + 2 schedules of four kernels, and two tests without.
    expect(len(got) == 46, f"{len(got)} tests\n{text}")
    for words in ["a kernel failed, and the test didn't look", "illegal address",
                  "deadlock", "mbarrier"]:
        expect(words in text, f"'{words}' isn't said\n{text}")


def check_findings(python, scratch):
    """With the checker, what may be read too early fails under any schedule."""
    report = pathlib.Path(scratch) / "report.json"
    result = subprocess.run(
        [python, "-m", "pytest", "-v", "-p", "no:cacheprovider", "--drawloom-device",
         "h100", "--drawloom-check", "--drawloom-fidelity", "--drawloom-report", report,
         PROJECT],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=scratch)
    expect(result.returncode == 1, result.stdout)
    for words in ["the checker found", "early: ", "[in-flight]", "  why: ", "  add: "]:
        expect(words in result.stdout, f"'{words}' isn't said\n{result.stdout}")
    written = json.loads(report.read_text())
    expect(written["device"] == "h100", f"{written['device']}")
    failed = {test["test"].partition("::")[2]: test["report"]
              for test in written["tests"] if test["outcome"] == "failed"}
    expect(set(failed) == {"test_doubles[wrong]", "test_doubles[hang]",
                           "test_doubles[early]", "test_unchecked_failure"}
           and len(written["tests"]) == 6, f"{written}")
    expect("deadlock" in failed["test_doubles[hang]"]
           and re.search(r"line \d+", failed["test_doubles[hang]"]),
           failed["test_doubles[hang]"])
    expect("the checker found" in failed["test_doubles[early]"],
           failed["test_doubles[early]"])
    # Of all tests, each in a process of its own.
    stores = [form for form in written["fidelity"]
              if form["form"].startswith("st.global")]
    expect(len(stores) == 1 and stores[0]["class"] == "exact"
           and stores[0]["times"] > 2, f"{written['fidelity']}")
    expect(re.search(r"drawloom fidelity.*\d+ instruction variants: \d+ exact, "
                     r"0 approximate, 0 inferred, 0 not executed", result.stdout, re.S),
           result.stdout)


def check_action(folder, scratch, wheels):
    inputs = {"device": "h100", "wheels": str(wheels), "report": "action.json"}
    right = f"{PROJECT}::test_after_failures"
    path = folder / "bin"
    steps = run_action({**inputs, "tests": right}, scratch, path)
    expect(list(steps) == ["Install", "Test", "Upload"] and steps["Test"].returncode == 0,
           f"{steps}")
    early = f"{PROJECT}::test_doubles[early]"
    steps = run_action({**inputs, "tests": early}, scratch, path)
    expect(steps["Test"].returncode == 1 and "the checker found" in steps["Test"].stdout,
           f"{steps}")
    written = json.loads((pathlib.Path(scratch) / "action.json").read_text())
    expect([test["outcome"] for test in written["tests"]] == ["failed"], f"{written}")
    said = read_results(pathlib.Path(scratch) / "drawloom-sarif/tests.sarif")
    place = r"file:///\S+\.cu:\d+"
    expect(re.fullmatch(rf"error in-flight {place} {place}\s+successful\n", said), said)
    steps = run_action({**inputs, "tests": early, "check": "off"}, scratch, path)
    expect(steps["Test"].returncode == 0, f"{steps}")


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
             "--drawloom-device", "h100", "--drawloom-orders", "2", PROJECT],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            cwd=scratch)
        expect(result.returncode == 1, result.stdout)
        check(result.stdout)
        check_findings(folder / "bin/python", scratch)
        check_action(folder, scratch, options.build / "wheels")
        result = subprocess.run(
            [folder / "bin/python", "-m", "pytest", "--drawloom-device", "h100",
             "--drawloom-sarif", "a.sarif", PROJECT], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, cwd=scratch)
        expect("--drawloom-sarif goes with --drawloom-check" in result.stdout,
               result.stdout)
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
