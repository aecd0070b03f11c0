//===- RefinementTest.cpp - A pair of mbarriers is a slot -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The protocol of one pipe, through every order of steps: in every state, a
// wait by parity passes exactly if the phase that it means is complete, and
// every arrival is counted in the phase that it means. Each barrier goes
// through its parity twice. Then the same without each of the side conditions,
// where the explorer must find the error.

#include "BarrierExplorer.h"
#include "drawloom/Analysis/Progress/SideConditions.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace drawloom::progress;

namespace {
struct Protocol {
  int64_t producerWarps = 1;
  std::vector<int64_t> consumerWarps = {1};
  int64_t slots = 1;
  Bytes bytes = {};
  Arrival produceArrival = Arrival::everyWarp;
  Arrival consumeArrival = Arrival::everyWarp;
  Engine produceEngine = Engine::warps;
  Engine consumeEngine = Engine::warps;
  int64_t lag = 0;
  int64_t ctas = 1;
  bool fromLeads = false, toLeads = false, awaited = true;

  /// Four uses of every slot, and the begin of a fifth.
  int64_t contents() const { return 4 * slots + 1; }

  Network network() const {
    Network n;
    n.ctas = ctas;
    RoleId from =
        n.addRole({.name = "from", .warps = producerWarps, .leads = fromLeads});
    Pipe pipe{.name = "p",
              .slots = Count::constant(slots),
              .producer = from,
              .consumers = {},
              .arrival = produceArrival,
              .engine = produceEngine,
              .shared = ctas > 1,
              .awaited = awaited};
    for (int64_t warps : consumerWarps)
      pipe.consumers.push_back(
          {.role = n.addRole({.name = "to", .warps = warps, .leads = toLeads}),
           .arrival = consumeArrival,
           .engine = consumeEngine});
    PipeId p = n.addPipe(pipe);
    Count trips = Count::constant(contents());
    n.roles[from].body = {loop(trips, {produce(p, {}, 0, bytes)})};
    for (RoleId to = 1; to < n.roles.size(); ++to)
      n.roles[to].body = {loop(trips, {consume({p}, {}, lag)})};
    return n;
  }
};
} // namespace

static void expectSlot(const Protocol &protocol) {
  Network n = protocol.network();
  ASSERT_TRUE(checkSideConditions(n).empty());
  Exploration found = explore(n, {});
  EXPECT_EQ(found.kind, Exploration::Kind::allSucceed)
      << found.message << " with " << protocol.producerWarps << " to "
      << protocol.consumerWarps.front() << " warps and " << protocol.slots
      << " slots";
}

static void expectBreach(const Network &n, Breach::Rule rule) {
  EXPECT_TRUE(llvm::any_of(checkSideConditions(n), [&](const Breach &breach) {
    return breach.rule == rule;
  }));
}

TEST(RefinementTest, SeveralWarpsOnEachSide) {
  for (int64_t producers : {1, 2, 3})
    for (std::vector<int64_t> consumers : std::vector<std::vector<int64_t>>{
             {1}, {2}, {3}, {1, 1}, {1, 2}, {2, 2}, {1, 1, 1}})
      for (int64_t slots : {1, 2, 3})
        expectSlot({.producerWarps = producers,
                    .consumerWarps = consumers,
                    .slots = slots});
}

TEST(RefinementTest, CopiesFinishInAnyOrder) {
  for (Bytes bytes : {Bytes{.announced = 64, .copies = {64}},
                      Bytes{.announced = 96, .copies = {32, 64}}})
    for (int64_t producers : {1, 2})
      for (int64_t slots : {1, 2, 3})
        expectSlot({.producerWarps = producers,
                    .consumerWarps = {2},
                    .slots = slots,
                    .bytes = bytes});
}

TEST(RefinementTest, TheTensorCoreArrivesLater) {
  for (int64_t slots : {1, 2, 3})
    for (Engine produceEngine : {Engine::warps, Engine::tensorCore})
      expectSlot({.consumerWarps = {2},
                  .slots = slots,
                  .produceEngine = produceEngine,
                  .consumeEngine = Engine::tensorCore});
}

// A commit asks none of the role's warps, so one of them waits, and the others
// do not.
TEST(RefinementTest, OneWarpWaitsForTheTensorCore) {
  for (int64_t slots : {1, 2, 3}) {
    expectSlot({.consumerWarps = {4},
                .slots = slots,
                .consumeArrival = Arrival::oneWarp,
                .consumeEngine = Engine::tensorCore});
    expectSlot({.producerWarps = 4,
                .consumerWarps = {2},
                .slots = slots,
                .produceArrival = Arrival::oneWarp,
                .produceEngine = Engine::tensorCore});
    // If all wait, and one commit stands for them, a slow one misses a phase.
    Network n = Protocol{.consumerWarps = {2},
                         .slots = slots,
                         .consumeArrival = Arrival::leaderAlone,
                         .consumeEngine = Engine::tensorCore}
                    .network();
    expectBreach(n, Breach::Rule::everyWaiterArrives);
    EXPECT_NE(explore(n, {}).kind, Exploration::Kind::allSucceed);
  }
}

TEST(RefinementTest, OneWarpArrivesForAllBehindABarrier) {
  for (int64_t slots : {1, 2, 3}) {
    expectSlot({.producerWarps = 2,
                .slots = slots,
                .produceArrival = Arrival::leaderAfterBarrier});
    expectSlot({.consumerWarps = {3},
                .slots = slots,
                .consumeArrival = Arrival::leaderAfterBarrier});
  }
}

TEST(RefinementTest, SlotsThatLag) {
  for (int64_t slots : {2, 3})
    for (int64_t lag = 1; lag < slots; ++lag)
      expectSlot({.consumerWarps = {2}, .slots = slots, .lag = lag});
}

TEST(RefinementTest, SlotsThatCtasShare) {
  // All fill for all; the operands and the accumulators of a pair.
  for (Bytes bytes : {Bytes{}, Bytes{.announced = 32, .copies = {32}}})
    for (Engine engine : {Engine::warps, Engine::tensorCore})
      for (int64_t slots : {1, 2})
        for (auto [from, to] : {std::pair(false, false), std::pair(false, true),
                                std::pair(true, false)})
          expectSlot({.slots = slots,
                      .bytes = bytes,
                      .consumeEngine = engine,
                      .ctas = 2,
                      .fromLeads = from,
                      .toLeads = to});
  expectSlot({.ctas = 3});
}

//===----------------------------------------------------------------------===//
// Without a side condition
//===----------------------------------------------------------------------===//

TEST(RefinementTest, AWaiterThatDoesNotArriveMissesAPhase) {
  for (bool producer : {false, true}) {
    Protocol protocol{.producerWarps = producer ? 2 : 1,
                      .consumerWarps = {producer ? 1 : 2},
                      .slots = 2};
    (producer ? protocol.produceArrival : protocol.consumeArrival) =
        Arrival::leaderAlone;
    Network n = protocol.network();
    expectBreach(n, Breach::Rule::everyWaiterArrives);
    EXPECT_EQ(explore(n, {}).kind, Exploration::Kind::wrongPhase);
  }
}

TEST(RefinementTest, AWaiterThatHasNotSeenThePhaseBeforePassesEarly) {
  // Two consumers take turns, and nothing orders them.
  Network n;
  SizeId items = n.addSize({.name = "items"});
  RoleId from = n.addRole({.name = "from"});
  RoleId to[] = {n.addRole({.name = "even"}), n.addRole({.name = "odd"})};
  PipeId p = n.addPipe({.name = "p",
                        .slots = Count::constant(1),
                        .producer = from,
                        .consumers = {{.role = to[0], .every = 2},
                                      {.role = to[1], .every = 2, .from = 1}}});
  n.roles[from].body = {forEachItem(items, {produce(p)})};
  for (int64_t turn : {0, 1})
    n.roles[to[turn]].body = {
        forEachItem(items, {onItems(2, turn, {consume({p})})})};
  EXPECT_TRUE(checkSideConditions(n).empty());
  Exploration found = explore(n, {{{2}}});
  EXPECT_EQ(found.kind, Exploration::Kind::wrongPhase);
  EXPECT_EQ(found.message,
            "a wait for phase 1 of the full barrier of slot 0 of "
            "'p' comes in phase 0, where its parity lets it "
            "pass");
}

TEST(RefinementTest, ArrivalsThatChangeFromUseToUse) {
  Network n;
  SizeId items = n.addSize({.name = "items"});
  RoleId from = n.addRole({.name = "from"});
  RoleId even = n.addRole({.name = "even", .warps = 2});
  RoleId odd = n.addRole({.name = "odd"});
  PipeId p = n.addPipe({.name = "p",
                        .slots = Count::constant(2),
                        .producer = from,
                        .consumers = {{.role = even, .every = 2},
                                      {.role = odd, .every = 2, .from = 1}}});
  n.roles[from].body = {forEachItem(items, {produce(p)})};
  n.roles[even].body = {forEachItem(items, {onItems(2, 0, {consume({p})})})};
  n.roles[odd].body = {forEachItem(items, {onItems(2, 1, {consume({p})})})};
  expectBreach(n, Breach::Rule::sameArrivalsEachUse);
  EXPECT_NE(explore(n, {{{4}}}).kind, Exploration::Kind::allSucceed);
}

TEST(RefinementTest, ACtaThatDoesNotStayForItsPeers) {
  Network n = Protocol{.ctas = 2, .awaited = false}.network();
  expectBreach(n, Breach::Rule::staysForPeers);
  Exploration found = explore(n, {});
  EXPECT_EQ(found.kind, Exploration::Kind::hasLeft);
  EXPECT_EQ(found.message,
            "an arrival comes to the empty barrier of slot 0 of 'p' in CTA 1, "
            "which has left the cluster");
}

TEST(RefinementTest, BytesThatDoNotAddUp) {
  struct Row {
    Bytes bytes;
    Exploration::Kind kind;
  };
  for (const Row &row :
       {Row{{.announced = 48, .copies = {32}}, Exploration::Kind::stuck},
        Row{{.announced = 32, .copies = {48}}, Exploration::Kind::stuck},
        Row{{.announced = 40, .copies = {32, 16}}, Exploration::Kind::stuck},
        // One copy is enough to complete the phase; the other is in flight.
        Row{{.announced = 32, .copies = {32, 32}},
            Exploration::Kind::wrongPhase}}) {
    Exploration found = explore(Protocol{.bytes = row.bytes}.network(), {});
    EXPECT_EQ(found.kind, row.kind) << found.message;
  }
}
