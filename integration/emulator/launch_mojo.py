# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of Mojo's kernels: A and B, as maps of a tile or as pointers, a pointer to
a packed C, then M, N and K."""

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
