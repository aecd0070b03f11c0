//===- EmitPTX.cpp - nvvm to LLVM IR to PTX -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Target/Architecture.h"
#include "drawloom/Target/Compile.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include <mutex>

using namespace drawloom::target;
using namespace mlir;

/// Makes LLVM's NVPTX back end available, once for the process.
static void initializeBackEnd() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // 32-bit pointers to shared memory save address arithmetic in every loop.
    // NVPTXTargetMachine takes its data layout from this option of LLVM and
    // from nowhere else (TargetOptions' ABI name is not consulted), so it is
    // set for the whole process. It never changes again, and every target
    // machine is made after it: a compile still depends on its arguments alone.
    llvm::cl::Option *option =
        llvm::cl::getRegisteredOptions().lookup("nvptx-short-ptr");
    if (option)
      static_cast<llvm::cl::opt<bool> *>(option)->setValue(true);
  });
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const Architecture &arch) {
  initializeBackEnd();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string problem;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, problem);
  assert(target && "the NVPTX back end is linked in");
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, arch.name, arch.llvmFeatures(), llvm::TargetOptions(),
      /*RM=*/std::nullopt, /*CM=*/std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

/// LLVM takes a call that is not convergent for one that it may duplicate into
/// both arms of a branch or sink into one. Inline assembly is never convergent
/// by itself, and several nvvm operations are inline assembly underneath; a
/// function may hold some.
static void markConvergent(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (!function.isIntrinsic())
      function.setConvergent();
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call)
        continue;
      llvm::Function *callee = call->getCalledFunction();
      if (!callee || !callee->isIntrinsic())
        call->setConvergent();
    }
  }
}

/// The NVPTX back end turns a load of 128 bytes or more that is only stored
/// into a loop of copies at the place of the store, whatever stands between the
/// two: the load moves across barriers. A freeze between them hides the pair
/// from it and costs nothing.
static void separateLoadsFromStores(llvm::Module &module) {
  constexpr unsigned smallestCopiedAggregate = 128;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      auto *load =
          store ? llvm::dyn_cast<llvm::LoadInst>(store->getValueOperand())
                : nullptr;
      if (load && module.getDataLayout().getTypeStoreSize(load->getType()) >=
                      smallestCopiedAggregate)
        store->setOperand(0,
                          new llvm::FreezeInst(load, "", store->getIterator()));
    }
}

/// Finds numbers that are the same in every iteration: the slot of a ring with
/// one slot, or of one that a work tile goes through a whole number of times.
/// Of LLVM's optimizer this is all that runs: it moves and duplicates nothing,
/// and the rest makes some loops longer than it found them (docs/Target.md).
static void propagateConstants(llvm::Module &module) {
  llvm::FunctionAnalysisManager analyses;
  llvm::PassBuilder().registerFunctionAnalyses(analyses);
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      llvm::SCCPPass().run(function, analyses);
}

FailureOr<std::unique_ptr<llvm::Module>>
drawloom::target::translateToLLVM(ModuleOp lowered, const Architecture &arch,
                                  llvm::LLVMContext &context) {
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(arch);
  OwningOpRef<ModuleOp> copy = lowered.clone();
  auto setString = [&](StringRef name, const std::string &value) {
    (*copy)->setAttr(name, StringAttr::get(lowered.getContext(), value));
  };
  setString(LLVM::LLVMDialect::getDataLayoutAttrName(),
            machine->createDataLayout().getStringRepresentation());
  setString(LLVM::LLVMDialect::getTargetTripleAttrName(),
            machine->getTargetTriple().str());

  // `.loc` lines and no sections with debug information.
  PassManager pm(lowered.getContext(), ModuleOp::getOperationName());
  LLVM::DIScopeForLLVMFuncOpPassOptions options;
  options.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass(options));
  // It adds locations to a module that was verified.
  pm.enableVerifier(false);
  if (failed(pm.run(*copy)))
    return failure();

  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(*copy, context, "drawloom");
  if (!module)
    return failure();
  markConvergent(*module);
  propagateConstants(*module);
  separateLoadsFromStores(*module);
  return module;
}

namespace {
/// Hands LLVM's diagnostics on to MLIR.
class DiagnosticForwarder : public llvm::DiagnosticHandler {
public:
  DiagnosticForwarder(Location fallback, bool &failed)
      : fallback(fallback), failed(failed) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    switch (info.getSeverity()) {
    case llvm::DS_Error:
      failed = true;
      emitError(fallback) << "NVPTX back end: " << text << " [nvptx]";
      break;
    case llvm::DS_Warning:
      emitWarning(fallback) << "NVPTX back end: " << text << " [nvptx]";
      break;
    case llvm::DS_Remark:
    case llvm::DS_Note:
      break;
    }
    return true;
  }

private:
  Location fallback;
  bool &failed;
};
} // namespace

FailureOr<std::string>
drawloom::target::emitPTX(std::unique_ptr<llvm::Module> module,
                          const Architecture &arch, Location loc) {
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(arch);
  bool hasErrors = false;
  llvm::LLVMContext &context = module->getContext();
  std::unique_ptr<llvm::DiagnosticHandler> previous =
      context.getDiagnosticHandler();
  context.setDiagnosticHandler(
      std::make_unique<DiagnosticForwarder>(loc, hasErrors));

  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream os(ptx);
  llvm::legacy::PassManager pm;
  [[maybe_unused]] bool cannotEmit = machine->addPassesToEmitFile(
      pm, os, /*DwoOut=*/nullptr, llvm::CodeGenFileType::AssemblyFile);
  assert(!cannotEmit && "every back end emits assembly");
  pm.run(*module);
  context.setDiagnosticHandler(std::move(previous));
  if (hasErrors)
    return failure();
  return std::string(ptx);
}
