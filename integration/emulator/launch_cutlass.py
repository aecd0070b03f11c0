# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of CUTLASS's kernels: one structure, which CUTLASS's host code fills in
(hosts/cutlass.cuh). D = f(alpha A B^T + beta C), all of it packed."""

import numpy as np
from elements import Expected, Matrix, Scaled, gelu, product
from hosts import cutlass_parameters
from launches import TANH, Job, Output, Problem

ALPHA, BETA = 0.75, 0.5


class Packed:
    """C and D of a problem. D's rows have no padding."""

    def __init__(self, driver, p, rng):
        self.c = Matrix.random("bf16", (p.m, p.n), rng)
        self.out = Output(driver, "bf16", p.m, p.n)
        self.out.initial = np.ascontiguousarray(self.out.initial[:, :p.n])
        self.addresses = driver.upload(self.c.raw), self.out.address

    def expect(self, sums: Expected) -> Expected:
        scaled = Expected(ALPHA * sums.values, ALPHA * sums.bound)
        return scaled.plus(np.zeros(())).plus(BETA * self.c.values)

    def job(self, kernel, expected: Expected, row=None, **fields) -> Job:
        shape, parameters, workspace = cutlass_parameters(
            kernel.name, kernel.driver, row, alpha=ALPHA, beta=BETA, **fields)
        return Job(kernel.driver, kernel.function, shape.grid, shape.block, shape.cluster,
                   shape.shared, parameters, self.out.address, self.out.element,
                   self.out.initial, expected.rounded(self.out.element), workspace)


def random_pair(element, p, rng) -> tuple[Matrix, Matrix]:
    return tuple(Matrix.random(element, (rows, p.k), rng) for rows in (p.m, p.n))


def cutlass_gemm(kernel, p, rng, *, element, bias=False, activation=False, splits=1, row=None):
    """`splits` CTAs at most share a tile (stream-K). `row` is that of a kernel that
    isn't in the table of `peers`."""
    driver = kernel.driver
    a, b = random_pair(element, p, rng)
    packed = Packed(driver, p, rng)
    column = Matrix.random("bf16", (1, p.n), rng)
    expected = packed.expect(product(a.values, b.values, kernel.hopper and element == "fp8"))
    if bias:
        expected = expected.plus(column.values)
    if splits > 1:
        # Parts of a sum are added in f32.
        magnitude = np.abs(a.values) @ np.abs(b.values).T
        expected = Expected(expected.values, expected.bound + splits * 2.0**-24 * magnitude)
    if activation:
        expected = gelu(expected, TANH)
    c, d = packed.addresses
    job = packed.job(kernel, expected, row, m=p.m, n=p.n, k=p.k, a=driver.upload(a.raw),
                     b=driver.upload(b.raw), c=c, d=d, bias=driver.upload(column.raw))
    if splits > 1 and not job.workspace[1]:
        raise RuntimeError(f"{kernel.name} shares no tile of {p}")
    return job


def cutlass_scaled(kernel, p, rng, *, element, row=None):
    """A and B with scales."""
    driver = kernel.driver
    a, b = (Scaled.random(element, size, p.k, rng) for size in (p.m, p.n))
    packed = Packed(driver, p, rng)
    c, d = packed.addresses
    return packed.job(kernel, packed.expect(product(a.values, b.values)), row,
                      m=p.m, n=p.n, k=p.k, a=driver.upload(a.raw), b=driver.upload(b.raw),
                      c=c, d=d, a_scales=driver.upload(a.scales),
                      b_scales=driver.upload(b.scales))


def cutlass_grouped(kernel, p, rng, *, element):
    """Three problems with one N, whose C and D lie one below the other."""
    driver = kernel.driver
    problems = [Problem(p.m // 2, p.n, p.k), Problem(p.m, p.n, p.k // 2), p]
    rows = np.cumsum([0, *(q.m for q in problems)])
    packed = Packed(driver, Problem(rows[-1], p.n, p.k), rng)
    pairs = [random_pair(element, q, rng) for q in problems]
    parts = [product(a.values, b.values) for a, b in pairs]
    sums = Expected(np.concatenate([part.values for part in parts]),
                    np.concatenate([part.bound for part in parts]))
    starts = rows[:-1, None] * p.n * packed.out.element.size
    arrays = np.hstack([[[driver.upload(matrix.raw) for matrix in pair] for pair in pairs],
                        starts + packed.addresses]).astype(np.uint64)
    sizes = np.array([(q.m, q.n, q.k) for q in problems], np.int32)
    return packed.job(kernel, packed.expect(sums), groups=len(problems),
                      sizes=driver.upload(sizes),
                      depths=driver.upload(sizes[:, 2].astype(np.int64)),
                      widths=driver.upload(sizes[:, 1].astype(np.int64)),
                      **{name: driver.upload(array) for name, array in zip("abcd", arrays.T)})
