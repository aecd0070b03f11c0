# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GEMM whose loads stop too early, with DRAWLOOM_DEBUG: the kernel ends and says
which slots of which pipes its roles wait for."""

import argparse
import sys
import tempfile
from pathlib import Path

from library import KERNELS, compile_text
from programs import execute

STEP = "slot.load(g.a, g.b, item, k);"
SAYS = ("drawloom: CTA 0, warp 5 waits for pipe 'operands', slot 2, to be full (parity 0)",
        "drawloom: CTA 0, warp 6 waits for pipe 'result', slot 0, to be full (parity 0)")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runner", type=Path, required=True, help="drawloom-run")
    options = parser.parse_args()
    kernel = (KERNELS / "gemm_sm100.cu").read_text()
    assert kernel.count(STEP) == 1
    program = compile_text("stuck", "100a", kernel.replace(STEP, f"if (k < 2) {STEP}"),
                           ("-DDRAWLOOM_DEBUG=1000",))
    with tempfile.TemporaryDirectory() as folder:
        a, b = (Path(folder) / name for name in "ab")
        a.write_bytes(bytes(2 * 128 * 192))
        b.write_bytes(bytes(2 * 256 * 192))
        done = execute([options.runner, "--device", "b200", "--", program, 128, 256, 192, a, b,
                        Path(folder) / "d"])
    said = done.stdout + done.stderr
    for line in SAYS:
        if not done.returncode or line not in said:
            sys.exit(f"'{line}' was not said, but:\n{said}")
    print("device: stuck waits are named")


if __name__ == "__main__":
    main()
