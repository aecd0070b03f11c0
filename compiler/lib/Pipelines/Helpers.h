//===- Helpers.h - What the path needs besides its passes -------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Kept apart from Path.cpp, which is there to be read in one go.

#ifndef DRAWLOOM_LIB_PIPELINES_HELPERS_H
#define DRAWLOOM_LIB_PIPELINES_HELPERS_H

#include "drawloom/Pipelines/Path.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include <functional>
#include <memory>

namespace drawloom {

/// A pass that runs `passes` on a kernel that has no roles yet. One that has
/// some, by hand or from an earlier run, keeps them.
std::unique_ptr<mlir::Pass> unlessRoles(mlir::OpPassManager passes);

/// What a try leaves out, because it turned out to be too large: tiles, the
/// best first, and widths of subtiles, the widest first.
struct Smaller {
  int64_t tiles = 0;
  int64_t subtiles = 0;
};

/// Adds the passes from a program to a plan.
using BuildPlans = std::function<void(mlir::OpPassManager &, Smaller)>;

/// The names of the kernels that `fitPlans` has planned.
using PlannedKernels = std::shared_ptr<llvm::StringSet<>>;

/// A pass that finds a plan that fits, for each program that has no roles. With
/// `planned`, what fits takes the place of the program and is named there;
/// without, the program stays, and its schedule says what fits.
std::unique_ptr<mlir::Pass> fitPlans(BuildPlans build,
                                     PlannedKernels planned = nullptr);

/// A pass that runs `passes` on a kernel that `fitPlans` hasn't planned.
std::unique_ptr<mlir::Pass> unlessPlanned(mlir::OpPassManager passes,
                                          PlannedKernels planned);

/// Writes the architecture into every program of the module: kernels over tiles
/// and functions on tensors.
void setTarget(mlir::ModuleOp module, const target::Architecture &arch);

/// Sets `arch` to what the kernels name, if it is null.
mlir::LogicalResult findTarget(mlir::ModuleOp module,
                               const target::Architecture *&arch);

/// Sets `options.ptxas` to the first that the environment leads to.
mlir::LogicalResult findPtxas(mlir::ModuleOp module, CompileOptions &options);

} // namespace drawloom

#endif // DRAWLOOM_LIB_PIPELINES_HELPERS_H
