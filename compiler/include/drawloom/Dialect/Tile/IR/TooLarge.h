//===- TooLarge.h - Errors that a smaller plan avoids -----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A plan that takes more registers or memory than there are is rejected. If the
// program left the tile or the slots open, `fit-plans` tries smaller ones. It
// knows by a mark that is no part of the message.

#ifndef DRAWLOOM_DIALECT_TILE_IR_TOOLARGE_H
#define DRAWLOOM_DIALECT_TILE_IR_TOOLARGE_H

#include "mlir/IR/Diagnostics.h"

namespace drawloom::tile {

/// Marks an error: a smaller tile, or fewer slots, may avoid it.
inline mlir::InFlightDiagnostic tooLarge(mlir::InFlightDiagnostic error) {
  error.getUnderlyingDiagnostic()->getMetadata().emplace_back(
      llvm::StringRef("too large"));
  return error;
}

inline bool isTooLarge(mlir::Diagnostic &error) {
  return !error.getMetadata().empty();
}

} // namespace drawloom::tile

#endif // DRAWLOOM_DIALECT_TILE_IR_TOOLARGE_H
