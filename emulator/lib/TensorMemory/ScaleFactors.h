//===- ScaleFactors.h - The block scales of tcgen05.mma ---------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With .block_scale, each run of 16 or 32 elements of a row of A, or of a
// column of B, is multiplied by a factor of 8 bits. An MMA has one, two or four
// factors for each row. They are in tensor memory: the factors of 32 rows are
// bytes of one word in 32 lanes, those of the next 32 rows are in the next
// column, and all of it is there four times, for the four groups of 32 lanes.
//
//             column c   c + 1     c + 2            a word, for one row:
//   lane 0    row 0      row 32    row 64  ...      bytes from the factors' ID
//   lane 1    row 1      row 33    row 65           on; the others are those of
//   ...                                             the next MMAs along K
//   lane 31   row 31     row 63    row 95
//   lane 32   row 0      (the same again)
//
// Where the columns of D are split over two groups of lanes (M = 128 of a pair
// of CTAs), each group has the factors of its own columns of B.
//
// An element times its factor is exact in bf16, which has 8 significant bits.
// Only a scaled element below 2^-126 is lost.
//
// PTX ISA, section 9.7.16.10.7.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_SCALEFACTORS_H
#define DRAWLOOM_EMULATOR_SCALEFACTORS_H

#include "Arithmetic/MatrixUnit.h"
#include "Arithmetic/ScaleType.h"
#include "TensorMemory/TensorMemory.h"
#include <array>

namespace drawloom::emu {

/// The factors of an MMA's A and B.
struct BlockScales {
  uint8_t perRow = 0; ///< For the K of one MMA; 0 if there are none.
  ScaleType type = ScaleType::UE8M0;
  uint8_t aFirst = 0, bFirst = 0; ///< The first byte of each word (the ID).
  uint16_t aColumn = 0, bColumn = 0;
};

/// Columns that the factors of so many rows take.
inline uint32_t scaleColumns(unsigned rows) { return (rows + 31) / 32; }

/// The factors of up to 256 rows.
using ScaleTable = std::array<std::array<float, 4>, 256>;

/// Reads the factors of `rows` rows, split over `parts` groups of lanes, from
/// column `column` and byte `first` on. What is wrong as text: copies that
/// differ; empty if nothing is.
std::string readScales(TensorMemory &memory, const BlockScales &scales,
                       unsigned column, unsigned first, unsigned rows,
                       unsigned parts, ScaleTable &table);

/// Multiplies a packed operand (bf16, rows of `k` elements, or k rows if it is
/// transposed) with its factors.
void applyScales(const ScaleTable &table, unsigned perRow, unsigned rows,
                 unsigned k, bool transposed, Panel panel);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_SCALEFACTORS_H
