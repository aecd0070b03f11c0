//===- ClusterChecker.h - Races in one cluster ------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_CLUSTERCHECKER_H
#define DRAWLOOM_CHECKER_CLUSTERCHECKER_H

#include "SharedShadow.h"
#include "Synchronization.h"
#include "drawloom/Checker/RaceChecker.h"

namespace drawloom::checker {

class ClusterChecker : public emu::ClusterListener {
public:
  ClusterChecker(const emu::Kernel *kernel, uint64_t cluster)
      : kernel(kernel), cluster(cluster) {}

  void access(const emu::AccessEvent &event) override;
  void mbarrier(const emu::MbarrierEvent &event) override {
    mbarriers.event(event, threads);
  }
  void barrier(const emu::BarrierEvent &event) override {
    barriers.event(event, threads);
  }
  void fence(const emu::FenceEvent &event) override {
    if (event.kind == emu::FenceEvent::Memory)
      threads.fence(event.origin, event.order, event.scope);
  }

  std::vector<Race> races;

private:
  void touch(const emu::AccessEvent &event, unsigned lane, uint64_t address,
             uint32_t bytes);
  void add(const SharedAccess &before, const SharedAccess &now,
           uint64_t address);

  const emu::Kernel *const kernel;
  const uint64_t cluster;
  uint64_t serial = 0;
  Threads threads;
  Barriers barriers;
  Mbarriers mbarriers;
  Flags flags;
  SharedShadow shadow;
};

/// Adds a race, or counts it if there is one of the same two instructions.
void addRace(std::vector<Race> &races, const Race &race);

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_CLUSTERCHECKER_H
