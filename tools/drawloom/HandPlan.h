//===- HandPlan.h - The plan of a kernel by hand -------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What a kernel of the device library says of itself, and what its PTX does, in
// the form that the compiler's own plans have, so that the same printers show
// it. What only a compiler knows is left out: the tensors in a slot, and why
// something is so.

#ifndef DRAWLOOM_TOOLS_HANDPLAN_H
#define DRAWLOOM_TOOLS_HANDPLAN_H

#include "drawloom/Analysis/Plan/Plan.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace drawloom::ptx {
class Module;
} // namespace drawloom::ptx

namespace drawloom {

/// The plans of the kernels in a module that say what they are, in their order.
/// `text`: of the module, with the name that messages call it.
llvm::Expected<std::vector<plan::Plan>>
makeHandPlans(const ptx::Module &module, llvm::MemoryBufferRef text);

/// Those of a file.
llvm::Expected<std::vector<plan::Plan>> makeHandPlans(llvm::StringRef path);

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_HANDPLAN_H
