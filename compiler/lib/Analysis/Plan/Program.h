//===- Program.h - What a role does, as steps ----------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Turns the region of a role into the steps of the plan: loops, produces and
// consumes as they are, and between them the work in a few words.

#ifndef DRAWLOOM_LIB_ANALYSIS_PLAN_PROGRAM_H
#define DRAWLOOM_LIB_ANALYSIS_PLAN_PROGRAM_H

#include "drawloom/Analysis/Plan/Plan.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "llvm/ADT/MapVector.h"

namespace drawloom::plan {

using PipeNumbers = llvm::MapVector<mlir::Operation *, unsigned>;

std::vector<Step> makeProgram(agent::RoleOp role, const PipeNumbers &pipes);

/// All work of a program in a few words, without repetitions.
std::string summarize(const std::vector<Step> &program);

/// The name of the kernel's argument that a load reads or a store writes, for
/// people; "view" if it is none.
std::string getViewName(mlir::Value view);

} // namespace drawloom::plan

#endif // DRAWLOOM_LIB_ANALYSIS_PLAN_PROGRAM_H
