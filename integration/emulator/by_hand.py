# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GEMM written by hand in nvvm, compiled by us and run on the emulator.

As it stands, its 256 threads enter with 128 registers, and the budgets of its
roles, 232 and 40, come to more than that: setmaxnreg.inc waits forever. That
must be reported so. With 136 registers at entry it must run and be right.
"""

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np
from driver import Driver, DriverError
from elements import ELEMENTS, Matrix, product
from launches import Kernel

SOURCE = Path(__file__).parent / "kernels" / "gemm_sm100a_1cta.mlir"
M, N, K = 384, 512, 320
SHARED = 229520
SWIZZLE_128 = 3
BF16 = ELEMENTS["bf16"]
EXPECTED = ("deadlock", "setmaxnreg")


def compile_kernel(compiler: str) -> str:
    done = subprocess.run([compiler, "compile", SOURCE, "--arch", "sm_100a", "--emit", "ptx",
                           "-o", "-"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def run(driver: Driver, ptx: str) -> float:
    """The largest share that an error has of its bound."""
    rng = np.random.default_rng(1)
    kernel = Kernel(driver, SOURCE.stem, "sm_100a", ptx)
    a, b = Matrix.random("bf16", (M, K), rng), Matrix.random("bf16", (N, K), rng)
    bias = rng.uniform(-1, 1, N).astype(np.float32)
    at_d = driver.upload(np.full((M, N), 0x7fc0, np.uint16))

    def tensor_map(address, rows, columns, box_rows):
        return driver.tensor_map("bf16", address, (columns, rows), (2 * columns,),
                                 (64, box_rows), SWIZZLE_128)

    parameters = kernel.pack([tensor_map(driver.upload(a.raw), M, K, 128),
                              tensor_map(driver.upload(b.raw), N, K, 256),
                              tensor_map(at_d, M, N, 128), driver.upload(bias), M, N, K])
    # Fewer CTAs than tiles, so that each does several.
    driver.launch(kernel.function, (2, 1, 1), kernel.block, (1, 1, 1), SHARED, parameters)
    got = BF16.decode(driver.download(at_d, (M, N), np.uint16))
    expected = product(a.values, b.values).plus(bias.astype(np.float64)).rounded(BF16)
    error = np.abs(got - expected.values)
    return (np.where(np.isnan(error), np.inf, error) / expected.bound).max()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="the emulator's libcuda.so.1")
    parser.add_argument("--compiler", required=True, help="the drawloom program")
    args = parser.parse_args()
    ptx = compile_kernel(args.compiler)
    driver = Driver(args.library, "b200", sms=4)
    failures = 0

    def check(what: str, good: bool, found: str):
        nonlocal failures
        failures += not good
        print(f"{what}: {found}{'' if good else '  WRONG'}")

    try:
        run(driver, ptx)
        check("128 registers at entry", False, "ran to its end")
    except DriverError:
        report = driver.last_report()
        check("128 registers at entry", all(word in report for word in EXPECTED), report)
    driver.reset()
    larger = ptx.replace(".maxnreg 128", ".maxnreg 136")
    assert larger != ptx
    try:
        share = run(driver, larger)
        check("136 registers at entry", share <= 1, f"right, {share:.1%} of the bound")
    except DriverError:
        check("136 registers at entry", False, driver.last_report())
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
