# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The five GEMMs of sensitivity.py by the clock, with the slots of PTX and with those of ptxas.

    compare_slots.py --library build/release/lib/drawloom/libcuda.so.1 --drawloom build/release/bin/drawloom
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "emulator"))
import run
from driver import Driver
from exam import recipe_of
from sensitivity import KERNELS, SIZE


def measure(library: str, arch: str):
    """As a process of its own: a process has one device."""
    driver = Driver(library, arch, 148 if arch == "b200" else 132)
    for name, text in KERNELS[arch].items():
        recipe = recipe_of({"arch": arch, "recipe": text})
        print(arch, name, run.time(driver, recipe, *SIZE)[0], sep=",")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--drawloom", required=True)
    parser.add_argument("--arch", choices=KERNELS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.arch:
        measure(args.library, args.arch)
        return
    for arch in KERNELS:
        command = [sys.executable, __file__, *sys.argv[1:], "--arch", arch]
        lines = [subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE,
                                env=os.environ | {"TIMING_DRAWLOOM": tool}).stdout.splitlines()
                 for tool in ("", args.drawloom)]
        for ptx, sass in zip(*lines):
            name, before = ptx.rsplit(",", 1)
            after = sass.rsplit(",", 1)[1]
            print(f"{name}: {before} cycles, with the slots of ptxas {after} ({100 * (int(after) / int(before) - 1):+.1f} %)")


if __name__ == "__main__":
    main()
