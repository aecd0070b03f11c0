//===- ReadVerdict.h - What code may rely on --------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verdict that `prove-progress` left on a switch, read back. Code may rely
// on what is proved, and on what is proved under a condition that every launch
// checks before it starts. On nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_ANALYSIS_AGENTPROGRESS_READVERDICT_H
#define DRAWLOOM_ANALYSIS_AGENTPROGRESS_READVERDICT_H

#include "mlir/IR/AffineMap.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace drawloom::agent {

class SwitchOp;

/// The sizes with which a kernel ends, as a launch checks them.
struct LaunchCondition {
  /// An argument of the kernel: its size in a dimension, or a scalar itself.
  struct Source {
    unsigned argument = 0;
    std::optional<unsigned> dimension = std::nullopt;
  };
  /// How often a loop runs: `value` of the sources, or 0 if that is less.
  struct Size {
    std::string name;
    mlir::AffineMap value;
    llvm::SmallVector<Source, 2> sources = {};
  };
  struct Bound {
    unsigned size = 0;
    std::optional<int64_t> least, most;
  };

  std::string words;
  std::vector<Size> sizes;
  /// It holds if all bounds of one of the cases do.
  std::vector<std::vector<Bound>> cases;
};

/// Nothing if the roles are proved deadlock-free, a condition if they are under
/// one that a launch can check; otherwise an error, which goes on where an
/// operation's error message begins: "is not proved deadlock-free: ...".
llvm::Expected<std::optional<LaunchCondition>> readVerdict(SwitchOp roles);

} // namespace drawloom::agent

#endif // DRAWLOOM_ANALYSIS_AGENTPROGRESS_READVERDICT_H
