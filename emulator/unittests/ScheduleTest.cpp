//===- ScheduleTest.cpp - When asynchronous work is done ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "drawloom/Emulator/Listener.h"
#include <set>

using namespace drawloom::emu;

namespace {
/// The kinds of work in the order in which they are done.
struct Completions : Listener {
  std::vector<EngineKind> kinds;

  struct OfCluster : ClusterListener {
    std::vector<EngineKind> &kinds;
    explicit OfCluster(std::vector<EngineKind> &kinds) : kinds(kinds) {}
    void operation(const OperationEvent &event) override {
      if (event.kind == OperationEvent::Complete)
        kinds.push_back(event.engine);
    }
  };
  std::unique_ptr<ClusterListener> startCluster(const ClusterStart &) override {
    return std::make_unique<OfCluster>(kinds);
  }
};
} // namespace

/// A cluster of two. The first CTA issues a bulk load, a copy of 16 bytes and a
/// store to the second CTA, in this order; each has a barrier of its own, for
/// which the CTAs wait then.
static const char *kernel = R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .shared .align 128 .b8 smem[256];
  .shared .align 8 .b64 bars[3];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %cluster_ctarank;
  mbarrier.init.shared::cta.b64 [bars], 1;
  mbarrier.init.shared::cta.b64 [bars+8], 1;
  mbarrier.init.shared::cta.b64 [bars+16], 1;
  fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra second;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 128;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes
      [smem], [%rd1], 128, [bars];
  cp.async.ca.shared.global [smem+128], [%rd1+128], 16;
  cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bars+8];
  mov.u32 %r2, smem;
  mapa.shared::cluster.u32 %r3, %r2, 1;
  mov.u32 %r2, bars;
  mapa.shared::cluster.u32 %r4, %r2, 1;
  st.async.shared::cluster.mbarrier::complete_tx::bytes.u32
      [%r3], 77, [%r4+16];
first0: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bars], 0;
  @!%p2 bra first0;
first1: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bars+8], 0;
  @!%p2 bra first1;
  ld.shared.u32 %r5, [smem+4];
  ld.shared.u32 %r6, [smem+132];
  add.u32 %r5, %r5, %r6;
  st.global.u32 [%rd2], %r5;
  bra done;
second:
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars+16], 4;
second0: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bars+16], 0;
  @!%p2 bra second0;
  ld.shared.u32 %r5, [smem];
  st.global.u32 [%rd2+4], %r5;
done:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ret;
})";

/// The order of completion; checks the results.
static std::vector<EngineKind> orderOf(Policy policy, uint64_t seed = 0,
                                       std::optional<EngineKind> delayed = {}) {
  Harness h("h100", kernel);
  Completions completions;
  h.options.policy = policy;
  h.options.seed = seed;
  h.options.delayed = delayed;
  h.options.listener = &completions;
  h.cluster = {2};
  std::vector<uint32_t> in(64);
  for (uint32_t i = 0; i != 64; ++i)
    in[i] = 100 + i;
  uint64_t out = h.allocate<uint32_t>(2);
  EXPECT_TRUE(h.run("k", {2}, {1}, {h.upload(in), out}));
  EXPECT_EQ(h.read<uint32_t>(out, 2), (std::vector<uint32_t>{101 + 133, 77}));
  return completions.kinds;
}

// The arrival that follows the copy (a commit) is issued when the copy is done.
TEST(Schedule, DeterministicIsInTheOrderOfIssue) {
  EXPECT_EQ(
      orderOf(Policy::Deterministic),
      (std::vector<EngineKind>{EngineKind::Bulk, EngineKind::Copy,
                               EngineKind::RemoteStore, EngineKind::Commit}));
}

// Each kind can be the last one; the copy has its arrival behind it.
TEST(Schedule, AdversarialHoldsBackOneKind) {
  for (EngineKind kind :
       {EngineKind::Bulk, EngineKind::RemoteStore, EngineKind::Commit})
    EXPECT_EQ(orderOf(Policy::Adversarial, 0, kind).back(), kind);
  EXPECT_EQ(orderOf(Policy::Adversarial, 0, EngineKind::Copy),
            (std::vector<EngineKind>{EngineKind::Bulk, EngineKind::RemoteStore,
                                     EngineKind::Copy, EngineKind::Commit}));
}

// Nothing is done before everything is stuck, and then the newest first.
TEST(Schedule, AdversarialGoesBackwards) {
  EXPECT_EQ(orderOf(Policy::Adversarial),
            (std::vector<EngineKind>{EngineKind::RemoteStore, EngineKind::Copy,
                                     EngineKind::Commit, EngineKind::Bulk}));
}

// A warp that asks again and again, or reads memory again and again, can always
// move; what it asks for is done all the same.
TEST(Schedule, AdversarialLetsSpinnersGoOn) {
  std::string spinning = kernel;
  for (size_t at; (at = spinning.find("try_wait")) != std::string::npos;)
    spinning.replace(at, 8, "test_wait");
  const char *onMemory = R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .shared .align 16 .b32 words[4];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, 77;
  st.shared.v4.u32 [words], {%r1, %r1, %r1, %r1};
  fence.proxy.async.shared::cta;
  cp.async.bulk.global.shared::cta.bulk_group [%rd2], [words], 16;
  cp.async.bulk.commit_group;
spin:
  ld.volatile.global.u32 %r2, [%rd2+4];
  setp.ne.u32 %p, %r2, 77;
  @%p bra spin;
  cp.async.bulk.wait_group 0;
  st.global.u32 [%rd2], 178;
  ret;
})";
  std::vector<uint32_t> in(64, 50);
  for (auto [text, ctas, expected] :
       {std::tuple(spinning.c_str(), 2u, std::vector<uint32_t>{100, 77}),
        std::tuple(onMemory, 1u, std::vector<uint32_t>{178, 77})}) {
    Harness h("h100", text);
    h.options.policy = Policy::Adversarial;
    h.options.stepLimit = 10'000'000;
    h.cluster = {ctas};
    uint64_t out = h.allocate<uint32_t>(4);
    EXPECT_TRUE(h.run("k", {ctas}, {1}, {h.upload(in), out}));
    EXPECT_EQ(h.read<uint32_t>(out, 2), expected);
  }
}

// Four operations, of which one must come behind another: 12 orders.
TEST(Schedule, RandomFindsEveryOrder) {
  std::set<std::vector<EngineKind>> orders;
  for (uint64_t seed = 0; seed != 200; ++seed)
    orders.insert(orderOf(Policy::Random, seed));
  EXPECT_EQ(orders.size(), 12u);
}
