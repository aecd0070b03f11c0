# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of a reference, with how far from them a program may be."""

import sys
from pathlib import Path

import numpy as np
from function import TILE

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Interpreter"))
from check_examples import U32, U64, g  # noqa: E402


class Near:
    """Numbers, and how far from them an f32 program may be. Each operation adds
    one rounding: an error of u times the magnitude of the computed number."""

    def __init__(self, value, error=0.0):
        self.value = np.asarray(value, np.float64)
        self.error = np.broadcast_to(np.asarray(error, np.float64), self.value.shape)

    def rounded(self, u=U32):
        return Near(self.value, self.error + u * (np.abs(self.value) + self.error))

    def __add__(self, other):
        return Near(self.value + other.value, self.error + other.error).rounded()

    def __sub__(self, other):
        return Near(self.value - other.value, self.error + other.error).rounded()

    def __mul__(self, other):
        error = (np.abs(self.value) * other.error + self.error * np.abs(other.value)
                 + self.error * other.error)
        return Near(self.value * other.value, error).rounded()

    def __truediv__(self, other):
        quotient = self.value / other.value
        room = np.abs(other.value) - other.error
        assert (room > 0).all(), "a divisor that may be zero"
        return Near(quotient, (self.error + np.abs(quotient) * other.error) / room).rounded()

    def __neg__(self):
        return Near(-self.value, self.error)

    def __getitem__(self, index):
        return Near(self.value[index], self.error[index])

    def exp(self):
        value = np.exp(self.value)
        return Near(value, value * np.expm1(self.error) + U64 * value).rounded()

    def rsqrt(self):
        value = 1 / np.sqrt(self.value)
        # The slope is at most that at the nearer end.
        nearest = self.value - self.error
        assert (nearest > 0).all(), "a root of what may not be positive"
        return Near(value, self.error / (2 * nearest**1.5)).rounded()

    def sum(self, axis, tile):
        """In tiles: an element is rounded with the sum of its tile, and once for
        each tile that is added. Sums of a tile are in float64, as numpy's."""
        n = self.value.shape[axis]
        magnitude = (np.abs(self.value) + self.error).sum(axis)
        rounding = g(-(-n // tile) + 1, U32) + 2 * g(n + 1, U64)
        return Near(self.value.sum(axis), self.error.sum(axis) + rounding * magnitude)

    def max(self, axis):
        return Near(self.value.max(axis, initial=-np.inf), self.error.max(axis, initial=0.0))

    def min(self, axis):
        return Near(self.value.min(axis, initial=np.inf), self.error.max(axis, initial=0.0))


def exact(value):
    return Near(value)


def product(a, b, tile=TILE["K"], start=None):
    """a @ b with tile.mma along k in steps of `tile`: products are exact, a step
    is summed in float64 and rounded once."""
    k = a.value.shape[-1]
    size_a, size_b = np.abs(a.value) + a.error, np.abs(b.value) + b.error
    error = size_a @ size_b - np.abs(a.value) @ np.abs(b.value)
    magnitude = size_a @ size_b
    value = a.value @ b.value
    if start is not None:
        value, magnitude = value + start, magnitude + np.abs(start)
    return Near(value, error + (g(-(-k // tile), U32) + 2 * g(k + 1, U64)) * magnitude)


LOG2E = float(np.float32(np.log2(np.e)))


def exp_difference(a, b):
    """exp(a - b) as 2^(a log2(e) - b log2(e)), which is exactly 0 where a is -infinity."""
    none = np.isneginf(a.value)
    a = Near(np.where(none, 0, a.value), np.where(none, 0, a.error))
    bits = a * exact(np.full(a.value.shape, LOG2E)) - b * exact(np.full(b.value.shape, LOG2E))
    # The constant is a rounded one.
    wrong = np.abs(bits.value) * U32
    e = Near(bits.value * np.log(2), (bits.error + wrong) * np.log(2)).exp()
    return Near(np.where(none, 0, e.value), np.where(none, 0, e.error))


def rescaled(scores, tile, weigh=None):
    """The maximum of rows, the sum of exp(score - maximum) and the product of
    weigh(that) with the rows of a matrix, in one walk: what was added up is
    rescaled for each tile. `weigh` gets the tile's numbers and where it is."""
    rows = scores.value.shape[0]
    maximum, total, product = Near(np.full(rows, -np.inf)), Near(np.zeros(rows)), None
    for start in range(0, scores.value.shape[1], tile):
        s = scores[:, start:start + tile]
        best = s.max(1)
        larger = np.maximum(maximum.value, best.value)
        new = Near(larger, np.maximum(maximum.error, best.error))
        base = Near(np.where(np.isneginf(larger), 0, larger), new.error)
        worth, p = exp_difference(maximum, base), exp_difference(s, base[:, None])
        total = total * worth + p.sum(1, tile)
        if weigh:
            part = weigh(p, slice(start, start + tile))
            product = part if product is None else (product * worth[:, None] + part).rounded()
        maximum = new
    nothing = np.isneginf(maximum.value)
    total = Near(np.where(nothing, np.nan, total.value), np.where(nothing, 0, total.error))
    return maximum, total, product
