//===- Path.h - The path of a program ---------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The whole compiler, in stages. To find out what happens to a program, read
// Path.cpp from top to bottom.
//
//   program ─tile─ agent ─ plan ─┬─ nvvm ─ llvm ─ ptx ─ cubin
//           front half           │  back half
//
// A stage has a name, and one may stop after it. What the stages tile, agent,
// plan and nvvm leave is a module that can be printed, read again and taken on
// from there: a kernel that has its roles is not planned anew, and one that is
// code enters at nvvm.

#ifndef DRAWLOOM_PIPELINES_PATH_H
#define DRAWLOOM_PIPELINES_PATH_H

#include "drawloom/Target/Ptxas.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace drawloom {

/// What there is after it.
enum class Stage {
  Tile,  ///< Kernels over tiles.
  Agent, ///< Kernels with roles and pipes.
  Plan,  ///< The same, proved deadlock-free, with a place for everything.
  NVVM,  ///< Functions of the nvvm and llvm dialects.
  LLVM,  ///< LLVM IR, as the back end gets it.
  PTX,   ///< PTX.
  Cubin, ///< A cubin.
};

/// "tile", "agent", ...
llvm::StringRef toString(Stage stage);

/// The stage of that name.
std::optional<Stage> findStage(llvm::StringRef name);

struct CompileOptions {
  /// The GPU. Null: the one that the kernels name.
  const target::Architecture *arch = nullptr;
  Stage stopAfter = Stage::PTX;
  /// Also kernels that are not proved deadlock-free.
  bool unproved = false;
  /// A folder for one file after each pass and each stage after the passes;
  /// empty for none. Modules are verified after each stage, and with a folder
  /// after each pass.
  std::string printStagesTo = "";
  /// For a cubin. Nothing: the first that is found.
  std::optional<target::Ptxas> ptxas = std::nullopt;
  /// Asked after each stage: true ends the compile. It outlives the options.
  llvm::function_ref<bool()> interrupted = nullptr;
};

//===----------------------------------------------------------------------===//
// As passes
//===----------------------------------------------------------------------===//

/// Adds the passes of one stage, for a module.
void buildTile(mlir::OpPassManager &passes);
void buildAgent(mlir::OpPassManager &passes);
void buildPlan(mlir::OpPassManager &passes);
void buildNVVM(mlir::OpPassManager &passes, llvm::StringRef arch,
               bool unproved = false);

/// The first passes of nvvm: what they leave are kernels over tiles still.
void buildProtocol(mlir::OpPassManager &passes, bool unproved = false);

/// From a fused program to a plan: tile, agent, plan.
void buildFrontHalf(mlir::OpPassManager &passes);

/// Registers `front-half`, and `back-half` for the passes of nvvm.
void registerPipelines();

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// What is behind the passes, as far as the path went.
struct PathResult {
  /// As text, if the path ended there.
  std::string llvm = "";
  std::string ptx = "";
  target::AssembledModule assembled = {};
};

/// Takes `module` along the path; its stages up to nvvm are made in place.
/// After each of these, `reached` may look at the module, and end the path.
/// What goes wrong is a diagnostic.
mlir::FailureOr<PathResult>
runPath(mlir::ModuleOp module, const CompileOptions &options,
        llvm::function_ref<mlir::LogicalResult(Stage)> reached = nullptr);

} // namespace drawloom

#endif // DRAWLOOM_PIPELINES_PATH_H
