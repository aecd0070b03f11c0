//===- SideConditionTest.cpp - Every rule and its words -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plans.h"
#include "drawloom/Analysis/Progress/SideConditions.h"
#include "gtest/gtest.h"

using namespace drawloom::progress;
using namespace drawloom::progress::test;

namespace {
/// Two roles and a pipe, to be bent.
class SideConditionTest : public ::testing::Test {
protected:
  SideConditionTest() {
    a = n.addRole({.name = "a"});
    b = n.addRole({.name = "b"});
    p = n.addPipe({.name = "p",
                   .slots = Count::constant(2),
                   .producer = a,
                   .consumers = {{.role = b}},
                   .location = "k.mlir:3"});
    n.roles[a].body = {produce(p)};
    n.roles[b].body = {consume({p})};
  }

  void expectOne(Breach::Rule rule, const std::string &message) {
    ASSERT_EQ(findMistake(n), std::nullopt);
    std::vector<Breach> breaches = checkSideConditions(n);
    ASSERT_EQ(breaches.size(), 1u);
    EXPECT_EQ(breaches[0].rule, rule);
    EXPECT_EQ(breaches[0].message, message);
    EXPECT_EQ(prove(n).kind, Verdict::Kind::undecided);
  }
  void expectNone() {
    ASSERT_EQ(findMistake(n), std::nullopt);
    EXPECT_TRUE(checkSideConditions(n).empty());
  }

  Network n;
  RoleId a, b;
  PipeId p;
};

using Rule = Breach::Rule;
} // namespace

TEST_F(SideConditionTest, None) { expectNone(); }

TEST_F(SideConditionTest, EveryWaiterArrives) {
  n.roles[a].warps = 4;
  n.pipes[p].arrival = Arrival::leaderAlone;
  expectOne(Rule::everyWaiterArrives,
            "pipe 'p': 4 warps of @a wait for a slot, and one of them fills it "
            "for all without a barrier among them; a slow warp can miss two "
            "phases and deadlock. Let every warp arrive, or put a barrier of "
            "the role before the arrival");
  n.pipes[p].arrival = Arrival::leaderAfterBarrier;
  expectNone();
}

TEST_F(SideConditionTest, SameArrivalsEachUse) {
  SizeId items = n.addSize({.name = "items"});
  n.pipes[p].consumers[0].every = 2;
  n.roles[a].body = {forEachItem(items, {produce(p)})};
  n.roles[b].body = {forEachItem(items, {onItems(2, 0, {consume({p})})})};
  expectOne(Rule::sameArrivalsEachUse,
            "pipe 'p': of every 2 items, 1 arrivals release a slot of item 0 "
            "and 0 one of item 1; the count of a barrier is fixed, so each "
            "item needs the same number, and at least one");
  // It is fine if the other items have no slot.
  n.roles[a].body = {forEachItem(items, {onItems(2, 0, {produce(p)})})};
  expectNone();
}

TEST_F(SideConditionTest, LongPeriods) {
  SizeId items = n.addSize({.name = "items"});
  int64_t every = int64_t(1) << 40;
  n.pipes[p].consumers[0].every = every;
  n.roles[a].body = {forEachItem(items, {produce(p)})};
  n.roles[b].body = {forEachItem(items, {onItems(every, 0, {consume({p})})})};
  expectOne(Rule::sameArrivalsEachUse,
            "pipe 'p': its consumers divide the items with a period above "
            "4096");
}

TEST_F(SideConditionTest, ArrivalsInRange) {
  n.roles[b].warps = maxBarrierCount + 1;
  expectOne(Rule::arrivalsInRange,
            "pipe 'p': 1048576 arrivals for one slot; an mbarrier counts up to "
            "1048575");
}

TEST_F(SideConditionTest, BytesInRange) {
  int64_t half = int64_t(1) << 19;
  n.roles[a].body = {
      produce(p, {}, 0, {.announced = 2 * half, .copies = {half, half}})};
  expectOne(Rule::bytesInRange,
            "pipe 'p': 1048576 bytes for one slot; an mbarrier counts up to "
            "1048575, so use smaller tiles or two pipes");
}

TEST_F(SideConditionTest, BarrierCountsWarps) {
  BarrierId barrier = n.addBarrier({.name = "sync", .warps = 4});
  n.roles[a].warps = 4;
  n.roles[a].body.push_back(arriveAt(barrier));
  n.roles[b].body.push_back(arriveAt(barrier));
  expectOne(Rule::barrierCountsWarps,
            "barrier 'sync' counts 4 warps, but 5 arrive (@a with 4, @b with "
            "1): its phase completes before all are there");
}

TEST_F(SideConditionTest, FewerArrivalsThanCountedIsADeadlock) {
  BarrierId barrier = n.addBarrier({.name = "sync", .warps = 8});
  for (RoleId role : {a, b}) {
    n.roles[role].body.push_back(arriveAt(barrier));
    n.roles[role].body.push_back(waitAt(barrier, "k.mlir:9"));
  }
  expectNone();
  EXPECT_EQ(verdictOf(n), "deadlock\n"
                          "deadlock with any sizes:\n"
                          "  @a waits for barrier 'sync' (phase 0), at "
                          "k.mlir:9\n"
                          "    the barrier counts 8 warps, 2 arrive\n");
}

TEST_F(SideConditionTest, PoolDecides) {
  // The second taker's share comes only after the first one has worked.
  PoolId pool = n.addPool({.name = "registers", .available = 8});
  RoleId c = n.addRole({.name = "c"});
  n.roles[a].body = {take(pool, 8), produce(p)};
  n.roles[b].body = {consume({p}), give(pool, 8)};
  n.roles[c].body = {take(pool, 8)};
  expectOne(
      Rule::poolDecides,
      "several roles take from registers: 16 in all, 8 are there before "
      "a warp waits, 16 later; which is first can matter. Give before the "
      "first wait");
  n.roles[b].body = {give(pool, 8), consume({p})};
  expectNone();
  EXPECT_EQ(verdictOf(n), "proved\n");
  // With less than that, a role waits forever in every order.
  n.roles[b].body = {give(pool, 4), consume({p})};
  expectNone();
  EXPECT_EQ(prove(n).kind, Verdict::Kind::deadlock);
}

TEST_F(SideConditionTest, PoolInALoop) {
  PoolId pool = n.addPool({.name = "registers", .available = 8});
  n.roles[a].body = {loop(Count::constant(2), {take(pool, 1)}), produce(p)};
  n.roles[b].body = {take(pool, 1), consume({p})};
  expectOne(Rule::poolDecides,
            "several roles take from registers, and @a does so in a loop; who "
            "is first can matter. Take once, before the loops");
}

TEST_F(SideConditionTest, StaysForPeers) {
  n.ctas = 4;
  n.pipes[p].shared = true;
  n.pipes[p].awaited = false;
  expectOne(Rule::staysForPeers,
            "pipe 'p': 4 CTAs release its slots, and @a does not wait for the "
            "last ones; they would come to a CTA that has left. Wait for all "
            "slots at the end of @a");
  n.pipes[p].awaited = true;
  expectNone();
}

TEST_F(SideConditionTest, NoTakeAfterRelinquish) {
  PoolId pool = n.addPool({.name = "tensor memory", .available = 512});
  n.roles[a].body = {take(pool, 256, true), relinquish(pool), produce(p),
                     take(pool, 128, true)};
  expectOne(Rule::noTakeAfterRelinquish,
            "@a can take from tensor memory after @a has given up the right "
            "to; relinquish after the last take, in the same role");
  n.roles[a].body = {take(pool, 256, true), relinquish(pool), produce(p),
                     give(pool, 256, true)};
  expectNone();
}

TEST_F(SideConditionTest, TakesOnceFromSharedPool) {
  PoolId pool =
      n.addPool({.name = "tensor memory", .available = 512, .shared = true});
  n.roles[a].body = {take(pool, 128, true), take(pool, 128, true), produce(p)};
  expectOne(Rule::takesOnceFromSharedPool,
            "@a takes from tensor memory more than once; while it holds some, "
            "another CTA that does the same can hold the rest. Take all at "
            "once");
  n.roles[a].body = {take(pool, 256, true), produce(p), give(pool, 256, true)};
  expectNone();
  EXPECT_EQ(verdictOf(n),
            "proved\nassumes that other CTAs release what they hold "
            "of tensor memory\n");
}

TEST_F(SideConditionTest, NoTakeBeforeLaunchWait) {
  PoolId pool =
      n.addPool({.name = "tensor memory", .available = 512, .shared = true});
  n.roles[a].body = {launchDependents(), take(pool, 512, true), launchWait(),
                     produce(p)};
  expectOne(Rule::noTakeBeforeLaunchWait,
            "@a takes from tensor memory before the launch wait of @a, and @a "
            "lets the dependents start before that take; the dependent kernel "
            "can then hold what this one needs. Let them start after the "
            "take, in the same role");
  n.roles[a].body = {take(pool, 512, true), launchDependents(), launchWait(),
                     produce(p), give(pool, 512, true)};
  expectNone();
  EXPECT_EQ(verdictOf(n),
            "proved\n"
            "assumes that the launch wait of @a returns: the grids before this "
            "one end\n"
            "assumes that other CTAs release what they hold of tensor "
            "memory\n");
}

TEST_F(SideConditionTest, TensorMemoryThatIsHeld) {
  // One taker: it waits for what it releases itself only later.
  PoolId pool = n.addPool({.name = "tensor memory", .available = 512});
  n.roles[a].body = {take(pool, 512, true), produce(p),
                     take(pool, 256, true, "k.mlir:8"), give(pool, 512, true)};
  expectNone();
  EXPECT_EQ(verdictOf(n), "deadlock\n"
                          "deadlock with any sizes:\n"
                          "  @a waits for tensor memory, at k.mlir:8\n"
                          "    asks for 256, 0 are free\n");
}
