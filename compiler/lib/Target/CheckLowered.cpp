//===- CheckLowered.cpp - What no pass knows how to lower -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Target/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace drawloom::target {
#define GEN_PASS_DEF_CHECKLOWERED
#include "drawloom/Target/Passes.h.inc"
} // namespace drawloom::target

using namespace mlir;

static LogicalResult checkLowered(ModuleOp module) {
  Operation *foreign = nullptr;
  Operation *cast = nullptr;
  module.walk([&](Operation *op) {
    if (isa<UnrealizedConversionCastOp>(op))
      cast = cast ? cast : op;
    else if (!isa<ModuleOp>(op) &&
             !isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(
                 op->getDialect()))
      foreign = foreign ? foreign : op;
  });
  if (foreign)
    return foreign->emitError()
           << "'" << foreign->getName()
           << "' cannot be compiled to PTX: a kernel is an llvm.func of nvvm "
              "and llvm operations, and scf, cf, arith, vector and ub are "
              "lowered to these [not-lowered]";
  if (!cast)
    return success();
  for (Type type : llvm::concat<const Type>(cast->getOperandTypes(),
                                            cast->getResultTypes()))
    if (!LLVM::isCompatibleType(type))
      return cast->emitError()
             << "the type " << type
             << " has no counterpart in the llvm dialect [not-lowered]";
  return cast->emitError()
         << "this cast between " << cast->getOperand(0).getType() << " and "
         << cast->getResult(0).getType()
         << " is not a conversion that LLVM has [not-lowered]";
}

namespace {
class CheckLowered
    : public drawloom::target::impl::CheckLoweredBase<CheckLowered> {
  void runOnOperation() override {
    if (failed(checkLowered(getOperation())))
      signalPassFailure();
  }
};
} // namespace
