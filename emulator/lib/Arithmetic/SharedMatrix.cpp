//===- SharedMatrix.cpp - Matrices in shared memory ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic/SharedMatrix.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace drawloom::emu;

namespace {
struct SwizzleInfo {
  llvm::StringRef name;
  uint16_t rowBytes;   ///< Of an atom.
  uint8_t atomColumns; ///< Of an MN-major atom.
  uint8_t shift;       ///< The lowest bit that is swizzled.
  uint8_t mask;        ///< Of the bits from 7 on that it is swizzled with.
};
} // namespace

static const SwizzleInfo swizzles[] = {
    {"no swizzle", 16, 8, 4, 0},
    {"32-byte swizzle", 32, 8, 4, 1},
    {"64-byte swizzle", 64, 8, 4, 3},
    {"128-byte swizzle", 128, 8, 4, 7},
    {"128-byte swizzle with 32-byte atoms", 128, 4, 5, 3},
};

/// Addresses in descriptors have 18 bits.
static constexpr uint32_t addressMask = 0x3ffff;

llvm::StringRef SharedMatrix::describe(Swizzle swizzle) {
  return swizzles[swizzle].name;
}

/// The fields that both formats have.
static SharedMatrix commonFields(uint64_t descriptor) {
  SharedMatrix matrix;
  matrix.start = (descriptor & 0x3fff) << 4;
  matrix.leading = (descriptor >> 16 & 0x3fff) << 4;
  matrix.stride = (descriptor >> 32 & 0x3fff) << 4;
  matrix.base = descriptor >> 49 & 7;
  return matrix;
}

/// A base offset says that the pattern starts elsewhere than at a multiple of
/// its size: at the matrix. Without one, the matrix may start in any row of a
/// pattern. CUTLASS relies on that: it aligns operands to 128 bytes only.
std::string SharedMatrix::checkStart() const {
  const SwizzleInfo &info = swizzles[swizzle];
  if (swizzle == None || base == 0)
    return "";
  uint32_t pattern = uint32_t(info.mask + 1) << 7;
  uint32_t expected = uint32_t(base & info.mask) << 7;
  uint32_t row = (start & (pattern - 1)) & ~uint32_t(info.rowBytes - 1);
  if (row == expected)
    return "";
  return llvm::formatv(
      "starts at {0:x}, in the middle of a pattern: with the {1} and base "
      "offset {2} it must start {3} bytes behind a multiple of {4}, not {5}; "
      "with "
      "base offset 0 it may start anywhere",
      start, info.name, base, expected, pattern, row);
}

std::string SharedMatrix::decodeWgmma(uint64_t descriptor) {
  *this = commonFields(descriptor);
  static constexpr Swizzle modes[] = {None, B128, B64, B32};
  swizzle = modes[descriptor >> 62];
  return checkStart();
}

std::string SharedMatrix::decodeTcgen05(uint64_t descriptor) {
  *this = commonFields(descriptor);
  unsigned version = descriptor >> 46 & 7;
  if (version != 1)
    return llvm::formatv("has {0} in bits 46-48, which must be 1 (0b001)",
                         version);
  if (descriptor >> 52 & 1)
    return "has an absolute leading dimension address (bit 52), which only "
           "sm_103a knows";
  if (unsigned reserved = descriptor >> 53 & 0xff)
    return llvm::formatv("has {0:x} in bits 53-60, which must be 0", reserved);
  switch (unsigned mode = descriptor >> 61) {
  case 0:
    swizzle = None;
    break;
  case 1:
    swizzle = B128Atom32;
    break;
  case 2:
    swizzle = B128;
    break;
  case 4:
    swizzle = B64;
    break;
  case 6:
    swizzle = B32;
    break;
  default:
    return llvm::formatv("has swizzling mode {0} in bits 61-63; there are 0, "
                         "1, 2, 4 and 6",
                         mode);
  }
  return checkStart();
}

uint32_t SharedMatrix::swizzled(uint32_t address) const {
  const SwizzleInfo &info = swizzles[swizzle];
  uint32_t row = ((address >> 7) - base) & info.mask;
  return (address ^ row << info.shift) & addressMask;
}

uint32_t SharedMatrix::ofRow(unsigned r, unsigned c) const {
  return swizzled(start + r % 8 * swizzles[swizzle].rowBytes + r / 8 * stride +
                  c * along());
}

uint32_t SharedMatrix::ofColumn(unsigned k, unsigned c) const {
  const SwizzleInfo &info = swizzles[swizzle];
  uint32_t address = start + k % info.atomColumns * info.rowBytes;
  uint32_t group = k / info.atomColumns;
  if (swizzle == None)
    return swizzled(address + group * leading + c * stride);
  unsigned wide = info.rowBytes / pieceBytes;
  return swizzled(address + group * stride + c % wide * pieceBytes +
                  c / wide * leading);
}

/// Copies all pieces to their places; `address(row, c)` is where one is.
/// Everything is a copy, so that it stays in registers while bytes are stored.
template <typename F, typename Convert>
static int64_t pack(F address, Convert convert, unsigned rows, unsigned pieces,
                    size_t converted, const char *shared, uint32_t size,
                    char *out, size_t stride) {
  for (unsigned row = 0; row != rows; ++row, out += stride)
    for (unsigned c = 0; c != pieces; ++c) {
      uint32_t from = address(row, c);
      if (from + pieceBytes > size)
        return from;
      convert(shared + from, out + c * converted);
    }
  return -1;
}

std::string SharedMatrix::checkWidth(unsigned pieces) const {
  const SwizzleInfo &info = swizzles[swizzle];
  if (swizzle == None || pieces * pieceBytes <= info.rowBytes)
    return "";
  return llvm::formatv("has the {0} and rows of {1} bytes; where a row goes on "
                       "after its first {2}, the PTX ISA doesn't say",
                       info.name, pieces * pieceBytes, info.rowBytes);
}

bool SharedMatrix::follows(const SharedMatrix &previous,
                           unsigned pieces) const {
  return start == previous.start + pieces * along() &&
         swizzle == previous.swizzle && base == previous.base &&
         leading == previous.leading && stride == previous.stride;
}

bool SharedMatrix::findAtom(unsigned atoms, unsigned pieces, uint32_t size,
                            Atom &places) const {
  const SwizzleInfo &info = swizzles[swizzle];
  uint32_t pattern = uint32_t(info.mask + 1) << 7;
  uint32_t last = (atoms - 1) * stride;
  if (swizzle != None && stride % pattern)
    return false;
  for (unsigned row = 0; row != 8; ++row)
    for (unsigned c = 0; c != pieces; ++c) {
      places[row][c] = ofRow(row, c);
      if (places[row][c] + last + pieceBytes > size)
        return false;
    }
  // No address of the last atom wraps around, so none does.
  return start + 7 * info.rowBytes + (pieces - 1) * along() + last <=
         addressMask;
}

/// The same as `pack` for rows of atoms that all look alike.
template <unsigned pieces, typename Convert>
static void packAtoms(const SharedMatrix::Atom &places, Convert convert,
                      unsigned atoms, uint32_t atomStride, size_t converted,
                      const char *shared, char *out, size_t stride) {
  for (unsigned atom = 0; atom != atoms; ++atom, shared += atomStride)
    for (unsigned row = 0; row != 8; ++row, out += stride)
      for (unsigned c = 0; c != pieces; ++c)
        convert(shared + places[row][c], out + c * converted);
}

/// Calls f with what converts a piece. bf16 is what most are, and is only
/// copied.
template <typename F>
static auto withConvert(ElementFormat format, F f) {
  if (format == ElementFormat::BF16)
    return f([](const char *in, char *to) { memcpy(to, in, pieceBytes); });
  return f(infoOf(format).convert);
}

bool drawloom::emu::packAtoms(const SharedMatrix &matrix, ElementFormat format,
                              unsigned outer, unsigned k, const char *shared,
                              uint32_t size, char *out, size_t stride) {
  const ElementInfo &info = infoOf(format);
  const unsigned pieces = k / info.perPiece;
  SharedMatrix::Atom places;
  if (outer % 8 || !matrix.findAtom(outer / 8, pieces, size, places))
    return false;
  const size_t converted = info.perPiece * bytesOf(info.compute);
  withConvert(format, [&](auto convert) {
    auto with = [&]<unsigned count>() {
      ::packAtoms<count>(places, convert, outer / 8, matrix.stride, converted,
                         shared, out, stride);
    };
    static_assert(SharedMatrix::maxPieces == 4 * piecesPerStep);
    switch (pieces / piecesPerStep) {
    case 1:
      return with.template operator()<piecesPerStep>();
    case 2:
      return with.template operator()<2 * piecesPerStep>();
    case 3:
      return with.template operator()<3 * piecesPerStep>();
    default:
      return with.template operator()<4 * piecesPerStep>();
    }
  });
  return true;
}

int64_t drawloom::emu::packShared(const SharedMatrix &matrix,
                                  ElementFormat format, bool transposed,
                                  unsigned outer, unsigned k,
                                  const char *shared, uint32_t size, char *out,
                                  size_t stride) {
  if (!transposed &&
      packAtoms(matrix, format, outer, k, shared, size, out, stride))
    return -1;
  const ElementInfo &info = infoOf(format);
  size_t converted = info.perPiece * bytesOf(info.compute);
  return withConvert(format, [&](auto convert) {
    SharedMatrix m = matrix;
    if (transposed)
      return pack([m](unsigned k, unsigned c) { return m.ofColumn(k, c); },
                  convert, k, outer / info.perPiece, converted, shared, size,
                  out, stride);
    return pack([m](unsigned r, unsigned c) { return m.ofRow(r, c); }, convert,
                outer, k / info.perPiece, converted, shared, size, out, stride);
  });
}
