//===- ProgressRandom.cpp - The engine against the explorer ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each of N random networks, one verdict of the engine for all sizes is
// compared with what the explorer finds at every choice of small sizes. See
// docs/ProgressModel.md.
//
//   ProgressRandom [graphs] [seed] [only this graph]
//
//===----------------------------------------------------------------------===//

#include "BarrierExplorer.h"
#include "RandomNetwork.h"
#include "drawloom/Analysis/Progress/Prove.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

using namespace drawloom::progress;
using namespace drawloom::progress::test;

namespace {
struct Totals {
  uint64_t graphs = 0, skipped = 0, failing = 0, stuck = 0, disagreements = 0;
  uint64_t verdicts[4] = {}, inexact = 0;
  uint64_t comparisons = 0, failures = 0, replays = 0, large = 0, states = 0;
  /// Why verdicts are undecided.
  std::map<std::string, uint64_t> constructs;
  /// By the number of roles, and with each feature.
  uint64_t roles[9] = {};
  uint64_t nested = 0, parallel = 0, broadcasts = 0, cycles = 0, lags = 0,
           symbolic = 0;
  uint64_t clusters = 0, leaders = 0, dynamic = 0, several = 0;

  Totals &operator+=(const Totals &other) {
    graphs += other.graphs;
    skipped += other.skipped;
    failing += other.failing;
    stuck += other.stuck;
    disagreements += other.disagreements;
    for (auto [own, theirs] : llvm::zip(verdicts, other.verdicts))
      own += theirs;
    inexact += other.inexact;
    comparisons += other.comparisons;
    failures += other.failures;
    replays += other.replays;
    for (const auto &[construct, count] : other.constructs)
      constructs[construct] += count;
    large += other.large;
    states += other.states;
    for (auto [own, theirs] : llvm::zip(roles, other.roles))
      own += theirs;
    nested += other.nested;
    parallel += other.parallel;
    broadcasts += other.broadcasts;
    cycles += other.cycles;
    lags += other.lags;
    symbolic += other.symbolic;
    clusters += other.clusters;
    leaders += other.leaders;
    dynamic += other.dynamic;
    several += other.several;
    return *this;
  }
};

/// The roles that stand still, and what each of them waits for.
using Blocked = std::set<std::tuple<RoleId, int, unsigned, int64_t>>;

class Comparison {
public:
  Comparison(uint64_t seed, uint64_t graph) : seed(seed), graph(graph) {
    // The engine for each graph depends on nothing but its number.
    std::seed_seq sequence{seed, graph};
    random.seed(sequence);
    network = makeRandomNetwork(random);
  }

  Totals compare();

private:
  void disagree(const std::string &text, const Sizes &sizes);
  void compareAt(const Sizes &sizes, const Exploration &found);
  void replay(const Failure &failure);
  void countFeatures();
  bool isUniform(const Sizes &sizes) const;
  void compareBlocked(const Failure &failure, const Exploration &found);

  uint64_t seed, graph;
  std::mt19937_64 random;
  Network network;
  Verdict verdict;
  Totals totals;
};
} // namespace

static std::mutex outputMutex;

/// A construct without the names of its sizes and roles, so that equal ones can
/// be counted.
static std::string withoutNames(llvm::StringRef construct) {
  construct = construct.take_until([](char c) { return c == '@'; });
  std::string text;
  bool quoted = false;
  for (char c : construct.rtrim()) {
    quoted ^= c == '\'';
    if (!quoted && c != '\'')
      text += c;
    else if (quoted && c == '\'')
      text += "…";
  }
  return text;
}

void Comparison::disagree(const std::string &text, const Sizes &sizes) {
  if (++totals.disagreements > 1)
    return;
  std::lock_guard lock(outputMutex);
  llvm::raw_ostream &os = llvm::errs();
  os << "disagreement in graph " << graph << " of seed " << seed << " at "
     << describe(network, sizes) << ": " << text << '\n';
  print(network, os);
  print(verdict, network, os);
  os << '\n';
}

bool Comparison::isUniform(const Sizes &sizes) const {
  for (auto [id, values] : llvm::enumerate(sizes.values))
    for (int64_t item = 1; item < countValues(network, sizes, id); ++item)
      if (sizes.at(id, item) != sizes.at(id, 0))
        return false;
  return true;
}

/// Whether one warp of a role waits for all at some pipe.
static bool hasOneWaiter(const Network &network, RoleId role) {
  return llvm::any_of(network.pipes, [&](const Pipe &pipe) {
    return (pipe.producer == role && pipe.arrival == Arrival::oneWarp) ||
           llvm::any_of(pipe.consumers, [&](const Consumer &consumer) {
             return consumer.role == role &&
                    consumer.arrival == Arrival::oneWarp;
           });
  });
}

void Comparison::compareBlocked(const Failure &failure,
                                const Exploration &found) {
  // Who is first can matter for a pool: that some role waits, not who.
  if (!network.pools.empty())
    return;
  Blocked engine, explorer;
  for (const WaitingEvent &event : failure.waiting)
    engine.insert({event.role, int(event.kind), event.object, event.content});
  // A role stands where its first warp does: where only that one waits, the
  // others have gone on to the next wait of all warps.
  for (const BlockedWarp &warp : found.blocked)
    if (warp.warp == 0 || !hasOneWaiter(network, warp.role))
      explorer.insert({warp.role, int(warp.kind), warp.object, warp.index});
  if (engine != explorer)
    disagree("different roles stand still", failure.sizes);
}

void Comparison::compareAt(const Sizes &sizes, const Exploration &found) {
  ++totals.comparisons;
  bool succeeds = found.kind == Exploration::Kind::allSucceed;
  std::optional<Failure> failure = run(network, sizes);
  if (failure.has_value() == succeeds)
    return disagree(succeeds ? "the run fails, the explorer finds no error"
                             : "the run succeeds, the explorer says: " +
                                   found.message,
                    sizes);
  if (failure && failure->kind == Failure::Kind::stuck &&
      found.kind == Exploration::Kind::stuck)
    compareBlocked(*failure, found);
  bool admitted = verdict.condition.admits(network, sizes);
  if (admitted && !succeeds)
    disagree("admitted, but fails: " + found.message, sizes);
  if (!admitted && succeeds && verdict.exact && isUniform(sizes))
    disagree("not admitted by an exact condition, but succeeds", sizes);
}

/// The failure that a verdict shows must be one at the level of barriers.
void Comparison::replay(const Failure &failure) {
  ++totals.failures;
  Exploration found = explore(network, failure.sizes);
  if (found.kind == Exploration::Kind::tooLarge)
    return;
  ++totals.replays;
  if (found.kind == Exploration::Kind::allSucceed)
    return disagree("the failure does not replay", failure.sizes);
  if (failure.kind == Failure::Kind::stuck &&
      found.kind == Exploration::Kind::stuck)
    compareBlocked(failure, found);
}

void Comparison::countFeatures() {
  Features features = featuresOf(network);
  ++totals.roles[network.roles.size()];
  totals.nested = features.nestedLoops;
  totals.parallel = features.parallelPipes;
  totals.broadcasts = features.broadcast;
  totals.cycles = features.cycle;
  totals.lags = features.lag;
  totals.symbolic = features.symbolicSlots;
  totals.clusters = features.cluster;
  totals.leaders = features.leader;
  totals.dynamic = features.dynamic;
  totals.several = features.cluster || features.dynamic;
}

Totals Comparison::compare() {
  constexpr uint64_t maxStates = 20000, maxStatesInAll = 100000;
  std::vector<std::pair<Sizes, Exploration>> explored;
  for (const Sizes &sizes : smallSizes(network)) {
    Exploration found = explore(network, sizes, {.states = maxStates});
    totals.states += found.states;
    if (found.kind == Exploration::Kind::tooLarge ||
        totals.states > maxStatesInAll) {
      totals.skipped = 1;
      return totals;
    }
    explored.emplace_back(sizes, std::move(found));
  }
  totals.graphs = 1;
  countFeatures();
  verdict = prove(network, {.states = 2000, .points = 1024, .boxes = 32});
  ++totals.verdicts[int(verdict.kind)];
  if (verdict.kind == Verdict::Kind::undecided)
    ++totals.constructs[withoutNames(verdict.construct)];
  totals.inexact = !verdict.exact;
  for (const auto &[sizes, found] : explored) {
    compareAt(sizes, found);
    totals.failing |= found.kind != Exploration::Kind::allSucceed;
    totals.stuck |= found.kind == Exploration::Kind::stuck;
  }
  if (verdict.failure)
    replay(*verdict.failure);
  // Beyond what the explorer can reach, the cut-off is at stake.
  for (int i = 0; i < 12; ++i) {
    Sizes sizes = largeSizes(network, random);
    ++totals.large;
    if (verdict.condition.admits(network, sizes) && run(network, sizes))
      disagree("admitted, but the run fails", sizes);
  }
  return totals;
}

int main(int argc, char **argv) {
  auto argument = [&](int index) -> std::optional<uint64_t> {
    uint64_t value;
    if (index < argc && llvm::to_integer(argv[index], value))
      return value;
    return std::nullopt;
  };
  uint64_t graphs = argument(1).value_or(10000);
  uint64_t seed = argument(2).value_or(1);
  std::optional<uint64_t> only = argument(3);
  llvm::outs() << "seed " << seed << '\n';
  llvm::outs().flush();
  Totals totals;
  std::atomic<uint64_t> next = only.value_or(0);
  std::mutex mutex;
  auto work = [&] {
    while (true) {
      {
        std::lock_guard lock(mutex);
        if (totals.graphs >= graphs || (only && next > *only))
          return;
      }
      Totals one = Comparison(seed, next++).compare();
      std::lock_guard lock(mutex);
      if (totals.graphs < graphs)
        totals += one;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency());
       ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();

  double share = double(totals.stuck) / std::max<uint64_t>(1, totals.graphs);
  llvm::outs() << "verdicts: " << totals.verdicts[0] << " proved, "
               << totals.verdicts[1] << " proved if, " << totals.verdicts[2]
               << " deadlock, " << totals.verdicts[3] << " undecided, "
               << totals.inexact << " without an exact condition\n"
               << "compared at " << totals.comparisons << " sizes, "
               << totals.states << " states of barriers; " << totals.replays
               << " of " << totals.failures << " failures replayed; "
               << totals.large << " large sizes run; " << totals.skipped
               << " more graphs were too large to explore and don't count\n"
               << "roles:";
  for (int roles = 2; roles <= 8; ++roles)
    llvm::outs() << ' ' << totals.roles[roles] << " with " << roles;
  llvm::outs() << "; " << totals.nested << " with nested loops, "
               << totals.parallel << " with several pipes between two roles, "
               << totals.broadcasts << " with broadcasts, " << totals.cycles
               << " with cycles, " << totals.lags << " with lags, "
               << totals.symbolic << " with symbolic slots\n"
               << "clusters: " << totals.clusters << ", of which "
               << totals.leaders << " with a role for all CTAs; "
               << totals.dynamic << " with dynamic items; " << totals.several
               << " of " << totals.graphs << " with either\n"
               << "failing: " << totals.failing << " of " << totals.graphs
               << ", of which " << totals.stuck << " deadlock\n";
  for (const auto &[construct, count] : totals.constructs)
    llvm::outs() << "undecided: " << count << " because of " << construct
                 << '\n';
  bool good = totals.disagreements == 0;
  if (totals.replays != totals.failures) {
    llvm::outs() << "not every failure could be replayed\n";
    good = false;
  }
  if (!only && (share < 1.0 / 3 || share > 2.0 / 3)) {
    llvm::outs()
        << "the share of graphs that deadlock is not between 1/3 and 2/3\n";
    good = false;
  }
  if (!only && totals.several * 2 < totals.graphs) {
    llvm::outs() << "less than half have clusters or dynamic items\n";
    good = false;
  }
  if (!only && totals.verdicts[3] * 50 > totals.graphs) {
    llvm::outs() << "more than 2 % are undecided\n";
    good = false;
  }
  llvm::outs() << "progress: " << totals.graphs << " graphs, "
               << totals.disagreements << " disagreements\n";
  return good ? 0 : 1;
}
