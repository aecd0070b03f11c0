//===- AgentProgress.h - Does a switch of roles end? ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the roles of an `agent.switch` as a network of the progress model,
// asks the engine for a verdict, and says it in the program's own names at the
// program's own places.
//
// Invariant: what is not in the network cannot block. An operation that could,
// and that the model has no word for, makes the verdict undecided, with the
// operation and its place as the reason.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_ANALYSIS_AGENTPROGRESS_AGENTPROGRESS_H
#define DRAWLOOM_ANALYSIS_AGENTPROGRESS_AGENTPROGRESS_H

#include "drawloom/Analysis/Progress/Prove.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringMap.h"

namespace drawloom::agent {

class SwitchOp;
class VerdictAttr;

/// A number that sizes are computed from.
struct SizeSymbol {
  /// What messages call it: "dim 1 of a".
  std::string words;
  /// The kernel's argument that it comes from, and which of its dimensions; a
  /// scalar argument has none.
  std::optional<unsigned> argument = std::nullopt;
  std::optional<int64_t> dimension = std::nullopt;
};

/// How a size of the network is computed: `value`, or zero if that is less.
/// Null for the number of work tiles, which is what a cluster takes at run
/// time.
struct SizeSource {
  mlir::AffineExpr value;
};

/// Something that the model has no word for.
struct Outside {
  std::string construct;
  mlir::Location location;
};

/// A switch of roles as the model sees it.
struct SwitchNetwork {
  progress::Network network;
  /// One for each size of the network, over `symbols`.
  llvm::SmallVector<SizeSource> sources;
  llvm::SmallVector<SizeSymbol> symbols;
  /// Where the operations are that the network's locations name.
  llvm::StringMap<mlir::Location> locations;
  llvm::SmallVector<Outside, 1> outside;
};

SwitchNetwork makeNetwork(SwitchOp roles);

struct ProgressResult : SwitchNetwork {
  progress::Verdict verdict;
};

/// The verdict on a switch. Says nothing by itself.
ProgressResult proveProgress(SwitchOp roles,
                             const progress::ProveLimits &limits = {});

/// A deadlock as an error, with a note at each wait and a way out; a condition
/// as a remark; an undecided verdict as a warning, or as an error.
void reportProgress(SwitchOp roles, const ProgressResult &result,
                    bool undecidedIsError);

/// The verdict as data: what a launch has to check.
VerdictAttr toAttribute(const ProgressResult &result,
                        mlir::MLIRContext *context);

} // namespace drawloom::agent

#endif // DRAWLOOM_ANALYSIS_AGENTPROGRESS_AGENTPROGRESS_H
