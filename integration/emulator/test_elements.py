# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of what the comparison rests on: encodings, and a bound that sees errors."""

import unittest

import numpy as np
from elements import ELEMENTS, Matrix, gelu, product


class Encodings(unittest.TestCase):
    def test_bf16_rounds_to_even(self):
        bf16 = ELEMENTS["bf16"]
        # One, and numbers between it and the next one, which is 1 + 2^-7.
        values = np.array([1, 1 + 2**-9, 1 + 2**-8, 1 + 3 * 2**-9, 1 + 3 * 2**-8], np.float32)
        self.assertEqual([hex(x) for x in bf16.encode(values)],
                         ["0x3f80", "0x3f80", "0x3f80", "0x3f81", "0x3f82"])

    def test_fp8_values(self):
        fp8 = ELEMENTS["fp8"]
        for code, value in ((0x00, 0.0), (0x01, 2.0**-9), (0x38, 1.0), (0x39, 1.125),
                            (0x7e, 448.0), (0xb8, -1.0)):
            self.assertEqual(fp8.decode(np.array([code], np.uint8))[0], value)

    def test_every_number_comes_back(self):
        for name, codes in (("bf16", np.arange(0x7f80, dtype=np.uint16)),
                            ("fp8", np.arange(0x7f, dtype=np.uint8)),
                            ("fp16", np.arange(0x7c00, dtype=np.uint16).view(np.float16))):
            element = ELEMENTS[name]
            back = element.encode(element.decode(codes).astype(np.float32))
            self.assertTrue(np.array_equal(back, codes), name)


class Bounds(unittest.TestCase):
    def share(self, expected, result):
        return (np.abs(result - expected.values) / expected.bound).max()

    def setUp(self):
        rng = np.random.default_rng(3)
        self.a = Matrix.random("bf16", (64, 256), rng).values
        self.b = Matrix.random("bf16", (64, 256), rng).values

    def test_f32_sums_are_within(self):
        total = np.zeros((64, 64), np.float32)
        for k in range(256):
            total += np.outer(self.a[:, k], self.b[:, k]).astype(np.float32)
        self.assertLess(self.share(product(self.a, self.b), total.astype(np.float64)), 1)

    def test_a_missing_term_is_beyond(self):
        for drop in (0, 100, 255):
            a = self.a.copy()
            a[:, drop] = 0
            expected = product(self.a, self.b).rounded(ELEMENTS["bf16"])
            self.assertGreater(self.share(expected, a @ self.b.T), 1)

    def test_swapped_columns_are_beyond(self):
        swapped = (self.a @ self.b.T)[:, np.r_[1, 0, 2:64]]
        self.assertGreater(self.share(product(self.a, self.b).rounded(ELEMENTS["bf16"]),
                                      swapped), 1)

    def test_fp8_sums_of_fewer_bits(self):
        exact, reduced = product(self.a, self.b), product(self.a, self.b, True)
        self.assertTrue((reduced.bound > exact.bound).all())

    def test_gelu(self):
        x = product(self.a, self.b)
        once = gelu(x, 2.0**-11)
        self.assertLess(self.share(once, once.values * (1 + 2.0**-13)), 1)
        self.assertGreater(self.share(once, np.maximum(x.values, 0)), 1)


if __name__ == "__main__":
    unittest.main()
