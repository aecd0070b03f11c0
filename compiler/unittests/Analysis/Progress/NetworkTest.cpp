//===- NetworkTest.cpp - Mistakes in networks, and their text -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Progress/Network.h"
#include "gtest/gtest.h"

using namespace drawloom::progress;

namespace {
class NetworkTest : public ::testing::Test {
protected:
  NetworkTest() {
    items = n.addSize({.name = "items"});
    k = n.addSize({.name = "k", .perItemOf = items});
    a = n.addRole({.name = "a"});
    b = n.addRole({.name = "b"});
    p = n.addPipe({.name = "p",
                   .slots = Count::constant(2),
                   .producer = a,
                   .consumers = {{.role = b}}});
    n.roles[a].body = {forEachItem(items, {loop(Count::of(k), {produce(p)})})};
    n.roles[b].body = {
        forEachItem(items, {loop(Count::of(k), {consume({p})})})};
  }
  void expect(const char *mistake) {
    EXPECT_EQ(findMistake(n).value_or("no mistake"), mistake);
  }

  Network n;
  SizeId items, k;
  RoleId a, b;
  PipeId p;
};
} // namespace

TEST_F(NetworkTest, NoMistake) { expect("no mistake"); }

TEST_F(NetworkTest, Sizes) {
  n.sizes[k].min = 3;
  n.sizes[k].max = 2;
  expect("size 'k' has no values");
  n.sizes[k] = {.name = "k", .perItemOf = 9};
  expect("size 'k' belongs to an unknown stream");
  n.sizes[k] = {.name = "k", .perItemOf = k};
  expect("size 'k' belongs to 'k', which is no stream");
}

TEST_F(NetworkTest, Slots) {
  n.pipes[p].slots = Count::constant(0);
  expect("pipe 'p' has 0 slots; it needs at least one");
  n.pipes[p].slots = Count::of(items);
  expect("pipe 'p' needs at least one slot, the same number always; size "
         "'items' may be less or change");
  n.pipes[p].slots = Count::of(17);
  expect("pipe 'p' has an unknown number of slots");
}

TEST_F(NetworkTest, Ends) {
  n.pipes[p].producer = 9;
  expect("pipe 'p' has no producer");
  n.pipes[p].producer = a;
  n.pipes[p].consumers = {};
  expect("pipe 'p' has no consumer");
  n.pipes[p].consumers = {{.role = 9}};
  expect("pipe 'p' has an unknown consumer");
  n.pipes[p].consumers = {{.role = b}, {.role = b}};
  expect("pipe 'p' has the consumer @b twice");
  n.pipes[p].consumers = {{.role = b, .every = 2, .from = 2}};
  expect("pipe 'p' gives a consumer every 2 from 2 items");
  n.pipes[p].consumers = {{.role = a}};
  expect("role @b: consumes from pipe 'p' without being one of its consumers");
  n.pipes[p].consumers.assign(17, {.role = b});
  expect("pipe 'p' has 17 consumers; at most 16 are supported");
}

TEST_F(NetworkTest, Scopes) {
  n.roles[b].body = {produce(p, {}, 0, {}, "k.mlir:4")};
  expect("role @b at k.mlir:4: produces into pipe 'p', whose producer is @a");
  n.roles[b].body = {consume({p}, {consume({p})})};
  expect("role @b: consumes from pipe 'p' inside a consume of the same pipe");
  n.roles[b].body = {consume({})};
  expect("role @b: a consume without a pipe");
  n.roles[b].body = {consume({4})};
  expect("role @b: consumes from an unknown pipe");
  n.roles[b].body = {consume({p}, {}, -1)};
  expect("role @b: a consume with a negative lag");
  n.roles[a].body = {produce(p, {produce(p)})};
  expect("role @a: produces into pipe 'p' inside a produce of the same pipe");
  n.roles[a].body = {produce(p, {}, 0, {.announced = -16})};
  expect("role @a: a produce with a negative number");
  n.roles[a].body = {produce(
      p, {}, 0, {.announced = 9, .copies = {1, 1, 1, 1, 1, 1, 1, 1, 1}})};
  expect("role @a: a produce with more than 8 copies");
}

TEST_F(NetworkTest, Loops) {
  n.roles[a].body = {loop(Count::of(k), {produce(p)})};
  expect("role @a: size 'k' differs between work tiles, but the loop is not in "
         "the loop over 'items'");
  n.roles[a].body = {loop(Count::of(9), {})};
  expect("role @a: a loop over an unknown size");
  n.roles[a].body = {loop(Count::constant(-1), {})};
  expect("role @a: a loop with -1 trips");
  n.roles[a].body = {forEachItem(k, {})};
  expect("role @a: the items of an unknown stream");
  n.roles[a].body = {forEachItem(items, {forEachItem(items, {})})};
  expect("role @a: an item loop inside another");
}

TEST_F(NetworkTest, Items) {
  n.roles[a].body = {onItems(2, 0, {})};
  expect("role @a: 'on items' outside an item loop");
  n.roles[a].body = {forEachItem(items, {onItems(2, 2, {})})};
  expect("role @a: every 2 from 2 items");
  n.roles[a].body = {forEachItem(items, {onItems(2, 0, {onItems(2, 0, {})})})};
  expect("role @a: 'on items' inside another");
  n.pipes[p].consumers[0].every = 2;
  n.roles[a].body = {produce(p)};
  expect("role @a: pipe 'p' divides the work tiles, but is filled outside "
         "them");
  n.roles[a].body = {};
  expect("role @b: consumes from pipe 'p' for other items than every 2 from 0");
  SizeId other = n.addSize({.name = "others"});
  n.roles[a].body = {forEachItem(items, {produce(p)})};
  n.roles[b].body = {forEachItem(other, {onItems(2, 0, {consume({p})})})};
  expect("role @b: pipe 'p' divides two streams");
}

TEST_F(NetworkTest, BarriersAndPools) {
  n.roles[a].body = {arriveAt(0)};
  expect("role @a: arrives at an unknown barrier");
  n.roles[a].body = {waitAt(0)};
  expect("role @a: waits at an unknown barrier");
  n.addBarrier({.name = "sync", .warps = 1});
  expect("role @a waits at barrier 'sync' and never arrives there");
  n.roles[a].body = {take(0, 1)};
  expect("role @a: an unknown pool");
  n.roles[a].body = {relinquish(0)};
  expect("role @a: an unknown pool");
  n.addPool({.name = "registers", .available = 0});
  n.roles[a].body = {take(0, -1)};
  expect("role @a: a negative amount of registers");
  n.roles[a].body = {};
  n.roles[a].warps = 0;
  expect("role @a has no warps");
}

TEST_F(NetworkTest, RolesForAllCtas) {
  n.ctas = 2;
  expect("no mistake");
  n.roles[b].leads = true;
  expect("pipe 'p' goes from @a to @b, of which one acts in the first CTA "
         "only, and is not shared");
  n.pipes[p].shared = true;
  expect("no mistake");
  n.addBarrier({.name = "sync", .warps = 1});
  n.roles[b].body = {arriveAt(0)};
  expect("role @b: a barrier of every CTA, but it acts in the first one only");
  n.addPool({.name = "registers", .available = 0});
  n.roles[b].body = {give(0, 8)};
  expect("role @b: a pool of every CTA, but it acts in the first one only");
}

TEST_F(NetworkTest, PrintCluster) {
  n.ctas = 2;
  n.roles[b].leads = true;
  n.roles[a].body = n.roles[b].body = {};
  n.pipes[p].shared = true;
  n.pipes[p].awaited = false;
  std::string text;
  llvm::raw_string_ostream os(text);
  print(n, os);
  EXPECT_EQ(text, R"(cluster of 2 CTAs
size items from 0
size k from 0 for each of items
pipe p slots 2: @a -> @b shared not awaited
role @a on 1 warp
role @b on 1 warp of the first CTA
)");
}

TEST_F(NetworkTest, Print) {
  n.addBarrier({.name = "sync", .warps = 5});
  n.addPool({.name = "columns", .available = 512, .shared = true});
  n.roles[b].warps = 4;
  n.pipes[p].consumers[0].arrival = Arrival::leaderAfterBarrier;
  n.roles[a].body = {
      take(0, 512, true),
      relinquish(0),
      launchWait(),
      launchDependents(),
      forEachItem(
          items,
          {loop(Count::of(k, -1),
                {produce(p, {}, 1, {.announced = 48, .copies = {16, 32}})}),
           onItems(2, 1, {arriveAt(0), waitAt(0)})}),
      give(0, 512, true)};
  std::string text;
  llvm::raw_string_ostream os(text);
  print(n, os);
  EXPECT_EQ(text, R"(size items from 0
size k from 0 for each of items
pipe p slots 2: @a -> @b leader-after-barrier
barrier sync of 5 warps
pool columns with 512 shared
role @a on 1 warp
  take 512 columns by one warp
  relinquish columns
  launch wait
  launch dependents
  for each of items
    loop k - 1
      produce p lag 1 bytes 48 of 16+32
    every 2 from 1
      arrive sync
      wait sync
  give 512 columns by one warp
role @b on 4 warps
  for each of items
    loop k
      consume p
)");
}
