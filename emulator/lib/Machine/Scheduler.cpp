//===- Scheduler.cpp - What runs next ------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Scheduler.h"
#include "Machine/Warp.h"
#include "llvm/ADT/STLExtras.h"
#include <iterator>
#include <random>

using namespace drawloom::emu;

void ReadySet::add(std::unique_ptr<AsyncOp> operation) {
  // Most are the newest; what comes out of a queue was issued earlier.
  auto it = operations.end();
  while (it != operations.begin() && (*std::prev(it))->id > operation->id)
    --it;
  operations.insert(it, std::move(operation));
}

std::unique_ptr<AsyncOp> ReadySet::take(size_t index) {
  std::unique_ptr<AsyncOp> operation = std::move(operations[index]);
  operations.erase(operations.begin() + index);
  return operation;
}

Scheduler::~Scheduler() = default;

namespace {

class Deterministic : public Scheduler {
public:
  Choice choose(ReadySet &ready) override {
    if (!ready.operations.empty())
      return {false, 0, 0};
    return {true, 0, turnLength};
  }
};

class Random : public Scheduler {
public:
  explicit Random(uint64_t seed) : engine(seed) {}

  Choice choose(ReadySet &ready) override {
    uint64_t count = ready.warps.size() + ready.operations.size();
    uint64_t index = below(count);
    if (index < ready.warps.size())
      return {true, index, 1 + below(64)};
    return {false, index - ready.warps.size(), 0};
  }

private:
  // std::uniform_int_distribution differs between standard libraries; a seed
  // should mean the same everywhere.
  uint64_t below(uint64_t count) { return engine() % count; }

  std::mt19937_64 engine;
};

/// Holds work back for as long as a warp can move. Warps that spin on memory or
/// on mbarrier.test_wait always can, and may spin for that very work, so there
/// is an end to its patience.
class Adversarial : public Scheduler {
public:
  explicit Adversarial(std::optional<EngineKind> delayed) : delayed(delayed) {}

  Choice choose(ReadySet &ready) override {
    // What isn't to be held back is done at once.
    if (delayed)
      for (auto [index, operation] : llvm::enumerate(ready.operations))
        if (operation->kind != *delayed)
          return {false, index, 0};
    size_t warps = ready.warps.size();
    if (warps == 0)
      turns = 0;
    if (ready.operations.empty() || (warps != 0 && turns++ < patience))
      return {true, 0, turnLength};
    // Warps that have shown that they spin get one more turn each.
    turns -= std::min<uint64_t>(turns, warps + 1);
    return {false, ready.operations.size() - 1, 0};
  }

private:
  /// Turns of warps while there is work, before some of it is done anyway.
  static constexpr uint64_t patience = 4096;

  std::optional<EngineKind> delayed;
  uint64_t turns = 0;
};

/// What is ready first, work of engines before warps.
class Timed : public Scheduler {
public:
  Choice choose(ReadySet &ready) override {
    Choice choice = {true, 0, ~uint64_t(0)};
    uint64_t earliest = ~uint64_t(0);
    auto offer = [&](bool isWarp, size_t index, uint64_t time) {
      if (time < earliest || (index == 0 && earliest == ~uint64_t(0))) {
        choice = {isWarp, index, earliest};
        earliest = time;
      } else {
        choice.turn = std::min(choice.turn, time);
      }
    };
    for (auto [index, operation] : llvm::enumerate(ready.operations))
      offer(false, index, operation->due);
    for (auto [index, warp] : llvm::enumerate(ready.warps))
      offer(true, index, warp->nextTime());
    return choice;
  }
};

} // namespace

std::unique_ptr<Scheduler> Scheduler::create(const RunOptions &options) {
  switch (options.policy) {
  case Policy::Random:
    return std::make_unique<Random>(options.seed);
  case Policy::Adversarial:
    return std::make_unique<Adversarial>(options.delayed);
  case Policy::Timed:
    return std::make_unique<Timed>();
  case Policy::Deterministic:
    break;
  }
  return std::make_unique<Deterministic>();
}
