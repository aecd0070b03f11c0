//===- AgentToNVVM.cpp - Placed kernels to nvvm ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "drawloom/Analysis/AgentProgress/ReadVerdict.h"
#include "drawloom/Conversion/Passes.h"
#include "drawloom/Dialect/Tile/IR/Products.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace drawloom {
#define GEN_PASS_DEF_CONVERTAGENTTONVVM
#include "drawloom/Conversion/Passes.h.inc"
} // namespace drawloom

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::codegen;

/// Dynamic shared memory, which all kernels of a module call the same.
static constexpr llvm::StringLiteral sharedName = "shared_memory";
/// The most that a swizzle asks for.
static constexpr int64_t sharedAlignment = 1024;

namespace {
class ConvertAgentToNVVM
    : public drawloom::impl::ConvertAgentToNVVMBase<ConvertAgentToNVVM> {
  using ConvertAgentToNVVMBase::ConvertAgentToNVVMBase;

  void runOnOperation() override;
};

/// One kernel: what happens before, between and behind its roles.
class KernelEmitter {
public:
  KernelEmitter(tile::KernelOp kernel, bool unproved)
      : kernel(kernel), unproved(unproved) {}
  LogicalResult emit();

private:
  LogicalResult findPipes(SwitchOp op, KernelContext &context);
  void emitIdentity(ImplicitLocOpBuilder &b, KernelContext &context);
  void emitSetup(ImplicitLocOpBuilder &b, SwitchOp op, KernelContext &context);
  LogicalResult emitRoles(ImplicitLocOpBuilder &b, SwitchOp op,
                          KernelContext &context);
  void emitEnd(ImplicitLocOpBuilder &b, SwitchOp op, KernelContext &context);

  tile::KernelOp kernel;
  /// Emits roles that need not end.
  bool unproved;
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

LogicalResult KernelEmitter::findPipes(SwitchOp op, KernelContext &context) {
  for (PipeOp pipe : op->getBlock()->getOps<PipeOp>()) {
    PlaceAttr place = pipe.getPlaceAttr();
    if (!place)
      return pipe->emitOpError(
          "has no place: code is generated behind 'place-memory'");
    if (pipe.getPipe().getType().getMemory() == Memory::message)
      return pipe->emitOpError("carries messages, which has no code yet");
    PipeInfo info{pipe,
                  place,
                  plan::countArrivals(pipe, context.arch),
                  plan::getSlotFootprint(pipe),
                  *pipe.getProducerEngine(),
                  {},
                  {}};
    bool inTensor = pipe.getPipe().getType().getMemory() == Memory::tmem;
    int64_t column = 0;
    for (auto [index, type] :
         llvm::enumerate(pipe.getPipe().getType().getPayload())) {
      info.offsets.push_back(inTensor ? column : info.slot.offsets[index]);
      info.panels.push_back(inTensor ? std::nullopt : getPanels(pipe, index));
      if (auto tile = dyn_cast<RankedTensorType>(type); tile && inTensor)
        column += plan::getTileColumns(tile, /*ctas=*/1, context.arch);
    }
    context.pipes.insert({pipe.getPipe(), info});
  }
  return success();
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
  context.firstItem = NVVM::BlockIdXOp::create(b, i32);
  context.itemStep = NVVM::GridDimXOp::create(b, i32);
  context.shared = LLVM::AddressOfOp::create(
      b,
      LLVM::LLVMPointerType::get(
          b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared)),
      sharedName);
}

void KernelEmitter::emitSetup(ImplicitLocOpBuilder &b, SwitchOp op,
                              KernelContext &context) {
  when(b, isWarp(b, context, 0), [&] {
    Value elected = NVVM::ElectSyncOp::create(b, b.getI1Type(), Value());
    when(b, elected, [&] {
      for (auto &[value, pipe] : context.pipes)
        for (int64_t slot = 0; slot < pipe.op.getSlots(); ++slot) {
          int64_t offset = slot * plan::barrierBytes;
          NVVM::MBarrierInitOp::create(
              b, getShared(b, context, pipe.place.getFull() + offset),
              constant(b, pipe.counts.fullArrivals), Value());
          NVVM::MBarrierInitOp::create(
              b, getShared(b, context, pipe.place.getEmpty() + offset),
              constant(b, pipe.counts.emptyArrivals), Value());
        }
      // Engines see the barriers as they are now.
      NVVM::FenceMbarrierInitOp::create(b);
    });
  });
  std::optional<int64_t> columns = op.getTensorColumns();
  std::optional<int64_t> address = op.getTensorAddress();
  if (!columns || !address) {
    NVVM::BarrierOp::create(b);
    return;
  }
  Value place = getShared(b, context, *address);
  // The last warp allocates, while the first one sets up the barriers.
  when(b, isWarp(b, context, *op.getWarps() - 1), [&] {
    NVVM::Tcgen05AllocOp::create(b, place, constant(b, *columns));
    // The next CTA of this SM may allocate when this one has ended.
    NVVM::Tcgen05RelinquishAllocPermitOp::create(b);
  });
  // The allocation comes before every access by another warp.
  NVVM::Tcgen05FenceOp::create(b, NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
  NVVM::BarrierOp::create(b);
  NVVM::Tcgen05FenceOp::create(b, NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
  context.tensor = LLVM::LoadOp::create(b, b.getI32Type(), place);
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
    if (!role.getAt())
      return role->emitOpError(
          "has no warps: code is generated behind 'map-execution-units'");
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

void KernelEmitter::emitEnd(ImplicitLocOpBuilder &b, SwitchOp op,
                            KernelContext &context) {
  if (!context.tensor)
    return;
  // Every access of tensor memory comes before it is given back.
  NVVM::Tcgen05FenceOp::create(b, NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
  NVVM::BarrierOp::create(b);
  NVVM::Tcgen05FenceOp::create(b, NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
  when(b, isWarp(b, context, *op.getWarps() - 1), [&] {
    Value pointer = LLVM::IntToPtrOp::create(
        b,
        LLVM::LLVMPointerType::get(
            b.getContext(),
            static_cast<unsigned>(NVVM::NVVMMemorySpace::Tensor)),
        context.tensor);
    NVVM::Tcgen05DeallocOp::create(b, pointer,
                                   constant(b, *op.getTensorColumns()));
  });
}

/// Roles that may hang have no code unless somebody asks for it.
static LogicalResult checkVerdict(SwitchOp op) {
  llvm::Expected<std::optional<LaunchCondition>> verdict = readVerdict(op);
  if (verdict)
    return success();
  return op->emitOpError() << llvm::toString(verdict.takeError())
                           << "; 'unproved' asks for code all the same";
}

LogicalResult KernelEmitter::emit() {
  auto switches = kernel.getBody().front().getOps<SwitchOp>();
  if (switches.empty())
    return kernel->emitOpError(
        "has no roles: code is generated behind 'form-pipes'");
  if (failed(plan::checkRolesAreAll(kernel)))
    return failure();
  SwitchOp op = *switches.begin();
  const target::Architecture *arch = tile::getTarget(kernel);
  if (!arch)
    return kernel->emitOpError(
        "has no target: code is generated behind 'choose-schedule'");
  std::optional<int64_t> warps = op.getWarps();
  if (!warps)
    return op->emitOpError(
        "is not placed: code is generated behind 'place-memory'");
  if (!unproved && failed(checkVerdict(op)))
    return failure();
  if (failed(requireEngines(op)) || failed(tile::requireCode(kernel, *arch)))
    return failure();
  if (op.getClusterSize() != 1)
    return op->emitOpError("is for a cluster of CTAs, which has no code yet");
  if (failed(signature.collect(kernel, *arch)))
    return failure();

  OpBuilder outer(kernel);
  LLVM::LLVMFuncOp function = signature.create(kernel, outer);
  KernelContext context(*arch, signature);
  ImplicitLocOpBuilder b(kernel.getLoc(), outer);
  b.setInsertionPointToStart(function.addEntryBlock(b));
  if (failed(findPipes(op, context)))
    return failure();
  emitIdentity(b, context);
  emitSetup(b, op, context);
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (!isa<tile::ViewType>(argument.getType()))
      context.scalars[argument] = signature.getScalar(argument);
  Emitter prologue(context, b);
  if (failed(prologue.emitPrologue(kernel.getBody().front())))
    return failure();
  context.scalars = prologue.getScalars();
  context.tiles = prologue.getTiles();
  if (failed(emitRoles(b, op, context)))
    return failure();
  b.setLoc(kernel.getLoc());
  emitEnd(b, op, context);
  LLVM::ReturnOp::create(b, ValueRange());

  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    b.getDenseI32ArrayAttr(
                        {static_cast<int32_t>(*warps * arch->warpSize), 1, 1}));
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(1));
  // Without it ptxas cannot tell what setmaxnreg starts from, and ignores it.
  if (std::optional<int64_t> entry = op.getEntryRegisters())
    function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                      b.getI32IntegerAttr(*entry));
  if (std::optional<int64_t> bytes = op.getSharedBytes())
    function->setAttr(plan::sharedBytesAttrName, b.getI64IntegerAttr(*bytes));
  return success();
}

void ConvertAgentToNVVM::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<tile::KernelOp> kernels(module.getOps<tile::KernelOp>());
  if (kernels.empty())
    return;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto shared = LLVM::GlobalOp::create(
      b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), 0),
      /*isConstant=*/false, LLVM::Linkage::External, sharedName, Attribute(),
      sharedAlignment, static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  (void)shared;
  for (tile::KernelOp kernel : kernels) {
    if (failed(KernelEmitter(kernel, unproved).emit()))
      return signalPassFailure();
    kernel.erase();
  }
}
