//===- Sparsity.cpp - Matrices of which half is stored -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic/Sparsity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cstring>

using namespace drawloom::emu;
using llvm::formatv;

static constexpr uint16_t bitOf(unsigned code) { return 1u << code; }

static constexpr uint16_t risingCodes = bitOf(0b0100) | bitOf(0b1000) |
                                        bitOf(0b1001) | bitOf(0b1100) |
                                        bitOf(0b1101) | bitOf(0b1110);

Sparsity Sparsity::of(unsigned elementBits, MetadataOrder order) {
  static constexpr uint16_t valid[] = {
      uint16_t(
          ~(bitOf(0b0000) | bitOf(0b0101) | bitOf(0b1010) | bitOf(0b1111))),
      risingCodes,
      risingCodes | bitOf(0b0110),
  };
  if (elementBits == 32)
    return {2, bitOf(0b0100) | bitOf(0b1110)};
  return {uint8_t(elementBits == 4 ? 8 : 4),
          valid[static_cast<unsigned>(order)]};
}

static std::string bitsOfCode(unsigned code) {
  std::string text = "0b";
  for (unsigned bit = 4; bit--;)
    text += code >> bit & 1 ? '1' : '0';
  return text;
}

static std::string describe(const Sparsity &sparsity, unsigned row,
                            unsigned chunk, unsigned code) {
  std::string valid;
  for (unsigned other = 0; other != 16; ++other)
    if (sparsity.codes >> other & 1)
      valid += (valid.empty() ? "" : ", ") + bitsOfCode(other);
  return formatv("the metadata of row {0}, elements {1} to {2} of the step's "
                 "K, is {3}; the valid codes are {4}",
                 row, chunk * sparsity.chunk, (chunk + 1) * sparsity.chunk - 1,
                 bitsOfCode(code), valid);
}

/// Elements are words: nothing is computed with them.
template <typename Word>
static std::string expandWords(const Sparsity &sparsity,
                               llvm::ArrayRef<RowMetadata> metadata, unsigned k,
                               bool transposed, Panel stored, Panel panel) {
  auto at = [transposed](const Panel &of, unsigned row, unsigned column) {
    unsigned outer = transposed ? column : row;
    unsigned inner = transposed ? row : column;
    return of.data + outer * of.stride + inner * sizeof(Word);
  };
  unsigned lines = transposed ? k : metadata.size();
  unsigned length = transposed ? metadata.size() : k;
  for (unsigned line = 0; line != lines; ++line)
    memset(panel.data + line * panel.stride, 0, length * sizeof(Word));

  const unsigned chunk = sparsity.chunk, half = chunk / 2;
  const unsigned together = std::max(chunk / 4, 1u); // Elements of a quarter.
  for (auto [row, codes] : llvm::enumerate(metadata))
    for (unsigned c = 0; c != k / chunk; ++c) {
      unsigned code = codes >> 4 * c & 15;
      bool valid = sparsity.codes >> code & 1;
      for (unsigned i = 0; i != half; ++i) {
        Word word;
        memcpy(&word, at(stored, row, c * half + i), sizeof(word));
        // Without its sign: of a float, where zero has one.
        if (!valid && Word(word << 1))
          return describe(sparsity, row, c, code);
        unsigned quarter = code >> i / together * 2 & 3;
        unsigned place = quarter * chunk / 4 + i % together;
        if (valid)
          memcpy(at(panel, row, c * chunk + place), &word, sizeof(word));
      }
    }
  return "";
}

std::string drawloom::emu::expand(const Sparsity &sparsity,
                                  llvm::ArrayRef<RowMetadata> metadata,
                                  unsigned k, size_t elementBytes,
                                  bool transposed, Panel stored, Panel panel) {
  auto with = [&]<typename Word>(Word) {
    return expandWords<Word>(sparsity, metadata, k, transposed, stored, panel);
  };
  return elementBytes == 2   ? with(uint16_t())
         : elementBytes == 4 ? with(uint32_t())
                             : with(uint64_t());
}
