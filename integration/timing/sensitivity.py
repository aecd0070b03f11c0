# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much the clock's figures move when one constant is halved or doubled.

Prints CSV: the constant, and for each kernel the change of its time in percent, halved and
doubled. sensitivity-h100.csv and sensitivity-b200.csv are what it printed; utils/generate-timing
puts the largest change of each row into docs/Timing.md.
"""

import argparse
import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "emulator"))
import run
from driver import Driver
from exam import recipe_of

TABLE = HERE.parents[1] / "emulator/include/drawloom/Emulator/ClockConstants.def"
SIZE = (2048, 2048, 2048)
KERNELS = {"h100": {"roles": "stages=4 roles=ws persistent=1", "no roles": "stages=3"},
           "b200": {"one stage": "stages=1", "roles": "bn=128 stages=6 roles=ws",
                    "pairs": "stages=6 roles=ws pair=1 persistent=1 accumulators=2 epilogue=tma"}}


def constants() -> list[tuple[str, int, int]]:
    return [(name, int(h100), int(b200)) for name, h100, b200 in
            re.findall(r"^CLOCK_CONSTANT\((\w+), (\d+), (\d+),", TABLE.read_text(), re.M)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True)
    parser.add_argument("--arch", required=True, choices=KERNELS)
    parser.add_argument("--constant", help="only this one")
    args = parser.parse_args()
    driver = Driver(args.library, args.arch, 148 if args.arch == "b200" else 132)
    kernels = {name: recipe_of({"arch": args.arch, "recipe": text})
               for name, text in KERNELS[args.arch].items()}

    def times() -> list[int]:
        return [run.time(driver, recipe, *SIZE)[5] for recipe in kernels.values()]

    base = times()
    print("constant", *(f"{name} {way}" for way in ("halved", "doubled") for name in kernels), sep=",")
    for name, h100, b200 in constants():
        value = b200 if args.arch == "b200" else h100
        if not value or args.constant not in (None, name):
            continue
        changes = []
        for other in (max(1, value // 2), value * 2):
            os.environ["DRAWLOOM_TIME_CONSTANTS"] = f"{name}={other}"
            changes += [f"{100 * (new / old - 1):.1f}" for new, old in zip(times(), base)]
        del os.environ["DRAWLOOM_TIME_CONSTANTS"]
        print(name, *changes, sep=",", flush=True)


if __name__ == "__main__":
    main()
