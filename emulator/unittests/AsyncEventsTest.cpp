//===- AsyncEventsTest.cpp - Events of copies --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EventLog.h"
#include "TensorKernel.h"
#include "drawloom/Emulator/AddressMap.h"

using namespace drawloom;
using namespace drawloom::emu;
using Lines = EventLog::Lines;

/// A kernel around `body` with 4 KiB of shared memory `smem`, four mbarriers
/// `bars`, %r<16>, %rd<8>, %p<8>, and %in, %out, %t and %first, lane 0.
static std::string kernel(const std::string &body) {
  return R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .pred %p<8>, %first;
  .reg .b32 %r<16>, %t;
  .reg .b64 %rd<8>, %in, %out;
  .shared .align 128 .b8 smem[4096];
  .shared .align 8 .b64 bars[4];
  mov.u32 %r0, smem;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  setp.eq.u32 %first, %t, 0;
)" + body +
         "\n  ret;\n}";
}

static const std::string waitForBars = R"(
again:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bars], 0;
  @!%p1 bra again;
)";

/// Variables are in shared memory in the order in which they are used first.
static void nameShared(EventLog &log) {
  uint64_t start = sharedWindow + 1024;
  log.name("smem", start, 4096);
  log.name("bars", start + 4096, 32);
}

/// What a cluster of `ctas` tells, but for its end.
static Lines eventsOf(const std::string &body, unsigned threads,
                      unsigned ctas = 1, llvm::StringRef device = "b200") {
  Harness h(device, kernel(body));
  EventLog log;
  nameShared(log);
  h.options.listener = &log;
  h.cluster = {ctas};
  uint64_t in = h.allocate<char>(4096), out = h.allocate<char>(4096);
  log.name("in", in, 4096);
  log.name("out", out, 4096);
  EXPECT_TRUE(h.run("k", {ctas}, {threads}, {in, out}));
  Lines lines = log.lines();
  llvm::erase_if(lines, [](llvm::StringRef line) {
    return line == "alone" || line.ends_with("exit") || line.starts_with("cta");
  });
  return lines;
}

TEST(AsyncEvents, Mbarriers) {
  EXPECT_EQ(eventsOf(R"(
  mbarrier.init.shared::cta.b64 [bars], 2;
  mbarrier.init.shared::cta.b64 [bars+8], 1;
  mbarrier.arrive.relaxed.cluster.shared::cta.b64 _, [bars];
  mbarrier.test_wait.parity.shared::cta.b64 %p1, [bars], 0;
  mbarrier.expect_tx.relaxed.cluster.shared::cta.b64 [bars], 16;
  mbarrier.complete_tx.shared::cta.b64 [bars], 16;
  mbarrier.arrive_drop.shared::cta.b64 _, [bars];
  mbarrier.test_wait.parity.relaxed.cluster.shared::cta.b64 %p1, [bars], 0;
  mbarrier.test_wait.parity.shared::cta.b64 %p1, [bars+8], 1;
  mbarrier.inval.shared::cta.b64 [bars];
)",
                     1),
            (Lines{"w0:1 init bars 2", "w0:1 init bars+8 1",
                   "w0:1 arrive bars 1 relaxed.cluster in 0",
                   "w0:1 wait for bars acquire.cta in 0 false",
                   "w0:1 expect bars 16 relaxed.cluster in 0",
                   "w0:1 complete bars 16 relaxed.cta in 0",
                   "w0:1 arrive bars 1 drop release.cta in 0",
                   "w0:1 phase end bars in 0",
                   "w0:1 wait for bars relaxed.cluster in 0 true",
                   "w0:1 wait for bars+8 acquire.cta in -1 true",
                   "w0:1 invalidate bars in 1"}));
}

// Rows of a matrix are of the lanes that name them; st.bulk is a plain store.
TEST(AsyncEvents, AccessesOfManyBytes) {
  EXPECT_EQ(eventsOf(R"(
  @%first st.bulk.weak.shared::cta [smem], 64, 0;
  mad.lo.u32 %r1, %t, 16, %r0;
  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];
  stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1+512], {%r2, %r2};
)",
                     32),
            (Lines{"w0:1 write smem:64", "w0:ff read smem:16x8/16",
                   "w0:ffff write unchanged:ffff smem+512:16x16/16"}));
}

TEST(AsyncEvents, TensorMapsThatChange) {
  EXPECT_EQ(
      eventsOf(R"(
  @%first tensormap.replace.tile.global_address.shared::cta.b1024.b64
    [smem], %in;
  bar.warp.sync 0xffffffff;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned
    [%out], [smem], 128;
)",
               32),
      (Lines{"w0:1 write smem:128", "w0 meet acq_rel", "w0 read smem:128x32/0",
             "w0 write out:128x32/0", "w0 fence tensormap release.gpu"}));
}

TEST(AsyncEvents, CopiesAndTheirGroups) {
  // Three copies of 16 bytes a lane; the second reads 8 and fills up with
  // zeros, the third is committed by the wait for all.
  EXPECT_EQ(eventsOf(R"(
  mov.u32 %r1, smem;
  mad.lo.u32 %r1, %t, 16, %r1;
  mad.wide.u32 %rd1, %t, 16, %in;
  cp.async.ca.shared.global [%r1], [%rd1], 16;
  cp.async.commit_group;
  cp.async.ca.shared.global [%r1+512], [%rd1], 16, 8;
  cp.async.commit_group;
  cp.async.wait_group 1;
  cp.async.cg.shared.global [%r1+1024], [%rd1], 16, 0;
  cp.async.wait_all;
  cp.async.wait_all;
)",
                     32),
            (Lines{"w0 #1 issue copy in group 0", "w0 commit copies 0",
                   "w0 #2 issue copy in group 1", "w0 commit copies 1",
                   "w0 #1 read in:16x32/16", "w0 #1 write smem:16x32/16",
                   "w0 #1 complete", "w0 #2 read in:8x32/16",
                   "w0 #2 write smem+512:16x32/16", "w0 #2 complete",
                   "w0 waited copies before 1", "w0 #3 issue copy in group 2",
                   "w0 commit copies 2", "w0 #3 write smem+1024:16x32/16",
                   "w0 #3 complete", "w0 waited copies before 3",
                   "w0 waited copies before 3"}));
}

TEST(AsyncEvents, ArrivalsThatFollowCopies) {
  for (bool increments : {false, true}) {
    std::string suffix = increments ? "" : ".noinc";
    Lines expected = {"w0:1 init bars 1"};
    expected.insert(expected.end(), {"w0:1 #1 issue copy in group 0"});
    if (increments)
      expected.push_back("w0:1 expect arrival bars 1 in 0");
    expected.push_back("w0:1 #2 issue commit at bars");
    if (increments)
      expected.push_back("w0:1 arrive bars 1 release.cta in 0");
    expected.insert(expected.end(),
                    {"w0:1 #1 read in:16", "w0:1 #1 write smem:16",
                     "w0:1 #1 complete",
                     "w0:1 #2 arrive bars 1 release.cta in 0",
                     "w0:1 #2 phase end bars in 0", "w0:1 #2 complete",
                     "w0:1 wait for bars acquire.cluster in 0 true"});
    EXPECT_EQ(eventsOf("mbarrier.init.shared::cta.b64 [bars], 1;\n"
                       "cp.async.ca.shared.global [smem], [%in], 16;\n"
                       "cp.async.mbarrier.arrive" +
                           suffix + ".shared::cta.b64 [bars];\n" +
                           (increments ? "mbarrier.arrive.shared::cta.b64 _, "
                                         "[bars];\n"
                                       : "") +
                           waitForBars,
                       1),
              expected);
  }
}

TEST(AsyncEvents, BulkCopies) {
  EXPECT_EQ(eventsOf(R"(
  @%first mbarrier.init.shared::cta.b64 [bars], 1;
  bar.warp.sync 0xffffffff;
  @%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 64;
  @%first cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes
    [smem], [%in], 64, [bars];
)" + waitForBars + R"(
  @!%first bra done;
  cp.async.bulk.global.shared::cta.bulk_group [%out], [smem], 48;
  cp.async.bulk.commit_group;
  cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32
    [%out+64], [smem], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 1;
  cp.async.bulk.wait_group 0;
done:
)",
                     32),
            (Lines{"w0:1 init bars 1",
                   "w0 meet acq_rel",
                   "w0:1 expect bars 64 relaxed.cta in 0",
                   "w0:1 arrive bars 1 release.cta in 0",
                   "w0:1 #1 issue bulk at bars",
                   "w0:1 #1 read async in:64",
                   "w0:1 #1 write async smem:64",
                   "w0:1 #1 complete bars 64 release.cluster in 0",
                   "w0:1 #1 phase end bars in 0",
                   "w0:1 #1 complete",
                   "w0 wait for bars acquire.cluster in 0 true",
                   "w0:1 #2 issue bulk in group 0",
                   "w0:1 commit bulk 0",
                   "w0:1 #3 issue bulk in group 1",
                   "w0:1 commit bulk 1",
                   "w0:1 #2 read async smem:48",
                   "w0:1 #2 source read",
                   "w0:1 #3 read async smem:16",
                   "w0:1 #3 source read",
                   "w0:1 #2 write async unchanged:1 out:48",
                   "w0:1 #2 complete",
                   "w0:1 #3 reduce async relaxed.gpu out+64:16",
                   "w0:1 #3 complete",
                   "w0:1 waited bulk read before 1",
                   "w0:1 waited bulk before 2"}));
}

// A copy to both CTAs is one operation with two mbarriers.
TEST(AsyncEvents, Multicasts) {
  Lines lines = eventsOf(R"(
  mbarrier.init.shared::cta.b64 [bars], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 32;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mov.u32 %r1, %cluster_ctarank;
  setp.eq.u32 %p2, %r1, 1;
  .reg .b16 %mask;
  mov.b16 %mask, 3;
  @%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
    [smem+256], [%in], 32, [bars], %mask;
)" + waitForBars,
                         1, 2, "h100");
  llvm::erase_if(lines, [](llvm::StringRef line) {
    return !line.contains("#1") && !line.contains("wait for");
  });
  EXPECT_EQ(
      lines,
      (Lines{"c1w0:1 #1 issue bulk at bars at bars@1",
             "c1w0:1 #1 read async in:32", "c1w0:1 #1 write async smem+256:32",
             "c1w0:1 #1 write async smem+256@1:32",
             "c1w0:1 #1 complete bars 32 release.cluster in 0",
             "c1w0:1 #1 phase end bars in 0",
             "c1w0:1 #1 complete bars@1 32 release.cluster in 0",
             "c1w0:1 #1 phase end bars@1 in 0", "c1w0:1 #1 complete",
             "w0:1 wait for bars acquire.cluster in 0 true",
             "c1w0:1 wait for bars@1 acquire.cluster in 0 true"}));
}

TEST(AsyncEvents, RemoteStores) {
  Lines lines = eventsOf(R"(
  mbarrier.init.shared::cta.b64 [bars], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 8;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mov.u32 %r1, %cluster_ctarank;
  setp.eq.u32 %p3, %r1, 1;
  mov.u32 %r2, smem;
  mapa.shared::cluster.u32 %r3, %r2, 1;
  mov.u32 %r2, bars;
  mapa.shared::cluster.u32 %r4, %r2, 1;
  @%p3 bra second;
  st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r3], 77, [%r4];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32
    [%r3+4], 5, [%r4];
  bra done;
second:
)" + waitForBars + R"(
done:
  barrier.cluster.arrive;
  barrier.cluster.wait;
)",
                         1, 2, "h100");
  llvm::erase_if(lines, [](llvm::StringRef line) {
    return !line.contains("#") && !line.contains("wait for");
  });
  EXPECT_EQ(
      lines,
      (Lines{"w0:1 #1 issue remote-store at bars@1",
             "w0:1 #2 issue remote-store at bars@1", "w0:1 #1 write smem@1:4",
             "w0:1 #1 complete bars@1 4 release.cluster in 0",
             "w0:1 #1 complete", "w0:1 #2 reduce relaxed.cluster smem+4@1:4",
             "w0:1 #2 complete bars@1 4 release.cluster in 0",
             "w0:1 #2 phase end bars@1 in 0", "w0:1 #2 complete",
             "c1w0:1 wait for bars@1 acquire.cluster in 0 true"}));
}

TEST(AsyncEvents, StoresThatRelease) {
  EXPECT_EQ(eventsOf("st.async.release.gpu.global.u32 [%out], 7;", 2),
            (Lines{"w0:3 #1 issue remote-store",
                   "w0:3 #1 write release.gpu out:4x2/0", "w0:3 #1 complete"}));
}

TEST(AsyncEvents, LaunchControl) {
  EXPECT_EQ(eventsOf(R"(
  mbarrier.init.shared::cta.b64 [bars], 1;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 16;
  clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128
    [smem], [bars];
)" + waitForBars,
                     1),
            (Lines{"w0:1 init bars 1", "w0:1 expect bars 16 relaxed.cta in 0",
                   "w0:1 arrive bars 1 release.cta in 0",
                   "w0:1 #1 issue launch-control at bars",
                   "w0:1 #1 write async smem:16",
                   "w0:1 #1 complete bars 16 release.cluster in 0",
                   "w0:1 #1 phase end bars in 0", "w0:1 #1 complete",
                   "w0:1 wait for bars acquire.cluster in 0 true"}));
}

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

/// What the only operation of a kernel tells.
static Lines operationOf(AsyncKernel k, uint64_t tensor) {
  EventLog log;
  log.name("map", paramWindow + 64, 128);
  // The barriers are used first, if they are.
  bool hasBarriers = k.body.find("bars") != std::string::npos;
  uint64_t start = sharedWindow + 1024;
  if (hasBarriers)
    log.name("bars", start, 64);
  log.name("smem", start + (hasBarriers ? 1024 : 0), 32768);
  log.name("tensor", tensor, 4096);
  k.listener = &log;
  EXPECT_EQ(k.failure(), "");
  return log.lines("w0:1 #1 ");
}

/// Rows of 32 bytes of a tensor whose rows are 64 bytes apart, four of them,
/// the last of which is outside.
static TensorMap narrowMap(TensorMapSwizzle swizzle) {
  TensorMap map;
  map.type = TensorMapType::U32;
  map.rank = 2;
  map.dims = {16, 4, 1, 1, 1};
  map.strides = {64, 0, 0, 0};
  map.box = {8, 4, 1, 1, 1};
  map.swizzle = swizzle;
  return map;
}

/// Where the harness puts the input, which comes second, and the data.
static uint64_t addressOf(unsigned allocation, unsigned words) {
  Harness h("b200", ".visible .entry k() { ret; }");
  h.allocate<uint32_t>(words);
  uint64_t in = h.allocate<char>(4096);
  return allocation == 1 ? in : h.allocate<char>(4096);
}

TEST(AsyncEvents, TensorLoads) {
  // The second row of the tensor is the first of the box. Rows of 32 bytes lie
  // side by side; with a swizzle they are 128 bytes apart, and those of the
  // second half are in other chunks.
  const std::pair<TensorMapSwizzle, const char *> cases[] = {
      {TensorMapSwizzle::None, "smem:128"},
      {TensorMapSwizzle::Bytes128, "smem:32x2/128 smem+288:32x2/128"}};
  for (auto [swizzle, shared] : cases) {
    bool isSwizzled = swizzle == TensorMapSwizzle::Bytes128;
    AsyncKernel k =
        loadKernel(narrowMap(swizzle), {0, 1}, 128, isSwizzled ? 512 : 128);
    k.input = pattern(4096);
    EXPECT_EQ(operationOf(k, addressOf(1, k.threads)),
              (Lines{"w0:1 #1 issue tensor at bars", "w0:1 #1 read map map:128",
                     "w0:1 #1 read async tensor+64:32x3/64",
                     "w0:1 #1 write async " + std::string(shared),
                     "w0:1 #1 complete bars 128 release.cluster in 0",
                     "w0:1 #1 phase end bars in 0", "w0:1 #1 complete"}));
  }
}

// What a map says, and the memory that it is for.
TEST(AsyncEvents, TensorMapsInUse) {
  TensorMap map = narrowMap(TensorMapSwizzle::None);
  map.dims[1] = 100;
  AsyncKernel k = loadKernel(map, {0, 1}, 128, 128);
  k.input = pattern(4096);
  EventLog log;
  log.words = {"map"};
  log.name("tensor", addressOf(1, k.threads), 4096);
  k.listener = &log;
  EXPECT_EQ(k.failure(), "");
  EXPECT_EQ(log.lines(),
            (Lines{"w0:1 map of 6400 bytes at tensor in tensor:4096"}));
}

TEST(AsyncEvents, TensorStores) {
  AsyncKernel k = storeKernel(
      narrowMap(TensorMapSwizzle::None), {8, 1}, 128,
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group");
  k.dataBytes = 4096;
  EXPECT_EQ(
      operationOf(k, addressOf(2, k.threads)),
      (Lines{"w0:1 #1 issue tensor in group 0", "w0:1 #1 read map map:128",
             "w0:1 #1 read async smem:128", "w0:1 #1 source read",
             "w0:1 #1 reduce async relaxed.gpu tensor+96:32x3/64",
             "w0:1 #1 complete"}));
}
