//===- Factors.h - Factors of rows that are mostly 1 ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_FACTORS_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_FACTORS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace drawloom::agent {

/// Whether a factor of the rows that a warp has isn't 1.
mlir::Value anyScales(mlir::ImplicitLocOpBuilder &b, mlir::Value factors);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_FACTORS_H
