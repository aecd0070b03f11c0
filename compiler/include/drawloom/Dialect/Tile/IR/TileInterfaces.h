//===- TileInterfaces.h - What operations have in common -------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Operations that combine elements along an axis: reductions and scans.

#ifndef DRAWLOOM_DIALECT_TILE_IR_TILEINTERFACES_H
#define DRAWLOOM_DIALECT_TILE_IR_TILEINTERFACES_H

#include "drawloom/Dialect/Tile/IR/Layout.h"
#include "drawloom/Dialect/Tile/IR/TileEnums.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace drawloom::tile {

/// Numbers of elements: `count` of them, `stride` apart.
struct ElementRange {
  int64_t first, count, stride;
};

/// A digit of a number of a register, a lane or a warp whose steps go along one
/// axis.
struct AxisDigit {
  unsigned input;
  /// What it is multiplied by in its number, and along the axis.
  int64_t weight, step;
  int64_t count;
};

/// The digits of a layout in registers that go along an axis, from the smallest
/// step up. An error if they go along another one, too, or if they don't step
/// over each other: then no part of the axis is a thread's, a warp's or a
/// group's of warps.
llvm::Expected<llvm::SmallVector<AxisDigit>>
findAxisDigits(const Layout &layout, unsigned axis);

} // namespace drawloom::tile

#include "drawloom/Dialect/Tile/IR/TileInterfaces.h.inc"

#endif // DRAWLOOM_DIALECT_TILE_IR_TILEINTERFACES_H
