//===- TensorCore.h - tcgen05's work of a pair of CTAs ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tcgen05.mma, tcgen05.cp and tcgen05.shift only write down what is to be done.
// The work is done some time after the tcgen05.commit that covers it: shared
// memory is read and tensor memory is written then and not before, so a kernel
// that doesn't wait for it sees what it would see on hardware.
//
// The products of MMAs are computed later still, when they are read
// (TensorProduct.h), which can't be observed.
//
// Each thread's work is done in the order of issue. Work of other threads that
// was issued earlier and touches the same columns is done first: threads that
// are synchronized may rely on that order.
//
// What is still to be done, or has been stored without a tcgen05.wait, is known
// here. An access that needs it to be done is a race under every schedule; it
// ends the launch. A load has its data at once, as kernels that overwrite the
// columns without a tcgen05.wait::ld rely on; that is the checker's to find.
//
// CTAs whose ranks differ in the last bit are a pair. They have one TensorCore,
// because one thread of either may have work done in the memories of both
// (cta_group::2): each CTA then multiplies its rows of A with all of B, of
// which it holds one half and its peer the other.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_TENSORCORE_H
#define DRAWLOOM_EMULATOR_TENSORCORE_H

#include "Machine/Grid.h"
#include "TensorMemory/PairMeeting.h"
#include "TensorMemory/TensorProduct.h"
#include <deque>

namespace drawloom::emu {

class TensorCore {
public:
  /// `first` is the even CTA's rank.
  TensorCore(Cluster &cluster, uint32_t first);

  /// Writes down work of one thread (issue.lanes has one lane).
  void issue(TensorWork work);
  /// Has all work of the thread done, and then arrives at the mbarrier at
  /// `address` in each CTA of `ranks`, which are those of the cluster, or in
  /// the one that it is in if there are none.
  void commit(const IssuePoint &issue, uint64_t address,
              std::optional<uint16_t> ranks);

  enum class Access : uint8_t { Load, Store, Async, Free };
  /// What is wrong with touching `region` now, as text; empty if nothing is.
  /// `writes`: not only read.
  std::string checkOrder(const TensorRegion &region, Access access,
                         bool writes) const;
  /// Finishes the products that write to `region`, before it is looked at.
  void settle(const TensorRegion &region);
  /// A store of a warp that a tcgen05.wait::st has to follow.
  void stored(Warp &warp, const TensorRegion &region, const Inst *inst);
  void waitedForStores(Warp &warp) { storesOf(warp).clear(); }

  /// What a CTA has done about its allocations.
  struct Allocations {
    bool relinquished = false;
    uint32_t last = 0; ///< Columns; 0 before the first one.
  };
  Allocations &allocationsOf(CTA &cta) { return allocations[cta.rank() & 1]; }
  /// Where the two CTAs of a pair meet to allocate and free together.
  PairMeeting allocating, freeing, relinquishing;

private:
  friend class TensorWorkOp;
  struct Thread {
    CTA *cta;
    uint32_t warp, lanes;
    std::deque<TensorWork> work;
    /// What has been done but for the multiplying. No two have a column of D in
    /// common.
    std::vector<std::unique_ptr<TensorProduct>> products;
    AsyncQueue queue;
    uint64_t due = 0; ///< Of its work so far, in a timed run.
  };
  struct Store {
    TensorRegion region;
    IssuePoint issue;
  };
  Thread &threadOf(const IssuePoint &issue);
  llvm::SmallVectorImpl<Store> &storesOf(Warp &warp);
  /// "'tcgen05.mma.cta_group::1.kind::f16' of line 40 (warp 0)"
  std::string nameWork(const IssuePoint &issue) const;
  /// Does the thread's work up to and with that of `number`.
  void run(Machine &machine, Thread &thread, uint64_t number);
  /// Does work of other threads that must come before `work`.
  void runEarlier(Machine &machine, const Thread &thread,
                  const TensorWork &work);
  /// Finishes the products of all threads that `wanted` says so of.
  void finishProducts(llvm::function_ref<bool(const TensorProduct &)> wanted);

  Cluster &cluster;
  uint32_t first;
  uint64_t nextNumber = 0;
  Allocations allocations[2];
  std::vector<std::unique_ptr<Thread>> threads;
  /// Not waited for, of each warp of the even CTA, then of the odd one.
  std::vector<llvm::SmallVector<Store, 4>> stores;
};

/// The tensor cores of a cluster.
class TensorCores : public Extension {
public:
  static constexpr ExtensionSlot slot = ExtensionSlot::TensorCore;
  explicit TensorCores(Cluster &cluster);

  TensorCore &of(const CTA &cta) { return *pairs[cta.rank() / 2]; }

private:
  std::vector<std::unique_ptr<TensorCore>> pairs;
};

inline TensorCore &tensorCore(CTA &cta) {
  return cta.cluster().extensions.get<TensorCores>(cta.cluster()).of(cta);
}

/// The bit of a CTA in TensorRegion::ctas.
inline uint8_t bitOf(const CTA &cta) { return 1u << (cta.rank() & 1); }

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_TENSORCORE_H
