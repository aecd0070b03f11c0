//===- ConditionTest.cpp - Conditions on sizes ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BarrierExplorer.h"
#include "Plans.h"
#include "gtest/gtest.h"

using namespace drawloom::progress;
using namespace drawloom::progress::test;

namespace {
/// One role fills two pipes, another one empties them in the other order.
struct Crossed {
  Crossed(Count slots, bool perItem = false) {
    if (perItem)
      items = n.addSize({.name = "items"});
    k = n.addSize({.name = "k", .perItemOf = items});
    RoleId load = n.addRole({.name = "load"}), use = n.addRole({.name = "use"});
    if (slots.size)
      slots.size = n.addSize({.name = "slots", .min = 1});
    PipeId a = n.addPipe({.name = "a",
                          .slots = slots,
                          .producer = load,
                          .consumers = {{.role = use}}});
    PipeId b = n.addPipe({.name = "b",
                          .slots = Count::constant(1),
                          .producer = load,
                          .consumers = {{.role = use}}});
    Body fill = {loop(Count::of(k), {produce(a, {}, 0, {}, "k:1")}),
                 produce(b, {}, 0, {}, "k:2")};
    Body empty = {consume({b}, {}, 0, "k:3"),
                  loop(Count::of(k), {consume({a}, {}, 0, "k:4")})};
    n.roles[load].body = items ? Body{forEachItem(*items, fill)} : fill;
    n.roles[use].body = items ? Body{forEachItem(*items, empty)} : empty;
  }

  Network n;
  std::optional<SizeId> items;
  SizeId k;
};
} // namespace

TEST(ConditionTest, TripCountAgainstConstantSlots) {
  Network n = Crossed(Count::constant(4)).n;
  EXPECT_EQ(verdictOf(n),
            "proved if k <= 4\n"
            "deadlock with k = 5:\n"
            "  @load waits for slot 0 of 'a' to be empty (phase 0), at k:1\n"
            "    @use must release it\n"
            "  @use waits for slot 0 of 'b' to be full (phase 0), at k:3\n"
            "    @load must fill it\n");
  for (int64_t trips : {0, 1, 3, 4, 5, 50})
    EXPECT_EQ(!run(n, {{{trips}}}), trips <= 4) << trips;
}

TEST(ConditionTest, TripCountAgainstSymbolicSlots) {
  Network n = Crossed(Count::of(0)).n;
  Verdict verdict = prove(n);
  EXPECT_EQ(verdict.kind, Verdict::Kind::provedIf);
  EXPECT_TRUE(verdict.exact);
  EXPECT_EQ(verdict.words,
            "(k <= 4 and slots of 'a' >= 4) or (k <= 3 and slots of 'a' >= 3) "
            "or (k <= 2 and slots of 'a' >= 2) or k <= 1");
  // Sufficient everywhere, exact as far as the grid of slots reaches.
  for (int64_t k = 0; k < 12; ++k)
    for (int64_t slots = 1; slots < 12; ++slots) {
      bool admitted = verdict.condition.admits(n, {{{k}, {slots}}});
      EXPECT_EQ(!run(n, {{{k}, {slots}}}), k <= slots);
      if (slots <= 4)
        EXPECT_EQ(admitted, k <= slots) << k << " " << slots;
      else
        EXPECT_TRUE(!admitted || k <= slots);
    }
}

TEST(ConditionTest, EveryItemCounts) {
  Network n = Crossed(Count::constant(2), /*perItem=*/true).n;
  Verdict verdict = prove(n);
  EXPECT_EQ(verdict.words, "k <= 2 in every work tile");
  EXPECT_TRUE(verdict.condition.admits(n, {{{3}, {0, 2, 1}}}));
  EXPECT_FALSE(verdict.condition.admits(n, {{{3}, {0, 3, 1}}}));
  // Items that don't exist don't count.
  EXPECT_TRUE(verdict.condition.admits(n, {{{1}, {0, 3, 1}}}));
  ASSERT_TRUE(verdict.failure);
  EXPECT_EQ(describe(n, verdict.failure->sizes), "items = 1, k = 3");
}

TEST(ConditionTest, ItemsThatDiffer) {
  // Two roles take turns with one ring. Items with the same k may succeed where
  // items that differ do not, so each k is a box of its own.
  Network n = pingPong(PingPong::sharedRing);
  Verdict verdict = prove(n);
  EXPECT_EQ(verdict.words,
            "k = 1 in every work tile or k = 2 in every work tile");
  EXPECT_FALSE(run(n, {{{8}, {1}}}));
  EXPECT_FALSE(run(n, {{{8}, {2}}}));
  EXPECT_TRUE(run(n, {{{8}, {2, 1, 1, 1, 1, 1, 1, 1}}}));
}

TEST(ConditionTest, ConditionWithTwoWaysOut) {
  // Enough slots, or a short loop.
  Network n;
  SizeId k = n.addSize({.name = "k"});
  SizeId slots = n.addSize({.name = "slots", .min = 1});
  RoleId a = n.addRole({.name = "a"}), b = n.addRole({.name = "b"});
  PipeId p = n.addPipe({.name = "p",
                        .slots = Count::of(slots),
                        .producer = a,
                        .consumers = {{.role = b}}});
  n.roles[a].body = {loop(Count::of(k), {produce(p)})};
  n.roles[b].body = {loop(Count::of(k), {consume({p}, {}, /*lag=*/1)})};
  Verdict verdict = prove(n);
  EXPECT_EQ(verdict.words, "slots of 'p' >= 2 or k <= 1");
  EXPECT_TRUE(verdict.exact);
  for (int64_t trips : {0, 1, 2, 3, 100})
    for (int64_t count : {1, 2, 3, 100})
      EXPECT_EQ(verdict.condition.admits(n, {{{trips}, {count}}}),
                !run(n, {{{trips}, {count}}}));
}

TEST(ConditionTest, NoConditionOnTheNumberOfItemsAlone) {
  // A slot is lost with each item: it works twice.
  Network n;
  SizeId items = n.addSize({.name = "items"});
  RoleId a = n.addRole({.name = "a"}), b = n.addRole({.name = "b"});
  PipeId p = n.addPipe({.name = "p",
                        .slots = Count::constant(2),
                        .producer = a,
                        .consumers = {{.role = b}}});
  n.roles[a].body = {forEachItem(items, {produce(p)})};
  n.roles[b].body = {loop(Count::constant(1), {consume({p})})};
  Verdict verdict = prove(n);
  EXPECT_EQ(verdict.kind, Verdict::Kind::deadlock);
}

TEST(ConditionTest, ShapesThatAreKnown) {
  // A long loop with a constant trip count is proved without counting to it.
  Network n = blackwellMultiRole();
  n.sizes[1].min = n.sizes[1].max = 4096;
  EXPECT_EQ(verdictOf(n), "proved\n");
  Network constant;
  RoleId a = constant.addRole({.name = "a"}),
         b = constant.addRole({.name = "b"});
  PipeId p = constant.addPipe({.name = "p",
                               .slots = Count::constant(2),
                               .producer = a,
                               .consumers = {{.role = b}}});
  Count trips = Count::constant(1000000);
  constant.roles[a].body = {loop(trips, {produce(p)})};
  constant.roles[b].body = {loop(trips, {consume({p}, {}, 1)})};
  Verdict verdict = prove(constant);
  EXPECT_EQ(verdict.kind, Verdict::Kind::proved);
  EXPECT_LT(verdict.states, 200u);
}

TEST(ConditionTest, KnownCountsAroundUnknownOnes) {
  // Three pipes, each filled by a role of its own and emptied by one after the
  // other. With the 8 remembered, the k of each round would have to be as well.
  Network n;
  SizeId items = n.addSize({.name = "items"}), k = n.addSize({.name = "k"});
  RoleId use = n.addRole({.name = "use"});
  Body empty;
  for (const char *name : {"a", "b", "c"}) {
    RoleId load = n.addRole({.name = name});
    PipeId p = n.addPipe({.name = name,
                          .slots = Count::constant(2),
                          .producer = load,
                          .consumers = {{.role = use}}});
    auto walk = [&](Step step) {
      return loop(Count::constant(8), {loop(Count::of(k), {step})});
    };
    n.roles[load].body = {forEachItem(items, {walk(produce(p))})};
    empty.push_back(walk(consume({p})));
  }
  n.roles[use].body = {forEachItem(items, empty)};
  EXPECT_EQ(prove(n).kind, Verdict::Kind::proved);
}

TEST(ConditionTest, AFailureThatTakesTooLongToReach) {
  // The last of 10^12 slots is not consumed: there is no proof, and no time to
  // run it.
  Network n;
  RoleId a = n.addRole({.name = "a"}), b = n.addRole({.name = "b"});
  PipeId p = n.addPipe({.name = "p",
                        .slots = Count::constant(2),
                        .producer = a,
                        .consumers = {{.role = b}}});
  n.roles[a].body = {loop(Count::constant(1'000'000'000'000), {produce(p)})};
  n.roles[b].body = {loop(Count::constant(999'999'999'999), {consume({p})})};
  Verdict verdict = prove(n);
  EXPECT_EQ(verdict.kind, Verdict::Kind::undecided);
  EXPECT_EQ(verdict.construct, "a trip count that is known to be above 64");
}

TEST(ConditionTest, UndecidedNamesTheConstruct) {
  // k^2 slots, produced by a loop in a loop and consumed the other way round
  // each time: the first k must be remembered forever.
  Network n;
  SizeId k = n.addSize({.name = "k"});
  RoleId a = n.addRole({.name = "a"}), b = n.addRole({.name = "b"});
  PipeId p = n.addPipe({.name = "p",
                        .slots = Count::constant(2),
                        .producer = a,
                        .consumers = {{.role = b}}});
  n.roles[a].body = {loop(Count::of(k), {produce(p)}),
                     loop(Count::of(k), {loop(Count::of(k), {produce(p)})})};
  n.roles[b].body = {loop(Count::of(k), {loop(Count::of(k), {consume({p})})}),
                     loop(Count::of(k), {consume({p})})};
  Verdict verdict = prove(n);
  EXPECT_EQ(verdict.kind, Verdict::Kind::undecided);
  EXPECT_EQ(verdict.construct, "the trip count 'k', which must be remembered "
                               "between the loops of @a and @b");
  // What could be proved is said.
  EXPECT_TRUE(verdict.condition.admits(n, {{{3}}}));
  EXPECT_FALSE(verdict.condition.admits(n, {{{300}}}));
}

TEST(ConditionTest, AMistakeIsUndecided) {
  Network n;
  RoleId a = n.addRole({.name = "a"});
  n.roles[a].body = {produce(7)};
  Verdict verdict = prove(n);
  EXPECT_EQ(verdict.kind, Verdict::Kind::undecided);
  EXPECT_EQ(verdict.construct, "role @a: produces into an unknown pipe");
}
