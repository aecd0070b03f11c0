# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches peers' kernels of published benchmarks: at the size of a row of shapes.csv
without data, or at a small one to compare what they compute.

All matrices are packed. A is M x K and D is M x N; B is N x K, or K x N where the kernel
takes it so.
"""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "emulator"))
sys.path.append(str(Path(__file__).resolve().parents[1]))
from elements import ELEMENTS, FP4  # noqa: E402
from hosts import cutlass_parameters  # noqa: E402
from launch_triton import TritonArguments  # noqa: E402
from launches import SWIZZLE_128, Kernel  # noqa: E402
from peers import cutlass, deepgemm  # noqa: E402

MANIFEST = "DRAWLOOM_SHAPES_KERNELS"  # An environment variable: where the list is.
SCALE_BYTE = {"mxfp8": 127, "nvfp4": 0x38}  # 1, as ue8m0 and as e4m3
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}


@dataclass(frozen=True)
class Problem:
    m: int
    n: int
    k: int


@dataclass(frozen=True)
class Operands:
    """Addresses. `scales` are those of A's and B's."""

    a: int
    b: int
    d: int
    scales: tuple[int, int]


@dataclass(frozen=True)
class Form:
    """What a kernel takes: types, how B lies, how many elements share a scale, and the
    function that launches it. `check` is a small problem."""

    element: str
    result: str
    launch: Callable
    check: Problem
    across: bool = False  # B is K x N
    vector: int = 0

    @property
    def bits(self) -> int:
        return {"fp16": 16, "nvfp4": 4}.get(self.element, 8)


def launch_gluon(kernel, form, p, at: Operands, programs: int):
    arguments = TritonArguments(kernel)
    if form.vector:
        packed = 8 // form.bits
        for address, rows, scales in ((at.a, p.m, at.scales[0]), (at.b, p.n, at.scales[1])):
            arguments.whole_descriptor("u8", 1, address, (rows, p.k // packed),
                                       (p.k // packed, 1))
            pieces = p.k // form.vector // 4
            arguments.whole_descriptor("u8", 1, scales, (rows // 128, pieces, 2, 256),
                                       (pieces * 512, 512, 256, 1))
    else:
        arguments.whole_descriptor("fp16", 2, at.a, (p.m, p.k), (p.k, 1))
        arguments.whole_descriptor("fp16", 2, at.b, (p.k, p.n), (p.n, 1))
    arguments.whole_descriptor("fp16", 2, at.d, (p.m, p.n), (p.n, 1))
    ctas = kernel.facts["num_ctas"]
    kernel.driver.launch(kernel.function, (programs * ctas, 1, 1), kernel.block, (ctas, 1, 1),
                         kernel.facts["shared"],
                         kernel.pack([*arguments.values, p.m, p.n, p.k, 0, 0]))


def in_turn(bm: int, bn: int):
    """As many programs as there are SMs, or tiles if these are fewer."""
    return lambda kernel, form, p, at: launch_gluon(
        kernel, form, p, at, min(kernel.driver.sm_count, ceil(p.m / bm) * ceil(p.n / bn)))


def one_each(kernel, form, p, at):
    """A pair of CTAs for each tile of 256 x 256."""
    launch_gluon(kernel, form, p, at, ceil(p.m / 256) * ceil(p.n / 256))


def launch_tilelang(kernel, form, p, at):
    driver, element = kernel.driver, form.element
    size = form.bits // 8
    maps = [driver.tensor_map(element, address, (columns, rows), (columns * size,),
                              (128 // size, box), SWIZZLE_128)
            for address, rows, columns, box in ((at.a, p.m, p.k, 128), (at.b, p.n, p.k, 256),
                                                (at.d, p.m, p.n, 128))]
    driver.launch(kernel.function, (ceil(p.n / 256), ceil(p.m / 128), 1), kernel.block,
                  (1, 1, 1), kernel.most_shared, kernel.pack(maps))


def launch_cutlass(kernel, form, p, at):
    shape, parameters, _ = cutlass_parameters(
        kernel.name, kernel.driver, cutlass.SWEEPS[kernel.name.removeprefix("cutlass_")],
        alpha=1.0, beta=0.0, m=p.m, n=p.n, k=p.k, a=at.a, b=at.b, c=at.d, d=at.d)
    kernel.driver.launch(kernel.function, shape.grid, shape.block, shape.cluster, shape.shared,
                         parameters)


def launch_deepgemm(kernel, form, p, at):
    """On as few SMs as the same number of waves takes."""
    case = next(case for case in deepgemm.CASES if case.name == kernel.name)
    driver = kernel.driver
    tiles = ceil(p.m / case.bm) * ceil(p.n / case.bn)
    sms = ceil(tiles / ceil(tiles / driver.sm_count))
    sms = ceil(sms / case.multicast) * case.multicast
    steps = ceil(p.k / 128)
    slot = (case.bm + case.bn) * 128 + case.bm * 4 + 16
    rows_of_scales = 1 if 128 % case.bn == 0 else 2
    shared = (case.bm * case.bn * 2 + case.stages * slot + ceil(steps * rows_of_scales / 2) * 8)
    width = case.swizzle // 2 or case.bn
    values = [at.d, at.scales[1], 0, p.m,
              driver.tensor_map("u8", at.a, (p.k, p.m), (p.k,), (128, case.bm), SWIZZLE_128),
              driver.tensor_map("u8", at.b, (p.k, p.n), (p.k,), (128, case.bn), SWIZZLE_128),
              driver.tensor_map("fp32", at.scales[0], (p.m, steps), (p.m * 4,), (case.bm, 1), 0),
              driver.tensor_map("bf16", at.d, (p.n, p.m), (p.n * 2,), (width, case.bm),
                                SWIZZLES[case.swizzle])]
    driver.launch(kernel.function, (sms, 1, 1), kernel.block, (case.multicast, 1, 1), shared,
                  kernel.pack(values))


def form_of(name: str) -> Form:
    """By the kernel's name."""
    if name.startswith("deepgemm"):
        m, n, k = map(int, name.split("_")[2].split("x"))
        return Form("fp8", "bf16", launch_deepgemm, Problem(min(m, 512), n, k), vector=128)
    if name.startswith("cutlass"):
        return Form("fp8", "bf16", launch_cutlass, Problem(64, 512, 512))
    if name.startswith("tilelang"):
        element = name.split("_")[3]
        return Form(element, element, launch_tilelang,
                    Problem(8192, 8192, int(name.split("_k")[1])))
    pair = name.endswith("2cta")
    for element, vector in (("mxfp8", 32), ("nvfp4", 16)):
        if element in name:
            return Form(element, "fp16", one_each if pair else in_turn(128, 256),
                        Problem(2048 if pair else 1024, 512, 512), vector=vector)
    return Form("fp16", "fp16", one_each if pair else in_turn(128, 256),
                Problem(4096 if pair else 512, 512, 320), across=True)


def load(driver, name: str) -> Kernel:
    """A kernel of the list that `utils/peers build --manifest` has left."""
    for row in json.loads(Path(os.environ[MANIFEST]).read_text()):
        if row["name"] == name:
            return Kernel(driver, name, row["arch"], Path(row["path"]).read_text())
    raise RuntimeError(f"{name} isn't built: utils/peers build {name}")


def scale_bytes(form: Form, rows: int, k: int) -> int:
    per_scale = 4 if form.vector == 128 else 1
    return rows * ceil(k / form.vector) * per_scale if form.vector else 1


def time(driver, name: str, p: Problem):
    """Runs the kernel by the clock, without data. The scales are ones: a kernel may load
    them by itself."""
    form, kernel = form_of(name), load(driver, name)
    a, b = (driver.allocate(rows * p.k * form.bits // 8) for rows in (p.m, p.n))
    d = driver.allocate(p.m * p.n * 2)
    scales = tuple(driver.allocate(scale_bytes(form, rows, p.k)) for rows in (p.m, p.n))
    form.launch(kernel, form, p, Operands(a, b, d, scales))


def encode(form: Form, values: np.ndarray) -> np.ndarray:
    """Small integers."""
    if form.element != "nvfp4":
        return ELEMENTS["fp8" if form.bits == 8 else form.element].encode(values)
    codes = np.array([int(np.flatnonzero(FP4 == value)[0]) for value in range(-2, 3)], np.uint8)
    found = codes[values.astype(int) + 2]
    return found[:, 0::2] | found[:, 1::2] << 4


def check(driver, name: str) -> float:
    """The largest error of an element, of what rounding D allows."""
    form, kernel = form_of(name), load(driver, name)
    p, random = form.check, np.random.default_rng(1)
    a, b = (random.integers(-2, 3, (rows, p.k)).astype(np.float32) for rows in (p.m, p.n))
    if form.vector == 128:
        ones = [np.ones(scale_bytes(form, rows, p.k) // 4, np.float32) for rows in (p.m, p.n)]
    else:
        ones = [np.full(scale_bytes(form, rows, p.k), SCALE_BYTE.get(form.element, 0), np.uint8)
                for rows in (p.m, p.n)]
    result = ELEMENTS[form.result]
    stored_b = np.ascontiguousarray(encode(form, b).T) if form.across else encode(form, b)
    at = Operands(driver.upload(encode(form, a)), driver.upload(stored_b),
                  driver.allocate(p.m * p.n * result.size),
                  tuple(driver.upload(scales) for scales in ones))
    form.launch(kernel, form, p, at)
    got = result.decode(driver.download(at.d, (p.m, p.n), result.storage))
    expected = a @ b.T
    return float((np.abs(got - expected) / (2 * result.rounding(expected))).max())
