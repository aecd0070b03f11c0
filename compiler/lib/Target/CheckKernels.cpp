//===- CheckKernels.cpp - What is rejected before lowering
//-----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Target/Architecture.h"
#include "drawloom/Target/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/SetVector.h"

namespace drawloom::target {
#define GEN_PASS_DEF_CHECKKERNELS
#include "drawloom/Target/Passes.h.inc"
} // namespace drawloom::target

using namespace drawloom::target;
using namespace mlir;

/// An operation that passes a tensor map to the hardware: nvvm's, or assembly.
static bool mayReadTensorMap(Operation *op) {
  return isa<NVVM::NVVMDialect>(op->getDialect()) || isa<LLVM::InlineAsmOp>(op);
}

/// The first operation that passes a pointer to `parameter` to the hardware, if
/// there is one. Follows the pointer through what only computes addresses.
static Operation *findMapUse(BlockArgument parameter) {
  llvm::SetVector<Value> pointers;
  pointers.insert(parameter);
  for (unsigned i = 0; i < pointers.size(); ++i)
    for (Operation *user : pointers[i].getUsers()) {
      if (mayReadTensorMap(user))
        return user;
      if (isa<LLVM::AddrSpaceCastOp, LLVM::GEPOp, LLVM::SelectOp>(user))
        pointers.insert(user->getResult(0));
    }
  return nullptr;
}

/// A parameter that is passed by value is copied to local memory by LLVM unless
/// it is a grid constant. A copy is no place for a tensor map: the TMA unit
/// reads it through a proxy that does not see the writes of the copy.
static LogicalResult checkTensorMaps(LLVM::LLVMFuncOp kernel,
                                     const Architecture &arch) {
  for (BlockArgument parameter : kernel.getArguments()) {
    unsigned index = parameter.getArgNumber();
    if (!kernel.getArgAttr(index, LLVM::LLVMDialect::getByValAttrName()))
      continue;
    Operation *user = findMapUse(parameter);
    if (!user)
      continue;
    if (!kernel.getArgAttr(index,
                           NVVM::NVVMDialect::getGridConstantAttrName())) {
      InFlightDiagnostic diag =
          emitError(parameter.getLoc())
          << "parameter " << index << " of kernel '" << kernel.getName()
          << "' is passed by value and is no grid constant: LLVM would copy it "
             "to local memory, and '"
          << user->getName() << "' would read the copy [kernel-parameter]";
      diag.attachNote(user->getLoc()) << "it is read here";
      diag.attachNote(parameter.getLoc())
          << "add nvvm.grid_constant to the parameter's attributes";
      return diag;
    }
    auto align = kernel.getArgAttrOfType<IntegerAttr>(
        index, LLVM::LLVMDialect::getAlignAttrName());
    uint64_t bytes = align ? align.getInt() : 1;
    if (isa<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp,
            NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp,
            NVVM::CpAsyncBulkTensorPrefetchOp, NVVM::CpAsyncBulkTensorReduceOp,
            NVVM::PrefetchOp>(user) &&
        bytes < arch.tma.mapAlign)
      return emitError(parameter.getLoc())
             << "parameter " << index << " of kernel '" << kernel.getName()
             << "' is a tensor map aligned to " << bytes
             << " bytes; a tensor map needs " << arch.tma.mapAlign
             << ": add llvm.align = " << arch.tma.mapAlign
             << " : i64 [kernel-parameter]";
  }
  return success();
}

/// The MMA of the dimensions in an attribute such as nvvm.reqntid.
static int64_t extentOf(LLVM::LLVMFuncOp kernel, StringRef name) {
  auto dims = kernel->getAttrOfType<DenseI32ArrayAttr>(name);
  int64_t extent = 1;
  if (dims)
    for (int32_t dim : dims.asArrayRef())
      extent *= dim;
  return extent;
}

static LogicalResult checkLimit(LLVM::LLVMFuncOp kernel, StringRef attribute,
                                StringRef what, unsigned limit,
                                const Architecture &arch) {
  int64_t extent = extentOf(kernel, attribute);
  if (extent <= limit)
    return success();
  return kernel.emitError()
         << "kernel '" << kernel.getName() << "' asks for " << extent << ' '
         << what << " (" << attribute << ' ' << kernel->getAttr(attribute)
         << "), and " << arch.name << " has at most " << limit
         << " [thread-limit]";
}

static LogicalResult checkLaunch(LLVM::LLVMFuncOp kernel,
                                 const Architecture &arch) {
  using Dialect = NVVM::NVVMDialect;
  if (failed(checkLimit(kernel, Dialect::getReqntidAttrName(),
                        "threads in a CTA", arch.maxThreadsPerCta, arch)) ||
      failed(checkLimit(kernel, Dialect::getMaxntidAttrName(),
                        "threads in a CTA", arch.maxThreadsPerCta, arch)) ||
      failed(checkLimit(kernel, Dialect::getClusterDimAttrName(),
                        "CTAs in a cluster", arch.maxClusterSize, arch)))
    return failure();
  return success();
}

/// Families of operations that only some architectures have. LLVM ends the
/// process when it meets one that it cannot select. Upstream's own
/// RequiresSMInterface would do, but it leaves out sm_103a and sm_110a.
static constexpr struct {
  llvm::StringLiteral prefix;
  llvm::StringLiteral what;
  bool (*exists)(const Architecture &);
} families[] = {
    {"nvvm.tcgen05.", "tensor memory",
     [](const Architecture &arch) { return arch.tensorMemory.columns != 0; }},
    {"nvvm.wgmma.", "warp-group MMA",
     [](const Architecture &arch) {
       return arch.mma == MmaInstruction::Wgmma;
     }},
    {"nvvm.clusterlaunchcontrol.", "cluster launch control",
     [](const Architecture &arch) { return arch.clusterLaunchControl; }},
};

static LogicalResult checkFamily(Operation *op, const Architecture &arch) {
  // An intrinsic is called as the operation is, with `llvm.` in front.
  StringRef name = op->getName().getStringRef();
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
    name = call.getIntrin();
    name.consume_front("llvm.");
  }
  for (const auto &family : families) {
    if (!name.starts_with(family.prefix) || family.exists(arch))
      continue;
    InFlightDiagnostic diag = op->emitError()
                              << "'" << name << "' needs " << family.what
                              << ", which " << arch.name << " does not have";
    std::string others;
    for (const Architecture &other : architectures())
      if (family.exists(other))
        others += (others.empty() ? "" : ", ") + other.name.str();
    diag << "; compile for " << others << " [unsupported-instruction]";
    return diag;
  }
  return success();
}

static LogicalResult checkKernels(ModuleOp module, const Architecture &arch) {
  bool hasKernel = false;
  for (auto func : module.getOps<LLVM::LLVMFuncOp>()) {
    if (func.isExternal() ||
        !func->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      continue;
    hasKernel = true;
    if (failed(checkTensorMaps(func, arch)) || failed(checkLaunch(func, arch)))
      return failure();
  }
  if (!hasKernel)
    return module.emitError("there is no kernel in this module: mark an "
                            "llvm.func with nvvm.kernel [no-kernel]");
  WalkResult result = module.walk([&](Operation *op) {
    return failed(checkFamily(op, arch)) ? WalkResult::interrupt()
                                         : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
class CheckKernels
    : public drawloom::target::impl::CheckKernelsBase<CheckKernels> {
public:
  using CheckKernelsBase::CheckKernelsBase;

  void runOnOperation() override {
    llvm::Expected<const Architecture *> found = findArchitecture(arch);
    if (!found) {
      getOperation().emitError() << llvm::toString(found.takeError());
      return signalPassFailure();
    }
    if (failed(checkKernels(getOperation(), **found)))
      signalPassFailure();
  }
};
} // namespace
