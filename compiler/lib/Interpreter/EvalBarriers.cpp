//===- EvalBarriers.cpp - Barriers, fences and syncs ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A role runs once for all of its threads. What one elected thread does is done
// once, and so `agent.elect` is true; an arrival of threads counts for each
// warp. A barrier is the number that it has in Protocol.
//
//===----------------------------------------------------------------------===//

#include "Agents.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Interpreter/Interpreter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace drawloom::interp;
using namespace drawloom;
using llvm::LogicalResult;
using mlir::Operation;

static Protocol &getProtocol(Evaluator &eval) {
  return eval.getAgents().protocol;
}

static void setNumber(Evaluator &eval, mlir::Value value, Format format,
                      int64_t number) {
  eval.set(value, HostTensor::scalar(format, number));
}

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

static LogicalResult makeBarriers(Operation *op, Evaluator &eval) {
  getProtocol(eval).addBarriers(mlir::cast<agent::BarriersOp>(op),
                                eval.getCta());
  return llvm::success();
}

static LogicalResult initBarriers(Operation *op, Evaluator &eval) {
  Protocol &protocol = getProtocol(eval);
  for (mlir::Value operand : op->getOperands()) {
    auto ring = operand.getDefiningOp<agent::BarriersOp>();
    for (int64_t i = 0; i < static_cast<int64_t>(ring.getCount()); ++i) {
      auto number = protocol.findBarrier(op, ring, eval.getCta(), i);
      if (failed(number))
        return llvm::failure();
      protocol.getBarrier(*number).isSetUp = true;
      protocol.getBarrier(*number).pending = ring.getArrivals();
    }
  }
  return llvm::success();
}

/// Of all threads of a CTA or cluster, which are in the kernel itself, or of a
/// role.
static LogicalResult sync(Operation *op, Evaluator &eval) {
  Protocol &protocol = getProtocol(eval);
  auto participants = mlir::cast<agent::SyncOp>(op).getParticipants();
  if (participants == agent::Participants::cta ||
      participants == agent::Participants::cluster) {
    // Other CTAs arrive at the barriers of a cluster.
    for (Barrier &barrier : protocol.getBarriers())
      if (barrier.cta == eval.getCta() && barrier.isSetUp &&
          (participants == agent::Participants::cluster || protocol.ctas == 1 ||
           barrier.ring.getScope() == agent::Scope::cta))
        barrier.isVisible = true;
    return llvm::success();
  }
  auto who = getParticipant(op, eval);
  if (failed(who))
    return llvm::failure();
  if (participants == agent::Participants::role)
    protocol.synchronize(**who);
  return llvm::success();
}

static LogicalResult allocTensor(Operation *op, Evaluator &eval) {
  getProtocol(eval).columns[eval.getCta()] =
      mlir::cast<agent::AllocTensorOp>(op).getColumns();
  return llvm::success();
}

static LogicalResult tensorAddress(Operation *op, Evaluator &eval) {
  setNumber(eval, op->getResult(0), Format::I32, 0);
  return llvm::success();
}

static LogicalResult freeTensor(Operation *op, Evaluator &eval) {
  getProtocol(eval).columns[eval.getCta()] = 0;
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// Who and where
//===----------------------------------------------------------------------===//

static LogicalResult elect(Operation *op, Evaluator &eval) {
  setNumber(eval, op->getResult(0), Format::I1, 1);
  return llvm::success();
}

/// The warps of a role decide together here. That is right as well: a warp
/// whose elements are not set does what changes nothing.
static LogicalResult any(Operation *op, Evaluator &eval) {
  TensorRef tile = eval.get(op->getOperand(0));
  bool found = false;
  for (int64_t i = 0; i < tile->getNumElements() && !found; ++i)
    found = tile->getUInt(i) != 0;
  setNumber(eval, op->getResult(0), Format::I1, found);
  return llvm::success();
}

int64_t drawloom::interp::countCtas(Evaluator &eval) {
  Protocol &protocol = getProtocol(eval);
  return protocol.clusters * protocol.ctas * eval.getWidth();
}

static LogicalResult blockId(Operation *op, Evaluator &eval) {
  Protocol &protocol = getProtocol(eval);
  int64_t number = protocol.cluster * protocol.ctas + eval.getCta();
  // Those that gather what the others have differ along one dimension.
  if (int64_t width = eval.getWidth(); width > 1) {
    int64_t apart = countBetween(op);
    number = number / apart * apart * width + number % apart +
             eval.getPlace() * apart;
  }
  setNumber(eval, op->getResult(0), Format::Index, number);
  return llvm::success();
}

static LogicalResult gridDim(Operation *op, Evaluator &eval) {
  setNumber(eval, op->getResult(0), Format::Index, countCtas(eval));
  return llvm::success();
}

/// Ranks count the first dimension first.
static LogicalResult peers(Operation *op, Evaluator &eval) {
  auto peers = mlir::cast<agent::PeersOp>(op);
  auto split = [&](int64_t rank) {
    llvm::SmallVector<int64_t, 4> place;
    for (int64_t extent : peers.getCluster()) {
      place.push_back(rank % extent);
      rank /= extent;
    }
    return place;
  };
  llvm::SmallVector<int64_t, 4> own = split(eval.getCta());
  int64_t ctas = 0, count = 0;
  for (int64_t rank = 0; rank < getProtocol(eval).ctas; ++rank) {
    llvm::SmallVector<int64_t, 4> other = split(rank);
    bool isPeer = true;
    for (size_t d = 0; d < own.size(); ++d)
      isPeer &= own[d] == other[d] ||
                llvm::is_contained(peers.getAlong(), static_cast<int64_t>(d));
    if (!isPeer)
      continue;
    if (rank == eval.getCta())
      setNumber(eval, peers.getPlace(), Format::I32, count);
    ctas |= int64_t(1) << rank;
    ++count;
  }
  setNumber(eval, peers.getCtas(), Format::I32, ctas);
  return llvm::success();
}

static LogicalResult advance(Operation *op, Evaluator &eval) {
  auto advance = mlir::cast<agent::AdvanceOp>(op);
  int64_t next = eval.getIndex(advance.getSlot()) + 1;
  int64_t phase = eval.getIndex(advance.getPhase());
  bool wraps = next == static_cast<int64_t>(advance.getCount());
  setNumber(eval, advance.getNext(), Format::I32, wraps ? 0 : next);
  setNumber(eval, advance.getNextPhase(), Format::I32, phase ^ wraps);
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

static LogicalResult barrier(Operation *op, Evaluator &eval) {
  auto barrier = mlir::cast<agent::BarrierOp>(op);
  int64_t cta =
      barrier.getCta() ? eval.getIndex(barrier.getCta()) : eval.getCta();
  auto number = getProtocol(eval).findBarrier(
      op, barrier.getBarriers().getDefiningOp<agent::BarriersOp>(), cta,
      eval.getIndex(barrier.getIndex()));
  if (failed(number))
    return llvm::failure();
  setNumber(eval, barrier.getBarrier(), Format::Index, *number);
  return llvm::success();
}

static LogicalResult wait(Operation *op, Evaluator &eval) {
  auto wait = mlir::cast<agent::WaitOp>(op);
  auto who = getParticipant(op, eval);
  if (failed(who))
    return llvm::failure();
  Barrier &barrier =
      getProtocol(eval).getBarrier(eval.getIndex(wait.getBarrier()));
  if (!barrier.isVisible)
    return op->emitError()
           << "uses " << barrier.describe()
           << ", which is not set up and synced yet [interpreter]";
  uint64_t parity = eval.get(wait.getParity())->getUInt(0) & 1;
  auto what = [&] {
    return "parity " + std::to_string(parity) + " of " + barrier.describe() +
           ", where phase " + std::to_string(barrier.phase) + " lacks " +
           std::to_string(barrier.pending) + " of " +
           std::to_string(barrier.ring.getArrivals()) + " arrivals and " +
           std::to_string(barrier.bytes) + " bytes";
  };
  if (failed(eval.getAgents().runner->waitFor(
          op, [&barrier, parity] { return barrier.isOver(parity); }, what)))
    return llvm::failure();
  (*who)->visible.join(barrier.complete);
  return llvm::success();
}

/// The barriers that an arrival is at: the one that is named, or the same one
/// in each CTA of a set.
static llvm::FailureOr<llvm::SmallVector<Barrier *>>
getBarriers(Operation *op, Evaluator &eval, mlir::Value named,
            mlir::Value ctas) {
  Protocol &protocol = getProtocol(eval);
  Barrier &own = protocol.getBarrier(eval.getIndex(named));
  if (!ctas)
    return llvm::SmallVector<Barrier *>{&own};
  llvm::SmallVector<Barrier *> barriers;
  uint64_t set = eval.get(ctas)->getUInt(0);
  for (int64_t cta = 0; cta < protocol.ctas; ++cta) {
    if (!(set >> cta & 1))
      continue;
    auto number = protocol.findBarrier(op, own.ring, cta, own.index);
    if (failed(number))
      return llvm::failure();
    barriers.push_back(&protocol.getBarrier(*number));
  }
  return barriers;
}

static LogicalResult arrive(Operation *op, Evaluator &eval) {
  auto arrive = mlir::cast<agent::ArriveOp>(op);
  auto who = getParticipant(op, eval);
  auto barriers = getBarriers(op, eval, arrive.getBarrier(), arrive.getCtas());
  if (failed(who) || failed(barriers))
    return llvm::failure();
  Protocol &protocol = getProtocol(eval);
  Visible visible = protocol.publish(**who);
  int64_t times = (*who)->warps;
  auto add = [&](By by) {
    unsigned actor = (*who)->get(by);
    visible.seen.raise(actor, protocol.getCount(actor));
    if (by == By::TensorCore)
      visible.async.raise(actor, protocol.getCount(actor));
  };
  if (arrive.getEngine() == agent::Engine::tensor_core) {
    add(By::TensorCore);
    times = 1;
  } else if (arrive.getEngine() == agent::Engine::cp_async) {
    add(By::Copies);
  }
  for (Barrier *barrier : *barriers)
    if (failed(protocol.arrive(op, *barrier, times, visible)))
      return llvm::failure();
  return llvm::success();
}

static LogicalResult expect(Operation *op, Evaluator &eval) {
  auto expect = mlir::cast<agent::ExpectOp>(op);
  auto who = getParticipant(op, eval);
  if (failed(who))
    return llvm::failure();
  Protocol &protocol = getProtocol(eval);
  Barrier &barrier = protocol.getBarrier(eval.getIndex(expect.getBarrier()));
  barrier.bytes += eval.getIndex(expect.getBytes());
  return protocol.arrive(op, barrier, 1, protocol.publish(**who));
}

//===----------------------------------------------------------------------===//
// Fences and drains
//===----------------------------------------------------------------------===//

static LogicalResult fence(Operation *op, Evaluator &eval) {
  // In the kernel itself, all threads do it, and a sync follows.
  if (!eval.getAgents().runner)
    return llvm::success();
  Participant &who = eval.getAgents().runner->getParticipant();
  Protocol &protocol = getProtocol(eval);
  switch (mlir::cast<agent::FenceOp>(op).getFence()) {
  case agent::Fence::async: {
    who.fenced = protocol.getCount(who.get(By::Threads));
    who.visible.async.join(who.visible.seen);
    if (who.warps == 1)
      who.visible.async.raise(who.get(By::Threads), who.fenced);
    break;
  }
  case agent::Fence::tensor_before:
    who.visible.seen.raise(who.get(By::TensorLoads),
                           protocol.getCount(who.get(By::TensorLoads)));
    who.visible.seen.raise(who.get(By::TensorStores), who.stored);
    break;
  case agent::Fence::tensor_after:
    who.tensor.join(who.visible.seen);
    break;
  }
  return llvm::success();
}

static LogicalResult drain(Operation *op, Evaluator &eval) {
  auto drain = mlir::cast<agent::DrainOp>(op);
  auto found = getParticipant(op, eval);
  if (failed(found))
    return llvm::failure();
  Participant &who = **found;
  Protocol &protocol = getProtocol(eval);
  auto pending = static_cast<uint32_t>(drain.getPending());
  auto raise = [&](Visible &visible, By by, uint32_t count) {
    if (count > pending)
      visible.raise(who.get(by), count - pending);
  };
  switch (drain.getWork()) {
  case agent::Work::cp_async:
    who.visible.seen.raise(who.get(By::Copies),
                           protocol.getCount(who.get(By::Copies)));
    break;
  case agent::Work::stores:
    // One thread has started them, and waits.
    raise(who.warps == 1 ? who.visible : who.elected, By::Stores,
          who.committed);
    break;
  case agent::Work::tensor_stores:
    who.stored = protocol.getCount(who.get(By::TensorStores));
    break;
  case agent::Work::wgmma:
    raise(who.visible, By::Wgmma, protocol.getCount(who.get(By::Wgmma)));
    break;
  }
  return llvm::success();
}

static LogicalResult commitStores(Operation *op, Evaluator &eval) {
  auto who = getParticipant(op, eval);
  if (failed(who))
    return llvm::failure();
  ++(*who)->committed;
  return llvm::success();
}

static constexpr NamedRule barrierRules[] = {
    {"agent.barriers", makeBarriers},
    {"agent.init_barriers", initBarriers},
    {"agent.sync", sync},
    {"agent.alloc_tensor", allocTensor},
    {"agent.tensor_address", tensorAddress},
    {"agent.free_tensor", freeTensor},
    {"agent.elect", elect},
    {"agent.any", any},
    {"gpu.block_id", blockId},
    {"gpu.grid_dim", gridDim},
    {"agent.peers", peers},
    {"agent.advance", advance},
    {"agent.barrier", barrier},
    {"agent.wait", wait},
    {"agent.arrive", arrive},
    {"agent.expect", expect},
    {"agent.fence", fence},
    {"agent.drain", drain},
    {"agent.commit_stores", commitStores},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getBarrierRules() {
  return barrierRules;
}

//===----------------------------------------------------------------------===//
// A launch
//===----------------------------------------------------------------------===//

bool drawloom::interp::isLowered(tile::KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        llvm::StringRef name = op->getName().getStringRef();
        return mlir::isa<agent::SlotsOp, agent::BarriersOp>(op) ||
                       name == "gpu.block_id"
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Where CTAs are not persistent, a launch has one for each work tile: the
/// roles count from their own number to that of all.
static void launchAll(agent::SwitchOp op, Evaluator &eval) {
  mlir::Value count;
  op.walk([&](mlir::scf::ForOp loop) {
    Operation *first = loop.getLowerBound().getDefiningOp();
    if (first && first->getName().getStringRef() == "gpu.block_id")
      count = loop.getUpperBound();
  });
  Protocol &protocol = getProtocol(eval);
  if (!count || protocol.cluster != 0)
    return;
  int64_t clusters = eval.getIndex(count) / (protocol.ctas * eval.getWidth());
  for (; protocol.clusters < clusters; ++protocol.clusters)
    protocol.waiting.push_back(protocol.clusters);
}

LogicalResult drawloom::interp::runClusters(tile::KernelOp kernel,
                                            Evaluator &eval) {
  Protocol &protocol = getProtocol(eval);
  kernel.walk([&](agent::SwitchOp op) {
    protocol.ctas = std::max(protocol.ctas, op.getClusterSize());
  });
  protocol.clusters = eval.getOptions().clusters;
  // Where there still are pipes, a CTA loads for itself, and those that gather
  // what the others have run in lanes.
  int64_t width = eval.getWidth();
  auto pipes = kernel.getBody().front().getOps<agent::PipeOp>();
  if (!pipes.empty()) {
    protocol.clusters *= protocol.ctas / width;
    protocol.ctas = 1;
  }
  for (int64_t number = 0; number < protocol.clusters; ++number)
    protocol.waiting.push_back(number);
  bool isPersistent =
      tile::getSchedule(kernel).persistent != tile::Persistence::None;
  eval.setCtas(protocol.ctas);
  while (!protocol.waiting.empty()) {
    int64_t number = protocol.waiting.front();
    protocol.waiting.pop_front();
    protocol.beginCluster(number);
    int64_t together = protocol.ctas * width;
    for (int64_t cta = 0; cta < together; ++cta)
      if (failed(eval.beginItem(kernel, {number * together + cta})))
        return llvm::failure();
    eval.setItem(eval.getItem() - static_cast<ItemId>(together - 1));
    // Before and after the roles, the CTAs go on together.
    for (Operation &op : kernel.getBody().front().without_terminator()) {
      auto roles = mlir::dyn_cast<agent::SwitchOp>(op);
      bool isSwitch = roles != nullptr;
      if (isSwitch && !isPersistent)
        launchAll(roles, eval);
      for (int64_t cta = 0; cta < (isSwitch ? 1 : protocol.ctas); ++cta) {
        eval.setCta(cta);
        if (failed(eval.runOne(&op)))
          return llvm::failure();
      }
      eval.setCta(0);
    }
  }
  return llvm::success();
}
