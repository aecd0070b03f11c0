# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/repository as GitHub would run its workflow: the Action's steps run its
kernel and compile its programs, and what they write is SARIF at the lines that are
wrong. The commands of its README write the same."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml
from action import run_action
from check_wheels import ROOT, Failure, expect
from sarif import read_results

REPOSITORY = ROOT / "examples/repository"
WANTED = {
    "tile_store.launch.sarif":
        "error proxy-fence kernels/tile_store.cu:15 kernels/tile_store.cu:22 \n"
        "successful\n",
    "deep_gemm.sm_100a.sarif":
        "error shared-memory-limit programs/deep_gemm.mlir:10 \nsuccessful\n",
    "gemm.sm_100a.sarif": "successful\n",
}


def read_workflow():
    """What the workflow gives to the Action."""
    text = (REPOSITORY / ".github/workflows/kernels.yml").read_text()
    workflow = yaml.safe_load(text)
    expect(workflow["permissions"]["security-events"] == "write", text)
    steps = workflow["jobs"]["kernels"]["steps"]
    ours, = (step for step in steps if "/drawloom@" in step["uses"])
    return ours["with"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    os.environ["DRAWLOOM_NO_CACHE"] = "1"
    path = options.build / "bin"
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "repository"
        shutil.copytree(REPOSITORY, folder)
        (folder / "drawloom-sarif").mkdir()
        # Installing is for the tests of wheels.
        steps = run_action(read_workflow(), folder, path, skips=["Install"])
        expect(list(steps) == ["Launches", "Programs", "Upload"], f"{steps}")
        for step, status, words in [("Launches", 1, "[proxy-fence]"),
                                    ("Programs", 3, "4 slots of operands fit")]:
            expect(steps[step].returncode == status and words in steps[step].stdout,
                   steps[step].stdout)
        written = sorted((folder / "drawloom-sarif").iterdir())
        expect({file.name for file in written} == set(WANTED), f"{written}")
        for file in written:
            said = read_results(file, cwd=folder)
            expect(said == WANTED[file.name], f"{file.name}: {said}")
            print(f"{file.name}: {said.splitlines()[0]}")
        commands = re.findall(r"^drawloom .*--sarif (.*)$",
                              (REPOSITORY / "README.md").read_text(), re.M)
        expect(len(commands) == 2, f"{commands}")
        for match in re.finditer(r"^drawloom .*--sarif (.*)$",
                                 (REPOSITORY / "README.md").read_text(), re.M):
            subprocess.run(["bash", "-c", match[0]], cwd=folder,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env={**os.environ, "PATH": f"{path}:{os.environ['PATH']}"})
            said = read_results(folder / match[1])
            expect(said in WANTED.values() and said.startswith("error"), said)
    print("repository: pass")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"repository: {failure}")
