//===- QuadMetadata.h - Metadata in the registers of a warp -----*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The metadata of 16 rows of a sparse A is in one register of a warp. Lanes 4g
// to 4g + 3 have that of rows g and g + 8; how many of the four are needed
// depends on the shape, and the sparsity selector says which. In their words,
// codes of four bits in the order of K, lowest first:
//
//   32 and 16 bits   the i-th lane: codes 4i to 4i + 3 of row g in bits 0 to
//                    15, and of row g + 8 in bits 16 to 31
//   8 and 4 bits     the first two lanes: the first eight codes of rows g and
//                    g + 8; the other two: the next eight
//
// PTX ISA, section 9.7.14.6.2. The figures are CuTe's ELayout in
// mma_traits_sm90_gmma_sparse.hpp and mma_traits_sm120_sparse.hpp; those of 8
// and 4 bits with two registers of A, which CuTe doesn't have, are taken to be
// the first half of those with four.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_QUADMETADATA_H
#define DRAWLOOM_EMULATOR_QUADMETADATA_H

#include "Arithmetic/Sparsity.h"
#include "Machine/Warp.h"

namespace drawloom::emu {

inline constexpr unsigned quadMetadataRows = 16;

/// How many of four lanes have the metadata of an MMA with `k` elements of
/// `elementBits` bits in a row: 16 bits for each register that A is stored in,
/// or 32 for elements of 8 and 4 bits.
inline unsigned quadMetadataLanes(unsigned k, unsigned elementBits) {
  unsigned registers = k * elementBits / 128;
  return elementBits >= 16 ? registers / 2 : registers;
}

/// Reads the metadata of an MMA with `k` elements of `elementBits` bits in a
/// row into `rows`, 16 of them.
void readQuadMetadata(Warp &warp, Reg reg, unsigned selector, unsigned k,
                      unsigned elementBits, RowMetadata *rows);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_QUADMETADATA_H
