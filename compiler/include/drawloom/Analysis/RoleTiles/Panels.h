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
// the other; MMAs read them only across, in panels of 16 bytes. What bulk
// copies can't move either is one plain panel, which threads copy.

#ifndef DRAWLOOM_ANALYSIS_ROLETILES_PANELS_H
#define DRAWLOOM_ANALYSIS_ROLETILES_PANELS_H

#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"

namespace drawloom::plan {

/// The span after which the pattern of a swizzle moves on by one chunk.
constexpr int64_t swizzleSpan = 128;

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
  static constexpr int64_t plainAtom = 16, wordAtom = 32;
  int64_t atom = plainAtom;

  /// Whether bulk copies can move them.
  bool isBoxed() const;

  /// Whether a matrix descriptor describes them: swizzled, or plain and 16
  /// bytes wide, so that 8 rows are 128 bytes next to each other.
  bool isDescribed() const { return swizzled || width == plainAtom; }

  int64_t elements() const { return width * 8 / bits; }
  int64_t bytes() const { return rows * width; }

  /// Rows of one bulk copy: all of them, or those of one of some equal parts,
  /// if a box can be that high.
  int64_t boxRows(int64_t parts = 1) const;

  /// Bytes from the start of the tile to an element that is the first one of a
  /// panel's row or of a part of it that an MMA starts with. The swizzle
  /// moves chunks inside such a part only.
  int64_t getOffset(int64_t row, int64_t column) const {
    int64_t byte = column * bits / 8;
    return byte / width * bytes() + row * width + byte % width;
  }
};

/// The panels of a tile; nothing if its elements are no whole bytes, or it has
/// more than two dimensions.
std::optional<Panels> getPanels(mlir::RankedTensorType type);

/// The same for an operand of an MMA: its rows go along m or n if it is
/// `transposed`. Then plain panels are 16 bytes wide.
std::optional<Panels> getOperandPanels(mlir::RankedTensorType type,
                                       bool transposed);

/// The same for a tile in a slot of a pipe in shared memory, whose readers may
/// ask for another swizzle.
std::optional<Panels> getPanels(agent::PipeOp pipe, unsigned index);

/// Panels as the encoding of a buffer, and what that says; nothing if a buffer
/// has no panels.
tile::PanelsAttr getAttr(const Panels &panels, mlir::MLIRContext *context,
                         bool transposed = false);
std::optional<Panels> getPanels(tile::BufferType type);

/// The same for the slot that a bulk copy fills, or stores from.
std::optional<Panels> getCopyPanels(mlir::Operation *copy);

/// The panels of a tile as a layout, from the offset in elements to the tile's
/// coordinates; with `transposed`, the panels hold the transpose of the tile.
llvm::Expected<tile::Layout> getSharedLayout(mlir::RankedTensorType type,
                                             const Panels &panels,
                                             bool transposed);

/// Where the elements of a tile that threads have by `fragment` are in its
/// panels, in bytes. An error if there is no sum for it: then each element's
/// place is computed from its coordinates.
llvm::Expected<Offsets> getSharedOffsets(mlir::RankedTensorType type,
                                         const tile::Layout &fragment,
                                         const Panels &panels, bool transposed);

} // namespace drawloom::plan

#endif // DRAWLOOM_ANALYSIS_ROLETILES_PANELS_H
