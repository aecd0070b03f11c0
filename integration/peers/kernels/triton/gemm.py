# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix multiplications in Triton. B is stored as N x K throughout."""

import triton
import triton.language as tl


@triton.jit
def gelu(x):
    """GELU in its tanh form, written as a sigmoid: tanh(u) = 2 sigmoid(2u) - 1."""
    return x * tl.sigmoid(1.5957691216 * (x + 0.044715 * x * x * x))


@triton.jit
def tile_of(item, M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    """The tile of a work tile. Items go down GROUP rows of tiles before they
    move to the next column, so that neighbors share operands in L2."""
    rows = tl.cdiv(M, BM)
    per_group = GROUP * tl.cdiv(N, BN)
    first = item // per_group * GROUP
    height = tl.minimum(rows - first, GROUP)
    inside = item % per_group
    return first + inside % height, inside // height


@triton.jit
def pointer(a, b, d, M, N, K, lda, ldb, ldd,
            BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    """D = A B^T through pointers, with masks for any M, N and K."""
    tile_m, tile_n = tile_of(tl.program_id(0), M, N, BM, BN, GROUP)
    rows = tile_m * BM + tl.arange(0, BM)
    cols = tile_n * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        depth = k + ks
        x = tl.load(a + rows[:, None] * lda + depth[None, :],
                    mask=(rows[:, None] < M) & (depth[None, :] < K), other=0.0)
        y = tl.load(b + cols[None, :] * ldb + depth[:, None],
                    mask=(cols[None, :] < N) & (depth[:, None] < K), other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(d + rows[:, None] * ldd + cols[None, :], acc.to(d.dtype.element_ty),
             mask=(rows[:, None] < M) & (cols[None, :] < N))


@triton.jit
def split_k(a, b, d, M, N, K, lda, ldb, ldd,
            BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    """D += A B^T, each of SPLIT programs adding its share of K with atomics."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(tl.program_id(2) * BK, K, SPLIT * BK):
        depth = k + ks
        x = tl.load(a + rows[:, None] * lda + depth[None, :],
                    mask=(rows[:, None] < M) & (depth[None, :] < K), other=0.0)
        y = tl.load(b + cols[None, :] * ldb + depth[:, None],
                    mask=(cols[None, :] < N) & (depth[:, None] < K), other=0.0)
        acc = tl.dot(x, y, acc)
    tl.atomic_add(d + rows[:, None] * ldd + cols[None, :], acc, sem="relaxed",
                  mask=(rows[:, None] < M) & (cols[None, :] < N))


@triton.jit
def descriptor(a, b, bias, d, M, N, K,
               BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    """D = gelu(A B^T + bias), operands and result through tensor descriptors."""
    tile_m, tile_n = tile_of(tl.program_id(0), M, N, BM, BN, GROUP)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = a.load([tile_m * BM, k])
        y = b.load([tile_n * BN, k])
        acc = tl.dot(x, y.T, acc)
    cols = tile_n * BN + tl.arange(0, BN)
    acc += tl.load(bias + cols, mask=cols < N, other=0.0).to(tl.float32)[None, :]
    d.store([tile_m * BM, tile_n * BN], gelu(acc).to(d.dtype))


@triton.jit
def persistent(a, b, d, M, N, K,
               BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
               FLATTEN: tl.constexpr, SPECIALIZE: tl.constexpr):
    """D = A B^T; each program takes tiles until there are none. The two loops
    may be flattened into one, and the warps specialized."""
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    for item in tl.range(tl.program_id(0), tiles, tl.num_programs(0),
                         flatten=FLATTEN, warp_specialize=SPECIALIZE):
        tile_m, tile_n = tile_of(item, M, N, BM, BN, GROUP)
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            x = a.load([tile_m * BM, k])
            y = b.load([tile_n * BN, k])
            acc = tl.dot(x, y.T, acc)
        d.store([tile_m * BM, tile_n * BN], acc.to(d.dtype))


@triton.jit
def grouped(a_list, b_list, d_list, sizes, groups,
            BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A GEMM for each group. The lists hold addresses, and sizes the M, N and K
    of each group; the descriptors are made on the device."""
    item = tl.program_id(0)
    before = 0
    for group in range(groups):
        M = tl.load(sizes + 3 * group)
        N = tl.load(sizes + 3 * group + 1)
        K = tl.load(sizes + 3 * group + 2)
        columns = tl.cdiv(N, BN)
        tiles = tl.cdiv(M, BM) * columns
        if item < before + tiles:
            a = tl.make_tensor_descriptor(
                tl.load(a_list + group).to(tl.pointer_type(tl.bfloat16)),
                shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
            b = tl.make_tensor_descriptor(
                tl.load(b_list + group).to(tl.pointer_type(tl.bfloat16)),
                shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
            d = tl.make_tensor_descriptor(
                tl.load(d_list + group).to(tl.pointer_type(tl.bfloat16)),
                shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
            while item < before + tiles:
                tile_m = (item - before) // columns
                tile_n = (item - before) % columns
                acc = tl.zeros((BM, BN), tl.float32)
                for k in range(0, K, BK):
                    x = a.load([tile_m * BM, k])
                    y = b.load([tile_n * BN, k])
                    acc = tl.dot(x, y.T, acc)
                d.store([tile_m * BM, tile_n * BN], acc.to(tl.bfloat16))
                item += tl.num_programs(0)
        before += tiles
