//===- DescribeKernels.h - What a launch has to know ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Reads the description of a kernel off the module, in two steps: arguments,
// work tiles and the condition of its proof while it is a plan; threads, shared
// memory and parameters when it is code.

#ifndef DRAWLOOM_LIB_DRIVER_DESCRIBEKERNELS_H
#define DRAWLOOM_LIB_DRIVER_DESCRIBEKERNELS_H

#include "drawloom/Session/Compile.h"

namespace drawloom {

/// Adds the plans of all kernels and, if they are going to be launched, what
/// is known of a launch.
mlir::LogicalResult describePrograms(mlir::ModuleOp module, bool forLaunch,
                                     std::vector<CompiledKernel> &kernels);

/// Adds what their code says.
void describeCode(mlir::ModuleOp module,
                  llvm::MutableArrayRef<CompiledKernel> kernels);

} // namespace drawloom

#endif // DRAWLOOM_LIB_DRIVER_DESCRIBEKERNELS_H
