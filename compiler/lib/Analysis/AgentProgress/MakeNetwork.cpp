//===- MakeNetwork.cpp - A switch of roles as a network -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over each role. Loops and scopes have a step in the model; a few GPU
// instructions that block have one too; what holds neither is left out. Counts
// and bytes are derived, as everywhere: from who stands on each side of a pipe,
// and from what a produce yields.
//
//===----------------------------------------------------------------------===//

#include "Resources.h"
#include "SizeTable.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetOperations.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using progress::Body;
using progress::Count;

namespace {
class Maker {
public:
  explicit Maker(SwitchOp roles)
      : roles(roles), sizes(result, roles.getContext()) {}

  SwitchNetwork make();

private:
  void addRoles();
  void addPipes();
  void addPipe(PipeOp op);
  progress::Consumer makeConsumer(PipeOp pipe, RoleOp role);

  Body walk(Region &region);
  void visit(Operation *op, Body &body);
  void visitLoop(scf::ForOp loop, Body &body);
  void visitItems(ForEachItemOp items, Body &body);
  void visitProduce(ProduceOp produce, Body &body);
  void visitConsume(ConsumeOp consume, Body &body);
  void visitBarrier(Operation *op, Value id, Value threads, bool waits,
                    Body &body);
  progress::Bytes bytesOf(ProduceOp produce);

  /// Remembers where an operation is; the text that the network calls it by.
  std::string place(Operation *op) {
    std::string text = textOf(op->getLoc());
    if (!text.empty())
      result.locations.try_emplace(text, op->getLoc());
    return text;
  }
  void outside(Operation *op, const Twine &construct) {
    result.outside.push_back({construct.str(), op->getLoc()});
  }

  SwitchOp roles;
  SwitchNetwork result;
  SizeTable sizes;
  llvm::DenseMap<Operation *, progress::RoleId> roleIds;
  llvm::DenseMap<Value, progress::PipeId> pipeIds;
  llvm::DenseMap<int64_t, progress::BarrierId> barrierIds;
};
} // namespace

//===----------------------------------------------------------------------===//
// Roles and pipes
//===----------------------------------------------------------------------===//

void Maker::addRoles() {
  int64_t ctas = roles.getCtasOfItem();
  for (RoleOp role : roles.getRoles()) {
    // CTAs that run the same role for the same items are more warps of it.
    // Those that take items of their own do the same steps, so one stands for
    // all.
    int64_t instances = role.getScope() == Scope::cta    ? ctas
                        : role.getScope() == Scope::pair ? ctas / 2
                                                         : 1;
    roleIds[role] =
        result.network.addRole({.name = role.getSymName().str(),
                                .warps = static_cast<int64_t>(role.getWarps()) *
                                         std::max<int64_t>(1, instances),
                                .location = place(role)});
  }
}

/// The residues of a role's item loops around the ends of a pipe, and the
/// number that they divide by; 1 for all items.
static std::pair<int64_t, llvm::SmallSetVector<int64_t, 2>>
residuesOf(PipeOp pipe, RoleOp role, bool producing) {
  int64_t period = 1;
  llvm::SmallSetVector<int64_t, 2> residues;
  for (OpOperand &use : pipe.getPipe().getUses()) {
    Operation *user = use.getOwner();
    bool fills = isa<ProduceOp>(user) ||
                 (isa<ForEachItemOp>(user) && use.getOperandNumber() == 1);
    if (user->getParentOfType<RoleOp>() != role || fills != producing)
      continue;
    auto items = user->getParentOfType<ForEachItemOp>();
    if (!items || items.getEvery() == 1)
      return {1, {}};
    period = items.getEvery();
    residues.insert(items.getFrom());
  }
  return {period, residues};
}

/// Whether all slots of a pipe belong to the items of one stream. If not, every
/// consumer sees every slot.
static bool belongsToItems(PipeOp pipe) {
  Value stream;
  for (Operation *user : pipe.getPipe().getUsers()) {
    auto items = user->getParentOfType<ForEachItemOp>();
    if (!items || (stream && stream != items.getStream()))
      return false;
    stream = items.getStream();
  }
  return true;
}

/// Whose arrival completes a barrier: the tensor core's own, or one that warps
/// make. Bulk stores don't arrive; their bytes are a matter of the full
/// barrier.
static progress::Engine toModel(Engine engine) {
  return engine == Engine::tensor_core ? progress::Engine::tensorCore
                                       : progress::Engine::warps;
}

/// A commit arrives without asking the role's warps. So `lower-pipes` lets one
/// of them wait, and that one issues.
static progress::Arrival getArrival(RoleOp role, Engine engine) {
  return engine == Engine::tensor_core && role.getWarps() > 1
             ? progress::Arrival::oneWarp
             : progress::Arrival::everyWarp;
}

progress::Consumer Maker::makeConsumer(PipeOp pipe, RoleOp role) {
  progress::Consumer consumer{.role = roleIds[role]};
  auto [every, from] = residuesOf(pipe, role, /*producing=*/false);
  auto [made, madeFrom] =
      residuesOf(pipe, pipe.getProducers().front(), /*producing=*/true);
  // Slots of other items than these are never made, or they are for another
  // consumer.
  bool takesAll = every == 1 || !belongsToItems(pipe) ||
                  (made == every && llvm::set_is_subset(madeFrom, from));
  if (!takesAll && from.size() > 1) {
    outside(pipe, "pipe '" + pipe.getName() + "': @" + role.getSymName() +
                      " takes " + Twine(from.size()) + " of every " +
                      Twine(every) + " items; the model has one");
  } else if (!takesAll) {
    consumer.every = every;
    consumer.from = from.front();
  }
  consumer.engine = toModel(*pipe.getConsumerEngine(role));
  consumer.arrival = getArrival(role, *pipe.getConsumerEngine(role));
  return consumer;
}

void Maker::addPipe(PipeOp op) {
  // No memory holds as many; numbers near the end of their range are not for
  // counting with.
  constexpr int64_t mostSlots = 1 << 16;
  if (static_cast<int64_t>(op.getSlots()) > mostSlots)
    outside(op, "pipe '" + op.getName() + "' with more than " +
                    Twine(mostSlots) + " slots");
  progress::Pipe pipe{.name = op.getName().str(),
                      .slots = Count::constant(op.getSlots()),
                      .producer = roleIds[op.getProducers().front()],
                      .consumers = {},
                      .location = place(op)};
  for (RoleOp role : op.getConsumers())
    pipe.consumers.push_back(makeConsumer(op, role));
  pipe.engine = toModel(*op.getProducerEngine());
  pipe.arrival = getArrival(op.getProducers().front(), *op.getProducerEngine());
  pipeIds[op.getPipe()] = result.network.addPipe(std::move(pipe));
}

void Maker::addPipes() {
  for (PipeOp pipe : roles->getBlock()->getOps<PipeOp>())
    if (pipe.getSwitch() == roles)
      addPipe(pipe);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void Maker::visitLoop(scf::ForOp loop, Body &body) {
  Body inner = walk(loop.getRegion());
  // What does not block may run as often as it likes.
  if (inner.empty())
    return;
  std::string problem;
  std::optional<Count> trips = sizes.countTrips(loop, problem);
  if (!trips)
    return outside(loop, problem);
  body.push_back(progress::loop(*trips, std::move(inner), place(loop)));
}

void Maker::visitItems(ForEachItemOp items, Body &body) {
  Value stream = items.getStream();
  if (!stream)
    return outside(items, "work tiles that no role publishes");
  progress::SizeId size = sizes.streamOf(stream);
  std::string at = place(items);
  Body inner = walk(items.getBody());
  if (items.getEvery() > 1 && !inner.empty())
    inner = {progress::onItems(items.getEvery(), items.getFrom(),
                               std::move(inner), at)};
  // A message for each item, and one for the end of the stream.
  std::optional<progress::Step> message;
  if (items.getPublish())
    message = progress::produce(pipeIds[items.getPublish()], {}, 0, {}, at);
  else if (isa<PipeType>(items.getSource().getType()))
    message = progress::consume({pipeIds[items.getSource()]}, {}, 0, at);
  if (message)
    inner.insert(inner.begin(), *message);
  if (!inner.empty())
    body.push_back(progress::forEachItem(size, std::move(inner), at));
  if (message)
    body.push_back(*message);
}

/// The bytes that the slot's barrier expects, and those that the copies bring.
/// A tile that TMA loads right into the slot comes with a copy of its own; what
/// threads write does not count.
progress::Bytes Maker::bytesOf(ProduceOp produce) {
  progress::Bytes bytes;
  if (produce.getEngine() != Engine::tma)
    return bytes;
  llvm::SmallPtrSet<Operation *, 4> copies;
  for (Value value : produce.getBody().front().getTerminator()->getOperands()) {
    auto load = value.getDefiningOp<tile::LoadOp>();
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    if (!load || !tile || !tile.getElementType().isIntOrFloat() ||
        !produce->isProperAncestor(load))
      continue;
    int64_t size = llvm::divideCeil(
        tile.getNumElements() * tile.getElementTypeBitWidth(), 8);
    bytes.announced += size;
    if (copies.insert(load).second)
      bytes.copies.push_back(size);
  }
  // The model keeps eight copies apart; more of them land as one.
  constexpr size_t mostCopies = 8;
  if (bytes.copies.size() > mostCopies)
    bytes.copies = {bytes.delivered()};
  return bytes;
}

void Maker::visitProduce(ProduceOp produce, Body &body) {
  body.push_back(progress::produce(pipeIds[produce.getPipe()],
                                   walk(produce.getBody()), 0, bytesOf(produce),
                                   place(produce)));
}

void Maker::visitConsume(ConsumeOp consume, Body &body) {
  llvm::SmallVector<progress::PipeId, 2> pipes;
  for (Value pipe : consume.getPipes())
    pipes.push_back(pipeIds[pipe]);
  body.push_back(progress::consume(pipes, walk(consume.getBody()),
                                   consume.getLag(), place(consume)));
}

void Maker::visitBarrier(Operation *op, Value id, Value threads, bool waits,
                         Body &body) {
  APInt number(32, 0), count;
  if ((id && !matchPattern(id, m_ConstantInt(&number))) || !threads ||
      !matchPattern(threads, m_ConstantInt(&count)))
    return outside(op, "a barrier whose number or count of threads is not "
                       "constant");
  auto [entry, isNew] = barrierIds.try_emplace(number.getSExtValue());
  int64_t warps = count.getSExtValue() / 32;
  if (isNew)
    entry->second = result.network.addBarrier(
        {.name = std::to_string(number.getSExtValue()),
         .warps = warps,
         .location = place(op)});
  else if (result.network.barriers[entry->second].warps != warps)
    outside(op, "barrier " + Twine(number.getSExtValue()) +
                    " with two different counts of threads");
  body.push_back(progress::arriveAt(entry->second, place(op)));
  if (waits)
    body.push_back(progress::waitAt(entry->second, place(op)));
}

/// Whether an operation, apart from what is in its regions, is known not to
/// block and not to let others pass: it has no effects, or it belongs to a
/// dialect none of whose operations do. `agent` and `scf` have theirs in their
/// regions, or in the steps above.
static bool isKnownToPass(Operation *op) {
  return isPure(op) ||
         isa_and_present<AgentDialect, arith::ArithDialect, index::IndexDialect,
                         math::MathDialect, scf::SCFDialect,
                         tensor::TensorDialect, tile::TileDialect>(
             op->getDialect());
}

void Maker::visit(Operation *op, Body &body) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitLoop(loop, body);
  if (auto items = dyn_cast<ForEachItemOp>(op))
    return visitItems(items, body);
  if (auto produce = dyn_cast<ProduceOp>(op))
    return visitProduce(produce, body);
  if (auto consume = dyn_cast<ConsumeOp>(op))
    return visitConsume(consume, body);
  if (auto barrier = dyn_cast<NVVM::BarrierOp>(op))
    return visitBarrier(op, barrier.getBarrierId(),
                        barrier.getNumberOfThreads(), /*waits=*/true, body);
  if (auto arrive = dyn_cast<NVVM::BarrierArriveOp>(op))
    return visitBarrier(op, arrive.getBarrierId(), arrive.getNumberOfThreads(),
                        /*waits=*/false, body);
  if (auto launch = dyn_cast<NVVM::GriddepcontrolOp>(op)) {
    bool waits = launch.getKind() == NVVM::GridDepActionKind::wait;
    body.push_back(waits ? progress::launchWait(place(op))
                         : progress::launchDependents(place(op)));
    return;
  }
  StringRef name = op->getName().getStringRef();
  if (isa<scf::WhileOp>(op))
    return outside(op,
                   "'scf.while', whose trip count is unknown before it runs");
  if (!isKnownToPass(op))
    return outside(op, "'" + name + "', which may block");
  // Whatever else has regions may hold arithmetic, but nothing that blocks.
  for (Region &region : op->getRegions()) {
    if (walk(region).empty())
      continue;
    return outside(op, "'" + name + "' around something that can block");
  }
}

Body Maker::walk(Region &region) {
  Body body;
  for (Block &block : region)
    for (Operation &op : block)
      visit(&op, body);
  return body;
}

SwitchNetwork Maker::make() {
  addRoles();
  addPipes();
  for (RoleOp role : roles.getRoles())
    result.network.roles[roleIds[role]].body = walk(role.getBody());
  // A CTA has its tensor memory before its roles start, so what its role gives
  // does not wait for that: registers come first in the role.
  addTensorMemory(roles, result.network);
  if (!addRegisters(roles, result.network))
    outside(roles, "roles on more warps than a CTA has");
  return std::move(result);
}

SwitchNetwork agent::makeNetwork(SwitchOp roles) { return Maker(roles).make(); }
