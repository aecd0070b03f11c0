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
//                    lane      bits 0 to 15         bits 16 to 31
//   32 and 16 bits   i-th      row g, codes 4i to 4i + 3, and row g + 8, the
//   same
//    8 and  4 bits   first     row g, the first eight codes
//                    second    row g + 8, the same
//                    third and fourth  the next eight codes of both rows
//
// PTX ISA, section 9.7.14.6.2. The figures are CuTe's ELayout in
// mma_traits_sm90_gmma_sparse.hpp and mma_traits_sm120_sparse.hpp.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_QUADMETADATA_H
#define DRAWLOOM_EMULATOR_QUADMETADATA_H

#include "Arithmetic/Sparsity.h"
#include "Machine/Warp.h"

namespace drawloom::emu {

inline constexpr unsigned quadMetadataRows = 16;

/// Reads the metadata of an MMA with `k` elements of `elementBits` bits in a
/// row into `rows`, 16 of them.
void readQuadMetadata(Warp &warp, Reg reg, unsigned selector, unsigned k,
                      unsigned elementBits, RowMetadata *rows);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_QUADMETADATA_H
