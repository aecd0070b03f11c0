//===- GlobalChecker.h - Races in global memory -----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clusters run side by side on host threads, so each writes down what it does
// to global memory, with what it knew then, and the logs are looked at between
// rounds. That is early enough: clusters hand something over only while they
// are alone, one after another, so what is ordered is looked at in that order.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_GLOBALCHECKER_H
#define DRAWLOOM_CHECKER_GLOBALCHECKER_H

#include "Judge.h"
#include "Releases.h"
#include "Written.h"
#include "drawloom/Checker/HostOrder.h"

namespace drawloom::checker {

/// Accesses of one cluster to global memory.
class GlobalLog {
public:
  void add(const Access &access, llvm::ArrayRef<Viewer> viewers);

private:
  friend class GlobalChecker;
  struct View {
    Knowledge known;
    Viewer viewer; ///< Without what is known.
  };
  struct Entry {
    Access access;
    uint32_t firstView, viewCount;
  };
  std::vector<View> views;
  std::vector<Entry> entries;
};

class GlobalChecker {
public:
  explicit GlobalChecker(bool isStrict)
      : findings(isStrict), written(findings),
        judge(Finding::Global, isStrict, findings) {
    judge.acquired = &acquired;
  }

  uint64_t newCluster() { return ++clusters; }
  /// Looks at a log, and empties it.
  void check(GlobalLog &log);
  /// What was done so far comes before everything else.
  void forget();
  /// What was done so far to these bytes comes before everything else: malloc
  /// gives them out again, and is ordered after the free that it follows.
  void renew(uint64_t address, uint64_t bytes) {
    shadow.forget(address, bytes);
  }
  /// What launches before this one did comes before everything else.
  void forgetBefore(uint32_t launch) { shadow.forgetBefore(launch); }

  /// Something of a launch has waited for the one before it.
  void launchWaited(uint32_t launch) {
    waited.resize(std::max<size_t>(waited.size(), launch + 1));
    waited[launch] = true;
  }
  /// The oldest launch that is over when the one before `launch` is: that is
  /// over after the one before itself only if it has waited for it.
  uint32_t oldestEnded(uint32_t launch) const {
    uint32_t oldest = launch - 1;
    while (oldest && oldest < waited.size() && waited[oldest])
      --oldest;
    return oldest;
  }

  /// Whether a thread has published something by one of the words that a strong
  /// access touches.
  bool mayLearn(const emu::AccessEvent &event) const;
  /// A lane of a cluster that is alone touches a word by a strong access at the
  /// scope of the GPU or the system.
  void touchFlag(const emu::AccessEvent &event, unsigned lane, uint64_t address,
                 uint64_t cluster, Threads &threads);

  Findings findings;
  WrittenGlobal written;
  /// What launches use, for the order between streams; empty if not asked for.
  llvm::MutableArrayRef<TouchedMemory> touched;

private:
  struct Write {
    uint64_t cluster;
    WorldRef given, scGiven; ///< The second, to who has a fence.sc.
  };
  uint64_t clusters = 0;
  std::vector<bool> waited; ///< By launch.
  Judge judge;
  Shadow shadow;
  struct Word {
    llvm::SmallVector<Write, 1> writes;
    uint64_t version = 0;
  };
  llvm::DenseMap<uint64_t, Word> flags;
  uint64_t versions = 0;
  /// Pairs of clusters, of which the first has acquired from the second.
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> acquired;
  LastTaken taken;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_GLOBALCHECKER_H
