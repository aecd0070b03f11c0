//===- ProgressTest.cpp - Proofs from claims made by hand -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What a kernel in PTX shows only behind other findings. Proofs of whole
// kernels are lit tests of `drawloom check`.

#include "drawloom/Protocol/Progress.h"
#include "gtest/gtest.h"

using namespace drawloom::protocol;
using Kind = Event::Kind;

namespace {

/// A kernel of warps with one lane each, which do their steps in a loop.
class Kernel {
public:
  Kernel &barrier(int64_t byte, std::set<int64_t> counts) {
    Barrier &made = claims.barriers[{0, byte}];
    for (Kind kind : {Kind::Init, Kind::Wait, Kind::Arrive})
      made.parts[{kind, 1}].kind = kind;
    made.parts[{Kind::Init, 1}].numbers = counts;
    return *this;
  }
  Kernel &warp(unsigned number, std::vector<Step> steps) {
    auto paths = std::make_shared<Paths>();
    unsigned at = 0;
    for (const Step &step : steps)
      at = paths->append(at, step, /*line=*/10 * number + 1, 1, 1);
    paths->connect(at, 0, 1);
    paths->end(0, 1);
    claims.paths[{0, number}] = paths;
    return *this;
  }
  Progress prove(const ProgressLimits &limits = {}) const {
    return proveProgress(claims, limits);
  }

  Claims claims;
};

} // namespace

static Step wait(int64_t byte, int64_t parity) {
  return {Step::Kind::Wait, {0, byte}, parity};
}
static Step arrive(int64_t byte, int64_t count = 1) {
  return {Step::Kind::Arrive, {0, byte}, count};
}

/// One slot between warp 0, which fills it, and warp 1.
static Kernel makeRing() {
  return Kernel()
      .barrier(0, {1})
      .barrier(8, {1})
      .warp(0, {wait(8, 1), arrive(0), wait(8, 0), arrive(0)})
      .warp(1, {wait(0, 0), arrive(8), wait(0, 1), arrive(8)});
}

TEST(Progress, RingEnds) {
  Progress progress = makeRing().prove();
  EXPECT_TRUE(progress.isProved) << progress.why;
  EXPECT_EQ(progress.roles, 2u);
}

TEST(Progress, LimitOfARole) {
  EXPECT_EQ(makeRing().prove({.automaton = 3}).why,
            "warp 0 has more than 3 states");
}

TEST(Progress, LimitOfAllRoles) {
  EXPECT_EQ(makeRing().prove({.states = 2}).why,
            "2 roles have more than 2 states together");
}

TEST(Progress, SeveralCounts) {
  EXPECT_EQ(makeRing().barrier(8, {1, 2}).prove().why,
            "the mbarrier at byte 8 is set up for several counts");
}

TEST(Progress, CountThatIsNotReached) {
  EXPECT_EQ(makeRing().barrier(8, {2}).prove().why,
            "warp 0 in line 1 waits for byte 8, where no other warp arrives");
}

TEST(Progress, ArrivalsOfDifferentCounts) {
  Kernel kernel = makeRing();
  kernel.warp(1, {wait(0, 0), arrive(8), wait(0, 1), arrive(8, 2)});
  EXPECT_EQ(kernel.prove().why,
            "warp 1 in line 11 may arrive at byte 8 twice in one phase");
}

TEST(Progress, MoreRolesThanAStateHolds) {
  // Each has a barrier of its own, so no two are one role.
  Kernel kernel;
  kernel.barrier(0, {32});
  for (unsigned warp = 0; warp != 32; ++warp)
    kernel.barrier(8 + 8 * warp, {1})
        .warp(warp, {arrive(0), arrive(8 + 8 * warp)});
  EXPECT_EQ(kernel.prove().why, "there are more than 31 roles");
}

static Step sync(int64_t number, int64_t threads) {
  return {Step::Kind::Sync, {0, number}, threads};
}

/// Two warps that come to a barrier of the CTA once.
static Kernel makeSync(const Step &one, const Step &other) {
  Kernel kernel = makeRing();
  kernel.claims.paths.clear();
  for (auto [warp, step] : {std::pair(0u, one), std::pair(1u, other)}) {
    auto paths = std::make_shared<Paths>();
    unsigned at = paths->append(0, step, 10 * warp + 1, ~0u, ~0u);
    paths->end(at, ~0u);
    kernel.claims.paths[{0, warp}] = paths;
  }
  return kernel;
}

TEST(Progress, WarpsSynchronize) {
  EXPECT_TRUE(makeSync(sync(0, 0), sync(0, 0)).prove().isUnconditional());
  EXPECT_TRUE(makeSync(sync(1, 64), sync(1, 64)).prove().isUnconditional());
  EXPECT_TRUE(makeSync(sync(1, 32), sync(2, 32)).prove().isUnconditional());
}

TEST(Progress, WarpsAtDifferentBarriers) {
  EXPECT_EQ(makeSync(sync(1, 64), sync(2, 64)).prove().why,
            "warp 0 in line 1 waits for others, where no other warp arrives");
}

TEST(Progress, MoreThreadsThanTheBarrierIsFor) {
  EXPECT_EQ(makeSync(sync(1, 32), sync(1, 32)).prove().why,
            "more than 32 threads may come to barrier 1");
}

TEST(Progress, FewerThreadsThanTheBarrierIsFor) {
  EXPECT_EQ(makeSync(sync(1, 96), sync(1, 96)).prove().why,
            "warp 0 in line 1 waits for others, where no other warp arrives");
}

/// The producer goes round with one condition, the consumer with another.
static Progress proveWithDecisions(int64_t one, int64_t other) {
  Kernel kernel = makeRing();
  kernel.claims.decisions = {{"while lt.s32 {0,+,1} n", false},
                             {"while lt.s32 {0,+,1} m", false}};
  auto add = [&](unsigned warp, int64_t decision, std::vector<Step> steps) {
    auto paths = std::make_shared<Paths>();
    auto decide = [&](int64_t value) {
      return Step{Step::Kind::Decide, {}, 2 * decision + value};
    };
    unsigned at = 0;
    // One round for each parity.
    for (size_t i = 0; i != steps.size(); i += 2) {
      paths->end(paths->append(at, decide(0), 10 * warp + 1, 1, 1), 1);
      at = paths->append(at, decide(1), 10 * warp + 1, 1, 1);
      at = paths->append(at, steps[i], 10 * warp + 2, 1, 1);
      at = paths->append(at, steps[i + 1], 10 * warp + 3, 1, 1);
    }
    paths->connect(at, 0, 1);
    kernel.claims.paths[{0, warp}] = paths;
  };
  add(0, one, {wait(8, 1), arrive(0), wait(8, 0), arrive(0)});
  add(1, other, {wait(0, 0), arrive(8), wait(0, 1), arrive(8)});
  return kernel.prove();
}

TEST(Progress, LoopsOfTheSameCondition) {
  Progress progress = proveWithDecisions(0, 0);
  EXPECT_TRUE(progress.isUnconditional()) << describe(progress);
}

TEST(Progress, LoopsOfDifferentConditions) {
  Progress progress = proveWithDecisions(0, 1);
  EXPECT_EQ(describe(progress).substr(0, 53),
            "proved if warps loop equally often (lines 2, 12); 2 r");
}

TEST(Progress, UseBeforeItIsSetUp) {
  Kernel kernel = makeRing();
  auto paths = std::make_shared<Paths>();
  paths->end(paths->append(0, {Step::Kind::Init, {0, 8}, 1}, 21, 1, 1), 1);
  kernel.claims.paths[{0, 2}] = paths;
  EXPECT_EQ(kernel.prove().why,
            "warp 0 in line 1 may wait for byte 8 before it is set up");
}

TEST(Progress, AWaitThatComesTooLate) {
  // No warp waits for warp 1, which may find the next phase over, too.
  Kernel kernel = Kernel().barrier(0, {1});
  kernel.warp(0, {arrive(0), wait(0, 0), arrive(0), wait(0, 1)});
  kernel.warp(1, {wait(0, 0), wait(0, 1)});
  EXPECT_EQ(kernel.prove().why,
            "warp 1 may wait for a phase of byte 0 when the next one is over");
}

/// Two warps that do these steps once; one lane does what lanes do on their
/// own.
static std::string whyNot(const std::vector<Step> &one,
                          const std::vector<Step> &other) {
  Kernel kernel = makeRing();
  kernel.claims.paths.clear();
  for (auto &[warp, steps] : {std::pair(0u, one), std::pair(1u, other)}) {
    auto paths = std::make_shared<Paths>();
    unsigned at = 0;
    for (const Step &step : steps) {
      bool isAlone = step.kind != Step::Kind::Come && step.gives();
      at = paths->append(at, step, 10 * warp + 1, ~0u, isAlone ? 1 : ~0u);
    }
    paths->end(at, ~0u);
    kernel.claims.paths[{0, warp}] = paths;
  }
  return kernel.prove().why;
}

TEST(Progress, SetUpTwice) {
  Step init = {Step::Kind::Init, {0, 8}, 1};
  EXPECT_EQ(whyNot({init}, {init}),
            "warp 0 in line 1 sets up byte 8, which is set up already");
}

TEST(Progress, InvalidatedTooEarly) {
  EXPECT_EQ(whyNot({{Step::Kind::Init, {0, 8}, 1},
                    sync(0, 0),
                    {Step::Kind::Invalidate, {0, 8}, 0}},
                   {sync(0, 0), wait(8, 1)}),
            "warp 0 in line 1 invalidates byte 8, which may still be used");
}

TEST(Progress, ABarrierThatOthersHaveNotLeft) {
  Step come = {Step::Kind::Come, {0, 1}, 64};
  EXPECT_EQ(whyNot({come, come}, {sync(1, 64), sync(1, 64)}),
            "warp 0 in line 1 may come to barrier 1 before others have left "
            "it");
}

TEST(Progress, ABarrierForTwoNumbersOfThreads) {
  EXPECT_EQ(whyNot({sync(1, 64)}, {sync(1, 96)}),
            "warp 1 in line 11 comes to barrier 1 for another number of "
            "threads than those that wait there");
}

TEST(Progress, TheClustersBarrierOutOfTurn) {
  Step arrival = {Step::Kind::ClusterArrive, {}, 0};
  Step wait = {Step::Kind::ClusterWait, {}, 0};
  EXPECT_EQ(whyNot({arrival, arrival}, {arrival, wait}),
            "warp 0 in line 1 may arrive at the cluster's barrier twice");
  EXPECT_EQ(whyNot({wait}, {arrival, wait}),
            "warp 0 in line 1 may wait for the cluster without an arrival");
}

TEST(Progress, ThreadsThatAreNoWholeWarps) {
  Kernel kernel = makeRing();
  kernel.claims.threads = 40;
  EXPECT_EQ(kernel.prove().why, "40 threads are no whole number of warps");
}

TEST(Progress, WarpsThatAreFarApart) {
  // The first one may come to its loop any number of times before the second
  // comes to its own.
  Kernel kernel = Kernel().barrier(0, {1});
  kernel.claims.decisions = {{"while lt.s32 {0,+,1} n", false}};
  auto decide = [](int64_t value) {
    return Step{Step::Kind::Decide, {}, value};
  };
  auto first = std::make_shared<Paths>();
  first->connect(first->append(0, decide(1), 1, 1, 1), 0, 1);
  unsigned left = first->append(0, decide(0), 1, 1, 1);
  first->connect(left, 0, 1);
  first->end(first->append(left, arrive(0), 2, 1, 1), 1);
  auto second = std::make_shared<Paths>();
  unsigned loop = second->append(0, wait(0, 0), 11, 1, 1);
  second->connect(second->append(loop, decide(1), 12, 1, 1), loop, 1);
  second->end(second->append(loop, decide(0), 12, 1, 1), 1);
  kernel.claims.paths[{0, 0}] = first;
  kernel.claims.paths[{0, 1}] = second;
  EXPECT_EQ(kernel.prove().why, "warps may be more than 60 iterations apart");
}
