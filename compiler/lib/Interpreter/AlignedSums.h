//===- AlignedSums.h - Sums that keep few bits ------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Hopper's tensor core loses of a product of fp8. One wgmma takes 32
// elements of k and does this (13 = bits):
//
//   terms     the accumulator c, 2^e times a number in [1, 2), and 32 products,
//             2^(e of a + e of b) times a number in [1, 4). A subnormal number
//             has the exponent of the smallest normal one
//   aligned   each term is cut, towards zero, to a multiple of the grid
//             2^(largest exponent - 13)
//   added     exactly
//   stored    cut, towards zero, to 13 bits after the point
//
// A general bound for that is 33 * 2^-13 of the largest term, with each
// instruction. But most terms lose nothing: a product of two numbers of e4m3
// has 8 bits, and is a multiple of the grid as soon as its exponent is no more
// than 7 below the largest. The operands are known, so what each product may
// lose is known as well: |p| mod grid, if the grid is not finer than the
// hardware's. So for each element, instruction by instruction, with s the exact
// sum so far and d a bound for |c - s|:
//
//   grid      2^(largest exponent - 13), where c counts with |s| + d
//   products  sum of |p| mod grid. If an operand is off itself, a grid for each
//   c         0 if its exponent is the largest one, for it has 13 bits after
//             the point; else the grid, or all of it
//   stored    2^(exponent of |s| + d - 13), of the new s and d
//
// A coarser grid never has a smaller remainder, so overestimating the exponent
// of c is safe. A machine that has more bits inside and cuts only what it
// stores (the emulator) obeys it too; for its additions in f32 there is
// 32 * 2^-24 of the sum of magnitudes in addition.
//
// This is the largest error that instructions of 32 elements in ascending order
// of k can have. Kernels add the accumulator of each tile.mma to the program's
// in f32, so the error of a long sum is the sum of those of its K tiles.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_INTERPRETER_ALIGNEDSUMS_H
#define DRAWLOOM_LIB_INTERPRETER_ALIGNEDSUMS_H

#include "drawloom/Interpreter/Format.h"
#include <vector>

namespace drawloom::interp {

/// An operand of a matrix product, a row for each row or column of the result.
struct ProductOperand {
  Format format;
  std::vector<double> values;
  /// How far each is off on the hardware; empty if all are exact.
  std::vector<double> offs;
};

/// For each element of the product of a (m by k) and b (n by k), how far the
/// accumulator of the instructions above may be from the exact sum of what they
/// are given. `spread` says how far that itself is from the sum of a * b.
std::vector<double> boundAlignedSums(const ProductOperand &a,
                                     const ProductOperand &b,
                                     const std::vector<double> &spread,
                                     int64_t m, int64_t n, int64_t k,
                                     unsigned bits);

} // namespace drawloom::interp

#endif // DRAWLOOM_LIB_INTERPRETER_ALIGNEDSUMS_H
