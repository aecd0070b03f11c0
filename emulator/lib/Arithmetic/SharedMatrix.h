//===- SharedMatrix.h - Matrices in shared memory ---------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix descriptor says where the operand of a wgmma or tcgen05.mma lies.
// The matrix is made of pieces of 16 bytes: part of a row (K-major) or of a
// column (MN-major). Eight of them in the other direction make an atom, which
// repeats at the descriptor's two offsets. In bytes, from the start address on:
//
//                    piece of row r, number c       piece of column k, number c
//                    along K (K-major)              along M or N (MN-major)
//   not swizzled     16 (r%8) + S (r/8) + L c       16 (k%8) + L (k/8) + S c
//   w bytes wide     w (r%8) + S (r/8) + 16 c       w (k%8) + S (k/8)
//                                                     + 16 (c % w/16) + L (c /
//                                                     w/16)
//
// with L and S the leading and the stride byte offset. Then the swizzle: bits
// 4 to 6 of the address are exclusive-ored with bits 7 to 9, counted from where
// the pattern starts: at multiples of 1024, whatever the start, or as the base
// offset says. (128 bytes wide; 4 and 5 with 7 and 8 for 64 bytes; 4
// with 7 for 32.) The 128-byte swizzle with 32-byte atoms has atoms of four
// columns and swizzles bits 5 and 6 with 7 and 8.
//
// PTX ISA, sections 9.7.15.5.1.2, 9.7.16.3 and 9.7.16.4.1.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_SHAREDMATRIX_H
#define DRAWLOOM_EMULATOR_SHAREDMATRIX_H

#include "Arithmetic/ElementFormat.h"
#include <string>

namespace drawloom::emu {

struct SharedMatrix {
  enum Swizzle : uint8_t { None, B32, B64, B128, B128Atom32 };

  uint32_t start = 0;   ///< Byte in the CTA's shared window.
  uint32_t leading = 0; ///< Leading dimension byte offset.
  uint32_t stride = 0;  ///< Stride dimension byte offset.
  uint8_t base = 0;     ///< The pattern's start, in units of 128 bytes, mod 8.
  Swizzle swizzle = None;

  /// Decodes a descriptor; what is wrong with it as text, or an empty string.
  std::string decodeWgmma(uint64_t descriptor);
  std::string decodeTcgen05(uint64_t descriptor);

  /// The byte in the CTA's shared window where piece `c` of row `r` is, or of
  /// column `k`.
  uint32_t ofRow(unsigned r, unsigned c) const;
  uint32_t ofColumn(unsigned k, unsigned c) const;

  /// Whether this is the K tile after `previous`, whose rows have so
  /// many pieces: together they are one K-major matrix.
  bool follows(const SharedMatrix &previous, unsigned pieces) const;

  /// The pieces of the first eight rows, of which at most 128 bytes are copied
  /// together.
  static constexpr unsigned maxPieces = 8;
  using Atom = uint32_t[8][maxPieces];
  /// Where the `pieces` of each row of an atom are, if those of all `atoms`
  /// times eight rows are inside `size` bytes and each atom looks like the
  /// first one, `stride` bytes behind the one before it. That is so for all
  /// matrices that peers' kernels have; false for others.
  bool findAtom(unsigned atoms, unsigned pieces, uint32_t size,
                Atom &places) const;

  /// What is wrong with K-major rows of so many pieces, or an empty string.
  std::string checkWidth(unsigned pieces) const;

  /// "128-byte swizzle".
  static llvm::StringRef describe(Swizzle swizzle);

private:
  /// From one piece of a row to the next.
  uint32_t along() const { return swizzle == None ? leading : pieceBytes; }
  std::string checkStart() const;
  uint32_t swizzled(uint32_t address) const;
};

/// Copies an operand into a dense panel in the format that is multiplied.
///
/// K-major: `outer` rows of `k` elements, to rows of `stride` bytes. MN-major:
/// `k` columns of `outer` elements, to rows of `stride` bytes. `shared` are the
/// `size` bytes of the CTA. Returns the first address outside them, or -1 if
/// there is none.
int64_t packShared(const SharedMatrix &matrix, ElementFormat format,
                   bool transposed, unsigned outer, unsigned k,
                   const char *shared, uint32_t size, char *out, size_t stride);

/// The same for a K-major operand with rows of at most SharedMatrix::maxPieces,
/// if all is as findAtom wants it. False if it isn't: nothing was copied.
bool packAtoms(const SharedMatrix &matrix, ElementFormat format, unsigned outer,
               unsigned k, const char *shared, uint32_t size, char *out,
               size_t stride);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_SHAREDMATRIX_H
