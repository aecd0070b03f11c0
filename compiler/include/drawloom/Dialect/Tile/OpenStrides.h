//===- OpenStrides.h - Rows that are any distance apart ------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The views of a kernel have strides in their types. A tensor of a function has
// no place for them, so an attribute of the argument or the result says that
// the distance between its rows is known at the launch only.

#ifndef DRAWLOOM_DIALECT_TILE_OPENSTRIDES_H
#define DRAWLOOM_DIALECT_TILE_OPENSTRIDES_H

#include "llvm/ADT/StringRef.h"

namespace drawloom::tile {

inline constexpr llvm::StringLiteral openStridesAttrName = "tile.open_strides";

} // namespace drawloom::tile

#endif // DRAWLOOM_DIALECT_TILE_OPENSTRIDES_H
