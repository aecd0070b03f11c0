//===- LessonTest.cpp - Failures that others have had ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each test is a kind of hang that was reported in public for another project,
// as the network that it comes down to, and the same network done right.

#include "BarrierExplorer.h"
#include "Plans.h"
#include "drawloom/Analysis/Progress/SideConditions.h"
#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

using namespace drawloom::progress;
using namespace drawloom::progress::test;

/// NVIDIA/Fuser#5076: a kernel with several roles hangs. One warp loads the
/// epilogue's input before the operands.
static Network oneLoadRole(bool operandsFirst, Count residualSlots) {
  Network n;
  SizeId items = n.addSize({.name = "items"});
  SizeId k = n.addSize({.name = "k", .min = 1});
  RoleId load = n.addRole({.name = "load"});
  RoleId compute = n.addRole({.name = "compute", .warps = 4});
  PipeId operands = n.addPipe({.name = "operands",
                               .slots = Count::constant(4),
                               .producer = load,
                               .consumers = {{.role = compute}}});
  if (residualSlots.size)
    n.addSize({.name = "slots", .min = 1});
  PipeId residual = n.addPipe({.name = "residual",
                               .slots = residualSlots,
                               .producer = load,
                               .consumers = {{.role = compute}}});
  Body body = {loop(Count::constant(4), {produce(residual, {}, 0, {}, "k:7")}),
               loop(Count::of(k), {produce(operands, {}, 0, {}, "k:9")})};
  if (operandsFirst)
    std::swap(body[0], body[1]);
  n.roles[load].body = {forEachItem(items, body)};
  n.roles[compute].body = {forEachItem(
      items, {loop(Count::of(k), {consume({operands}, {}, 0, "k:14")}),
              loop(Count::constant(4), {consume({residual}, {}, 0, "k:17")})})};
  return n;
}

TEST(LessonTest, MultiRoleKernelHangs) {
  EXPECT_EQ(verdictOf(oneLoadRole(true, Count::constant(1))), "proved\n");
  EXPECT_EQ(verdictOf(oneLoadRole(false, Count::constant(2))),
            "deadlock\n"
            "deadlock with items = 1, k = 1:\n"
            "  @load waits for slot 0 of 'residual' to be empty (phase 0), "
            "work tile 0, at k:7\n"
            "    @compute must release it\n"
            "  @compute waits for slot 0 of 'operands' to be full (phase 0), "
            "work tile 0, at k:14\n"
            "    @load must fill it\n");
  EXPECT_EQ(verdictOf(oneLoadRole(false, Count::constant(4))), "proved\n");
  Verdict verdict = prove(oneLoadRole(false, Count::of(2)));
  EXPECT_EQ(verdict.kind, Verdict::Kind::provedIf);
  EXPECT_EQ(verdict.words, "slots of 'residual' >= 4");
}

/// triton-lang/triton#10035: one warp arrives for all before the slow ones have
/// left the wait; the parity wraps.
TEST(LessonTest, LeaderArrivesBeforeSlowWarps) {
  Network n;
  RoleId load = n.addRole({.name = "load"});
  RoleId compute = n.addRole({.name = "compute", .warps = 2});
  PipeId p = n.addPipe(
      {.name = "operands",
       .slots = Count::constant(1),
       .producer = load,
       .consumers = {{.role = compute, .arrival = Arrival::leaderAlone}}});
  n.roles[load].body = {loop(Count::constant(3), {produce(p)})};
  n.roles[compute].body = {loop(Count::constant(3), {consume({p})})};
  EXPECT_EQ(verdictOf(n),
            "undecided: pipe 'operands': 2 warps of @compute wait for a slot, "
            "and one of them releases it for all without a barrier among them; "
            "a slow warp can miss two phases and deadlock. Let every warp "
            "arrive, or put a barrier of the role before the arrival\n");
  Exploration found = explore(n, {}, {.trace = true});
  EXPECT_EQ(found.kind, Exploration::Kind::wrongPhase);
  EXPECT_TRUE(llvm::StringRef(found.message).ends_with("makes it wait"))
      << found.message;
  EXPECT_FALSE(found.trace.empty());
  for (Arrival arrival : {Arrival::everyWarp, Arrival::leaderAfterBarrier}) {
    n.pipes[p].consumers[0].arrival = arrival;
    EXPECT_EQ(verdictOf(n), "proved\n");
    EXPECT_EQ(explore(n, {}).kind, Exploration::Kind::allSucceed);
  }
}

/// tile-ai/tilelang#2566: a loop with one trip, where the first iteration was
/// peeled on one side only.
TEST(LessonTest, OneTrip) {
  Network n;
  SizeId k = n.addSize({.name = "k"});
  RoleId load = n.addRole({.name = "load"}), mma = n.addRole({.name = "mma"});
  PipeId p = n.addPipe({.name = "operands",
                        .slots = Count::constant(3),
                        .producer = load,
                        .consumers = {{.role = mma}}});
  n.roles[load].body = {loop(Count::of(k), {produce(p)})};
  n.roles[mma].body = {consume({p}), loop(Count::of(k, -1), {consume({p})})};
  Verdict verdict = prove(n);
  EXPECT_EQ(verdict.words, "k >= 1");
  // Zero, one, around the number of slots, many.
  for (int64_t trips : {0, 1, 2, 3, 4, 40}) {
    EXPECT_EQ(run(n, {{{trips}}}).has_value(), trips == 0) << trips;
    EXPECT_EQ(explore(n, {{{trips}}}).kind == Exploration::Kind::allSucceed,
              trips != 0)
        << trips;
  }
}

/// tile-ai/tilelang#2410, marin-community/marin#8870: roles decode the same
/// grant differently, some leave, some wait forever.
TEST(LessonTest, RolesDisagreeAboutTheItems) {
  auto network = [](bool published) {
    Network n;
    SizeId items = n.addSize({.name = "items"});
    SizeId other = published ? items : n.addSize({.name = "items of mma"});
    RoleId load = n.addRole({.name = "load"}), mma = n.addRole({.name = "mma"});
    PipeId p = n.addPipe({.name = "operands",
                          .slots = Count::constant(2),
                          .producer = load,
                          .consumers = {{.role = mma}}});
    n.roles[load].body = {forEachItem(items, {produce(p)})};
    n.roles[mma].body = {forEachItem(other, {consume({p})})};
    return n;
  };
  EXPECT_EQ(verdictOf(network(false)),
            "deadlock\n"
            "deadlock with items = 0, items of mma = 1:\n"
            "  @mma waits for slot 0 of 'operands' to be full (phase 0), work "
            "tile 0\n"
            "    @load must fill it, but has ended\n");
  EXPECT_EQ(verdictOf(network(true)), "proved\n");
  EXPECT_EQ(verdictOf(blackwellPairDynamic()), "proved\n");
}

/// flashinfer-ai/flashinfer#4814, deepseek-ai/DeepGEMM#429: the CTAs of a pair
/// are in groups with different K.
TEST(LessonTest, PairStraddlesGroups) {
  auto network = [](bool together) {
    Network n;
    SizeId items = n.addSize({.name = "items"});
    SizeId k = n.addSize({.name = "k of the leader", .perItemOf = items});
    SizeId other = k;
    if (!together)
      other = n.addSize({.name = "k of the peer", .perItemOf = items});
    RoleId leader = n.addRole({.name = "load of the leader"});
    RoleId peer = n.addRole({.name = "load of the peer"});
    RoleId mma = n.addRole({.name = "mma"});
    PipeId a = n.addPipe({.name = "a",
                          .slots = Count::constant(2),
                          .producer = leader,
                          .consumers = {{.role = mma}}});
    PipeId b = n.addPipe({.name = "b",
                          .slots = Count::constant(2),
                          .producer = peer,
                          .consumers = {{.role = mma}}});
    n.roles[leader].body = {
        forEachItem(items, {loop(Count::of(k), {produce(a)})})};
    n.roles[peer].body = {
        forEachItem(items, {loop(Count::of(other), {produce(b)})})};
    n.roles[mma].body = {
        forEachItem(items, {loop(Count::of(k), {consume({a, b})})})};
    return n;
  };
  EXPECT_EQ(verdictOf(network(true)), "proved\n");
  Verdict verdict = prove(network(false));
  EXPECT_NE(verdict.kind, Verdict::Kind::proved);
  ASSERT_TRUE(verdict.failure);
  EXPECT_EQ(verdict.failure->sizes.at(0), 1);
  EXPECT_NE(verdict.failure->sizes.at(1), verdict.failure->sizes.at(2));
}

/// A public model checker judged a byte count that is off by 16 as safe.
TEST(LessonTest, BytesOffBySixteen) {
  for (int64_t error : {-16, 16}) {
    Network n = blackwellMultiRole();
    auto &items = std::get<ItemLoop>(n.roles[0].body[0].what);
    auto &k = std::get<Loop>(items.body[0].what);
    std::get<Produce>(k.body[0].what).bytes.announced += error;
    k.body[0].location = "gemm.mlir:12";
    std::string announced = std::to_string(49152 + error);
    EXPECT_EQ(verdictOf(n),
              "deadlock\n"
              "deadlock with items = 1, k = 1:\n"
              "  @mma waits for slot 0 of 'operands' to be full (phase 0), "
              "work tile 0\n"
              "    @operand_load announces " +
                  announced + " bytes, delivers 49152 (16384 + 32768)\n");
    for (Role &role : n.roles)
      role.warps = 1;
    EXPECT_EQ(explore(n, {{{1}, {1}}}).kind, Exploration::Kind::stuck);
  }
}

/// A reference kernel: 256 threads enter with 128 registers, and the budgets 40
/// and 232 ask for 34,816 of 32,768.
TEST(LessonTest, RegistersAboveThePool) {
  auto network = [](int64_t small, int64_t large) {
    constexpr int64_t entry = 128, threads = 32;
    Network n;
    PoolId pool = n.addPool({.name = "registers", .available = 0});
    RoleId load = n.addRole({.name = "load", .warps = 4});
    RoleId compute = n.addRole({.name = "compute", .warps = 4});
    n.roles[load].body = {give(pool, (entry - small) * threads)};
    n.roles[compute].body = {
        take(pool, (large - entry) * threads, false, "gemm.mlir:20")};
    return n;
  };
  EXPECT_EQ(verdictOf(network(40, 216)), "proved\n");
  EXPECT_EQ(verdictOf(network(40, 232)),
            "deadlock\n"
            "deadlock with any sizes:\n"
            "  @compute waits for registers, at gemm.mlir:20\n"
            "    asks for 13312, 11264 are free\n");
}

/// Dao-AILab/quack#146: the participants of a barrier are counted by hand, and
/// one role is forgotten. Too many or too few, it is named.
TEST(LessonTest, ParticipantsCountedByHand) {
  auto network = [](int64_t counted) {
    Network n;
    SizeId items = n.addSize({.name = "items"});
    BarrierId tile = n.addBarrier({.name = "tile", .warps = counted});
    for (const char *name : {"load", "mma", "epilogue"})
      n.addRole({.name = name, .warps = 2});
    for (Role &role : n.roles)
      role.body = {forEachItem(items, {arriveAt(tile), waitAt(tile)})};
    return n;
  };
  EXPECT_EQ(verdictOf(network(6)), "proved\n");
  EXPECT_EQ(verdictOf(network(4)),
            "undecided: barrier 'tile' counts 4 warps, but 6 arrive (@load "
            "with 2, @mma with 2, @epilogue with 2): its phase completes "
            "before all are there\n");
  EXPECT_EQ(explore(network(4), {{{2}}}).kind, Exploration::Kind::wrongPhase);
  EXPECT_EQ(verdictOf(network(8)),
            "deadlock\n"
            "deadlock with items = 1:\n"
            "  @load waits for barrier 'tile' (phase 0), work tile 0\n"
            "    the barrier counts 8 warps, 6 arrive\n");
  EXPECT_EQ(explore(network(8), {{{1}}}).kind, Exploration::Kind::stuck);
  // The counts of a pipe are derived from its ends: a consumer can't be
  // forgotten, only left without a step, and then its slot is never released.
  Network n;
  SizeId k = n.addSize({.name = "k"});
  RoleId load = n.addRole({.name = "load"}), mma = n.addRole({.name = "mma"});
  RoleId check = n.addRole({.name = "check"});
  PipeId p = n.addPipe({.name = "operands",
                        .slots = Count::constant(2),
                        .producer = load,
                        .consumers = {{.role = mma}, {.role = check}}});
  n.roles[load].body = {loop(Count::of(k), {produce(p)})};
  n.roles[mma].body = {loop(Count::of(k), {consume({p})})};
  Verdict verdict = prove(n);
  EXPECT_EQ(verdict.kind, Verdict::Kind::deadlock);
  n.roles[check].body = n.roles[mma].body;
  EXPECT_EQ(verdictOf(n), "proved\n");
}

/// vllm-project/vllm#26026: arrive() where arrive_and_wait() was meant.
TEST(LessonTest, ArriveWithoutAWait) {
  auto network = [](bool waits) {
    Network n;
    SizeId k = n.addSize({.name = "k"});
    BarrierId turn = n.addBarrier({.name = "turn", .warps = 2});
    RoleId load = n.addRole({.name = "load"}), mma = n.addRole({.name = "mma"});
    Body body = {arriveAt(turn, "gemm.mlir:9")};
    if (waits)
      body.push_back(waitAt(turn));
    n.roles[load].body = {loop(Count::of(k), body)};
    n.roles[mma].body = {loop(Count::of(k), {arriveAt(turn), waitAt(turn)})};
    return n;
  };
  EXPECT_EQ(verdictOf(network(true)), "proved\n");
  EXPECT_EQ(verdictOf(network(false)),
            "proved if k <= 1\n"
            "early arrival with k = 2:\n"
            "  @load can arrive twice in one phase of barrier 'turn', at "
            "gemm.mlir:9\n"
            "    wait there before the next arrival\n");
  EXPECT_EQ(explore(network(false), {{{1}}}).kind,
            Exploration::Kind::allSucceed);
  EXPECT_EQ(explore(network(false), {{{2}}}).kind,
            Exploration::Kind::wrongPhase);
}
