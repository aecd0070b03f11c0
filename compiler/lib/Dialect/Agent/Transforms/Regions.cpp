//===- Regions.cpp - Produces and consumes around a role's copy -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataflow.h"
#include "Projection.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// Produce
//===----------------------------------------------------------------------===//

/// A produce in front of the builder's place that holds `ops` and yields
/// `values`.
static ProduceOp produce(OpBuilder &builder, Location loc, Value channel,
                         ArrayRef<Operation *> ops, ValueRange values) {
  return ProduceOp::create(
      builder, loc, channel, [&](OpBuilder &inner, Location where, ValueRange) {
        for (Operation *op : ops)
          op->moveBefore(inner.getBlock(), inner.getBlock()->end());
        YieldOp::create(inner, where, values);
      });
}

/// Adds the operations of `block` that an accumulator of MMAs goes through
/// before `value`: MMAs and loops that go on with what others began.
static void addAccumulator(Value value, Block *block,
                           SmallVectorImpl<Operation *> &ops) {
  auto result = dyn_cast<OpResult>(value);
  if (!result || result.getOwner()->getBlock() != block)
    return;
  Value before;
  if (auto mma = dyn_cast<tile::MmaOp>(result.getOwner()))
    before = mma.getAcc();
  else if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    before = loop.getInitArgs()[result.getResultNumber()];
  if (!before)
    return;
  addAccumulator(before, block, ops);
  if (!llvm::is_contained(ops, result.getOwner()))
    ops.push_back(result.getOwner());
}

static void addProduce(Projection &projection, const PipeSpec &pipe,
                       Value channel) {
  SmallVector<Value> values;
  for (Value value : pipe.values)
    values.push_back(projection.mapping.lookup(value));
  OpBuilder builder(channel.getContext());
  SmallVector<Operation *> ops;
  Operation *last = nullptr;
  for (Value value : values)
    if (Operation *def = value.getDefiningOp()) {
      if (!last || last->isBeforeInBlock(def))
        last = def;
      if (pipe.filler == Filler::Mma)
        addAccumulator(value, def->getBlock(), ops);
      if (!llvm::is_contained(ops, def))
        ops.push_back(def);
    }
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(values.front().getParentBlock());
  Location loc = last ? last->getLoc() : values.front().getLoc();
  if (pipe.filler == Filler::Computed)
    ops.clear();
  ProduceOp op = produce(builder, loc, channel, ops, values);
  if (pipe.engine)
    op.setEngine(*pipe.engine);
}

/// What the role hands to itself has a stand-in for its own reads, as in any
/// other role that reads it: of a result all of them, of an operand those by
/// MMAs. `own` maps to the stand-ins.
static void addOwnStandIns(Projection &projection, const PipeSpec &pipe,
                           IRMapping &own) {
  for (Value value : pipe.values) {
    Value made = projection.mapping.lookup(value);
    OpBuilder builder(made.getContext());
    builder.setInsertionPointAfterValue(made);
    auto standIn = UnrealizedConversionCastOp::create(
        builder, made.getLoc(), made.getType(), ValueRange());
    made.replaceUsesWithIf(standIn.getResult(0), [&](OpOperand &use) {
      return pipe.filler == Filler::Mma || isOperandOfMma(use) ||
             goesWithReader(use.getOwner());
    });
    own.map(value, standIn.getResult(0));
    projection.standIns.push_back(standIn);
  }
}

/// `tile.store v` becomes a produce of v and a consume that stores it.
static void stage(const StagedStore &staged, Operation *store, Value channel) {
  OpBuilder builder(store);
  auto op = cast<tile::StoreOp>(store);
  produce(builder, op.getLoc(), channel, {}, Value(op.getValue()));
  int64_t lag = staged.slots > 1 ? 1 : 0;
  auto consume =
      ConsumeOp::create(builder, op.getLoc(), TypeRange(), channel, lag,
                        [](OpBuilder &, Location, ValueRange) {});
  op->moveBefore(consume.getBody().front().getTerminator());
  op.getValueMutable().assign(consume.getBody().getArgument(0));
}

/// A tile.all_gather becomes a produce of the parts and a consume that reads
/// them.
static void handRound(Operation *gather, Value channel) {
  OpBuilder builder(gather);
  builder.setInsertionPointAfter(gather);
  Location loc = gather->getLoc();
  auto consume =
      ConsumeOp::create(builder, loc, gather->getResultTypes(), channel, 0,
                        [](OpBuilder &inner, Location where, ValueRange tiles) {
                          YieldOp::create(inner, where, tiles);
                        });
  gather->replaceAllUsesWith(consume.getResults());
  builder.setInsertionPoint(consume);
  produce(builder, loc, channel, gather, gather->getResults());
}

//===----------------------------------------------------------------------===//
// Consume
//===----------------------------------------------------------------------===//

namespace {
/// The reads of one or more slots in a block, as a range of its operations.
struct Reads {
  /// The first operation, and the one after the last.
  size_t first, end;
  int64_t lag;
  SmallVector<Value, 2> channels;
  /// The stand-ins for the slots' values, a null for a value that is not read.
  SmallVector<Operation *, 4> standIns;

  bool isEmpty() const { return first >= end; }
};
} // namespace

/// Puts a consume around the operations of `range`.
static Operation *wrap(Reads &range, ArrayRef<Operation *> ops, Block *block) {
  SmallVector<Operation *> inside;
  Operation *place = block->getTerminator();
  if (!range.isEmpty()) {
    place = ops[range.first];
    for (Operation *op = place, *last = ops[range.end - 1];;
         op = op->getNextNode()) {
      inside.push_back(op);
      if (op == last)
        break;
    }
  }
  llvm::SmallPtrSet<Operation *, 8> isInside(inside.begin(), inside.end());
  auto isOutside = [&](OpOperand &use) {
    return !isInside.contains(block->findAncestorOpInBlock(*use.getOwner()));
  };
  // What is needed after the region leaves it as a result.
  SmallVector<Value> leaving;
  for (Operation *op : inside)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUses(), isOutside))
        leaving.push_back(result);
  for (Operation *standIn : range.standIns)
    if (standIn && llvm::any_of(standIn->getResult(0).getUses(), isOutside))
      leaving.push_back(standIn->getResult(0));

  OpBuilder builder(place);
  Location loc = inside.empty() ? place->getLoc() : inside.front()->getLoc();
  auto consume = ConsumeOp::create(
      builder, loc, ValueRange(leaving).getTypes(), range.channels, range.lag,
      [&](OpBuilder &inner, Location where, ValueRange) {
        YieldOp::create(inner, where, leaving);
      });
  for (auto [value, result] : llvm::zip_equal(leaving, consume.getResults()))
    value.replaceUsesWithIf(result, [&](OpOperand &use) {
      return isOutside(use) && !consume->isProperAncestor(use.getOwner());
    });
  Operation *end = consume.getBody().front().getTerminator();
  for (Operation *op : inside)
    op->moveBefore(end);
  for (auto [standIn, tile] :
       llvm::zip_equal(range.standIns, consume.getBody().getArguments()))
    if (standIn)
      standIn->getResult(0).replaceAllUsesWith(tile);
  return consume;
}

/// Makes ranges that overlap in part contain each other, and joins those that
/// are the same.
static void makeNest(SmallVectorImpl<Reads> &ranges) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Reads &a : ranges)
      for (Reads &b : ranges)
        if (!a.isEmpty() && !b.isEmpty() && a.first < b.first &&
            b.first < a.end && a.end < b.end) {
          a.end = b.end;
          changed = true;
        }
  }
  SmallVector<Reads> joined;
  for (Reads &range : ranges) {
    auto *same = llvm::find_if(joined, [&](const Reads &other) {
      return other.first == range.first && other.end == range.end &&
             other.lag == range.lag;
    });
    if (same == joined.end()) {
      joined.push_back(range);
      continue;
    }
    llvm::append_range(same->channels, range.channels);
    llvm::append_range(same->standIns, range.standIns);
  }
  ranges = std::move(joined);
}

/// Calls `visit` for every operation that reads the value, also by way of what
/// goes with its reader: the slot is in use until the MMA is issued.
static void forEachReader(Value value, function_ref<void(Operation *)> visit) {
  for (Operation *user : value.getUsers()) {
    visit(user);
    if (goesWithReader(user))
      for (Value result : user->getResults())
        forEachReader(result, visit);
  }
}

/// Adds the consumes of one block.
static void addConsumes(Block *block, SmallVectorImpl<Reads> &ranges,
                        ArrayRef<SmallVector<Value, 2>> values) {
  SmallVector<Operation *> ops;
  DenseMap<Operation *, size_t> number;
  for (Operation &op : block->without_terminator()) {
    number[&op] = ops.size();
    ops.push_back(&op);
  }
  for (auto [range, slot] : llvm::zip_equal(ranges, values)) {
    range.first = ops.size();
    range.end = 0;
    for (Value value : slot)
      forEachReader(value, [&](Operation *user) {
        auto found = number.find(block->findAncestorOpInBlock(*user));
        if (found == number.end())
          return;
        range.first = std::min(range.first, found->second);
        range.end = std::max(range.end, found->second + 1);
      });
  }
  makeNest(ranges);
  SmallVector<Reads *> order;
  for (Reads &range : ranges)
    order.push_back(&range);
  auto size = [](const Reads *range) {
    return range->isEmpty() ? 0 : range->end - range->first;
  };
  // From the inside; among equals in the order of the program.
  llvm::sort(order, [&](const Reads *a, const Reads *b) {
    return std::tuple(size(a), a->first, a) < std::tuple(size(b), b->first, b);
  });
  for (Reads *range : order) {
    Operation *consume = wrap(*range, ops, block);
    if (!range->isEmpty())
      std::fill(ops.begin() + range->first, ops.begin() + range->end, consume);
  }
}

void drawloom::agent::addRegions(Projection &projection, const Pipes &pipes,
                                 ArrayRef<Value> channels,
                                 ArrayRef<Value> stagings,
                                 ArrayRef<Value> exchanges) {
  for (auto [exchange, channel] : llvm::zip_equal(pipes.exchanges, exchanges))
    if (exchange.role == projection.role)
      if (Operation *gather = projection.mapping.lookupOrNull(exchange.gather))
        handRound(gather, channel);
  // Stores first: a copy of one is found by its original.
  for (auto [staged, channel] : llvm::zip_equal(pipes.stores, stagings))
    if (staged.role == projection.role)
      if (Operation *store = projection.mapping.lookupOrNull(staged.store))
        stage(staged, store, channel);
  IRMapping own;
  for (auto [pipe, channel] : llvm::zip_equal(pipes.pipes, channels)) {
    if (pipe.producer != projection.role)
      continue;
    if (pipe.isReadBy(projection.role))
      addOwnStandIns(projection, pipe, own);
    addProduce(projection, pipe, channel);
  }

  llvm::MapVector<Block *, std::pair<SmallVector<Reads>,
                                     SmallVector<SmallVector<Value, 2>>>>
      blocks;
  for (auto [pipe, channel] : llvm::zip_equal(pipes.pipes, channels))
    for (auto [role, lag] : pipe.consumers) {
      if (role != projection.role)
        continue;
      Reads range{0, 0, lag, {channel}, {}};
      SmallVector<Value, 2> values;
      Block *block = nullptr;
      for (Value value : pipe.values) {
        Value copy = (pipe.producer == role ? own : projection.mapping)
                         .lookupOrNull(value);
        range.standIns.push_back(copy ? copy.getDefiningOp() : nullptr);
        if (!copy)
          continue;
        values.push_back(copy);
        block = copy.getParentBlock();
      }
      if (pipe.shares) {
        range.channels.push_back(channels[*pipe.shares]);
        range.standIns.append(pipes.pipes[*pipe.shares].values.size(), nullptr);
      }
      blocks[block].first.push_back(std::move(range));
      blocks[block].second.push_back(std::move(values));
    }
  // Out of the way: a consume holds all that is between its first and its last
  // operation, and the stand-in for another slot is none of it.
  for (Operation *standIn : projection.standIns)
    standIn->moveBefore(&standIn->getBlock()->front());
  for (auto &[block, ends] : blocks)
    addConsumes(block, ends.first, ends.second);
  for (Operation *standIn : projection.standIns)
    standIn->erase();
}
