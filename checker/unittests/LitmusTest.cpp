//===- LitmusTest.cpp - Pairs of kernels with and without a race ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each test is a kernel that PTX orders and the same one with something left
// out, moved or weakened. Every kernel runs under several schedules, and the
// verdict must be the same in all of them: it is about what may happen.
//
//===----------------------------------------------------------------------===//

#include "drawloom/Checker/RaceChecker.h"
#include "drawloom/PTX/Parser.h"
#include "gtest/gtest.h"

using namespace drawloom;
using namespace drawloom::emu;
using drawloom::checker::Race;
using drawloom::checker::RaceChecker;

using Races = std::vector<std::string>;

/// A kernel around `body`, with words s and t, a flag f and an mbarrier b for
/// one arrival, which the first thread of each CTA initialises before all of
/// the cluster meet. There are %lane, %rank, %first (warp 0), %second (warp 1),
/// %lane0, %lane1, %own and %peer (s in both CTAs), %peerB, %r<8> and %p<8>.
static std::string kernel(const std::string &body) {
  return R"(.version 8.6 .target sm_90a .address_size 64
.visible .entry k() {
  .reg .pred %p<8>, %first, %second, %lane0, %lane1, %cta0, %cta1, %leader;
  .reg .b32 %r<8>, %lane, %rank, %warp, %thread, %own, %peer, %peerB, %mine;
  .shared .align 8 .b64 b;
  .shared .align 4 .b32 s[32], t, f;
  mov.u32 %lane, %laneid;
  mov.u32 %thread, %tid.x;
  shr.u32 %warp, %thread, 5;
  mov.u32 %rank, %cluster_ctarank;
  setp.eq.u32 %first, %warp, 0;
  setp.eq.u32 %second, %warp, 1;
  setp.eq.u32 %lane0, %lane, 0;
  setp.eq.u32 %lane1, %lane, 1;
  setp.eq.u32 %cta0, %rank, 0;
  setp.eq.u32 %cta1, %rank, 1;
  setp.eq.u32 %leader, %thread, 0;
  mov.u32 %own, s;
  mad.lo.u32 %mine, %lane, 4, %own;
  xor.b32 %r1, %rank, 1;
  mapa.shared::cluster.u32 %peer, %own, %r1;
  mov.u32 %r2, b;
  mapa.shared::cluster.u32 %peerB, %r2, %r1;
  @%leader mbarrier.init.shared::cta.b64 [b], 1;
  fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive;
  barrier.cluster.wait;
)" + body +
         "\n  barrier.cluster.arrive.relaxed;\n  barrier.cluster.wait;\n"
         "  ret;\n}";
}

/// "st.shared.u32, ld.shared.u32" for each race, under every schedule.
static Races racesOf(const std::string &body, unsigned warps,
                     unsigned ctas = 1) {
  Races result;
  for (int schedule = 0; schedule != 8; ++schedule) {
    std::string text = kernel(body);
    ptx::ParseResult parsed =
        ptx::parseModule(llvm::MemoryBufferRef(text, "litmus.ptx"));
    EXPECT_TRUE(parsed) << parsed.str();
    if (!parsed)
      return {};
    DeviceModel model = *findDeviceModel("h100");
    model.memoryBytes = 1 << 24;
    auto device = llvm::cantFail(Device::create(model));
    auto module = llvm::cantFail(device->load(std::move(parsed.module)));
    Launch launch;
    launch.kernel = llvm::cantFail(module->kernel("k"));
    launch.grid = launch.cluster = {ctas};
    launch.block = {warps * 32};
    RaceChecker checker;
    RunOptions options;
    options.listener = &checker;
    options.policy = schedule == 0   ? Policy::Deterministic
                     : schedule == 1 ? Policy::Adversarial
                                     : Policy::Random;
    options.seed = schedule;
    RunResult run = emu::run(*device, launch, options);
    EXPECT_TRUE(run.ok()) << run.report->str();
    Races races;
    for (const Race &race : checker.races()) {
      auto name = [&](const checker::RaceSite &site) {
        return race.kernel->parsed(site.instruction)->variant->mnemonic();
      };
      // By their places in the text, whichever came first.
      auto sites = std::minmax(race.first.instruction, race.second.instruction);
      bool inOrder = race.first.instruction == sites.first;
      races.push_back(name(inOrder ? race.first : race.second) + ", " +
                      name(inOrder ? race.second : race.first));
    }
    if (schedule == 0)
      result = races;
    else
      EXPECT_EQ(races, result) << "schedule " << schedule;
  }
  return result;
}

static const Races none;
/// Waits for the first phase of b, with a .sem and .scope or without.
static std::string waitWith(const std::string &order) {
  return "{ again: mbarrier.try_wait.parity" + order +
         ".shared::cta.b64 %p7, [b], 0;\n@!%p7 bra again; }\n";
}

TEST(Litmus, LanesOfAWarp) {
  auto kernel = [](const std::string &between) {
    return "@%lane0 st.shared.u32 [s], 1;\n" + between +
           "@%lane1 ld.shared.u32 %r3, [s];";
  };
  EXPECT_EQ(racesOf(kernel("bar.warp.sync 0xffffffff;\n"), 1), none);
  EXPECT_EQ(racesOf(kernel(""), 1), Races{"st.shared.u32, ld.shared.u32"});
  // These let lanes meet, and order no memory.
  EXPECT_EQ(racesOf(kernel("elect.sync %r4|%p1, 0xffffffff;\n"), 1),
            Races{"st.shared.u32, ld.shared.u32"});
}

TEST(Litmus, BarriersOfACta) {
  auto kernel = [](const std::string &between) {
    return "@%first st.shared.u32 [%mine], 1;\n" + between +
           "@%second ld.shared.u32 %r3, [%mine];";
  };
  EXPECT_EQ(racesOf(kernel("bar.sync 0;\n"), 2), none);
  EXPECT_EQ(racesOf(kernel(""), 2), Races{"st.shared.u32, ld.shared.u32"});
}

// An arrival gives, and doesn't take.
TEST(Litmus, ArrivalsAtABarrierOfACta) {
  auto kernel = [](const std::string &end) {
    return R"(
  @%second bra other;
  @%lane0 st.shared.u32 [s], 1;
  bar.warp.sync 0xffffffff;
  bar.arrive 1, 64;
)" + end + R"(
  bra done;
other:
  bar.sync 1, 64;
  ld.shared.u32 %r3, [s];
  @%lane0 st.shared.u32 [t], 1;
done:
)";
  };
  EXPECT_EQ(racesOf(kernel(""), 2), none);
  EXPECT_EQ(racesOf(kernel("ld.shared.u32 %r3, [t];"), 2),
            Races{"ld.shared.u32, st.shared.u32"});
}

// Thirty-two lanes store, and one arrives for them.
TEST(Litmus, AnElectedArrival) {
  auto kernel = [](const std::string &between) {
    return R"(
  @%second bra other;
  st.shared.u32 [%mine], 1;
)" + between +
           R"(
  @%lane0 mbarrier.arrive.shared::cta.b64 _, [b];
  bra done;
other:
)" + waitWith("") +
           R"(
  ld.shared.u32 %r3, [%mine];
done:
)";
  };
  EXPECT_EQ(racesOf(kernel("bar.warp.sync 0xffffffff;"), 2), none);
  EXPECT_EQ(racesOf(kernel("elect.sync %r4|%p1, 0xffffffff;"), 2),
            Races{"st.shared.u32, ld.shared.u32"});
}

// One lane waits for the others.
TEST(Litmus, AnElectedWait) {
  auto kernel = [](const std::string &between) {
    return R"(
  @%second bra other;
  @%lane0 st.shared.u32 [s], 1;
  @%lane0 mbarrier.arrive.shared::cta.b64 _, [b];
  bra done;
other:
again:
  @%lane0 mbarrier.try_wait.parity.shared::cta.b64 %p7, [b], 0;
  @!%lane0 setp.eq.u32 %p7, 0, 0;
  @!%p7 bra again;
)" + between +
           R"(
  @%lane1 ld.shared.u32 %r3, [s];
done:
)";
  };
  EXPECT_EQ(racesOf(kernel("bar.warp.sync 0xffffffff;"), 2), none);
  EXPECT_EQ(racesOf(kernel(""), 2), Races{"st.shared.u32, ld.shared.u32"});
}

TEST(Litmus, BarriersOfACluster) {
  auto kernel = [](const std::string &store, const std::string &arrive,
                   const std::string &after) {
    return store + arrive + after +
           "barrier.cluster.wait;\n"
           "@%cta1 ld.shared.u32 %r3, [s];";
  };
  std::string store = "{ .reg .pred %q; and.pred %q, %cta0, %lane0;\n"
                      "@%q st.shared::cluster.u32 [%peer], 1; }\n";
  Races race = {"st.shared::cluster.u32, ld.shared.u32"};
  EXPECT_EQ(racesOf(kernel(store, "barrier.cluster.arrive;\n", ""), 1, 2),
            none);
  EXPECT_EQ(
      racesOf(kernel(store, "barrier.cluster.arrive.relaxed;\n", ""), 1, 2),
      race);
  // A fence in front of a relaxed arrival, of the right scope.
  EXPECT_EQ(racesOf(kernel(store,
                           "fence.acq_rel.cluster;\n"
                           "barrier.cluster.arrive.relaxed;\n",
                           ""),
                    1, 2),
            none);
  EXPECT_EQ(racesOf(kernel(store,
                           "fence.acq_rel.cta;\n"
                           "barrier.cluster.arrive.relaxed;\n",
                           ""),
                    1, 2),
            race);
  // What comes after the arrival isn't covered by it.
  EXPECT_EQ(racesOf(kernel("", "barrier.cluster.arrive;\n", store), 1, 2),
            race);
  // A fence of initialisations is for these only.
  EXPECT_EQ(racesOf(kernel(store,
                           "fence.mbarrier_init.release.cluster;\n"
                           "barrier.cluster.arrive.relaxed;\n",
                           ""),
                    1, 2),
            race);
}

// Both ends need the scope of the cluster, wherever the barrier is.
TEST(Litmus, MbarriersAcrossCtas) {
  auto kernel = [](const std::string &arrive, const std::string &waits) {
    return R"(
  @%cta1 bra other;
  @%lane0 st.shared.u32 [s], 1;
  @%lane0 mbarrier.arrive)" +
           arrive + R"(.shared::cluster.b64 _, [%peerB];
  bra done;
other:
)" + waitWith(waits) +
           R"(
  ld.shared::cluster.u32 %r3, [%peer];
done:
)";
  };
  Races race = {"st.shared.u32, ld.shared::cluster.u32"};
  EXPECT_EQ(racesOf(kernel(".release.cluster", ".acquire.cluster"), 1, 2),
            none);
  EXPECT_EQ(racesOf(kernel("", ".acquire.cluster"), 1, 2), race);
  EXPECT_EQ(racesOf(kernel(".release.cluster", ""), 1, 2), race);
}

TEST(Litmus, RelaxedMbarriers) {
  auto kernel = [](const std::string &before, const std::string &arrive,
                   const std::string &waits, const std::string &after) {
    return R"(
  @%second bra other;
  @!%lane0 bra done;
  st.shared.u32 [s], 1;
)" + before +
           "mbarrier.arrive" + arrive + ".shared::cta.b64 _, [b];\n" +
           "bra done;\nother:\n" + waitWith(waits) + after +
           "ld.shared.u32 %r3, [s];\ndone:\n";
  };
  Races race = {"st.shared.u32, ld.shared.u32"};
  std::string fence = "fence.acq_rel.cta;\n";
  EXPECT_EQ(racesOf(kernel(fence, ".relaxed.cta", "", ""), 2), none);
  EXPECT_EQ(racesOf(kernel("", ".relaxed.cta", "", ""), 2), race);
  EXPECT_EQ(racesOf(kernel("", "", ".relaxed.cta", fence), 2), none);
  EXPECT_EQ(racesOf(kernel("", "", ".relaxed.cta", ""), 2), race);
}

// A store behind the arrival.
TEST(Litmus, StoresAndArrivals) {
  std::string store = "st.shared.u32 [s], 1;\n",
              arrive = "mbarrier.arrive.shared::cta.b64 _, [b];\n";
  auto kernel = [](const std::string &first, const std::string &then) {
    return "@%second bra other;\n@!%lane0 bra done;\n" + first + then +
           "bra done;\nother:\n" + waitWith("") +
           "ld.shared.u32 %r3, [s];\ndone:\n";
  };
  EXPECT_EQ(racesOf(kernel(store, arrive), 2), none);
  EXPECT_EQ(racesOf(kernel(arrive, store), 2),
            Races{"st.shared.u32, ld.shared.u32"});
}

TEST(Litmus, Flags) {
  auto kernel = [](const std::string &store, const std::string &load) {
    return R"(
  @!%lane0 bra done;
  @%second bra other;
  st.shared.u32 [s], 1;
  )" + store +
           R"(.shared.u32 [f], 1;
  bra done;
other:
  )" + load +
           R"(.shared.u32 %r3, [f];
  setp.ne.u32 %p1, %r3, 1;
  @%p1 bra other;
  ld.shared.u32 %r3, [s];
done:
)";
  };
  EXPECT_EQ(racesOf(kernel("st.release.cta", "ld.acquire.cta"), 2), none);
  EXPECT_EQ(racesOf(kernel("st.relaxed.cta", "ld.acquire.cta"), 2),
            Races{"st.shared.u32, ld.shared.u32"});
  EXPECT_EQ(
      racesOf(kernel("fence.acq_rel.cta;\nst.relaxed.cta", "ld.acquire.cta"),
              2),
      none);
  EXPECT_EQ(racesOf(kernel("st.volatile", "ld.volatile"), 2),
            Races{"st.shared.u32, ld.shared.u32"});
}

// Strong accesses to one word don't race with each other, but with weak ones.
TEST(Litmus, Atomics) {
  EXPECT_EQ(racesOf("atom.shared.add.u32 %r3, [s], 1;", 2), none);
  EXPECT_EQ(racesOf("@%first atom.shared.add.u32 %r3, [s], 1;\n"
                    "@%second ld.shared.u32 %r3, [s];",
                    2),
            Races{"atom.shared.add.u32, ld.shared.u32"});
}

TEST(Litmus, ReadsDontRace) {
  EXPECT_EQ(racesOf("ld.shared.u32 %r3, [s];", 4), none);
}

// Bytes of one word are told apart.
TEST(Litmus, BytesOfAWord) {
  auto kernel = [](const std::string &byte) {
    return "@!%lane0 bra done;\n@%first st.shared.u8 [s], 1;\n"
           "@%second st.shared.u8 [s+" +
           byte + "], 1;\ndone:\n";
  };
  EXPECT_EQ(racesOf(kernel("1"), 2), none);
  EXPECT_EQ(racesOf(kernel("0"), 2), Races{"st.shared.u8, st.shared.u8"});
}

TEST(Litmus, TheWordsOfARace) {
  std::string text = kernel("@%first st.shared.u32 [%mine], 1;\n"
                            "@%second ld.shared.u32 %r3, [%mine];\n"
                            "@%lane0 st.shared.u32 [t], 1;");
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(text, "litmus.ptx"));
  ASSERT_TRUE(parsed) << parsed.str();
  auto device = llvm::cantFail(Device::create(*findDeviceModel("h100")));
  auto module = llvm::cantFail(device->load(std::move(parsed.module)));
  Launch launch;
  launch.kernel = llvm::cantFail(module->kernel("k"));
  launch.block = {64};
  RaceChecker checker;
  RunOptions options;
  options.listener = &checker;
  ASSERT_TRUE(emu::run(*device, launch, options).ok());
  ASSERT_EQ(checker.races().size(), 1u);
  EXPECT_EQ(checker.races()[0].count, 32u);
  EXPECT_EQ(
      checker.races()[0].str(),
      "race in shared memory at byte 1024: line 29, warp 1, lane 0 reads "
      "it; line 28, warp 0, lane 0 writes it, and nothing orders the two");
  // Two warps store by one instruction, as compilers have them.
  ASSERT_EQ(checker.notes().size(), 1u);
  EXPECT_EQ(checker.notes()[0].str(),
            "race in shared memory at byte 1160: line 30, warp 1, lane 0 "
            "writes it; line 30, warp 0, lane 0 writes it, and nothing orders "
            "the two: they must write the same value");
}
