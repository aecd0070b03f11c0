//===- Agents.cpp - Pipes and roles of a run ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Agents.h"
#include "drawloom/Interpreter/Interpreter.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom::interp;
using namespace drawloom;
using llvm::LogicalResult;
using mlir::Operation;

//===----------------------------------------------------------------------===//
// Ring
//===----------------------------------------------------------------------===//

static agent::ForEachItemOp getItemLoop(mlir::OpOperand &use) {
  return use.getOwner()->getParentOfType<agent::ForEachItemOp>();
}

/// Whether all slots of the pipe belong to the items of one stream. If not,
/// every consumer sees every slot.
static bool belongsToItems(agent::PipeOp pipe) {
  mlir::Value stream;
  for (mlir::OpOperand &use : pipe.getPipe().getUses()) {
    agent::ForEachItemOp loop = getItemLoop(use);
    if (!loop || !loop.getStream() || (stream && stream != loop.getStream()))
      return false;
    stream = loop.getStream();
  }
  return true;
}

Ring::Ring(agent::PipeOp pipe)
    : pipe(pipe), capacity(static_cast<size_t>(pipe.getSlots())) {
  bool isShared = belongsToItems(pipe);
  for (agent::RoleOp role : pipe.getConsumers()) {
    Consumer consumer;
    consumer.role = role;
    for (mlir::OpOperand &use : pipe.getPipe().getUses())
      if (isShared && mlir::isa<agent::ConsumeOp>(use.getOwner()) &&
          use.getOwner()->getParentOfType<agent::RoleOp>() == role)
        consumer.items.emplace_back(getItemLoop(use).getEvery(),
                                    getItemLoop(use).getFrom());
    consumers.push_back(std::move(consumer));
  }
}

bool Ring::Consumer::sees(int64_t number) const {
  return items.empty() || llvm::any_of(items, [&](auto item) {
           return number % item.first == item.second;
         });
}

Ring::Consumer &Ring::find(agent::RoleOp role) {
  // The verifier counted the same roles, so there is one.
  return *llvm::find_if(consumers, [&](const Consumer &consumer) {
    return consumer.role == role;
  });
}

bool Ring::hasEmpty() const {
  return slots.size() < capacity || slots.front()->owners == 0;
}

void Ring::acquire() {
  ++acquired;
  if (!slots.empty() && slots.front()->owners == 0)
    slots.pop_front();
  slots.push_back(std::make_shared<Content>());
}

void Ring::fill(llvm::SmallVector<RuntimeValue> values, int64_t number,
                bool isEnd) {
  std::shared_ptr<Content> content = slots.back();
  content->values = std::move(values);
  content->number = number;
  content->isEnd = isEnd;
  content->owners = 0;
  for (Consumer &consumer : consumers)
    if (consumer.sees(number)) {
      ++content->owners;
      consumer.full.push_back(content);
    }
}

std::shared_ptr<const Content> Ring::take(agent::RoleOp role) {
  Consumer &consumer = find(role);
  ++consumer.taken;
  consumer.owned.push_back(consumer.full.front());
  consumer.full.pop_front();
  return consumer.owned.back();
}

void Ring::release(agent::RoleOp role, size_t keep) {
  Consumer &consumer = find(role);
  while (consumer.owned.size() > keep) {
    if (--consumer.owned.front()->owners == 0)
      consumer.owned.front()->values.clear();
    consumer.owned.pop_front();
  }
}

size_t Ring::countFull(agent::RoleOp role) const {
  for (const Consumer &consumer : consumers)
    if (consumer.role == role)
      return consumer.full.size();
  return 0;
}

//===----------------------------------------------------------------------===//
// RoleRunner
//===----------------------------------------------------------------------===//

RoleRunner::RoleRunner(agent::SwitchOp op, Evaluator &eval, int64_t ctas)
    : op(op), eval(eval) {
  for (int64_t cta = 0; cta < ctas; ++cta)
    for (agent::RoleOp role : op.getRoles()) {
      Role &made =
          roles.emplace_back(eval.getAgents().protocol.join(role, cta));
      made.name = "@" + role.getSymName().str();
      if (ctas > 1)
        made.name += " of CTA " + std::to_string(cta);
    }
  if (eval.getOptions().shuffle)
    random.emplace(*eval.getOptions().shuffle);
}

/// Lets the role move until it waits or ends.
void RoleRunner::giveBaton(size_t index) {
  current = index;
  eval.setCta(roles[index].who.cta);
  roles[index].turn.release();
  returned.acquire();
}

void RoleRunner::runRole(Role &role) {
  role.turn.acquire();
  if (!hasFailed) {
    if (failed(eval.runBody(role.who.role.getBody().front())))
      hasFailed = true;
    else
      leave(role.who.role);
  }
  role.hasEnded = true;
  returned.release();
}

LogicalResult RoleRunner::waitFor(Operation *waiting, Ring &ring, Need need) {
  agent::RoleOp role = getRole();
  return waitFor(
      waiting,
      [&ring, need, role] {
        return need == Need::Empty ? ring.hasEmpty()
                                   : ring.countFull(role) != 0;
      },
      [&ring, need] {
        return (need == Need::Empty ? "an empty slot of '"
                                    : "a full slot of '") +
               ring.getPipe().getName().str() + "'";
      });
}

LogicalResult RoleRunner::waitFor(Operation *waiting,
                                  std::function<bool()> isReady,
                                  std::function<std::string()> what) {
  Role &role = roles[current];
  role.op = waiting;
  role.isReady = std::move(isReady);
  role.what = std::move(what);
  if (random || !role.canMove()) {
    ItemId item = eval.getItem();
    returned.release();
    role.turn.acquire();
    eval.setItem(item);
  }
  role.isReady = nullptr;
  return llvm::failure(hasFailed);
}

size_t RoleRunner::choose() {
  llvm::SmallVector<size_t> movable;
  for (size_t i = 0; i < roles.size(); ++i)
    if (roles[i].canMove())
      movable.push_back(i);
  if (movable.empty())
    return noRole;
  if (random)
    return movable[(*random)() % movable.size()];
  return eval.getOptions().reverse ? movable.back() : movable.front();
}

LogicalResult RoleRunner::run() {
  ItemId item = eval.getItem();
  for (Role &role : roles)
    role.thread = std::thread([this, &role] { runRole(role); });

  for (size_t next = choose(); next != noRole && !hasFailed; next = choose()) {
    eval.setItem(item == severalItems
                     ? item
                     : item + static_cast<ItemId>(roles[next].who.cta));
    giveBaton(next);
  }
  if (!hasFailed &&
      (failed(reportStuck()) || failed(checkEmpty()) || failed(checkEngines())))
    hasFailed = true;
  // What still waits finds that the run has failed, and returns.
  for (size_t i = 0; i < roles.size(); ++i) {
    if (!roles[i].hasEnded)
      giveBaton(i);
    roles[i].thread.join();
  }
  eval.setCta(0);
  eval.setItem(item);
  return llvm::failure(hasFailed);
}

void RoleRunner::leave(Operation *loop) {
  auto rings = kept.find(loop);
  if (rings == kept.end())
    return;
  for (Ring *ring : rings->second)
    ring->release(getRole(), /*keep=*/0);
  kept.erase(rings);
}

/// Fails if a role has not ended, and says what each of them waits for.
LogicalResult RoleRunner::reportStuck() {
  if (llvm::all_of(roles, [](const Role &role) { return role.hasEnded; }))
    return llvm::success();
  auto diagnostic = op.emitError() << "no role can move: ";
  llvm::ListSeparator separator;
  for (Role &role : roles) {
    diagnostic << llvm::StringRef(separator);
    diagnostic << role.name;
    if (role.hasEnded)
      diagnostic << " has ended";
    else
      diagnostic << " waits for " << role.what();
  }
  diagnostic << " [interpreter-deadlock]";
  for (Role &role : roles)
    if (!role.hasEnded)
      diagnostic.attachNote(role.op->getLoc()) << role.name << " waits here";
  return diagnostic;
}

/// Fails if something was produced that no role took.
LogicalResult RoleRunner::checkEmpty() {
  for (auto &[value, ring] : eval.getAgents().rings) {
    agent::PipeOp pipe = ring->getPipe();
    if (pipe.getSwitch() != op)
      continue;
    for (Role &role : roles)
      if (size_t left = ring->countFull(role.who.role))
        return pipe.emitError()
               << "pipe '" << pipe.getName() << "' has " << left
               << (left == 1 ? " full slot" : " full slots") << " left for @"
               << role.who.role.getSymName() << " when all roles have ended"
               << " [interpreter-deadlock]";
  }
  return llvm::success();
}

/// Fails if a role has ended while an engine reads shared memory for it.
LogicalResult RoleRunner::checkEngines() {
  for (Role &role : roles) {
    Protocol &protocol = eval.getAgents().protocol;
    auto isDone = [&](By by, uint32_t count) {
      return count == 0 ||
             protocol.publish(role.who).seen.has(role.who.get(by), count);
    };
    if (!isDone(By::Stores, role.who.issued))
      return role.who.role.emitError()
             << role.name
             << " ends while its bulk stores may still read shared memory; it "
                "has to drain them [interpreter]";
    if (!isDone(By::Wgmma, protocol.getCount(role.who.get(By::Wgmma))))
      return role.who.role.emitError()
             << role.name
             << " ends while its wgmma may still read shared memory; it has to "
                "drain them [interpreter]";
  }
  return llvm::success();
}
