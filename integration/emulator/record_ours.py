# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes down launches of our own kernels, as record.py does with peers'.

Programs of examples/ and of integration/codegen/programs are compiled, some of them with
other schedules than they are written with, and what the description beside the PTX asks
for (docs/Run.md) is filled in here: the runtime's own way to a launch isn't used.
"""

import argparse
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from math import ceil, prod
from pathlib import Path

import numpy as np
import workers
from launches import Kernel
from record import Recorded, Recorder, write_launch
from workers import MODELS, Device

ROOT = Path(__file__).resolve().parents[2]
# For each set of programs: one cluster of two or two of them.
SMS = {"alone": 2, "clusters": 4}
WIDTHS = {"bf16": 2, "f16": 2, "f32": 4}
MAP_NAMES = {"bf16": "bf16", "f16": "fp16", "f32": "fp32"}
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}



@dataclass(frozen=True)
class Program:
    """A program and the shapes of its tensors; the last one is the result. Several work
    tiles for each CTA or cluster, ragged, and more steps than slots."""

    path: str
    shapes: list
    name: str = ""  # where it isn't the file's
    schedule: str = ""  # in the place of the file's
    archs: tuple[str, ...] = ("sm_90a", "sm_100a")


QUERY = (1, 300, 2, 128)
GEMM = [(298, 400), (560, 400), (298, 560)]
CLUSTERED_GEMM = "examples/schedules/clustered_gemm"
CLUSTERED_SHAPES = [(298, 1096), (560, 1096), (298, 560)]
PROGRAMS = {
    "alone": [
        Program("examples/gemm", GEMM),
        Program("examples/gemm_bias_activation_residual",
                [(298, 400), (560, 400), (560,), (298, 560), (298, 560)]),
        Program("examples/batched_gemm", [(2, 200, 400), (2, 400, 264), (2, 200, 264)]),
        Program("examples/attention", [QUERY] * 4),
        Program("examples/causal_attention", [QUERY] * 4),
        Program("examples/rmsnorm", [(21, 2056), (2056,), (21, 2056)]),
        Program("integration/codegen/programs/nested_products",
                [(200, 136), (264, 136), (136, 264), (200, 136)]),
    ],
    "clusters": [
        Program(CLUSTERED_GEMM, CLUSTERED_SHAPES),
        Program(CLUSTERED_GEMM, CLUSTERED_SHAPES, "dynamic",
                "cluster = [1, 2], persistent = dynamic"),
        Program(CLUSTERED_GEMM, CLUSTERED_SHAPES, "split_sums", "cluster = [1, 1, 2]"),
        Program("examples/schedules/paired_gemm", CLUSTERED_SHAPES, archs=("sm_100a",)),
        Program("examples/schedules/paired_gemm", CLUSTERED_SHAPES, "dynamic_pairs",
                "cluster = [2, 2], cta_group = 2, persistent = dynamic", ("sm_100a",)),
        Program("examples/schedules/clustered_gemm_softmax",
                [(298, 400), (512, 400), (298, 512)]),
        Program("examples/schedules/clustered_softmax", [(36, 4096), (36, 4096)]),
    ],
}


def make_numbers(kind: str, shape, rng) -> np.ndarray:
    values = rng.uniform(-1, 1, shape).astype(np.float32)
    if kind == "bf16":
        return (values.view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(np.float16 if kind == "f16" else np.float32)


def fill_in(parameter: dict, argument: dict, tensor, address: int, driver) -> object:
    """What a parameter of the code is."""
    kind = parameter["kind"]
    if kind == "scalar":
        return np.float32(0.125).tobytes()
    if kind == "pointer":
        return address
    if kind == "size":
        return tensor.shape[parameter["dimension"]]
    width = WIDTHS[argument["type"]]
    strides = [prod(tensor.shape[at + 1:]) for at in range(tensor.ndim)]
    if kind == "stride":
        return strides[parameter["dimension"]]
    return driver.tensor_map(MAP_NAMES[argument["type"]], address, tensor.shape[::-1],
                             [width * stride for stride in strides[-2::-1]],
                             parameter["box"], SWIZZLES[parameter["swizzle"]])


def record(program: Program, device: Device, compiler: str, driver, folder: Path):
    arch = device.arch
    short = program.name or Path(program.path).name
    name = f"ours_{arch.replace('_', '').rstrip('a')}_{short}"
    base = folder / name
    source = (ROOT / f"{program.path}.mlir").read_text()
    if program.schedule:
        source, changed = re.subn(r"#tile\.schedule<[^>]*>",
                                  f"#tile.schedule<{program.schedule}>", source)
        assert changed == 1, program
    subprocess.run([compiler, "compile", "-", "--arch", arch, "--emit", "ptx", "-o",
                    base.with_suffix(".ptx")], input=source, text=True, check=True)
    info = json.loads(base.with_suffix(".json").read_text())
    driver.reset()
    kernel = Kernel(driver, name, arch, base.with_suffix(".ptx").read_text())
    rng = np.random.default_rng(1)
    shapes = iter(program.shapes)
    tensors, addresses = [], []
    for argument in info["arguments"]:
        is_tensor = "shape" in argument
        tensors.append(make_numbers(argument["type"], next(shapes), rng) if is_tensor else None)
        addresses.append(driver.upload(tensors[-1]) if is_tensor else 0)
    result = max(at for at, tensor in enumerate(tensors) if tensor is not None)
    driver.write(addresses[result], np.full(tensors[result].nbytes, 0xff, np.uint8))
    values = []
    for parameter in info["parameters"]:
        if parameter["kind"] == "workspace":
            values.append(driver.upload(np.zeros(parameter["bytes"], np.uint8)))
            continue
        at = parameter["argument"]
        values.append(fill_in(parameter, info["arguments"][at], tensors[at], addresses[at],
                              driver))
    parameters = kernel.pack(values)
    items = prod(ceil(tensors[part["argument"]].shape[part["dimension"]] / part["tile"])
                 if "argument" in part else part["tile"] for part in info["items"]["count"])
    ctas = items if info["items"]["kind"] == "dynamic" else min(device.sms, items)
    try:
        driver.launch(kernel.function, (ctas, 1, 1), (info["threads"], 1, 1), info["cluster"],
                      info["sharedBytes"], parameters)
    except Recorded:
        pass
    write_launch(base, name, kernel.text, driver, device, addresses[result],
                 tensors[result].nbytes)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    workers.add_arguments(parser)
    parser.add_argument("--compiler", required=True, help="the drawloom program")
    parser.add_argument("--programs", choices=PROGRAMS, default="alone")
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    devices = [Device(arch, SMS[args.programs]) for arch in ("sm_90a", "sm_100a")]
    if not args.device:
        ended = [worker.wait() for worker in workers.start(devices, stdout=subprocess.DEVNULL)]
        print(f"record: {len(list(args.folder.glob('ours_*.json')))} launches of ours")
        return int(any(ended))
    driver = Recorder(args.library, MODELS[args.device.arch], args.device.sms)
    for program in PROGRAMS[args.programs]:
        if args.device.arch in program.archs:
            record(program, args.device, args.compiler, driver, args.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
