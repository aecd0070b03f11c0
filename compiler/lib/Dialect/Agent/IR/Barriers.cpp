//===- Barriers.cpp - Barriers that wait for more than one role -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Barriers.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace drawloom::agent;

std::optional<Scope> drawloom::agent::getBarrierScope(Operation *op) {
  if (isa<gpu::BarrierOp, NVVM::Barrier0Op>(op))
    return Scope::cta;
  // A barrier that says how many threads take part can be one role's own.
  if (auto barrier = dyn_cast<NVVM::BarrierOp>(op))
    return barrier.getNumberOfThreads() ? std::nullopt
                                        : std::optional(Scope::cta);
  if (isa<NVVM::ClusterArriveOp, NVVM::ClusterArriveRelaxedOp,
          NVVM::ClusterWaitOp>(op))
    return Scope::cluster;
  return std::nullopt;
}
