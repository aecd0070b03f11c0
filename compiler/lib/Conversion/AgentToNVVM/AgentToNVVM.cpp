//===- AgentToNVVM.cpp - Placed kernels to nvvm ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "drawloom/Conversion/Passes.h"
#include "drawloom/Conversion/TileToNVVM/TileToNVVM.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace drawloom {
#define GEN_PASS_DEF_CONVERTAGENTTONVVM
#include "drawloom/Conversion/Passes.h.inc"
} // namespace drawloom

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::codegen;

namespace {
class ConvertAgentToNVVM
    : public drawloom::impl::ConvertAgentToNVVMBase<ConvertAgentToNVVM> {
  using ConvertAgentToNVVMBase::ConvertAgentToNVVMBase;

  void runOnOperation() override;
};

/// One kernel: what happens before, between and after its roles.
class KernelEmitter {
public:
  explicit KernelEmitter(tile::KernelOp kernel) : kernel(kernel) {}
  LogicalResult emit();

private:
  void emitIdentity(ImplicitLocOpBuilder &b, KernelContext &context);
  LogicalResult emitBody(ImplicitLocOpBuilder &b, KernelContext &context);
  void initBarriers(ImplicitLocOpBuilder &b, InitBarriersOp op,
                    KernelContext &context);
  LogicalResult emitRoles(ImplicitLocOpBuilder &b, SwitchOp op,
                          KernelContext &context);

  tile::KernelOp kernel;
  KernelSignature signature;
};
} // namespace

static Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}

static Value isWarp(ImplicitLocOpBuilder &b, KernelContext &context,
                    int64_t warp) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, context.warp,
                               constant(b, warp));
}

/// first <= warp < last.
static Value isAmong(ImplicitLocOpBuilder &b, KernelContext &context,
                     int64_t first, int64_t last) {
  Value distance = arith::SubIOp::create(b, context.warp, constant(b, first));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, distance,
                               constant(b, last - first));
}

static Value getShared(ImplicitLocOpBuilder &b, KernelContext &context,
                       int64_t offset) {
  return LLVM::GEPOp::create(
      b, context.shared.getType(), b.getI8Type(), context.shared,
      ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(static_cast<int32_t>(offset))});
}

/// Runs `body` with the builder inside of a branch.
static void when(ImplicitLocOpBuilder &b, Value condition,
                 llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  body();
}

void KernelEmitter::emitIdentity(ImplicitLocOpBuilder &b,
                                 KernelContext &context) {
  Type i32 = b.getI32Type();
  Value thread = NVVM::ThreadIdXOp::create(b, i32);
  Value warp = arith::ShRUIOp::create(b, thread, constant(b, 5));
  // All lanes read it from one: then ptxas knows that roles are whole warps.
  context.warp =
      NVVM::ShflOp::create(b, i32, constant(b, -1), warp, constant(b, 0),
                           constant(b, 31), NVVM::ShflKind::idx, UnitAttr());
  context.lane = arith::AndIOp::create(b, thread, constant(b, 31));
  context.cta = NVVM::BlockIdXOp::create(b, i32);
  context.ctas = NVVM::GridDimXOp::create(b, i32);
  context.shared = LLVM::AddressOfOp::create(
      b,
      LLVM::LLVMPointerType::get(
          b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared)),
      sharedMemoryName);
}

void KernelEmitter::initBarriers(ImplicitLocOpBuilder &b, InitBarriersOp op,
                                 KernelContext &context) {
  when(b, isWarp(b, context, 0), [&] {
    Value elected = NVVM::ElectSyncOp::create(b, b.getI1Type(), Value());
    when(b, elected, [&] {
      for (Value value : op.getBarriers()) {
        auto ring = value.getDefiningOp<BarriersOp>();
        for (int64_t slot = 0; slot < ring.getCount(); ++slot)
          NVVM::MBarrierInitOp::create(
              b,
              getShared(b, context, ring.getAt() + slot * plan::barrierBytes),
              constant(b, ring.getArrivals()), Value());
      }
      // Engines see the barriers as they are now.
      NVVM::FenceMbarrierInitOp::create(b);
    });
  });
}

LogicalResult KernelEmitter::emitRoles(ImplicitLocOpBuilder &b, SwitchOp op,
                                       KernelContext &context) {
  // Roles by the warp groups that they are in. A role of several groups has
  // them for itself; setmaxnreg takes all warps of a group, idle ones too.
  struct Group {
    int64_t last;
    SmallVector<RoleOp> roles;
  };
  llvm::MapVector<int64_t, Group> groups;
  for (RoleOp role : op.getRoles()) {
    int64_t first = *role.getAt() / plan::warpsPerGroup;
    int64_t last = (*role.getAt() + role.getWarps() - 1) / plan::warpsPerGroup;
    Group &group = groups[first];
    group.last = last;
    group.roles.push_back(role);
  }
  int64_t entry = op.getEntryRegisters().value_or(0);
  LogicalResult result = success();
  for (auto &[first, group] : groups) {
    Value inGroup = isAmong(b, context, first * plan::warpsPerGroup,
                            (group.last + 1) * plan::warpsPerGroup);
    when(b, inGroup, [&, &group = group] {
      if (std::optional<int64_t> count = group.roles.front().getRegisters();
          count && entry && *count != entry)
        NVVM::SetMaxRegisterOp::create(
            b, *count,
            *count > entry ? NVVM::SetMaxRegisterAction::increase
                           : NVVM::SetMaxRegisterAction::decrease);
      for (RoleOp role : group.roles) {
        b.setLoc(role.getLoc());
        Value mine =
            isAmong(b, context, *role.getAt(), *role.getAt() + role.getWarps());
        when(b, mine, [&] {
          if (failed(result) || failed(Emitter(context, b).emitRole(role)))
            result = failure();
        });
      }
    });
  }
  return result;
}

/// What stands outside of the roles, and the roles.
LogicalResult KernelEmitter::emitBody(ImplicitLocOpBuilder &b,
                                      KernelContext &context) {
  Emitter outside(context, b);
  for (Operation &operation : kernel.getBody().front().without_terminator()) {
    b.setLoc(operation.getLoc());
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(&operation)
            .Case<SlotsOp, BarriersOp>([](auto) { return success(); })
            .Case([&](InitBarriersOp op) {
              initBarriers(b, op, context);
              return success();
            })
            .Case([&](AllocTensorOp op) {
              when(b, isWarp(b, context, op.getWarp()), [&] {
                NVVM::Tcgen05AllocOp::create(b,
                                             getShared(b, context, op.getTo()),
                                             constant(b, op.getColumns()));
                // The next CTA of this SM may allocate when this one has ended.
                NVVM::Tcgen05RelinquishAllocPermitOp::create(b);
              });
              return success();
            })
            .Case([&](TensorAddressOp op) {
              context.tensor = LLVM::LoadOp::create(
                  b, b.getI32Type(), getShared(b, context, op.getFrom()));
              return success();
            })
            .Case([&](FreeTensorOp op) {
              when(b, isWarp(b, context, op.getWarp()), [&] {
                auto type = LLVM::LLVMPointerType::get(
                    b.getContext(),
                    static_cast<unsigned>(NVVM::NVVMMemorySpace::Tensor));
                NVVM::Tcgen05DeallocOp::create(
                    b, LLVM::IntToPtrOp::create(b, type, context.tensor),
                    constant(b, op.getColumns()));
              });
              return success();
            })
            .Case([&](SwitchOp op) {
              context.scalars = outside.getScalars();
              context.tiles = outside.getTiles();
              return emitRoles(b, op, context);
            })
            .Default([&](Operation *op) { return outside.emitOutside(op); });
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult KernelEmitter::emit() {
  if (failed(checkProtocol(kernel)))
    return failure();
  const target::Architecture *arch = tile::getTarget(kernel);
  SwitchOp op = *kernel.getBody().front().getOps<SwitchOp>().begin();
  int64_t warps = *op.getWarps();
  if (failed(signature.collect(kernel, *arch)))
    return failure();

  OpBuilder outer(kernel);
  LLVM::LLVMFuncOp function = signature.create(kernel, outer);
  KernelContext context(*arch, signature);
  ImplicitLocOpBuilder b(kernel.getLoc(), outer);
  b.setInsertionPointToStart(function.addEntryBlock(b));
  emitIdentity(b, context);
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (!isa<tile::ViewType>(argument.getType()))
      context.scalars[argument] = signature.getScalar(argument);
  if (failed(emitBody(b, context)))
    return failure();
  b.setLoc(kernel.getLoc());
  LLVM::ReturnOp::create(b, ValueRange());

  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    b.getDenseI32ArrayAttr(
                        {static_cast<int32_t>(warps * arch->warpSize), 1, 1}));
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(1));
  // Without it ptxas cannot tell what setmaxnreg starts from, and ignores it.
  if (std::optional<int64_t> entry = op.getEntryRegisters())
    function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                      b.getI32IntegerAttr(*entry));
  if (std::optional<int64_t> bytes = op.getSharedBytes())
    function->setAttr(sharedBytesAttrName, b.getI64IntegerAttr(*bytes));
  return success();
}

void ConvertAgentToNVVM::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<tile::KernelOp> kernels(module.getOps<tile::KernelOp>());
  if (kernels.empty())
    return;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  LLVM::GlobalOp::create(b, module.getLoc(),
                         LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                         /*isConstant=*/false, LLVM::Linkage::External,
                         sharedMemoryName, Attribute(), sharedMemoryAlignment,
                         static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  for (tile::KernelOp kernel : kernels) {
    if (failed(KernelEmitter(kernel).emit()))
      return signalPassFailure();
    kernel.erase();
  }
}
