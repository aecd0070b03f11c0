#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the test of each defect that was fixed, and counts: `defects: N of N`.

The lists beside this file have a line for each: what holds now, and the test
that failed before it did, where tests of its kind stand.

    A launch that breaks the condition is refused | lit tools/test/...
    Strides are checked                           | gtest RuntimeTests Strides.Are...
    Every diagram is drawn                        | ctest example-plans.drawn

A line whose test doesn't exist, or is skipped, fails. With --exist no test is run:
CI runs each of them where it stands, and a name that is gone fails here.
"""

import argparse
import os
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).parent
root = here.parent.parent


def read(path):
    """Yields (what holds, kind, words) for each line of a list."""
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            statement, test = line.rsplit("|", 1)
            kind, *words = test.split()
            yield statement.strip(), kind, words


def gtest(build, binary, name):
    # GoogleTest ends well when its filter names nothing.
    command = [build / "bin" / binary, f"--gtest_filter={name}"]
    return command, lambda text: "[  PASSED  ] 1 test." in text


def lit(build, path):
    command = ["llvm-config-22", "--bindir"]
    tools = subprocess.run(command, capture_output=True, text=True, check=True)
    command = [pathlib.Path(tools.stdout.strip()) / "lit", "-v"]
    command += [f"-Dbuild={build}", root / path]
    return command, lambda text: "Passed: 1 (100.00%)" in text


def ctest(build, name):
    # What the test needs was made for the tests beside it.
    command = ["ctest", "--test-dir", build, "-R", f"^{name}$", "-FA", "."]
    command += ["--no-tests=error", "--output-on-failure"]
    return command, lambda text: "100% tests passed" in text


def list_gtests(binary):
    """The full names of the tests of a binary."""
    text = subprocess.run([binary, "--gtest_list_tests"], capture_output=True, text=True,
                          check=True).stdout
    names, suite = set(), ""
    for line in text.splitlines():
        word, *_ = line.split() or [""]
        if line.startswith(" "):
            names.add(suite + word)
        else:
            suite = word
    return names


class Existing:
    """Which tests there are; what a binary or ctest has is asked for once."""

    def __init__(self, build):
        self.build, self.gtests = build, {}
        text = subprocess.run(["ctest", "--test-dir", build, "-N"], capture_output=True, text=True,
                              check=True).stdout
        self.ctests = {line.split(": ")[1].strip() for line in text.splitlines()
                       if line.lstrip().startswith("Test ") and ": " in line}

    def has(self, kind, *words):
        if kind == "lit":
            return (root / words[0]).is_file()
        if kind == "ctest":
            return words[0] in self.ctests
        binary, name = words
        if binary not in self.gtests:
            self.gtests[binary] = list_gtests(self.build / "bin" / binary)
        return name in self.gtests[binary]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--at-least", type=int, default=1)
    parser.add_argument("--exist", action="store_true", help="only look whether tests exist")
    options = parser.parse_args()
    existing = Existing(options.build) if options.exist else None
    environment = os.environ | {
        "DRAWLOOM_BUILD": str(options.build),
        "PYTHONPATH": str(root / "utils" / "lit"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    kinds = {"gtest": gtest, "lit": lit, "ctest": ctest}
    count = held = 0
    for path in sorted(here.glob("*.txt")):
        for statement, kind, words in read(path):
            count += 1
            if existing:
                held += (exists := existing.has(kind, *words))
                if not exists:
                    print("MISSING", statement, "|", kind, *words)
                continue
            command, passed = kinds[kind](options.build, *words)
            done = subprocess.run(
                command, env=environment, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            holds = done.returncode == 0 and passed(done.stdout)
            held += holds
            print("holds " if holds else "BROKEN", statement)
            if not holds:
                print(done.stdout)
    print(f"defects: {held} of {count}{' have a test' if existing else ''}")
    return held < count or count < options.at_least


if __name__ == "__main__":
    sys.exit(main())
