#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every rule about roles and pipes stands in the documentation with its own
words, and fires in a test."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULE = re.compile(r'RULE\(\w+, "([^"]*)",\s*"([^"]*)",\s*"([^"]*)"\)')


def main():
    table = (ROOT / "compiler/include/drawloom/Dialect/Agent/IR/Rules.def").read_text()
    page = (ROOT / "docs/Roles.md").read_text()
    tests = "".join(
        line
        for test in (ROOT / "compiler/test/Dialect/Agent").rglob("*.mlir")
        for line in test.read_text().splitlines()
        if "expected-remark" in line or "RULE" in line or "CHECK" in line
    )
    rules, missing = RULE.findall(table), []
    for name, when, sentence in rules:
        if f"| `{name}` | {when} | {sentence} |" not in page:
            missing.append(f"{name}: docs/Roles.md has other words")
        if f"{name}: " not in tests and f'<"{name}", ' not in tests:
            missing.append(f"{name}: fires in no test")
    print(*missing, sep="\n")
    print(f"rules: {len(rules)} rules, {len(missing)} missing")
    return bool(missing) or not rules


if __name__ == "__main__":
    sys.exit(main())
