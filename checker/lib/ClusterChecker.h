//===- ClusterChecker.h - Races in one cluster ------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_CLUSTERCHECKER_H
#define DRAWLOOM_CHECKER_CLUSTERCHECKER_H

#include "Answers.h"
#include "GlobalChecker.h"
#include "Operations.h"
#include "Protocol.h"
#include "Remarks.h"
#include "Updates.h"
#include "WorkTiles.h"
#include "Written.h"

namespace drawloom::checker {

class ClusterChecker : public emu::ClusterListener {
public:
  ClusterChecker(const emu::Kernel *kernel, const emu::ClusterStart &start,
                 const SharedArrays &arrays, const Answers &answers,
                 const Updates &updates, GlobalChecker &global, bool isStrict);

  void access(const emu::AccessEvent &event) override;
  void operation(const emu::OperationEvent &event) override;
  void group(const emu::GroupEvent &event) override;
  void mbarrier(const emu::MbarrierEvent &event) override;
  void barrier(const emu::BarrierEvent &event) override;
  void fence(const emu::FenceEvent &event) override;
  void allocation(const emu::AllocationEvent &event) override;
  void heap(const emu::HeapEvent &event) override;
  void dependency(const emu::DependencyEvent &event) override;
  void local(const emu::LocalEvent &event) override;
  void undefined(const emu::UndefinedEvent &event) override;
  void tensorMap(const emu::TensorMapEvent &event) override;
  void answer(const emu::AnswerEvent &event) override;
  void lanesExited(const emu::Origin &origin) override;
  void ctaExited(uint32_t rank) override;
  /// Nothing comes after this.
  void ended();

  Findings findings;
  GlobalLog log;
  std::unique_ptr<Costs> costs; ///< Null if nothing is counted.
  const uint32_t launch;
  /// Whether a CTA has let the next launch start, by griddepcontrol or its end,
  /// before it has waited for those before.
  bool startsNextEarly = false;
  /// Whether a thread has waited for earlier launches.
  bool hasWaited = false;
  /// Whether its CTAs have tensor memory from the first column on.
  bool hasAllColumns = true;

private:
  /// Lanes of a warp arrive one by one; they are counted together, before
  /// anything else happens.
  void countArrivals();
  Access accessOf(const emu::Origin &origin);
  Access accessOf(const emu::AccessEvent &event);
  /// Of threads, to shared or global memory.
  void touchByThreads(const emu::AccessEvent &event);
  void touchByOperation(const emu::AccessEvent &event);
  void touchTensor(const emu::AccessEvent &event, const Operation *operation);
  void touchFlags(const emu::AccessEvent &event);
  /// With `viewers` as they are.
  void touch(const Access &access, const emu::Origin &origin);
  /// If the mbarrier is in another CTA.
  void usePeersBarrier(const emu::MbarrierEvent &event);

  const emu::Kernel *const kernel;
  const uint64_t cluster;                    ///< In the run.
  const llvm::SmallVector<uint64_t, 2> ctas; ///< Their numbers, by rank.
  const Answers &answers;
  const Updates &updates;
  /// Tensor maps that were acquired at the scope of the GPU.
  llvm::DenseSet<uint64_t> acquiredMaps;
  GlobalChecker &global;
  uint64_t serial = 0;
  std::optional<emu::MbarrierEvent> arrivals; ///< Not yet counted.
  Actors actors;
  Threads threads;
  Barriers barriers;
  Mbarriers mbarriers;
  Flags flags;
  Operations operations;
  Protocol protocol;
  WrittenInCluster written;
  WrittenLocal writtenLocal;
  WorkTiles items;
  Shadow shared, tensor;
  Judge sharedJudge;
  Judge lostJudge; ///< Of lanes of one store to global memory.
  Judge tensorJudge;
  llvm::SmallVector<Viewer, 2> viewers; ///< Of the access at hand.
  /// Warps that have waited for earlier launches, by rank; ranks of CTAs that
  /// have let the next one start.
  llvm::SmallVector<std::pair<uint16_t, uint16_t>, 0> waited;
  llvm::SmallVector<uint32_t, 0> letsNextStart;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_CLUSTERCHECKER_H
