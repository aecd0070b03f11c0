#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation of our dialects round-trips in a test, and every refusal is
tested with its words.

Operations come from the generated reference pages, whose freshness is a test
of its own. Refusals are the string literals in statements that emit an error
in lib/Dialect; each must stand in an `expected-error` of test/Dialect, or, if
only C++ can get there, in a unit test. What is built at run time (types,
numbers, names) is not compared.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIALECTS = ("Tile", "Agent")
# Punctuation and joining words between two values are no message.
SHORTEST = 8

STATEMENT = re.compile(r"\bemit(?:Op)?Error\b[^;]*?<<.*?;|\bemit(?:Op)?Error\([^;]*?;", re.S)
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


def literals(code):
    """The string literals of a piece of C++, adjacent ones joined."""
    joined = re.sub(r'"\s*\n?\s*"', "", code)
    return [text.replace('\\"', '"') for text in LITERAL.findall(joined)]


def main():
    missing = []
    operations = messages = 0
    for dialect in DIALECTS:
        tests = sorted((ROOT / "compiler/test/Dialect" / dialect).rglob("*.mlir"))
        texts = {test: test.read_text() for test in tests}
        round_trips = "".join(
            text for text in texts.values() if "-mlir-print-op-generic" in text
        )
        errors = "".join(
            line
            for text in texts.values()
            for line in text.splitlines(keepends=True)
            if "expected-error" in line or "CHECK" in line
        )
        for test in (ROOT / "compiler/unittests/Dialect" / dialect).rglob("*.cpp"):
            errors += "".join(literals(test.read_text()))
        pages = (ROOT / "docs/Dialects").glob(f"{dialect}*.md")
        page = "".join(path.read_text() for path in sorted(pages))
        for name in re.findall(r"^### `([a-z_.]+)`", page, re.M):
            operations += 1
            if not re.search(rf"\b{re.escape(name)}\b", round_trips):
                missing.append(f"{name}: in no test that round-trips")
        for source in sorted((ROOT / "compiler/lib/Dialect" / dialect).rglob("*.cpp")):
            for statement in STATEMENT.findall(source.read_text()):
                for text in literals(statement):
                    text = text.strip()
                    if len(text) < SHORTEST:
                        continue
                    messages += 1
                    if text not in errors:
                        missing.append(f"{source.relative_to(ROOT)}: no test has {text!r}")
    print(*missing, sep="\n")
    print(f"dialects: {operations} operations, {messages} pieces of messages, {len(missing)} untested")
    return bool(missing) or not operations or not messages


if __name__ == "__main__":
    sys.exit(main())
