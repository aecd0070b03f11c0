//===- RepeatedMmas.h - MMAs that are executed again ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_REPEATEDMMAS_H
#define DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_REPEATEDMMAS_H

#include "drawloom/Dialect/Tile/IR/TileOps.h"

namespace drawloom::tile {

/// Sentences about MMAs whose operands don't depend on a dimension of the work
/// tiles, or on a loop around them: they are executed again and again.
std::vector<std::string> explainRepeatedMmas(KernelOp kernel);

} // namespace drawloom::tile

#endif // DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_REPEATEDMMAS_H
