//===- Lifetimes.h - When the bytes of one pipe are free for another ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A staging pipe, which one role fills and stores from, may take the bytes of
// another pipe that no role uses any more. Reusing a ring that is still in
// flight gives wrong values now and then, which no test finds. So the answer is
// no, unless an argument holds for every run:
//
// 1. progress is proved, so what is produced is consumed when the kernel ends;
// 2. a CTA takes one work tile: nothing of a next one can be in flight;
// 3. the staging role has waited for something that comes after the last read
//    of the other pipe: it consumed the other pipe itself, before the
//    first use of the staging pipe and in no loop with it, and its warps
//    synchronize in between, because each has waited for its own reads only;
//    or it consumed a slot that is produced once, by the other pipe's only
//    consumer, after or around its last read.
//
// From 1 and 3: when the staging role gets there, every slot of the other pipe
// was read and released, so every write to it is over too.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_LIFETIMES_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_LIFETIMES_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"

namespace drawloom::agent {

/// One role fills this pipe and reads it, and no other CTA does.
bool isStaging(PipeOp pipe);

/// Why the bytes of `earlier` are free when `staging` is first used, or why
/// that is not known.
struct ReuseAnswer {
  bool allowed;
  std::string reason;
  /// In front of this the warps of the staging role have to meet; null if they
  /// need not.
  mlir::Operation *sync = nullptr;
};

ReuseAnswer mayReuse(PipeOp staging, PipeOp earlier);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_LIFETIMES_H
