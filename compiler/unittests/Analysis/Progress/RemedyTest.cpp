//===- RemedyTest.cpp - What would make a network that hangs end ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Progress/Remedy.h"
#include "Plans.h"
#include "gtest/gtest.h"

using namespace drawloom::progress;
using namespace drawloom::progress::test;

/// Keys, then values, three of each; the other role takes them in turns and
/// keeps `lag` keys.
static Network keysFirst(int64_t slots, int64_t lag) {
  Network n;
  SizeId items = n.addSize({.name = "items"});
  RoleId load = n.addRole({.name = "load"});
  RoleId compute = n.addRole({.name = "compute", .warps = 4});
  auto pipe = [&](const char *name, int64_t slots) {
    return n.addPipe({.name = name,
                      .slots = Count::constant(slots),
                      .producer = load,
                      .consumers = {{.role = compute}}});
  };
  PipeId keys = pipe("keys", slots), values = pipe("values", 2);
  n.roles[load].body = {
      forEachItem(items, {loop(Count::constant(3), {produce(keys)}),
                          loop(Count::constant(3), {produce(values)})})};
  n.roles[compute].body = {
      forEachItem(items, {loop(Count::constant(3), {consume({keys}, {}, lag),
                                                    consume({values})})})};
  return n;
}

static std::string remediesOf(const Network &network) {
  Verdict verdict = prove(network);
  if (!verdict.failure)
    return "none needed";
  std::string text;
  for (const Remedy &remedy : findRemedies(network, *verdict.failure)) {
    text += network.pipes[remedy.pipe].name;
    text += remedy.kind == Remedy::Kind::slots ? ": slots " : ": lag ";
    text += std::to_string(remedy.value) + "; ";
  }
  return text;
}

TEST(RemedyTest, ASlotMoreOrALagLess) {
  EXPECT_EQ(remediesOf(keysFirst(2, 0)), "none needed");
  EXPECT_EQ(remediesOf(keysFirst(2, 1)), "keys: slots 3; keys: lag 0; ");
  EXPECT_EQ(remediesOf(keysFirst(1, 0)), "keys: slots 2; ");
}

TEST(RemedyTest, NothingHelps) {
  // The order is wrong: each role waits for the other to begin.
  Network n;
  SizeId k = n.addSize({.name = "k"});
  RoleId a = n.addRole({.name = "a"}), b = n.addRole({.name = "b"});
  PipeId there = n.addPipe({.name = "there",
                            .slots = Count::constant(1),
                            .producer = a,
                            .consumers = {{.role = b}}});
  PipeId back = n.addPipe({.name = "back",
                           .slots = Count::constant(1),
                           .producer = b,
                           .consumers = {{.role = a}}});
  n.roles[a].body = {loop(Count::of(k), {consume({back}), produce(there)})};
  n.roles[b].body = {loop(Count::of(k), {consume({there}), produce(back)})};
  EXPECT_EQ(remediesOf(n), "");
}
