# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A reference in float64 that knows how far a kernel in float32 may be off.

A value carries a bound. Each operation adds what its operands' bounds become and
what the hardware may lose in it: an addition or a product rounds once, 2^-24 of the
result; a sum of n terms in an unspecified order loses at most n 2^-23 of
the sum of their magnitudes (Higham, Accuracy and Stability of Numerical
Algorithms, section 3.1; tensor cores may truncate instead of rounding); the
approximations of exp2, log2, division, sqrt and rsqrt lose 2^-22, as the PTX ISA
says, and 2^-20 stands for functions that are made of several of them. Nothing is
tuned.
"""
import numpy as np

ROUND = 2.0**-24
APPROXIMATE = 2.0**-22
COMPOSED = 2.0**-20
# Significant bits and the distance between subnormals.
TYPES = {"bf16": (8, 2.0**-133), "fp16": (11, 2.0**-24), "fp32": (24, 2.0**-149),
         "fp8": (4, 2.0**-9)}


class Bounded:

    def __init__(self, values, bound=0.0):
        self.values = np.asarray(values, np.float64)
        self.bound = np.broadcast_to(np.asarray(bound, np.float64),
                                     self.values.shape)

    def _after(self, values, bound, loss=ROUND):
        return Bounded(values, bound + loss * (np.abs(values) + bound))

    def __add__(self, other):
        other = exact(other)
        return self._after(self.values + other.values, self.bound + other.bound)

    def __sub__(self, other):
        other = exact(other)
        return self._after(self.values - other.values, self.bound + other.bound)

    def __mul__(self, other):
        other = exact(other)
        bound = (np.abs(self.values) * other.bound +
                 np.abs(other.values) * self.bound + self.bound * other.bound)
        return self._after(self.values * other.values, bound)

    def __truediv__(self, other):
        other = exact(other)
        values = self.values / other.values
        bound = ((self.bound + np.abs(values) * other.bound) /
                 (np.abs(other.values) - other.bound))
        return self._after(values, bound, APPROXIMATE)

    __radd__ = __add__
    __rmul__ = __mul__

    def __getitem__(self, index):
        return Bounded(self.values[index], self.bound[index])

    def function(self, function, slope, loss=COMPOSED):
        """`slope` is the largest slope near the values."""
        return self._after(function(self.values), slope * self.bound, loss)

    def exp(self):
        """exp2 of a product with log2(e), which is rounded, too."""
        values = np.exp(self.values)
        error = np.expm1(self.bound + 3 * ROUND * np.abs(self.values))
        return self._after(values, values * error, APPROXIMATE)

    def log(self):
        values = np.log(self.values)
        # log2.approx has an absolute error near 1.
        return self._after(values, self.bound / (self.values - self.bound) +
                           APPROXIMATE, 3 * ROUND)

    def sqrt(self):
        values = np.sqrt(self.values)
        return self._after(values, self.bound / np.maximum(values, 1e-30),
                           APPROXIMATE)

    def rsqrt(self):
        values = 1 / np.sqrt(self.values)
        return self._after(values, 0.5 * self.bound * values /
                           (self.values - self.bound), APPROXIMATE)

    def sigmoid(self):
        values = 1 / (1 + np.exp(-self.values))
        return self._after(values, 0.25 * self.bound, COMPOSED)

    def sum(self, axis=None, keepdims=False):
        count = self.values.size if axis is None else self.values.shape[axis]
        size = np.sum(np.abs(self.values) + self.bound, axis, keepdims=keepdims)
        return Bounded(np.sum(self.values, axis, keepdims=keepdims),
                       np.sum(self.bound, axis, keepdims=keepdims) +
                       count * 2 * ROUND * size)

    def max(self, axis, keepdims=False):
        return Bounded(np.max(self.values, axis, keepdims=keepdims),
                       np.max(self.bound, axis, keepdims=keepdims))

    def dot(self, other):
        other = exact(other)
        size = ((np.abs(self.values) + self.bound)
                @ (np.abs(other.values) + other.bound))
        bound = (self.bound @ np.abs(other.values) +
                 np.abs(self.values) @ other.bound + self.bound @ other.bound)
        return Bounded(self.values @ other.values,
                       bound + self.values.shape[-1] * 2 * ROUND * size)

    def rounded(self, name):
        bits, tiny = TYPES[name]
        return Bounded(self.values, self.bound + tiny / 2 +
                       2.0**-bits * (np.abs(self.values) + self.bound))

    def where(self, mask, other):
        other = exact(other)
        return Bounded(np.where(mask, self.values, other.values),
                       np.where(mask, self.bound, other.bound))


def exact(values):
    return values if isinstance(values, Bounded) else Bounded(values)


def softmax(x, inside=True):
    """Along the last axis, over the elements that are inside."""
    top = x.where(inside, -np.inf).max(-1, keepdims=True)
    weights = (x - top).exp().where(inside, 0)
    return weights / weights.sum(-1, keepdims=True)
