# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of CuTe DSL's kernels: the MMA's own state, then a tensor map and i32
sizes for each operand, then the number of tiles."""

from math import ceil

import numpy as np
from elements import SCALED, Scaled, product, rms_norm
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


def cutedsl_scaled(kernel, p, rng, *, element, tile=(128, 128), pair=1):
    """Two MMAs' states, then a map and sizes of A, B, their scales and C. `tile` is that
    of an MMA, which `pair` CTAs share."""
    driver, form = kernel.driver, SCALED[element]
    a, b = (Scaled.random(element, size, p.k, rng) for size in (p.m, p.n))
    out = Output(driver, "bf16", p.m, p.n)
    # A slot is 128 bytes along K; four scales for each of 128 rows are a piece.
    depth = 128 * form.packed
    pieces = depth // form.vector // 4

    def load(matrix, rows):
        return [driver.tensor_map("fp4" if form.packed == 2 else "u8", driver.upload(matrix.raw),
                                  (p.k, len(matrix.raw)), (p.k // form.packed,), (depth, rows),
                                  SWIZZLE_128),
                np.array([len(matrix.raw), p.k], np.int32).tobytes()]

    def load_scales(matrix, sharers):
        """In pairs of bytes. CTAs that share a slot load a part of its pieces each."""
        blocks, along_k, size = matrix.scales.shape
        dims = [(along_k, size, pieces // sharers), (blocks, along_k * size, 1)]
        # CuTe orders them as they lie in a slot, where one piece has no order.
        if pieces == 1:
            dims.reverse()
        counts, strides, box = zip(*dims)
        return [driver.tensor_map("u16", driver.upload(matrix.scales), (size // 2, *counts),
                                  strides, (size // 2, *box), 0),
                np.array([len(matrix.raw), p.k], np.int32).tobytes()]

    store = [map_2d(driver, out, out.element, *out.shape, (128, 64), SWIZZLE_128),
             np.array(out.shape, np.int32).tobytes()]
    state = bytes(driver.parameters(kernel.function)[0][1])
    values = [state, state, *load(a, tile[0] // pair), *load(b, tile[1] // pair),
              *load_scales(a, 1), *load_scales(b, pair), *store]
    rows, columns = tiles(p, tile[0] // pair, tile[1])
    return kernel.job(out, product(a.values, b.values), (ceil(rows / pair) * pair, columns),
                      kernel.pack(values), driver.shared_limit, (pair, 1, 1))


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
