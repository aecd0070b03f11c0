# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases that one of several processes runs, as tools/common/Part.h has it:

    --part 3/50   every 50th case, from the third on, after all other options have chosen
    --list        prints the cases and runs none

The numbers in the last line of a script that has these add up over its parts, so that a
sweep can run them (docs/Sweep.md).
"""

import argparse
import re
from typing import NamedTuple


class Part(NamedTuple):
    number: int = 1
    count: int = 1

    @staticmethod
    def parse(text: str) -> "Part":
        match = re.fullmatch(r"(\d+)/(\d+)", text)
        if not match or not 1 <= int(match[1]) <= int(match[2]):
            raise argparse.ArgumentTypeError(f"it is '{text}'; it takes I/N, 1 to N of N")
        return Part(int(match[1]), int(match[2]))

    def __str__(self):
        return f"{self.number}/{self.count}"

    def of(self, cases: list) -> list:
        return cases[self.number - 1::self.count]


def add_arguments(parser: argparse.ArgumentParser):
    parser.add_argument("--part", type=Part.parse, default=Part(), metavar="I/N",
                        help="every Nth case, from the Ith on")
    parser.add_argument("--list", action="store_true", help="print the cases, run none")
