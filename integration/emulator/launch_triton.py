# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of Triton's and Gluon's kernels.

A descriptor is its 128-byte tensor map, then i32 sizes and i64 strides; two scratch
pointers stand at the end; the grid counts programs, each of `num_ctas` CTAs. What
else a launch takes stands in the last line of the PTX (see peers/triton.py).
"""

from math import ceil, prod

import numpy as np
from elements import (ELEMENTS, Expected, Matrix, Scaled, attention, gelu, product, rms_norm,
                      softmax)
from launches import EPSILON, SIGMOID, Job, Kernel, Operand, Output, Problem, operands, tiles


class TritonArguments:
    """Arguments of a function, as they are passed."""

    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self.metas = iter(kernel.facts["tensordesc_meta"])
        self.values = []

    def descriptor(self, tensor):
        element = tensor.element if isinstance(tensor, Output) else tensor.matrix.element
        self.whole_descriptor(element.name, element.size, tensor.address, tensor.shape,
                              (tensor.pitch, 1))

    def packed_descriptor(self, array: np.ndarray):
        """Of bytes that lie one behind the other."""
        strides = [stride // array.itemsize for stride in array.strides]
        self.whole_descriptor("u8", 1, self.kernel.driver.upload(array), array.shape, strides)

    def whole_descriptor(self, dtype, size, address, shape, strides):
        meta = next(self.metas)
        self.values += [self.kernel.driver.tensor_map(
            dtype, address, shape[::-1], [stride * size for stride in strides[-2::-1]],
            meta["block_size"][::-1], meta["swizzle"]), *shape, *strides]

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


def gluon_clc(kernel, p, rng, *, element, bm=128, bn=128):
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
    return arguments.job(out, expected, (prod(tiles(p, bm, bn)),))


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


def triton_scaled(kernel, p, rng, *, element, packed=False, bm=128, bn=128):
    """D = A B^T with scales, M and N multiples of 128. A kernel takes the scales by
    pointers and M, N, K and their pitch, or by descriptors and only K."""
    driver = kernel.driver
    a = Scaled.random(element, p.m, p.k, rng)
    b = Scaled.random(element, p.n, p.k, rng)
    out = Output(driver, "bf16", p.m, p.n)
    arguments = TritonArguments(kernel)
    for operand in (a, b):
        arguments.packed_descriptor(operand.raw)
        if packed:
            arguments.packed_descriptor(operand.scales.reshape(*operand.scales.shape[:2], 2, 256))
        else:
            arguments.scalars(driver.upload(operand.scales))
    arguments.descriptor(out)
    arguments.scalars(*(() if packed else (p.m, p.n)), p.k,
                      *(() if packed else (a.scales.shape[1] * 512,)))
    return arguments.job(out, product(a.values, b.values), tiles(p, bm, bn))


def triton_attention(kernel, p, rng, *, element, bm, bn, causal=False, sums=True):
    """p.n heads of p.m rows and p.k columns. `sums`: the kernel writes the logarithms
    of the rows' sums, too."""
    driver = kernel.driver
    q, k, v = (Operand.random(driver, element, p.n * p.m, p.k, rng) for _ in range(3))
    out = Output(driver, element, p.n * p.m, p.k)
    arguments = TritonArguments(kernel)
    for tensor in (q, k, v, out):
        arguments.descriptor(tensor)
    if sums:
        arguments.scalars(driver.allocate(4 * p.n * p.m))
    scale = float(np.float32(p.k**-0.5))
    arguments.scalars(scale, p.m)
    heads = [attention(*(t.values[i * p.m:(i + 1) * p.m] for t in (q, k, v)), scale, causal,
                       p.m // bn, out.element.bits) for i in range(p.n)]
    expected = Expected(np.concatenate([head.values for head in heads]),
                        np.concatenate([head.bound for head in heads]))
    return arguments.job(out, expected, (p.m // bm, p.n))


def triton_softmax(kernel, p, rng, *, element, programs=3):
    x = Operand.random(kernel.driver, element, p.m, p.n, rng)
    out = Output(kernel.driver, element, p.m, p.n)
    arguments = TritonArguments(kernel)
    arguments.scalars(x.address, out.address, p.m, p.n, x.pitch)
    return arguments.job(out, softmax(x.values), (programs,))


def triton_rms_norm(kernel, p, rng, *, element):
    x = Operand.random(kernel.driver, element, p.m, p.n, rng)
    weight = Operand.random(kernel.driver, element, 1, p.n, rng)
    out = Output(kernel.driver, element, p.m, p.n)
    arguments = TritonArguments(kernel)
    arguments.scalars(x.address, weight.address, out.address, p.n, x.pitch, EPSILON)
    return arguments.job(out, rms_norm(x.values, weight.values, EPSILON), (p.m,))


def gluon_gathered(kernel, p, rng, *, element):
    """D = A[indices] B^T."""
    driver = kernel.driver
    a = Operand.random(driver, element, p.m, p.k, rng)
    b = Operand.random(driver, element, p.n, p.k, rng)
    rows = ceil(p.m / 128) * 128
    indices = rng.integers(0, p.m, rows).astype(np.int32)
    out = Output(driver, "bf16", p.m, p.n)
    arguments = TritonArguments(kernel)
    arguments.descriptor(a)
    arguments.descriptor(b)
    arguments.scalars(driver.upload(indices))
    arguments.descriptor(out)
    arguments.scalars(p.k)
    return arguments.job(out, product(a.values[indices[:p.m]], b.values), tiles(p, 128, 128))
