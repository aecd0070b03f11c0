#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that call themselves ptxas, and do what no ptxas should: each is an
error with words, in time, and nothing of it is kept in the cache."""

import os
import pathlib
import shutil
import sys
import tempfile

import attack

version = 'case "$*" in *--version*) exec "$REAL" --version;; esac\n'
output = ('while [ $# -gt 0 ]; do case "$1" in --output-file) o="$2"; shift;; '
          'esac; shift; done\n')

# After a version that is right.
assembles = {
    "says nothing": "exit 0",
    "writes nothing": output + ': > "$o"; exit 0',
    "writes garbage": output + 'head -c 1000 /dev/urandom > "$o"',
    "writes zeros": output + 'head -c 100000 /dev/zero > "$o"',
    "writes a little": output + 'printf "\\177ELF" > "$o"',
    "writes a program": output + 'cp /bin/true "$o"',
    "writes text": output + 'echo "no cubin" > "$o"',
    "writes a header with sections beyond the end":
        output + 'printf "\\177ELF\\002\\001\\001\\063\\007\\000\\000\\000\\000\\000\\000\\000'
        '\\002\\000\\276\\000\\001\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000'
        '\\000\\000\\000\\000\\000\\000\\000\\000\\377\\377\\377\\377\\377\\377\\377\\177'
        '\\000\\000\\000\\000\\100\\000\\070\\000\\000\\000\\100\\000\\377\\377\\001\\000"'
        ' > "$o"',
    "removes its output": output + 'rm -f "$o"',
    "makes a folder of its output": output + 'rm -f "$o"; mkdir "$o"',
    "links its output": output + 'rm -f "$o"; ln -s /dev/zero "$o"',
    "never ends": "exec sleep 1000",
    "counts forever": "while :; do :; done",
    "floods its output": "exec yes",
    "floods its errors": "exec yes 1>&2",
    "floods its cubin": output + 'exec cat /dev/zero > "$o"',
    "prints no UTF-8": 'printf "ptxas \\377\\376 error: bad\\n" >&2; exit 1',
    "prints commands for a terminal":
        'printf "ptxas fatal   : \\033[2J\\033]0;x\\007\\n" >&2; exit 1',
    "prints a line of megabytes":
        'head -c 3000000 /dev/zero | tr "\\0" x >&2; exit 1',
    "prints zeros": "head -c 100000 /dev/zero >&2; exit 1",
    "fails silently": "exit 3",
    "kills itself": "kill -9 $$",
    "crashes": "kill -11 $$",
    "leaves a child behind": 'sleep 1000 >&2 & exit 1',
    "reports numbers that are none":
        'echo "ptxas info : Used 99999999999999999999 registers" >&2; exit 1',
}
# The version itself.
versions = {
    "version: never ends": "exec sleep 1000",
    "version: floods": "exec yes",
    "version: no UTF-8": 'printf "release \\377.0, V\\376\\n"',
    "version: too large":
        'echo "release 13.0, V99999999999999999999.0.88"',
    "version: nothing": "exit 0",
    "no program": None,
}


def main():
    options = attack.parse(__doc__)
    verdicts = attack.Verdicts("broken ptxas")
    folder = pathlib.Path(tempfile.mkdtemp())
    real = shutil.which("ptxas")
    if not real:
        print("there is no ptxas to take the version from")
        return 1
    program = pathlib.Path(__file__).parents[3] / "examples" / "gemm.mlir"
    cases = [(what, version + script) for what, script in assembles.items()]
    cases += [(what, script) for what, script in versions.items()]
    for number, (what, script) in enumerate(cases):
        if number % options.every:
            continue
        fake = folder / f"ptxas-{number}"
        if script is None:
            fake.write_bytes(os.urandom(100))
        else:
            fake.write_text("#!/bin/sh\n" + script + "\n")
        fake.chmod(0o755)
        cubin = folder / f"{number}.cubin"

        def judge(code, text):
            if cubin.exists():
                return "it left a cubin"
            if any(cache.rglob("[0-9a-f]" * 64)):
                return "the cache keeps something"
            if b"\x1b" in text or b"\xff" in text:
                return "its bytes reach the terminal"
            return ""

        cache = folder / f"cache-{number}"
        cache.mkdir(mode=0o700)
        attack.run([options.drawloom, "compile", program, "--arch", "sm_100a",
                    "-o", cubin, "--sarif", folder / "a.sarif"], verdicts,
                   "ptxas " + what, judge, expects=(3,),
                   environment={"DRAWLOOM_PTXAS": str(fake), "REAL": real,
                                "DRAWLOOM_PTXAS_SECONDS": "3",
                                "DRAWLOOM_NO_CACHE": "",
                                "DRAWLOOM_CACHE": str(cache)})
    return verdicts.finish(at_least=22 // options.every)


if __name__ == "__main__":
    sys.exit(main())
