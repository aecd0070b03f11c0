# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plan of a program, without compiling it: as text, as Mermaid, and as numbers."""
import pathlib

import drawloom

program = pathlib.Path(__file__).parent.parent / "attention.mlir"
for arch in ["sm_90a", "sm_100a"]:
    plan = drawloom.plan(program, arch)
    print(plan)
    print(plan.mermaid())
    roles = plan.json()["roles"]
    print(f"{arch}: {len(roles)} roles, {sum(role['warps'] for role in roles)} warps")
