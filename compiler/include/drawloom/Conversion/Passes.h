//===- Passes.h - Passes from one dialect to another ---------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CONVERSION_PASSES_H
#define DRAWLOOM_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace drawloom {

#define GEN_PASS_DECL
#include "drawloom/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "drawloom/Conversion/Passes.h.inc"

} // namespace drawloom

#endif // DRAWLOOM_CONVERSION_PASSES_H
