//===- CheckKernel.cpp - Whether a kernel is ready for code ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckKernel.h"
#include "drawloom/Dialect/Agent/IR/MessageOps.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::codegen;

/// Whether the memory of a slot can be found.
static bool isKnown(Value value) {
  return llvm::TypeSwitch<Type, bool>(value.getType())
      .Case([&](SlotsType) { return value.getDefiningOp<SlotsOp>(); })
      .Case([&](BarriersType) { return value.getDefiningOp<BarriersOp>(); })
      .Case([&](BarrierType) { return value.getDefiningOp<BarrierOp>(); })
      .Case([&](tile::BufferType) {
        return isa_and_present<SlotOp, tile::AllocOp, tile::TransposeViewOp>(
            value.getDefiningOp());
      })
      .Default([](Type) { return true; });
}

/// Where in shared memory the message ends that an operation reads or writes at
/// a place of its own; nothing if it has none.
static std::optional<int64_t> findEnd(Operation *op) {
  constexpr int64_t numberBytes = 4, answerBytes = 16;
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](ClusterBroadcastOp op) { return op.getTo() + numberBytes; })
      .Case([&](ClusterReceiveOp op) { return op.getFrom() + numberBytes; })
      .Case([&](ClcTryCancelOp op) { return op.getTo() + answerBytes; })
      .Case([&](ClcQueryOp op) { return op.getFrom() + answerBytes; })
      .Default([](Operation *) { return std::nullopt; });
}

/// Why an operation is not one that the passes before this one leave; empty if
/// it is.
static StringRef findError(Operation *op, const target::Architecture &arch,
                           bool hasTensorMemory,
                           std::optional<int64_t> sharedBytes) {
  if (!llvm::all_of(op->getOperands(), isKnown))
    return "takes slots or barriers that are not made by name in this kernel";
  if (isa<PipeOp, ItemsOp, ForEachItemOp, NextTileOp, LeadsOp, VariableOp>(op))
    return "must be lowered before code is generated";
  if (isa<ElectOp>(op) && !op->getParentOfType<RoleOp>())
    return "elects a thread outside a role";
  if (auto role = dyn_cast<RoleOp>(op); role && !role.getAt())
    return "has no warps";
  if (auto slots = dyn_cast<SlotsOp>(op);
      slots && !hasTensorMemory &&
      slots.getSlots().getType().getMemory() == Memory::tmem)
    return "is in tensor memory that is not allocated";
  if (isa<ClcTryCancelOp, ClcQueryOp>(op) && !arch.clusterLaunchControl)
    return "needs cluster launch control, which this GPU does not have";
  bool hasTcgen05 = arch.mma == target::MmaInstruction::Tcgen05;
  if (hasTcgen05 ? isa<IssueOp, AddMmaOp>(op)
                 : isa<MultiplyOp, AllocTensorOp>(op))
    return "is not the MMA instruction of this GPU";
  if (std::optional<int64_t> end = findEnd(op);
      end && *end > sharedBytes.value_or(0))
    return "is outside the shared memory that 'place-memory' has laid out";
  if (isa<tile::MmaOp>(op))
    return "must be lowered before code is generated";
  if (auto drain = dyn_cast<DrainOp>(op);
      drain && drain.getWork() == Work::wgmma)
    return "waits for MMAs that don't say when they are issued";
  return "";
}

LogicalResult codegen::checkKernel(tile::KernelOp kernel) {
  auto switches = kernel.getBody().front().getOps<SwitchOp>();
  const target::Architecture *arch = tile::getTarget(kernel);
  if (switches.empty() || !arch || !(*switches.begin()).getWarps())
    return kernel->emitOpError(
        "has no roles that are placed: code is generated after 'lower-pipes' "
        "and 'schedule-wgmma' [pass-order]");
  bool hasTensorMemory =
      llvm::any_of(kernel.getBody().front().getOps<TensorAddressOp>(),
                   [&](TensorAddressOp op) {
                     return op->isBeforeInBlock(*switches.begin());
                   });
  WalkResult result = kernel.walk([&](Operation *op) {
    StringRef error = findError(op, *arch, hasTensorMemory,
                                (*switches.begin()).getSharedBytes());
    if (error.empty())
      return WalkResult::advance();
    op->emitOpError()
        << error
        << "; run 'lower-pipes' and 'schedule-wgmma' first [pass-order]";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  for (RoleOp role : (*switches.begin()).getRoles())
    if (failed(checkLayouts(role)))
      return failure();
  result = kernel.walk([&](Operation *op) {
    if (!isa<IssueOp, AddMmaOp>(op) || !op->use_empty())
      return WalkResult::advance();
    op->emitOpError("is an MMA that no agent.await waits for: pass its result "
                    "to one [mma-not-awaited]");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
