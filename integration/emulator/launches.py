# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How each peer's host side launches a kernel, without the peer's host side.

A launcher takes a kernel and a problem, puts the operands into device memory,
lays out the parameters as the peer does, and says what the result ought to be:

  Triton, Gluon  a descriptor is its 128-byte tensor map, then i32 sizes and i64
                 strides; two scratch pointers at the end; the grid counts
                 programs, each of `num_ctas` CTAs. What else it takes stands in
                 the last line of the PTX (see peers/triton.py).
  CuTe DSL       the MMA's own state, then a tensor map and i32 sizes for each
                 operand, then the number of tiles.
  CUTLASS        one structure, which CUTLASS's host code fills in: see
                 hosts/cutlass.cuh.
"""

import json
import re
from dataclasses import dataclass, field
from math import ceil, prod
from pathlib import Path

import numpy as np
from driver import Driver
from elements import ELEMENTS, Expected, Matrix, gelu, product
from hosts import cutlass_parameters

SWIZZLE_128 = 3
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
            cluster=(1, 1, 1)) -> Job:
        return Job(self.driver, self.function, (*grid, 1, 1)[:3], self.block, cluster, shared,
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


#===------------------------------------------------------------------------===#
# Triton and Gluon
#===------------------------------------------------------------------------===#


class TritonArguments:
    """Arguments of a function, as they are passed."""

    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self.metas = iter(kernel.facts["tensordesc_meta"])
        self.values = []

    def descriptor(self, tensor):
        meta = next(self.metas)
        element = tensor.element if isinstance(tensor, Output) else tensor.matrix.element
        rows, columns = tensor.shape
        self.values += [map_2d(self.kernel.driver, tensor, element, rows, columns,
                               meta["block_size"], meta["swizzle"]),
                        rows, columns, tensor.pitch, 1]

    def scalars(self, *values):
        self.values += values

    def job(self, out: Output, expected: Expected, grid) -> Job:
        kernel, facts = self.kernel, self.kernel.facts
        ctas = facts["num_ctas"]
        grid = (grid[0] * ctas, *grid[1:])
        scratch = 0
        if size := facts["global_scratch_size"]:
            scratch = kernel.driver.allocate(size * prod(grid))
        return kernel.job(out, expected, grid, kernel.pack([*self.values, scratch, 0]),
                          facts["shared"], (ctas, 1, 1))


def operands(kernel: Kernel, element: str, p: Problem, rng):
    a = Operand.random(kernel.driver, element, p.m, p.k, rng)
    b = Operand.random(kernel.driver, element, p.n, p.k, rng)
    reduced = kernel.hopper and element == "fp8"
    return a, b, product(a.values, b.values, reduced)


def tiles(p: Problem, bm: int, bn: int) -> tuple[int, int]:
    return ceil(p.m / bm), ceil(p.n / bn)


def triton_pointers(kernel, p, rng, *, element, bm=128, bn=128, splits=0, flat=True):
    """a, b, d, M, N, K and three pitches."""
    a, b, expected = operands(kernel, element, p, rng)
    out = Output(kernel.driver, "fp32" if splits else "bf16", p.m, p.n, zero=bool(splits))
    arguments = TritonArguments(kernel)
    arguments.scalars(a.address, b.address, out.address, p.m, p.n, p.k, a.pitch, b.pitch,
                      out.pitch)
    grid = tiles(p, bm, bn)
    if splits:
        grid = (*grid, splits)
        expected = expected.plus(np.zeros(()))
    elif flat:
        grid = (prod(grid),)
    return arguments.job(out, expected, grid)


def triton_gelu(kernel, p, rng, *, element, bm=128, bn=128):
    """Descriptors of a, b and d, and a bias."""
    a, b, expected = operands(kernel, element, p, rng)
    bias = Operand.random(kernel.driver, "bf16", 1, p.n, rng)
    out = Output(kernel.driver, "bf16", p.m, p.n)
    arguments = TritonArguments(kernel)
    arguments.descriptor(a)
    arguments.descriptor(b)
    arguments.scalars(bias.address)
    arguments.descriptor(out)
    arguments.scalars(p.m, p.n, p.k)
    return arguments.job(out, gelu(expected.plus(bias.values), SIGMOID),
                         (prod(tiles(p, bm, bn)),))


def triton_persistent(kernel, p, rng, *, element, programs=3):
    """Descriptors of a, b and d, then M, N, K. Fewer programs than tiles."""
    a, b, expected = operands(kernel, element, p, rng)
    out = Output(kernel.driver, "bf16", p.m, p.n)
    arguments = TritonArguments(kernel)
    for tensor in (a, b, out):
        arguments.descriptor(tensor)
    arguments.scalars(p.m, p.n, p.k)
    return arguments.job(out, expected, (programs,))


def triton_grouped(kernel, p, rng, *, element, programs=3):
    """A GEMM for each group; this checks the second, the first is smaller."""
    driver = kernel.driver
    first = Problem(p.m // 2, p.n, p.k)
    lists, results = [], []
    for problem in (first, p):
        # The kernel takes packed rows.
        a = Matrix.random(element, (problem.m, problem.k), rng)
        b = Matrix.random(element, (problem.n, problem.k), rng)
        out = Output(driver, "bf16", problem.m, problem.n)
        if out.pitch != problem.n:
            raise ValueError("a grouped problem needs N to be a multiple of 16")
        lists.append((driver.upload(a.raw), driver.upload(b.raw), out.address))
        results.append((out, product(a.values, b.values)))
    pointers = np.array(lists, np.uint64)
    sizes = np.array([(q.m, q.n, q.k) for q in (first, p)], np.int32)
    arguments = TritonArguments(kernel)
    arguments.scalars(*(driver.upload(pointers[:, i]) for i in range(3)),
                      driver.upload(sizes), len(sizes))
    return arguments.job(*results[1], (programs,))


def gluon_tiled(kernel, p, rng, *, element, bm=128, bn=128, result="bf16"):
    """Descriptors of a, b and d, then K; a program for each tile."""
    a, b, expected = operands(kernel, element, p, rng)
    out = Output(kernel.driver, result, p.m, p.n)
    arguments = TritonArguments(kernel)
    for tensor in (a, b, out):
        arguments.descriptor(tensor)
    arguments.scalars(p.k)
    return arguments.job(out, expected, tiles(p, bm, bn))


def gluon_split_k(kernel, p, rng, *, element):
    """D += relu(A) B^T; each program takes four steps of 64."""
    a = Operand.random(kernel.driver, element, p.m, p.k, rng)
    b = Operand.random(kernel.driver, element, p.n, p.k, rng)
    out = Output(kernel.driver, "fp32", p.m, p.n, zero=True)
    arguments = TritonArguments(kernel)
    for tensor in (a, b, out):
        arguments.descriptor(tensor)
    arguments.scalars(p.k)
    expected = product(np.maximum(a.values, 0), b.values)
    return arguments.job(out, expected, (*tiles(p, 64, 128), ceil(p.k / 256)))


def gluon_granted(kernel, p, rng, *, element):
    """D = relu(A B^T + bias) with cluster launch control: descriptors of a, b and
    d, a bias in f32, N and K. The grid has a program for each tile."""
    a, b, expected = operands(kernel, element, p, rng)
    bias = Operand.random(kernel.driver, "fp32", 1, p.n, rng)
    out = Output(kernel.driver, "bf16", p.m, p.n)
    arguments = TritonArguments(kernel)
    arguments.descriptor(a)
    arguments.descriptor(b)
    arguments.scalars(bias.address)
    arguments.descriptor(out)
    arguments.scalars(p.n, p.k)
    expected = expected.plus(bias.values)
    expected = Expected(np.maximum(expected.values, 0), expected.bound)
    return arguments.job(out, expected, (prod(tiles(p, 128, 128)),))


def gluon_lhs_in_tmem(kernel, p, rng, *, element):
    """D = (scale * A) B^T with an int8 A, rounded to bf16 after scaling."""
    driver = kernel.driver
    a = Operand.random(driver, "i8", p.m, p.k, rng)
    scale = (rng.uniform(0.5, 1.5, p.m) / 127).astype(np.float32)
    rows = np.zeros(ceil(p.m / 128) * 128, np.float32)
    rows[:p.m] = scale
    b = Operand.random(driver, element, p.n, p.k, rng)
    out = Output(driver, "bf16", p.m, p.n)
    arguments = TritonArguments(kernel)
    arguments.descriptor(a)
    arguments.scalars(driver.upload(rows))
    arguments.descriptor(b)
    arguments.descriptor(out)
    arguments.scalars(p.k)
    kind = ELEMENTS[element]
    scaled = kind.decode(kind.encode(a.matrix.raw.astype(np.float32) * scale[:, None]))
    return arguments.job(out, product(scaled, b.values), tiles(p, 128, 128))


#===------------------------------------------------------------------------===#
# CuTe DSL
#===------------------------------------------------------------------------===#


def cutedsl_gemm(kernel, p, rng, *, element, result="bf16", tile=(128, 128),
                 cluster=(1, 1), splits=1, stride=False, direct=False):
    driver = kernel.driver
    a, b, expected = operands(kernel, element, p, rng)
    out = Output(driver, result, p.m, p.n, zero=splits > 1)
    size, out_size = a.matrix.element.size, out.element.size

    # CTAs that share an operand load a part of its tile each. A part of C is 128
    # bytes wide.
    def load(tensor, rows, sharers):
        return [map_2d(driver, tensor, tensor.matrix.element, *tensor.shape,
                       (rows // sharers, 128 // size), SWIZZLE_128),
                np.array(tensor.shape, np.int32).tobytes()]

    if direct:
        store = [np.uint64(out.address).tobytes() + np.array(out.shape, np.int32).tobytes()
                 + np.int64(out.pitch).tobytes()]
    else:
        store = [map_2d(driver, out, out.element, *out.shape, (128, 128 // out_size),
                        SWIZZLE_128), np.array(out.shape, np.int32).tobytes()]
    counts = [ceil(count / along) * along for count, along in zip(tiles(p, *tile), cluster)]
    values = [bytes(driver.parameters(kernel.function)[0][1]), *load(a, tile[0], cluster[1]),
              *load(b, tile[1], cluster[0]), *store, *counts]
    # One cluster takes every tile in turn, or each CTA has its own.
    grid = (*cluster, 1) if stride else (*counts, splits)
    if splits > 1:
        expected = expected.plus(np.zeros(()))
    return kernel.job(out, expected, grid, kernel.pack(values), driver.shared_limit,
                      (*cluster, 1))


#===------------------------------------------------------------------------===#
# CUTLASS
#===------------------------------------------------------------------------===#


def cutlass_gemm(kernel, p, rng, *, element, bias=False, activation=False, splits=1):
    """`splits` CTAs at most share a tile (stream-K)."""
    driver = kernel.driver
    alpha, beta = 0.75, 0.5

    # CUTLASS's problems are packed here.
    def packed(name, *shape):
        matrix = Matrix.random(name, shape, rng)
        return matrix, driver.upload(matrix.raw)

    a, at_a = packed(element, p.m, p.k)
    b, at_b = packed(element, p.n, p.k)
    c, at_c = packed("bf16", p.m, p.n)
    column, at_bias = packed("bf16", 1, p.n)
    element_d = ELEMENTS["bf16"]
    out = Output(driver, "bf16", p.m, p.n)
    out.initial = np.ascontiguousarray(out.initial[:, :p.n])
    shape, parameters, workspace = cutlass_parameters(
        kernel.name, driver, p, at_a, at_b, at_c, at_bias, out.address, alpha, beta)
    expected = product(a.values, b.values, kernel.hopper and element == "fp8")
    expected = Expected(alpha * expected.values, alpha * expected.bound)
    expected = expected.plus(np.zeros(())).plus(beta * c.values)
    if bias:
        expected = expected.plus(column.values)
    if splits > 1:
        # Parts of a sum are added in f32.
        magnitude = np.abs(a.values) @ np.abs(b.values).T
        expected = Expected(expected.values, expected.bound + splits * 2.0**-24 * magnitude)
    if activation:
        expected = gelu(expected, TANH)
    return Job(driver, kernel.function, shape.grid, shape.block, shape.cluster, shape.shared,
               parameters, out.address, element_d, out.initial,
               expected.rounded(element_d), workspace)


#===------------------------------------------------------------------------===#
# The kernels
#===------------------------------------------------------------------------===#

SQUARE = Problem(256, 256, 256)
RAGGED = Problem(200, 136, 80)


@dataclass(frozen=True)
class Case:
    """A kernel of `peers`, how it is launched, and problems for it."""

    name: str
    element: str
    launcher: object
    options: dict = field(default_factory=dict)
    problems: tuple[Problem, ...] = (SQUARE, RAGGED)

    @property
    def arch(self) -> str:
        return self.name.split("_")[1].replace("sm", "sm_") + "a"


def both(name: str, *rest, **more) -> list[Case]:
    """A case for each architecture."""
    return [Case(name.format(arch=arch), *rest, **more) for arch in ("sm90", "sm100")]


WIDE = dict(bm=128, bn=256)

CASES = [
    Case("cutlass_sm90_bf16_cooperative_bias", "bf16", cutlass_gemm, dict(bias=True)),
    Case("cutlass_sm90_fp16_pingpong_gelu", "fp16", cutlass_gemm,
         dict(bias=True, activation=True)),
    Case("cutlass_sm90_fp8_streamk", "fp8", cutlass_gemm, dict(bias=True, splits=4),
         problems=(Problem(256, 384, 1024), Problem(200, 136, 720))),
    Case("cutlass_sm100_fp16_1sm_gelu", "fp16", cutlass_gemm,
         dict(bias=True, activation=True)),
    Case("cutlass_sm100_fp8_1sm_bias", "fp8", cutlass_gemm, dict(bias=True)),
    Case("cutlass_sm100_bf16_1sm", "bf16", cutlass_gemm,
         problems=(SQUARE, Problem(1000, 136, 80))),
    *both("triton_{arch}_gemm_pointer", "bf16", triton_pointers),
    *both("triton_{arch}_gemm_split_k", "bf16", triton_pointers, dict(bm=64, splits=4)),
    *both("triton_{arch}_gemm_fp16_gelu", "fp16", triton_gelu),
    *both("triton_{arch}_gemm_fp8_gelu", "fp8", triton_gelu, WIDE),
    *both("triton_{arch}_gemm_persistent", "bf16", triton_persistent,
          problems=(Problem(512, 512, 128), RAGGED)),
    *both("triton_{arch}_gemm_specialized", "bf16", triton_persistent),
    Case("triton_sm100_gemm_clc", "bf16", triton_gelu,
         problems=(SQUARE, Problem(1000, 136, 80))),
    *both("triton_{arch}_gemm_cluster", "bf16", triton_gelu, dict(bm=256)),
    *both("triton_{arch}_gemm_grouped", "bf16", triton_grouped,
          problems=(SQUARE, Problem(200, 144, 80))),
    Case("gluon_sm90_wgmma_bf16", "bf16", gluon_tiled),
    Case("gluon_sm90_wgmma_fp8", "fp8", gluon_tiled),
    Case("gluon_sm90_wgmma_multicast", "bf16", gluon_tiled, dict(bm=256)),
    Case("gluon_sm90_wgmma_specialized", "bf16", triton_persistent),
    Case("gluon_sm90_wgmma_split_k", "fp16", gluon_split_k,
         problems=(Problem(256, 256, 512), RAGGED)),
    Case("gluon_sm90_wgmma_cp_async", "bf16", triton_pointers, dict(flat=False)),
    Case("gluon_sm100_tcgen05_fp16", "fp16", gluon_tiled),
    Case("gluon_sm100_tcgen05_fp8", "fp8", gluon_tiled, WIDE),
    Case("gluon_sm100_specialized", "bf16", triton_persistent),
    Case("gluon_sm100_clc", "bf16", gluon_granted,
         problems=(SQUARE, Problem(1000, 144, 80))),
    Case("gluon_sm100_lhs_in_tmem", "bf16", gluon_lhs_in_tmem),
    Case("cutedsl_sm90_bf16", "bf16", cutedsl_gemm),
    Case("cutedsl_sm90_bf16_multicast_persistent", "bf16", cutedsl_gemm,
         dict(tile=(128, 256), cluster=(2, 1), stride=True)),
    Case("cutedsl_sm90_fp8_multicast", "fp8", cutedsl_gemm, dict(cluster=(1, 2))),
    Case("cutedsl_sm100_bf16_1cta", "bf16", cutedsl_gemm),
    Case("cutedsl_sm100_fp16_1cta_direct", "fp16", cutedsl_gemm,
         dict(result="fp32", direct=True)),
    Case("cutedsl_sm100_bf16_1cta_split_k", "bf16", cutedsl_gemm,
         dict(result="fp32", splits=4), problems=(SQUARE, Problem(200, 136, 272))),
    Case("cutedsl_sm100_bf16_1cta_clc", "bf16", cutedsl_gemm,
         problems=(SQUARE, Problem(1000, 136, 80))),
    Case("cutedsl_sm100_fp8_1cta_multicast", "fp8", cutedsl_gemm, dict(cluster=(2, 2))),
]


def load_case(case: Case, driver: Driver, path: Path) -> Kernel:
    return Kernel(driver, case.name, case.arch, path.read_text())


def make_job(case: Case, kernel: Kernel, problem: Problem) -> Job:
    return case.launcher(kernel, problem, np.random.default_rng(1), element=case.element,
                         **case.options)
