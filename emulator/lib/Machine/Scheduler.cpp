//===- Scheduler.cpp - What runs next ------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Scheduler.h"
#include "Machine/Grid.h"
#include "Machine/Warp.h"
#include <iterator>
#include <random>

using namespace drawloom::emu;

Scheduler::~Scheduler() = default;

/// Instructions that a warp executes before another gets its turn. Long enough
/// to keep a warp's registers in the cache, short enough that a warp that spins
/// on memory costs little.
static constexpr uint64_t turnLength = 512;

namespace {

/// The warps of a cluster take turns for as long as one of them is ready: the
/// registers and the shared memory of all clusters together would not fit into
/// a cache. A cluster that waits for another in a loop gets its time only.
class Deterministic : public Scheduler {
public:
  Choice choose(ReadySet &ready) override {
    if (!ready.operations.empty())
      return {false, 0, ready.operations.begin()->first, 0};
    if (!continueCluster(ready))
      startCluster(ready);
    return {true, 0, 0, turnLength};
  }

private:
  /// Instructions that a cluster executes while others are ready.
  static constexpr uint64_t clusterTurnLength = 1 << 13;

  static Cluster *clusterOf(Warp *warp) { return &warp->cta().cluster(); }

  /// Brings a warp of the current cluster to the front, if there is one.
  bool continueCluster(ReadySet &ready) {
    if (ready.steps - start >= clusterTurnLength)
      return false;
    // Its warps that had a turn, or woke, are at the end.
    if (clusterOf(ready.warps.front()) != current)
      while (clusterOf(ready.warps.back()) == current) {
        ready.warps.push_front(ready.warps.back());
        ready.warps.pop_back();
      }
    return clusterOf(ready.warps.front()) == current;
  }

  /// Goes on with another cluster, that of the warp which has been ready for
  /// longest; the warps of the one so far go behind all others.
  void startCluster(ReadySet &ready) {
    const Cluster *before = current;
    current = clusterOf(ready.warps.front());
    for (Warp *warp : ready.warps)
      if (clusterOf(warp) != before) {
        current = clusterOf(warp);
        break;
      }
    start = ready.steps;
    auto rank = [&](Warp *warp) {
      const Cluster *cluster = clusterOf(warp);
      return cluster == current ? 0 : cluster == before ? 2 : 1;
    };
    std::deque<Warp *> order;
    for (int wanted : {0, 1, 2})
      for (Warp *warp : ready.warps)
        if (rank(warp) == wanted)
          order.push_back(warp);
    ready.warps = std::move(order);
  }

  const Cluster *current = nullptr;
  uint64_t start = 0;
};

class Random : public Scheduler {
public:
  explicit Random(uint64_t seed) : engine(seed) {}

  Choice choose(ReadySet &ready) override {
    uint64_t count = ready.warps.size() + ready.operations.size();
    uint64_t index = below(count);
    if (index < ready.warps.size())
      return {true, index, 0, 1 + below(64)};
    auto it = std::next(ready.operations.begin(), index - ready.warps.size());
    return {false, 0, it->first, 0};
  }

private:
  // std::uniform_int_distribution differs between standard libraries; a seed
  // should mean the same everywhere.
  uint64_t below(uint64_t count) { return engine() % count; }

  std::mt19937_64 engine;
};

class Adversarial : public Scheduler {
public:
  explicit Adversarial(std::optional<EngineKind> delayed) : delayed(delayed) {}

  Choice choose(ReadySet &ready) override {
    // What isn't to be held back is done at once.
    if (delayed)
      for (auto &[id, operation] : ready.operations)
        if (operation->kind != *delayed)
          return {false, 0, id, 0};
    if (!ready.warps.empty())
      return {true, 0, 0, turnLength};
    return {false, 0, ready.operations.rbegin()->first, 0};
  }

private:
  std::optional<EngineKind> delayed;
};

} // namespace

std::unique_ptr<Scheduler> Scheduler::create(const RunOptions &options) {
  switch (options.policy) {
  case Policy::Random:
    return std::make_unique<Random>(options.seed);
  case Policy::Adversarial:
    return std::make_unique<Adversarial>(options.delayed);
  case Policy::Deterministic:
    break;
  }
  return std::make_unique<Deterministic>();
}
