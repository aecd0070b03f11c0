//===- ClusterChecker.cpp - Races in one cluster --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterChecker.h"
#include "Describe.h"
#include "MapReach.h"
#include "drawloom/Emulator/AddressMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace drawloom;
using namespace drawloom::checker;
using emu::AccessEvent;
using emu::AccessKind;
using emu::MbarrierEvent;
using emu::MemoryRange;
using emu::Order;
using emu::Proxy;
using emu::Scope;

ClusterChecker::ClusterChecker(const emu::Kernel *kernel,
                               const emu::ClusterStart &start,
                               const SharedArrays &arrays,
                               const Answers &answers, const Updates &updates,
                               GlobalChecker &global, bool isStrict)
    : findings(isStrict, this), launch(start.launch), kernel(kernel),
      cluster(global.newCluster()), ctas(start.ctas.begin(), start.ctas.end()),
      answers(answers), updates(updates), global(global),
      threads(actors, cluster, ctas.size() > 1, isStrict),
      mbarriers(actors, isStrict), operations(actors, threads, mbarriers),
      protocol(kernel, ctas, threads, arrays, findings),
      written(start.sharedBytes, findings), writtenLocal(findings),
      items(kernel, ctas, findings),
      sharedJudge(Finding::Shared, isStrict, findings),
      lostJudge(Finding::Global, isStrict, findings),
      tensorJudge(Finding::TensorMemory, isStrict, findings) {}

void ClusterChecker::operation(const emu::OperationEvent &event) {
  countArrivals();
  operations.event(event, *kernel);
  if (event.kind == emu::OperationEvent::Issue)
    for (uint64_t address : event.barriers)
      protocol.useMbarrier(event.origin, address);
}

void ClusterChecker::group(const emu::GroupEvent &event) {
  countArrivals();
  operations.group(event);
}

void ClusterChecker::barrier(const emu::BarrierEvent &event) {
  countArrivals();
  if (event.level == emu::BarrierEvent::Cta)
    protocol.named(event);
  barriers.event(event, threads);
  protocol.meeting(event);
}

void ClusterChecker::fence(const emu::FenceEvent &event) {
  countArrivals();
  protocol.fence(event);
  threads.fence(event);
  if (event.scope >= Scope::Gpu)
    for (const MemoryRange &map : event.ranges)
      for (uint32_t piece = 0; piece != map.count; ++piece)
        acquiredMaps.insert(map.address + piece * map.pitch);
}

Access ClusterChecker::accessOf(const emu::Origin &origin) {
  Access access;
  access.instruction = origin.instruction;
  access.rank = origin.rank;
  access.warp = origin.warp;
  access.lane = llvm::countr_zero(origin.lanes);
  access.serial = serial;
  access.cluster = cluster;
  access.launch = launch;
  access.cta = ctas[origin.rank];
  access.kernel = kernel;
  return access;
}

Access ClusterChecker::accessOf(const AccessEvent &event) {
  Access access = accessOf(event.origin);
  access.reads = event.kind != AccessKind::Write;
  access.writes = event.kind != AccessKind::Read;
  access.unchanged = event.unchanged;
  access.isNonCoherent = event.nonCoherent;
  access.isUpdate = !updates.empty() && event.order == Order::Weak &&
                    updates.contain(kernel->parsed(event.origin.instruction));
  access.proxy = event.proxy;
  access.scope = event.order == Order::Weak ? Scope::None : event.scope;
  access.isMapAcquired = event.proxy == Proxy::TensorMap &&
                         acquiredMaps.contains(event.ranges.front().address);
  return access;
}

void ClusterChecker::access(const AccessEvent &event) {
  countArrivals();
  ++serial;
  if (event.operation)
    touchByOperation(event);
  else if (event.proxy == Proxy::Tensor)
    touchTensor(event, nullptr);
  else
    touchByThreads(event);
  if (event.order != Order::Weak)
    touchFlags(event);
  if (costs)
    costs->access(event, accessOf(event.origin));
}

void ClusterChecker::touch(const Access &access, const emu::Origin &origin) {
  if (emu::isShared(access.range.address)) {
    written.touch(access, access.isEngine);
    if (emu::getRank(access.range.address) != origin.rank)
      for (const Viewer &viewer : viewers)
        protocol.touchPeer(origin, *viewer.known, access.range.address,
                           access.actor, access.lane, access.value);
    else if (access.isEngine)
      protocol.touchOwn(origin, access.range.address, access.actor, access.lane,
                        access.value);
    sharedJudge.viewers = viewers;
    shared.touch(access, sharedJudge);
  } else if (access.range.address >= emu::globalBase) {
    log.add(access, viewers);
  }
}

void ClusterChecker::touchByThreads(const AccessEvent &event) {
  Access access = accessOf(event);
  access.actor = threads.actorOf(event.origin);
  access.value = threads.tick(event.origin);
  viewers.clear();
  threads.view(event.origin, [&](Viewer viewer) {
    viewer.time = ~0u; // All that the threads have done.
    viewers.push_back(viewer);
  });
  // Of lanes that update one word, all but one do so in vain, though they store
  // the same value.
  const uint32_t lost = access.isUpdate && access.writes
                            ? event.lost | Judge::lanesOfOnePlace(event.ranges)
                            : event.lost;
  if (lost && event.order == Order::Weak) {
    access.range = event.ranges.front();
    Judge &judge =
        emu::isShared(access.range.address) ? sharedJudge : lostJudge;
    judge.lostStores(access, event.ranges, lost);
  }
  if (event.undefined && event.kind == AccessKind::Read)
    written.markUndefined(event);
  // A warp copies a tensor map as a whole.
  bool isWarps = kernel->parsed(event.origin.instruction)->opcode() ==
                 ptx::Opcode::TensormapCpFenceproxy;
  for (MemoryRange range : event.ranges) {
    if (isWarps)
      range.lanes = 0;
    if (emu::isShared(range.address))
      protocol.touchArray(event.origin, range);
    if (emu::isShared(range.address) && access.writes)
      protocol.touchBarrier(event.origin, range);
    auto touchPart = [&](const MemoryRange &part) {
      access.range = part;
      access.writes =
          event.kind != AccessKind::Read && !(event.failed & part.lanes);
      touch(access, event.origin);
    };
    // A compare-and-swap that fails only reads.
    const uint32_t failed = range.lanes & event.failed;
    const uint32_t done = range.lanes & ~failed;
    uint64_t last = range.address + (range.count - 1) * range.pitch;
    bool isMixed = emu::isShared(range.address) != emu::isShared(last);
    if (!isMixed && (!failed || !done)) {
      touchPart(range);
    } else if (range.pitch == 0) {
      for (uint32_t lanes : {done, failed})
        touchPart({range.address, range.bytes, uint32_t(llvm::popcount(lanes)),
                   0, lanes});
    } else {
      uint32_t lanes = range.lanes;
      for (uint32_t piece = 0; lanes; ++piece, lanes &= lanes - 1)
        touchPart({range.address + piece * range.pitch, range.bytes, 1, 0,
                   lanes & -lanes});
    }
  }
  if (event.undefined && event.kind == AccessKind::Write)
    written.undoUndefined(event);
}

void ClusterChecker::touchByOperation(const AccessEvent &event) {
  const Operation *operation = operations.find(event.operation);
  if (!operation)
    return;
  if (event.proxy == Proxy::Tensor)
    return touchTensor(event, operation);
  viewers = {operation->issue.viewer()};
  for (const Threads::Issue &issue : operation->others)
    viewers.push_back(issue.viewer());
  // Operands of MMAs are over at the same time, and in shared memory.
  if (operation->engine == emu::EngineKind::MatrixMultiply) {
    sharedJudge.viewers = viewers;
    operations.forEachPart(event, *operation, event.ranges.front(),
                           accessOf(event), [&](const Access &whole) {
                             shared.touch(whole, event.ranges, sharedJudge);
                           });
    written.touchOperands(accessOf(event), event.ranges);
    return;
  }
  for (const MemoryRange &range : event.ranges)
    operations.forEachPart(
        event, *operation, range, accessOf(event),
        [&](const Access &part) { touch(part, event.origin); });
}

void ClusterChecker::touchTensor(const AccessEvent &event,
                                 const Operation *operation) {
  Access access = accessOf(event);
  access.isEngine = true;
  access.rows = event.rows;
  access.columns = event.columns;
  tensorJudge.viewers.clear();
  if (operation) {
    access.actor = operation->done;
    access.value = access.issued = operation->issued;
    access.issuer = operation->issuer;
    tensorJudge.viewers.push_back(operation->issue.viewer());
  } else {
    operations.startTensorAccess(event, access);
    threads.view(event.origin, [&](const Viewer &viewer) {
      tensorJudge.viewers.push_back(viewer);
    });
  }
  written.touchTensor(access, event.tensor);
  llvm::SmallVector<MemoryRange, 8> ranges;
  for (const emu::TensorRange &range : event.tensor) {
    uint64_t first = tensorAddress(range.rank, range.lane, range.column);
    uint64_t last =
        tensorAddress(range.rank, range.lane + range.lanes - 1, range.column);
    ranges.push_back({first, uint32_t(last - first) + 16, range.columns,
                      int64_t(tensorAddress(0, 0, 1)), 0});
  }
  tensor.touch(access, ranges, tensorJudge);
}

void ClusterChecker::touchFlags(const AccessEvent &event) {
  const bool isDone = flags.accessTogether(event, threads);
  if (isDone && !global.mayLearn(event))
    return;
  for (const MemoryRange &range : event.ranges) {
    uint32_t lanes = range.lanes;
    for (uint32_t piece = 0; lanes; ++piece, lanes &= lanes - 1) {
      unsigned lane = llvm::countr_zero(lanes);
      uint64_t address = range.address + piece * range.pitch;
      if (!isDone)
        flags.access(event, lane, address, threads);
      if (event.scope < Scope::Gpu || emu::isShared(address))
        continue;
      // Others may learn of it now, and what they do then comes after it.
      global.check(log);
      global.touchFlag(event, lane, address, cluster, threads);
    }
  }
}

void ClusterChecker::countArrivals() {
  if (!arrivals)
    return;
  MbarrierEvent all = *arrivals;
  arrivals.reset();
  mbarriers.event(all, threads);
}

/// Whether two lanes arrive by the same instruction at the same barrier.
static bool areTogether(const MbarrierEvent &x, const MbarrierEvent &y) {
  return x.kind == y.kind && x.address == y.address && x.phase == y.phase &&
         x.origin.instruction == y.origin.instruction &&
         x.origin.rank == y.origin.rank && x.origin.warp == y.origin.warp &&
         !(x.origin.lanes & y.origin.lanes);
}

void ClusterChecker::usePeersBarrier(const MbarrierEvent &event) {
  const emu::Origin &origin = event.origin;
  if (emu::getRank(event.address) == origin.rank)
    return;
  if (!event.operation) {
    Actor actor = threads.actorOf(origin);
    uint32_t time = threads.tick(origin);
    threads.view(origin, [&](const Viewer &viewer) {
      protocol.touchPeer(origin, *viewer.known, event.address, actor,
                         llvm::countr_zero(origin.lanes), time);
    });
    return;
  }
  const Operation *operation = operations.find(event.operation);
  if (!operation)
    return;
  auto [actor, value] = mbarriers.phaseOf(event.address, true);
  protocol.touchPeer(origin, *operation->issue.known, event.address, actor, 0,
                     value, operation->covers);
}

void ClusterChecker::mbarrier(const MbarrierEvent &event) {
  if (event.kind == MbarrierEvent::Arrive && !event.operation) {
    if (arrivals && areTogether(*arrivals, event)) {
      arrivals->origin.lanes |= event.origin.lanes;
    } else {
      countArrivals();
      arrivals = event;
    }
    protocol.mbarrier(event);
    usePeersBarrier(event);
    return;
  }
  countArrivals();
  protocol.mbarrier(event);
  if (event.kind != MbarrierEvent::PhaseEnd)
    usePeersBarrier(event);
  if (event.operation && event.kind != MbarrierEvent::PhaseEnd)
    return operations.arrive(event);
  if (event.kind == MbarrierEvent::Wait &&
      !answers.count(kernel->parsed(event.origin.instruction)))
    return;
  mbarriers.event(event, threads);
  if (std::optional<Mbarriers::Wrap> wrap = mbarriers.wrapped())
    protocol.wrapped(*wrap, event);
}

void ClusterChecker::lanesExited(const emu::Origin &origin) {
  countArrivals();
  protocol.lanesExited(origin);
}
void ClusterChecker::ctaExited(uint32_t rank) {
  protocol.ctaExited(rank);
  items.compare(rank, /*isOver=*/true);
  startsNextEarly |=
      !llvm::is_contained(letsNextStart, rank) &&
      llvm::none_of(waited, [&](auto warp) { return warp.first == rank; });
}

void ClusterChecker::ended() {
  countArrivals();
  protocol.clusterEnded();
  for (uint32_t rank = 0; rank != ctas.size(); ++rank)
    items.compare(rank, /*isOver=*/false);
}

void ClusterChecker::local(const emu::LocalEvent &event) {
  writtenLocal.event(event, accessOf(event.origin));
}

void ClusterChecker::undefined(const emu::UndefinedEvent &event) {
  reportUndefined(event, accessOf(event.origin), findings);
}

void ClusterChecker::tensorMap(const emu::TensorMapEvent &event) {
  checkReach(event, accessOf(event.origin), findings);
}

void ClusterChecker::answer(const emu::AnswerEvent &event) {
  items.answer(event);
}

void ClusterChecker::allocation(const emu::AllocationEvent &event) {
  countArrivals();
  if (event.kind == emu::AllocationEvent::Relinquish)
    return;
  MemoryRange columns = {tensorAddress(event.origin.rank, 0, event.column),
                         128 * uint32_t(event.columns), 1, 0, 0};
  if (event.kind == emu::AllocationEvent::Free) {
    // All uses are over.
    AccessEvent use;
    use.origin = event.origin;
    use.kind = AccessKind::Write;
    use.proxy = Proxy::Tensor;
    emu::TensorRange range = {event.origin.rank, 0, 128, event.column,
                              event.columns};
    use.tensor = range;
    ++serial;
    touchTensor(use, nullptr);
  }
  tensor.forget(columns.address, columns.bytes);
  if (event.kind == emu::AllocationEvent::Allocate)
    hasAllColumns &= event.column == 0;
  if (event.kind == emu::AllocationEvent::Allocate)
    written.allocate(event.origin.rank, event.column, event.columns);
}

void ClusterChecker::heap(const emu::HeapEvent &event) {
  countArrivals();
  // What was done so far to a block is looked at before another owner has it.
  global.check(log);
  if (event.kind == emu::HeapEvent::Allocate)
    global.renew(event.address, event.bytes);
}

void ClusterChecker::dependency(const emu::DependencyEvent &event) {
  countArrivals();
  if (event.kind != emu::DependencyEvent::Wait) {
    letsNextStart.push_back(event.origin.rank);
    startsNextEarly |= !llvm::is_contained(
        waited, std::pair(event.origin.rank, event.origin.warp));
    return;
  }
  waited.push_back({event.origin.rank, event.origin.warp});
  hasWaited = true;
  auto ended = std::make_shared<Clock>();
  ended->raise(0, ~0u, valueOfLaunch(global.oldestEnded(launch)));
  threads.takeWorld(event.origin,
                    std::make_shared<World>(World{{earlierLaunches, ended}}),
                    nullptr, Order::Acquire);
}
