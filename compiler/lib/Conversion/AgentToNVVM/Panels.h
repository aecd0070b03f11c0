//===- Panels.h - How a tile lies in shared memory ------------ -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A tile in shared memory is cut along its rows into panels, one behind the
// other: as wide as the swizzle, and as high as the tile.
//
//      tile of 64 x 128 bf16        panel 0        panel 1
//      +-----------------+        +--------+     +--------+
//      |     256 bytes   |   ->   |  128   |     |  128   |    64 rows each
//      +-----------------+        +--------+     +--------+
//
// A panel is what bulk copies move and what a matrix descriptor describes,
// whether its rows go along k or along m and n. This is the same on all
// architectures. Rows that no swizzle fits lie in plain panels, one row behind
// the other; threads read and write them, products don't.

#ifndef DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_PANELS_H
#define DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_PANELS_H

#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"

namespace drawloom::codegen {

/// The span after which the pattern of a swizzle moves on by one chunk.
constexpr int64_t swizzleSpan = 128;

/// The most elements of a box along one dimension.
constexpr int64_t maxBoxSize = 256;

struct Panels {
  int64_t rows;
  /// Bytes of a row of a panel; with a swizzle 32, 64 or 128, which it is.
  int64_t width;
  int64_t count;
  int64_t bits;
  bool swizzled = true;
  /// Bytes that the swizzle moves together: 16, or 32 for words whose rows go
  /// along m or n (PTX ISA, "Valid Combinations of Type-Size, Major-ness and
  /// Swizzling").
  int64_t atom = 16;

  int64_t elements() const { return width * 8 / bits; }
  int64_t bytes() const { return rows * width; }

  /// Rows of one bulk copy: all of them if a box can be that high.
  int64_t boxRows() const;

  /// Bytes from the start of the tile to an element that is the first one of a
  /// panel's row or of a part of it that a product starts with. The swizzle
  /// moves chunks inside of such a part only.
  int64_t getOffset(int64_t row, int64_t column) const {
    int64_t byte = column * bits / 8;
    return byte / width * bytes() + row * width + byte % width;
  }
};

/// The panels of a tile, or nothing if bulk copies can't move its rows.
std::optional<Panels> getPanels(mlir::RankedTensorType type);

/// The same for a tile in a slot of shared memory, whose readers may ask for
/// another swizzle.
std::optional<Panels> getPanels(agent::SlotsOp slots, int64_t value);

} // namespace drawloom::codegen

#endif // DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_PANELS_H
