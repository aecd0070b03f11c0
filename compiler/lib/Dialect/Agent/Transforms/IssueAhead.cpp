//===- IssueAhead.cpp - A product before the iteration that needs it ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A role that issues products itself runs a loop
//
//   for j:  s = A(j);  B(s, j)
//
// as
//
//   at most once:  s = A(first)
//   for all but the last j:  t = A(next j);  B(s, j);  s = t
//   at most once:  B(s, last)
//
// so that the tensor core works on A while the threads compute B.

#include "Rules.h"
#include "drawloom/Analysis/Plan/Placement.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
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

/// Whether the product's result becomes an operand of another product in the
/// same iteration of `loop`.
static bool leadsToProduct(Value result, scf::ForOp loop) {
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
    auto product = dyn_cast<tile::MmaOp>(users[i]);
    if (product && loop->isProperAncestor(product))
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

/// The zero that the only product of a consume starts from; null if the consume
/// is something else.
static Value getStart(ConsumeOp op) {
  if (op.getNumResults() != 1 || op.getLag() != 0)
    return {};
  Value yielded = op.getBody().front().getTerminator()->getOperand(0);
  auto product = yielded.getDefiningOp<tile::MmaOp>();
  bool starts = product && product->getBlock() == &op.getBody().front() &&
                matchPattern(product.getAcc(), m_AnyZeroFloat());
  return starts ? product.getAcc() : Value();
}

namespace {
struct Skewed {
  scf::ForOp loop;
  ConsumeOp product;
  SmallVector<Operation *> needs;
  Value start;
};

struct IssueAheadPass : agent::impl::IssueAheadBase<IssueAheadPass> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

static std::optional<Skewed> findSkewed(scf::ForOp loop) {
  for (ConsumeOp op : loop.getBody()->getOps<ConsumeOp>()) {
    Value start = getStart(op);
    bool hasRoom = llvm::all_of(op.getPipes(), [](Value pipe) {
      return pipe.getDefiningOp<PipeOp>().getSlots() > 1;
    });
    if (!start || !hasRoom || !leadsToProduct(op.getResult(0), loop))
      continue;
    if (auto needs = findNeeds(op, loop))
      return Skewed{loop, op, *needs, start};
  }
  return std::nullopt;
}

/// The product at iteration `index`, with what it needs.
static Value cloneProduct(Skewed &skewed, OpBuilder &b, Value index,
                          int64_t lag) {
  IRMapping map;
  map.map(skewed.loop.getInductionVar(), index);
  for (Operation *op : skewed.needs)
    b.clone(*op, map);
  auto made = cast<ConsumeOp>(b.clone(*skewed.product, map));
  made.setLag(lag);
  return made.getResult(0);
}

/// The rest of an iteration; what it yields.
static SmallVector<Value> cloneRest(Skewed &skewed, OpBuilder &b, Value index,
                                    ValueRange carried, Value product) {
  IRMapping map;
  map.map(skewed.loop.getInductionVar(), index);
  map.map(skewed.loop.getRegionIterArgs(), carried);
  map.map(skewed.product.getResult(0), product);
  for (Operation &op : skewed.loop.getBody()->without_terminator())
    if (&op != skewed.product.getOperation())
      b.clone(op, map);
  SmallVector<Value> yielded;
  for (Value value : skewed.loop.getYieldedValues())
    yielded.push_back(map.lookupOrDefault(value));
  return yielded;
}

static void skew(Skewed &skewed) {
  scf::ForOp loop = skewed.loop;
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  Value from = loop.getLowerBound(), to = loop.getUpperBound();
  Value step = loop.getStep();
  Value second = arith::AddIOp::create(b, loc, from, step);
  Value once = arith::MinSIOp::create(b, loc, to, second);
  auto first = scf::ForOp::create(
      b, loc, from, once, step, skewed.start,
      [&](OpBuilder &body, Location where, Value index, ValueRange) {
        Value made = cloneProduct(skewed, body, index, /*lag=*/0);
        scf::YieldOp::create(body, where, made);
      });

  SmallVector<Value> inits(loop.getInitArgs());
  inits.push_back(first.getResult(0));
  Value last = arith::SubIOp::create(b, loc, to, step);
  auto middle = scf::ForOp::create(
      b, loc, from, last, step, inits,
      [&](OpBuilder &body, Location where, Value index, ValueRange carried) {
        Value next = arith::AddIOp::create(body, where, index, step);
        // Nothing of this iteration waits for it, so it stays in flight.
        Value made = cloneProduct(skewed, body, next, /*lag=*/1);
        SmallVector<Value> yielded =
            cloneRest(skewed, body, index, carried.drop_back(), carried.back());
        yielded.push_back(made);
        scf::YieldOp::create(body, where, yielded);
      });

  Value length = arith::SubIOp::create(b, loc, to, from);
  Value trips = arith::CeilDivSIOp::create(b, loc, length, step);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value before = arith::SubIOp::create(b, loc, trips, one);
  Value distance = arith::MulIOp::create(b, loc, before, step);
  Value lastIndex = arith::AddIOp::create(b, loc, from, distance);
  auto end = scf::ForOp::create(
      b, loc, from, once, step, middle.getResults().drop_back(),
      [&](OpBuilder &body, Location where, Value, ValueRange carried) {
        scf::YieldOp::create(body, where,
                             cloneRest(skewed, body, lastIndex, carried,
                                       middle.getResults().back()));
      });
  loop.replaceAllUsesWith(end.getResults());
  loop.erase();
}

void IssueAheadPass::runOnOperation() {
  tile::KernelOp kernel = getOperation();
  FailureOr<const target::Architecture *> arch = tile::requireTarget(kernel);
  if (failed(arch))
    return signalPassFailure();
  // Where one thread issues products, roles do this for each other.
  if ((*arch)->mma != target::MmaInstruction::Wgmma)
    return;
  kernel.walk([&](RoleOp role) {
    SmallVector<scf::ForOp> loops;
    role.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      std::optional<Skewed> skewed = findSkewed(loop);
      if (!skewed)
        continue;
      skew(*skewed);
      SmallVector<StringRef> because = plan::getBecause(role);
      std::string reason = fire(Rule::IssuesAhead, role.getSymName());
      because.push_back(reason);
      role->setAttr(plan::becauseAttrName,
                    Builder(role).getStrArrayAttr(because));
      if (remarks)
        role.emitRemark(reason);
    }
  });
  IRRewriter rewriter(kernel.getContext());
  (void)runRegionDCE(rewriter, kernel->getRegions());
}
