# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes PTX files that are nested or long beyond reason into argv[1]."""

import os
import sys

HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"
BODIES = {
    "scopes": "{" * 100_000,
    "parens": ".reg .b32 r; mov.b32 r, " + "(" * 100_000,
    "vector": ".reg .b32 r; mov.b32 {" + "r, " * 100_000 + "r}, r;}",
    "operands": ".reg .b32 r; mov.b32 " + "r, " * 100_000 + "r; }",
    "many": "nothing;\n" * 100_000 + "}",
}

os.makedirs(sys.argv[1], exist_ok=True)
for name, body in BODIES.items():
    with open(os.path.join(sys.argv[1], name + ".ptx"), "w") as file:
        file.write(HEADER + ".entry k() {" + body)
with open(os.path.join(sys.argv[1], "braces.ptx"), "w") as file:
    file.write(HEADER + ".global .b32 a = " + "{" * 100_000)
