# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of TileLang's kernels. Parameters are in the order of their names, each a
tensor map or a pointer as the kernel takes it. Sizes are fixed in the kernel, and
matrices are packed. A box is a tile's rows by 128 bytes, swizzled."""

from math import ceil

import numpy as np
from elements import Expected, Scaled, attention, product
from launches import SWIZZLE_128, Operand, Output, map_2d, operands, tiles


def _parameter(kernel, index, tensor, element, rows: int) -> bytes | int:
    """A map if the kernel takes one there."""
    if kernel.driver.parameters(kernel.function)[index][1] == 8:
        return tensor.address
    return map_2d(kernel.driver, tensor, element, *tensor.shape, (rows, 128 // element.size),
                  SWIZZLE_128)


def tilelang_gemm(kernel, p, rng, *, element, tile=(128, 128), pair=1, rows_first=False,
                  bias=False):
    """The grid is columns by rows of tiles, or the other way round. With `bias`,
    D = max(A B^T + bias, 0)."""
    a, b, expected = operands(kernel, element, p, rng)
    out = Output(kernel.driver, "bf16", p.m, p.n)
    kind = a.matrix.element
    values = [_parameter(kernel, 0, a, kind, tile[0] // pair),
              _parameter(kernel, 1, b, kind, tile[1] // pair)]
    if bias:
        row = Operand.random(kernel.driver, "fp32", 1, p.n, rng)
        values.append(row.address)
        expected = expected.plus(row.values)
        expected = Expected(np.maximum(expected.values, 0), expected.bound)
    values.append(_parameter(kernel, len(values), out, out.element, tile[0] // pair))
    rows, columns = tiles(p, *tile)
    grid = (rows * pair, columns) if rows_first else (columns, rows)
    return kernel.job(out, expected, grid, kernel.pack(values), kernel.most_shared,
                      (pair, 1, 1))


def tilelang_mxfp8(kernel, p, rng, *, element):
    """Scales are words of four along K, with the rows of the matrix innermost."""
    driver = kernel.driver
    a, b = (Scaled.random(element, size, p.k, rng) for size in (p.m, p.n))
    out = Output(driver, "bf16", p.m, p.n)

    def load(matrix):
        return driver.tensor_map("u8", driver.upload(matrix.raw), (p.k, len(matrix.raw)),
                                 (p.k,), (128, 128), SWIZZLE_128)

    def words(matrix):
        blocks, pieces, _ = matrix.scales.shape
        plain = matrix.scales.reshape(blocks, pieces, 32, 4, 4).transpose(1, 0, 3, 2, 4)
        return driver.upload(plain)

    values = [load(a), load(b), _parameter(kernel, 2, out, out.element, 128), words(a), words(b)]
    rows, columns = tiles(p, 128, 128)
    return kernel.job(out, product(a.values, b.values), (columns, rows), kernel.pack(values),
                      kernel.most_shared)


def tilelang_attention(kernel, p, rng, *, element, queries, causal):
    """p.n heads of p.m rows and p.k columns; blocks of 64 keys."""
    driver = kernel.driver
    q, k, v = (Operand.random(driver, element, p.n * p.m, p.k, rng) for _ in range(3))
    out = Output(driver, element, p.n * p.m, p.k)

    def load(tensor, rows):
        return driver.tensor_map(element, tensor.address, (p.k, p.m, p.n),
                                 (2 * p.k, 2 * p.k * p.m), (64, rows, 1), SWIZZLE_128)

    heads = [attention(*(t.values[i * p.m:(i + 1) * p.m] for t in (q, k, v)), p.k**-0.5, causal,
                       ceil(p.m / 64), out.element.bits) for i in range(p.n)]
    expected = Expected(np.concatenate([head.values for head in heads]),
                        np.concatenate([head.bound for head in heads]))
    return kernel.job(out, expected, (ceil(p.m / queries), p.n),
                      kernel.pack([load(k, 64), out.address, load(q, queries), load(v, 64)]),
                      kernel.most_shared)
