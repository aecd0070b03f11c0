# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a kernel of a ladder by the clock, or checks what it computes."""

import os
import struct
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "emulator"))
from driver import Driver

import blackwell
import hopper

SWIZZLE = {16: 0, 32: 1, 64: 2, 128: 3}


def launch(driver: Driver, recipe, m: int, n: int, k: int, a: int, b: int, d: int):
    is_hopper = isinstance(recipe, hopper.Recipe)
    module = driver.load((hopper if is_hopper else blackwell).write(recipe).encode())
    function = driver.function(module, "gemm")
    element = recipe.element
    if is_hopper:
        columns, box_a, ctas = 64, recipe.bm, recipe.size
        box_b = recipe.bn // 2 if recipe.multicast else recipe.bn
        box_d, swizzle_d = (recipe.bn, recipe.bm // recipe.groups), 0
    else:
        columns, box_a, box_b, ctas = recipe.box_columns, recipe.bm, recipe.rows_b, 1 + recipe.pair
        box_d, swizzle_d = (recipe.slices, recipe.bm), SWIZZLE[recipe.slices * element]
    swizzle = SWIZZLE[columns * 2]
    map_a = driver.tensor_map("bf16", a, (k, m), (k * 2,), (columns, box_a), swizzle)
    map_b = driver.tensor_map("bf16", b, (k, n), (k * 2,), (columns, box_b), swizzle)
    map_d = driver.tensor_map("bf16" if element == 2 else "fp32", d, (n, m), (n * element,),
                              box_d, swizzle_d)
    parameters = map_a + map_b + map_d + struct.pack("<QIII4xQQ", d, m, n, k, a, b)
    tiles = (m // (recipe.bm * ctas * getattr(recipe, "halves", 1))) * (n // recipe.bn)
    resident = recipe.persistent and not getattr(recipe, "clc", False)
    clusters = min(tiles, (recipe.ctas or driver.sm_count) // ctas) if resident else tiles
    driver.launch(function, (clusters * ctas, 1, 1), (recipe.threads, 1, 1), (ctas, 1, 1),
                  recipe.shared, parameters)


def bf16(values: np.ndarray) -> np.ndarray:
    return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def from_bf16(values: np.ndarray) -> np.ndarray:
    return (values.astype(np.uint32) << 16).view(np.float32)


def check(driver: Driver, recipe, m: int, n: int, k: int) -> float:
    """The largest error of an element, of what bf16 allows: numbers are small integers, so
    that sums are exact in fp32 and only D is rounded."""
    generator = np.random.default_rng(1)
    a = generator.integers(-2, 3, (m, k)).astype(np.float32)
    b = generator.integers(-2, 3, (n, k)).astype(np.float32)
    element = recipe.element
    d = driver.allocate(m * n * element)
    launch(driver, recipe, m, n, k, driver.upload(bf16(a)), driver.upload(bf16(b)), d)
    expected = a @ b.T
    if element == 4:
        got = driver.download(d, (m, n), np.float32)
        return float(np.abs(got - expected).max())
    got = from_bf16(driver.download(d, (m, n), np.uint16))
    return float((np.abs(got - expected) / np.maximum(np.abs(expected), 1) * 256).max())


def time(driver: Driver, recipe, m: int, n: int, k: int, seed: int = 0) -> tuple[int, ...]:
    """What the clock says, without data."""
    os.environ["DRAWLOOM_ORDER"] = f"timed:{seed}"
    os.environ["DRAWLOOM_TIME"] = "without-data"
    os.environ["DRAWLOOM_QUIET"] = "1"
    try:
        element = recipe.element
        a, b, d = (driver.allocate(size) for size in (m * k * 2, n * k * 2, m * n * element))
        launch(driver, recipe, m, n, k, a, b, d)
        return driver.timing()
    finally:
        for name in ("DRAWLOOM_ORDER", "DRAWLOOM_TIME", "DRAWLOOM_QUIET"):
            del os.environ[name]
        driver.reset()
