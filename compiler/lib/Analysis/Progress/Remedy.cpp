//===- Remedy.cpp - What would make a network that hangs end --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Progress/Remedy.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::progress;

namespace {
/// Changes a network, asks for a verdict, and changes it back.
class Trial {
public:
  Trial(const Network &network, const ProveLimits &limits)
      : network(network), limits(limits) {}

  void trySlots(PipeId pipe);
  void tryLags();

  std::vector<Remedy> remedies;

private:
  /// Whether it is proved now, and under which condition.
  std::optional<std::string> isProved() {
    Verdict verdict = prove(network, limits);
    if (verdict.kind == Verdict::Kind::proved ||
        verdict.kind == Verdict::Kind::provedIf)
      return verdict.words;
    return std::nullopt;
  }
  void tryLags(Body &body);
  void tryLag(Consume &scope, const Step &step);

  Network network;
  ProveLimits limits;
};
} // namespace

void Trial::trySlots(PipeId id) {
  Pipe &pipe = network.pipes[id];
  if (pipe.slots.size)
    return;
  // Far more than any ring has.
  constexpr int64_t most = 32;
  int64_t old = pipe.slots.offset;
  auto succeeds = [&](int64_t slots) {
    pipe.slots.offset = slots;
    return isProved();
  };
  if (std::optional<std::string> condition;
      old < most && (condition = succeeds(most))) {
    // More slots never hurt, so the least number can be bisected.
    int64_t bad = old, good = most;
    while (good - bad > 1) {
      int64_t middle = bad + (good - bad) / 2;
      if (std::optional<std::string> words = succeeds(middle)) {
        good = middle;
        condition = words;
      } else {
        bad = middle;
      }
    }
    remedies.push_back(
        {Remedy::Kind::slots, id, good, *condition, pipe.location});
  }
  pipe.slots.offset = old;
}

void Trial::tryLag(Consume &scope, const Step &step) {
  int64_t old = scope.lag;
  while (scope.lag > 0) {
    --scope.lag;
    if (std::optional<std::string> condition = isProved()) {
      remedies.push_back({Remedy::Kind::lag, scope.pipes.front(), scope.lag,
                          *condition, step.location});
      break;
    }
  }
  scope.lag = old;
}

void Trial::tryLags(Body &body) {
  for (Step &step : body) {
    if (auto *scope = std::get_if<Consume>(&step.what))
      tryLag(*scope, step);
    std::visit(
        [&](auto &what) {
          if constexpr (requires { what.body; })
            tryLags(what.body);
        },
        step.what);
  }
}

void Trial::tryLags() {
  for (Role &role : network.roles)
    tryLags(role.body);
}

std::vector<Remedy>
drawloom::progress::findRemedies(const Network &network, const Failure &failure,
                                 const ProveLimits &limits) {
  if (failure.kind != Failure::Kind::stuck)
    return {};
  Trial trial(network, limits);
  std::vector<PipeId> tried;
  for (const WaitingEvent &event : failure.waiting)
    if (event.kind == WaitingEvent::Kind::slotEmpty && event.reason.empty() &&
        !llvm::is_contained(tried, event.object)) {
      tried.push_back(event.object);
      trial.trySlots(event.object);
    }
  trial.tryLags();
  return std::move(trial.remedies);
}
