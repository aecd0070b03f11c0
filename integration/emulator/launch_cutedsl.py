# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of CuTe DSL's kernels: the MMA's own state, then a tensor map and i32
sizes for each operand, then the number of tiles."""

from math import ceil

import numpy as np
from elements import rms_norm
from launches import EPSILON, SWIZZLE_128, Operand, Output, map_2d, operands, tiles


def cutedsl_gemm(kernel, p, rng, *, element, result="bf16", tile=(128, 128),
                 cluster=(1, 1), pair=1, splits=1, stride=False, direct=False):
    """`tile` is that of an MMA, which `pair` CTAs share; `cluster` counts CTAs."""
    driver = kernel.driver
    a, b, expected = operands(kernel, element, p, rng)
    out = Output(driver, result, p.m, p.n, zero=splits > 1)
    size, out_size = a.matrix.element.size, out.element.size

    # CTAs that share an operand load a part of its tile each; those of a pair share
    # both. A part of C is 128 bytes wide.
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
    cta_tile = (tile[0] // pair, tile[1])
    counts = [ceil(count / along) * along
              for count, along in zip(tiles(p, *cta_tile), cluster)]
    values = [bytes(driver.parameters(kernel.function)[0][1]), *load(a, cta_tile[0], cluster[1]),
              *load(b, tile[1], cluster[0]), *store, *counts]
    # One cluster takes every tile in turn, or each CTA has its own.
    grid = (*cluster, 1) if stride else (*counts, splits)
    if splits > 1:
        expected = expected.plus(np.zeros(()))
    return kernel.job(out, expected, grid, kernel.pack(values), driver.shared_limit,
                      (*cluster, 1))


def cutedsl_rms_norm(kernel, p, rng, *, element):
    """Tensors are an address, i32 sizes and i64 strides but for those that are one."""
    driver = kernel.driver
    x = Operand.random(driver, element, p.m, p.n, rng)
    weight = Operand.random(driver, element, 1, p.n, rng)
    out = Output(driver, element, p.m, p.n)

    def tensor(address, sizes, strides):
        return (np.uint64(address).tobytes() + np.array(sizes, np.int32).tobytes()
                + np.array(strides, np.int64).tobytes())

    row = np.uint64(weight.address).tobytes() + np.array([p.n, 0], np.int32).tobytes()
    values = [tensor(x.address, x.shape, [x.pitch]), row,
              tensor(out.address, out.shape, [out.pitch]), EPSILON]
    return kernel.job(out, rms_norm(x.values, weight.values, EPSILON), (p.m,),
                      kernel.pack(values), 1024)
