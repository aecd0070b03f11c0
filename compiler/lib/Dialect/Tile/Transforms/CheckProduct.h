//===- CheckProduct.h - Whether a product has an instruction -- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A product of tiles becomes a grid of MMA instructions, so its sizes must be
// multiples of a form that the architecture has for its types.

#ifndef DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_CHECKPRODUCT_H
#define DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_CHECKPRODUCT_H

#include "drawloom/Dialect/Tile/Transforms/Planner.h"

namespace drawloom::tile {

/// Why no instruction computes the product, and what would do; empty if one
/// does.
std::string checkProduct(const Problem::Product &product,
                         const target::Architecture &arch);

} // namespace drawloom::tile

#endif // DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_CHECKPRODUCT_H
