//===- Code.h - Which operations there is code for --------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of the operations on elements, with the types that each of them is
// emitted for, beside the target's table of MMAs. A program is asked before
// it is planned, roles that were written by hand when their engines are
// assigned, and code generation relies on the answer: what is planned has code.
//
// What depends on roles (where a tile is, and who holds which element of it) is
// asked by `check-code`.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_IR_CODE_H
#define DRAWLOOM_DIALECT_TILE_IR_CODE_H

#include "drawloom/Dialect/Tile/IR/TileOps.h"

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::tile {

/// A float of eight bits that has conversions and no arithmetic.
bool isShortFloat(mlir::Type type);

/// Why there is no code for the operation on `arch`, wherever its tiles are,
/// as the rest of a sentence that begins with its name; empty if there is.
std::string whyNoCode(mlir::Operation *op, const target::Architecture &arch);

/// An error at the first operation of the kernel that there is no code for.
llvm::LogicalResult requireCode(KernelOp kernel,
                                const target::Architecture &arch);

} // namespace drawloom::tile

#endif // DRAWLOOM_DIALECT_TILE_IR_CODE_H
