#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation of upstream's dialects, in forms that are wrong: what a
program may name is what upstream's parsers and verifiers have to survive.

The names are those that stand in the library; what is none is refused as such.
"""

import functools
import pathlib
import re
import subprocess
import sys

import attack
import c_api

x = "tensor<4x4xf32>"
forms = [
    'module {{ "{0}"() : () -> () }}',
    f'func.func @f(%x: {x}) {{{{ %0 = "{{0}}"(%x) : ({x}) -> {x} return }}}}',
    'module {{ "{0}"() ({{ }}) : () -> () }}',
    f'func.func @f(%x: {x}) {{{{ "{{0}}"(%x, %x) ({{{{ ^bb0(%a: f32): }}}}) '
    '{{value = 3, permutation = 1, dimensions = [], sym_name = 4, '
    f'function_type = i32}}}} : ({x}, {x}) -> () return }}}}',
    f'func.func @f(%x: {x}, %m: memref<4xf32>, %i: index) {{{{ {{0}} %x, '
    f'%m[%i] : {x} return }}}}',
    "func.func @f(%x: index) {{ %0 = {0} %x : index return }}",
    f'func.func @f(%x: {x}) {{{{ %0 = "{{0}}"(%x, %x, %x) '
    '<{{operandSegmentSizes = array<i32: 1, 1, 1>, static_sizes = '
    f'array<i64: 4>}}}}> : ({x}, {x}, {x}) -> tensor<?x4xf32> return }}}}',
]


@functools.cache
def names(library):
    text = subprocess.run(["strings", "-n", "5", library], check=True,
                          capture_output=True, text=True).stdout
    found = set(re.findall(r"^[a-z]\w*(?:\.\w+){1,3}$", text, re.M))
    tool = pathlib.Path(library).parents[2] / "bin" / "drawloom-opt"
    listed = subprocess.run([tool, "--show-dialects"], check=True,
                            capture_output=True, text=True).stdout
    # Programs have no such code; LLVM's intrinsics are ten thousand names more.
    others = {"llvm", "nvvm", "rocdl", "xevm"}
    dialects = set(re.findall(r"\w+", listed.split(":")[-1])) - others
    return sorted(name for name in found if name.split(".")[0] in dialects)


def cases(library, first, count, seed):
    for number in range(first, first + count):
        name, form = divmod(number, len(forms))
        yield (number, f"{names(library)[name]}, form {form}",
               forms[form].format(names(library)[name]).encode())


def main():
    options = attack.parse(__doc__)
    library = str(options.build / "lib" / "drawloom" / "libdrawloom-c.so.1")
    verdicts = attack.Verdicts("operations of upstream")
    end = len(names(library)) * len(forms) // options.every
    c_api.compile_all(cases, library, 0, end, 1, verdicts)
    return verdicts.finish(at_least=5000 // options.every)


if __name__ == "__main__":
    sys.exit(main())
