//===- ElementFormat.h - Elements of the matrices that MMAs read *- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix instruction reads its operands in pieces of 16 bytes, wherever they
// are: in shared memory, in tensor memory or in registers. This is what the
// elements in such a piece are, and how they become numbers that the arithmetic
// library multiplies.
//
// There are two such formats, bf16 and f32, and the conversion is exact:
//
//   bf16, fp8, fp6, fp4, s8, u8   have at most 8 significant bits and exponents
//                                 from -16 to 15 (bf16: its own): bf16 holds
//                                 them, none of the small ones as a subnormal;
//   f16, tf32                     have 11 significant bits: f32 holds them, and
//                                 holds the product of two as well.
//
// So a product of two elements has no error, whatever the format; only sums
// are rounded, and those PTX leaves open.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_ELEMENTFORMAT_H
#define DRAWLOOM_EMULATOR_ELEMENTFORMAT_H

#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <cstdint>

namespace drawloom::emu {

/// The formats as they stand in memory. 6-bit and 4-bit elements come in
/// several ways: sixteen of them packed at the start of 16 bytes, the rest
/// padding (shared memory), each in a byte of its own (tensor memory), or
/// without padding (where all elements of an MMA have 4 bits).
enum class ElementFormat : uint8_t {
  BF16,
  WideBF16, ///< The same, to be multiplied with f16.
  F16,
  TF32,
  E4M3,
  E5M2,
  E2M3,
  E3M2,
  E2M1,
  PackedE2M3,
  PackedE3M2,
  PackedE2M1,
  DenseE2M1,
  S8,
  U8,
  B1, ///< Single bits: their product is their conjunction.
};

/// What the arithmetic library is given.
enum class Compute : uint8_t { BF16, F32 };

/// Converts the elements in 16 bytes at `in` and stores them from `out` on.
using ConvertPiece = void (*)(const char *in, char *out);

struct ElementInfo {
  llvm::StringRef name;
  uint8_t perPiece; ///< Elements in 16 bytes.
  Compute compute;
  ConvertPiece convert;
};

const ElementInfo &infoOf(ElementFormat format);

/// Bytes of an element that is to be multiplied.
inline size_t bytesOf(Compute compute) {
  return compute == Compute::BF16 ? 2 : 4;
}

/// Every MMA reads 32 bytes of each row of its operands; if A is sparse, 64 of
/// B's.
inline constexpr unsigned pieceBytes = 16;
inline constexpr unsigned piecesPerStep = 2;
inline constexpr unsigned maxPiecesPerStep = 4;

/// The K of one MMA, or, of a sparse A, how much of it is stored.
inline unsigned stepK(ElementFormat format) {
  return piecesPerStep * infoOf(format).perPiece;
}

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_ELEMENTFORMAT_H
