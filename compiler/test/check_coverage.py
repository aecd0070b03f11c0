#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation of our dialects round-trips in a test.

Operations come from the generated reference pages, whose freshness is a test of
its own. That every refusal is tested is utils/check-messages' business.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIALECTS = ("Tile", "Agent")


def main():
    missing = []
    operations = 0
    for dialect in DIALECTS:
        tests = sorted((ROOT / "compiler/test/Dialect" / dialect).rglob("*.mlir"))
        round_trips = "".join(
            text for text in (test.read_text() for test in tests)
            if "-mlir-print-op-generic" in text
        )
        pages = (ROOT / "docs/Dialects").glob(f"{dialect}*.md")
        page = "".join(path.read_text() for path in sorted(pages))
        for name in re.findall(r"^### `([a-z_.]+)`", page, re.M):
            operations += 1
            if not re.search(rf"\b{re.escape(name)}\b", round_trips):
                missing.append(f"{name}: in no test that round-trips")
    print(*missing, sep="\n")
    print(f"dialects: {operations} operations, {len(missing)} untested")
    return bool(missing) or not operations


if __name__ == "__main__":
    sys.exit(main())
