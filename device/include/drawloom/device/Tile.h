//===- Tile.h - What a slot holds ----------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_TILE_H
#define DRAWLOOM_DEVICE_TILE_H

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <type_traits>

namespace drawloom::device {

enum class Place { Shared, Tensor };

/// Elements of which each block along K has a scale (Scaled.h has the formats).
template <class Stored, int bits, class Scale, int block>
struct BlockScaled {};

/// How elements are stored.
template <class Element>
struct Stored {
  using type = Element;
  static constexpr int bits = 8 * int(sizeof(Element));
  static constexpr bool isScaled = false;
};
template <class Stored_, int bits_, class Scale_, int block_>
struct Stored<BlockScaled<Stored_, bits_, Scale_, block_>> {
  using type = Stored_;
  using Scale = Scale_;
  static constexpr int bits = bits_;
  static constexpr int block = block_;
  static constexpr bool isScaled = true;
};
/// How many are in 128 bytes, the row of a panel.
template <class Element>
constexpr int panelColumns = 128 * 8 / Stored<Element>::bits;

/// A tile in shared memory as TMA writes it and tensor cores read it: panels of
/// 128 bytes a row, swizzled by the hardware's pattern of 1024 bytes.
template <class Element_, int rows_, int columns_>
struct Tile {
  using Element = Element_;
  static constexpr Place place = Place::Shared;
  static constexpr int rows = rows_;
  static constexpr int columns = columns_;
  static constexpr int panelColumns = device::panelColumns<Element>;
  static constexpr int panels = columns / panelColumns;
  static constexpr int panelBytes = rows * 128;
  static constexpr int bytes = panels * panelBytes;
  static constexpr int tensorColumns = 0;

  static_assert(rows > 0 && rows % 8 == 0 && rows <= 256,
                "drawloom: a tile has 8, 16, ... 256 rows: the swizzle repeats "
                "every 8 rows, and a TMA box has at most 256");
  static_assert(columns > 0 && columns % panelColumns == 0,
                "drawloom: a row of a tile is a multiple of 128 bytes");

  /// Where 16 bytes of a row begin. `column` is a multiple of 16 bytes.
  static constexpr __host__ __device__ int offset(int row, int column) {
    int panel = column / panelColumns;
    int chunk = column % panelColumns / (panelColumns / 8);
    return panel * panelBytes + row * 128 + ((chunk ^ row % 8) * 16);
  }
};

/// The scales of a tile's elements, in memory as tcgen05.cp reads them. A block
/// has those of 128 rows, 4 of each: 16 bytes for the rows r, r + 32, r + 64
/// and r + 96, then those of r + 1. In shared memory a tile's blocks along K
/// follow each other, then come those of the next 128 rows; in tensor memory a
/// block has 4 columns, and all rows of a block along K are side by side.
template <class Tile>
struct Scales {
  static constexpr int bytes = 0, tensorColumns = 0;
};
template <class Stored_, int bits, class Scale_, int block, int rows,
          int columns>
struct Scales<Tile<BlockScaled<Stored_, bits, Scale_, block>, rows, columns>> {
  using Scale = Scale_;
  static constexpr int blockBytes = 512, blockColumns = 4;
  static constexpr int rowBlocks = rows / 128;
  static constexpr int stepBlocks = columns / block / 4;
  static constexpr int bytes = rowBlocks * stepBlocks * blockBytes;
  static constexpr int tensorColumns = rowBlocks * stepBlocks * blockColumns;

  static_assert(rows % 128 == 0, "drawloom: an operand with block scales has "
                                 "128 or 256 rows: its scales are stored for "
                                 "128 rows at a time");
};

/// The operands of an MMA for a K tile, both K-major.
template <class A_, class B_>
struct Operands {
  using A = A_;
  using B = B_;
  static constexpr Place place = Place::Shared;

  static_assert(A::columns == B::columns,
                "drawloom: the operands of a product have the same K");
  static_assert(std::is_same_v<typename A::Element, typename B::Element> ||
                    (Stored<typename A::Element>::bits == 8 &&
                     Stored<typename B::Element>::bits == 8 &&
                     !Stored<typename A::Element>::isScaled &&
                     !Stored<typename B::Element>::isScaled),
                "drawloom: the operands of a product have one element type, or "
                "two of fp8 without block scales");
};

/// Accumulators of a product in tensor memory: lanes are rows, columns are
/// columns.
template <int rows_, int columns_>
struct Accumulator {
  static constexpr Place place = Place::Tensor;
  static constexpr int rows = rows_;
  static constexpr int columns = columns_;
  static constexpr int bytes = 0;
  static constexpr int tensorColumns = columns;

  static_assert(rows == 128, "drawloom: an accumulator has 128 rows, one for "
                             "each lane of tensor memory");
  static_assert(columns >= 16 && columns <= 256 && columns % 16 == 0,
                "drawloom: an accumulator has 16, 32, ... 256 columns");
};

/// Nothing but whose turn it is. A pipe of turns has one slot: its producer
/// begins and has the turn until its scope ends, then its consumer has it.
struct Turn {
  static constexpr Place place = Place::Shared;
  static constexpr int bytes = 0;
  static constexpr int tensorColumns = 0;
};

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_TILE_H
