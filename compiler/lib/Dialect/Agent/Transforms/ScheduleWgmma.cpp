//===- ScheduleWgmma.cpp - Which MMAs are in flight where -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// MMAs of warp groups run on while the threads go on. An MMA is issued and
// gives an accumulator in flight, which no operation can read; `agent.await`
// gives the tile. So a wait can't be forgotten: without it the types don't fit.
// Each role is copied, operation by operation:
//
//   a read of an accumulator  waits for its MMA, and for older ones
//   an MMA that adds to it    goes on with it in flight, if no other use reads
//                             it
//   a slot that is released   waits for the MMAs that read it
//   a loop                    carries in flight what its MMAs add to in
//                             place; everything else is done where a loop
//                             begins or ends
//
// `groups` counts the groups that are certain to have been issued, so a wait
// never leaves out one that an operation relies on.

#include "drawloom/Analysis/RoleTiles/Scratch.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/DescribeMma.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_SCHEDULEWGMMA
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

namespace {
class ScheduleWgmma : public agent::impl::ScheduleWgmmaBase<ScheduleWgmma> {
  using ScheduleWgmmaBase::ScheduleWgmmaBase;

  void runOnOperation() override;
};

class WgmmaSchedule {
public:
  WgmmaSchedule(RoleOp role, const target::Architecture &arch)
      : role(role), arch(arch), b(role.getLoc(), role) {}

  void run();

private:
  /// MMAs that are issued and not waited for: the accumulator that they
  /// write, the number of their newest group, and of the newest one that reads
  /// registers. `home` is the first accumulator in the same registers: a wait
  /// moves an accumulator to others, an MMA that goes on with it does not.
  struct InFlight {
    Value accumulator, home;
    int64_t group;
    std::optional<int64_t> readsRegisters;
  };

  void scheduleBlock(Block &block);
  void scheduleOp(Operation *op);
  void scheduleMma(tile::MmaOp op);
  void scheduleFor(scf::ForOp op);
  void scheduleItems(scf::WhileOp op);
  void scheduleIf(scf::IfOp op);
  bool isCarriedInFlight(scf::ForOp op, unsigned index);
  void carry(scf::ForOp op, ValueRange values, ValueRange arguments,
             SmallVectorImpl<Value> &carried);
  void bindCarried(ValueRange to, ValueRange from, ValueRange homes);

  Value lookup(Value value) { return map.lookupOrDefault(value); }
  /// The MMAs that are writing a value of the role; null if there are none.
  InFlight *find(Value value);
  /// Whether they are, and the value may get another name meanwhile: with a
  /// second use, registers that they write would be copied.
  bool goesOn(Value value) { return value.hasOneUse() && find(value); }
  /// Waits until at most the newest groups are not done.
  void wait(int64_t newest);
  void finish(Value value);
  void finishExcept(ValueRange kept);

  RoleOp role;
  const target::Architecture &arch;
  ImplicitLocOpBuilder b;
  IRMapping map;
  /// The oldest first.
  SmallVector<InFlight> inFlight;
  int64_t groups = 0;
  /// The values of the role that are, or were, an accumulator: a wait renames
  /// them.
  SmallVector<Value> accumulators;
};
} // namespace

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

WgmmaSchedule::InFlight *WgmmaSchedule::find(Value value) {
  Value accumulator = lookup(value);
  auto *found = llvm::find_if(inFlight, [&](const InFlight &mma) {
    return mma.accumulator == accumulator;
  });
  return found == inFlight.end() ? nullptr : found;
}

void WgmmaSchedule::wait(int64_t newest) {
  if (inFlight.empty())
    return;
  SmallVector<Value> done;
  SmallVector<Type> types;
  llvm::erase_if(inFlight, [&](const InFlight &mma) {
    if (groups - mma.group < newest)
      return false;
    done.push_back(mma.accumulator);
    types.push_back(cast<InFlightType>(mma.accumulator.getType()).getTile());
    return true;
  });
  auto await = AwaitOp::create(b, types, done, newest);
  for (auto [before, after] : llvm::zip_equal(done, await.getTiles()))
    for (Value accumulator : accumulators)
      if (lookup(accumulator) == before)
        map.map(accumulator, after);
}

void WgmmaSchedule::finish(Value value) {
  if (const InFlight *mma = find(value))
    wait(groups - mma->group);
}

void WgmmaSchedule::finishExcept(ValueRange kept) {
  std::optional<int64_t> newest;
  for (const InFlight &mma : inFlight)
    if (!llvm::is_contained(kept, mma.accumulator))
      newest = groups - mma.group;
  if (newest)
    wait(*newest);
}

//===----------------------------------------------------------------------===//
// MMAs
//===----------------------------------------------------------------------===//

void WgmmaSchedule::scheduleMma(tile::MmaOp op) {
  // The registers that a is copied to belong to this instruction: the last
  // MMA that read registers has to be done with them.
  bool fromRegisters = !plan::getMemory(op.getA());
  if (fromRegisters) {
    std::optional<int64_t> last;
    for (const InFlight &mma : inFlight)
      last = std::max(last, mma.readsRegisters);
    if (last)
      wait(groups - *last);
  }
  finish(op.getA());
  // MMAs that add to the same accumulator are done in order, so none waits for
  // the previous one, unless another operation needs what that one made.
  Value acc, home;
  std::optional<int64_t> readsRegisters;
  if (!tile::isZero(op.getAcc())) {
    if (!goesOn(op.getAcc()))
      finish(op.getAcc());
    if (InFlight *previous = find(op.getAcc())) {
      home = previous->home;
      readsRegisters = previous->readsRegisters;
      acc = previous->accumulator;
      inFlight.erase(previous);
    } else {
      acc = lookup(op.getAcc());
    }
  }
  auto type = InFlightType::get(
      b.getContext(), cast<RankedTensorType>(op.getResult().getType()));
  Value accumulator =
      IssueOp::create(b, type, lookup(op.getA()), lookup(op.getB()), acc,
                      op.getTf32(), op.getNegated());
  ++groups;
  if (fromRegisters)
    readsRegisters = groups;
  inFlight.push_back(
      {accumulator, home ? home : accumulator, groups, readsRegisters});
  map.map(op.getResult(), accumulator);
  accumulators.push_back(op.getResult());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Whether the MMAs of a loop add to what the loop carries, and nothing
/// else does. Then one set of registers is enough, and no operation reads them
/// between two iterations. An MMA that starts anew has other registers, which
/// are copied at the end of an iteration, so it has to be done by then.
bool WgmmaSchedule::isCarriedInFlight(scf::ForOp op, unsigned index) {
  if (!isa<RankedTensorType>(op.getResult(index).getType()) ||
      !isMma(op.getResult(index)))
    return false;
  Value carried = op.getRegionIterArg(index);
  Value value = op.getBody()->getTerminator()->getOperand(index);
  while (value != carried) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto inner = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!inner || inner == op || argument == inner.getInductionVar())
        return false;
      value = inner.getTiedLoopInit(argument)->get();
      continue;
    }
    auto mma = dyn_cast_if_present<tile::MmaOp>(getMaker(value));
    if (!mma || plan::isPromoted(mma, arch))
      return false;
    value = mma.getAcc();
  }
  return true;
}

/// What a loop carries of `values`: what it starts with, or yields. What it
/// yields in flight has to be in the registers of `arguments`, what it carries
/// in its body: from others it would be copied.
void WgmmaSchedule::carry(scf::ForOp op, ValueRange values,
                          ValueRange arguments,
                          SmallVectorImpl<Value> &carried) {
  SmallVector<Value> kept;
  SmallVector<bool> stays(values.size());
  for (auto [index, value] : llvm::enumerate(values)) {
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    stays[index] = isCarriedInFlight(op, index) && goesOn(value) &&
                   (arguments.empty() || find(value)->home == arguments[index]);
    if (!stays[index])
      finish(value);
  }
  for (auto [value, stay] : llvm::zip_equal(values, stays))
    if (stay)
      kept.push_back(lookup(value));
  finishExcept(kept);
  for (auto [index, value] : llvm::enumerate(values)) {
    Value now = lookup(value);
    if (isCarriedInFlight(op, index) && !isa<InFlightType>(now.getType()))
      now = AsInFlightOp::create(
          b,
          InFlightType::get(b.getContext(),
                            cast<RankedTensorType>(now.getType())),
          now);
    carried.push_back(now);
  }
}

/// Takes over what a loop carries, in its body or after it. Of that,
/// accumulators may be in flight, in the registers of `homes`, and nothing else
/// is.
void WgmmaSchedule::bindCarried(ValueRange to, ValueRange from,
                                ValueRange homes) {
  inFlight.clear();
  for (auto [value, carried, home] : llvm::zip_equal(to, from, homes)) {
    map.map(value, carried);
    if (!isa<InFlightType>(carried.getType()))
      continue;
    accumulators.push_back(value);
    inFlight.push_back({carried, home, groups, /*readsRegisters=*/groups});
  }
}

void WgmmaSchedule::scheduleFor(scf::ForOp op) {
  SmallVector<Value> inits;
  carry(op, op.getInitArgs(), /*arguments=*/{}, inits);
  // An accumulator that goes through the loop in flight stays in its registers.
  SmallVector<Value> homes;
  for (Value init : op.getInitArgs()) {
    const InFlight *mma = find(init);
    homes.push_back(mma ? mma->home : Value());
  }
  auto loop = scf::ForOp::create(
      b, lookup(op.getLowerBound()), lookup(op.getUpperBound()),
      lookup(op.getStep()), inits, nullptr, op.getUnsignedCmp());
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  int64_t certain = groups;
  {
    OpBuilder::InsertionGuard guard(b);
    if (loop.getBody()->mightHaveTerminator())
      loop.getBody()->getTerminator()->erase();
    b.setInsertionPointToEnd(loop.getBody());
    map.map(op.getInductionVar(), loop.getInductionVar());
    ValueRange carried = loop.getRegionIterArgs();
    bindCarried(op.getRegionIterArgs(), carried, /*homes=*/carried);
    scheduleBlock(*op.getBody());
    b.setLoc(op.getLoc());
    SmallVector<Value> next;
    carry(op, op.getBody()->getTerminator()->getOperands(), carried, next);
    scf::YieldOp::create(b, next);
  }
  groups = certain;
  ValueRange results = loop.getResults();
  for (auto [home, result] : llvm::zip_equal(homes, results))
    home = home ? home : result;
  bindCarried(op.getResults(), results, homes);
}

/// A loop over work tiles as they come carries no tiles, and MMAs of an
/// item are done before the next one.
void WgmmaSchedule::scheduleItems(scf::WhileOp op) {
  finishExcept({});
  int64_t certain = groups;
  auto loop =
      scf::WhileOp::create(b, op.getResultTypes(),
                           llvm::map_to_vector(op.getInits(), [&](Value init) {
                             return lookup(init);
                           }));
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), loop->getRegions())) {
    OpBuilder::InsertionGuard guard(b);
    Block &block = from.front();
    SmallVector<Location> places(block.getNumArguments(), op.getLoc());
    b.createBlock(&to, {}, block.getArgumentTypes(), places);
    map.map(block.getArguments(), to.front().getArguments());
    scheduleBlock(block);
    b.setLoc(op.getLoc());
    finishExcept({});
    b.clone(*block.getTerminator(), map);
    groups = certain;
  }
  map.map(op.getResults(), loop.getResults());
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// Whether a branch is of the program. Others are for what some threads do to
/// the protocol.
static bool isOfProgram(scf::IfOp op) {
  return op.getNumResults() != 0 || op.elseBlock() ||
         op->walk([](Operation *inner) {
             return isa<tile::StoreOp, tile::LoadOp>(inner)
                        ? WalkResult::interrupt()
                        : WalkResult::advance();
           }).wasInterrupted();
}

/// MMAs are done before a branch of the program, and in it.
void WgmmaSchedule::scheduleIf(scf::IfOp op) {
  finishExcept({});
  auto branch =
      scf::IfOp::create(b, op.getResultTypes(), lookup(op.getCondition()),
                        !op.getElseRegion().empty());
  int64_t certain = groups;
  for (auto [from, to] : llvm::zip(op->getRegions(), branch->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(b);
    if (to.front().mightHaveTerminator() && !to.front().empty())
      to.front().back().erase();
    b.setInsertionPointToEnd(&to.front());
    scheduleBlock(from.front());
    b.setLoc(op.getLoc());
    finishExcept({});
    scf::YieldOp::create(
        b, llvm::map_to_vector(from.front().getTerminator()->getOperands(),
                               [&](Value value) { return lookup(value); }));
    groups = certain;
  }
  for (auto [from, to] : llvm::zip_equal(op.getResults(), branch.getResults()))
    map.map(from, to);
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

void WgmmaSchedule::scheduleBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    scheduleOp(&op);
}

void WgmmaSchedule::scheduleOp(Operation *op) {
  b.setLoc(op->getLoc());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return scheduleFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return scheduleItems(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && isOfProgram(branch))
    return scheduleIf(branch);
  if (auto drain = dyn_cast<DrainOp>(op);
      drain && drain.getWork() == Work::wgmma)
    return wait(drain.getPending());
  auto mma = dyn_cast<tile::MmaOp>(op);
  if (mma && !plan::isPromoted(mma, arch))
    return scheduleMma(mma);
  // Threads add what a promoted MMA makes, and wait for all MMAs.
  if (mma)
    wait(0);
  for (Value operand : op->getOperands())
    finish(operand);
  // What stands in other branches are operations of the protocol.
  b.clone(*op, map);
}

void WgmmaSchedule::run() {
  Region body;
  b.createBlock(&body);
  scheduleBlock(role.getBody().front());
  b.setLoc(role.getLoc());
  YieldOp::create(b);
  role.getBody().takeBody(body);
}

void ScheduleWgmma::runOnOperation() {
  const target::Architecture *arch = tile::getTarget(getOperation());
  getOperation().walk([&](RoleOp role) {
    bool multiplies =
        role.walk([](tile::MmaOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (arch && multiplies)
      WgmmaSchedule(role, *arch).run();
  });
}
