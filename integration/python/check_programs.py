# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python programs with their own host code on the emulator, as they are: each is
started by `drawloom run`, on each device, and ends with 0 if what it computed is
what numpy says. Prints `NAME: N of N`."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

# Modules that programs share.
SHARED = {"bounded", "host"}


def run(options, program, device, cache):
    start = time.monotonic()
    try:
        result = subprocess.run(
            [options.runner, *options.verb, "--device", device, "--", options.python,
             "-W", "ignore", program], text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=options.timeout,
            env={**os.environ, "TRITON_CACHE_DIR": cache, "OMP_NUM_THREADS": "1"})
    except subprocess.TimeoutExpired as stopped:
        words = (stopped.stdout or b"").decode(errors="replace")
        return 1, f"{words}stopped after {options.timeout} s\n", options.timeout
    return result.returncode, result.stdout, time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runner", required=True, help="drawloom or drawloom-run")
    parser.add_argument("--python", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--only", help="names of programs, with commas between")
    parser.add_argument("--at-least", type=int, default=1, help="programs")
    parser.add_argument("--devices", default="h100,b200")
    parser.add_argument("--timeout", type=int, default=600)
    options = parser.parse_args()
    is_verb = pathlib.Path(options.runner).name == "drawloom"
    options.verb = ["run"] if is_verb else []

    programs = sorted(file for file in options.folder.glob("*.py")
                      if file.stem not in SHARED)
    if options.only:
        names = options.only.split(",")
        programs = [file for file in programs if file.stem in names]
        options.at_least = len(names)
    cases = [(program, device) for program in programs
             for device in options.devices.split(",")]
    failed = set()
    # Nothing that an earlier run has compiled.
    with tempfile.TemporaryDirectory() as cache, ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda case: run(options, *case, cache), cases)
        for (program, device), (code, words, seconds) in zip(cases, results):
            print(f"{'pass' if code == 0 else 'FAIL'} {program.stem} {device} "
                  f"{seconds:.1f} s", flush=True)
            if code:
                failed.add(program)
                print(f"  exit code {code}\n{words}")
            elif words:
                print(f"  {words.splitlines()[-1]}")
    right = len(programs) - len(failed)
    print(f"{options.folder.name}: {right} of {len(programs)} on "
          f"{options.devices.replace(',', ' and ')}")
    sys.exit(bool(failed) or len(programs) < options.at_least)


if __name__ == "__main__":
    main()
