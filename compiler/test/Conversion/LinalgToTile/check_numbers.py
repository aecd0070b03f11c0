# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts linalg functions to tile programs, runs them with the reference
interpreter and compares them with numpy.

    check_numbers.py --tools build/release/bin

Every program runs with static and with dynamic shapes, at sizes that are a
multiple of the tile, ragged, one and zero. The reference is numpy in float64.
No tolerance is chosen: `Near` carries, with every number of the reference, how
far the program's own rounding can be from it, and compare() admits the roundings
of what lies within that distance.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from function import TILE, Function
from near import Near, exact, product, rescaled

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Interpreter"))
from check_examples import FORMATS, U32, U64, compare, g, random, small_ints  # noqa: E402

FORMATS = FORMATS | {"i8": (lambda x: np.asarray(x, np.int8), lambda x: x.astype(np.float64))}
UBF16 = 2.0**-8


SILU = """%n = arith.negf {0} : f32
    %e = math.exp %n : f32
    %one = arith.constant 1.0 : f32
    %d = arith.addf %e, %one : f32
    %silu = arith.divf {0}, %d : f32"""


def silu(x):
    return x / ((-x).exp() + exact(np.ones(x.value.shape)))


# --- The cases ----------------------------------------------------------------
# A case writes its function, makes its inputs and returns them with the results
# that are expected: (function, results, inputs, [(Near, element type)]).

LAYOUTS = {"nn": ("m, k", "k, n"), "nt": ("m, k", "n, k"), "tn": ("k, m", "k, n"), "tt": ("k, m", "n, k")}


def make_matmul(f, r, layout, element="bf16", scale=1.0):
    dims = [index.upper().replace(",", "") for index in LAYOUTS[layout]]
    a, b = f.argument(dims[0], element), f.argument(dims[1], element)
    out = f.matmul(a, b, f.fill("M N", "f32", "0.0"), [*LAYOUTS[layout], "m, n"])
    stored = [random([f.sizes[d] for d in v[1]], element, r, scale) for v in (a, b)]
    ref = product(exact(stored[0] if layout[0] == "n" else stored[0].T),
                  exact(stored[1] if layout[1] == "n" else stored[1].T))
    return out, [(x, element) for x in stored], ref


def matmul(layout):
    def case(f, r):
        out, inputs, ref = make_matmul(f, r, layout)
        return [out], inputs, [(ref, "f32")]
    return case


def matmul_of_integers(f, r):
    """Every sum is exact, whatever its order: one value is admissible."""
    a, b = f.argument("M K", "bf16"), f.argument("K N", "bf16")
    out = f.named("linalg.matmul", [a, b], f.fill("M N", "f32", "0.0"))
    x, y = (small_ints([f.sizes[d] for d in v[1]], r) for v in (a, b))
    return [out], [(x, "bf16"), (y, "bf16")], [(exact(x @ y), "f32")]


def integers(f, r):
    a, b = f.argument("M K", "i8"), f.argument("K N", "i8")
    out = f.named("linalg.matmul", [a, b], f.fill("M N", "i32", "0"))
    x, y = (small_ints([f.sizes[d] for d in v[1]], r) for v in (a, b))
    return [out], [(x, "i8"), (y, "i8")], [(exact(x @ y), "i32")]


def batch(f, r):
    a, b = f.argument("B M K", "f16"), f.argument("B K N", "f16")
    out = f.named("linalg.batch_matmul", [a, b], f.fill("B M N", "f32", "0.0"))
    x, y = (random([f.sizes[d] for d in v[1]], "f16", r) for v in (a, b))
    return [out], [(x, "f16"), (y, "f16")], [(product(exact(x), exact(y)), "f32")]


def contract(f, r):
    """Two batch axes, two summed axes, and the result stored N by M."""
    a, b = f.argument("B K M C J", "bf16"), f.argument("C B N J K", "bf16")
    maps = ", ".join(f"affine_map<(b, c, m, n, j, k) -> ({m})>"
                     for m in ("b, k, m, c, j", "c, b, n, j, k", "b, c, n, m"))
    out = f.named("linalg.contract", [a, b], f.fill("B C N M", "f32", "0.0"), f"indexing_maps = [{maps}]")
    x, y = (random([f.sizes[d] for d in v[1]], "bf16", r) for v in (a, b))
    s = f.sizes
    left = x.transpose(0, 3, 4, 1, 2).reshape(s["B"], s["C"], s["J"] * s["K"], s["M"])
    right = y.transpose(1, 0, 2, 3, 4).reshape(s["B"], s["C"], s["N"], s["J"] * s["K"])
    # A K tile for each of J, so no more than J * K roundings.
    return [out], [(x, "bf16"), (y, "bf16")], [(product(exact(right), exact(left), tile=1), "f32")]


def accumulate(f, r):
    """The init is an argument: C + A * B."""
    a, b, c = f.argument("M K", "f16"), f.argument("K N", "f16"), f.argument("M N", "f32")
    out = f.named("linalg.matmul", [a, b], c)
    x, y, z = (random([f.sizes[d] for d in v[1]], v[2], r) for v in (a, b, c))
    return [out], [(x, "f16"), (y, "f16"), (z, "f32")], [(product(exact(x), exact(y), start=z), "f32")]


def gram(f, r):
    """A matrix times its own transpose: one argument along two axes."""
    a = f.argument("M K", "bf16")
    f.known["N"], f.sizes["N"] = f.known.get("M"), f.sizes["M"]
    out = f.matmul(a, a, f.fill("M N", "f32", "0.0"), ["m, k", "n, k", "m, n"])
    x = random([f.sizes[d] for d in a[1]], "bf16", r)
    return [out], [(x, "bf16")], [(product(exact(x), exact(x.T)), "f32")]


def epilogue(f, r):
    """A bias along the rows, one along the columns, an activation, a residual and
    a factor that is an argument."""
    acc, inputs, x = make_matmul(f, r, "nt", scale=0.5)
    row, column, residual = f.argument("N", "bf16"), f.argument("M", "f32"), f.argument("M N", "bf16")
    alpha = f.scalar("f32")
    out = f.generic("m n", [(acc, "m, n"), (row, "n"), (column, "m"), (residual, "m, n")],
                    (f.empty("M N", "bf16"), "m, n"), f"""%b = arith.extf %x1 : bf16 to f32
    %c = arith.addf %b, %x2 : f32
    %s = arith.mulf %c, {alpha} : f32
    %y = arith.addf %x0, %s : f32
    {SILU.format("%y")}
    %r = arith.extf %x3 : bf16 to f32
    %z = arith.addf %silu, %r : f32
    %t = arith.truncf %z : f32 to bf16""")
    m, n = f.sizes["M"], f.sizes["N"]
    b, c, res = random((n,), "bf16", r), random((m,), "f32", r), random((m, n), "bf16", r)
    alpha = 0.375
    s = (exact(b[None, :] + 0 * c[:, None]) + exact(0 * b[None, :] + c[:, None])) * exact(np.full((m, n), alpha))
    z = silu(x + s) + exact(res)
    return [out], [*inputs, (b, "bf16"), (c, "f32"), (res, "bf16"), alpha], [(z, "bf16")]


def swiglu(f, r):
    """Two products that share their left operand."""
    a, gate, up = f.argument("M K", "f16"), f.argument("K N", "f16"), f.argument("K N", "f16")
    x = f.named("linalg.matmul", [a, gate], f.fill("M N", "f32", "0.0"))
    y = f.named("linalg.matmul", [a, up], f.fill("M N", "f32", "0.0"))
    out = f.generic("m n", [(x, "m, n"), (y, "m, n")], (f.empty("M N", "f32"), "m, n"),
                    SILU.format("%x0") + "\n    %p = arith.mulf %silu, %x1 : f32")
    A, G, U = (random([f.sizes[d] for d in v[1]], "f16", r, 0.5) for v in (a, gate, up))
    ref = silu(product(exact(A), exact(G))) * product(exact(A), exact(U))
    return [out], [(A, "f16"), (G, "f16"), (U, "f16")], [(ref, "f32")]


def two_outputs(f, r):
    """A product, the sums of its rows and their maxima."""
    acc, inputs, x = make_matmul(f, r, "nt")
    rounded = f.generic("m n", [(acc, "m, n")], (f.empty("M N", "bf16"), "m, n"),
                        "%t = arith.truncf %x0 : f32 to bf16")
    sums = f.generic("m n", [(acc, "m, n")], (f.fill("M", "f32", "0.0"), "m"),
                     "%s = arith.addf %x0, %x1 : f32", reduced="n")
    maxima = f.generic("m n", [(acc, "m, n")], (f.fill("M", "f32", "0xFF800000"), "m"),
                       "%s = arith.maximumf %x1, %x0 : f32", reduced="n")
    return [rounded, sums, maxima], inputs, [(x, "bf16"), (x.sum(1, TILE["N"]), "f32"), (x.max(1), "f32")]


def rows(f, r):
    """Sum, maximum, minimum and product of a row of the same tensor: one load can
    pad in one way only."""
    x = f.argument("M N", "bf16")
    results = []
    for op, init in (("addf", "0.0"), ("maximumf", "0xFF800000"), ("minimumf", "0x7F800000"), ("mulf", "1.0")):
        results.append(f.generic("m n", [(x, "m, n")], (f.fill("M", "f32", init), "m"),
                                 f"%w = arith.extf %x0 : bf16 to f32\n    %s = arith.{op} %w, %x1 : f32",
                                 reduced="n"))
    X = random((f.sizes["M"], f.sizes["N"]), "bf16", r)
    # A product: one rounding for each tile and one for each that is multiplied,
    # as of a sum, but relative to the product itself.
    n = f.sizes["N"]
    products = np.prod(X, axis=1)
    tiles = -(-n // TILE["N"])
    error = (g(2 * tiles, U32) + 2 * g(n + 1, U64)) * np.abs(products)
    near = exact(X)
    return results, [(X, "bf16")], [(near.sum(1, TILE["N"]), "f32"), (near.max(1), "f32"), (near.min(1), "f32"),
                                    (Near(products, error), "f32")]


def exp_sum(f, r):
    """exp(0) is 1: zero padding is wrong after exp, for the sum and for the
    maximum of the negated."""
    x = f.argument("M N", "f32")
    sums = f.generic("m n", [(x, "m, n")], (f.fill("M", "f32", "0.0"), "m"),
                     "%e = math.exp %x0 : f32\n    %s = arith.addf %e, %x1 : f32", reduced="n")
    # All numbers are negative, so zero would win.
    maxima = f.generic("m n", [(x, "m, n")], (f.fill("M", "f32", "0xFF800000"), "m"),
                       "%e = math.exp %x0 : f32\n    %n = arith.negf %e : f32\n    %s = arith.maximumf %n, %x1 : f32",
                       reduced="n")
    X = random((f.sizes["M"], f.sizes["N"]), "f32", r)
    e = exact(X).exp()
    return [sums, maxima], [(X, "f32")], [(e.sum(1, TILE["N"]), "f32"), ((-e).max(1), "f32")]


def columns(f, r):
    """linalg.reduce along the first dimension, of a transposed tensor."""
    x = f.argument("N M", "f32")
    kind, out = f.type(*x[1:]), f.empty("M N", "f32")
    turned = (f.line(f"linalg.transpose ins({x[0]} : {kind}) outs({out[0]} : {f.type(*out[1:])}) permutation = [1, 0]"),
              *out[1:])
    init = f.fill("N", "f32", "0.0")
    result = (f.line(f"linalg.reduce {{ arith.addf }} ins({turned[0]} : {f.type(*turned[1:])}) "
                     f"outs({init[0]} : {f.type(*init[1:])}) dimensions = [0]"), *init[1:])
    X = random((f.sizes["N"], f.sizes["M"]), "f32", r)
    return [result], [(X, "f32")], [(exact(X).sum(1, TILE["M"]), "f32")]


def softmax(f, r):
    x = f.argument("M N", "f32")
    out, kind = f.empty("M N", "f32"), f.type(*x[1:])
    result = (f.line(f"linalg.softmax dimension(1) ins({x[0]} : {kind}) outs({out[0]} : {kind}) -> {kind}"), *x[1:])
    X = random((f.sizes["M"], f.sizes["N"]), "f32", r)
    near = exact(X)
    maximum, total, _ = rescaled(near, TILE["N"])
    return [result], [(X, "f32")], [((near - maximum[:, None]).exp() / total[:, None], "f32")]


def attention(element, masked):
    """One walk over the columns, with a maximum that grows. With a mask, a row may
    have nothing in its first tile, or nothing at all: then it is NaN, as by the
    formula, and so is its sum; without columns, both are 0."""
    u, least = {"bf16": (UBF16, 0), "f16": (2.0**-11, 2.0**-25)}[element]

    def case(f, r):
        q, k, v = f.argument("M K", element), f.argument("J K", element), f.argument("J N", element)
        s = f.matmul(q, k, f.fill("M J", "f32", "0.0"), ["m, k", "n, k", "m, n"])
        if masked:
            s = f.generic("m j", [(s, "m, j")], (f.empty("M J", "f32"), "m, j"), """%m = linalg.index 0 : index
    %j = linalg.index 1 : index
    %in = arith.cmpi sge, %j, %m : index
    %none = arith.constant 0xFF800000 : f32
    %s = arith.select %in, %x0, %none : f32""")
        largest = f.generic("m j", [(s, "m, j")], (f.fill("M", "f32", "0xFF800000"), "m"),
                            "%s = arith.maximumf %x1, %x0 : f32", reduced="j")
        e = f.generic("m j", [(s, "m, j"), (largest, "m")], (f.empty("M J", "f32"), "m, j"),
                      "%d = arith.subf %x0, %x1 : f32\n    %e = math.exp %d : f32")
        total = f.generic("m j", [(e, "m, j")], (f.fill("M", "f32", "0.0"), "m"),
                          "%s = arith.addf %x1, %x0 : f32", reduced="j")
        p = f.generic("m j", [(e, "m, j"), (total, "m")], (f.empty("M J", element), "m, j"),
                      f"%d = arith.divf %x0, %x1 : f32\n    %t = arith.truncf %d : f32 to {element}")
        out = f.named("linalg.matmul", [p, v], f.fill("M N", "f32", "0.0"))
        Q, K, V = (random([f.sizes[d] for d in x[1]], element, r) for x in (q, k, v))
        scores = product(exact(Q), exact(K.T))
        if masked:
            m, j = np.indices(scores.value.shape)
            scores = Near(np.where(j >= m, scores.value, -np.inf), np.where(j >= m, scores.error, 0))

        def weigh(p, columns):
            rounded = p.rounded(u)
            return product(Near(rounded.value, rounded.error + least), exact(V[columns]), tile=TILE["J"])
        _, sums, acc = rescaled(scores, TILE["J"], weigh)
        inputs, shape = [(Q, element), (K, element), (V, element)], (f.sizes["M"], f.sizes["N"])
        if not f.sizes["J"]:
            return [total, out], inputs, [(exact(np.zeros(shape[:1])), "f32"), (exact(np.zeros(shape)), "f32")]
        nan = np.isnan(sums.value)
        o = acc / Near(np.where(nan, 1, sums.value), sums.error)[:, None]
        return [total, out], inputs, [(sums, "f32"), (Near(np.where(nan[:, None], np.nan, o.value), o.error), "f32")]
    return case


def rmsnorm(f, r):
    """The mean divides by a size that only the caller knows."""
    x, weight = f.argument("M N", "bf16"), f.argument("N", "bf16")
    if f.dynamic:
        n = f.line(f"arith.index_cast {f.known['N']} : index to i32")
    else:
        n = f.line(f"arith.constant {f.sizes['N']} : i32")
    n = f.line(f"arith.sitofp {n} : i32 to f32")
    squares = f.generic("m n", [(x, "m, n")], (f.fill("M", "f32", "0.0"), "m"),
                        "%w = arith.extf %x0 : bf16 to f32\n    %q = arith.mulf %w, %w : f32\n"
                        "    %s = arith.addf %q, %x1 : f32", reduced="n")
    out = f.generic("m n", [(x, "m, n"), (squares, "m"), (weight, "n")], (f.empty("M N", "f32"), "m, n"),
                    f"""%mean = arith.divf %x1, {n} : f32
    %eps = arith.constant 1.0 : f32
    %safe = arith.addf %mean, %eps : f32
    %f = math.rsqrt %safe : f32
    %w = arith.extf %x0 : bf16 to f32
    %v = arith.extf %x2 : bf16 to f32
    %p = arith.mulf %w, %f : f32
    %q = arith.mulf %p, %v : f32""")
    m, n = f.sizes["M"], f.sizes["N"]
    X, W = random((m, n), "bf16", r), random((n,), "bf16", r)
    near = exact(X)
    factor = ((near * near).sum(1, TILE["N"]) / exact(np.full(m, float(n))) + exact(np.ones(m))).rsqrt()
    ref = near * factor[:, None] * exact(np.broadcast_to(W, (m, n)))
    return [out], [(X, "bf16"), (W, "bf16")], [(ref, "f32")]


def computed_operand(f, r):
    """The operands of a product are computed: exp(0) is 1 past the end of k."""
    a, b = f.argument("M K", "f32"), f.argument("K N", "bf16")
    e = f.generic("m k", [(a, "m, k")], (f.empty("M K", "bf16"), "m, k"),
                  "%e = math.exp %x0 : f32\n    %t = arith.truncf %e : f32 to bf16")
    d = f.generic("k n", [(b, "k, n")], (f.empty("K N", "bf16"), "k, n"),
                  "%one = arith.constant 1.0 : bf16\n    %s = arith.addf %x0, %one : bf16")
    out = f.named("linalg.matmul", [e, d], f.fill("M N", "f32", "0.0"))
    A = random([f.sizes[x] for x in a[1]], "f32", r)
    B = random([f.sizes[x] for x in b[1]], "bf16", r)
    left = exact(A).exp().rounded(UBF16)
    right = Near(B + 1).rounded(UBF16)
    return [out], [(A, "f32"), (B, "bf16")], [(product(left, right), "f32")]


def chained(f, r):
    """(A * B) * C with an activation between: the middle never leaves the item."""
    a, b, c = f.argument("M K", "bf16"), f.argument("J K", "bf16"), f.argument("J N", "bf16")
    s = f.matmul(a, b, f.fill("M J", "f32", "0.0"), ["m, k", "n, k", "m, n"])
    p = f.generic("m j", [(s, "m, j")], (f.empty("M J", "bf16"), "m, j"),
                  SILU.format("%x0") + "\n    %t = arith.truncf %silu : f32 to bf16")
    out = f.named("linalg.matmul", [p, c], f.fill("M N", "f32", "0.0"))
    A, B, C = (random([f.sizes[d] for d in v[1]], "bf16", r, 0.5) for v in (a, b, c))
    middle = silu(product(exact(A), exact(B.T))).rounded(UBF16)
    ref = product(middle, exact(C), tile=TILE["J"])
    return [out], [(A, "bf16"), (B, "bf16"), (C, "bf16")], [(ref, "f32")]


def elementwise(f, r):
    """Three dimensions, a broadcast, a constant tensor, arith on whole tensors."""
    x, y = f.argument("B M N", "f32"), f.argument("M", "f32")
    kind = f.type(*x[1:])
    out = f.empty("B M N", "f32")
    wide = (f.line(f"linalg.broadcast ins({y[0]} : {f.type(*y[1:])}) outs({out[0]} : {kind}) dimensions = [0, 2]"),
            *x[1:])
    total = (f.line(f"arith.addf {x[0]}, {wide[0]} : {kind}"), *x[1:])
    X = random([f.sizes[d] for d in x[1]], "f32", r)
    Y = random([f.sizes["M"]], "f32", r)
    return [total], [(X, "f32"), (Y, "f32")], [(exact(X) + exact(np.broadcast_to(Y[:, None], X.shape)), "f32")]


def positions(f, r):
    """A triangle, and a number of each row that another tensor chooses: both by
    the position of an element, past edges too."""
    x, label = f.argument("M N", "f32"), f.argument("M", "i32")
    triangle = f.generic("m n", [(x, "m, n")], (f.empty("M N", "f32"), "m, n"), """%m = linalg.index 0 : index
    %n = linalg.index 1 : index
    %below = arith.cmpi sge, %m, %n : index
    %sum = arith.addi %m, %n : index
    %i = arith.index_cast %sum : index to i32
    %f = arith.sitofp %i : i32 to f32
    %t = arith.select %below, %x0, %f : f32""")
    chosen = f.generic("m n", [(x, "m, n"), (label, "m")], (f.fill("M", "f32", "0.0"), "m"), """%n = linalg.index 1 : index
    %i = arith.index_cast %n : index to i32
    %is = arith.cmpi eq, %i, %x1 : i32
    %zero = arith.constant 0.0 : f32
    %c = arith.select %is, %x0, %zero : f32
    %s = arith.addf %c, %x2 : f32""", reduced="n")
    m, n = f.sizes["M"], f.sizes["N"]
    X = random((m, n), "f32", r)
    at = r.integers(0, n, m)
    row, column = np.indices((m, n))
    return [triangle, chosen], [(X, "f32"), (at, "i32")], [
        (exact(np.where(row >= column, X, row + column)), "f32"), (exact(X[np.arange(m), at]), "f32")]


def searches(f, r):
    """The largest number of a row and the first place where it is, and the
    smallest as an integer; a row without one that is better keeps what it began
    with."""
    x = f.argument("M N", "f32")
    results, kinds = [], (("f32", "f", "ogt", "0.0", "addf %u, %u : f32"),
                          ("i32", "i", "slt", "0", "fptosi %u : f32 to i32"))
    for element, letter, predicate, start, number in kinds:
        best, at = f.fill("M", element, start), f.fill("M", "i32", "-1")
        kind, index = f.type(*best[1:]), f.type(*at[1:])
        name = f.name()
        f.lines.append(f"""{name}:2 = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>,
      affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}}
      ins({x[0]} : {f.type(*x[1:])}) outs({best[0]}, {at[0]} : {kind}, {index}) {{
  ^bb0(%u: f32, %b: {element}, %i: i32):
    %v = arith.{number}
    %n = linalg.index 1 : index
    %k = arith.index_cast %n : index to i32
    %better = arith.cmp{letter} {predicate}, %v, %b : {element}
    %w = arith.select %better, %v, %b : {element}
    %j = arith.select %better, %k, %i : i32
    linalg.yield %w, %j : {element}, i32
  }} -> ({kind}, {index})""")
        results += [(f"{name}#0", *best[1:]), (f"{name}#1", *at[1:])]
    m, n = f.sizes["M"], f.sizes["N"]
    # Few different numbers, so that many are the largest.
    X = small_ints((m, n), r)
    X[::3] = -np.abs(X[::3])
    X[1::3] = np.abs(X[1::3])
    largest, smallest = np.maximum(2 * X.max(1), 0), np.minimum(X.min(1), 0)
    return results, [(X, "f32")], [
        (exact(largest), "f32"), (exact(np.where(largest > 0, X.argmax(1), -1)), "i32"),
        (exact(smallest), "i32"), (exact(np.where(smallest < 0, X.argmin(1), -1)), "i32")]


def numbers(f, r):
    """Numbers of tensors: one of a table, at an index that the body or the
    function says, and one that is all of its tensor."""
    f.sizes["T"] = 4
    x, table, scale = f.argument("M N", "f32"), f.argument("T", "f32"), f.argument("", "f32")
    at = f.line("arith.constant 2 : index")
    outside = f.line(f"tensor.extract {table[0]}[{at}] : {f.type(*table[1:])}")
    twice = f.line(f"arith.addf {outside}, {outside} : f32")
    out = f.generic("m n", [(x, "m, n"), (scale, "")], (f.empty("M N", "f32"), "m, n"), f"""%one = arith.constant 1 : index
    %last = arith.addi {at}, %one : index
    %inside = tensor.extract {table[0]}[%last] : {f.type(*table[1:])}
    %a = arith.mulf %x0, %x1 : f32
    %b = arith.addf %a, %inside : f32
    %c = arith.addf %b, {twice} : f32""")
    X, T, S = small_ints((f.sizes["M"], f.sizes["N"]), r), small_ints((4,), r), small_ints((1,), r)
    return [out], [(X, "f32"), (T, "f32"), (S, "f32")], [(exact(X * S + T[3] + 2 * T[2]), "f32")]


def halves(f, r):
    """Two parts of an argument, each with edges of its own: the sum of a part
    takes nothing of the other."""
    y = f.argument("M N", "f32")
    f.sizes["D"] = 2 * f.sizes["N"]
    x = f.argument("M D", "f32")
    m, n = (f.known["M"], f.known["N"]) if f.dynamic else (f.sizes["M"], f.sizes["N"])
    parts = [(f.line(f"tensor.extract_slice {x[0]}[0, {start}] [{m}, {n}] [1, 1] : {f.type(*x[1:])} to {f.type(*y[1:])}"),
              *y[1:]) for start in (0, n)]
    product = f.generic("m n", [(parts[0], "m, n"), (parts[1], "m, n")], (f.empty("M N", "f32"), "m, n"),
                        "%p = arith.mulf %x0, %x1 : f32")
    sums = f.generic("m n", [(parts[0], "m, n")], (f.fill("M", "f32", "0.0"), "m"),
                     "%s = arith.addf %x0, %x1 : f32", reduced="n")
    X = small_ints((f.sizes["M"], f.sizes["D"]), r)
    left, right = X[:, :f.sizes["N"]], X[:, f.sizes["N"]:]
    return [product, sums], [(left, "f32"), (X, "f32")], [(exact(left * right), "f32"), (exact(left.sum(1)), "f32")]


def short_sums(element):
    """Sums in f16 and bf16 are computed in f32 and rounded once."""
    def case(f, r):
        a, b, c = f.argument("M K", element), f.argument("K N", element), f.argument("M N", element)
        out = f.named("linalg.matmul", [a, b], c)
        A, B, C = (random([f.sizes[x] for x in v[1]], element, r) for v in (a, b, c))
        return [out], [(A, element), (B, element), (C, element)], [(product(exact(A), exact(B), start=C), element)]
    return case


# The name of a case, its function and the tile sizes that its schedule has.
MNK, MN = [TILE["M"], TILE["N"], TILE["K"]], [TILE["M"], TILE["N"]]
CASES = {
    **{f"matmul {layout}": (matmul(layout), MNK) for layout in LAYOUTS},
    "matmul of integers": (matmul_of_integers, MNK),
    "matmul of i8": (integers, MNK),
    "batch_matmul": (batch, MNK),
    "contract": (contract, [1, 1, TILE["N"], TILE["M"], 1, TILE["K"]]),
    "accumulate": (accumulate, MNK),
    "gram": (gram, MNK),
    "epilogue": (epilogue, MNK),
    "swiglu": (swiglu, MNK),
    "two outputs": (two_outputs, MNK),
    "rows": (rows, MN),
    "exp and sum": (exp_sum, MN),
    "columns": (columns, [TILE["N"], TILE["M"]]),
    "softmax": (softmax, MN),
    **{f"attention in {element}{', masked' * masked}": (attention(element, masked),
                                                        [TILE["M"], TILE["N"], TILE["J"], TILE["K"]])
       for element in ("bf16", "f16") for masked in (False, True)},
    "rmsnorm": (rmsnorm, MN),
    "computed operand": (computed_operand, MNK),
    "chained": (chained, [TILE["M"], TILE["N"], TILE["J"], TILE["K"]]),
    "elementwise": (elementwise, MN),
    "positions": (positions, MN),
    "searches": (searches, MN),
    "numbers": (numbers, MN),
    "halves": (halves, MN),
    **{f"sums in {element}": (short_sums(element), MNK) for element in ("f16", "bf16")},
}

SIZES = [
    dict(M=32, N=64, K=16, J=32, B=2, C=2),
    dict(M=37, N=75, K=21, J=19, B=3, C=2),
    dict(M=1, N=1, K=1, J=1, B=1, C=1),
    dict(M=17, N=33, K=0, J=5, B=2, C=1),
    dict(M=0, N=3, K=9, J=3, B=1, C=2),
    dict(M=5, N=7, K=9, J=0, B=1, C=2),
]
# Without elements a maximum or a mean has no value in the reference.
NOT_EMPTY = {"softmax": "N", "rmsnorm": "N", "positions": "N", "searches": "N",
             # Upstream has no slice at the start of nothing.
             "halves": "M"}


def run(tools, folder, text, inputs, results):
    source, kernel = folder / "f.mlir", folder / "f.tile.mlir"
    source.write_text(text)
    command = [tools / "drawloom-opt", source, "--convert-linalg-to-tile", "-o", kernel]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{text}\n{done.stderr}")
    command = [tools / "tile-interpret", kernel, "--shuffle=1"]
    for i, value in enumerate(inputs):
        if isinstance(value, tuple):
            np.save(folder / f"{i}.npy", np.ascontiguousarray(FORMATS[value[1]][0](value[0])))
            command.append(f"--arg={folder}/{i}.npy")
        else:
            command.append(f"--arg={value!r}")
    for i, (near, _) in enumerate(results):
        command.append("--arg=" + "x".join(map(str, near.value.shape)))
        command.append(f"--out={len(inputs) + i}={folder}/out{i}.npy")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{text}\n{kernel.read_text()}\n{done.stderr}")
    return [FORMATS[kind][1](np.load(folder / f"out{i}.npy")) for i, (_, kind) in enumerate(results)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tools", type=Path, required=True, help="the folder of the tools")
    parser.add_argument("--only", help="the name of one case")
    arguments = parser.parse_args()
    runs = elements = 0
    for number, (name, (case, tile)) in enumerate(CASES.items()):
        if arguments.only not in (None, name):
            continue
        for sizes in SIZES:
            if name in NOT_EMPTY and sizes[NOT_EMPTY[name]] == 0:
                continue
            for dynamic in (False, True):
                f = Function(dict(sizes), dynamic, tile)
                values, inputs, results = case(f, np.random.default_rng(number))
                title = f"{name}, {'dynamic' if dynamic else 'static'}, {sizes}"
                with tempfile.TemporaryDirectory() as folder:
                    found = run(arguments.tools, Path(folder), f.text(values), inputs, results)
                for i, (result, (near, kind)) in enumerate(zip(found, results)):
                    none = np.isnan(near.value)
                    if (np.isnan(result) != none).any():
                        sys.exit(f"{title}, result {i}: {np.isnan(result).sum()} elements are NaN, not {none.sum()}")
                    result, near = np.where(none, 0, result), Near(np.where(none, 0, near.value), np.where(none, 0, near.error))
                    if result.size:
                        compare(f"{title}, result {i}", result, near.value, near.error, kind)
                    elements += result.size
                runs += 1
    print(f"linalg: {runs} runs of {len(CASES)} functions agree with numpy, {elements} elements")


if __name__ == "__main__":
    main()
