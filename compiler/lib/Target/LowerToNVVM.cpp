//===- LowerToNVVM.cpp - Upstream's lowering to nvvm and llvm -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckKernels.h"
#include "drawloom/Target/Architecture.h"
#include "drawloom/Target/Compile.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace drawloom::target;
using namespace mlir;

void drawloom::target::registerTargetDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                  LLVM::LLVMDialect, NVVM::NVVMDialect, scf::SCFDialect,
                  ub::UBDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

static void buildLowering(OpPassManager &pm) {
  // vector and nvvm first: they make arith and cf operations.
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertNVVMToLLVMPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  // Folding at the level of MLIR; LLVM's own optimiser does not run later.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Canonical forms may hold poison.
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

/// Reports what no pass above knows how to lower.
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
              "lowered to these";
  if (!cast)
    return success();
  for (Type type : llvm::concat<const Type>(cast->getOperandTypes(),
                                            cast->getResultTypes()))
    if (!LLVM::isCompatibleType(type))
      return cast->emitError() << "the type " << type
                               << " has no counterpart in the llvm dialect";
  return cast->emitError() << "this cast between "
                           << cast->getOperand(0).getType() << " and "
                           << cast->getResult(0).getType()
                           << " is not a conversion that LLVM has";
}

FailureOr<OwningOpRef<ModuleOp>>
drawloom::target::lowerToNVVM(ModuleOp module, const Architecture &arch) {
  if (failed(checkKernels(module, arch)))
    return failure();
  OwningOpRef<ModuleOp> lowered = module.clone();
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  buildLowering(pm);
  if (failed(pm.run(*lowered)) || failed(checkLowered(*lowered)))
    return failure();
  return lowered;
}
