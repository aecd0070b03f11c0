//===- InitAll.h - Every dialect and pass of the compiler ----- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// One place where a tool gets everything that the compiler has. Upstream
// dialects that a tile program may hold are registered here too, so that every
// tool of ours reads the same files.

#ifndef DRAWLOOM_INITALL_H
#define DRAWLOOM_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace drawloom {

/// Registers the dialects of Drawloom and the upstream ones that it uses.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers the passes of Drawloom and the upstream ones that it uses.
void registerAllPasses();

} // namespace drawloom

#endif // DRAWLOOM_INITALL_H
