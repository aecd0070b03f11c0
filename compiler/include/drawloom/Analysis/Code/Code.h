//===- Code.h - Whether roles have code -------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What an operation becomes depends on where its tiles are: in a slot of shared
// or tensor memory, or in the registers of threads. Types say which. This asks
// of each operation what code generation asks, of the same tables: Panels.h,
// Fragments.h, Exchanges.h.
//
// Invariant: roles that pass are emitted without an error, but for what only
// plans by hand have so far: clusters, and roles that share a pipe and divide
// the items. These can be proved and drawn, and
// code generation rejects them.

#ifndef DRAWLOOM_ANALYSIS_CODE_CODE_H
#define DRAWLOOM_ANALYSIS_CODE_CODE_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::plan {

/// An error at the first operation of the roles that there is no code for.
/// Their engines and layouts are assigned.
llvm::LogicalResult checkCode(agent::SwitchOp roles,
                              const target::Architecture &arch);

} // namespace drawloom::plan

#endif // DRAWLOOM_ANALYSIS_CODE_CODE_H
