# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of models in JAX and torch, from the installed wheel: check_blocks.py holds
every kernel and the frameworks' own results to their bounds; what docs/Python.md says
that the examples print is what they print. JAX and torch come from environments of
utils/install-deps."""
import argparse
import os
import pathlib
import re
import sys
import tempfile

from check_wheels import ROOT, Failure, expect, install, run

CHECK = ROOT / "integration/python/frameworks/check_blocks.py"
LISTING = re.compile(r"^```console\n\$ python (.*?)\n(.*?)^```$", re.M | re.S)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    run(ROOT / "utils/wheels", "--here", options.build)
    cache = pathlib.Path(os.environ["DRAWLOOM_CACHE"])
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch).resolve() / "fresh"
        install(folder, options.build / "wheels-here", "drawloom")
        own, = folder.glob("lib/python3.*/site-packages")
        others = [next((cache / name).glob("lib/python3.*/site-packages"))
                  for name in ("venv-frameworks", "venv-extended")]
        (own / "others.pth").write_text("".join(f"{one}\n" for one in others))
        clean = {"PATH": "/usr/bin", "HOME": scratch, "LANG": "C.UTF-8",
                 "DRAWLOOM_NO_CACHE": "1"}
        print(run(folder / "bin/python", "-W", "ignore", CHECK,
                  env=clean, stderr=None).strip(), flush=True)
        listings = LISTING.findall((ROOT / "docs/Python.md").read_text())
        expect(len(listings) == 2, f"docs/Python.md has {len(listings)} listings")
        for command, wanted in listings:
            said = run(folder / "bin/python", "-W", "ignore", *command.split(),
                       cwd=ROOT, env=clean, stderr=None)
            expect(said == wanted, f"{command} prints\n{said}and the page says\n{wanted}")
            print(f"docs/Python.md: {command}", flush=True)
    print("frameworks: pass")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"frameworks: {failure}")
