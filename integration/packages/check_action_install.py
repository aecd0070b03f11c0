# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the Action installs: wheels that are given, or this repository's release by its
hashes, and never a name from an index. Actions are named by commit."""
import argparse
import os
import pathlib
import re
import sys
import tempfile

import yaml
from action import run_action
from check_wheels import ROOT, Failure, expect

WORKFLOWS = ["action.yml", *(str(path.relative_to(ROOT)) for path in sorted(
    [*ROOT.glob(".github/workflows/*.yml"),
     *ROOT.glob("examples/*/.github/workflows/*.yml")]))]
# A stand-in for pip that writes down how it is called.
PYTHON = """#!/bin/sh
echo "$@" >> "$CALLS"
case $* in *"import pytest"*) exit 1 ;; esac
"""


def list_uses(tree):
    """Every `uses` in a file."""
    if isinstance(tree, list):
        return [use for one in tree for use in list_uses(one)]
    if isinstance(tree, dict):
        own = [tree["uses"]] if isinstance(tree.get("uses"), str) else []
        return own + [use for one in tree.values() for use in list_uses(one)]
    return []


def check_pins():
    count = 0
    for name in WORKFLOWS:
        for use in list_uses(yaml.safe_load((ROOT / name).read_text())):
            # Ours stands for wherever a user keeps it.
            expect(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}|OWNER/drawloom@COMMIT", use),
                   f"{name}: {use} is not named by commit")
            count += 1
    print(f"{count} uses in {len(WORKFLOWS)} files, each by commit")


def install(scratch, **inputs):
    """How pip is called, and what the step says."""
    folder = pathlib.Path(scratch)
    calls = folder / "calls"
    calls.write_text("")
    (folder / "python").write_text(PYTHON)
    (folder / "python").chmod(0o755)
    os.environ["CALLS"] = str(calls)
    steps = run_action({"tests": "", "sarif": "", **inputs}, folder, folder)
    return steps["Install"], calls.read_text()


def main():
    argparse.ArgumentParser(description=__doc__).parse_known_args()
    check_pins()
    with tempfile.TemporaryDirectory() as scratch:
        step, calls = install(scratch)
        expect(step.returncode == 3 and "this commit has no release" in step.stdout
               and not calls, step.stdout + calls)
        step, calls = install(scratch, package="evil", wheels="w")
        expect(step.returncode == 2 and "not 'evil'" in step.stdout and not calls,
               step.stdout + calls)
        step, calls = install(scratch, wheels="some wheels", package="drawloom")
        expect(step.returncode == 0 and calls ==
               "-m pip install --no-index --find-links some wheels drawloom\n",
               step.stdout + calls)
        step, calls = install(scratch, wheels="w", tests="t.py", device="h100")
        expect("--no-index --find-links w drawloom-emulator\n" in calls
               and "--require-hashes --requirement" in calls
               and "requirements-action.txt" in calls, calls)
    print("action: installs nothing by name from an index")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"action: {failure}")
