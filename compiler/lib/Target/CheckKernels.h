//===- CheckKernels.h - What is refused before lowering ------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Checks that need the program as it was written, with its names and places.
// Each guards against code that LLVM and ptxas would accept and that would then
// do something else than the program says, or against a limit of the machine.

#ifndef DRAWLOOM_LIB_TARGET_CHECKKERNELS_H
#define DRAWLOOM_LIB_TARGET_CHECKKERNELS_H

#include "mlir/IR/BuiltinOps.h"

namespace drawloom::target {

struct Architecture;

/// Checks every kernel of `module`, and that there is one.
mlir::LogicalResult checkKernels(mlir::ModuleOp module,
                                 const Architecture &arch);

} // namespace drawloom::target

#endif // DRAWLOOM_LIB_TARGET_CHECKKERNELS_H
