# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every launch of a peer's kernel has: a problem, operands and a result in
device memory, the kernel's parameters, and what the result ought to be. How each
peer lays out parameters is in launch_<peer>.py, and which kernels there are in
cases.py."""

import json
import re
from dataclasses import dataclass, field
from math import ceil

import numpy as np
from driver import Driver
from elements import ELEMENTS, Expected, Matrix, product

SWIZZLE_128 = 3
EPSILON = float(np.float32(1e-5))  # of an RMSNorm
# PTX ISA: tanh.approx.f32 is off by at most 2^-11 of its value. A sigmoid of
# ex2.approx and a division by div.full, off by 2^-22 each, is off by 2^-20.
TANH, SIGMOID = 2.0**-11, 2.0**-20


@dataclass(frozen=True)
class Problem:
    m: int
    n: int
    k: int

    def __str__(self):
        return f"{self.m}x{self.n}x{self.k}"


@dataclass
class Job:
    """A kernel that is ready to run, as often as one likes."""

    driver: Driver
    function: object
    grid: tuple[int, ...]
    block: tuple[int, ...]
    cluster: tuple[int, ...]
    shared: int
    parameters: bytes
    address: int  # of D
    element: object  # of D
    initial: np.ndarray  # what D holds before
    expected: Expected
    workspace: tuple[int, int] = (0, 0)  # address and bytes of what is zero before

    def run(self) -> np.ndarray:
        """D's bits."""
        self.driver.write(self.address, self.initial)
        self.driver.clear(*self.workspace)
        self.driver.launch(self.function, self.grid, self.block, self.cluster, self.shared,
                           self.parameters)
        raw = self.driver.download(self.address, self.initial.shape, self.element.storage)
        columns = self.expected.values.shape[1]
        if raw[:, columns:].tobytes() != self.initial[:, columns:].tobytes():
            raise RuntimeError("the kernel wrote beside D")
        return raw[:, :columns]


@dataclass
class Kernel:
    """A peer's kernel in the device."""

    driver: Driver
    name: str
    arch: str
    text: str

    def __post_init__(self):
        found = re.search(r"^// launch: (.*)$", self.text, re.M)
        self.facts = json.loads(found[1]) if found else {}
        [entry] = re.findall(r"\.entry\s+(\w+)", self.text)
        self.function = self.driver.function(self.driver.load(self.text.encode()), entry)
        self.hopper = self.arch == "sm_90a"

    @property
    def block(self) -> tuple[int, int, int]:
        found = re.search(r"\.(?:req|max)ntid\s+([\d, ]+)", self.text)
        dims = [int(word) for word in found[1].split(",")]
        return (*dims, 1, 1)[:3]

    @property
    def most_shared(self) -> int:
        return self.driver.dynamic_shared_limit(self.function)

    def pack(self, values) -> bytes:
        """The buffer of parameters. A value is bytes, an int or a float."""
        layout = self.driver.parameters(self.function)
        if len(layout) != len(values):
            raise ValueError(f"{self.name} takes {len(layout)} parameters, not {len(values)}")
        buffer = bytearray(max(offset + size for offset, size in layout))
        for (offset, size), value in zip(layout, values):
            if isinstance(value, float):
                value = np.float32(value).tobytes()
            elif not isinstance(value, bytes):
                value = int(value).to_bytes(size, "little")
            if len(value) != size:
                raise ValueError(f"{self.name}: {len(value)} bytes for a parameter of {size}")
            buffer[offset:offset + size] = value
        return bytes(buffer)

    def job(self, out: "Output", expected: Expected, grid, parameters: bytes, shared: int,
            cluster=(1, 1, 1), block=None) -> Job:
        return Job(self.driver, self.function, (*grid, 1, 1)[:3], block or self.block, cluster,
                   shared,
                   parameters, out.address, out.element, out.initial,
                   expected.rounded(out.element))


class Output:
    """D in device memory. Its rows are padded to 16 elements, which no kernel may
    touch. It holds NaN before, or zeros if the kernel adds to it."""

    def __init__(self, driver: Driver, name: str, m: int, n: int, zero: bool = False):
        self.element = ELEMENTS[name]
        self.pitch = padded(n)
        value = 0 if zero else np.nan
        self.initial = self.element.encode(np.full((m, self.pitch), value, np.float32))
        self.shape = (m, n)
        self.address = driver.upload(self.initial)


def padded(count: int) -> int:
    return ceil(count / 16) * 16


@dataclass(frozen=True)
class Operand:
    """A matrix in device memory, rows padded to 16 elements with what would spoil
    the result."""

    matrix: Matrix
    address: int
    pitch: int

    @staticmethod
    def random(driver: Driver, name: str, rows: int, columns: int, rng) -> "Operand":
        matrix = Matrix.random(name, (rows, columns), rng)
        wide = np.full((rows, padded(columns)), matrix.element.encode(np.float32(100.0)),
                       matrix.element.storage)
        wide[:, :columns] = matrix.raw
        return Operand(matrix, driver.upload(wide), wide.shape[1])

    @property
    def shape(self):
        return self.matrix.raw.shape

    @property
    def values(self):
        return self.matrix.values


def map_2d(driver: Driver, tensor, element, rows: int, columns: int, box, swizzle: int) -> bytes:
    """A tensor map of rows and columns; `box` is rows, columns."""
    return driver.tensor_map(element.name, tensor.address, (columns, rows),
                             (tensor.pitch * element.size,), (box[1], box[0]), swizzle)


def operands(kernel: Kernel, element: str, p: Problem, rng):
    a = Operand.random(kernel.driver, element, p.m, p.k, rng)
    b = Operand.random(kernel.driver, element, p.n, p.k, rng)
    reduced = kernel.hopper and element == "fp8"
    return a, b, product(a.values, b.values, reduced)


def tiles(p: Problem, bm: int, bn: int) -> tuple[int, int]:
    return ceil(p.m / bm), ceil(p.n / bn)
