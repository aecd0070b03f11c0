//===- SparseMetadata.h - The metadata of a tcgen05.mma.sp ------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The codes that say where the elements of a sparse A belong
// (Arithmetic/Sparsity.h) are in tensor memory, in the lanes of the rows of A:
//
//   8 and 4 bits     the 16 codes of a row are two columns of its lane
//
//   32 and 16 bits   the eight codes of 16 rows are one column of their 16
//                    lanes. Of the lanes l from the first one on:
//
//                                     bits 0 to 15     bits 16 to 31
//                    lane l     < 8   row l            row l + 8      codes 0-3
//                    lane l + 8       row l            row l + 8      codes 4-7
//
//                    The sparsity selector is 0 for the column that the
//                    address names and 1 for the next one.
//
// Where the columns of D are split over groups of lanes (.ws with M = 32 or
// 64), each group has all of the metadata.
//
// PTX ISA, section 9.7.16.10.8.4. The figures are CuTe's tmem_e_frg and
// tmem_e_frg_ws, which don't have the shapes that use half of the lanes; those
// are taken to be the same in the lanes that they do use.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_SPARSEMETADATA_H
#define DRAWLOOM_EMULATOR_SPARSEMETADATA_H

#include "Arithmetic/Sparsity.h"
#include "TensorMemory/TensorWork.h"

namespace drawloom::emu {

/// Columns that the metadata of an MMA takes.
inline uint32_t metadataColumns(const MmaForm &form) {
  return infoOf(form.a).perPiece >= 16 ? 2 : 1;
}

/// Reads the metadata of all rows of a CTA's A. What is wrong as text: copies
/// that differ; empty if nothing is.
std::string readMetadata(TensorMemory &memory, const TensorWork &work,
                         llvm::SmallVectorImpl<RowMetadata> &rows);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_SPARSEMETADATA_H
