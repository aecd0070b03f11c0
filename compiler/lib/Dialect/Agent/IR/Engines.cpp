//===- Engines.cpp - What an engine can do with a slot --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "Verify.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// What follows from the values
//===----------------------------------------------------------------------===//

Operation *agent::getMaker(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    Operation *op = result.getOwner();
    // The first region of each of these ends with what the results are.
    if (!isa<scf::ForOp, scf::IfOp, ConsumeOp>(op))
      return op;
    Operation *end = op->getRegion(0).front().getTerminator();
    if (result.getResultNumber() >= end->getNumOperands())
      return op;
    value = end->getOperand(result.getResultNumber());
  }
  return nullptr;
}

bool agent::isLoadedHere(Value value, ProduceOp op) {
  auto load = value.getDefiningOp<tile::LoadOp>();
  return load && load->getBlock() == &op.getBody().front();
}

bool agent::isMma(Value value) {
  return isa_and_present<tile::MmaOp>(getMaker(value));
}

bool agent::feedsMmasOnly(Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [](Operation *user) {
           if (isa<tile::TransposeOp, tile::ExtractSliceOp,
                   tensor::ExtractSliceOp>(user))
             return feedsMmasOnly(user->getResult(0));
           return isa<tile::MmaOp, MultiplyOp, IssueOp>(user);
         });
}

bool agent::isStoredHere(BlockArgument argument) {
  return llvm::any_of(argument.getUsers(), [&](Operation *user) {
    auto store = dyn_cast<tile::StoreOp>(user);
    return store && store->getBlock() == argument.getOwner() &&
           store.getValue() == argument;
  });
}

bool agent::isStoredByTma(tile::StoreOp store) {
  auto stored = dyn_cast<BlockArgument>(store.getValue());
  auto consume = dyn_cast<ConsumeOp>(store->getParentOp());
  if (!stored || !consume)
    return false;
  for (unsigned pipe = 0; pipe < consume.getPipes().size(); ++pipe)
    if (llvm::is_contained(consume.getSlotArguments(pipe), stored))
      return consume.getEngine(pipe) == Engine::tma;
  return false;
}

//===----------------------------------------------------------------------===//
// Who works, as the program says it
//===----------------------------------------------------------------------===//

std::optional<Engine> ConsumeOp::getEngine(unsigned pipe) {
  std::optional<ArrayAttr> engines = getEngines();
  if (!engines || pipe >= engines->size())
    return std::nullopt;
  return cast<EngineAttr>((*engines)[pipe]).getValue();
}

Block::BlockArgListType ConsumeOp::getSlotArguments(unsigned pipe) {
  size_t first = 0;
  for (Value before : getPipes().take_front(pipe))
    first += cast<PipeType>(before.getType()).getPayload().size();
  size_t count = cast<PipeType>(getPipes()[pipe].getType()).getPayload().size();
  return getBody().front().getArguments().slice(first, count);
}

static bool isMessage(PipeOp pipe) {
  return pipe.getPipe().getType().getMemory() == Memory::message;
}

std::optional<Engine> PipeOp::getProducerEngine() {
  if (isMessage(*this))
    return Engine::threads;
  for (Operation *user : getPipe().getUsers())
    if (auto produce = dyn_cast<ProduceOp>(user))
      return produce.getEngine();
  return std::nullopt;
}

std::optional<Engine> PipeOp::getConsumerEngine(RoleOp consumer) {
  if (isMessage(*this))
    return Engine::threads;
  for (OpOperand &use : getPipe().getUses())
    if (auto consume = dyn_cast<ConsumeOp>(use.getOwner());
        consume && consume->getParentOfType<RoleOp>() == consumer)
      return consume.getEngine(use.getOperandNumber());
  return std::nullopt;
}

LogicalResult agent::requireEngines(SwitchOp roles) {
  for (PipeOp pipe : roles->getBlock()->getOps<PipeOp>()) {
    if (pipe.getSwitch() != roles || isMessage(pipe))
      continue;
    for (OpOperand &use : pipe.getPipe().getUses()) {
      Operation *user = use.getOwner();
      auto produce = dyn_cast<ProduceOp>(user);
      auto consume = dyn_cast<ConsumeOp>(user);
      if ((produce && !produce.getEngine()) ||
          (consume && !consume.getEngine(use.getOperandNumber())))
        return user->emitOpError()
               << "of pipe '" << pipe.getName() << "' doesn't say who "
               << (produce ? "fills" : "empties")
               << " its slots: run assign-engines first, or add by(...)";
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// "of pipe 'p' is by(tma), ".
static InFlightDiagnostic emitEngineError(Operation *op, PipeOp pipe,
                                          Engine engine) {
  return op->emitOpError() << "of pipe '" << pipe.getName() << "' is by("
                           << stringifyEngine(engine) << "), ";
}

/// The first value that is not what the engine needs.
static std::optional<unsigned> findOther(ValueRange values,
                                         function_ref<bool(Value)> isRight) {
  for (auto [number, value] : llvm::enumerate(values))
    if (!isRight(value))
      return number;
  return std::nullopt;
}

LogicalResult ProduceOp::verifyRegions() {
  std::optional<Engine> engine = getEngine();
  FailureOr<PipeOp> pipe = agent::getPipe(*this, getPipe());
  if (failed(pipe) || !engine || *engine == Engine::threads)
    return success();
  Memory memory = getPipe().getType().getMemory();
  if (memory == Memory::message)
    return emitEngineError(*this, *pipe, *engine)
           << "but its slots are messages, which threads write";
  ValueRange values = getBody().front().getTerminator()->getOperands();
  if (*engine == Engine::tensor_core) {
    if (memory != Memory::tmem)
      return emitEngineError(*this, *pipe, *engine)
             << "but its slots are in smem; the tensor core writes to tmem";
    if (std::optional<unsigned> other = findOther(values, isMma))
      return emitEngineError(*this, *pipe, *engine)
             << "but value " << *other << " of a slot is not an MMA";
    return success();
  }
  if (memory != Memory::smem)
    return emitEngineError(*this, *pipe, *engine)
           << "but its slots are in tmem; only threads and the tensor core "
              "write there";
  if (std::optional<unsigned> other = findOther(
          values, [&](Value value) { return isLoadedHere(value, *this); }))
    return emitEngineError(*this, *pipe, *engine)
           << "but value " << *other
           << " of a slot is not a tile that is loaded here";
  return success();
}

static LogicalResult verifyConsumer(ConsumeOp op, PipeOp pipe, unsigned number,
                                    Engine engine) {
  if (engine == Engine::threads)
    return success();
  if (engine == Engine::cp_async)
    return emitEngineError(op, pipe, engine) << "which only fill slots";
  Memory memory = pipe.getPipe().getType().getMemory();
  if (memory == Memory::message)
    return emitEngineError(op, pipe, engine)
           << "but its slots are messages, which threads read";
  Block::BlockArgListType values = op.getSlotArguments(number);
  if (engine == Engine::tma) {
    if (memory != Memory::smem)
      return emitEngineError(op, pipe, engine)
             << "but its slots are in tmem; only threads and the tensor core "
                "read there";
    if (llvm::none_of(values, isStoredHere))
      return emitEngineError(op, pipe, engine)
             << "but no value of a slot is stored as it is";
    return success();
  }
  if (std::optional<unsigned> other = findOther(
          SmallVector<Value>(values.begin(), values.end()), [](Value value) {
            return value.use_empty() || feedsMmasOnly(value);
          }))
    return emitEngineError(op, pipe, engine)
           << "but value " << *other << " of a slot goes to more than MMAs";
  return success();
}

LogicalResult ConsumeOp::verifyRegions() {
  std::optional<ArrayAttr> engines = getEngines();
  if (!engines)
    return success();
  if (engines->size() != getPipes().size())
    return emitOpError() << "names " << engines->size() << " engines for "
                         << getPipes().size()
                         << " pipes; by(...) has one for each";
  for (auto [number, value] : llvm::enumerate(getPipes())) {
    FailureOr<PipeOp> pipe = agent::getPipe(*this, value);
    if (failed(pipe) ||
        failed(verifyConsumer(*this, *pipe, number, *getEngine(number))))
      return failure();
  }
  return success();
}

LogicalResult agent::verifyEngines(PipeOp pipe) {
  // The first end of each role and kind, and what it says.
  DenseMap<std::pair<Operation *, unsigned>, std::pair<Operation *, EngineAttr>>
      first;
  for (OpOperand &use : pipe.getPipe().getUses()) {
    Operation *user = use.getOwner();
    auto produce = dyn_cast<ProduceOp>(user);
    auto consume = dyn_cast<ConsumeOp>(user);
    std::optional<Engine> engine =
        produce   ? produce.getEngine()
        : consume ? consume.getEngine(use.getOperandNumber())
                  : std::nullopt;
    if (!engine)
      continue;
    auto role = user->getParentOfType<RoleOp>();
    auto said = EngineAttr::get(pipe.getContext(), *engine);
    auto [entry, isNew] =
        first.try_emplace({role, produce ? 0 : 1}, user, said);
    if (isNew || entry->second.second == said)
      continue;
    // Uses come in no particular order; the text has one.
    auto *one = entry->second.first, *other = user;
    Engine ofOne = entry->second.second.getValue(), ofOther = *engine;
    InFlightDiagnostic diag =
        pipe.emitError() << "pipe '" << pipe.getName() << "': " << nameOf(role)
                         << (produce ? " fills" : " empties")
                         << " its slots by("
                         << stringifyEngine(std::min(ofOne, ofOther))
                         << ") and by("
                         << stringifyEngine(std::max(ofOne, ofOther))
                         << "); the barrier of a slot counts the arrivals of "
                            "one engine";
    diag.attachNote(one->getLoc())
        << "by(" << stringifyEngine(ofOne) << ") is here";
    diag.attachNote(other->getLoc())
        << "by(" << stringifyEngine(ofOther) << ") is here";
    return diag;
  }
  return success();
}
