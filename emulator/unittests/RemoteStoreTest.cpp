//===- RemoteStoreTest.cpp - st.async and red.async ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncKernel.h"

using namespace drawloom::emu;

/// Each of two CTAs stores to the other one. %r3 is the thread's place there,
/// %r4 the mbarrier; %r1 is its place here, with 16 bytes of 7 in it.
static AsyncKernel kernel(const std::string &store, unsigned bytes,
                          unsigned ctas = 2) {
  AsyncKernel kernel;
  kernel.ctas = ctas;
  kernel.body = R"(
  mov.u32 %r1, smem;
  mad.lo.u32 %r1, %thread, 16, %r1;
  st.shared.v4.u32 [%r1], {7, 7, 7, 7};
)" + initBarriers({1}) +
                R"(
  @%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], )" +
                std::to_string(32 * bytes) + R"(;
  xor.b32 %r2, %rank, 1;
  mapa.shared::cluster.u32 %r3, %r1, %r2;
  mov.u32 %r4, bars;
  mapa.shared::cluster.u32 %r4, %r4, %r2;
  mad.lo.u32 %r5, %rank, 100, %thread;
  add.u32 %r6, %r5, 1000;
)" + store + waitFor("bars", 0) +
                R"(
  ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r1];
  mad.lo.u32 %o, %r11, 10000, %r10;
  barrier.cluster.arrive;
  barrier.cluster.wait;
)";
  return kernel;
}

template <typename F>
static std::vector<uint32_t> expected(F f) {
  std::vector<uint32_t> values;
  for (uint32_t rank = 0; rank != 2; ++rank)
    for (uint32_t lane = 0; lane != 32; ++lane)
      values.push_back(f((rank ^ 1) * 100 + lane));
  return values;
}

TEST(RemoteStore, Stores) {
  EXPECT_EQ(kernel("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 "
                   "[%r3], %r5, [%r4];",
                   4)
                .values(),
            expected([](uint32_t value) { return value + 70000; }));
  EXPECT_EQ(
      kernel(
          "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 "
          "[%r3], {%r5, %r6}, [%r4];",
          8)
          .values(),
      expected([](uint32_t value) { return value + 10000 * (value + 1000); }));
  // 64 bits, by generic addresses.
  EXPECT_EQ(
      kernel(R"(
  mov.b64 %rd1, {%r5, %r6};
  cvt.u64.u32 %rd2, %r3;
  cvta.shared.u64 %rd2, %rd2;
  cvt.u64.u32 %rd3, %r4;
  cvta.shared.u64 %rd3, %rd3;
  st.async.mbarrier::complete_tx::bytes.b64 [%rd2], %rd1, [%rd3];
)",
             8)
          .values(),
      expected([](uint32_t value) { return value + 10000 * (value + 1000); }));
}

TEST(RemoteStore, Reductions) {
  struct Row {
    const char *op;
    uint32_t (*apply)(uint32_t value);
  };
  const Row rows[] = {
      {"add.u32", [](uint32_t value) { return value + 7; }},
      {"max.s32", [](uint32_t value) { return std::max(value, 7u); }},
      {"xor.b32", [](uint32_t value) { return value ^ 7; }},
      {"inc.u32", [](uint32_t value) { return 7 >= value ? 0u : 8u; }},
  };
  for (const Row &row : rows)
    EXPECT_EQ(
        kernel("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_"
               "tx::bytes." +
                   std::string(row.op) + " [%r3], %r5, [%r4];",
               4)
            .values(),
        expected([&](uint32_t value) { return row.apply(value) + 70000; }))
        << row.op;
}

TEST(RemoteStoreMustFail, Places) {
  const std::string store =
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 ";
  EXPECT_CONTAINS(kernel(store + "[%r3], %r5, [bars];", 4).failure(),
                  "the destination is in CTA rank 0, and its mbarrier in rank "
                  "1");
  EXPECT_CONTAINS(
      kernel("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx"
             "::bytes.add.u32 [%r1], %r5, [bars];",
             4)
          .failure(),
      "the destination is in this CTA; it must be in another one of the "
      "cluster");
  AsyncKernel alone;
  alone.body = initBarriers({1}) + store + "[smem], %r5, [bars];";
  EXPECT_CONTAINS(alone.failure(), "the cluster has one CTA only");
  EXPECT_CONTAINS(kernel(store + "[%r3+2], %r5, [%r4];", 4).failure(),
                  "must be a multiple of 4");
}
