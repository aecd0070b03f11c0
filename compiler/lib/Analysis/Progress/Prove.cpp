//===- Prove.cpp - The verdict on a network's progress --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Progress/Prove.h"
#include "Conditions.h"
#include "drawloom/Analysis/Progress/SideConditions.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::progress;

/// Lowers each value as far as the run still fails.
static Sizes shrink(const Code &code, Sizes sizes, uint64_t &runs) {
  const Network &network = code.network;
  uint64_t steps = 0;
  bool changed = true;
  while (changed && steps < stepLimit) {
    changed = false;
    for (auto [id, values] : llvm::enumerate(sizes.values)) {
      for (size_t item = 0; item < values.size(); ++item) {
        int64_t old = values[item];
        for (int64_t lower = network.sizes[id].min;
             lower < old && steps < stepLimit; ++lower) {
          values[item] = lower;
          ++runs;
          if (run(code, sizes, steps) && steps < stepLimit) {
            changed = true;
            break;
          }
          values[item] = old;
        }
      }
    }
  }
  // Items that don't exist any more have no values to show.
  for (auto [id, values] : llvm::enumerate(sizes.values)) {
    size_t count = std::max<int64_t>(1, countValues(network, sizes, id));
    if (values.size() > count)
      values.resize(count);
  }
  return sizes;
}

static int64_t sumOf(const Network &network, const Sizes &sizes) {
  int64_t sum = 0;
  for (auto [id, values] : llvm::enumerate(sizes.values)) {
    int64_t most = 0;
    for (int64_t value : values)
      most = std::max(most, value - network.sizes[id].min);
    sum += most;
  }
  return sum;
}

/// Whether the sizes of a box let the kernel work through any number of items,
/// with every loop.
static bool isUseful(const Network &network, const Box &box) {
  std::vector<bool> isStream(network.sizes.size());
  auto visit = [&](auto &self, const Body &body) -> void {
    for (const Step &step : body) {
      if (const auto *items = std::get_if<ItemLoop>(&step.what)) {
        isStream[items->stream] = true;
        self(self, items->body);
      } else if (const auto *loop = std::get_if<Loop>(&step.what)) {
        self(self, loop->body);
      }
    }
  };
  for (const Role &role : network.roles)
    visit(visit, role.body);
  for (auto [id, interval] : llvm::enumerate(box)) {
    const Size &size = network.sizes[id];
    if (isStream[id] ? interval.max < size.max
                     : interval.max < std::min<int64_t>(1, size.max))
      return false;
  }
  return true;
}

/// A ring whose slots can't be kept apart one by one. Only rings with consumers
/// that divide the items need that.
static const Pipe *findLongRing(const Network &network, const Code &code) {
  constexpr int64_t mostSlots = 64;
  for (auto [id, pipe] : llvm::enumerate(network.pipes))
    if (code.divided[id] && !pipe.slots.size && pipe.slots.offset > mostSlots)
      return &pipe;
  return nullptr;
}

static void addAssumptions(const Network &network, Verdict &verdict) {
  auto visit = [&](auto &self, const Role &role, const Body &body) -> void {
    for (const Step &step : body) {
      std::visit(
          [&](const auto &what) {
            if constexpr (requires { what.body; })
              self(self, role, what.body);
          },
          step.what);
      const auto *launch = std::get_if<Launch>(&step.what);
      if (launch && launch->wait)
        verdict.assumptions.push_back("the launch wait of @" + role.name +
                                      " returns: the grids before this one "
                                      "end");
    }
  };
  for (const Role &role : network.roles)
    visit(visit, role, role.body);
  for (const Pool &pool : network.pools)
    if (pool.shared)
      verdict.assumptions.push_back("other CTAs release what they hold of " +
                                    pool.name);
}

/// What keeps the network from being searched: a mistake in it, or the side
/// conditions that it breaks; empty if there are none.
static std::string findObstacle(const Network &network) {
  if (std::optional<std::string> mistake = findMistake(network))
    return *mistake;
  std::string breaches;
  for (const Breach &breach : checkSideConditions(network)) {
    if (!breaches.empty())
      breaches += "; ";
    breaches += breach.message;
  }
  return breaches;
}

Verdict drawloom::progress::prove(const Network &network,
                                  const ProveLimits &limits) {
  Verdict verdict;
  verdict.construct = findObstacle(network);
  if (!verdict.construct.empty())
    return verdict;
  addAssumptions(network, verdict);

  Code code(network);
  if (const Pipe *pipe = findLongRing(network, code)) {
    verdict.construct = "pipe '" + pipe->name + "', whose consumers divide " +
                        std::to_string(pipe->slots.offset) +
                        " slots between them";
    return verdict;
  }
  Box all = allSizes(network);
  SearchResult whole = searchAll(code, all, limits.states);
  verdict.states = whole.states;
  if (whole.kind == SearchResult::Kind::closed) {
    verdict.kind = Verdict::Kind::proved;
    verdict.condition.boxes = {all};
    verdict.exact = true;
    return verdict;
  }

  ConditionResult found = findCondition(code, limits);
  verdict.states += found.states;
  verdict.runs = found.runs;
  verdict.condition = std::move(found.condition);
  verdict.exact = found.exact;

  std::optional<Sizes> smallest = found.smallestFailure;
  if (whole.failure) {
    Sizes shrunk = shrink(code, whole.failure->sizes, verdict.runs);
    if (!smallest || sumOf(network, shrunk) < sumOf(network, *smallest))
      smallest = shrunk;
  }
  if (!smallest) {
    verdict.construct = whole.construct;
    return verdict;
  }
  uint64_t steps = 0;
  verdict.failure = run(code, shrink(code, *smallest, verdict.runs), steps);
  if (!found.exact)
    verdict.construct = found.construct;
  Condition useful;
  llvm::copy_if(verdict.condition.boxes, std::back_inserter(useful.boxes),
                [&](const Box &box) { return isUseful(network, box); });
  verdict.kind =
      useful.boxes.empty() ? Verdict::Kind::deadlock : Verdict::Kind::provedIf;
  verdict.words = useful.describe(network);
  return verdict;
}
