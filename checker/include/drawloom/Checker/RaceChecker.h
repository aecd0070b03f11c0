//===- RaceChecker.h - Races in a run ---------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A RaceChecker watches a run of the emulator and finds races: two accesses of
// different threads to the same bytes, at least one of them a write, that
// nothing orders. The order is that of PTX's memory model, not that of the run:
// a race is found in whatever order the two happened to come.
//
//   RaceChecker checker;
//   options.listener = &checker;
//   run(device, launches, options);
//   for (const Race &race : checker.races()) ...
//
// It looks at what threads do themselves to shared memory, their own CTA's and
// others' of the cluster. Order comes from the program of each lane, from
// barriers of warps, CTAs and clusters, from mbarriers that threads arrive at,
// and from strong accesses and fences, each at its scope. Copies and matrix
// instructions, global memory and tensor memory are not looked at.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_RACECHECKER_H
#define DRAWLOOM_CHECKER_RACECHECKER_H

#include "drawloom/Emulator/Listener.h"

namespace drawloom::checker {

/// One of the two accesses of a race.
struct RaceSite {
  uint32_t instruction = 0; ///< emu::Kernel::place says where it stands.
  uint16_t rank = 0;        ///< Of its CTA in the cluster.
  uint16_t warp = 0;
  uint16_t lane = 0;
  bool writes = false;
};

struct Race {
  const emu::Kernel *kernel = nullptr;
  uint64_t cluster = 0;   ///< Linear index in the grid, of the first one found.
  uint16_t rank = 0;      ///< Of the CTA whose shared memory it is.
  uint32_t byte = 0;      ///< Of that shared memory: the first that both touch.
  RaceSite first, second; ///< In the order in which they were executed.
  /// How often two accesses of these instructions raced.
  uint64_t count = 1;

  /// Whether threads write to one place by the same instruction. It is a race,
  /// but one without consequence if they write the same value, and compilers
  /// rely on that. Events have no values, so this can't be decided.
  bool isOneStore() const {
    return first.instruction == second.instruction && first.writes &&
           second.writes;
  }

  /// "race in shared memory: line 12 (warp 0, lane 3) writes byte 1040 of CTA
  /// rank 0, line 20 (warp 1, lane 0) reads it, and nothing orders them".
  std::string str() const;
};

class RaceChecker : public emu::Listener {
public:
  RaceChecker();
  ~RaceChecker() override;

  /// One for each two instructions and what they do, in the order of clusters.
  llvm::ArrayRef<Race> races() const { return found; }
  /// Those that are one store, which are not among the races.
  llvm::ArrayRef<Race> notes() const { return noted; }

  void launchStarted(uint32_t index, const emu::Launch &launch) override;
  std::unique_ptr<emu::ClusterListener>
  startCluster(const emu::ClusterStart &start) override;
  void endCluster(std::unique_ptr<emu::ClusterListener> listener) override;

private:
  std::vector<const emu::Kernel *> kernels; ///< Of the launches.
  std::vector<Race> found, noted;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_RACECHECKER_H
