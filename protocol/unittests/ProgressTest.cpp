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

TEST(Progress, CountThatNobodyReaches) {
  EXPECT_EQ(makeRing().barrier(8, {2}).prove().why,
            "the mbarrier at byte 8 has a count of 2, and roles that arrive "
            "there have 1 arrivals");
}

TEST(Progress, ArrivalsOfDifferentCounts) {
  Kernel kernel = makeRing();
  kernel.warp(1, {wait(0, 0), arrive(8), wait(0, 1), arrive(8, 2)});
  EXPECT_EQ(kernel.prove().why, "warp 1 arrives at the mbarrier at byte 8 with "
                                "different counts");
}

TEST(Progress, MoreRolesThanAStateHolds) {
  // Each has a barrier of its own, so no two are one role.
  Kernel kernel;
  kernel.barrier(0, {16});
  for (unsigned warp = 0; warp != 16; ++warp)
    kernel.barrier(8 + 8 * warp, {1})
        .warp(warp, {arrive(0), arrive(8 + 8 * warp)});
  EXPECT_EQ(kernel.prove().why, "more than 15 roles arrive at one mbarrier");
}
