//===- Sparsity.h - Matrices of which half is stored ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sparse MMA has an A of which at least half of the elements in each chunk of
// a row are zero. The others are stored one after the other, and for each chunk
// four bits of metadata say where they belong. Such a code is two numbers of
// two bits; each names a quarter of the chunk, the lower one that of the first
// stored half:
//
//   chunk                         quarter           code 0b1001: 1 and 2
//   2 elements of 32 bits         half an element   invalid; 0b0100 or 0b1110
//   4 elements of 16 or 8 bits    an element        . x y .
//   8 elements of 4 bits          two elements      . . w x y z . .
//
// `expand` puts the stored elements where they belong, so that the product is
// that of dense matrices with twice the K. Zeros that aren't stored are
// multiplied, too: an infinity or a NaN in B gives a NaN there.
//
// Which codes are valid differs between the instructions. One that isn't is
// reported where it would place an element that isn't zero; CUTLASS's
// compressor writes 0b0000, which no instruction has, for chunks of zeros and
// where it pads.
//
// PTX ISA, sections 9.7.14.6.1, 9.7.15.6.1 and 9.7.16.10.8.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_SPARSITY_H
#define DRAWLOOM_EMULATOR_SPARSITY_H

#include "llvm/ADT/ArrayRef.h"
#include <cstddef>
#include <cstdint>
#include <string>

namespace drawloom::emu {

/// In which order the two numbers of a code may be.
enum class MetadataOrder : uint8_t {
  Any,     ///< mma.sp and wgmma.
  Rising,  ///< mma.sp::ordered_metadata.
  Tcgen05, ///< Rising, or 0b0110.
};

struct Sparsity {
  uint8_t chunk = 0;  ///< Elements; 0 if all of A is stored.
  uint16_t codes = 0; ///< The valid ones, a bit for each.

  bool operator==(const Sparsity &) const = default;
  explicit operator bool() const { return chunk; }

  /// Of elements that take up so many bits.
  static Sparsity of(unsigned elementBits, MetadataOrder order);
};

/// The codes of a row of A, four bits for each chunk, the first one lowest.
using RowMetadata = uint64_t;

/// Rows of an operand, `stride` bytes apart.
struct Panel {
  char *data;
  size_t stride;

  /// Those from `first` on; transposed, they are columns of `bytes` each.
  Panel from(unsigned first, bool transposed, size_t bytes) const {
    return {data + first * (transposed ? bytes : stride), stride};
  }
};

/// Spreads rows of k / 2 stored elements of 2, 4 or 8 bytes over rows of k
/// elements. Transposed, both are k / 2 and k rows with an element for each row
/// of A. What is wrong with the metadata, or an empty string.
std::string expand(const Sparsity &sparsity,
                   llvm::ArrayRef<RowMetadata> metadata, unsigned k,
                   size_t elementBytes, bool transposed, Panel stored,
                   Panel panel);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_SPARSITY_H
