//===- Buffers.h - Boxes of views and buffers -------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tile.load, tile.store, tile.read and tile.write do, for the operations
// that do the same in the name of an engine.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_INTERPRETER_BUFFERS_H
#define DRAWLOOM_LIB_INTERPRETER_BUFFERS_H

#include "Evaluator.h"

namespace drawloom::interp {

/// A box of a view. `dims[i]` is the view's dimension that dimension i of the
/// tile runs along.
struct BoxOfView {
  const Window &window;
  llvm::ArrayRef<int64_t> offsets, dims;
};

/// Fills the tile, with `pad` where the box is outside.
llvm::LogicalResult loadBox(mlir::Operation *op, Evaluator &eval,
                            const BoxOfView &box, mlir::Attribute pad,
                            RuntimeValue &tile, HostTensor result);

/// Stores the part of the tile that is inside.
llvm::LogicalResult storeBox(mlir::Operation *op, Evaluator &eval,
                             const BoxOfView &box, const RuntimeValue &tile);

/// The part of a buffer from the offsets on. What is there is not looked at.
llvm::FailureOr<Window> getPart(mlir::Operation *op, const Window &buffer,
                                llvm::ArrayRef<int64_t> offsets,
                                llvm::ArrayRef<int64_t> shape);
RuntimeValue copyFrom(const Window &buffer);
void copyTo(const Window &buffer, const RuntimeValue &tile);

/// The tile that the threads of the role read there.
llvm::FailureOr<RuntimeValue> readSlot(mlir::Operation *op, Evaluator &eval,
                                       const Window &buffer);

} // namespace drawloom::interp

#endif // DRAWLOOM_LIB_INTERPRETER_BUFFERS_H
