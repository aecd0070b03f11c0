//===- EvalAgent.cpp - Operations of agent --------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The run is that of one cluster that takes every work tile, or, where work
// tiles are numbers already, of one CTA after the other. Scopes, warps and
// registers say who does something and where, so nothing here looks at them.
//
//===----------------------------------------------------------------------===//

#include "Agents.h"
#include "drawloom/Dialect/Agent/IR/MessageOps.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Interpreter/Interpreter.h"
#include <algorithm>
#include <numeric>

using namespace drawloom::interp;
using namespace drawloom;
using llvm::LogicalResult;
using mlir::Operation;
using Need = RoleRunner::Need;

static llvm::SmallVector<RuntimeValue> yielded(mlir::Region &region,
                                               Evaluator &eval) {
  return eval.collect(region.front().getTerminator()->getOperands());
}

static LogicalResult makePipe(Operation *op, Evaluator &eval) {
  auto pipe = mlir::cast<agent::PipeOp>(op);
  eval.getAgents().rings[pipe.getPipe()] = std::make_unique<Ring>(pipe);
  return llvm::success();
}

int64_t drawloom::interp::countBetween(Operation *op) {
  auto kernel = op->getParentOfType<tile::KernelOp>();
  int64_t apart = 1;
  std::optional<int64_t> along;
  kernel.walk([&](tile::AllGatherOp gather) { along = gather.getAlong(); });
  kernel.walk([&](agent::SwitchOp roles) {
    if (along && roles.getCluster())
      for (int64_t extent : roles.getCluster()->take_front(*along))
        apart *= extent;
  });
  return apart;
}

static LogicalResult makeItems(Operation *op, Evaluator &eval) {
  auto items = mlir::cast<agent::ItemsOp>(op);
  int64_t count = eval.getIndex(items.getCount());
  if (count < 0)
    return op->emitError() << "the number of work tiles is " << count
                           << "; it must not be negative [interpreter]";
  auto first = eval.addItems(op, count);
  if (failed(first))
    return llvm::failure();
  auto stream = std::make_shared<Stream>(std::vector<int64_t>(count), *first);
  std::iota(stream->order.begin(), stream->order.end(), 0);
  int64_t width = eval.getWidth();
  if (count % width != 0)
    return op->emitError()
           << "has " << count << " work tiles, where " << width
           << " at a time gather what each of them has [interpreter]";
  // Those that run together differ along one dimension of the cluster, and
  // stay together in another order.
  int64_t apart = countBetween(op);
  if (width > 1 && count % (width * apart) != 0)
    return op->emitError() << "has " << count << " work tiles, where "
                           << width * apart << " make a cluster [interpreter]";
  std::vector<int64_t> groups(count / width);
  std::iota(groups.begin(), groups.end(), 0);
  if (eval.getOptions().shuffle)
    std::shuffle(groups.begin(), groups.end(),
                 std::mt19937_64(*eval.getOptions().shuffle));
  for (int64_t i = 0; i < count; ++i) {
    int64_t group = groups[i / width];
    stream->order[i] =
        group / apart * apart * width + group % apart + i % width * apart;
  }
  eval.getAgents().streams[items.getItems()] = std::move(stream);
  return llvm::success();
}

static LogicalResult runSwitch(Operation *op, Evaluator &eval) {
  // A switch that is not the kernel's own operation is in one CTA.
  int64_t ctas = mlir::isa<tile::KernelOp>(op->getParentOp())
                     ? eval.getAgents().protocol.ctas
                     : 1;
  RoleRunner runner(mlir::cast<agent::SwitchOp>(op), eval, ctas);
  eval.getAgents().runner = &runner;
  LogicalResult result = runner.run();
  eval.getAgents().runner = nullptr;
  return result;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

static LogicalResult makeVariable(Operation *op, Evaluator &eval) {
  llvm::ArrayRef<int32_t> initial =
      mlir::cast<agent::VariableOp>(op).getInitial();
  HostTensor numbers(Format::I32, {static_cast<int64_t>(initial.size())});
  for (auto [place, number] : llvm::enumerate(initial))
    numbers.setInt(static_cast<int64_t>(place), number);
  eval.set(op->getResult(0), std::move(numbers));
  return llvm::success();
}

static LogicalResult getVariable(Operation *op, Evaluator &eval) {
  TensorRef numbers = eval.get(op->getOperand(0));
  for (mlir::OpResult result : op->getResults())
    eval.set(result,
             HostTensor::scalar(Format::I32,
                                numbers->getInt(result.getResultNumber())));
  return llvm::success();
}

static LogicalResult setVariable(Operation *op, Evaluator &eval) {
  HostTensor numbers = *eval.get(op->getOperand(0));
  for (auto [place, value] : llvm::enumerate(op->getOperands().drop_front()))
    numbers.setInt(static_cast<int64_t>(place), eval.getIndex(value));
  eval.set(op->getOperand(0), std::move(numbers));
  return llvm::success();
}

/// Advances the variable of an end of a pipe, if it has one. It must be at the
/// slot that comes next, which is known here from how many have come before.
static LogicalResult advance(Operation *op, Evaluator &eval, mlir::Value at,
                             agent::PipeOp pipe, uint64_t before, bool fills) {
  if (!at)
    return llvm::success();
  HostTensor position = *eval.get(at);
  auto find = [&](uint64_t count) {
    uint64_t slots = pipe.getSlots();
    return std::pair<int64_t, int64_t>(count % slots,
                                       (count / slots + fills) & 1);
  };
  auto [slot, phase] = find(before);
  if (position.getInt(0) != slot || position.getInt(1) != phase)
    return op->emitError() << "is at slot " << position.getInt(0)
                           << " of pipe '" << pipe.getName() << "', phase "
                           << position.getInt(1)
                           << ", but the next one is slot " << slot
                           << ", phase " << phase << " [interpreter]";
  auto [next, nextPhase] = find(before + 1);
  position.setInt(0, next);
  position.setInt(1, nextPhase);
  eval.set(at, std::move(position));
  return llvm::success();
}

/// Acquires the next slot, to be filled.
static LogicalResult acquire(Operation *op, Evaluator &eval, Ring &ring,
                             mlir::Value at) {
  if (failed(eval.getAgents().runner->waitFor(op, ring, Need::Empty)) ||
      failed(advance(op, eval, at, ring.getPipe(), ring.countAcquired(),
                     /*fills=*/true)))
    return llvm::failure();
  ring.acquire();
  return llvm::success();
}

/// Takes what is in the next full slot; null after an error.
static std::shared_ptr<const Content> take(Operation *op, Evaluator &eval,
                                           Ring &ring, mlir::Value at) {
  RoleRunner &runner = *eval.getAgents().runner;
  if (failed(runner.waitFor(op, ring, Need::Full)) ||
      failed(advance(op, eval, at, ring.getPipe(),
                     ring.countTaken(runner.getRole()), /*fills=*/false)))
    return nullptr;
  return ring.take(runner.getRole());
}

//===----------------------------------------------------------------------===//
// Pipes
//===----------------------------------------------------------------------===//

static LogicalResult produce(Operation *op, Evaluator &eval) {
  auto produce = mlir::cast<agent::ProduceOp>(op);
  RoleRunner &runner = *eval.getAgents().runner;
  Ring &ring = *eval.getAgents().rings[produce.getPipe()];
  if (failed(acquire(op, eval, ring, produce.getAt())) ||
      failed(eval.runBody(produce.getBody().front())))
    return llvm::failure();
  ring.fill(yielded(produce.getBody(), eval), runner.getNumber());
  return llvm::success();
}

/// The innermost loop around the operation, or its role if there is none.
static Operation *getLoopOrRole(Operation *op) {
  Operation *parent = op->getParentOp();
  while (!mlir::isa<mlir::LoopLikeOpInterface, agent::RoleOp>(parent))
    parent = parent->getParentOp();
  return parent;
}

static LogicalResult consume(Operation *op, Evaluator &eval) {
  auto consume = mlir::cast<agent::ConsumeOp>(op);
  RoleRunner &runner = *eval.getAgents().runner;
  llvm::SmallVector<Ring *, 2> rings;
  llvm::SmallVector<RuntimeValue> arguments;
  for (auto [number, pipe] : llvm::enumerate(consume.getPipes())) {
    rings.push_back(eval.getAgents().rings[pipe].get());
    mlir::Value at =
        consume.getAt().empty() ? mlir::Value() : consume.getAt()[number];
    std::shared_ptr<const Content> content = take(op, eval, *rings.back(), at);
    if (!content)
      return llvm::failure();
    llvm::append_range(arguments, content->values);
  }
  if (failed(eval.run(consume.getBody().front(), arguments)))
    return llvm::failure();
  for (auto [result, value] :
       llvm::zip_equal(consume.getResults(), yielded(consume.getBody(), eval)))
    eval.setValue(result, value);
  for (Ring *ring : rings) {
    ring->release(runner.getRole(), consume.getLag());
    if (consume.getLag() != 0)
      runner.keptIn(getLoopOrRole(op), *ring);
  }
  return llvm::success();
}

namespace {

/// One role's loop over the work tiles.
class ItemLoop {
public:
  ItemLoop(agent::ForEachItemOp loop, Evaluator &eval)
      : loop(loop), eval(eval), runner(*eval.getAgents().runner),
        stream(eval.getAgents().streams.lookup(loop.getStream())) {}

  LogicalResult run() {
    ItemId outside = eval.getItem();
    LogicalResult result =
        mlir::isa<agent::ItemsType>(loop.getSource().getType()) ? runStream()
                                                                : runPipe();
    eval.setItem(outside);
    return result;
  }

private:
  /// The values of the items that run together.
  llvm::FailureOr<llvm::SmallVector<RuntimeValue>> evaluate(int64_t number) {
    unsigned width = eval.getWidth();
    if (width == 1)
      return evaluateOne(number);
    llvm::SmallVector<std::vector<RuntimeValue>> lanes;
    for (unsigned lane = 0; lane < width; ++lane) {
      auto values = evaluateOne(number + lane);
      if (failed(values))
        return llvm::failure();
      lanes.resize(values->size());
      for (auto [all, value] : llvm::zip_equal(lanes, *values))
        all.push_back(value);
    }
    llvm::SmallVector<RuntimeValue> joined;
    for (std::vector<RuntimeValue> &all : lanes)
      joined.push_back(Values::join(std::move(all)));
    return joined;
  }

  /// The values of the item, from the region of its `agent.items`.
  llvm::FailureOr<llvm::SmallVector<RuntimeValue>> evaluateOne(int64_t number) {
    auto items = loop.getSource().getDefiningOp<agent::ItemsOp>();
    auto scalar = std::make_shared<const HostTensor>(
        HostTensor::scalar(Format::Index, stream->order[number]));
    eval.endItem();
    if (failed(eval.run(items.getBody().front(), {{scalar, nullptr}})))
      return llvm::failure();
    return yielded(items.getBody(), eval);
  }

  LogicalResult publish(int64_t number, llvm::SmallVector<RuntimeValue> values,
                        bool isEnd) {
    if (!loop.getPublish())
      return llvm::success();
    Ring &ring = *eval.getAgents().rings[loop.getPublish()];
    if (failed(runner.waitFor(loop, ring, Need::Empty)))
      return llvm::failure();
    ring.acquire();
    ring.fill(std::move(values), number, isEnd);
    return llvm::success();
  }

  LogicalResult runItem(int64_t number, llvm::ArrayRef<RuntimeValue> values) {
    ItemId item = stream->first + static_cast<ItemId>(number);
    for (unsigned lane = 0; lane < eval.getWidth(); ++lane) {
      llvm::SmallVector<int64_t, 4> offsets;
      for (const RuntimeValue &value : values) {
        const RuntimeValue &own =
            value.lanes.empty() ? value : value.lanes[lane];
        if (!isFloat(own.tensor->getFormat()))
          offsets.push_back(own.tensor->getInt(0));
      }
      eval.describeItem(item + lane, offsets);
    }
    eval.setItem(item);
    runner.setNumber(number);
    return eval.run(loop.getBody().front(), values);
  }

  bool takes(int64_t number) {
    return number / eval.getWidth() % loop.getEvery() == loop.getFrom();
  }

  LogicalResult runStream() {
    auto count = static_cast<int64_t>(stream->order.size());
    for (int64_t number = 0; number < count; number += eval.getWidth()) {
      if (!takes(number))
        continue;
      auto values = evaluate(number);
      if (failed(values) || failed(publish(number, *values, /*isEnd=*/false)) ||
          failed(runItem(number, *values)))
        return llvm::failure();
    }
    return publish(count, {}, /*isEnd=*/true);
  }

  LogicalResult runPipe() {
    Ring &ring = *eval.getAgents().rings[loop.getSource()];
    while (true) {
      if (failed(runner.waitFor(loop, ring, Need::Full)))
        return llvm::failure();
      // The message is read into registers, and the slot is free again.
      Content message = *ring.take(runner.getRole());
      ring.release(runner.getRole(), /*keep=*/0);
      if (message.isEnd)
        return publish(message.number, {}, /*isEnd=*/true);
      if (!takes(message.number))
        continue;
      if (failed(publish(message.number, message.values, /*isEnd=*/false)) ||
          failed(runItem(message.number, message.values)))
        return llvm::failure();
    }
  }

  agent::ForEachItemOp loop;
  Evaluator &eval;
  RoleRunner &runner;
  std::shared_ptr<const Stream> stream;
};

} // namespace

static LogicalResult forEachItem(Operation *op, Evaluator &eval) {
  return ItemLoop(mlir::cast<agent::ForEachItemOp>(op), eval).run();
}

//===----------------------------------------------------------------------===//
// Work tiles that are numbers
//===----------------------------------------------------------------------===//

static LogicalResult publish(Operation *op, Evaluator &eval) {
  auto publish = mlir::cast<agent::PublishOp>(op);
  RoleRunner &runner = *eval.getAgents().runner;
  Ring &ring = *eval.getAgents().rings[publish.getPipe()];
  if (failed(acquire(op, eval, ring, publish.getAt())))
    return llvm::failure();
  llvm::SmallVector<RuntimeValue> values = eval.collect(publish.getValues());
  values.insert(values.begin(), eval.getValue(publish.getThere()));
  ring.fill(std::move(values), runner.getNumber());
  return llvm::success();
}

static LogicalResult receive(Operation *op, Evaluator &eval) {
  auto receive = mlir::cast<agent::ReceiveOp>(op);
  RoleRunner &runner = *eval.getAgents().runner;
  Ring &ring = *eval.getAgents().rings[receive.getPipe()];
  std::shared_ptr<const Content> message =
      take(op, eval, ring, receive.getAt());
  if (!message)
    return llvm::failure();
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), message->values))
    eval.setValue(result, value);
  ring.release(runner.getRole(), /*keep=*/0);
  return llvm::success();
}

/// Who takes which work tile is not said: here every CTA takes those at the
/// stride of the grid.
static LogicalResult nextTile(Operation *op, Evaluator &eval) {
  int64_t number = eval.getIndex(mlir::cast<agent::NextTileOp>(op).getNumber());
  eval.set(op->getResult(0),
           HostTensor::scalar(Format::Index, number + countCtas(eval)));
  return llvm::success();
}

/// A CTA of a pair does its own part.
static LogicalResult leads(Operation *op, Evaluator &eval) {
  eval.set(op->getResult(0), HostTensor::scalar(Format::I1, int64_t(1)));
  return llvm::success();
}

static constexpr NamedRule agentRules[] = {
    {"agent.variable", makeVariable},
    {"agent.get", getVariable},
    {"agent.set", setVariable},
    {"agent.pipe", makePipe},
    {"agent.items", makeItems},
    {"agent.switch", runSwitch},
    {"agent.produce", produce},
    {"agent.consume", consume},
    {"agent.for_each_item", forEachItem},
    {"agent.publish", publish},
    {"agent.receive", receive},
    {"agent.next_tile", nextTile},
    {"agent.leads", leads},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getAgentRules() {
  return agentRules;
}
