//===- ScaleFactors.cpp - The block scales of tcgen05.mma ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMemory/ScaleFactors.h"
#include "llvm/Support/FormatVariadic.h"
#include <bit>
#include <cstring>

using namespace drawloom::emu;

static constexpr unsigned groupLanes = 32, groups = TensorMemory::lanes / 32;

std::string drawloom::emu::readScales(TensorMemory &memory,
                                      const BlockScales &scales,
                                      unsigned column, unsigned first,
                                      unsigned rows, unsigned parts,
                                      ScaleTable &table) {
  unsigned partRows = rows / parts, partGroups = groups / parts;
  unsigned used = (scales.perRow == 4 ? ~0u : (1u << 8 * scales.perRow) - 1)
                  << 8 * first;
  for (unsigned row = 0; row != rows; ++row) {
    unsigned at = row % partRows;
    unsigned lane = row / partRows * partGroups * groupLanes + at % groupLanes;
    uint32_t word = *memory.at(lane, column + at / groupLanes);
    for (unsigned copy = 1; copy != partGroups; ++copy) {
      uint32_t other =
          *memory.at(lane + copy * groupLanes, column + at / groupLanes);
      if ((word ^ other) & used)
        return llvm::formatv(
            "row {0} are {1:x-8} at lane {2}, column {3} and {4:x-8} at lane "
            "{5}: all groups of 32 lanes must have the same",
            row, word & used, lane, column + at / groupLanes, other & used,
            lane + copy * groupLanes);
    }
    for (unsigned i = 0; i != scales.perRow; ++i)
      table[row][i] = scaleValue(scales.type, word >> 8 * (first + i));
  }
  return "";
}

void drawloom::emu::applyScales(const ScaleTable &table, unsigned perRow,
                                unsigned rows, unsigned k, bool transposed,
                                Panel panel) {
  unsigned block = k / perRow;
  auto scaled = [](uint16_t bits, float factor) -> uint16_t {
    float value = std::bit_cast<float>(uint32_t(bits) << 16) * factor;
    return std::bit_cast<uint32_t>(value) >> 16;
  };
  unsigned outer = transposed ? k : rows, inner = transposed ? rows : k;
  for (unsigned i = 0; i != outer; ++i) {
    char *line = panel.data + i * panel.stride;
    for (unsigned j = 0; j != inner; ++j) {
      float factor = transposed ? table[j][i / block] : table[i][j / block];
      uint16_t bits;
      memcpy(&bits, line + j * sizeof(bits), sizeof(bits));
      bits = scaled(bits, factor);
      memcpy(line + j * sizeof(bits), &bits, sizeof(bits));
    }
  }
}
