//===- PlanTest.cpp - Verdicts on known plans -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BarrierExplorer.h"
#include "Plans.h"
#include "drawloom/Analysis/Progress/SideConditions.h"
#include "gtest/gtest.h"

using namespace drawloom::progress;
using namespace drawloom::progress::test;

/// The same network with one warp for each role, which makes every order of its
/// steps feasible.
static Network withSingleWarps(Network network) {
  for (Role &role : network.roles)
    role.warps = 1;
  for (Barrier &barrier : network.barriers)
    barrier.warps = 2;
  return network;
}

/// Sizes 0, 1, around the slots, and many: the run agrees with the verdict
/// everywhere, and the explorer with both as far as it gets.
static void expectAgreement(const Network &plan) {
  Verdict verdict = prove(plan);
  Network network = withSingleWarps(plan);
  for (int64_t items : {0, 1, 2, 3, 9})
    for (int64_t k : {0, 1, 2, 3, 4, 5, 17}) {
      if (k < plan.sizes[1].min)
        continue;
      Sizes sizes{{{items}, {k}}};
      bool admitted = verdict.condition.admits(plan, sizes);
      EXPECT_EQ(admitted, !run(plan, sizes)) << describe(plan, sizes);
      Exploration found = explore(network, sizes, {.states = 30000});
      if (found.kind != Exploration::Kind::tooLarge)
        EXPECT_EQ(admitted, found.kind == Exploration::Kind::allSucceed)
            << describe(plan, sizes) << ": " << found.message;
    }
}

TEST(PlanTest, HopperSingleRole) {
  EXPECT_EQ(verdictOf(hopperSingleRole()), "proved\n");
  EXPECT_EQ(verdictOf(hopperSingleRole(2)), "proved\n");
  expectAgreement(hopperSingleRole(2));
}

TEST(PlanTest, LagNeedsASlotMore) {
  EXPECT_EQ(verdictOf(hopperSingleRole(1)),
            "proved if k <= 1\n"
            "deadlock with items = 1, k = 2:\n"
            "  @operand_load waits for slot 0 of 'operands' to be empty (phase "
            "0), work tile 0\n"
            "    @compute must release it\n"
            "  @compute waits for slot 0 of 'operands' to be full (phase 1), "
            "work tile 0\n"
            "    @operand_load must fill it\n");
  expectAgreement(hopperSingleRole(1));
}

TEST(PlanTest, HopperMultiRole) {
  EXPECT_EQ(verdictOf(hopperMultiRole()), "proved\n");
  EXPECT_EQ(verdictOf(hopperMultiRole(2, 1)), "proved\n");
  expectAgreement(hopperMultiRole(2, 1));
}

TEST(PlanTest, BlackwellMultiRole) {
  EXPECT_EQ(verdictOf(blackwellMultiRole()), "proved\n");
  EXPECT_EQ(verdictOf(blackwellMultiRole(1, 1, 1)), "proved\n");
  expectAgreement(blackwellMultiRole(2, 1, 1));
}

TEST(PlanTest, StagingHeldByItsOwnRole) {
  // One slot for the output: the epilogue waits for the slot that it itself
  // keeps back by its lag.
  Network n = blackwellMultiRole();
  n.pipes[3].slots = Count::constant(1);
  EXPECT_EQ(verdictOf(n),
            "deadlock\n"
            "deadlock with items = 1, k = 0:\n"
            "  @epilogue waits for slot 0 of 'output' to be empty (phase 0), "
            "work tile 0\n"
            "    @epilogue itself keeps it back\n");
}

TEST(PlanTest, PairWithDynamicItems) {
  EXPECT_EQ(verdictOf(blackwellPairDynamic()), "proved\n");
  EXPECT_EQ(verdictOf(blackwellPairDynamic(1, 1)), "proved\n");
}

TEST(PlanTest, AttentionIsACycleOfRoles) {
  EXPECT_EQ(verdictOf(attention()), "proved\n");
  EXPECT_EQ(verdictOf(attention(1, 1)), "proved\n");
  expectAgreement(attention(1, 1));
}

TEST(PlanTest, AttentionNeedsABlock) {
  EXPECT_EQ(verdictOf(attention(2, 2, /*leastBlocks=*/0)),
            "proved if blocks >= 1\n"
            "deadlock with items = 1, blocks = 0:\n"
            "  @mma waits for slot 0 of 'keys' to be full (phase 0), work tile "
            "0\n"
            "    @load must fill it, but has ended\n");
}

TEST(PlanTest, AttentionInTheWrongOrder) {
  // The second product is issued before the scores of its own block.
  Network n = attention();
  auto &items = std::get<ItemLoop>(n.roles[1].body[0].what);
  auto &query = std::get<Consume>(items.body[0].what);
  query.body = {loop(Count::of(1), {query.body[2], query.body[0]})};
  EXPECT_EQ(verdictOf(n),
            "deadlock\n"
            "deadlock with items = 1, blocks = 1:\n"
            "  @mma waits for slot 0 of 'probabilities' to be full (phase 0), "
            "work tile 0\n"
            "    @softmax must fill it\n"
            "  @softmax waits for slot 0 of 'scores' to be full (phase 0), "
            "work tile 0\n"
            "    @mma must fill it\n");
}

TEST(PlanTest, PingPongNeedsAnOrderOrTwoRings) {
  EXPECT_EQ(verdictOf(pingPong(PingPong::ringForEach)), "proved\n");
  EXPECT_EQ(verdictOf(pingPong(PingPong::orderedRing)), "proved\n");
  Network shared = pingPong(PingPong::sharedRing);
  Verdict verdict = prove(shared);
  ASSERT_TRUE(verdict.failure);
  EXPECT_EQ(verdict.failure->kind, Failure::Kind::earlyWait);
  // The parity lets the second role pass before its slot was ever filled for
  // it, and the explorer sees it pass.
  Exploration found = explore(withSingleWarps(shared), verdict.failure->sizes);
  EXPECT_EQ(found.kind, Exploration::Kind::wrongPhase) << found.message;
}

TEST(PlanTest, PingPongAgrees) {
  for (PingPong kind :
       {PingPong::sharedRing, PingPong::orderedRing, PingPong::ringForEach}) {
    Network n = withSingleWarps(pingPong(kind, /*slots=*/2));
    for (int64_t first : {0, 1, 2, 3})
      for (int64_t second : {0, 1, 2}) {
        Sizes sizes{{{3}, {first, second, 1}}};
        Exploration found = explore(n, sizes, {.states = 200000});
        ASSERT_NE(found.kind, Exploration::Kind::tooLarge);
        EXPECT_EQ(!run(n, sizes), found.kind == Exploration::Kind::allSucceed)
            << describe(n, sizes) << ": " << found.message;
      }
  }
}

TEST(PlanTest, GroupedProductWithADifferentKForEachItem) {
  Network n = blackwellMultiRole(3, 2, 2);
  n.sizes[1].perItemOf = 0;
  EXPECT_EQ(verdictOf(n), "proved\n");
}

TEST(PlanTest, ThreeRolesThatMakeARing) {
  // Each role passes to the next; the last one to the first. One slot is
  // enough, but a role must begin.
  auto ring = [](bool firstBegins) {
    Network n;
    SizeId k = n.addSize({.name = "k"});
    for (const char *name : {"a", "b", "c"})
      n.addRole({.name = name});
    for (RoleId role : {0, 1, 2})
      n.addPipe({.name = "p" + std::to_string(role),
                 .slots = Count::constant(1),
                 .producer = role,
                 .consumers = {{.role = (role + 1) % 3}}});
    for (RoleId role : {0, 1, 2}) {
      Body body = {consume({(role + 2) % 3}), produce(role)};
      if (role == 0 && firstBegins)
        std::swap(body[0], body[1]);
      n.roles[role].body = {loop(Count::of(k), body)};
    }
    return n;
  };
  EXPECT_EQ(verdictOf(ring(true)), "proved\n");
  Verdict verdict = prove(ring(false));
  ASSERT_TRUE(verdict.failure);
  EXPECT_EQ(verdict.kind, Verdict::Kind::deadlock);
  EXPECT_EQ(verdict.failure->slice.size(), 3u);
  EXPECT_EQ(verdict.failure->sizes.at(0), 1);
}

TEST(PlanTest, TripCountsAroundTheSlots) {
  // Two products share one operand, and each item has its own number of blocks:
  // none, one, around the number of slots, many.
  constexpr int64_t slots = 2;
  Network n;
  SizeId items = n.addSize({.name = "items"});
  SizeId k = n.addSize({.name = "k", .perItemOf = items});
  RoleId load = n.addRole({.name = "load"}), up = n.addRole({.name = "up"});
  RoleId gate = n.addRole({.name = "gate"}), join = n.addRole({.name = "join"});
  auto pipe = [&](const char *name, RoleId from, std::vector<Consumer> to) {
    return n.addPipe({.name = name,
                      .slots = Count::constant(slots),
                      .producer = from,
                      .consumers = std::move(to)});
  };
  PipeId shared = pipe("shared", load, {{.role = up}, {.role = gate}});
  PipeId first = pipe("first", up, {{.role = join}});
  PipeId second = pipe("second", gate, {{.role = join}});
  n.roles[load].body = {
      forEachItem(items, {loop(Count::of(k), {produce(shared)})})};
  n.roles[up].body = {forEachItem(
      items, {produce(first, {loop(Count::of(k), {consume({shared})})})})};
  n.roles[gate].body = {forEachItem(
      items,
      {produce(second, {loop(Count::of(k), {consume({shared}, {}, 1)})})})};
  n.roles[join].body = {forEachItem(items, {consume({first, second})})};
  EXPECT_EQ(verdictOf(n), "proved\n");
  const int64_t counts[] = {0, 1, slots - 1, slots, slots + 1, 9};
  for (int64_t a : counts)
    for (int64_t b : counts) {
      Sizes sizes{{{2}, {a, b}}};
      EXPECT_FALSE(run(n, sizes)) << describe(n, sizes);
      if (a + b <= 2 * slots)
        EXPECT_EQ(explore(n, sizes).kind, Exploration::Kind::allSucceed)
            << describe(n, sizes);
    }
}
