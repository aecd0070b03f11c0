//===- QuadMetadata.cpp - Metadata in the registers of a warp ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute/Matrix/QuadMetadata.h"
#include <algorithm>

using namespace drawloom::emu;

void drawloom::emu::readQuadMetadata(Warp &warp, Reg reg, unsigned selector,
                                     unsigned k, unsigned elementBits,
                                     RowMetadata *rows) {
  const auto *words = warp.lanes<uint32_t>(reg);
  bool isHalf = elementBits >= 16;
  unsigned count = quadMetadataLanes(k, elementBits);
  std::fill_n(rows, quadMetadataRows, 0);
  for (unsigned lane = 0; lane != 32; ++lane) {
    unsigned i = lane % 4 - selector * count;
    if (i >= count)
      continue;
    RowMetadata word = words[lane];
    unsigned group = lane / 4;
    if (isHalf) {
      rows[group] |= (word & 0xffff) << 16 * i;
      rows[group + 8] |= word >> 16 << 16 * i;
    } else {
      rows[group + i % 2 * 8] |= word << 32 * (i / 2);
    }
  }
}
