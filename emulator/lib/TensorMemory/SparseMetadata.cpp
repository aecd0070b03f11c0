//===- SparseMetadata.cpp - The metadata of a tcgen05.mma.sp -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMemory/SparseMetadata.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom::emu;

/// The metadata of one row; `first` is the lane of row 0.
static RowMetadata readRow(TensorMemory &memory, const TensorWork &work,
                           unsigned row, unsigned first) {
  uint32_t column = work.metadata().column;
  if (work.metadata().columns == 2) {
    const uint32_t *words = memory.at(first + work.laneOf(row), column);
    return words[0] | RowMetadata(words[1]) << 32;
  }
  unsigned lane = first + work.laneOf(row / 16 * 16) + row % 8;
  unsigned shift = row / 8 % 2 * 16;
  uint32_t low = *memory.at(lane, column) >> shift & 0xffff;
  uint32_t high = *memory.at(lane + 8, column) >> shift & 0xffff;
  return low | RowMetadata(high) << 16;
}

std::string
drawloom::emu::readMetadata(TensorMemory &memory, const TensorWork &work,
                            llvm::SmallVectorImpl<RowMetadata> &rows) {
  for (unsigned row = 0; row != work.form.m; ++row) {
    rows.push_back(readRow(memory, work, row, 0));
    for (unsigned part = 1; part != work.parts; ++part) {
      unsigned first = part * TensorMemory::lanes / work.parts;
      if (readRow(memory, work, row, first) != rows.back())
        return llvm::formatv("the metadata of row {0} differs between lanes "
                             "{1} and {2} (column {3}): each {4} lanes must "
                             "have all of it",
                             row, work.laneOf(row), first + work.laneOf(row),
                             work.metadata().column,
                             TensorMemory::lanes / work.parts);
    }
  }
  return "";
}
