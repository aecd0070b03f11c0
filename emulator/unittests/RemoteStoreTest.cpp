//===- RemoteStoreTest.cpp - st.async and red.async ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncKernel.h"
#include <bit>
#include <functional>

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

// Done by the end of the CTA, whatever the order, without a wait.
TEST(RemoteStore, Releases) {
  struct Row {
    const char *store;
    unsigned bytes;
    std::function<uint64_t(unsigned)> expected; ///< By thread.
  };
  const Row rows[] = {
      {"st.async.release.gpu.global.u32 [%rd1], %r5;", 4,
       [](unsigned t) { return t * 3 + 1; }},
      {"st.async.release.sys.b64 [%rd1], %rd3;", 8,
       [](unsigned t) { return t * 3 + 1 + (uint64_t(t) << 40); }},
      {"cvt.u8.u32 %c1, %r5; st.async.release.gpu.global.u8 [%rd1], %c1;", 1,
       [](unsigned t) { return t * 3 + 1; }},
      {"cvt.u16.u32 %h1, %r6; st.async.release.gpu.u16 [%rd1], %h1;", 2,
       [](unsigned t) { return t * 3 + 1000; }},
      {"cvt.rn.f32.u32 %f1, %thread; st.async.mmio.release.sys.global.f32 "
       "[%rd1], %f1;",
       4, [](unsigned t) { return std::bit_cast<uint32_t>(float(t)); }},
      {"red.async.release.gpu.global.add.u32 [%rd1], %r5;", 4,
       [](unsigned t) { return 5 + t * 3 + 1; }},
      {"neg.s32 %r5, %r5; red.async.mmio.release.sys.add.s32 [%rd1], %r5;", 4,
       [](unsigned t) { return uint32_t(5 - int(t * 3 + 1)); }},
      {"red.async.release.sys.global.add.u64 [%rd1], %rd3;", 8,
       [](unsigned t) {
         return 5 + (uint64_t(5) << 32) + t * 3 + 1 + (uint64_t(t) << 40);
       }},
      {"red.async.release.gpu.add.s64 [%rd1], %rd3;", 8,
       [](unsigned t) {
         return 5 + (uint64_t(5) << 32) + t * 3 + 1 + (uint64_t(t) << 40);
       }},
  };
  for (const Row &row : rows) {
    AsyncKernel k;
    k.dataBefore.resize(32 * 8);
    for (unsigned byte = 0; byte != k.dataBefore.size(); byte += 4)
      k.dataBefore[byte] = 5;
    k.body = ".reg .f32 %f1;\n.reg .u8 %c1;\nmad.wide.u32 %rd1, %thread, " +
             std::to_string(row.bytes) + R"(, %data;
  mad.lo.u32 %r5, %thread, 3, 1;
  mad.lo.u32 %r6, %thread, 3, 1000;
  cvt.u64.u32 %rd2, %thread;
  shl.b64 %rd2, %rd2, 40;
  cvt.u64.u32 %rd3, %r5;
  add.u64 %rd3, %rd3, %rd2;
  )" + row.store;
    k.values();
    for (unsigned thread = 0; thread != 32; ++thread) {
      uint64_t value = 0;
      memcpy(&value, &k.data[thread * row.bytes], row.bytes);
      EXPECT_EQ(value, row.expected(thread))
          << row.store << ", thread " << thread;
    }
  }
}

// All threads of four CTAs on several host threads, at one place.
TEST(RemoteStore, ReductionsMeet) {
  Harness h("b200", R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<4>;
  .reg .b64 %rd1;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  red.async.release.gpu.global.add.u32 [%rd1], %r1;
  ret;
})");
  h.options.threads = 4;
  uint64_t out = h.allocate<uint32_t>(1);
  EXPECT_TRUE(h.run("k", {4}, {64}, {out}));
  EXPECT_EQ(h.read<uint32_t>(out, 1).front(), 4u * 64 * 63 / 2);
}

TEST(RemoteStoreMustFail, Releases) {
  AsyncKernel k;
  k.body = "mov.u64 %rd1, smem; cvta.shared.u64 %rd1, %rd1;"
           "st.async.release.gpu.u32 [%rd1], 7;";
  EXPECT_CONTAINS(k.failure(), "isn't in global memory");
  k.body = "st.async.release.gpu.global.u32 [%data+2], 7;";
  EXPECT_CONTAINS(k.failure(), "must be a multiple of 4");
  k.body = "red.async.release.gpu.global.add.u64 [%data+4096], %rd1;";
  EXPECT_CONTAINS(k.failure(), "8 bytes, destination at");
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
