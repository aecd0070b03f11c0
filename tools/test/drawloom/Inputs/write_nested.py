# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes files into a folder, each of which ended its reader once."""
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
deep = 60000
for name, text in {
        "launch.json": "[" * deep,
        "attr.mlir": "module attributes {a = " + "[" * deep,
        "regions.mlir": "module {\n" * deep,
        "types.mlir": "func.func @f(%x: " + "tuple<" * deep,
        "locations.mlir": "module {} loc(" + 'callsite("a" at ' * deep,
        "aliases.mlir": "#a0 = [0]\n" + "".join(
            f"#a{i + 1} = [#a{i}]\n" for i in range(5000)),
        "double.mlir": "#a0 = [0]\n" + "".join(
            f"#a{i + 1} = [#a{i}, #a{i}]\n" for i in range(60)),
        "dims.mlir": "func.func private @f(tensor<" + "1x" * 200000 + "f32>)",
        "sum.mlir": "#m = affine_map<(d0) -> (d0" + " + d0" * 200000 + ")>",
}.items():
    (folder / name).write_text(text)
