//===- IssueAhead.cpp - An MMA before the iteration that needs it ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A role that issues MMAs itself runs a loop
//
//   for j:  s = A(j);  p = B(s, j);  C(p, j)
//
// where A and C are MMAs, as
//
//   at most once:  s = A(first);  p = B(s, first)
//   for all but the last j:  s = A(next j);  C(p, j);  p = B(s, next j)
//   at most once:  C(p, last)
//
// so that the tensor core works on C while the threads compute B. Nothing reads
// an accumulator between the start and the end of the MMAs that write it:
// ptxas would put the MMAs one after the other (C7514).

#include "Rejection.h"
#include "drawloom/Analysis/Slots/Placement.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/DescribeMma.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_ISSUEAHEAD
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

/// Whether the MMA's result becomes an operand of another MMA in the
/// same iteration of `loop`.
static bool leadsToMma(Value result, scf::ForOp loop) {
  llvm::SetVector<Operation *> users;
  auto add = [&](Value value) {
    for (Operation *user : value.getUsers()) {
      // A region hands on what is used in it by its results.
      users.insert(user);
      for (Operation *up = user->getParentOp(); up && up != loop;
           up = up->getParentOp())
        users.insert(up);
    }
  };
  add(result);
  for (size_t i = 0; i < users.size(); ++i) {
    auto mma = dyn_cast<tile::MmaOp>(users[i]);
    if (mma && loop->isProperAncestor(mma))
      return true;
    if (users[i] != loop && !users[i]->hasTrait<OpTrait::IsTerminator>())
      for (Value made : users[i]->getResults())
        add(made);
  }
  return false;
}

/// The operations of the loop's body that `op` needs, in their order; nothing
/// if it needs more than scalars of this iteration.
static std::optional<SmallVector<Operation *>> findNeeds(ConsumeOp op,
                                                         scf::ForOp loop) {
  llvm::SetVector<Operation *> needs;
  SmallVector<Operation *> work{op};
  bool free = true;
  while (!work.empty())
    work.pop_back_val()->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        if (operand.getParentBlock() != loop.getBody())
          continue;
        Operation *maker = operand.getDefiningOp();
        free &= maker ? isPure(maker) && maker->getNumRegions() == 0
                      : operand == loop.getInductionVar();
        if (maker && needs.insert(maker))
          work.push_back(maker);
      }
    });
  if (!free)
    return std::nullopt;
  SmallVector<Operation *> sorted;
  for (Operation &other : *loop.getBody())
    if (needs.contains(&other))
      sorted.push_back(&other);
  return sorted;
}

/// Whether a consume makes one MMA, from zero.
static bool startsAccumulator(ConsumeOp op) {
  if (op.getNumResults() != 1 || op.getLag() != 0)
    return false;
  Value yielded = op.getBody().front().getTerminator()->getOperand(0);
  auto mma = yielded.getDefiningOp<tile::MmaOp>();
  return mma && mma->getBlock() == &op.getBody().front() &&
         tile::isZero(mma.getAcc());
}

namespace {
/// A loop of two MMAs and what lies between them.
struct Chain {
  scf::ForOp loop;
  ConsumeOp first, second;
  /// Scalars that the first MMA needs.
  SmallVector<Operation *> needs;
  /// What the second MMA reads of its own iteration; the first of it is the
  /// accumulator that it adds to.
  SmallVector<Value> flow;

  bool isOfSecond(Value value) {
    return value.getDefiningOp() == second.getOperation();
  }
};

struct IssueAheadPass : agent::impl::IssueAheadBase<IssueAheadPass> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// The tiles of the loop's body that a consume with one MMA reads, the
/// accumulator that it adds to first; nothing if it is something else, or reads
/// more than these and the loop's count.
static std::optional<SmallVector<Value>> findFlow(ConsumeOp op,
                                                  scf::ForOp loop) {
  Operation *yield = op.getBody().front().getTerminator();
  auto mma = yield->getNumOperands() == 1
                 ? yield->getOperand(0).getDefiningOp<tile::MmaOp>()
                 : nullptr;
  if (!mma || mma.getAcc().getParentBlock() != loop.getBody())
    return std::nullopt;
  llvm::SetVector<Value> flow;
  flow.insert(mma.getAcc());
  bool onlyTiles = true;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      if (operand.getParentBlock() != loop.getBody() ||
          operand == loop.getInductionVar())
        continue;
      onlyTiles &= isa<RankedTensorType>(operand.getType());
      flow.insert(operand);
    }
  });
  return onlyTiles ? std::optional(flow.takeVector()) : std::nullopt;
}

static std::optional<Chain> findChain(scf::ForOp loop) {
  // The second MMA is what an iteration ends with.
  Operation *end = loop.getBody()->getTerminator()->getPrevNode();
  auto second = dyn_cast_or_null<ConsumeOp>(end);
  auto flow = second ? findFlow(second, loop) : std::nullopt;
  if (!flow || llvm::count(loop.getYieldedValues(), second.getResult(0)) != 1)
    return std::nullopt;
  for (ConsumeOp op : loop.getBody()->getOps<ConsumeOp>()) {
    bool hasRoom = llvm::all_of(op.getPipes(), [](Value pipe) {
      return pipe.getDefiningOp<PipeOp>().getSlots() > 1;
    });
    if (op == second || !startsAccumulator(op) || !hasRoom ||
        !leadsToMma(op.getResult(0), loop))
      continue;
    auto needs = findNeeds(op, loop);
    if (needs && !llvm::is_contained(*flow, op.getResult(0)))
      return Chain{loop, op, second, *needs, *flow};
  }
  return std::nullopt;
}

namespace {
/// Writes a chain down in its new order.
class Pipeliner {
public:
  explicit Pipeliner(Chain &chain) : chain(chain), loop(chain.loop), b(loop) {
    for (Value yielded : loop.getYieldedValues())
      if (!chain.isOfSecond(yielded))
        kept.push_back(yielded);
  }

  void run();

private:
  /// What B hands on: what the loop carries but for C's results, and what C
  /// reads.
  SmallVector<Value> makeBetween(OpBuilder &body, Value index,
                                 ValueRange arguments, Value mma);
  Value makeFirst(OpBuilder &body, Value index, int64_t lag);
  SmallVector<Value> makeSecond(OpBuilder &body, Value index, ValueRange flow);
  /// What an iteration starts from, given what B and C of the previous one
  /// left.
  SmallVector<Value> getArguments(ValueRange between, ValueRange second);

  Chain &chain;
  scf::ForOp loop;
  OpBuilder b;
  /// What the loop yields that the second MMA does not make.
  SmallVector<Value> kept;
};
} // namespace

Value Pipeliner::makeFirst(OpBuilder &body, Value index, int64_t lag) {
  IRMapping map;
  map.map(loop.getInductionVar(), index);
  for (Operation *op : chain.needs)
    body.clone(*op, map);
  auto made = cast<ConsumeOp>(body.clone(*chain.first, map));
  made.setLag(lag);
  return made.getResult(0);
}

SmallVector<Value> Pipeliner::makeBetween(OpBuilder &body, Value index,
                                          ValueRange arguments, Value mma) {
  IRMapping map;
  map.map(loop.getInductionVar(), index);
  map.map(loop.getRegionIterArgs(), arguments);
  map.map(chain.first.getResult(0), mma);
  for (Operation &op : loop.getBody()->without_terminator())
    if (&op != chain.first.getOperation() && &op != chain.second.getOperation())
      body.clone(op, map);
  SmallVector<Value> made;
  for (Value value : kept)
    made.push_back(map.lookupOrDefault(value));
  for (Value value : chain.flow)
    made.push_back(map.lookupOrDefault(value));
  return made;
}

SmallVector<Value> Pipeliner::makeSecond(OpBuilder &body, Value index,
                                         ValueRange flow) {
  IRMapping map;
  map.map(loop.getInductionVar(), index);
  map.map(ValueRange(chain.flow), flow);
  return llvm::to_vector_of<Value>(
      body.clone(*chain.second, map)->getResults());
}

SmallVector<Value> Pipeliner::getArguments(ValueRange between,
                                           ValueRange second) {
  SmallVector<Value> arguments;
  size_t next = 0;
  for (Value yielded : loop.getYieldedValues())
    arguments.push_back(chain.isOfSecond(yielded)
                            ? second[cast<OpResult>(yielded).getResultNumber()]
                            : between[next++]);
  return arguments;
}

void Pipeliner::run() {
  Location loc = loop.getLoc();
  Value from = loop.getLowerBound(), to = loop.getUpperBound();
  Value step = loop.getStep();
  // Without iterations: what the loop starts from, and anything for the rest.
  SmallVector<Value> starts;
  Value accumulator;
  for (auto [init, yielded] :
       llvm::zip_equal(loop.getInitArgs(), loop.getYieldedValues()))
    if (chain.isOfSecond(yielded))
      accumulator = init;
    else
      starts.push_back(init);
  starts.push_back(accumulator);
  for (Value value : ArrayRef(chain.flow).drop_front())
    starts.push_back(
        arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType())));

  Value second = arith::AddIOp::create(b, loc, from, step);
  Value once = arith::MinSIOp::create(b, loc, to, second);
  auto begin = scf::ForOp::create(
      b, loc, from, once, step, starts,
      [&](OpBuilder &body, Location where, Value index, ValueRange) {
        Value mma = makeFirst(body, index, /*lag=*/0);
        scf::YieldOp::create(body, where,
                             makeBetween(body, index, loop.getInitArgs(), mma));
      });

  Value last = arith::SubIOp::create(b, loc, to, step);
  auto middle = scf::ForOp::create(
      b, loc, from, last, step, begin.getResults(),
      [&](OpBuilder &body, Location where, Value index, ValueRange carried) {
        Value next = arith::AddIOp::create(body, where, index, step);
        // The slot goes back later, so that the second MMA need not wait.
        Value mma = makeFirst(body, next, /*lag=*/1);
        SmallVector<Value> second =
            makeSecond(body, index, carried.drop_front(kept.size()));
        scf::YieldOp::create(
            body, where,
            makeBetween(body, next, getArguments(carried, second), mma));
      });

  Value length = arith::SubIOp::create(b, loc, to, from);
  Value trips = arith::CeilDivSIOp::create(b, loc, length, step);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value before = arith::SubIOp::create(b, loc, trips, one);
  Value distance = arith::MulIOp::create(b, loc, before, step);
  Value lastIndex = arith::AddIOp::create(b, loc, from, distance);
  // The accumulator goes on where it is.
  ValueRange flow = middle.getResults().drop_front(kept.size());
  auto end = scf::ForOp::create(
      b, loc, from, once, step, flow.front(),
      [&](OpBuilder &body, Location where, Value, ValueRange carried) {
        SmallVector<Value> reads(flow);
        reads.front() = carried.front();
        scf::YieldOp::create(body, where, makeSecond(body, lastIndex, reads));
      });
  loop.replaceAllUsesWith(getArguments(middle.getResults(), end.getResults()));
  loop.erase();
}

void IssueAheadPass::runOnOperation() {
  tile::KernelOp kernel = getOperation();
  FailureOr<const target::Architecture *> arch = tile::requireTarget(kernel);
  if (failed(arch))
    return signalPassFailure();
  // Where one thread issues MMAs, roles do this for each other.
  if ((*arch)->mma != target::MmaInstruction::Wgmma)
    return;
  kernel.walk([&](RoleOp role) {
    SmallVector<scf::ForOp> loops;
    role.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      std::optional<Chain> chain = findChain(loop);
      if (!chain)
        continue;
      Pipeliner(*chain).run();
      Reason reason = fire(Rule::IssuesAhead, role.getSymName());
      role.setBecauseAttr(
          addReason(role.getBecauseAttr(), role.getContext(), reason));
      if (remarks)
        role.emitRemark(reason.str());
    }
  });
  IRRewriter rewriter(kernel.getContext());
  (void)runRegionDCE(rewriter, kernel->getRegions());
}
