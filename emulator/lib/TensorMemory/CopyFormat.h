//===- CopyFormat.h - What tcgen05.cp does to elements ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tcgen05.cp moves pieces of 16 bytes. On the way, sixteen elements of 6 or 4
// bits, packed at the start of a piece, may each get a byte of their own, which
// is how tensor memory holds them: 4 bits in the middle of the byte, 6 bits at
// the bottom (PTX ISA, sections 9.7.16.9.1 and 9.7.16.10.4.3).
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_COPYFORMAT_H
#define DRAWLOOM_EMULATOR_COPYFORMAT_H

#include <cstdint>
#include <cstring>

namespace drawloom::emu {

enum class CopyFormat : uint8_t { AsIs, From6Bits, From4Bits };

inline void copyPiece(CopyFormat format, const char *in, void *out) {
  if (format == CopyFormat::AsIs) {
    memcpy(out, in, 16);
    return;
  }
  unsigned bits = format == CopyFormat::From6Bits ? 6 : 4;
  unsigned shift = format == CopyFormat::From6Bits ? 0 : 2;
  uint8_t bytes[16];
  for (unsigned i = 0; i != 16; ++i) {
    uint16_t pair;
    memcpy(&pair, in + i * bits / 8, sizeof(pair));
    bytes[i] = (pair >> i * bits % 8 & ((1u << bits) - 1)) << shift;
  }
  memcpy(out, bytes, sizeof(bytes));
}

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_COPYFORMAT_H
