# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of Mojo's kernels. Ours take A and B, as maps of a tile or as pointers, a
pointer to a packed C, then M, N and K. Those of Modular's library take maps of A, B
and C, and descriptions of tensors that they don't read."""

from math import ceil

import numpy as np
from launches import SWIZZLE_128, Output, map_2d, operands, tiles


def mojo_gemm(kernel, p, rng, *, element, threads):
    a, b, expected = operands(kernel, element, p, rng)
    out = Output(kernel.driver, "bf16", p.m, p.n)
    maps = [map_2d(kernel.driver, tensor, tensor.matrix.element, *tensor.shape, (128, 64),
                   SWIZZLE_128) for tensor in (a, b)]
    rows, columns = tiles(p, 128, 128)
    return kernel.job(out, expected, (columns, rows),
                      kernel.pack([*maps, out.address, p.m, p.n, p.k]),
                      kernel.most_shared, block=(threads, 1, 1))


def mojo_simt(kernel, p, rng, *, element):
    a, b, expected = operands(kernel, element, p, rng)
    out = Output(kernel.driver, element, p.m, p.n)
    rows, columns = tiles(p, 16, 16)
    return kernel.job(out, expected, (columns, rows),
                      kernel.pack([a.address, b.address, out.address, p.m, p.n, p.k]), 0,
                      block=(16, 16, 1))


def mojo_library(kernel, p, rng, *, element, threads):
    """Clusters of two CTAs, with tiles of 128 x 128 each. On Hopper they are along N;
    on Blackwell they are a pair along M, and maps count matrices, too."""
    driver = kernel.driver
    a, b, expected = operands(kernel, element, p, rng)
    out = Output(driver, element, p.m, p.n)

    def tensor_map(tensor, rows):
        size = out.element.size
        batch = () if kernel.hopper else (1,)
        pitch = tensor.pitch * size
        return driver.tensor_map(element, tensor.address, (*tensor.shape[::-1], *batch),
                                 (pitch, *(tensor.shape[0] * pitch for _ in batch)),
                                 (64, rows, *batch), SWIZZLE_128)

    values = [tensor_map(a, 128), tensor_map(b, 128 if kernel.hopper else 64),
              tensor_map(out, 128)]
    rows, columns = tiles(p, 128, 128)
    grid = (ceil(columns / 2) * 2, rows) if kernel.hopper else (ceil(rows / 2) * 2, columns)
    rest = [bytes(size) for _, size in driver.parameters(kernel.function)[len(values):]]
    if not kernel.hopper:
        # A map of an operand that this kernel lacks, a pointer, the cluster.
        rest[3] = np.array([p.m, p.n, p.k], np.int32).tobytes()
    return kernel.job(out, expected, grid, kernel.pack([*values, *rest]), kernel.most_shared,
                      (2, 1, 1), block=(threads, 1, 1))
