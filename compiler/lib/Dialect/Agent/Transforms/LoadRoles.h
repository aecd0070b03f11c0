//===- LoadRoles.h - Which role loads a tile --------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Loads are grouped by what the tile is for, by who can copy it, and by loop
// level. Levels fit together if the loops around one load are among the loops
// around the other: a role then meets both in one order. Loads in loops beside
// each other get a role each.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_LOADROLES_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_LOADROLES_H

#include "Dataflow.h"
#include "Rejection.h"

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::agent {

/// What a tile is loaded for.
enum class LoadKind : uint8_t { Operand, Epilogue, Plain };

struct LoadInfo {
  tile::LoadOp op;
  /// The name of the view that it reads.
  std::string view;
  LoadKind kind;
  /// Why TMA cannot copy it; empty if it can.
  std::string whyThreads;
  /// Why no role loads it ahead; empty if one does.
  std::string whyInPlace;
  /// The kernel stores to the view.
  bool readsOutput = false;
};

/// Looks at every load of a tile in the item, in the order of the program.
MaybeRejection classifyLoads(Item &item, const Dataflow &dataflow,
                             const tile::Schedule &schedule,
                             const target::Architecture &arch,
                             llvm::SmallVectorImpl<LoadInfo> &loads);

/// Adds the roles that load, and gives them their loads.
void addLoadRoles(Item &item, llvm::ArrayRef<LoadInfo> loads, bool onlyOne,
                  Owners &owners);

/// `name`, or `name_1`, `name_2`, ... if roles of this name exist.
std::string getFreeName(const Owners &owners, llvm::StringRef name);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_LOADROLES_H
