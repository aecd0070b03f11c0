//===- LowerWorkTiles.cpp - Loops over work tiles -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A role that knows its work tiles beforehand counts: CTA c of C takes the
// numbers c, c + C, ...
//
//   agent.for_each_item (%m) in %items { ... }     scf.for %i = %cta to %count
//   step %ctas {
//                                                    %m = arith.muli %i, %c128
//                                                    : index
//                                                    ...
//                                                  }
//
// All others find out at run time, and their loops have one form:
//
//   scf.while   is there a work tile? compute it, or receive it; publish it
//   do          the role's body; then the next number
//
// The number of a work tile is that of a CTA. The CTA's own comes first; after
// it, launch control gives those of CTAs that have not started, and where there
// is no launch control, a counter gives what no CTA has begun with. A number
// that is not below the count is no work tile, and a rejection is such a
// number. So the end is found by one comparison, it is a message like the
// others, and no role asks after it.
//
// With the loops of work tiles goes what roles know from having the same ones,
// and what a CTA has to itself because it takes only one. Two passes before the
// protocol is written out need it, so they run here: an accumulator of no MMAs
// is read as zero (EmptyAccumulators.h), and warps synchronize before they
// write to the bytes of a pipe that they have read (Lifetimes.h).

#include "EmptyAccumulators.h"
#include "Lifetimes.h"
#include "PlacedRoles.h"
#include "drawloom/Analysis/AgentProgress/ReadVerdict.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Agent/IR/MessageOps.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/Code.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_LOWERWORKTILES
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The stream of numbers that a loop takes its work tiles from; null if it is a
/// pipe.
static ItemsOp getNumbers(ForEachItemOp op) {
  return op.getSource().getDefiningOp<ItemsOp>();
}

static bool isDynamic(ForEachItemOp op) {
  ItemsOp items = getNumbers(op);
  return items && items.getStream() == Stream::dynamic;
}

namespace {
/// One loop, which becomes one of scf.
class WorkTileLoop {
public:
  explicit WorkTileLoop(ForEachItemOp op)
      : op(op), items(getNumbers(op)), b(op.getLoc(), op) {}

  void lower();

private:
  void lowerKnown();
  void lowerAsTheyCome();
  SmallVector<Value> locate(Value number);
  Value look(Value number, SmallVectorImpl<Value> &tile);
  void take(ValueRange carried);
  void run(ValueRange carried, ValueRange tile);
  Value isOwn(Value turn);
  Value findNext(Value number);
  void moveBody(ValueRange tile);
  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }

  ForEachItemOp op;
  ItemsOp items;
  ImplicitLocOpBuilder b;
};
} // namespace

void WorkTileLoop::lower() {
  if (items && !isDynamic(op) && !op.getPublish())
    lowerKnown();
  else
    lowerAsTheyCome();
  op.erase();
}

/// The role's body goes where the builder is.
void WorkTileLoop::moveBody(ValueRange tile) {
  Block &body = op.getBody().front();
  for (auto [argument, value] : llvm::zip_equal(body.getArguments(), tile))
    argument.replaceAllUsesWith(value);
  body.getTerminator()->erase();
  b.getInsertionBlock()->getOperations().splice(b.getInsertionPoint(),
                                                body.getOperations());
}

/// The values of the work tile with this number.
SmallVector<Value> WorkTileLoop::locate(Value number) {
  Block &body = items.getBody().front();
  IRMapping map;
  map.map(body.getArgument(0), number);
  for (Operation &scalar : body.without_terminator())
    b.clone(scalar, map);
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return map.lookupOrDefault(value); });
}

void WorkTileLoop::lowerKnown() {
  // CTA c of C takes c, c + C, ...; this role those that are its own.
  Value first = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value step = gpu::GridDimOp::create(b, gpu::Dimension::x);
  if (op.getEvery() != 1) {
    Value from = arith::ConstantIndexOp::create(b, op.getFrom());
    Value every = arith::ConstantIndexOp::create(b, op.getEvery());
    Value skipped = arith::MulIOp::create(b, step, from);
    first = arith::AddIOp::create(b, first, skipped);
    step = arith::MulIOp::create(b, step, every);
  }
  auto loop = scf::ForOp::create(b, first, items.getCount(), step);
  b.setInsertionPointToStart(loop.getBody());
  moveBody(locate(loop.getInductionVar()));
}

//===----------------------------------------------------------------------===//
// As they come
//===----------------------------------------------------------------------===//

/// Whether `number` is a work tile, and, if so, its values.
Value WorkTileLoop::look(Value number, SmallVectorImpl<Value> &tile) {
  Value there = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number,
                                      items.getCount());
  ArrayRef<Type> types = items.getItems().getType().getItem();
  auto branch =
      scf::IfOp::create(b, TypeRange(types), there, /*withElseRegion=*/true);
  llvm::append_range(tile, branch.getResults());
  OpBuilder::InsertionGuard guard(b);
  b.setLoc(items.getLoc());
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, locate(number));
  b.setInsertionPointToEnd(branch.elseBlock());
  SmallVector<Value> none;
  for (Type type : types)
    none.push_back(arith::ConstantOp::create(b, b.getZeroAttr(type)));
  scf::YieldOp::create(b, none);
  b.setLoc(op.getLoc());
  return there;
}

/// Finds out whether there is a work tile, and publishes it to the roles that
/// wait for it: the condition of the loop.
void WorkTileLoop::take(ValueRange carried) {
  SmallVector<Value> passed(carried), tile;
  Value there;
  if (items) {
    there = look(carried.front(), tile);
  } else {
    auto message = ReceiveOp::create(
        b, b.getI1Type(), op.getBody().getArgumentTypes(), op.getSource(),
        /*at=*/Value());
    there = message.getThere();
    llvm::append_range(tile, message.getValues());
  }
  if (op.getPublish())
    PublishOp::create(b, op.getPublish(), there, tile, /*at=*/Value());
  llvm::append_range(passed, tile);
  scf::ConditionOp::create(b, there, passed);
}

/// Whether the work tile is the role's own; null if all are.
Value WorkTileLoop::isOwn(Value turn) {
  Value own;
  // Of a pair, one CTA acts for both.
  if (op->getParentOfType<RoleOp>().getScope() == Scope::pair)
    own = LeadsOp::create(b, b.getI1Type());
  if (!turn)
    return own;
  Value isTurn = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, turn,
                                       constant(op.getFrom()));
  return own ? arith::AndIOp::create(b, own, isTurn).getResult() : isTurn;
}

/// The number that comes after `number`.
Value WorkTileLoop::findNext(Value number) {
  if (isDynamic(op))
    return NextTileOp::create(b, b.getIndexType(), number, items.getCount(),
                              /*at=*/Value());
  return arith::AddIOp::create(b, number,
                               gpu::GridDimOp::create(b, gpu::Dimension::x));
}

/// The role's body, if the work tile is its own, and what the loop carries on:
/// the next number, and whose turn it is.
void WorkTileLoop::run(ValueRange carried, ValueRange tile) {
  Value turn = op.getEvery() != 1 ? carried.back() : Value();
  if (Value own = isOwn(turn)) {
    auto branch = scf::IfOp::create(b, own, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    moveBody(tile);
  } else {
    moveBody(tile);
  }
  SmallVector<Value> next;
  if (items)
    next.push_back(findNext(carried.front()));
  if (turn) {
    Type i32 = b.getI32Type();
    next.push_back(
        AdvanceOp::create(b, i32, i32, turn, constant(0), op.getEvery())
            .getNext());
  }
  // Lanes synchronize before they go back. Otherwise what ends the body, a
  // branch of one lane or a loop, is the end of this loop as well, and ptxas
  // takes lanes to be apart in all that follows: MMAs by 113 instructions, not
  // 34.
  SyncOp::create(b, Participants::warp);
  scf::YieldOp::create(b, next);
}

void WorkTileLoop::lowerAsTheyCome() {
  // The loop carries the number, and whose turn it is.
  SmallVector<Value> carried;
  if (items)
    carried.push_back(gpu::BlockIdOp::create(b, gpu::Dimension::x));
  if (op.getEvery() != 1)
    carried.push_back(constant(0));
  SmallVector<Type> types(ValueRange(carried).getTypes());
  SmallVector<Type> passed(types);
  llvm::append_range(passed, op.getBody().getArgumentTypes());
  SmallVector<Location> places(passed.size(), op.getLoc());
  auto loop = scf::WhileOp::create(b, passed, carried);
  Block *before =
      b.createBlock(&loop.getBefore(), {}, types,
                    ArrayRef<Location>(places).take_front(types.size()));
  take(before->getArguments());
  Block *after = b.createBlock(&loop.getAfter(), {}, passed, places);
  ValueRange arguments = after->getArguments();
  run(arguments.take_front(types.size()), arguments.drop_front(types.size()));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// An error unless the roles are proved, and their tiles have layouts.
static LogicalResult checkPlan(SwitchOp roles, bool unproved) {
  llvm::Expected<std::optional<LaunchCondition>> verdict = readVerdict(roles);
  if (!verdict) {
    std::string words = llvm::toString(verdict.takeError());
    // Roles that may hang have no code unless the option asks for it.
    if (!unproved)
      return roles->emitOpError()
             << words << "; pass --unproved to compile it anyway [unproved]";
  }
  auto kernel = roles->getParentOfType<tile::KernelOp>();
  const target::Architecture &arch = *tile::getTarget(kernel);
  return success(succeeded(requireEngines(roles)) &&
                 succeeded(tile::requireCode(kernel, arch)) &&
                 succeeded(plan::requireLayouts(roles)));
}

/// A wait tells one pass of a ring from the next by one bit. A role that does
/// not see the slots between its own work tiles would lose count.
static LogicalResult checkTurns(ForEachItemOp op) {
  if (op.getEvery() == 1)
    return success();
  WalkResult shares =
      op->walk([&](Operation *end) {
        for (Value value : end->getOperands()) {
          auto pipe = value.getDefiningOp<PipeOp>();
          if (!pipe || end == op ||
              (pipe.getProducers().size() == 1 &&
               pipe.getConsumers().size() == 1))
            continue;
          op->emitOpError()
              << "takes one work tile in " << op.getEvery() << " and shares '"
              << pipe.getName()
              << "' with a role that takes others; give each of these roles a "
                 "pipe of its own [dynamic-items]";
          return WalkResult::interrupt();
        }
        return WalkResult::advance();
      });
  return failure(shares.wasInterrupted());
}

static LogicalResult checkLoop(ForEachItemOp op) {
  auto role = op->getParentOfType<RoleOp>();
  auto roles = cast<SwitchOp>(role->getParentOp());
  if (failed(checkTurns(op)))
    return failure();
  if (!isDynamic(op))
    return success();
  if (role.getWarps() != 1)
    return op->emitOpError() << "takes dynamic work tiles in @"
                             << role.getSymName() << ", of " << role.getWarps()
                             << " warps; one warp asks, and publishes the "
                                "answers to the others [dynamic-items]";
  auto kernel = roles->getParentOfType<tile::KernelOp>();
  bool isAnswered = tile::getTarget(kernel)->clusterLaunchControl ||
                    roles.getClusterSize() > 1;
  if (isAnswered && !roles.getNextTile())
    return op->emitOpError(
        "has no place for the answer about the next work "
        "tile: code is generated after 'place-memory' [pass-order]");
  return success();
}

/// Whether roles give each other the columns of another pipe for this one.
static bool sharesColumns(PipeOp pipe, StringRef other) {
  std::optional<plan::Rescaling> rescaling = plan::findRescaling(pipe);
  PipeOp shared = rescaling ? rescaling->rescaled : plan::findShared(pipe);
  return shared && shared.getName() == other;
}

/// Where the warps have to have read a pipe before one of them writes to its
/// bytes through another pipe, they synchronize.
static LogicalResult syncReuses(SwitchOp roles) {
  auto pipes = roles->getBlock()->getOps<PipeOp>();
  llvm::SmallSetVector<Operation *, 1> syncs;
  for (PipeOp pipe : pipes) {
    StringAttr reuses =
        pipe.getPlace() ? pipe.getPlaceAttr().getReuses() : StringAttr();
    if (!reuses)
      continue;
    if (sharesColumns(pipe, reuses.getValue()))
      continue;
    auto earlier = llvm::find_if(pipes, [&](PipeOp other) {
      return other.getName() == reuses.getValue();
    });
    ReuseAnswer answer = {false, "only a pipe that one role fills and empties "
                                 "can, of a pipe that is there"};
    if (earlier != pipes.end() && isStaging(pipe))
      answer = mayReuse(pipe, *earlier);
    if (!answer.allowed)
      return pipe->emitOpError()
             << "takes the bytes of '" << reuses.getValue() << "', but "
             << answer.reason << "; run 'place-memory' [pass-order]";
    if (answer.sync)
      syncs.insert(answer.sync);
  }
  for (Operation *op : syncs) {
    OpBuilder b(op);
    SyncOp::create(b, op->getLoc(), Participants::role);
  }
  return success();
}

namespace {
class LowerWorkTiles : public agent::impl::LowerWorkTilesBase<LowerWorkTiles> {
  using LowerWorkTilesBase::LowerWorkTilesBase;

  void runOnOperation() override {
    FailureOr<SwitchOp> roles = getPlacedRoles(getOperation());
    if (failed(roles) || failed(checkPlan(*roles, unproved)))
      return signalPassFailure();
    SmallVector<ForEachItemOp> loops;
    roles->walk([&](ForEachItemOp loop) { loops.push_back(loop); });
    if (failed(syncReuses(*roles)) ||
        llvm::any_of(loops, [](auto loop) { return failed(checkLoop(loop)); }))
      return signalPassFailure();
    readEmptyAccumulators(*roles);
    for (ForEachItemOp loop : loops)
      WorkTileLoop(loop).lower();
    for (ItemsOp items : llvm::make_early_inc_range(
             getOperation().getBody().front().getOps<ItemsOp>()))
      items.erase();
  }
};
} // namespace
