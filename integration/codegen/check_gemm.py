# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a tile program, runs it on the emulator and compares with numpy.

The arguments of the launch are made from what the kernel says about its own
parameters (`agent.parameters`), so the tile program is all that is needed.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np


def to_bf16(x: np.ndarray) -> np.ndarray:
    """The bits of the nearest bf16, ties to even."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def read_parameters(text: str) -> list[dict]:
    """The list in `agent.parameters`, as dictionaries of numbers and lists."""
    parameters = []
    entries = re.findall(r"#agent\.parameter<(\w+), ([^>]*)>", text)
    for kind, entry in entries:
        fields = {"kind": kind}
        for name, numbers in re.findall(r"(\w+) = \[([^\]]*)\]", entry):
            fields[name] = [int(n) for n in numbers.split(",")]
        for name, number in re.findall(r"(\w+) = (-?\d+)", entry):
            fields[name] = int(number)
        parameters.append(fields)
    return parameters


DEVICES = {"sm_90a": "h100", "sm_100a": "b200"}


def launch(tools: Path, program: Path, arch: str, arrays: list[np.ndarray],
           folder: Path, ctas: int, orders: int) -> np.ndarray:
    """Runs the kernel; the last array is the output."""
    folder.mkdir(parents=True, exist_ok=True)
    source, nvvm, ptx = (folder / name for name in
                         ("program.mlir", "kernel.mlir", "kernel.ptx"))
    source.write_text(program.read_text().replace("sm_100a", arch))
    subprocess.run([tools / "drawloom-opt", source, "--front-half",
                    "--lower-work-tiles", "--assign-slot-phase", "--lower-pipes",
                    "--schedule-wgmma",
                    "--unroll-slices", "--access-memory", "--branch-on-masks",
                    "--branch-on-factors", "--stage-conversions",
                    "--convert-agent-to-nvvm", "-o", nvvm], check=True)
    subprocess.run([tools / "drawloom", "compile", nvvm, "--arch", arch,
                    "--emit", "ptx", "-o", ptx], check=True)
    text = nvvm.read_text()
    names = [f"x{i}" for i in range(len(arrays))]
    values = []
    for parameter in read_parameters(text):
        number = parameter["argument"]
        if parameter["kind"] == "map":
            values.append({"tensorMap": {
                "array": names[number], "type": "bf16", "box": parameter["box"],
                "swizzle": f"{parameter['swizzle']}B"}})
        else:
            values.append({"u32": arrays[number].shape[parameter["dimension"]]})
    described = {}
    for name, array in zip(names, arrays):
        np.save(folder / f"{name}.npy", array)
        described[name] = {"file": f"{name}.npy"}
    described[names[-1]]["output"] = "out.npy"
    threads = int(re.search(r"nvvm\.reqntid = array<i32: (\d+)", text).group(1))
    shared = int(re.search(r"agent\.shared_bytes = (\d+)", text).group(1))
    (folder / "launch.json").write_text(json.dumps({
        "device": DEVICES[arch], "sms": 4, "grid": [ctas], "block": [threads],
        "dynamicShared": shared, "arrays": described, "parameters": values}))
    command = [tools / "drawloom", "run", ptx, "--launch", folder / "launch.json",
               "-o", folder]
    if orders:
        command += ["--orders", str(orders)]
    subprocess.run(command, check=True)
    return np.load(folder / "out.npy")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tools", type=Path, required=True)
    options.add_argument("--program", type=Path, required=True)
    options.add_argument("--arch", choices=DEVICES, default="sm_100a")
    options.add_argument("--residual", action="store_true")
    options.add_argument("--difference", action="store_true",
                         help="the product is subtracted")
    options.add_argument("--shape", default="256x256x128", help="MxNxK")
    options.add_argument("--ctas", type=int, default=1)
    options.add_argument("--orders", type=int, default=0)
    options.add_argument("--folder", type=Path, required=True)
    chosen = options.parse_args()

    m, n, k = (int(size) for size in chosen.shape.split("x"))
    random = np.random.default_rng(1)
    a, b, c = (to_bf16(random.standard_normal(shape))
               for shape in ((m, k), (n, k), (m, n)))
    arrays = [a, b] + ([c] if chosen.residual else []) + [np.zeros((m, n), np.uint16)]
    got = from_bf16(launch(chosen.tools, chosen.program, chosen.arch, arrays,
                           chosen.folder, chosen.ctas, chosen.orders)).astype(np.float64)

    x, y = from_bf16(a).astype(np.float64), from_bf16(b).astype(np.float64)
    exact, magnitude = x @ y.T, np.abs(x) @ np.abs(y).T
    if chosen.difference:
        exact = -exact
    if chosen.residual:
        residual = from_bf16(c).astype(np.float64)
        exact, magnitude = exact + residual, magnitude + np.abs(residual)
    # k + 1 additions in f32, in any order, then one rounding to bf16. The unit
    # roundoff of p bits is 2^-p: 24 bits, then 8.
    sums = (k + 1) * 2.0**-24 * magnitude
    bound = sums + 2.0**-8 * (np.abs(exact) + sums)
    error = np.abs(got - exact)
    wrong = int((error > bound).sum())
    print(f"gemm {chosen.shape}: {wrong} of {m * n} elements beyond the bound; "
          f"largest error {error.max():.3g}, largest bound {bound.max():.3g}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
