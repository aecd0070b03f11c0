# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a kernel of a ladder by the clock, or checks what it computes."""

import os
import struct
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "emulator"))
from driver import Driver

import blackwell
import hopper
import hopper_scaled

SWIZZLE = {16: 0, 32: 1, 64: 2, 128: 3}


def load(driver: Driver, ptx: str):
    """With the issue slots that the command in TIMING_DRAWLOOM counts, if there is one."""
    tool = os.environ.get("TIMING_DRAWLOOM")
    if not tool:
        return driver.load(ptx.encode())
    with tempfile.TemporaryDirectory() as folder:
        text, table = Path(folder, "kernel.ptx"), Path(folder, "kernel.slots")
        text.write_text(ptx)
        subprocess.run([tool, "slots", text, "-o", table], check=True, stderr=subprocess.DEVNULL)
        os.environ["DRAWLOOM_TIME_SLOTS"] = str(table)
        try:
            return driver.load(ptx.encode())
        finally:
            del os.environ["DRAWLOOM_TIME_SLOTS"]


def maps(driver: Driver, recipe, m: int, n: int, k: int, a: int, b: int, d: int) -> tuple[bytes, ...]:
    """Of A, B and D, as the kernel copies them."""
    element = recipe.element
    if isinstance(recipe, hopper_scaled.Recipe):
        box_a = recipe.bm // 2 if recipe.shares == "a" else recipe.bm
        box_b = recipe.bn // 2 if recipe.shares == "b" else recipe.bn
        return (driver.tensor_map("fp8", a, (k, m), (k,), (128, box_a), SWIZZLE[128]),
                driver.tensor_map("fp8", b, (k, n), (k,), (128, box_b), SWIZZLE[128]),
                driver.tensor_map("bf16", d, (n, m), (n * 2,), (recipe.width, recipe.bm),
                                  0 if recipe.plain else SWIZZLE[recipe.width * 2]))
    if isinstance(recipe, hopper.Recipe):
        columns, box_a = 64, recipe.bm
        box_b = recipe.bn // 2 if recipe.multicast else recipe.bn
        box_d, swizzle_d = (recipe.bn, recipe.bm // recipe.groups), 0
    else:
        columns, box_a, box_b = recipe.box_columns, recipe.bm, recipe.rows_b
        box_d, swizzle_d = (recipe.slices, recipe.bm), SWIZZLE[recipe.slices * element]
    swizzle = SWIZZLE[columns * 2]
    return (driver.tensor_map("bf16", a, (k, m), (k * 2,), (columns, box_a), swizzle),
            driver.tensor_map("bf16", b, (k, n), (k * 2,), (columns, box_b), swizzle),
            driver.tensor_map("bf16" if element == 2 else "fp32", d, (n, m), (n * element,), box_d, swizzle_d))


def launch(driver: Driver, recipe, m: int, n: int, k: int, a: int, b: int, d: int, scales=(0, 0)):
    """`scales`: of A and B, for kernels that have them."""
    scaled = isinstance(recipe, hopper_scaled.Recipe)
    writer = hopper_scaled if scaled else hopper if isinstance(recipe, hopper.Recipe) else blackwell
    module = load(driver, writer.write(recipe))
    function = driver.function(module, "gemm")
    ctas = 1 + recipe.pair if writer is blackwell else recipe.size
    parameters = b"".join(maps(driver, recipe, m, n, k, a, b, d)) + struct.pack(
        "<QIII4xQQ", d, m, n, k, *(scales if scaled else (a, b)))
    if scaled:
        tiles = m // recipe.cluster_rows * -(-n // recipe.cluster_columns)
    else:
        tiles = (m // (recipe.bm * ctas * getattr(recipe, "halves", 1))) * (n // recipe.bn)
    resident = recipe.persistent and not getattr(recipe, "clc", False)
    clusters = min(tiles, (recipe.ctas or driver.sm_count) // ctas) if resident else tiles
    driver.launch(function, (clusters * ctas, 1, 1), (recipe.threads, 1, 1), (ctas, 1, 1),
                  recipe.shared, parameters)


def bf16(values: np.ndarray) -> np.ndarray:
    return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def from_bf16(values: np.ndarray) -> np.ndarray:
    return (values.astype(np.uint32) << 16).view(np.float32)


def check_scaled(driver: Driver, recipe, m: int, n: int, k: int) -> float:
    """The same with scales, which are powers of two and those of B the same for all of N."""
    generator = np.random.default_rng(1)
    e4m3 = np.array([0xc0, 0xb8, 0x00, 0x38, 0x40], np.uint8)  # -2 to 2
    a, b = (generator.integers(-2, 3, (rows, k)) for rows in (m, n))
    blocks = k // 128
    scales_a = 2.0 ** generator.integers(-1, 2, (blocks, m))
    scales_b = np.broadcast_to(2.0 ** generator.integers(-1, 2, blocks), (-(-n // 128), blocks))
    expected = np.zeros((m, n), np.float32)
    for block in range(blocks):
        part = slice(128 * block, 128 * block + 128)
        scale = scales_a[block][:, None] * scales_b[0, block]
        expected += (scale * (a[:, part].astype(np.float32) @ b[:, part].T)).astype(np.float32)
    scales = tuple(driver.upload(x.astype(np.float32)) for x in (scales_a, scales_b))
    d = driver.allocate(m * n * 2)
    launch(driver, recipe, m, n, k, driver.upload(e4m3[a + 2]), driver.upload(e4m3[b + 2]), d, scales)
    got = from_bf16(driver.download(d, (m, n), np.uint16))
    return float((np.abs(got - expected) / np.maximum(np.abs(expected), 1) * 256).max())


def check(driver: Driver, recipe, m: int, n: int, k: int) -> float:
    """The largest error of an element, of what bf16 allows: numbers are small integers, so
    that sums are exact in fp32 and only D is rounded."""
    if isinstance(recipe, hopper_scaled.Recipe):
        return check_scaled(driver, recipe, m, n, k)
    generator = np.random.default_rng(1)
    a = generator.integers(-2, 3, (m, k)).astype(np.float32)
    b = generator.integers(-2, 3, (n, k)).astype(np.float32)
    element = recipe.element
    d = driver.allocate(m * n * element)
    launch(driver, recipe, m, n, k, driver.upload(bf16(a)), driver.upload(bf16(b)), d)
    columns = np.arange(k) % (getattr(recipe, "panel", 0) or k)
    expected = a[:, columns] @ b[:, columns].T
    if element == 4:
        got = driver.download(d, (m, n), np.float32)
        return float(np.abs(got - expected).max())
    if recipe.epilogue == "columns":
        expected = expected.T
    got = from_bf16(driver.download(d, expected.shape, np.uint16))
    return float((np.abs(got - expected) / np.maximum(np.abs(expected), 1) * 256).max())


@contextmanager
def timed(driver: Driver, seed: int):
    """What is launched here runs by the clock, without data."""
    os.environ["DRAWLOOM_ORDER"] = f"timed:{seed}"
    os.environ["DRAWLOOM_TIME"] = "without-data"
    os.environ["DRAWLOOM_QUIET"] = "1"
    try:
        yield
    finally:
        for name in ("DRAWLOOM_ORDER", "DRAWLOOM_TIME", "DRAWLOOM_QUIET"):
            del os.environ[name]
        driver.reset()


def time(driver: Driver, recipe, m: int, n: int, k: int, seed: int = 0) -> tuple[int, ...]:
    """What the clock says."""
    with timed(driver, seed):
        element = recipe.element
        a, b, d = (driver.allocate(size) for size in (m * k * 2, n * k * 2, m * n * element))
        scales = tuple(driver.allocate((rows + 128) * k // 32) for rows in (m, n))
        launch(driver, recipe, m, n, k, a, b, d, scales)
        return driver.timing()
