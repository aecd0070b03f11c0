//===- Protocol.cpp - Barriers, slots and what is visible -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Protocol.h"
#include "Agents.h"
#include "llvm/ADT/Twine.h"

using namespace drawloom::interp;
using namespace drawloom;
using llvm::LogicalResult;
using mlir::Operation;

void Clock::raise(unsigned actor, uint32_t number) {
  if (numbers.size() <= actor)
    numbers.resize(actor + 1, 0);
  numbers[actor] = std::max(numbers[actor], number);
}

void Clock::join(const Clock &other) {
  for (unsigned actor = 0; actor < other.numbers.size(); ++actor)
    if (other.numbers[actor] != 0)
      raise(actor, other.numbers[actor]);
}

int64_t drawloom::interp::countBytes(const HostTensor &tensor) {
  return (tensor.getNumElements() * getInfo(tensor.getFormat()).bits + 7) / 8;
}

//===----------------------------------------------------------------------===//
// Who takes part
//===----------------------------------------------------------------------===//

void Protocol::beginCluster(int64_t number) {
  cluster = number;
  columns.assign(ctas, 0);
  counts.clear();
  names.clear();
  guards.clear();
  places.clear();
  barriers.clear();
  rings.clear();
}

unsigned Protocol::addActor(std::string name) {
  counts.push_back(0);
  names.push_back(std::move(name));
  return static_cast<unsigned>(counts.size() - 1);
}

Participant Protocol::join(agent::RoleOp role, int64_t cta) {
  static constexpr llvm::StringLiteral what[numActors] = {
      "the threads of ",     "cp.async of ",       "the bulk stores of ",
      "wgmma of ",           "the tcgen05.ld of ", "the tcgen05.st of ",
      "the tensor core for "};
  Participant who{role, cta, static_cast<int64_t>(role.getWarps()), {}, {},
                  {},   {}};
  std::string name = "@" + role.getSymName().str();
  if (ctas > 1)
    name += " of CTA " + std::to_string(cta);
  // What happened before all roles started is visible to all.
  for (unsigned actor = 0; actor < counts.size(); ++actor) {
    who.visible.raise(actor, counts[actor]);
    who.tensor.raise(actor, counts[actor]);
  }
  for (auto [actor, words] : llvm::zip_equal(who.actors, what))
    actor = addActor(words.str() + name);
  return who;
}

llvm::FailureOr<Participant *>
drawloom::interp::getParticipant(Operation *op, Evaluator &eval) {
  RoleRunner *runner = eval.getAgents().runner;
  if (!runner)
    return op->emitError() << "'" << op->getName()
                           << "' has a meaning in a role only [interpreter]";
  return &runner->getParticipant();
}

Visible Protocol::publish(const Participant &who) const {
  Visible visible = who.visible;
  visible.join(who.elected);
  unsigned threads = who.get(By::Threads);
  visible.seen.raise(threads, counts[threads]);
  visible.async.raise(threads, who.fenced);
  return visible;
}

void Protocol::synchronize(Participant &who) { who.visible.join(publish(who)); }

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Whether the accesses of the two come in the order in which they are issued.
static bool isInOrder(const Participant &who, By by, unsigned other,
                      bool bothWrite) {
  switch (by) {
  case By::TensorLoads:
  case By::TensorStores:
    // A warp has its own lanes of tensor memory.
    return other == who.get(By::TensorLoads) ||
           other == who.get(By::TensorStores);
  case By::TensorCore:
  case By::Wgmma:
    return other == who.get(by);
  case By::Threads:
    // Threads have elements of their own: one tile is written in parts.
    return other == who.get(by) && (bothWrite || who.warps == 1);
  case By::Copies:
    return other == who.get(by) && bothWrite;
  case By::Stores:
  case By::BulkLoads:
    return false;
  }
  llvm_unreachable("every way is listed");
}

bool Protocol::isOrdered(const Participant &who, By by, const Guard &guard,
                         const Access &other, bool otherWrote) const {
  auto has = [&](const Clock &clock) {
    return clock.has(other.actor, other.number);
  };
  switch (by) {
  case By::Threads:
  case By::Copies:
    return has(who.visible.seen);
  // A slot that threads have read needs no fence before it is filled again.
  case By::BulkLoads:
    return has(otherWrote ? who.visible.async : who.visible.seen);
  case By::Stores:
  case By::Wgmma:
    return has(who.visible.async);
  case By::TensorLoads:
  case By::TensorStores:
    return has(who.tensor);
  case By::TensorCore:
    return has(who.tensor) && (guard.inTensorMemory || has(who.visible.async));
  }
  llvm_unreachable("every way is listed");
}

LogicalResult Protocol::report(Operation *op, const Participant &who, By by,
                               const Guard &guard, const Access &other,
                               bool writes, bool otherWrote) const {
  auto diagnostic = op->emitError()
                    << (writes ? "writes " : "reads ") << guard.name
                    << (otherWrote ? ", which " : " while ")
                    << names[other.actor]
                    << (otherWrote ? " wrote, " : " may still read it, ");
  if (!who.visible.seen.has(other.actor, other.number))
    return diagnostic
           << "and no barrier, drain or sync orders the two [interpreter]";
  bool isTensor = by == By::TensorLoads || by == By::TensorStores ||
                  (by == By::TensorCore &&
                   (guard.inTensorMemory ||
                    who.visible.async.has(other.actor, other.number)));
  return diagnostic << "and no 'agent.fence "
                    << (isTensor ? "tensor_after" : "async")
                    << "' comes between [interpreter]";
}

uint32_t Protocol::countOf(Participant &who, By by) {
  uint32_t number = count(who.get(by));
  // Threads of one warp go on together.
  if (by == By::Threads && who.warps == 1)
    who.visible.seen.raise(who.get(by), number);
  return number;
}

LogicalResult Protocol::read(Operation *op, Participant &who, By by,
                             Guard &guard) {
  if (!guard.isFull)
    return op->emitError() << "reads " << guard.name
                           << ", which is empty [interpreter]";
  for (const Access &other : guard.writes)
    if (!isInOrder(who, by, other.actor, /*bothWrite=*/false) &&
        !isOrdered(who, by, guard, other, /*otherWrote=*/true))
      return report(op, who, by, guard, other, /*writes=*/false,
                    /*otherWrote=*/true);
  unsigned actor = who.get(by);
  // A bulk store is in the group that is open, and an operand belongs to an MMA
  // that counts when it is issued.
  uint32_t number = 0;
  if (by == By::Stores)
    number = who.issued = who.committed + 1;
  else if (by == By::Wgmma || by == By::TensorCore)
    number = getCount(actor) + 1;
  else
    number = countOf(who, by);
  for (Access &access : guard.reads)
    if (access.actor == actor) {
      access.number = number;
      return llvm::success();
    }
  guard.reads.push_back({actor, number});
  return llvm::success();
}

llvm::FailureOr<Access> Protocol::write(Operation *op, Participant &who, By by,
                                        Guard &guard,
                                        std::optional<int64_t> part) {
  auto check = [&](Guard &checked) -> LogicalResult {
    for (bool otherWrote : {true, false})
      for (const Access &other : otherWrote ? checked.writes : checked.reads) {
        bool isApart = part && other.part && *part != *other.part;
        if (!isApart && !isInOrder(who, by, other.actor, otherWrote) &&
            !isOrdered(who, by, checked, other, otherWrote))
          return report(op, who, by, checked, other, /*writes=*/true,
                        otherWrote);
      }
    return llvm::success();
  };
  if (failed(check(guard)))
    return llvm::failure();
  for (Guard *shared : guard.shares) {
    if (failed(check(*shared)))
      return llvm::failure();
    shared->isFull = false;
  }
  Access access{0, 0, part};
  if (by == By::BulkLoads) {
    auto [loader, isNew] = guard.loaders.try_emplace(part.value_or(-1), 0);
    std::string name =
        "a bulk load of @" + agent::RoleOp(who.role).getSymName().str();
    if (isNew)
      loader->second = addActor(name);
    access.actor = loader->second;
    names[access.actor] = name;
  } else {
    access.actor = who.get(by);
  }
  access.number = by == By::BulkLoads ? count(access.actor) : countOf(who, by);
  if (part) {
    llvm::erase_if(guard.writes, [&](const Access &other) {
      return !other.part || *other.part == *part;
    });
  } else {
    guard.writes.clear();
    guard.reads.clear();
  }
  guard.writes.push_back(access);
  guard.isFull = true;
  return access;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static std::array<int64_t, 4> getKey(Operation *slots, int64_t cta,
                                     int64_t index, int64_t value) {
  return {static_cast<int64_t>(reinterpret_cast<intptr_t>(slots)), cta, index,
          value};
}

/// The slot of another pipe that has the same columns and a tile of the same
/// type: roles give each other what is there under two names.
static Guard *findSame(std::deque<Guard> &guards, const Guard &made,
                       const HostTensor &tensor) {
  for (Guard &other : guards)
    if (made.inTensorMemory && other.inTensorMemory && other.memory &&
        other.cta == made.cta && other.begin == made.begin &&
        other.end == made.end &&
        other.memory->tensor->getShape() == tensor.getShape() &&
        other.memory->tensor->getFormat() == tensor.getFormat())
      return &other;
  return nullptr;
}

Guard &Protocol::addMemory(Guard made, HostTensor tensor, Operation *op) {
  if (Guard *same = findSame(guards, made, tensor)) {
    places[getKey(op, made.cta, made.index, made.value)] = same;
    return *same;
  }
  Guard &guard = guards.emplace_back(std::move(made));
  fillUninitialized(tensor);
  guard.memory = std::make_shared<Memory>();
  guard.memory->owned = std::make_unique<HostTensor>(std::move(tensor));
  guard.memory->tensor = guard.memory->owned.get();
  guard.memory->guard = &guard;
  for (Guard &other : guards)
    if (&other != &guard && other.memory && other.cta == guard.cta &&
        other.inTensorMemory == guard.inTensorMemory &&
        other.begin < guard.end && guard.begin < other.end) {
      guard.shares.push_back(&other);
      other.shares.push_back(&guard);
    }
  places[getKey(op, guard.cta, guard.index, guard.value)] = &guard;
  return guard;
}

Guard *Protocol::find(Operation *slots, int64_t cta, int64_t index,
                      int64_t value) {
  auto found = places.find(getKey(slots, cta, index, value));
  return found == places.end() ? nullptr : found->second;
}

Guard &Protocol::getWords(Operation *slots, int64_t cta, int64_t at,
                          llvm::StringRef name) {
  Guard *&guard = places[getKey(slots, cta, at, -1)];
  if (!guard) {
    guard = &guards.emplace_back();
    guard->name = name.str();
    guard->cta = cta;
  }
  return *guard;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

std::string Barrier::describe() const {
  agent::BarriersOp op = ring;
  return "'" + op.getName().str() + "'[" + std::to_string(index) + "]";
}

void Barrier::completePhases() {
  if (pending != 0 || bytes != 0)
    return;
  agent::BarriersOp op = ring;
  pending = op.getArrivals();
  ++phase;
  complete.join(arrived);
}

void Protocol::addBarriers(agent::BarriersOp ring, int64_t cta) {
  rings[{ring, cta}] = static_cast<int64_t>(barriers.size());
  for (int64_t index = 0; index < static_cast<int64_t>(ring.getCount());
       ++index) {
    Barrier &barrier = barriers.emplace_back();
    barrier.ring = ring;
    barrier.cta = cta;
    barrier.index = index;
  }
}

llvm::FailureOr<int64_t> Protocol::findBarrier(Operation *op,
                                               agent::BarriersOp ring,
                                               int64_t cta, int64_t index) {
  auto found = rings.find({ring, cta});
  if (found == rings.end() || index < 0 ||
      index >= static_cast<int64_t>(ring.getCount()))
    return op->emitError() << "barrier " << index << " of '" << ring.getName()
                           << "' in CTA " << cta
                           << " does not exist [interpreter]";
  return found->second + index;
}

LogicalResult Protocol::arrive(Operation *op, Barrier &barrier, int64_t times,
                               const Visible &visible) {
  if (!barrier.isVisible)
    return op->emitError()
           << "uses " << barrier.describe()
           << ", which is not set up and synced yet [interpreter]";
  for (int64_t i = 0; i < times; ++i) {
    if (barrier.pending == 0)
      return op->emitError()
             << "arrives at " << barrier.describe()
             << ", whose phase has all arrivals and still waits for "
             << barrier.bytes << " bytes [interpreter]";
    barrier.arrived.join(visible);
    --barrier.pending;
    barrier.completePhases();
  }
  return llvm::success();
}
