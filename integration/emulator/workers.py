# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that have a device each.

The driver has one device, of one architecture and with so many SMs, so cases that
want different ones run in different processes: a script starts itself again, with
`--device` added, for each device that its cases want.
"""

import subprocess
import sys
from dataclasses import dataclass

from driver import Driver

MODELS = {"sm_90a": "h100", "sm_100a": "b200", "sm_120a": "rtx5090"}


@dataclass(frozen=True, order=True)
class Device:
    arch: str
    sms: int

    @staticmethod
    def of(case, at_least: int = 0) -> "Device":
        return Device(case.arch, max(case.sms, at_least))

    @staticmethod
    def parse(text: str) -> "Device":
        arch, sms = text.split(":")
        return Device(arch, int(sms))

    def __str__(self):
        return f"{self.arch}:{self.sms}"

    def open(self, library: str) -> Driver:
        return Driver(library, MODELS[self.arch], self.sms)


def add_arguments(parser, library_required: bool = True):
    parser.add_argument("--library", required=library_required,
                        help="the emulator's libcuda.so.1")
    parser.add_argument("--device", type=Device.parse, metavar="ARCH:SMS",
                        help="only the cases for this one, in this process")


def start(devices, **options) -> list[subprocess.Popen]:
    return [subprocess.Popen([sys.executable, *sys.argv, "--device", str(device)], **options)
            for device in sorted(set(devices), reverse=True)]
