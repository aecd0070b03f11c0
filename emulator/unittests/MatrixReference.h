//===- MatrixReference.h - Matrix products, plainly -------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What matrix instructions are compared with. Elements are numbers in doubles
// beside the bits that they have; a layout puts those bits into an image of
// shared memory, element by element, the way the PTX ISA's canonical layouts
// say; a product is three loops. Nothing of the emulator is used.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_MATRIXREFERENCE_H
#define DRAWLOOM_EMULATOR_MATRIXREFERENCE_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace reference {

enum class Format { BF16, F16, TF32, E4M3, E5M2, E2M3, E3M2, E2M1, S8, U8 };

/// "bf16"
std::string nameOf(Format format);
/// Bits of an element in memory; 6 and 4 for the smallest.
unsigned bitsOf(Format format);
/// Bits that an element takes up in a matrix: 8 at least.
unsigned slotBits(Format format);
/// The number that the bits stand for; NaN and infinities too.
double decode(Format format, uint32_t bits);
/// Of an MMA.
inline unsigned kOf(Format format) { return 256 / slotBits(format); }

/// A matrix of `rows` rows and `k` columns.
struct Matrix {
  Format format;
  unsigned rows, k;
  std::vector<uint32_t> bits;
  std::vector<double> values;

  uint32_t bit(unsigned row, unsigned column) const {
    return bits[row * k + column];
  }
  double value(unsigned row, unsigned column) const {
    return values[row * k + column];
  }
};

/// A matrix of finite numbers of moderate size.
Matrix random(Format format, unsigned rows, unsigned k, std::mt19937 &engine);
/// A matrix with the given bits.
Matrix make(Format format, unsigned rows, unsigned k,
            const std::vector<uint32_t> &bits);

/// A matrix with two zeros (one, or two pairs) in each chunk of a row: all of
/// it, the elements that are stored, and the codes that say where they belong,
/// rows x (k / chunk).
struct SparseMatrix {
  Matrix all, stored;
  unsigned chunk;
  std::vector<unsigned> codes;

  unsigned code(unsigned row, unsigned chunkOfRow) const {
    return codes[row * (all.k / chunk) + chunkOfRow];
  }
};

/// A matrix whose elements take up `elementBits` and whose codes are some of
/// `valid`.
SparseMatrix randomSparse(Format format, unsigned elementBits, unsigned rows,
                          unsigned k, const std::vector<unsigned> &valid,
                          std::mt19937 &engine);

/// How a matrix lies in shared memory.
struct Layout {
  /// Bytes of the swizzle: 0, 32, 64, 128; 129 stands for 128 bytes with
  /// 32-byte atoms.
  unsigned swizzle = 128;
  bool transposed = false; ///< MN-major.
};

/// Where a matrix is, for a descriptor.
struct Placement {
  unsigned leading = 0, stride = 0;
  std::vector<unsigned> starts; ///< Of each step of the instruction's K.
};

/// Puts `matrix` into `image` from byte `base` on, a multiple of 128; the image
/// grows as needed. It is for shared memory from a multiple of 1024 on. An
/// instruction reads `stepK` elements of each row.
Placement place(const Matrix &matrix, const Layout &layout, unsigned base,
                std::vector<char> &image, unsigned stepK);
inline Placement place(const Matrix &matrix, const Layout &layout,
                       unsigned base, std::vector<char> &image) {
  return place(matrix, layout, base, image, kOf(matrix.format));
}

/// The descriptors of wgmma and tcgen05, with a start relative to the image.
uint64_t wgmmaDescriptor(const Placement &placement, const Layout &layout,
                         unsigned step);
uint64_t tcgen05Descriptor(const Placement &placement, const Layout &layout,
                           unsigned step);

/// An element of A B^T, and the sum of the absolute values of its terms.
struct Dot {
  double value, magnitude;
};
Dot dot(const Matrix &a, const Matrix &b, unsigned row, unsigned column);

/// The rounding of sums of `terms` numbers, in any order, in f32: each addition
/// is off by at most half a unit in the last place of a partial sum, and no
/// partial sum is larger than `magnitude`. Tiny numbers may be taken for 0.
double boundF32(unsigned terms, double magnitude);

/// Half-precision numbers, by their definition.
double fromHalf(uint16_t bits);
uint16_t toHalf(double value);

} // namespace reference

#endif // DRAWLOOM_EMULATOR_MATRIXREFERENCE_H
