//===- ProveProgress.cpp - Reject plans that hang -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The engine and the reading of the roles are analyses of their own; the pass
// asks, says and remembers.
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/AgentProgress/AgentProgress.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_PROVEPROGRESS
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using progress::Verdict;

namespace {
class ProveProgress : public agent::impl::ProveProgressBase<ProveProgress> {
  using ProveProgressBase::ProveProgressBase;

  void runOnOperation() override {
    getOperation()->walk([&](SwitchOp roles) {
      if (onlyTensorMemory && roles.getTensorColumns().value_or(0) == 0)
        return;
      if (failed(requireEngines(roles)))
        return signalPassFailure();
      ProgressResult result = proveProgress(roles);
      Verdict::Kind kind = result.verdict.kind;
      bool rejects = kind == Verdict::Kind::deadlock ||
                     (kind == Verdict::Kind::undecided && undecidedIsError);
      // What an earlier run has said is not said again.
      VerdictAttr verdict = toAttribute(result, &getContext());
      if (rejects || roles.getVerdictAttr() != verdict)
        reportProgress(roles, result, undecidedIsError);
      roles.setVerdictAttr(verdict);
      if (rejects)
        signalPassFailure();
    });
  }
};
} // namespace
