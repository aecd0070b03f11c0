//===- AgentToNVVM.cpp - Placed kernels to nvvm ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A kernel becomes a function in three steps:
//
//   values     what every thread knows when it starts, and what a role computes
//              once: made before anything is converted, never changed
//   patterns   one for each operation, by family (Patterns.h)
//   dispatch   the roles become branches on the number of the warp
//
// What has no code was rejected before the first step, so that no pattern
// fails.

#include "CheckKernel.h"
#include "Patterns.h"
#include "drawloom/Conversion/Passes.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace drawloom {
#define GEN_PASS_DEF_CONVERTAGENTTONVVM
#include "drawloom/Conversion/Passes.h.inc"
} // namespace drawloom

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::codegen;

/// The variable that all of a CTA's shared memory is, the same for all kernels
/// of a module, and how it is aligned: the most that a swizzle asks for.
static constexpr llvm::StringLiteral sharedMemoryName = "shared_memory";
static constexpr int64_t sharedMemoryAlignment = 1024;

namespace {
class ConvertAgentToNVVM
    : public drawloom::impl::ConvertAgentToNVVMBase<ConvertAgentToNVVM> {
  using ConvertAgentToNVVMBase::ConvertAgentToNVVMBase;

  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}

static void addKernelValues(ImplicitLocOpBuilder &b, KernelValues &values) {
  Type i32 = b.getI32Type();
  Value thread = NVVM::ThreadIdXOp::create(b, i32);
  Value warp = arith::ShRUIOp::create(b, thread, constant(b, 5));
  // All lanes read it from one: then ptxas knows that roles are whole warps.
  values.warp =
      NVVM::ShflOp::create(b, i32, constant(b, -1), warp, constant(b, 0),
                           constant(b, 31), NVVM::ShflKind::idx, UnitAttr());
  values.lane = arith::AndIOp::create(b, thread, constant(b, 31));
  values.cta = NVVM::BlockIdXOp::create(b, i32);
  values.ctas = NVVM::GridDimXOp::create(b, i32);
  values.shared = LLVM::AddressOfOp::create(
      b, getPointerType(b.getContext(), NVVM::NVVMMemorySpace::Shared),
      sharedMemoryName);
}

static void addRoleValues(RoleOp role, const tile::Schedule &schedule,
                          KernelValues &kernel) {
  auto b = ImplicitLocOpBuilder::atBlockBegin(role.getLoc(),
                                              &role.getBody().front());
  RoleValues values;
  // One thread of a warp issues copies and MMAs, always the same one, so
  // that it can wait for what it has started.
  values.elected = NVVM::ElectSyncOp::create(b, b.getI1Type(), Value());
  values.warp = arith::SubIOp::create(b, kernel.warp,
                                      constant(b, role.getAt().value_or(0)));
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                        values.warp, constant(b, 0));
  values.leader = arith::AndIOp::create(b, values.elected, isFirst);
  // A warp reaches the lanes of tensor memory that its number modulo four says;
  // the lane is in the upper half of an address.
  Value part = arith::AndIOp::create(b, kernel.warp, constant(b, 3));
  values.tensorLane = arith::ShLIOp::create(b, part, constant(b, 16 + 5));
  addDescriptors(b, role, kernel, values);
  addPolicies(b, role, schedule, values);
  kernel.roles[role] = std::move(values);
}

/// Scalars are parameters; `index` has 32 bits there.
static void replaceScalars(ImplicitLocOpBuilder &b, tile::KernelOp kernel,
                           const KernelSignature &signature,
                           unsigned arguments) {
  for (BlockArgument argument :
       kernel.getBody().getArguments().take_front(arguments)) {
    if (isa<tile::ViewType>(argument.getType()))
      continue;
    Value parameter = signature.getScalar(argument);
    if (parameter.getType() != argument.getType())
      parameter =
          UnrealizedConversionCastOp::create(b, argument.getType(), parameter)
              .getResult(0);
    argument.replaceAllUsesWith(parameter);
  }
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

static void addTypes(TypeConverter &types) {
  types.addConversion([](Type type) { return getRegisterType(type); });
  types.addConversion([](RankedTensorType tile) -> std::optional<Type> {
    if (isa_and_present<tile::LayoutAttr>(tile.getEncoding()))
      return getVectorType(tile);
    return std::nullopt;
  });
  types.addConversion([](InFlightType accumulator) -> Type {
    return getVectorType(accumulator.getTile());
  });
  types.addConversion([](BarrierType type) -> Type {
    return getPointerType(type.getContext(), NVVM::NVVMMemorySpace::Shared);
  });
  types.addConversion([](tile::BufferType buffer) -> Type {
    if (buffer.getSpace() == tile::Space::Tmem)
      return IntegerType::get(buffer.getContext(), 32);
    return getPointerType(buffer.getContext(), NVVM::NVVMMemorySpace::Shared);
  });
  auto cast = [](OpBuilder &b, Type type, ValueRange values, Location loc) {
    return UnrealizedConversionCastOp::create(b, loc, type, values)
        .getResult(0);
  };
  types.addSourceMaterialization(cast);
  types.addTargetMaterialization(cast);
}

static LogicalResult convertBody(tile::KernelOp kernel,
                                 const KernelValues &values) {
  MLIRContext *context = kernel.getContext();
  TypeConverter types;
  addTypes(types);
  RewritePatternSet patterns(context);
  PatternList list{types, values, patterns};
  addControl(list);
  addProtocol(list);
  addCopies(list);
  addShared(list);
  addConvertLayout(list);
  addElementwise(list);
  addReductions(list);
  addGlobalAccess(list);
  addTcgen05(list);
  addWgmma(list);

  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([](Operation *) { return false; });
  target.addLegalDialect<NVVM::NVVMDialect, LLVM::LLVMDialect,
                         vector::VectorDialect>();
  // The frame stays until the dispatch, and what only has a name.
  target.addLegalOp<tile::KernelOp, tile::ReturnOp, SwitchOp, RoleOp, YieldOp,
                    SlotsOp, BarriersOp, tile::SubviewOp>();
  target.addDynamicallyLegalDialect<arith::ArithDialect, math::MathDialect,
                                    scf::SCFDialect>([&](Operation *op) {
    return types.isLegal(op) && !isFunction(op) &&
           !isa<arith::CeilDivUIOp>(op) &&
           llvm::all_of(op->getRegions(),
                        [&](Region &region) { return types.isLegal(&region); });
  });
  target.addLegalOp<UnrealizedConversionCastOp>();
  // The canonicalizer folds later, and once.
  ConversionConfig config;
  config.foldingMode = DialectConversionFoldingMode::Never;
  if (failed(applyFullConversion(kernel, target, std::move(patterns), config)))
    return failure();
  // Of scalar parameters.
  SmallVector<UnrealizedConversionCastOp> casts;
  kernel.walk([&](UnrealizedConversionCastOp op) { casts.push_back(op); });
  reconcileUnrealizedCasts(casts);
  SmallVector<Operation *> names;
  kernel.walk([&](Operation *op) {
    if (isa<SlotsOp, BarriersOp, tile::SubviewOp>(op))
      names.push_back(op);
  });
  for (Operation *name : llvm::reverse(names))
    name->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

/// first <= warp < last.
static Value isAmong(ImplicitLocOpBuilder &b, const KernelValues &values,
                     int64_t first, int64_t last) {
  Value distance = arith::SubIOp::create(b, values.warp, constant(b, first));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, distance,
                               constant(b, last - first));
}

/// A branch, with the builder inside it.
static void enter(ImplicitLocOpBuilder &b, Value condition) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  b.setInsertionPoint(branch.thenYield());
}

static void dispatch(SwitchOp op, const KernelValues &values) {
  // Roles by the warp groups that they are in. A role of several groups has
  // them for itself; setmaxnreg takes all warps of a group, idle ones too.
  struct Group {
    int64_t last;
    SmallVector<RoleOp> roles;
  };
  llvm::MapVector<int64_t, Group> groups;
  for (RoleOp role : op.getRoles()) {
    int64_t first = *role.getAt() / target::warpsPerGroup;
    int64_t last =
        (*role.getAt() + role.getWarps() - 1) / target::warpsPerGroup;
    Group &group = groups[first];
    group.last = last;
    group.roles.push_back(role);
  }
  int64_t entry = op.getEntryRegisters().value_or(0);
  ImplicitLocOpBuilder b(op.getLoc(), op);
  for (auto &[first, group] : groups) {
    OpBuilder::InsertionGuard guard(b);
    enter(b, isAmong(b, values, first * target::warpsPerGroup,
                     (group.last + 1) * target::warpsPerGroup));
    if (std::optional<int64_t> count = group.roles.front().getRegisters();
        count && entry && *count != entry)
      NVVM::SetMaxRegisterOp::create(
          b, *count,
          *count > entry ? NVVM::SetMaxRegisterAction::increase
                         : NVVM::SetMaxRegisterAction::decrease);
    for (RoleOp role : group.roles) {
      OpBuilder::InsertionGuard guard(b);
      b.setLoc(role.getLoc());
      enter(b,
            isAmong(b, values, *role.getAt(), *role.getAt() + role.getWarps()));
      Block &body = role.getBody().front();
      body.getTerminator()->erase();
      Block *branch = b.getInsertionBlock();
      branch->getOperations().splice(b.getInsertionPoint(),
                                     body.getOperations());
    }
  }
  op.erase();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// How the kernel is launched and what ptxas must know of it, as attributes of
/// its function.
static NamedAttrList getLaunchAttributes(Builder &b, SwitchOp roles,
                                         const target::Architecture &arch) {
  NamedAttrList attributes;
  attributes.set(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  int64_t threads = *roles.getWarps() * arch.warpSize;
  attributes.set(NVVM::NVVMDialect::getReqntidAttrName(),
                 b.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  attributes.set(NVVM::NVVMDialect::getMinctasmAttrName(),
                 b.getI32IntegerAttr(1));
  // A grid is one row of CTAs, so a cluster is one, too.
  if (int64_t cluster = roles.getClusterSize(); cluster != 1)
    attributes.set(
        NVVM::NVVMDialect::getClusterDimAttrName(),
        b.getDenseI32ArrayAttr({static_cast<int32_t>(cluster), 1, 1}));
  // Without it ptxas cannot tell what setmaxnreg starts from, and ignores it.
  if (std::optional<int64_t> entry = roles.getEntryRegisters())
    attributes.set(NVVM::NVVMDialect::getMaxnregAttrName(),
                   b.getI32IntegerAttr(*entry));
  if (std::optional<int64_t> bytes = roles.getSharedBytes())
    attributes.set(sharedBytesAttrName, b.getI64IntegerAttr(*bytes));
  return attributes;
}

static LogicalResult convertKernel(tile::KernelOp kernel) {
  if (failed(checkKernel(kernel)))
    return failure();
  const target::Architecture *arch = tile::getTarget(kernel);
  KernelSignature signature;
  if (failed(signature.collect(kernel, *arch)))
    return failure();
  Block &body = kernel.getBody().front();
  unsigned arguments = body.getNumArguments();
  signature.addParameters(kernel);

  KernelValues values(*arch, signature, kernel);
  auto b = ImplicitLocOpBuilder::atBlockBegin(kernel.getLoc(), &body);
  addKernelValues(b, values);
  replaceScalars(b, kernel, signature, arguments);
  for (TensorAddressOp op : body.getOps<TensorAddressOp>())
    values.tensor = op.getAddress();
  SwitchOp roles = *body.getOps<SwitchOp>().begin();
  tile::Schedule schedule = tile::getSchedule(kernel);
  prefetchMaps(b, roles, values);
  values.inCluster = roles.getClusterSize() > 1;
  for (RoleOp role : roles.getRoles())
    if (role.getScope() == Scope::pair)
      values.group = NVVM::CTAGroupKind::CTA_2;
  for (RoleOp role : roles.getRoles())
    addRoleValues(role, schedule, values);
  if (failed(convertBody(kernel, values)))
    return failure();

  NamedAttrList attributes = getLaunchAttributes(b, roles, *arch);
  dispatch(roles, values);
  Operation *end = body.getTerminator();
  b.setInsertionPoint(end);
  LLVM::ReturnOp::create(b, ValueRange());
  end->erase();

  LLVM::LLVMFuncOp function = signature.create(kernel);
  for (NamedAttribute attribute : attributes)
    function->setAttr(attribute.getName(), attribute.getValue());
  // `place-pragmas` reads them when all instructions are there.
  if (!schedule.pragmas.empty()) {
    tile::Schedule pragmas;
    pragmas.pragmas = schedule.pragmas;
    tile::setSchedule(function, pragmas);
  }
  kernel.erase();
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
  for (tile::KernelOp kernel : kernels)
    if (failed(convertKernel(kernel)))
      return signalPassFailure();
}
