# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what a library exports with what the toolkit's header declares.

A program that uses a function which isn't exported dies in the loader, before it
could print anything. And nothing but the API may be visible: libraries that
have an LLVM of their own share a process with these.
"""

import argparse
import re
import subprocess
import sys

# Not functions: a type in front of a parenthesis.
TYPES = {"cudaError_t"}
# With all versions of functions, as a program is compiled by deproblem, and with
# a deproblem stream for each thread.
WAYS = ([], ["-D__CUDA_API_VERSION_INTERNAL", "-DCUDA_ENABLE_DEPRECATED"],
        ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"])


def run(*command: str, text: str = "") -> str:
    return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout


def declared(args: argparse.Namespace) -> set[str]:
    found: set[str] = set()
    for way in WAYS:
        source = run(args.compiler, "-E", "-P", "-x", "c++", "-I", args.include, *way, "-",
                     text=f"#include <{args.header}>\n")
        found |= set(re.findall(rf"\b({args.prefix}[A-Z]\w*)\s*\(", source))
    return found - TYPES


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--tools", required=True, help="the folder of llvm-nm and llvm-readelf")
    parser.add_argument("--include", required=True, help="the folder of the header")
    parser.add_argument("--header", required=True)
    parser.add_argument("--prefix", required=True, help="of the functions: cu or cuda")
    args = parser.parse_args()

    exported = {line.split()[-1].split("@")[0] for line in
                run(f"{args.tools}/llvm-nm", "-D", "--defined-only", args.library).splitlines()}
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]",
                        run(f"{args.tools}/llvm-readelf", "-d", args.library))
    functions = declared(args)
    problems = [f"{name} is declared and not exported" for name in sorted(functions - exported)]
    problems += [f"{name} is exported and not of the API" for name in sorted(exported)
               if not re.match(rf"(__)?{args.prefix}[A-Z]|drawloom[A-Z]|{re.escape('libcudart.so')}",
                               name)]
    problems += [f"needs {name}" for name in needed if "LLVM" in name]
    if len(functions) < 300:
        problems.append(f"only {len(functions)} functions were found in {args.header}")
    for problem in problems:
        print(problem)
    print(f"exports: {len(functions & exported)} of the {len(functions)} functions of "
          f"{args.header}; needs {', '.join(needed)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
