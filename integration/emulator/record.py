# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes down launches of peers' kernels, for tools that run them in their own process.

A launch is three files: NAME.ptx, NAME.bin with what is in the device's memory, and
NAME.json with everything else. Addresses are the emulator's, which are the same for
the same allocations; tensor maps in the parameters also hold them.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import workers
from cases import CASES, Problem, load_case, make_job, problem_of
from driver import Driver
from match import read_manifest
from workers import MODELS, Device


class Recorded(Exception):
    """A launch that was written down in place of a run."""


class Recorder(Driver):
    """A driver that launches nothing."""

    def __init__(self, *arguments):
        self.allocations = []
        super().__init__(*arguments)

    def reset(self):
        super().reset()
        self.allocations = []

    def allocate(self, size: int) -> int:
        address = super().allocate(size)
        self.allocations.append((address, size))
        return address

    def launch(self, function, grid, block, cluster, shared, parameters):
        self.recorded = dict(grid=[int(x) for x in grid], block=[int(x) for x in block],
                             cluster=[int(x) for x in cluster], shared=int(shared),
                             parameters=bytes(parameters).hex())
        raise Recorded


def write_launch(base: Path, name: str, text: str, driver: Recorder, device: Device,
                 result: int, size: int):
    """The launch that the driver has seen, with the address and size of its result."""
    rows, at = [], 0
    with open(base.with_suffix(".bin"), "wb") as data:
        for address, allocated in driver.allocations:
            data.write(driver.download(address, (allocated,), np.uint8).tobytes())
            rows.append(dict(address=address, size=allocated, at=at))
            at += allocated
    base.with_suffix(".ptx").write_text(text)
    launch = dict(driver.recorded, name=name, device=MODELS[device.arch], sms=device.sms,
                  allocations=rows, result=dict(address=int(result), size=int(size)))
    base.with_suffix(".json").write_text(json.dumps(launch, indent=1) + "\n")


def record(case, driver, path, problem, folder: Path):
    driver.reset()
    kernel = load_case(case, driver, path)
    job = make_job(case, kernel, problem)
    try:
        job.run()
    except Recorded:
        pass
    write_launch(folder / case.name, case.name, kernel.text, driver, Device.of(case),
                 job.address, job.initial.nbytes)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    workers.add_arguments(parser)
    parser.add_argument("--manifest", type=Path, required=True,
                        help="where the kernels are, as `utils/peers build` writes it")
    parser.add_argument("--problem", default="136x264x400", metavar="MxNxK",
                        help="for kernels that can do any (default: several tiles, and more "
                             "steps of K than stages)")
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    if not args.device:
        ended = [worker.wait() for worker in workers.start(map(Device.of, CASES),
                                                           stdout=subprocess.DEVNULL)]
        print(f"record: {len(list(args.folder.glob('*.json')))} launches")
        return int(any(ended))
    paths = read_manifest(args.manifest)
    driver = Recorder(args.library, MODELS[args.device.arch], args.device.sms)
    wanted = Problem(*map(int, args.problem.split("x")))
    for case in CASES:
        if Device.of(case) == args.device:
            record(case, driver, paths[case.name], problem_of(case, wanted), args.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
