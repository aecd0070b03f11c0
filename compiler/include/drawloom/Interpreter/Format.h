//===- Format.h - Element formats of host tensors ---------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A format says how one element is stored, and which numbers it can hold.
//
// Every floating-point format here is a subset of double, so the interpreter
// computes in double and rounds once, to the format of the result. Addition,
// subtraction, multiplication, division and square root are then correctly
// rounded in each of them: double has 53 bits, and rounding to p bits after
// rounding to 53 is harmless when 53 >= 2p + 2, which holds up to p = 24 (f32).
//
// The invariant: decoding is exact, and encoding rounds once, as APFloat does.
// Where APFloat has no answer (a NaN in a format without NaN, a negative number
// in a format without a sign) `encode` states one.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_INTERPRETER_FORMAT_H
#define DRAWLOOM_INTERPRETER_FORMAT_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace drawloom::interp {

enum class Format : uint8_t {
  F64,
  F32,
  TF32,
  F16,
  BF16,
  F8E4M3FN,
  F8E5M2,
  F8E8M0FNU,
  F6E2M3FN,
  F6E3M2FN,
  F4E2M1FN,
  I1,
  I8,
  I16,
  I32,
  I64,
  Index,
};

/// What the largest exponent codes of a floating-point format stand for.
enum class Specials : uint8_t {
  /// Infinities and NaNs, as in IEEE 754.
  Ieee,
  /// One NaN (for each sign, if there is one) and no infinity.
  NanOnly,
  /// Numbers only.
  FiniteOnly,
};

/// One row of the table of formats.
struct FormatInfo {
  /// As MLIR spells the type.
  llvm::StringLiteral name;
  /// The bits that carry information.
  uint8_t bits;
  /// The bytes of one element in a host tensor. Formats below a byte take one
  /// byte each; tf32 takes the high bits of a four-byte word, as on the
  /// hardware.
  uint8_t bytes;
  /// Null for integers.
  const llvm::fltSemantics &(*semantics)();
  /// The layout of a float: exponent bits, mantissa bits, exponent bias.
  uint8_t exponentBits, mantissaBits;
  int16_t bias;
  Specials specials;
  bool hasSign, hasZero;
  /// The type descriptors of .npy files that hold this format, the one that is
  /// written first.
  llvm::ArrayRef<llvm::StringLiteral> npyTypes;
};

const FormatInfo &getInfo(Format format);

/// The format that MLIR spells `name`, if it is one of them.
std::optional<Format> parseFormat(llvm::StringRef name);

bool isFloat(Format format);

/// The distance from 1 to the next number, halved: the largest relative error
/// of rounding to nearest.
double getUnitRoundoff(Format format);

/// The bits of `value` in the floating-point format. Overflow gives infinity if
/// the format has it, else NaN, else the largest number. A NaN keeps its sign;
/// a format without NaN gets its largest positive number, as PTX's cvt does. A
/// format without a sign gets NaN for a negative number. A format without zero
/// gets its smallest number for zero.
uint64_t
encode(Format format, double value,
       llvm::RoundingMode rounding = llvm::RoundingMode::NearestTiesToEven);

/// The bits of a number that has the format's semantics already.
uint64_t fromAPFloat(Format format, const llvm::APFloat &value);

/// The number that the bits stand for.
double decode(Format format, uint64_t bits);

/// False when the stored bits carry something outside the format: a byte over
/// 0x0F in f4E2M1FN, low bits in a tf32 word, an i1 that is neither 0 nor 1.
bool isCanonical(Format format, uint64_t bits);

} // namespace drawloom::interp

#endif // DRAWLOOM_INTERPRETER_FORMAT_H
