//===- Grid.cpp - Grids, clusters and CTAs -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Grid.h"
#include "Machine/Machine.h"
#include "Machine/Run.h"
#include "Timing/Clock.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>

using namespace drawloom;
using namespace drawloom::emu;

/// x runs fastest.
static Dim3 coordinates(uint64_t linear, Dim3 extents) {
  Dim3 result;
  result.x = linear % extents.x;
  result.y = linear / extents.x % extents.y;
  result.z = linear / (uint64_t(extents.x) * extents.y);
  return result;
}

AlignedMemory drawloom::emu::allocateAligned(size_t size) {
  constexpr size_t alignment = 1024;
  void *memory = std::aligned_alloc(alignment, llvm::alignTo(size, alignment));
  if (!memory)
    llvm::report_bad_alloc_error("out of memory for a CTA");
  return AlignedMemory(static_cast<char *>(memory));
}

CTA::CTA(Cluster &cluster, uint32_t rank, Dim3 id, uint64_t linear, Sm &sm)
    : clusterField(cluster), smField(sm), rankField(rank), idField(id),
      linearField(linear), threadsField(cluster.grid().threadsPerCta()),
      liveThreadsField(threadsField) {
  for (unsigned number = 0; number != std::size(barriers); ++number)
    barriers[number].initialize(*this, number);
}

Grid &CTA::grid() { return clusterField.grid(); }
Machine &CTA::machine() { return clusterField.machine(); }
char *CTA::shared() { return clusterField.sharedOf(rankField); }

void CTA::start(Worker &worker) {
  uint32_t count = llvm::divideCeil(threadsField, 32);
  const std::vector<char> &image = grid().program().registerImage;
  warpsField.reserve(count);
  for (uint32_t index = 0; index != count; ++index) {
    AlignedMemory file = worker.registers.take(image.size());
    memcpy(file.get(), image.data(), image.size());
    warpsField.push_back(std::make_unique<Warp>(
        *this, index, threadsField - index * 32, std::move(file)));
  }
  for (std::unique_ptr<Warp> &warp : warpsField) {
    if (Clock *clock = machine().clock())
      warp->startClock(*clock, clusterField.startTime());
    machine().makeReady(*warp);
  }
}

void CTA::giveRegisters(Worker &worker) {
  for (std::unique_ptr<Warp> &warp : warpsField)
    worker.registers.give(warp->takeRegisters(),
                          grid().program().registerImage.size());
}

void CTA::lanesExited(Warp &warp, uint32_t lanes) {
  liveThreadsField -= llvm::popcount(lanes);
  for (NamedBarrier &barrier : barriers)
    barrier.lanesExited(warp, lanes);
  extensions.lanesExited(warp, lanes);
  clusterField.extensions.lanesExited(warp, lanes);
  machine().progressed();
  if (liveThreadsField != 0)
    return;
  extensions.ctaExited(*this);
  clusterField.extensions.ctaExited(*this);
  smField.extensions.ctaExited(*this);
  grid().extensions.ctaExited(*this);
  if (ClusterListener *listener = clusterField.listener())
    listener->ctaExited(rankField);
  --clusterField.liveCtas;
  releaseDependents();
  machine().ctaEnded();
}

void CTA::releaseDependents() {
  if (releasedDependents)
    return;
  releasedDependents = true;
  ++grid().releasedCtas;
  machine().clustersMayStart();
}

std::string Prerequisites::describe(const Fragment &) const {
  return "griddepcontrol.wait: a launch in front of this one hasn't ended";
}

Cluster::Cluster(Grid &grid, uint64_t index, llvm::ArrayRef<Sm *> sms)
    : gridField(grid), sms(sms), machineField(grid.run().sharedMachine()),
      indexField(index), idField(coordinates(index, grid.clusterGrid())),
      sharedBytesField(llvm::alignTo(
          grid.program().staticSharedEnd + grid.launch().dynamicShared, 128)),
      liveCtas(sms.size()) {
  if (!machineField) {
    ownMachine = grid.run().takeMachine(*this);
    machineField = ownMachine.get();
  }
  if (Clock *clock = machineField->clock()) {
    startTimeField = clock->startOn(smIndices());
    machineField->now = startTimeField;
  }
  for (Sm *sm : sms)
    prepareSm(*sm, grid.run().device().model());
  if (Listener *listener = grid.run().options().listener)
    startListening(*listener);
}

Dim3 Cluster::ctaId(uint32_t rank) const {
  const Dim3 size = gridField.launch().cluster;
  Dim3 in = coordinates(rank, size);
  return {idField.x * size.x + in.x, idField.y * size.y + in.y,
          idField.z * size.z + in.z};
}

uint64_t Cluster::linearOf(Dim3 cta) const {
  const Dim3 grid = gridField.launch().grid;
  return cta.x + uint64_t(grid.x) * (cta.y + uint64_t(grid.y) * cta.z);
}

void Cluster::start(Worker &worker) {
  const size_t bytes = size_t(sharedBytesField) * size();
  sharedMemory = worker.shared.take(bytes);
  memset(sharedMemory.get(), 0, bytes);
  for (uint32_t rank = 0; rank != size(); ++rank) {
    Dim3 id = ctaId(rank);
    ctasField.push_back(
        std::make_unique<CTA>(*this, rank, id, linearOf(id), *sms[rank]));
  }
  for (std::unique_ptr<CTA> &cta : ctasField)
    cta->start(worker);
}

void Cluster::finish(Worker &worker) {
  for (std::unique_ptr<CTA> &cta : ctasField)
    cta->giveRegisters(worker);
  extensions = {};
  ctasField.clear();
  worker.shared.give(std::move(sharedMemory),
                     size_t(sharedBytesField) * size());
}

llvm::SmallVector<uint32_t, 16> Cluster::smIndices() const {
  return llvm::to_vector<16>(
      llvm::map_range(sms, [](const Sm *sm) { return sm->index; }));
}

void Cluster::startListening(Listener &listener) {
  llvm::SmallVector<uint64_t, maxClusterSize> linear;
  for (uint32_t rank = 0; rank != size(); ++rank)
    linear.push_back(linearOf(ctaId(rank)));
  ClusterStart start;
  start.launch = gridField.index();
  start.cluster = indexField;
  start.ctas = linear;
  start.sharedBytes = sharedBytesField;
  start.clock = [this] {
    return machineField->clock() ? machineField->now : machineField->steps();
  };
  listenerField = listener.startCluster(start);
  if (listenerField && machineField->isAlone())
    listenerField->alone(true);
}

Cluster::~Cluster() {
  if (!ownMachine)
    return;
  ownMachine->dropOperations();
  if (done())
    gridField.run().giveMachine(std::move(ownMachine));
}

void AlignedDelete::operator()(char *memory) const { std::free(memory); }

Grid::Grid(Run &run, const Launch &launch, uint32_t index)
    : runField(run), launchField(launch), indexField(index) {
  clusterGridField = {launch.grid.x / launch.cluster.x,
                      launch.grid.y / launch.cluster.y,
                      launch.grid.z / launch.cluster.z};
  clusterCountField = clusterGridField.count();
}

Grid::~Grid() = default;

AlignedMemory AlignedPool::take(size_t size) {
  if (bytes != size) {
    pieces.clear();
    bytes = size;
  }
  if (pieces.empty())
    return allocateAligned(bytes);
  AlignedMemory piece = std::move(pieces.back());
  pieces.pop_back();
  return piece;
}

bool Grid::startCluster(llvm::MutableArrayRef<Sm> sms) {
  uint32_t size = clusterSize();
  uint32_t threads = llvm::alignTo(threadsPerCta(), 32);
  uint32_t shared =
      llvm::alignTo(program().staticSharedEnd + launchField.dynamicShared, 128);
  uint32_t registers = std::max<uint32_t>(kernel().registers, 1) * threads;
  auto take = [&](Sm &sm, int sign) {
    sm.ctas -= sign;
    sm.shared -= sign * shared;
    sm.threads -= sign * threads;
    sm.registers -= sign * registers;
  };
  // CTAs go to SMs in turn. Two of a cluster share one only if there are not
  // enough SMs with room, and never if they work in pairs.
  llvm::SmallVector<Sm *, 16> chosen;
  for (bool found = true; found && chosen.size() != size;) {
    if (program().usesPairs && !chosen.empty())
      break;
    found = false;
    for (unsigned tried = 0; tried != sms.size() && chosen.size() != size;
         ++tried) {
      Sm &sm = sms[(nextSm + tried) % sms.size()];
      if (!sm.ctas || sm.shared < shared || sm.threads < threads ||
          sm.registers < registers)
        continue;
      take(sm, 1);
      chosen.push_back(&sm);
      found = true;
    }
  }
  if (chosen.size() != size) {
    for (Sm *sm : chosen)
      take(*sm, -1);
    return false;
  }
  nextSm = (chosen.back()->index + 1) % sms.size();
  live.push_back(std::make_unique<Cluster>(*this, nextCluster++, chosen));
  // Those that have machines of their own, but in a timed run, start when their
  // machine runs first.
  if (runField.sharedMachine() || runField.clock())
    live.back()->start(runField.firstWorker());
  return true;
}

std::optional<Dim3> Grid::cancelCluster() {
  if (!hasMoreClusters())
    return std::nullopt;
  Dim3 id = coordinates(nextCluster++, clusterGridField);
  // The launch behind this one doesn't wait for CTAs that never run.
  releasedCtas += clusterSize();
  return Dim3{id.x * launchField.cluster.x, id.y * launchField.cluster.y,
              id.z * launchField.cluster.z};
}

bool Grid::endClusters() {
  uint32_t threads = llvm::alignTo(threadsPerCta(), 32);
  uint32_t registers = std::max<uint32_t>(kernel().registers, 1) * threads;
  size_t before = live.size();
  llvm::erase_if(live, [&](const std::unique_ptr<Cluster> &cluster) {
    if (!cluster->done())
      return false;
    cluster->leave(threads, registers);
    if (cluster->hasStarted()) // Of those that share a machine.
      cluster->finish(runField.firstWorker());
    if (std::unique_ptr<ClusterListener> listener = cluster->takeListener())
      runField.options().listener->endCluster(std::move(listener));
    return true;
  });
  return live.size() != before;
}

void Cluster::leave(uint32_t threads, uint32_t registers) {
  if (Clock *clock = machineField->clock())
    clock->left(gridField.index(), smIndices(), machineField->now);
  for (Sm *sm : sms) {
    ++sm->ctas;
    sm->shared += sharedBytesField;
    sm->threads += threads;
    sm->registers += registers;
  }
}
