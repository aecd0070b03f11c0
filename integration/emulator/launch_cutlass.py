# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of CUTLASS's kernels: one structure, which CUTLASS's host code fills in
(hosts/cutlass.cuh)."""

import numpy as np
from elements import ELEMENTS, Expected, Matrix, gelu, product
from hosts import cutlass_parameters
from launches import TANH, Job, Output


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
