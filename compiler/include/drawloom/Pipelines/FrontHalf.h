//===- FrontHalf.h - From a fused program to a plan -------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The front half of the compiler: whoever wants to know what happens to a
// program reads FrontHalf.cpp from top to bottom. After it a module's kernels
// have roles and pipes, a proof that these end, and a place for everything;
// code generation only writes that down.

#ifndef DRAWLOOM_PIPELINES_FRONTHALF_H
#define DRAWLOOM_PIPELINES_FRONTHALF_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace drawloom {

/// Adds the passes of the front half, for a module.
void buildFrontHalf(mlir::OpPassManager &passes);

/// Adds its passes for a kernel over tiles: all but the way to such kernels.
void buildPlanning(mlir::OpPassManager &kernels);

/// Adds its last part, for a kernel that has its roles: the proof and the
/// placement.
void buildPlacement(mlir::OpPassManager &kernels);

/// Registers the pipeline as `front-half`.
void registerFrontHalf();

} // namespace drawloom

#endif // DRAWLOOM_PIPELINES_FRONTHALF_H
