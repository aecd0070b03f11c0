//===- PipeEnds.cpp - Who is on each side of a pipe -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules about a pipe as a whole: one producer, at least one consumer, all
// in one switch, close enough to each other, and in agreement about the work
// tiles that their slots belong to.
//
//===----------------------------------------------------------------------===//

#include "Verify.h"
#include "drawloom/Dialect/Agent/IR/MessageOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// The ends
//===----------------------------------------------------------------------===//

static bool publishes(OpOperand &use) {
  return isa<PublishOp>(use.getOwner()) ||
         (isa<ForEachItemOp>(use.getOwner()) && use.getOperandNumber() == 1);
}

static bool takesItems(OpOperand &use) {
  return isa<ForEachItemOp, ReceiveOp>(use.getOwner()) && !publishes(use);
}

static bool fills(OpOperand &use) {
  return isa<ProduceOp>(use.getOwner()) || publishes(use);
}

static RoleOp getRole(OpOperand &use) {
  return use.getOwner()->getParentOfType<RoleOp>();
}

SwitchOp PipeOp::getSwitch() {
  for (OpOperand &use : getPipe().getUses())
    if (RoleOp role = getRole(use))
      return dyn_cast<SwitchOp>(role->getParentOp());
  return nullptr;
}

static SmallVector<RoleOp, 4> getRoles(PipeOp pipe,
                                       function_ref<bool(OpOperand &)> isEnd) {
  SwitchOp parent = pipe.getSwitch();
  if (!parent)
    return {};
  SmallPtrSet<Operation *, 4> ends;
  for (OpOperand &use : pipe.getPipe().getUses())
    if (isEnd(use))
      ends.insert(getRole(use));
  return llvm::to_vector<4>(llvm::make_filter_range(
      parent.getRoles(), [&](RoleOp role) { return ends.contains(role); }));
}

SmallVector<RoleOp, 4> PipeOp::getProducers() { return getRoles(*this, fills); }

SmallVector<RoleOp, 4> PipeOp::getConsumers() {
  return getRoles(*this, [](OpOperand &use) { return !fills(use); });
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static InFlightDiagnostic emitPipeError(PipeOp pipe) {
  return pipe.emitError() << "pipe '" << pipe.getName() << "'";
}

/// Checks that all users are ends of the channel.
static LogicalResult verifyUsers(PipeOp pipe) {
  for (Operation *user : pipe.getPipe().getUsers()) {
    if (isa<ProduceOp, ConsumeOp, ForEachItemOp, PublishOp, ReceiveOp>(user))
      continue;
    InFlightDiagnostic diag = emitPipeError(pipe)
                              << " is an operand of '" << user->getName()
                              << "'; only agent.produce, agent.consume and "
                                 "agent.for_each_item use pipes";
    diag.attachNote(user->getLoc()) << "the user is here";
    return diag;
  }
  return success();
}

/// Checks that all users are in roles of one switch, next to the pipe.
static LogicalResult verifySwitch(PipeOp pipe) {
  SwitchOp parent = pipe.getSwitch();
  for (OpOperand &use : pipe.getPipe().getUses()) {
    Operation *other = getRole(use)->getParentOp();
    if (other == parent)
      continue;
    InFlightDiagnostic diag = emitPipeError(pipe)
                              << " is used in two switches; it belongs to the "
                                 "roles of one";
    diag.attachNote(parent.getLoc()) << "one is here";
    diag.attachNote(other->getLoc()) << "another one is here";
    return diag;
  }
  if (!parent || parent->getBlock() == pipe->getBlock())
    return success();
  InFlightDiagnostic diag = emitPipeError(pipe)
                            << " must be in the same block as the switch whose "
                               "roles use it";
  diag.attachNote(parent.getLoc()) << "the switch is here";
  return diag;
}

static LogicalResult verifyEnds(PipeOp pipe, ArrayRef<RoleOp> producers,
                                ArrayRef<RoleOp> consumers) {
  if (producers.empty() && consumers.empty())
    return emitPipeError(pipe) << " is neither produced nor consumed";
  if (producers.empty())
    return emitPipeError(pipe)
           << " is never produced; " << namesOf(consumers) << " would deadlock";
  if (consumers.empty())
    return emitPipeError(pipe) << " is never consumed; " << namesOf(producers)
                               << " would deadlock waiting for an empty slot";
  if (producers.size() > 1)
    return emitPipeError(pipe) << " is produced by " << namesOf(producers)
                               << "; a pipe has one producer";
  return success();
}

/// A published stream ends with a message that only an item loop understands.
static LogicalResult verifyPublished(PipeOp pipe) {
  auto uses = pipe.getPipe().getUses();
  bool published = llvm::any_of(uses, publishes);
  bool taken = llvm::any_of(uses, takesItems);
  for (OpOperand &use : uses) {
    StringRef problem;
    if (published && isa<ConsumeOp>(use.getOwner()))
      problem = " is published, but consumed outside an "
                "agent.for_each_item, which cannot tell the end of the stream";
    else if ((published || taken) && isa<ProduceOp>(use.getOwner()))
      problem = " carries work tiles, but is filled by agent.produce, which "
                "never says that there are no more; use publish";
    if (problem.empty())
      continue;
    InFlightDiagnostic diag = emitPipeError(pipe) << problem;
    diag.attachNote(use.getOwner()->getLoc())
        << "in " << nameOf(getRole(use)) << " here";
    return diag;
  }
  return success();
}

/// Roles that act for different sets of CTAs need a handshake that reaches from
/// one to the other.
static LogicalResult verifyScope(PipeOp pipe, ArrayRef<RoleOp> roles) {
  int64_t size = pipe.getSwitch().getClusterSize();
  if (pipe.getScope() == Scope::pair && size % 2 != 0)
    return emitPipeError(pipe) << " has scope(pair), but a cluster has "
                               << ctas(size) << "; pairs need an even number";
  // A message may stay in its CTA: a role that acts for others takes it, too,
  // wherever it is.
  if (pipe.getPipe().getType().getMemory() == Memory::message &&
      pipe.getScope() == Scope::cta)
    return success();
  auto byScope = [](RoleOp a, RoleOp b) { return a.getScope() < b.getScope(); };
  RoleOp narrow = *llvm::min_element(roles, byScope);
  RoleOp wide = *llvm::max_element(roles, byScope);
  if (narrow.getScope() == wide.getScope() ||
      pipe.getScope() >= wide.getScope())
    return success();
  return emitPipeError(pipe)
         << " joins " << nameOf(narrow) << ", which acts for a "
         << stringifyScope(narrow.getScope()) << ", and " << nameOf(wide)
         << ", which acts for a " << stringifyScope(wide.getScope())
         << "; it needs scope(" << stringifyScope(wide.getScope()) << ")";
}

//===----------------------------------------------------------------------===//
// Sharing of work tiles
//===----------------------------------------------------------------------===//

/// Whether `loop` can be counted with; if not, its own verifier says why.
static bool isWellFormed(ForEachItemOp loop) {
  return loop->getNumOperands() != 0 && loop.getEvery() >= 1 &&
         loop.getFrom() >= 0 && loop.getFrom() < loop.getEvery();
}

static ForEachItemOp getItemLoop(OpOperand &use) {
  return use.getOwner()->getParentOfType<ForEachItemOp>();
}

/// Whether all slots of the pipe belong to the items of one stream. If not, the
/// order of the pipe alone says who gets which slot.
static bool belongsToItems(PipeOp pipe) {
  Value stream;
  for (OpOperand &use : pipe.getPipe().getUses()) {
    ForEachItemOp loop = getItemLoop(use);
    if (!loop || !isWellFormed(loop))
      return false;
    Value itsStream = loop.getStream();
    if (!itsStream || (stream && stream != itsStream))
      return false;
    stream = itsStream;
  }
  return true;
}

/// The loop that takes a part of the items with the longest period, if any end
/// of the pipe does.
static ForEachItemOp getLongestPeriod(PipeOp pipe) {
  ForEachItemOp longest;
  for (OpOperand &use : pipe.getPipe().getUses()) {
    ForEachItemOp loop = getItemLoop(use);
    if (loop.getEvery() > (longest ? longest.getEvery() : 1))
      longest = loop;
  }
  return longest;
}

/// Checks that loops which take a part of the items divide them by the same
/// number as `longest`.
static LogicalResult verifyPeriods(PipeOp pipe, ForEachItemOp longest) {
  int64_t period = longest.getEvery();
  for (OpOperand &use : pipe.getPipe().getUses()) {
    ForEachItemOp loop = getItemLoop(use);
    if (loop.getEvery() != 1 && loop.getEvery() != period)
      return emitPipeError(pipe)
             << ": " << nameOf(getRole(use)) << " takes one of every "
             << loop.getEvery() << " items and "
             << nameOf(longest->getParentOfType<RoleOp>()) << " one of every "
             << period << "; roles that share a pipe divide the items by the "
             << "same number";
  }
  return success();
}

/// The residues to check, of item numbers by `period`. One that no loop names
/// is like any other such residue, so one of them is enough, and one is among
/// the first numbers.
static llvm::SmallSetVector<int64_t, 8> listResidues(PipeOp pipe,
                                                     int64_t period) {
  llvm::SmallSetVector<int64_t, 8> residues;
  int64_t uses =
      std::distance(pipe.getPipe().use_begin(), pipe.getPipe().use_end());
  for (int64_t residue = 0; residue < std::min(period, uses + 1); ++residue)
    residues.insert(residue);
  for (OpOperand &use : pipe.getPipe().getUses())
    residues.insert(getItemLoop(use).getFrom());
  return residues;
}

/// A slot that belongs to an item is for the roles that take this item. Checks
/// that they agree: what is produced is consumed, what is consumed is produced,
/// and each item has the same number of consumers, because the number of
/// arrivals that empty a slot is fixed.
static LogicalResult verifySharing(PipeOp pipe, RoleOp producer,
                                   ArrayRef<RoleOp> consumers) {
  if (!belongsToItems(pipe))
    return success();
  ForEachItemOp longest = getLongestPeriod(pipe);
  if (!longest)
    return success();
  if (failed(verifyPeriods(pipe, longest)))
    return failure();
  int64_t period = longest.getEvery();
  auto takes = [&](RoleOp role, bool asProducer, int64_t residue) {
    return llvm::any_of(pipe.getPipe().getUses(), [&](OpOperand &use) {
      ForEachItemOp loop = getItemLoop(use);
      return getRole(use) == role && fills(use) == asProducer &&
             (loop.getEvery() == 1 || loop.getFrom() == residue);
    });
  };

  std::optional<int64_t> reference;
  SmallVector<RoleOp> referenceRoles;
  for (int64_t residue : listResidues(pipe, period)) {
    SmallVector<RoleOp> roles = llvm::filter_to_vector(
        consumers, [&](RoleOp role) { return takes(role, false, residue); });
    bool produced = takes(producer, true, residue);
    if (produced && roles.empty())
      return emitPipeError(pipe)
             << ": " << nameOf(producer) << " produces item " << residue
             << " of every " << period << ", which no role consumes";
    if (!produced && !roles.empty())
      return emitPipeError(pipe)
             << ": " << namesOf(roles) << " would consume item " << residue
             << " of every " << period << ", which " << nameOf(producer)
             << " does not produce";
    if (!produced)
      continue;
    if (reference && roles.size() != referenceRoles.size())
      return emitPipeError(pipe)
             << ": of every " << period << " items, item " << *reference
             << " goes to " << namesOf(referenceRoles) << " and item "
             << residue << " to " << namesOf(roles)
             << "; each item needs the same number of consumers";
    reference = residue;
    referenceRoles = roles;
  }
  return success();
}

/// The loads of each tile of a slot agree on which CTAs share it, and the
/// handshake reaches these.
static LogicalResult verifyMulticast(PipeOp pipe) {
  size_t rank =
      pipe.getSwitch().getCluster().value_or(ArrayRef<int64_t>()).size();
  SmallVector<tile::LoadOp> first;
  for (Operation *user : pipe.getPipe().getUsers()) {
    auto produce = dyn_cast<ProduceOp>(user);
    if (!produce)
      continue;
    SmallVector<tile::LoadOp> loads;
    for (Value value : produce.getBody().front().getTerminator()->getOperands())
      loads.push_back(value.getDefiningOp<tile::LoadOp>());
    for (tile::LoadOp load : loads) {
      if (!load || !load.getMulticast())
        continue;
      if (llvm::any_of(*load.getMulticast(),
                       [&](int64_t dim) { return size_t(dim) >= rank; }))
        return load.emitOpError()
               << "has multicast [" << *load.getMulticast()
               << "], but a cluster of " << rank << " dimensions";
      if (pipe.getScope() != Scope::cluster)
        return emitPipeError(pipe) << " holds a tile that CTAs of a cluster "
                                      "share; it needs scope(cluster)";
    }
    if (first.empty())
      first = loads;
    auto along = [](tile::LoadOp load) {
      return load ? load.getMulticastAttr() : DenseI64ArrayAttr();
    };
    for (auto [number, pair] : llvm::enumerate(llvm::zip(first, loads))) {
      auto [one, other] = pair;
      if (along(one) == along(other))
        continue;
      InFlightDiagnostic diag =
          emitPipeError(pipe)
          << ": value " << number
          << " of a slot is shared by different CTAs in different places; a "
             "slot goes back to one set of CTAs";
      diag.attachNote(produce.getLoc()) << "one of them is here";
      return diag;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// PipeOp
//===----------------------------------------------------------------------===//

LogicalResult PipeOp::verify() {
  if (getName().empty())
    return emitOpError("needs a name");
  if (getSlots() < 1)
    return emitPipeError(*this)
           << " has " << getSlots() << " slots; it needs at least one";
  if (auto role = (*this)->getParentOfType<RoleOp>())
    return emitPipeError(*this)
           << " is inside " << nameOf(role)
           << "; a pipe stands in front of the switch whose roles it joins";
  if (failed(verifyUsers(*this)))
    return failure();
  // An end that is not in a role of a switch is reported where it is.
  if (!llvm::all_of(getPipe().getUses(), [](OpOperand &use) {
        RoleOp role = getRole(use);
        return role && isa<SwitchOp>(role->getParentOp());
      }))
    return success();
  if (failed(verifySwitch(*this)))
    return failure();

  SmallVector<RoleOp, 4> producers = getProducers(), consumers = getConsumers();
  if (failed(verifyEnds(*this, producers, consumers)) ||
      failed(verifyPublished(*this)))
    return failure();
  SmallVector<RoleOp, 4> roles(consumers);
  roles.push_back(producers.front());
  if (failed(verifyScope(*this, roles)) || failed(verifyEngines(*this)) ||
      failed(verifyMulticast(*this)))
    return failure();
  return verifySharing(*this, producers.front(), consumers);
}
