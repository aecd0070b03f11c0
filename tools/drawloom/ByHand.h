//===- ByHand.h - Kernels of the device library --------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A kernel by hand says what its roles and pipes are, and its PTX says in which
// order it uses them (drawloom/Protocol/Graph.h). Both together are what a plan
// of the compiler is, so the same proof holds for it, and the same pictures
// show it.

#ifndef DRAWLOOM_TOOLS_BYHAND_H
#define DRAWLOOM_TOOLS_BYHAND_H

#include "drawloom/Analysis/Progress/Verdict.h"
#include "drawloom/Protocol/Graph.h"
#include "drawloom/Protocol/Progress.h"

namespace drawloom {

struct HandProof {
  progress::Network network;
  /// Undecided, if something is at odds or outside.
  progress::Verdict verdict;
};

/// Adds what is at odds to `misfits`, a kernel that may stand still among it.
HandProof proveByHand(const ptx::Module &module, const ptx::Function &kernel,
                      const protocol::Claims &claims,
                      const protocol::Graph &graph,
                      std::vector<protocol::Misfit> &misfits);

/// The same for reports.
protocol::Progress summarize(const HandProof &proof);

/// The words for `drawloom check`, and what each role does.
void print(const HandProof &proof, llvm::raw_ostream &os);

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_BYHAND_H
