//===- Passes.h - Checks on the way to a cubin ---------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_TARGET_PASSES_H
#define DRAWLOOM_TARGET_PASSES_H

#include "mlir/Pass/Pass.h"

namespace drawloom::target {

#define GEN_PASS_DECL
#include "drawloom/Target/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "drawloom/Target/Passes.h.inc"

} // namespace drawloom::target

#endif // DRAWLOOM_TARGET_PASSES_H
