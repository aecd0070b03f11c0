# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A writer is killed at random moments: no entry is ever half of one.

Each round starts a compile into one cache, which the next rounds use again, and
kills it (kill -9) at a random moment around its end.
"""

import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from herd import make_programs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drawloom", required=True)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="drawloom-power-loss"))
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("DRAWLOOM_")} | {"DRAWLOOM_CACHE": str(folder / "cache")}
    programs = make_programs(folder, args.rounds + 1)
    draw = random.Random(args.seed)

    def start(program):
        return subprocess.Popen([args.drawloom, "compile", program, "--arch", "sm_100a", "--emit",
                                 "ptx", "-o", folder / "k.ptx"], env=environment)

    def verify():
        return subprocess.run([args.drawloom, "cache", "verify"], env=environment,
                              capture_output=True, text=True, check=False)

    try:
        begin = time.monotonic()
        if start(programs[-1]).wait():
            sys.exit("a compile that is not killed fails")
        whole = time.monotonic() - begin
        killed = 0
        for program in programs[:-1]:
            process = start(program)
            time.sleep(whole * draw.uniform(0.6, 1.2))
            process.kill()
            ended = process.wait() != -9
            killed += not ended
            # The entry is written at the end, so that is where the moments go,
            # however fast the host is just now.
            whole *= 0.85 if ended else 1.15
            done = verify()
            if done.returncode:
                sys.exit(done.stdout + done.stderr)
        print(f"{args.rounds} writers, {killed} killed before their end: {done.stdout.strip()}")
        if not 0 < killed < args.rounds:
            sys.exit("the moments were all too late or all too early")
        # The lock of a killed one is free: no process waits for it.
        begin = time.monotonic()
        for program in programs:
            if start(program).wait():
                sys.exit(f"{program} does not compile any more")
        print(f"all of them compiled after that in {time.monotonic() - begin:.1f} s")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
