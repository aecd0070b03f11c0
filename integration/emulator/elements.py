# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types that numpy lacks, and how far a kernel may be off.

A matrix is kept as the bits that the kernel sees, beside their values in f64.

The bound. A product of two bf16, f16 or fp8 numbers is exact in f32. A dot product
of K of them is a sum of K terms in some unspecified order, and each
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


# The values of e2m1 by code; bit 3 is the sign.
FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
FP4 = np.concatenate([FP4, -FP4])

ELEMENTS = {
    "bf16": Element("bf16", np.uint16, 8, 2.0**-133),
    "fp16": Element("fp16", np.float16, 11, 2.0**-24),
    "fp32": Element("fp32", np.float32, 24, 2.0**-149),
    "fp8": Element("fp8", np.uint8, 4, 2.0**-9),
    "i8": Element("i8", np.int8, 8, 1.0),
    # In 32 bits, of which the operands of a tensor core have 11 significant ones.
    "tf32": Element("tf32", np.float32, 11, 2.0**-136),
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
        if name == "tf32":
            raw = (raw.view(np.uint32) & np.uint32(0xffffe000)).view(np.float32)
        return Matrix(element, raw, element.decode(raw))


@dataclass(frozen=True)
class Scaled:
    """A matrix of small numbers with a scale for each few of them along K. Scales are
    stored as tensor cores read them, in pieces of 128 rows by 4 scales: row r and
    scale s at byte r % 32 * 16 + r / 32 * 4 + s, pieces along K first."""

    raw: np.ndarray  # bytes; two e2m1 in each, the first in the lower half
    scales: np.ndarray  # 128-row blocks, pieces along K, 512 bytes
    values: np.ndarray  # scaled

    @staticmethod
    def random(name: str, rows: int, k: int, rng) -> "Scaled":
        count = k // SCALED[name].vector
        if SCALED[name].packed == 2:
            codes = rng.integers(0, 16, (rows, k))
            raw = (codes[:, ::2] | codes[:, 1::2] << 4).astype(np.uint8)
            values = FP4[codes]
        else:
            matrix = Matrix.random("fp8", (rows, k), rng)
            raw, values = matrix.raw, matrix.values
        if SCALED[name].scale == "e8m0":
            codes = rng.integers(124, 131, (rows, count)).astype(np.uint8)
            scales = 2.0**(codes.astype(np.float64) - 127)
        else:
            codes = ELEMENTS["fp8"].encode(rng.uniform(0.25, 2, (rows, count)))
            scales = FP8[codes]
        whole = np.zeros((-(-rows // 128) * 128, -(-count // 4) * 4), np.uint8)
        whole[:rows, :count] = codes
        blocks = whole.reshape(-1, 4, 32, whole.shape[1] // 4, 4).transpose(0, 3, 2, 1, 4)
        return Scaled(raw, np.ascontiguousarray(blocks.reshape(*blocks.shape[:2], 512)),
                      values * np.repeat(scales, SCALED[name].vector, axis=1))


@dataclass(frozen=True)
class ScaledFormat:
    vector: int  # elements for each scale
    scale: str
    packed: int  # elements in a byte


SCALED = {"mxfp8": ScaledFormat(32, "e8m0", 1), "mxfp4": ScaledFormat(32, "e8m0", 2),
          "nvfp4": ScaledFormat(16, "e4m3", 2)}


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


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, scale: float, causal: bool,
              blocks: int, bits: int) -> Expected:
    """softmax(scale Q K^T) V with a running maximum over `blocks` blocks, the
    probabilities rounded to so many bits for the second product.

    To first order. A score x in units of log2 is off by the error of its dot
    product, two roundings, and one when the maximum is subtracted. 2^x is then off
    by ln(2) times that and by ex2.approx's 2^-22 of itself. A term is scaled down
    once for each block, each time with another ex2.approx and a product. The sums
    have `length` terms, and the division is off by 2^-22. Numerator and denominator
    are off by such a share each, and the numerator by the rounding to `bits`.
    """
    length, dim = k.shape
    to_log2 = scale / np.log(2)
    x = to_log2 * (q @ k.T)
    if causal:
        x = np.where(np.tri(len(q), length, length - len(q), bool), x, -np.inf)
    finite = np.where(np.isinf(x), 0, x)
    largest = np.abs(finite).max(axis=1, keepdims=True)
    off = to_log2 * dim * 2.0**-23 * (np.abs(q) @ np.abs(k).T) + 2.0**-22 * largest
    share = np.log(2) * off + (blocks + 1) * 2.0**-21 + length * 2.0**-23 + 2.0**-22
    weights = np.exp2(x - x.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    values = weights @ v
    bound = ((weights * (share + 2.0**-bits)) @ np.abs(v)
             + np.abs(values) * (weights * share).sum(axis=1, keepdims=True))
    return Expected(values, bound)


def softmax(x: np.ndarray) -> Expected:
    """Of rows: exp as ex2.approx of a rounded product, a sum, a division."""
    values = np.exp(x - x.max(axis=1, keepdims=True))
    values /= values.sum(axis=1, keepdims=True)
    span = np.ptp(x, axis=1, keepdims=True)
    return Expected(values, values * 2 * (span * 2.0**-22 + 2.0**-21 + x.shape[1] * 2.0**-24))


def rms_norm(x: np.ndarray, weight: np.ndarray, eps: float) -> Expected:
    """Half of the relative error of the sum, rsqrt.approx's 2^-22, a few roundings."""
    values = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + eps) * weight
    return Expected(values, np.abs(values) * ((x.shape[1] + 16) * 2.0**-24 + 2.0**-22))
