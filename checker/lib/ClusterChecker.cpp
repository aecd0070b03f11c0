//===- ClusterChecker.cpp - Races in one cluster --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterChecker.h"
#include "Describe.h"
#include "drawloom/Emulator/AddressMap.h"
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
                               GlobalChecker &global, bool isStrict)
    : findings(isStrict, this), kernel(kernel), cluster(global.newCluster()),
      launch(start.launch), ctas(start.ctas.begin(), start.ctas.end()),
      global(global), threads(actors, cluster, isStrict),
      mbarriers(actors, isStrict), operations(actors, threads, mbarriers),
      protocol(kernel, ctas, findings), written(start.sharedBytes, findings),
      sharedJudge(Finding::Shared, isStrict, findings),
      tensorJudge(Finding::TensorMemory, isStrict, findings) {}

void ClusterChecker::operation(const emu::OperationEvent &event) {
  countArrivals();
  operations.event(event, *kernel);
}

void ClusterChecker::group(const emu::GroupEvent &event) {
  countArrivals();
  operations.group(event);
}

void ClusterChecker::barrier(const emu::BarrierEvent &event) {
  countArrivals();
  barriers.event(event, threads);
}

void ClusterChecker::fence(const emu::FenceEvent &event) {
  countArrivals();
  threads.fence(event);
}

Access ClusterChecker::accessOf(const AccessEvent &event) {
  Access access;
  access.instruction = event.origin.instruction;
  access.rank = event.origin.rank;
  access.warp = event.origin.warp;
  access.lane = llvm::countr_zero(event.origin.lanes);
  access.reads = event.kind != AccessKind::Write;
  access.writes = event.kind != AccessKind::Read;
  access.unchanged = event.unchanged;
  access.proxy = event.proxy;
  access.scope = event.order == Order::Weak ? Scope::None : event.scope;
  access.serial = serial;
  access.cluster = cluster;
  access.launch = launch;
  access.cta = ctas[event.origin.rank];
  access.kernel = kernel;
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
}

void ClusterChecker::touch(const Access &access, bool copies) {
  if (emu::isShared(access.range.address)) {
    written.touch(access, copies);
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
  // A warp copies a tensor map as a whole.
  bool isWarps = kernel->parsed(event.origin.instruction)->opcode() ==
                 ptx::Opcode::TensormapCpFenceproxy;
  for (MemoryRange range : event.ranges) {
    if (isWarps)
      range.lanes = 0;
    uint64_t last = range.address + (range.count - 1) * range.pitch;
    bool isMixed = emu::isShared(range.address) != emu::isShared(last);
    if (!isMixed && !event.failed) {
      access.range = range;
      touch(access, false);
      continue;
    }
    uint32_t lanes = range.lanes;
    for (uint32_t piece = 0; lanes; ++piece, lanes &= lanes - 1) {
      access.range = {range.address + piece * range.pitch, range.bytes, 1, 0,
                      lanes & -lanes};
      access.writes =
          event.kind != AccessKind::Read && !(event.failed & lanes & -lanes);
      touch(access, false);
    }
  }
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
    Access operand = accessOf(event);
    for (const MemoryRange &range : event.ranges) {
      operand.range = range;
      written.touch(operand, false);
    }
    return;
  }
  for (const MemoryRange &range : event.ranges)
    operations.forEachPart(event, *operation, range, accessOf(event),
                           [&](const Access &part) { touch(part, true); });
}

void ClusterChecker::touchTensor(const AccessEvent &event,
                                 const Operation *operation) {
  Access access = accessOf(event);
  access.isEngine = true;
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
  for (const MemoryRange &range : event.ranges) {
    uint32_t lanes = range.lanes;
    for (uint32_t piece = 0; lanes; ++piece, lanes &= lanes - 1) {
      unsigned lane = llvm::countr_zero(lanes);
      uint64_t address = range.address + piece * range.pitch;
      flags.access(event, lane, address, threads);
      if (event.scope >= Scope::Gpu && !emu::isShared(address))
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

void ClusterChecker::mbarrier(const MbarrierEvent &event) {
  protocol.mbarrier(event);
  if (event.kind == MbarrierEvent::Arrive && !event.operation) {
    if (arrivals && areTogether(*arrivals, event)) {
      arrivals->origin.lanes |= event.origin.lanes;
      return;
    }
    countArrivals();
    arrivals = event;
    return;
  }
  countArrivals();
  if (event.operation && event.kind != MbarrierEvent::PhaseEnd)
    operations.arrive(event);
  else
    mbarriers.event(event, threads);
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
  tensor.forget(columns);
  if (event.kind == emu::AllocationEvent::Allocate)
    written.allocate(event.origin.rank, event.column, event.columns);
}

void ClusterChecker::dependency(const emu::DependencyEvent &event) {
  countArrivals();
  if (event.kind != emu::DependencyEvent::Wait)
    return;
  static const WorldRef earlier =
      std::make_shared<World>(World{{earlierLaunches, nullptr}});
  threads.takeWorld(event.origin, earlier, Order::Acquire);
}
