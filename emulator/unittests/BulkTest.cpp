//===- BulkTest.cpp - cp.async.bulk and cp.reduce.async.bulk -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncKernel.h"

using namespace drawloom::emu;

static uint32_t wordAt(const std::vector<uint8_t> &bytes, size_t index) {
  uint32_t value;
  memcpy(&value, &bytes[index * 4], 4);
  return value;
}

static AsyncKernel kernel(const std::string &body, unsigned ctas = 1) {
  AsyncKernel kernel;
  kernel.ctas = ctas;
  kernel.input = pattern(4096);
  kernel.body = initBarriers({1}) + R"(
  mov.u32 %r1, smem;
  mov.u32 %r2, bars;
  mad.lo.u32 %r3, %thread, 4, %r1;   // the thread's word
)" + body;
  return kernel;
}

//===----------------------------------------------------------------------===//
// To shared memory
//===----------------------------------------------------------------------===//

TEST(Bulk, GlobalToShared) {
  for (std::string space : {"shared::cta", "shared::cluster"}) {
    AsyncKernel k =
        kernel(R"(
  @!%leader bra wait;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 1024;
  cp.async.bulk.)" +
               space + R"(.global.mbarrier::complete_tx::bytes
    [smem], [%in], 512, [bars];
  mov.u32 %r4, 512;
  mov.b64 %rd1, 0;
  cp.async.bulk.)" +
               space +
               R"(.global.mbarrier::complete_tx::bytes.L2::cache_hint
    [smem+512], [%in+2048], %r4, [bars], %rd1;
wait:
)" + waitFor("bars", 0) +
               R"(
  ld.shared.u32 %r5, [%r3];
  ld.shared.u32 %r6, [%r3+512];
  xor.b32 %o, %r5, %r6;
)");
    std::vector<uint8_t> in = pattern(4096);
    EXPECT_EQ(k.values(), lanes<uint32_t>([&](unsigned lane) {
                return wordAt(in, lane) ^ wordAt(in, 512 + lane);
              }));
  }
}

// Three words of the first chunk and one of the last are left as they are, and
// may be where there is no memory; the barrier counts them all the same.
TEST(Bulk, GlobalToSharedWithoutTheEnds) {
  AsyncKernel k = kernel(R"(
  st.shared.u32 [%r3], 77;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  mov.u32 %r5, 4;
  add.s64 %rd1, %in, 3984;
  @%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 128;
  @%leader cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob
    [smem], [%rd1], 128, 12, %r5, [bars];
)" + waitFor("bars", 0) + "ld.shared.u32 %o, [%r3];");
  k.input.resize(4108); // The last of 128 bytes is the first one left out.
  std::vector<uint8_t> in = k.input;
  EXPECT_EQ(k.values(), lanes<uint32_t>([&](unsigned lane) {
              return lane < 3 || lane == 31 ? 77 : wordAt(in, 996 + lane);
            }));
}

TEST(BulkMustFail, EndsThatAreTooLong) {
  for (const char *ends : {"%r5, 0", "0, %r5"}) {
    AsyncKernel k = kernel("mov.u32 %r5, 16; @%leader cp.async.bulk.shared::cta"
                           ".global.mbarrier::complete_tx::bytes.ignore_oob "
                           "[smem], [%in], 128, " +
                           std::string(ends) + ", [bars];");
    EXPECT_CONTAINS(k.failure(), "each can be 0 to 15");
  }
}

// Rank 1 sends to ranks 0, 2 and 3; each of them counts the bytes in its own
// barrier.
TEST(Bulk, Multicast) {
  AsyncKernel k = kernel(R"(
  st.shared.u32 [%r3], 77;
  @%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 128;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  setp.eq.u32 %p1, %rank, 1;
  and.pred %p2, %p1, %leader;
  mov.b16 %h1, 0b1101;
  @%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
    [smem], [%in], 128, [bars], %h1;
  @%p1 bra done;
)" + waitFor("bars", 0) + R"(
done:
  ld.shared.u32 %o, [%r3];
  barrier.cluster.arrive;
  barrier.cluster.wait;
)",
                         4);
  std::vector<uint8_t> in = pattern(4096);
  std::vector<uint32_t> expected;
  for (unsigned rank = 0; rank != 4; ++rank)
    for (unsigned lane = 0; lane != 32; ++lane)
      expected.push_back(rank == 1 ? 77 : wordAt(in, lane));
  EXPECT_EQ(k.values(), expected);
}

// Each CTA sends its words to the next one.
static const std::string toNext = R"(
  mad.lo.u32 %r4, %rank, 1000, %thread;
  st.shared.u32 [%r3], %r4;
  add.u32 %r5, %rank, 100;
  st.shared.u32 [%r3+1024], %r5;
  fence.proxy.async.shared::cta;
  @%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 128;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  add.u32 %r6, %rank, 1;
  rem.u32 %r6, %r6, 3;
  mapa.shared::cluster.u32 %r7, %r1, %r6;
  mapa.shared::cluster.u32 %r8, %r2, %r6;
)";
static const std::string fromPrevious = waitFor("bars", 0) + R"(
  ld.shared.u32 %o, [%r3+1024];
  barrier.cluster.arrive;
  barrier.cluster.wait;
)";

TEST(Bulk, SharedToCluster) {
  AsyncKernel k = kernel(toNext + R"(
  @%leader cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes
    [%r7+1024], [smem], 128, [%r8];
)" + fromPrevious,
                         3);
  std::vector<uint32_t> expected;
  for (unsigned rank = 0; rank != 3; ++rank)
    for (unsigned lane = 0; lane != 32; ++lane)
      expected.push_back((rank + 2) % 3 * 1000 + lane);
  EXPECT_EQ(k.values(), expected);
}

TEST(Bulk, ReduceToCluster) {
  AsyncKernel k = kernel(toNext + R"(
  @%leader cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32
    [%r7+1024], [smem], 128, [%r8];
)" + fromPrevious,
                         3);
  std::vector<uint32_t> expected;
  for (unsigned rank = 0; rank != 3; ++rank)
    for (unsigned lane = 0; lane != 32; ++lane)
      expected.push_back((rank + 2) % 3 * 1000 + lane + rank + 100);
  EXPECT_EQ(k.values(), expected);
}

//===----------------------------------------------------------------------===//
// To global memory
//===----------------------------------------------------------------------===//

/// Shared memory holds 3 * thread in each word; `copy` is done by the leader.
static AsyncKernel storeKernel(const std::string &copy) {
  AsyncKernel k = kernel(R"(
  mul.lo.u32 %r4, %thread, 3;
  st.shared.u32 [%r3], %r4;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @!%leader bra done;
)" + copy + R"(
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
done:
)");
  k.dataBytes = 128;
  return k;
}

TEST(Bulk, SharedToGlobal) {
  AsyncKernel k = storeKernel(
      "cp.async.bulk.global.shared::cta.bulk_group [%data], [smem], 128;");
  k.values();
  for (unsigned lane = 0; lane != 32; ++lane)
    EXPECT_EQ(wordAt(k.data, lane), 3 * lane);
}

TEST(Bulk, ByteMask) {
  AsyncKernel k = storeKernel(R"(
  mov.b16 %h1, 0x0ff1;
  cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%data], [smem], 128, %h1;
)");
  k.dataBefore = std::vector<uint8_t>(128, 0xee);
  k.values();
  for (unsigned lane = 0; lane != 32; ++lane) {
    uint32_t mask = lane % 4 == 0 ? 0x000000ff : lane % 4 == 3 ? 0 : 0xffffffff;
    EXPECT_EQ(wordAt(k.data, lane), (3 * lane & mask) | (0xeeeeeeee & ~mask));
  }
}

// Bytes that the mask leaves out need no memory.
TEST(Bulk, ByteMaskAtTheEnd) {
  AsyncKernel k = storeKernel(R"(
  mov.b16 %h1, 0x0fff;
  cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%data], [smem], 32, %h1;
)");
  k.dataBefore = std::vector<uint8_t>(28, 0xee);
  k.values();
  for (unsigned word = 0; word != 7; ++word)
    EXPECT_EQ(wordAt(k.data, word), word == 3 ? 0xeeeeeeee : 3 * word);
}

template <typename T>
static std::vector<uint8_t> bytesOf(const std::vector<T> &values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(Bulk, Reductions) {
  struct Row {
    const char *op;
    uint32_t (*apply)(uint32_t a, uint32_t b);
  };
  const Row rows[] = {
      {"add.u32", [](uint32_t a, uint32_t b) { return a + b; }},
      {"add.s32", [](uint32_t a, uint32_t b) { return a + b; }},
      {"min.u32", [](uint32_t a, uint32_t b) { return std::min(a, b); }},
      {"max.s32",
       [](uint32_t a, uint32_t b) {
         return uint32_t(std::max(int32_t(a), int32_t(b)));
       }},
      {"and.b32", [](uint32_t a, uint32_t b) { return a & b; }},
      {"or.b32", [](uint32_t a, uint32_t b) { return a | b; }},
      {"xor.b32", [](uint32_t a, uint32_t b) { return a ^ b; }},
      {"inc.u32", [](uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; }},
      {"dec.u32",
       [](uint32_t a, uint32_t b) { return a == 0 || a > b ? b : a - 1; }},
  };
  std::vector<uint32_t> before;
  for (uint32_t lane = 0; lane != 32; ++lane)
    before.push_back(lane % 3 ? lane * 5 - 20 : lane * 3);
  for (const Row &row : rows) {
    AsyncKernel k =
        storeKernel("cp.reduce.async.bulk.global.shared::cta.bulk_group." +
                    std::string(row.op) + " [%data], [smem], 128;");
    k.dataBefore = bytesOf(before);
    k.values();
    for (unsigned lane = 0; lane != 32; ++lane)
      EXPECT_EQ(wordAt(k.data, lane), row.apply(before[lane], 3 * lane))
          << row.op << ", lane " << lane;
  }
}

TEST(Bulk, FloatReductions) {
  // Shared memory holds 3 * thread as bits: subnormals of f32 and f16.
  std::vector<float> floats(32, 1.5f);
  AsyncKernel k =
      storeKernel("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 "
                  "[%data], [smem], 128;");
  floats[4] = std::bit_cast<float>(0x00000010u);
  k.dataBefore = bytesOf(floats);
  k.values();
  for (unsigned lane = 0; lane != 32; ++lane)
    EXPECT_EQ(std::bit_cast<float>(wordAt(k.data, lane)),
              lane == 4 ? 0.0f : 1.5f);
  // noftz keeps what is subnormal: 3 * thread as the lower half of each word.
  k = storeKernel(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 "
      "[%data], [smem], 128;");
  k.dataBefore = std::vector<uint8_t>(128, 0);
  k.values();
  for (unsigned lane = 0; lane != 32; ++lane)
    EXPECT_EQ(wordAt(k.data, lane), 3 * lane);
  k = storeKernel("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.bf16 "
                  "[%data], [smem], 128;");
  k.dataBefore = bytesOf(std::vector<uint16_t>(64, 0xbf80)); // -1
  k.values();
  for (unsigned lane = 0; lane != 32; ++lane)
    EXPECT_EQ(wordAt(k.data, lane), 3 * lane);
}

// `.read` waits until the source has been read; the destination may be written
// later. The source can be used again then.
TEST(Bulk, WaitForReads) {
  AsyncKernel k = storeKernel(R"(
  cp.async.bulk.global.shared::cta.bulk_group [%data], [smem], 64;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
  st.shared.u32 [smem], 1234;
  ld.volatile.u32 %r9, [%data+4];
  cp.async.bulk.global.shared::cta.bulk_group [%data+64], [smem], 64;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 1;
  ld.volatile.u32 %r10, [%data+4];
)");
  k.values();
  EXPECT_EQ(wordAt(k.data, 0), 0u);
  EXPECT_EQ(wordAt(k.data, 1), 3u);
  EXPECT_EQ(wordAt(k.data, 16), 1234u);
  EXPECT_EQ(wordAt(k.data, 17), 3u);
  // After .read alone nothing need be in global memory.
  k = storeKernel(R"(
  cp.async.bulk.global.shared::cta.bulk_group [%data], [smem], 64;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
  ld.volatile.u32 %r9, [%data+4];
  setp.ne.u32 %p1, %r9, 0;
  @%p1 trap;
)");
  EXPECT_EQ(k.failure(Policy::Adversarial), "");
}

TEST(Bulk, PrefetchesAreHints) {
  AsyncKernel k = kernel("@%leader cp.async.bulk.prefetch.L2.global [%in], 64;"
                         "mov.u32 %o, 3;");
  EXPECT_EQ(k.values(), std::vector<uint32_t>(32, 3));
}

//===----------------------------------------------------------------------===//
// Rejections
//===----------------------------------------------------------------------===//

static std::string load(const std::string &to, const std::string &from,
                        const std::string &size, const std::string &barrier) {
  return "@%leader cp.async.bulk.shared::cta.global.mbarrier::complete_tx::"
         "bytes [" +
         to + "], [" + from + "], " + size + ", [" + barrier + "];";
}

TEST(BulkMustFail, Size) {
  EXPECT_CONTAINS(
      kernel("mov.u32 %r4, 40;" + load("smem", "%in", "%r4", "bars")).failure(),
      "of 40 bytes; the size must be a multiple of 16");
}

TEST(BulkMustFail, Alignment) {
  EXPECT_CONTAINS(
      kernel(load("smem+8", "%in", "64", "bars")).failure(),
      "the destination 'smem+8' (0x10000000808) must be a multiple of 16");
  EXPECT_CONTAINS(kernel(load("smem", "%in+4", "64", "bars")).failure(),
                  "must be a multiple of 16");
}

TEST(BulkMustFail, Ranges) {
  EXPECT_CONTAINS(kernel(load("smem", "%in+4080", "64", "bars")).failure(),
                  "64 bytes, source at 0x");
  EXPECT_CONTAINS(
      kernel("mov.u32 %r4, 0x600000;" + load("%r4", "%in", "64", "bars"))
          .failure(),
      "64 bytes, destination at 0x10000600000: byte 6291456 of shared memory");
}

TEST(BulkMustFail, Barrier) {
  EXPECT_CONTAINS(kernel(load("smem", "%in", "64", "bars+8")).failure(),
                  "the mbarrier at 'bars+8' (0x10000000408) isn't initialized");
}

TEST(BulkMustFail, NotTheOwnCta) {
  EXPECT_CONTAINS(kernel(R"(
  xor.b32 %r4, %rank, 1;
  mapa.shared::cluster.u32 %r4, %r1, %r4;
)" + load("%r4", "%in", "64", "bars"),
                         2)
                      .failure(),
                  "isn't in the shared memory of this CTA");
  EXPECT_CONTAINS(kernel(R"(
  @%leader cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes
    [%r1+1024], [smem], 128, [%r2];
)",
                         2)
                      .failure(),
                  "must be in another CTA of the cluster");
}

TEST(BulkMustFail, MulticastMask) {
  for (const char *mask : {"0b110", "0"})
    EXPECT_CONTAINS(kernel("mov.b16 %h1, " + std::string(mask) + R"(;
  @%leader cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
    [smem], [%in], 128, [bars], %h1;
)",
                           2)
                        .failure(),
                    "the cluster has 2 CTAs");
}

// The copy brings twice as much as is expected: the phase never ends.
TEST(BulkMustFail, MoreBytesThanExpected) {
  EXPECT_CONTAINS(
      kernel(
          "@%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 64;" +
          load("smem", "%in", "128", "bars") + waitFor("bars", 0))
          .failure(),
      "is in phase 0 (parity 0): 64 bytes more have come than are expected");
}

TEST(BulkMustFail, FewerBytesThanExpected) {
  EXPECT_CONTAINS(
      kernel(
          "@%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 80;" +
          load("smem", "%in", "64", "bars") + waitFor("bars", 0))
          .failure(),
      "is in phase 0 (parity 0): 16 bytes that are expected haven't come");
}

TEST(BulkMustFail, ExitWhileALoadIsInFlight) {
  EXPECT_CONTAINS(
      kernel(
          "@%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 64;" +
          load("smem", "%in", "64", "bars"))
          .failure(Policy::Adversarial),
      "still writes its shared memory; wait until that is done");
}

TEST(BulkMustFail, ExitWhileAStoreReads) {
  EXPECT_CONTAINS(
      kernel("@%leader cp.async.bulk.global.shared::cta.bulk_group [%data], "
             "[smem], 16;")
          .failure(Policy::Adversarial),
      "still reads its shared memory; wait until that is done");
}

TEST(BulkMustFail, DestinationHasExited) {
  EXPECT_CONTAINS(kernel(R"(
  mapa.shared::cluster.u32 %r7, %r1, 1;
  mapa.shared::cluster.u32 %r8, %r2, 1;
  setp.eq.u32 %p1, %rank, 1;
  @%p1 exit;
  mov.u32 %r9, 0;
spin:
  add.u32 %r9, %r9, 1;
  setp.lt.u32 %p2, %r9, 5000;
  @%p2 bra spin;
  @%leader cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes
    [%r7], [smem], 128, [%r8];
)",
                         2)
                      .failure(),
                  "of CTA rank 1 is in the shared memory of a CTA that has "
                  "exited");
}

//===----------------------------------------------------------------------===//
// st.bulk
//===----------------------------------------------------------------------===//

// Words 2 to 9 become zero; the others stay.
TEST(Bulk, Clear) {
  for (const char *clear : {"st.bulk.weak.shared::cta [smem+8], 32, 0;",
                            "cvta.shared.u64 %rd1, smem; mov.u64 %rd2, 32; "
                            "st.bulk [%rd1+8], %rd2, 0;"}) {
    AsyncKernel k = kernel("st.shared.u32 [%r3], 7; bar.sync 0; @!%leader bra "
                           "skip; " +
                           std::string(clear) +
                           " skip: bar.sync 0; ld.shared.u32 %o, [%r3];");
    k.device = "b200";
    std::vector<uint32_t> expected(k.threads, 7);
    std::fill_n(expected.begin() + 2, 8, 0);
    EXPECT_EQ(k.values(), expected);
  }
}

TEST(BulkMustFail, ClearingTheWrongPlace) {
  auto failure = [](const std::string &body) {
    AsyncKernel k = kernel(body);
    k.device = "b200";
    return k.failure();
  };
  EXPECT_CONTAINS(failure("mov.u64 %rd2, 12; @%leader st.bulk.shared::cta "
                          "[smem], %rd2, 0;"),
                  "the size is 12; it must be a multiple of 8");
  EXPECT_CONTAINS(failure("@%leader st.bulk.shared::cta [smem+4], 32, 0;"),
                  "must be a multiple of 8");
  EXPECT_CONTAINS(failure("@%leader st.bulk [%in], 32, 0;"), "destination");
}
