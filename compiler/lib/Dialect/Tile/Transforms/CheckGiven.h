//===- CheckGiven.h - Whether a schedule fits its program ----- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A schedule speaks of a program's tiles and pipes. Where it speaks of
// something that the program does not have, it would be ignored; so it is
// rejected.

#ifndef DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_CHECKGIVEN_H
#define DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_CHECKGIVEN_H

#include "drawloom/Dialect/Tile/Transforms/Planner.h"

namespace drawloom::tile {

/// What the schedule names and the program does not have; empty if nothing.
std::string checkGiven(const Problem &problem, const Schedule &given);

/// "128x256", "[128, 256]" without the brackets.
std::string joinSizes(llvm::ArrayRef<int64_t> sizes, llvm::StringRef separator);

} // namespace drawloom::tile

#endif // DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_CHECKGIVEN_H
