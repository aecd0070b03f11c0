//===- LowerPipes.cpp - The protocol, written out -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A placed kernel says who fills and empties the slots of each pipe. From that
// follows everything that a kernel by hand would say: who waits for which
// barrier with which parity, who arrives, and which fence stands where. This
// pass says it. No number is decided here: places come from the attributes of
// the plan, counts and bytes from who stands on each side (Engines.h).
//
//   RoleLowering.h     a role
//   LowerLoops.cpp     loops, which carry the rings
//   LowerMessages.cpp  messages, and the next work tile
//   LowerEnds.cpp      produce and consume
//   LowerPeers.cpp     slots that CTAs of a cluster fill for each other
//   LowerMmas.cpp      accumulators in tensor memory
//   LowerTails.cpp     the end of a role

#include "PlacedRoles.h"
#include "RoleLowering.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/Slots/Multicast.h"
#include "drawloom/Analysis/Slots/Placement.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_LOWERPIPES
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

Value RoleLowering::constant(int64_t value, unsigned bits) {
  return arith::ConstantOp::create(
      b, b.getIntegerAttr(b.getIntegerType(bits), value));
}

void RoleLowering::when(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  body();
}

Value RoleLowering::elect(Participants participants) {
  Value &one = elected[static_cast<unsigned>(participants)];
  if (!one) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(start);
    one = ElectOp::create(b, b.getI1Type(), participants);
  }
  return one;
}

LogicalResult RoleLowering::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(lowerOp(&op)))
      return failure();
  return success();
}

LogicalResult RoleLowering::lowerOp(Operation *op) {
  b.setLoc(op->getLoc());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return lowerFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return lowerWhile(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && !findRings(op).empty())
    return lowerIf(branch);
  if (auto publish = dyn_cast<PublishOp>(op))
    return lowerPublish(publish), success();
  if (auto receive = dyn_cast<ReceiveOp>(op))
    return lowerReceive(receive), success();
  if (auto next = dyn_cast<NextTileOp>(op))
    return lowerNextTile(next), success();
  if (auto leads = dyn_cast<LeadsOp>(op))
    return map.map(leads.getLeads(), isLeader), success();
  if (auto produce = dyn_cast<ProduceOp>(op))
    return lowerProduce(produce);
  if (auto consume = dyn_cast<ConsumeOp>(op))
    return lowerConsume(consume);
  if (plan::isTcgen05Mma(op, arch))
    return lowerMma(cast<tile::MmaOp>(op));
  // Zeros that accumulators in tensor memory start from are in no register.
  if (isa<arith::ConstantOp, tensor::SplatOp>(op) &&
      isa<RankedTensorType>(op->getResult(0).getType()) &&
      !plan::isInRegisters(op->getResult(0)))
    return success();
  // Of a tile that a pair halves, this is half.
  if (auto transpose = dyn_cast<tile::TransposeOp>(op))
    if (Value source = map.lookupOrNull(transpose.getSource());
        source && source.getType() != transpose.getSource().getType()) {
      map.map(op->getResult(0),
              tile::TransposeOp::create(b, source, transpose.getPermutation())
                  .getResult());
      return success();
    }
  if (auto store = dyn_cast<tile::StoreOp>(op))
    if (Value buffer = stored.lookup(store.getValue())) {
      lowerPut(store, buffer);
      return success();
    }
  b.clone(*op, map);
  return success();
}

FailureOr<std::unique_ptr<Region>> RoleLowering::run() {
  auto body = std::make_unique<Region>();
  start = b.createBlock(body.get());
  // The role that fills a slot finds it empty at first: the phase before the
  // first one is complete.
  Value zero = constant(0), one = constant(1);
  for (auto &[value, pipe] : pipes) {
    rings[{value, Fills}] = {zero, one, {}};
    rings[{value, Empties}] = {zero, zero, {}};
  }
  if (nextTile.full)
    rings[{nextTile.full, Empties}] = {zero, zero, {}};
  findPeers();
  bool receives = role.walk([](ReceiveOp) { return WalkResult::interrupt(); })
                      .wasInterrupted();
  // Of a pair, one CTA acts for both; the other one receives what it sends.
  if (actsForPair(role) && !receives)
    b.setInsertionPoint(
        scf::IfOp::create(b, isLeader, /*withElseRegion=*/false).thenYield());
  startLags(role);
  if (failed(lowerBlock(role.getBody().front())))
    return failure();
  b.setLoc(role.getLoc());
  endLags(role);
  awaitLastCommits();
  awaitPeers();
  b.setInsertionPointToEnd(start);
  YieldOp::create(b);
  return body;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
class LowerPipes : public agent::impl::LowerPipesBase<LowerPipes> {
  using LowerPipesBase::LowerPipesBase;

  void runOnOperation() override;
  LogicalResult check(SwitchOp roles);
  FailureOr<LoweredPipes> lowerMemory(SwitchOp roles,
                                      const target::Architecture &arch,
                                      ImplicitLocOpBuilder &b);
  NextTile lowerNextTile(SwitchOp roles, const target::Architecture &arch,
                         ImplicitLocOpBuilder &b);
  void setUp(SwitchOp roles, const LoweredPipes &pipes,
             const NextTile &nextTile, ImplicitLocOpBuilder &b);
};
} // namespace

/// An error if other CTAs have to do with a pipe in a way that has no code.
static LogicalResult checkScope(PipeOp pipe) {
  if (pipe.getScope() == Scope::cta)
    return success();
  bool fillsForPair = llvm::any_of(pipe.getProducers(), actsForPair);
  bool emptiesForPair = llvm::any_of(pipe.getConsumers(), actsForPair);
  if (!plan::isMulticast(pipe) && !fillsForPair && !emptiesForPair)
    return pipe->emitOpError()
           << "has scope(" << stringifyScope(pipe.getScope())
           << "), and only tiles that are loaded with multicast, that a pair "
              "multiplies, or that are gathered, have code for it [pipe-scope]";
  if (plan::getGather(pipe))
    return success();
  Engine needed = fillsForPair ? Engine::tensor_core : Engine::tma;
  if (*pipe.getProducerEngine() != needed)
    return pipe->emitOpError()
           << "holds tiles that CTAs of a cluster share and is filled by("
           << stringifyEngine(*pipe.getProducerEngine())
           << "); only TMA writes to other CTAs [pipe-scope]";
  for (Operation *user : pipe.getPipe().getUsers())
    if (auto produce = dyn_cast<ProduceOp>(user); produce && emptiesForPair)
      for (auto load : produce.getBody().getOps<tile::LoadOp>())
        if (isa<RankedTensorType>(load.getType()) &&
            !isa<BlockArgument>(load.getView()))
          return load->emitOpError(
              "is for a CTA pair and loads a subview, whose edge tiles are "
              "copied with cp.async; the leader expects the bytes of both "
              "CTAs, so TMA has to load them [pipe-scope]");
  // The swizzle of shared memory repeats after so many rows.
  constexpr int64_t patternRows = 8;
  SmallVector<int64_t> cluster = plan::getPeerCluster(pipe.getSwitch());
  for (auto [type, along] :
       llvm::zip_equal(plan::getHeldTypes(pipe), plan::getMulticasts(pipe))) {
    int64_t parts = plan::countAlong(cluster, along);
    int64_t rows = cast<RankedTensorType>(type).getDimSize(0);
    if (!along.empty() && rows % (parts * patternRows) != 0)
      return pipe->emitOpError()
             << "holds a " << type << " that " << parts
             << " CTAs share; a part is a multiple of " << patternRows
             << " rows, and " << rows << " % (" << parts << " x " << patternRows
             << ") = " << rows % (parts * patternRows) << " [pipe-scope]";
  }
  return success();
}

/// The dimension of an operand that the CTAs of a pair halve, as the MMA
/// has it; nothing if each holds all of it.
static std::optional<int64_t> getHalvedDim(Value operand) {
  bool transposed = false;
  while (auto transpose = operand.getDefiningOp<tile::TransposeOp>()) {
    transposed ^= transpose.getPermutation()[0] == 1;
    operand = transpose.getSource();
  }
  auto argument = dyn_cast<BlockArgument>(operand);
  auto consume = argument
                     ? dyn_cast<ConsumeOp>(argument.getOwner()->getParentOp())
                     : nullptr;
  if (!consume)
    return std::nullopt;
  for (auto [number, pipe] : llvm::enumerate(consume.getPipes()))
    for (auto [held, whole] :
         llvm::zip_equal(plan::getHeldTypes(pipe.getDefiningOp<PipeOp>()),
                         consume.getSlotArguments(number))) {
      if (whole != argument || held == whole.getType())
        continue;
      bool byRows = cast<ShapedType>(held).getDimSize(0) !=
                    cast<ShapedType>(whole.getType()).getDimSize(0);
      return byRows != transposed ? 0 : 1;
    }
  return std::nullopt;
}

/// An error if an MMA and its role don't agree about pairs.
static LogicalResult checkPair(tile::MmaOp op) {
  auto role = op->getParentOfType<RoleOp>();
  if (op.getPair() != actsForPair(role))
    return op->emitOpError()
           << (op.getPair() ? "is of a pair" : "is of one CTA") << ", but @"
           << role.getSymName() << " acts for a "
           << stringifyScope(role.getScope()) << "; "
           << (op.getPair() ? "give the role scope(pair)"
                            : "say 'pair' here as well")
           << " [cta-pair]";
  std::optional<int64_t> b = getHalvedDim(op.getB());
  if (getHalvedDim(op.getA()) || (op.getPair() ? b != 0 : b.has_value()))
    return op->emitOpError()
           << (op.getPair()
                   ? "is of a pair, whose CTAs each hold all rows and columns "
                     "of A, and half of the rows of B"
                   : "is of one CTA, which holds all of A and B")
           << "; its loads say something else by 'halved'" << " [cta-pair]";
  return success();
}

/// An error unless there is code for what acts for what.
LogicalResult LowerPipes::check(SwitchOp roles) {
  if (roles.getItems() != Scope::cta)
    return roles->emitOpError()
           << "has items(" << stringifyScope(roles.getItems())
           << "): CTAs that take a work tile together have no code yet; let "
              "each take its own [unsupported-scope]";
  for (RoleOp role : roles.getRoles()) {
    if (!role.getAt())
      return role->emitOpError("has no warps: code is generated after "
                               "'map-execution-units' [pass-order]");
    bool multiplies =
        role.walk([](tile::MmaOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (role.getScope() != Scope::cta && !(actsForPair(role) && multiplies))
      return role->emitOpError()
             << "acts for a " << stringifyScope(role.getScope())
             << ", which has no code yet; use a role of each CTA "
                "[unsupported-scope]";
  }
  ArrayRef<int64_t> cluster = roles.getCluster().value_or(ArrayRef<int64_t>());
  if (plan::hasPairs(roles) && cluster[plan::getPairDim(roles)] % 2 != 0)
    return roles->emitOpError()
           << "has pairs in a cluster of [" << cluster
           << "]; they are neighbors along the first dimension that has "
              "several CTAs, so it needs an even number [cta-pair]";
  if (roles.walk([](tile::MmaOp op) -> WalkResult { return checkPair(op); })
          .wasInterrupted())
    return failure();
  for (PipeOp pipe : roles->getBlock()->getOps<PipeOp>())
    if (failed(checkScope(pipe)))
      return failure();
  return success();
}

/// Where each tile of a pipe starts in a slot: bytes, or columns.
static SmallVector<int64_t> getOffsets(PipeOp pipe,
                                       const plan::SlotFootprint &footprint,
                                       const target::Architecture &arch) {
  if (pipe.getPipe().getType().getMemory() != Memory::tmem)
    return llvm::to_vector<6>(footprint.offsets);
  SmallVector<int64_t> offsets;
  int64_t column = 0;
  for (Type type : pipe.getPipe().getType().getPayload()) {
    offsets.push_back(column);
    column +=
        plan::getTileColumns(cast<RankedTensorType>(type), /*ctas=*/1, arch);
  }
  return offsets;
}

/// The memory and the barriers of each pipe.
FailureOr<LoweredPipes>
LowerPipes::lowerMemory(SwitchOp roles, const target::Architecture &arch,
                        ImplicitLocOpBuilder &b) {
  LoweredPipes pipes;
  for (PipeOp pipe : roles->getBlock()->getOps<PipeOp>()) {
    PlaceAttr place = pipe.getPlaceAttr();
    if (!place)
      return pipe->emitOpError(
          "has no place: code is generated after 'place-memory' [pass-order]");
    PipeType type = pipe.getPipe().getType();
    LoweredPipe lowered{pipe,
                        plan::countArrivals(pipe),
                        plan::getSlotFootprint(pipe),
                        *pipe.getProducerEngine(),
                        plan::getMulticasts(pipe),
                        {},
                        {},
                        {}};
    b.setLoc(pipe.getLoc());
    if (!type.getPayload().empty())
      lowered.slots = SlotsOp::create(
          b,
          SlotsType::get(&getContext(), type.getMemory(),
                         plan::getHeldTypes(pipe)),
          pipe.getName(), pipe.getSlots(), place.getStart(), place.getStride(),
          getOffsets(pipe, lowered.footprint, arch));
    auto addBarriers = [&](StringRef end, int64_t arrivals, int64_t at) {
      return BarriersOp::create(b, BarriersType::get(&getContext()),
                                (pipe.getName() + "." + end).str(),
                                pipe.getSlots(), arrivals, at, pipe.getScope());
    };
    lowered.full =
        addBarriers("full", lowered.counts.fullArrivals, place.getFull());
    lowered.empty =
        addBarriers("empty", lowered.counts.emptyArrivals, place.getEmpty());
    pipes.insert({pipe.getPipe(), lowered});
  }
  return pipes;
}

/// What a role that asks for work tiles is answered.
NextTile LowerPipes::lowerNextTile(SwitchOp roles,
                                   const target::Architecture &arch,
                                   ImplicitLocOpBuilder &b) {
  NextTile nextTile;
  nextTile.at = roles.getNextTile();
  // Answers of cluster launch control arrive as bytes, in this CTA.
  Scope scope = arch.clusterLaunchControl ? Scope::cta : Scope::cluster;
  if (nextTile.at)
    nextTile.full = BarriersOp::create(
        b, BarriersType::get(&getContext()), "next_tile.full", /*count=*/1,
        /*arrivals=*/1, *nextTile.at + plan::nextTileBytes, scope);
  if (nextTile.at && roles.getClusterSize() > 1)
    nextTile.empty = BarriersOp::create(
        b, BarriersType::get(&getContext()), "next_tile.empty", /*count=*/1,
        roles.getClusterSize(),
        *nextTile.at + plan::nextTileBytes + plan::barrierBytes,
        Scope::cluster);
  return nextTile;
}

/// What happens before the roles start and after they have ended.
void LowerPipes::setUp(SwitchOp roles, const LoweredPipes &pipes,
                       const NextTile &nextTile, ImplicitLocOpBuilder &b) {
  b.setLoc(getOperation().getLoc());
  SmallVector<Value> barriers;
  for (auto &[value, pipe] : pipes)
    barriers.append({pipe.full, pipe.empty});
  if (nextTile.full)
    barriers.push_back(nextTile.full);
  if (nextTile.empty)
    barriers.push_back(nextTile.empty);
  InitBarriersOp::create(b, barriers);
  // Other CTAs may arrive at these barriers as soon as their roles start.
  Participants all =
      roles.getClusterSize() == 1 ? Participants::cta : Participants::cluster;
  std::optional<int64_t> columns = roles.getTensorColumns();
  std::optional<int64_t> address = roles.getTensorAddress();
  if (!columns || !address) {
    SyncOp::create(b, all);
    return;
  }
  // The last warp allocates, while the first one sets up the barriers. The
  // allocation comes before every access by another warp.
  int64_t warp = *roles.getWarps() - 1;
  AllocTensorOp::create(b, *columns, *address, warp);
  auto meet = [&](Participants participants) {
    FenceOp::create(b, Fence::tensor_before);
    SyncOp::create(b, participants);
    FenceOp::create(b, Fence::tensor_after);
  };
  meet(all);
  Value tensor = TensorAddressOp::create(b, b.getI32Type(), *address);
  // Every access of tensor memory comes before it is deallocated, and in pairs
  // the last arrival of the other CTA.
  b.setInsertionPointAfter(roles);
  meet(plan::hasPairs(roles) ? Participants::cluster : Participants::cta);
  FreeTensorOp::create(b, tensor, *columns, warp);
}

void LowerPipes::runOnOperation() {
  tile::KernelOp kernel = getOperation();
  FailureOr<SwitchOp> found = getPlacedRoles(kernel);
  if (failed(found) || failed(check(*found)))
    return signalPassFailure();
  SwitchOp roles = *found;
  const target::Architecture *arch = tile::getTarget(kernel);
  auto b = ImplicitLocOpBuilder::atBlockBegin(kernel.getLoc(),
                                              &kernel.getBody().front());
  FailureOr<LoweredPipes> pipes = lowerMemory(roles, *arch, b);
  if (failed(pipes))
    return signalPassFailure();
  NextTile nextTile = lowerNextTile(roles, *arch, b);
  SmallVector<std::unique_ptr<Region>> bodies;
  plan::SignAnalysis signAnalysis(kernel);
  for (RoleOp role : roles.getRoles()) {
    FailureOr<std::unique_ptr<Region>> body =
        RoleLowering(role, *pipes, nextTile, signAnalysis, *arch).run();
    if (failed(body))
      return signalPassFailure();
    bodies.push_back(std::move(*body));
  }
  for (auto [role, body] : llvm::zip_equal(roles.getRoles(), bodies))
    role.getBody().takeBody(*body);
  setUp(roles, *pipes, nextTile, b);
  for (auto &[value, pipe] : *pipes)
    pipe.pipe.erase();
}
