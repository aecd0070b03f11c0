# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is installed has the files that help names: the examples of every verb's --help
run in an empty folder, from an installation of what wheels have."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

from check_wheels import Failure, expect, run


def list_examples(drawloom, clean):
    verbs = re.findall(r"^  (\w+)  +\S", run(drawloom, "--help", env=clean), re.M)
    commands = []
    for verb in ("", *verbs):
        said = run(drawloom, *filter(None, [verb]), "--help", env=clean)
        examples = "".join(re.split(r"^Examples?:\n", said, flags=re.M)[1:])
        commands += re.findall(r"^  (drawloom [^\\\n]*(?:\\\n.*)?)", examples, re.M)
    return list(dict.fromkeys(commands))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch).resolve()
        for component in ("emulator", "private", "compiler"):
            run("cmake", "--install", options.build, "--component", component, "--prefix",
                folder / "installed")
        clean = {"PATH": f"{folder}/installed/bin:/usr/bin:/bin", "HOME": scratch,
                 "DRAWLOOM_NO_CACHE": "1"}
        commands = list_examples("drawloom", clean)
        (folder / "empty").mkdir()
        count = 0
        for command in commands:
            # Others are about what the reader has: a program, a GPU.
            if "/share/drawloom/examples/" not in command:
                continue
            for name in re.findall(r"\S+/share/drawloom/examples/\S+", command):
                expect(pathlib.Path(name).is_file(), f"there is no {name}")
            # Minutes of it.
            if " sweep " in command:
                count += 1
                continue
            done = subprocess.run(["bash", "-c", command], cwd=folder / "empty", text=True,
                                  env=clean, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            # In the first one something is to be found. The second needs ptxas, which
            # isn't in a reader's PATH, and says how to get it.
            status, said = 0, ""
            if "/reverse." in command:
                status = 1
            elif command.startswith("drawloom slots "):
                status, said = 3, "install one with 'pip install nvidia-cuda-nvcc'"
            expect(done.returncode == status and said in done.stdout
                   and "o such file" not in done.stdout,
                   f"{command}: {done.returncode}\n{done.stdout}")
            count += 1
        expect(count >= 8, f"{commands}")
    print(f"help: {count} examples run from an installation")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"help: {failure}")
