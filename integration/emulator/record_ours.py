# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes down launches of our own kernels, as record.py does with peers'.

Programs of examples/ and of integration/codegen/programs are compiled, and what the
description beside the PTX asks for (docs/Run.md) is filled in here: the runtime's own way
to a launch isn't used.
"""

import argparse
import json
import subprocess
import sys
from math import ceil, prod
from pathlib import Path

import numpy as np
import workers
from launches import Kernel
from record import Recorded, Recorder, write_launch
from workers import MODELS, Device

ROOT = Path(__file__).resolve().parents[2]
SMS = 2
WIDTHS = {"bf16": 2, "f16": 2, "f32": 4}
MAP_NAMES = {"bf16": "bf16", "f16": "fp16", "f32": "fp32"}
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}

QUERY = (1, 300, 2, 128)
# Several work items for each of two CTAs, ragged, and more steps than slots. The last
# tensor is the result.
PROGRAMS = {
    "examples/gemm": [(298, 400), (560, 400), (298, 560)],
    "examples/gemm_bias_activation_residual": [(298, 400), (560, 400), (560,), (298, 560),
                                               (298, 560)],
    "examples/batched_gemm": [(2, 200, 400), (2, 400, 264), (2, 200, 264)],
    "examples/attention": [QUERY] * 4,
    "examples/causal_attention": [QUERY] * 4,
    "examples/rmsnorm": [(21, 2056), (2056,), (21, 2056)],
    "integration/codegen/programs/nested_products": [(200, 136), (264, 136), (136, 264),
                                                     (200, 136)],
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


def record(program: str, arch: str, compiler: str, driver, folder: Path):
    name = f"ours_{arch.replace('_', '').rstrip('a')}_{Path(program).name}"
    base = folder / name
    subprocess.run([compiler, "compile", ROOT / f"{program}.mlir", "--arch", arch, "--emit",
                    "ptx", "-o", base.with_suffix(".ptx")], check=True)
    info = json.loads(base.with_suffix(".json").read_text())
    driver.reset()
    kernel = Kernel(driver, name, arch, base.with_suffix(".ptx").read_text())
    rng = np.random.default_rng(1)
    shapes = iter(PROGRAMS[program])
    tensors, addresses = [], []
    for argument in info["arguments"]:
        is_tensor = "shape" in argument
        tensors.append(make_numbers(argument["type"], next(shapes), rng) if is_tensor else None)
        addresses.append(driver.upload(tensors[-1]) if is_tensor else 0)
    result = max(at for at, tensor in enumerate(tensors) if tensor is not None)
    driver.write(addresses[result], np.full(tensors[result].nbytes, 0xff, np.uint8))
    parameters = kernel.pack([
        fill_in(parameter, info["arguments"][parameter["argument"]],
                tensors[parameter["argument"]], addresses[parameter["argument"]], driver)
        for parameter in info["parameters"]])
    items = prod(ceil(tensors[part["argument"]].shape[part["dimension"]] / part["tile"])
                 for part in info["items"]["count"])
    ctas = min(SMS, items) if info["items"]["kind"] == "static" else items
    try:
        driver.launch(kernel.function, (ctas, 1, 1), (info["threads"], 1, 1), info["cluster"],
                      info["sharedBytes"], parameters)
    except Recorded:
        pass
    write_launch(base, name, kernel.text, driver, Device(arch, SMS), addresses[result],
                 tensors[result].nbytes)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    workers.add_arguments(parser)
    parser.add_argument("--compiler", required=True, help="the drawloom program")
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    devices = [Device(arch, SMS) for arch in ("sm_90a", "sm_100a")]
    if not args.device:
        ended = [worker.wait() for worker in workers.start(devices, stdout=subprocess.DEVNULL)]
        print(f"record: {len(list(args.folder.glob('ours_*.json')))} launches of ours")
        return int(any(ended))
    driver = Recorder(args.library, MODELS[args.device.arch], args.device.sms)
    for program in PROGRAMS:
        record(program, args.device.arch, args.compiler, driver, args.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
