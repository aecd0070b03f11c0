//===- ExplorerTest.cpp - What the explorer finds -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BarrierExplorer.h"
#include "drawloom/Analysis/Progress/Prove.h"
#include "gtest/gtest.h"

using namespace drawloom::progress;

namespace {
/// Two roles and a pipe.
struct Pair {
  explicit Pair(int64_t slots) {
    a = n.addRole({.name = "a"});
    b = n.addRole({.name = "b"});
    p = n.addPipe({.name = "p",
                   .slots = Count::constant(slots),
                   .producer = a,
                   .consumers = {{.role = b}}});
  }
  Network n;
  RoleId a, b;
  PipeId p;
};
} // namespace

TEST(ExplorerTest, EveryOrderOfSteps) {
  // Two producers of one step each that don't know each other: four states.
  Network n;
  PoolId pool = n.addPool({.name = "registers", .available = 0});
  for (const char *name : {"a", "b"})
    n.addRole({.name = name, .body = {give(pool, 8)}});
  Exploration found = explore(n, {});
  EXPECT_EQ(found.kind, Exploration::Kind::allSucceed);
  EXPECT_EQ(found.states, 4u);
}

TEST(ExplorerTest, OrderThatMatters) {
  // It depends on who takes first: if it is c, a waits forever. One order in
  // two fails, and the explorer must find it.
  Network n;
  PoolId pool = n.addPool({.name = "registers", .available = 8});
  RoleId a = n.addRole({.name = "a"}), b = n.addRole({.name = "b"});
  RoleId c = n.addRole({.name = "c"});
  PipeId p = n.addPipe({.name = "p",
                        .slots = Count::constant(1),
                        .producer = a,
                        .consumers = {{.role = b}}});
  n.roles[a].body = {take(pool, 8), produce(p)};
  n.roles[b].body = {consume({p}), give(pool, 8)};
  n.roles[c].body = {take(pool, 8)};
  Exploration found = explore(n, {}, {.trace = true});
  EXPECT_EQ(found.kind, Exploration::Kind::stuck);
  EXPECT_EQ(found.trace, std::vector<std::string>{"@c warp 0"});
}

TEST(ExplorerTest, Stuck) {
  Pair pair(1);
  pair.n.roles[pair.a].body = {produce(pair.p), produce(pair.p)};
  pair.n.roles[pair.b].body = {};
  Exploration found = explore(pair.n, {});
  ASSERT_EQ(found.kind, Exploration::Kind::stuck);
  ASSERT_EQ(found.blocked.size(), 1u);
  EXPECT_EQ(found.blocked[0].role, pair.a);
  EXPECT_EQ(found.blocked[0].kind, BlockedWarp::Kind::empty);
  EXPECT_EQ(found.blocked[0].index, 1);
}

TEST(ExplorerTest, Unconsumed) {
  Pair pair(2);
  pair.n.roles[pair.a].body = {produce(pair.p), produce(pair.p)};
  pair.n.roles[pair.b].body = {consume({pair.p})};
  EXPECT_EQ(explore(pair.n, {}).kind, Exploration::Kind::unconsumed);
  EXPECT_EQ(run(pair.n, {})->kind, Failure::Kind::unconsumed);
}

TEST(ExplorerTest, ArriveTwiceInAPhase) {
  Network n;
  BarrierId barrier = n.addBarrier({.name = "sync", .warps = 2});
  RoleId a = n.addRole({.name = "a"}), b = n.addRole({.name = "b"});
  n.roles[a].body = {arriveAt(barrier), arriveAt(barrier)};
  n.roles[b].body = {arriveAt(barrier), waitAt(barrier), arriveAt(barrier)};
  EXPECT_EQ(explore(n, {}).kind, Exploration::Kind::wrongPhase);
  std::optional<Failure> failure = run(n, {});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Failure::Kind::earlyArrive);
  std::string text;
  llvm::raw_string_ostream os(text);
  print(*failure, n, os);
  EXPECT_EQ(text, "early arrival with any sizes:\n"
                  "  @a can arrive twice in one phase of barrier 'sync'\n"
                  "    wait there before the next arrival\n");
  n.roles[a].body = {arriveAt(barrier), waitAt(barrier), arriveAt(barrier)};
  EXPECT_EQ(explore(n, {}).kind, Exploration::Kind::allSucceed);
  EXPECT_FALSE(run(n, {}));
}

TEST(ExplorerTest, TooLarge) {
  Pair pair(2);
  Count many = Count::constant(600);
  pair.n.roles[pair.a].body = {loop(many, {produce(pair.p)})};
  pair.n.roles[pair.b].body = {loop(many, {consume({pair.p})})};
  Exploration found = explore(pair.n, {});
  EXPECT_EQ(found.kind, Exploration::Kind::tooLarge);
  EXPECT_EQ(found.message, "more uses of a slot, or warps, than it counts");
  many = Count::constant(20);
  pair.n.roles[pair.a].body = {loop(many, {produce(pair.p)})};
  pair.n.roles[pair.b].body = {loop(many, {consume({pair.p})})};
  found = explore(pair.n, {}, {.states = 50});
  EXPECT_EQ(found.kind, Exploration::Kind::tooLarge);
  EXPECT_EQ(found.message, "more states than allowed");
}
