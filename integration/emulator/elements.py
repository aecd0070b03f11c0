# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types that numpy lacks, and how far a kernel may be off.

A matrix is kept as the bits that the kernel sees, beside their values in f64.

The bound. A product of two bf16, f16 or fp8 numbers is exact in f32. A dot product
of K of them is a sum of K terms in some order that nobody promises, and each
addition may round or truncate, so it loses at most 2^(1-p) of its result with p
significant bits; to first order the sum is off by at most

    K * 2^(1-p) * sum |a_i * b_i|

(Higham, Accuracy and Stability of Numerical Algorithms, section 3.1), p = 24 for
f32. Hopper's tensor cores keep 14 bits when they add up fp8 products (DeepSeek-V3's
report, section 3.3.2), once for each instruction, which takes 32 of K: such a sum
may lose K / 32 * 2^-13 of sum |a_i * b_i| more. What the epilogue does in f32 adds a few roundings of 2^-24 each, and the
result is rounded once to the type of D. Nothing is tuned.
"""

from dataclasses import dataclass

import numpy as np


def _fp8_values() -> np.ndarray:
    """The 256 values of e4m3: bias 7, no infinity, all ones is NaN."""
    codes = np.arange(256)
    sign = np.where(codes & 0x80, -1.0, 1.0)
    exponent, mantissa = codes >> 3 & 15, codes & 7
    values = np.where(exponent == 0, mantissa / 8 * 2.0**-6,
                      (1 + mantissa / 8) * 2.0**(exponent - 7.0))
    return np.where(codes & 0x7f == 0x7f, np.nan, sign * values)


FP8 = _fp8_values()


@dataclass(frozen=True)
class Element:
    """A type: its storage in numpy, its significant bits, its smallest number."""

    name: str
    storage: type
    bits: int  # of significance
    tiny: float  # the distance between subnormals

    @property
    def size(self) -> int:
        return np.dtype(self.storage).itemsize

    def decode(self, raw: np.ndarray) -> np.ndarray:
        if self.name == "bf16":
            return (raw.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        if self.name == "fp8":
            return FP8[raw]
        return raw.astype(np.float64)

    def encode(self, values: np.ndarray) -> np.ndarray:
        """The nearest number of this type, ties to even."""
        if self.name == "bf16":
            bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
            return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)
        if self.name == "fp8":
            order = np.argsort(FP8[:127])
            positive = FP8[:127][order]
            middles = (positive[1:] + positive[:-1]) / 2
            codes = order[np.searchsorted(middles, np.abs(values))]
            return (codes | np.where(np.signbit(values), 0x80, 0)).astype(np.uint8)
        return values.astype(self.storage)

    def rounding(self, values: np.ndarray) -> np.ndarray:
        """What rounding to this type may change."""
        return np.abs(values) * 2.0**-self.bits + self.tiny / 2


ELEMENTS = {
    "bf16": Element("bf16", np.uint16, 8, 2.0**-133),
    "fp16": Element("fp16", np.float16, 11, 2.0**-24),
    "fp32": Element("fp32", np.float32, 24, 2.0**-149),
    "fp8": Element("fp8", np.uint8, 4, 2.0**-9),
    "i8": Element("i8", np.int8, 8, 1.0),
}


@dataclass(frozen=True)
class Matrix:
    """Bits and values. `random` draws values that the type has."""

    element: Element
    raw: np.ndarray
    values: np.ndarray

    @staticmethod
    def random(name: str, shape, rng) -> "Matrix":
        element = ELEMENTS[name]
        if name == "i8":
            drawn = rng.integers(-127, 128, shape)
        else:
            drawn = rng.uniform(-1, 1, shape)
        raw = element.encode(drawn)
        return Matrix(element, raw, element.decode(raw))


@dataclass(frozen=True)
class Expected:
    """A result and how far from it a right kernel may be."""

    values: np.ndarray
    bound: np.ndarray

    def plus(self, other: np.ndarray) -> "Expected":
        """An addition in f32 of exact values."""
        values = self.values + other
        return Expected(values, self.bound + (np.abs(values) + self.bound) * 2.0**-24)

    def rounded(self, element: Element) -> "Expected":
        return Expected(self.values,
                        self.bound + element.rounding(np.abs(self.values) + self.bound))


def product(a: np.ndarray, b: np.ndarray, hopper_fp8: bool = False) -> Expected:
    """A times B^T."""
    terms = a.shape[1]
    loss = terms * 2.0**-23
    if hopper_fp8:
        loss += np.ceil(terms / 32) * 2.0**-13
    return Expected(a @ b.T, loss * (np.abs(a) @ np.abs(b).T))


def gelu(x: Expected, approximation: float) -> Expected:
    """GELU in its tanh form, whose tanh or sigmoid has that relative error. Its
    slope is at most 1.13, and it takes fewer than 16 operations in f32, each
    rounding something no larger than x or the argument of tanh times x."""
    inner = np.sqrt(2 / np.pi) * (x.values + 0.044715 * x.values**3)
    values = 0.5 * x.values * (1 + np.tanh(inner))
    rounding = 16 * 2.0**-24 * np.abs(x.values) * (1 + np.abs(inner))
    return Expected(values, 1.13 * x.bound + rounding + approximation * np.abs(x.values))
