#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Deep nesting and huge counts, in everything that is read: each is to end with
words, whatever they are."""

import json
import pathlib
import sys
import tempfile

import attack

deep = 60_000
wide = 200_000
huge = ("9223372036854775807", "18446744073709551615", "4611686018427387904",
        "2147483648", "4294967296")


def kernel(body, arguments="%x: !tile.view<?x?xf32>", attributes=""):
    return f"tile.kernel @k({arguments}) {attributes} {{\n{body}\n}}\n"


def function(body, arguments="%x: tensor<4x4xf32>", result="tensor<4x4xf32>"):
    return f"func.func @f({arguments}) -> {result} {{\n{body}\n}}\n"


def chain(line, count):
    return "\n".join(line.format(i, i + 1) for i in range(count))


def programs():
    """Yields (what it is, the text)."""
    for opening in ("[", "{a = ", "#x<", "dense<[", "affine_map<(", "!x<",
                    "tuple<", "array<i64: ", "loc("):
        yield f"attribute {opening}", "module attributes {a = " + opening * deep
    yield "regions", "module {" * deep
    yield "regions, closed", "module {" * deep + "}" * deep
    yield "scf.if", kernel("%c = arith.constant true\n" +
                           "scf.if %c {\n" * deep + "}\n" * deep)
    yield "linalg regions", function("linalg.generic {" * deep)
    for location in ("callsite(\"a\" at ", "fused[", "\"a\"("):
        yield f"location {location}", "module {} loc(" + location * deep
    for kind in ("tuple<", "complex<", "vector<1x", "memref<1x", "tensor<1x",
                 "!tile.view<", "() -> (", "function<"):
        yield f"type {kind}", f"func.func private @f({kind * deep}"
    yield "sizes of a type", f"func.func private @f(tensor<{'1x' * wide}f32>)"
    yield "sizes with spaces", f"func.func private @f(tensor<{'1x ' * wide}f32>)"
    yield "sizes of a view", f"func.func private @f(!tile.view<{'1x' * wide}f32>)"
    yield "sum", "#m = affine_map<(d0) -> (d0" + " + d0" * wide + ")>"
    yield "negations", "#m = affine_map<(d0) -> (" + "-" * wide + "d0)>"
    yield "products", "#m = affine_map<(d0) -> (d0" + " * 2" * wide + ")>"
    yield "remainders", "#m = affine_map<(d0) -> (d0" + " mod 2" * wide + ")>"
    yield "brackets of a map", "#m = affine_map<(d0) -> (" + "(" * deep
    yield "aliases in a chain", "#a0 = [0]\n" + chain(
        "#a{1} = [#a{0}]", 5000) + "\nmodule attributes {a = #a5000} {}"
    yield "aliases that double", "#a0 = [0]\n" + chain(
        "#a{1} = [#a{0}, #a{0}]", 60) + "\nmodule attributes {a = #a60} {}"
    yield "types that double", "!a0 = tuple<i32>\n" + chain(
        "!a{1} = tuple<!a{0}, !a{0}>", 60) + "\nfunc.func private @f(!a60)"
    yield "locations in a chain", "module {} loc(#l5000)\n" + "\n".join(
        f"#l{i + 1} = loc(callsite(#l{i} at #l0))"
        for i in reversed(range(5000))) + '\n#l0 = loc("a")'
    yield "many arguments", "func.func private @f(" + ", ".join(
        ["f32"] * wide) + ")"
    yield "a long name", f'tile.kernel @{"k" * wide}() {{ }}'
    yield "a long string", 'module attributes {a = "' + "x" * 10_000_000 + '"}'
    yield "a chain of values", function(
        "%0 = arith.addf %x, %x : tensor<4x4xf32>\n" + chain(
            "%{1} = arith.addf %{0}, %{0} : tensor<4x4xf32>", 3000) +
        "\nreturn %3000 : tensor<4x4xf32>")
    yield "a number of many digits", \
        f'module attributes {{a = {"9" * 100_000} : i64}}'
    for width in ("i16777215", "i16777216", "si16777215"):
        yield f"elements of {width}", function(
            "return %x : tensor<4x" + width + ">", f"%x: tensor<4x{width}>",
            f"tensor<4x{width}>")
    for number in huge:
        yield f"transpose {number}", function(
            "%v = linalg.transpose ins(%x : tensor<4x4xf32>) outs(%x : "
            f"tensor<4x4xf32>) permutation = [1, {number}]\n"
            "return %v : tensor<4x4xf32>")
        yield f"broadcast {number}", function(
            "%e = tensor.empty() : tensor<4x4x4xf32>\n"
            "%v = linalg.broadcast ins(%x : tensor<4x4xf32>) outs(%e : "
            f"tensor<4x4x4xf32>) dimensions = [{number}]\n"
            "return %x : tensor<4x4xf32>")
        yield f"reduce {number}", function(
            "%e = tensor.empty() : tensor<4xf32>\n"
            "%v = linalg.reduce {arith.addf} ins(%x : tensor<4x4xf32>) outs(%e "
            f": tensor<4xf32>) dimensions = [{number}]\n"
            "return %x : tensor<4x4xf32>")
        yield f"splat of {number}", kernel(
            f"%0 = arith.constant dense<0> : tensor<{number}xi8>")
        yield f"tensor of {number} twice", function(
            f"return %x : tensor<{number}x{number}xf32>",
            f"%x: tensor<{number}x{number}xf32>",
            f"tensor<{number}x{number}xf32>")
        yield f"strides of {number}", kernel(
            "", f"%x: !tile.view<4x4xf32, strides = [{number}, 1]>")
        yield f"memref of {number}", "func.func private @f(memref<4x4xf32, " \
            f"strided<[{number}, 1], offset: {number}>>)"
        yield f"collapse {number}", function(
            f"%v = tensor.collapse_shape %x [[0, {number}]] : tensor<4x4xf32> "
            "into tensor<16xf32>\nreturn %x : tensor<4x4xf32>")
        yield f"expand {number}", function(
            f"%v = tensor.expand_shape %x [[0, 1], [{number}]] output_shape "
            f"[2, 2, {number}] : tensor<4x4xf32> into tensor<2x2x4xf32>\n"
            "return %x : tensor<4x4xf32>")
        yield f"slice {number}", function(
            f"%v = tensor.extract_slice %x[{number}, 0] [4, 4] [1, {number}] : "
            "tensor<4x4xf32> to tensor<4x4xf32>\nreturn %v : tensor<4x4xf32>")
        yield f"pad {number}", function(
            "%c = arith.constant 0.0 : f32\n"
            f"%v = tensor.pad %x low[{number}, 0] high[0, {number}] {{\n"
            "^b(%i: index, %j: index):\n tensor.yield %c : f32\n} : "
            "tensor<4x4xf32> to tensor<?x?xf32>\nreturn %x : tensor<4x4xf32>")
        yield f"dim {number}", function(
            f"%i = arith.constant {number} : index\n"
            "%d = tensor.dim %x, %i : tensor<4x4xf32>\n"
            "return %x : tensor<4x4xf32>")
        yield f"insert {number}", function(
            f"%c = arith.constant dense<0.0> : vector<4xf32>\n"
            f"%v = vector.extract %c[{number}] : f32 from vector<4xf32>\n"
            "return %x : tensor<4x4xf32>")
        yield f"map result {number}", "#m = affine_map<(d0) -> (d0 * " + \
            f"{number} + {number}, d0 mod {number}, d0 floordiv {number})>\n"
        yield f"tile {number}", kernel(
            f"tile.for_each (%m, %n) tiles [{number}, {number}] of %x : "
            "!tile.view<?x?xf32> {\n}")
        yield f"load {number}", kernel(
            f"%0 = tile.load %x[0, 0] : !tile.view<?x?xf32> -> "
            f"tensor<{number}x8xf32>")
        for field in ("tile = [{0}, 8]", "cluster = [{0}, 2]",
                      "fallback_cluster = [{0}, 1]", "slots = {{a = {0}}}",
                      "warps = {0}", "epilogue_tile = {0}", "interleave = {0}",
                      "cluster = auto, fallback_cluster = [1, {0}]"):
            fields = field.format(number)
            yield f"schedule {fields}", kernel(
                "tile.for_each (%m, %n) tiles [64, 64] of %x : "
                "!tile.view<?x?xf32> {\n"
                "%a = tile.load %x[%m, %n] : !tile.view<?x?xf32> -> "
                "tensor<64x64xf32>\n"
                "tile.store %a, %x[%m, %n] : tensor<64x64xf32>, "
                "!tile.view<?x?xf32>\n}",
                attributes="attributes {tile.schedule = #tile.schedule<"
                           f"{fields}>}}")
    for fields in ("tile = []", "tile = [0]", "tile = [-1, 4]", "tile = 3",
                   "cluster = []", "cluster = [1, 1, 1, 1]", "cluster = none",
                   "cluster = auto, fallback_cluster = [1, 342]",
                   "cluster = auto, fallback_cluster = [2]", "fallback_cluster = [2]",
                   "slots = {}", "slots = {a = -1}", "warps = -4", "warps = 0",
                   "epilogue_tile = 0", "interleave = 0", "fast_math = 2", "hints = {a = b}",
                   "together = [[a]]", "tile = [[1]]", "nothing = 3",
                   "tile = [1, 2, 3, 4, 5, 6, 7, 8, 9]"):
        yield f"schedule {fields}", kernel(
            "tile.for_each (%m, %n) tiles [64, 64] of %x : "
            "!tile.view<?x?xf32> {\n"
            "%a = tile.load %x[%m, %n] : !tile.view<?x?xf32> -> "
            "tensor<64x64xf32>\n"
            "tile.store %a, %x[%m, %n] : tensor<64x64xf32>, "
            "!tile.view<?x?xf32>\n}",
            attributes=f"attributes {{tile.schedule = #tile.schedule<{fields}>}}")


ptx = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 x) { ret; }
"""


def launches():
    small = {"grid": [1], "block": [1], "parameters": [{"u64": 0}]}
    yield "arrays", "[" * deep
    yield "objects", '{"a":' * deep
    nested = {"u8": 1}
    for _ in range(300):
        nested = {"memory": nested}
    yield "memory in memory", json.dumps(
        {"grid": [1], "block": [1], "parameters": [nested]})
    yield "many dimensions", json.dumps(small | {
        "arrays": {"a": {"type": "<f4", "shape": [1] * 30_000,
                         "output": "a.npy"}}})
    yield "huge array", json.dumps(small | {
        "arrays": {"a": {"type": "<f4", "shape": [2**32 - 1] * 4}}})
    yield "huge element", json.dumps(small | {
        "arrays": {"a": {"type": "<V99999999999", "shape": [1000]}}})
    yield "huge grid", json.dumps(small | {"grid": [2**31 - 1, 65535, 65535],
                                           "stepLimit": 1000})
    yield "huge block", json.dumps(small | {"block": [2**31, 2**31, 2**31]})
    yield "huge shared memory", json.dumps(small | {"dynamicShared": 2**32 - 1})


def main():
    options = attack.parse(__doc__)
    verdicts = attack.Verdicts("nesting and counts")
    folder = pathlib.Path(tempfile.mkdtemp())
    path = folder / "a.mlir"
    cases = list(programs())
    optimizer = options.build / "bin" / "drawloom-opt"
    for number, (what, text) in enumerate(cases):
        if number % options.every:
            continue
        path.write_text(text)
        command = [options.drawloom, "compile", path, "--arch", "sm_100a",
                   "--emit", "ptx", "-o", "/dev/null", "--sarif",
                   folder / "a.sarif"]
        attack.run(command, verdicts, what, expects=(0, 3))
        if number % 4 == 0:
            attack.run([optimizer, path, "-o", "/dev/null"], verdicts,
                       "drawloom-opt: " + what, expects=(0, 1))
    (folder / "k.ptx").write_text(ptx)
    launch = folder / "launch.json"
    for number, (what, text) in enumerate(launches()):
        if number % options.every:
            continue
        launch.write_text(text)
        attack.run([options.drawloom, "run", folder / "k.ptx", "--launch",
                    launch, "-o", folder], verdicts, "launch: " + what,
                   expects=(0, 1, 3))
    # What is no file, or has no end.
    for what, command in {
            "compile /dev/zero": ["compile", "/dev/zero", "--arch", "sm_90a"],
            "run /dev/zero": ["run", "/dev/zero", "--launch", launch],
            "check /dev/zero": ["check", "/dev/zero"],
            "launch /dev/zero": ["run", folder / "k.ptx", "--launch",
                                 "/dev/zero"],
            "explain a folder": ["explain", folder],
            "run /dev/full": ["run", "/dev/full", "--launch", launch],
    }.items():
        attack.run([options.drawloom, *command], verdicts, what, expects=(3,))
    return verdicts.finish(at_least=67 // options.every)


if __name__ == "__main__":
    sys.exit(main())
