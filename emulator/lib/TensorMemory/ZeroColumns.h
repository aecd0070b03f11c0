//===- ZeroColumns.h - Columns of B that count as zero ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last operand of a tcgen05.mma.ws: spans of columns of B that are used
// alternate with spans that count as zero. The columns are split into one, two
// or four parts, for M = 128, 64 and 32, and each part has a start of its own:
//
//   first span 0, start s:  the rest of a used span, s columns shorter, then
//                           zeros, then used ones, and so on
//   first span 1, start s:  the same, beginning with zeros
//
// PTX ISA, section 9.7.16.4.3. Its table and its examples differ in which field
// has the length of which span; the examples agree with the fields' names, and
// are followed here.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_ZEROCOLUMNS_H
#define DRAWLOOM_EMULATOR_ZEROCOLUMNS_H

#include <cstdint>

namespace drawloom::emu {

struct ZeroColumns {
  uint64_t descriptor = 0;

  bool any() const { return descriptor >> 39 & 1; }
  /// B starts so many columns later.
  unsigned shift() const { return descriptor >> 56 & 63; }
  /// Whether column `n` of `columns`, in `parts` parts, counts as zero.
  bool isZero(unsigned n, unsigned columns, unsigned parts) const {
    unsigned part = n / (columns / parts), at = n % (columns / parts);
    unsigned zeros = (descriptor >> 40 & 255) + 1;
    unsigned used = (descriptor >> 48 & 255) + 1;
    unsigned start = descriptor >> 8 * part & 255;
    bool zeroFirst = descriptor >> (32 + part) & 1;
    unsigned place = (at + start) % (used + zeros);
    return zeroFirst ? place < zeros : place >= used;
  }
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_ZEROCOLUMNS_H
