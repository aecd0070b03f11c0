# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No MMA twice: the emulator counts the multiply-adds of each program's MMAs, and
those whose operands, bit for bit, were multiplied before.

    count_mmas.py --drawloom build/release/bin/drawloom FILE|FOLDER... [--every 6]

The ratio of a program is all multiply-adds to those that aren't repeated. Programs
in ONCE have none that are. Every other ratio above 1.05 is printed, with what
`explain` says about it: it has to say something. At most 5 % of programs may have
one.
"""

import argparse
import collections
import concurrent.futures
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
import part

Case = collections.namedtuple("Case", "program arch")
MOST = 1.05
SHARE = 0.05
# Attention forward and products behind which a row is combined, as formulas.
ONCE = ("sdpa_", "router_static", "attention", "causal_attention", "jax_llama_block.attention",
        "torch_llama_block.attention")
# Rows past the end of Q have the same weights for every head, which multiply the
# same V where heads share it: no rows past the end.
SHAPES = {"sdpa_mqa_linalg": "q=2x3x512x64,k=2x192x64,v=2x192x64,o=2x3x512x64",
          "attn_mqa": "Q=2x512x3x128,K=2x192x1x128,V=2x192x1x128,O=2x512x3x128"}


def measure(drawloom, case):
    """Multiply-adds and repeated ones; nothing for what is refused or has no MMA."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "fidelity.json")
        shape = SHAPES.get(case.program.stem)
        done = subprocess.run([drawloom, "run", case.program, "--arch", case.arch, "--random", "--fidelity", report,
                               *(["--shape", shape] if shape else [])],
                              capture_output=True, text=True, timeout=600)
        if done.returncode or not report.exists():
            return None
        mmas = json.loads(report.read_text())["mmas"]
        return (mmas["multiplyAdds"], mmas["repeated"]) if mmas["multiplyAdds"] else None


def explain(drawloom, case):
    done = subprocess.run([drawloom, "explain", case.program, "--arch", case.arch],
                          capture_output=True, text=True)
    found = re.search(r"^ *(mma: .*(?:\n {6,}\S.*)*)", done.stdout, re.M)
    return " ".join(found.group(1).split()) if found else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--drawloom", required=True)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--every", type=int, default=1, help="every n-th program")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--at-least", type=int, default=1, help="fail if fewer have MMAs")
    part.add_arguments(parser)
    options = parser.parse_args()
    programs = [p for path in options.paths for p in (sorted(path.glob("*.mlir")) if path.is_dir() else [path])]
    cases = options.part.of([Case(p, arch) for p in programs[::options.every] for arch in ("sm_90a", "sm_100a")])
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        counts = list(pool.map(lambda case: measure(options.drawloom, case), cases))
    measured = above = amiss = 0
    for case, count in zip(cases, counts):
        if not count:
            continue
        measured += 1
        executed, repeated = count
        ratio = executed / (executed - repeated)
        is_once = case.program.stem.startswith(ONCE)
        if ratio <= (1 if is_once else MOST):
            continue
        sentence = explain(options.drawloom, case)
        above += 1
        amiss += is_once or not sentence
        print(f"{case.program.stem} on {case.arch}: {ratio:.2f}: {sentence or 'explain says nothing'}"
              f"{' (has to be 1)' * is_once}")
    print(f"mma-count: {measured} kernels with MMAs, {above} above {MOST}, {amiss} amiss")
    return 0 if not amiss and measured >= options.at_least and above <= SHARE * measured else 1


if __name__ == "__main__":
    sys.exit(main())
