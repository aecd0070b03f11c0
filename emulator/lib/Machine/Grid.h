//===- Grid.h - Grids, clusters and CTAs ------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Grid is a launch under way. Its clusters start in order, as SMs have room
// for all CTAs of one; a CTA runs on one SM from its start to its end. Shared
// memory belongs to the cluster, one slice for each CTA, so an address with a
// rank in it (AddressMap.h) is translated without looking at the CTA.
//
// A cluster ends when all its warps have exited and no asynchronous work that
// it issued is in flight. Its CTAs, their warps and their memory exist from the
// first time that a host thread runs it to the last: thousands of clusters may
// be on the SMs, and what one of them needs is in a cache for that time only.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_GRID_H
#define DRAWLOOM_EMULATOR_GRID_H

#include "Machine/AlignedMemory.h"
#include "Machine/Extension.h"
#include "Machine/NamedBarrier.h"
#include "Machine/Warp.h"
#include "drawloom/Emulator/Listener.h"
#include <atomic>
#include <memory>
#include <vector>

namespace drawloom::emu {

class Cluster;
class Grid;
class Machine;
class Run;
struct Worker;

/// A streaming multiprocessor: what is left of its resources.
struct Sm {
  uint32_t index = 0;
  uint32_t shared = 0;
  uint32_t threads = 0;
  uint32_t registers = 0;
  uint32_t ctas = 0;
  ExtensionSet extensions;
};

/// Makes what clusters share that run on one SM, before they do. That is tensor
/// memory, which defines this.
void prepareSm(Sm &sm, const DeviceModel &model);

class CTA {
public:
  CTA(Cluster &cluster, uint32_t rank, Dim3 id, uint64_t linear, Sm &sm);

  Cluster &cluster() { return clusterField; }
  Grid &grid();
  Machine &machine();
  Sm &sm() { return smField; }
  uint32_t rank() const { return rankField; }
  Dim3 id() const { return idField; }
  uint64_t linear() const { return linearField; }
  uint32_t threads() const { return threadsField; }
  uint32_t liveThreads() const { return liveThreadsField; }
  bool exited() const { return liveThreadsField == 0; }
  llvm::ArrayRef<std::unique_ptr<Warp>> warps() const { return warpsField; }
  NamedBarrier &barrier(unsigned number) { return barriers[number]; }
  /// Its shared memory, from offset 0.
  char *shared();

  /// Called by a warp whose lanes have exited.
  void lanesExited(Warp &warp, uint32_t lanes);
  /// The launch behind this one may start as far as this CTA is concerned.
  void releaseDependents();
  void start(Worker &worker);
  /// Leaves the register files of its warps to others.
  void giveRegisters(Worker &worker);

  ExtensionSet extensions;

private:
  Cluster &clusterField;
  Sm &smField;
  uint32_t rankField;
  Dim3 idField;
  uint64_t linearField;
  uint32_t threadsField;
  uint32_t liveThreadsField;
  bool releasedDependents = false;
  std::vector<std::unique_ptr<Warp>> warpsField;
  NamedBarrier barriers[16];
};

class Cluster {
public:
  Cluster(Grid &grid, uint64_t index, llvm::ArrayRef<Sm *> sms);
  ~Cluster();

  Grid &grid() { return gridField; }
  /// Makes its CTAs and lets their warps run.
  void start(Worker &worker);
  bool hasStarted() const { return sharedMemory != nullptr; }
  /// In a timed run: the cycle in which its warps start.
  uint64_t startTime() const { return startTimeField; }
  /// Frees what it has, once it is done.
  void finish(Worker &worker);

  /// What runs it: a machine of its own, or that of all clusters.
  Machine &machine() { return *machineField; }
  uint64_t index() const { return indexField; }
  Dim3 id() const { return idField; }
  llvm::ArrayRef<std::unique_ptr<CTA>> ctas() const { return ctasField; }
  CTA &cta(unsigned rank) { return *ctasField[rank]; }
  uint32_t size() const { return sms.size(); }
  /// Bytes of a CTA's shared memory, with what the system takes.
  uint32_t sharedBytes() const { return sharedBytesField; }

  /// The host memory behind [address, address + size) of the shared window;
  /// null if it isn't inside one CTA of the cluster.
  char *shared(uint32_t address, uint64_t size) {
    uint32_t rank = address >> sharedRankShift;
    uint64_t offset = address & sharedOffsetMask;
    if (rank >= sms.size() || offset > sharedBytesField ||
        size > sharedBytesField - offset)
      return nullptr;
    return sharedMemory.get() + uint64_t(rank) * sharedBytesField + offset;
  }
  char *sharedOf(uint32_t rank) {
    return sharedMemory.get() + uint64_t(rank) * sharedBytesField;
  }

  /// Gets the events of the cluster; may be null.
  ClusterListener *listener() const { return listenerField.get(); }
  std::unique_ptr<ClusterListener> takeListener() {
    return std::move(listenerField);
  }
  /// What listeners know the next operation by.
  uint64_t newOperation() { return ++operations; }

  /// Asynchronous operations in flight that a CTA of it issued.
  uint64_t inFlight = 0;
  bool done() const { return liveCtas == 0 && inFlight == 0; }
  /// Frees the room that its CTAs have taken on their SMs.
  void leave(uint32_t threads, uint32_t registers);

  ExtensionSet extensions;

private:
  friend class CTA;
  void startListening(Listener &listener);
  llvm::SmallVector<uint32_t, 16> smIndices() const;

  /// The coordinates in the grid of the CTA of that rank.
  Dim3 ctaId(uint32_t rank) const;
  uint64_t linearOf(Dim3 cta) const;

  Grid &gridField;
  /// Where each CTA runs.
  llvm::SmallVector<Sm *, 1> sms;
  std::unique_ptr<Machine> ownMachine;
  Machine *machineField;
  uint64_t indexField;
  Dim3 idField;
  uint32_t sharedBytesField;
  uint32_t liveCtas;
  uint64_t startTimeField = 0;
  uint64_t operations = 0;
  std::unique_ptr<ClusterListener> listenerField;
  AlignedMemory sharedMemory;
  std::vector<std::unique_ptr<CTA>> ctasField;
};

/// The launches in front of one that has started before they have ended.
class Prerequisites : public WaitObject {
public:
  std::string describe(const Fragment &waiter) const override;
};

class Grid {
public:
  Grid(Run &run, const Launch &launch, uint32_t index);
  ~Grid();

  Run &run() { return runField; }
  const Launch &launch() const { return launchField; }
  const Kernel &kernel() const { return *launchField.kernel; }
  const Program &program() const { return *launchField.kernel->program; }
  uint32_t index() const { return indexField; }
  uint32_t threadsPerCta() const { return launchField.block.count(); }
  uint32_t clusterSize() const { return launchField.cluster.count(); }
  uint64_t clusterCount() const { return clusterCountField; }
  /// The clusters of the grid in each direction.
  Dim3 clusterGrid() const { return clusterGridField; }
  /// Host memory behind a range of the kernel's parameters; null outside.
  const char *parameters(uint64_t offset, uint64_t size) const {
    if (offset > launchField.parameters.size() ||
        size > launchField.parameters.size() - offset)
      return nullptr;
    return launchField.parameters.data() + offset;
  }

  /// Whether every CTA has let the next launch start, or has exited.
  bool releasesDependents() const {
    return releasedCtas == clusterCountField * clusterSize();
  }
  Prerequisites prerequisites;

  bool hasMoreClusters() const { return nextCluster < clusterCountField; }
  uint64_t waitingClusters() const { return clusterCountField - nextCluster; }
  bool done() const { return !hasMoreClusters() && live.empty(); }
  /// Starts the next cluster if the SMs have room for it.
  bool startCluster(llvm::MutableArrayRef<Sm> sms);
  /// Takes the next cluster away before it starts, and answers its first CTA;
  /// nothing if all have started.
  std::optional<Dim3> cancelCluster();
  /// Ends the clusters that are done, and frees what they took. False if
  /// there are none.
  bool endClusters();
  llvm::ArrayRef<std::unique_ptr<Cluster>> clusters() const { return live; }

  ExtensionSet extensions;

private:
  friend class CTA;
  Run &runField;
  const Launch &launchField;
  uint32_t indexField;
  Dim3 clusterGridField;
  uint64_t clusterCountField;
  uint64_t nextCluster = 0;
  std::atomic<uint64_t> releasedCtas = 0;
  unsigned nextSm = 0;
  std::vector<std::unique_ptr<Cluster>> live;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_GRID_H
