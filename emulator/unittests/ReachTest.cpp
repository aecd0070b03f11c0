//===- ReachTest.cpp - What a kernel can reach ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that try to reach memory that isn't theirs: by calls, by the stack,
// by sizes that wrap around, and by memory that is gone when an engine comes to
// it. docs/Emulator.md, "What a kernel can reach", lists them.
//
//===----------------------------------------------------------------------===//

#include "AsyncKernel.h"
#include "drawloom/Emulator/Listener.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom::emu;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static const char *const functions = R"(
.func g(.param .align 8 .b8 x[64]) { .reg .b64 %a; ld.param.b64 %a, [x+56]; ret; }
.func (.param .b32 r) seven() { st.param.b32 [r], 7; ret; }
.func (.reg .pred r) truth() { setp.eq.u32 r, 0, 0; ret; }
)";

TEST(ReachMustFail, CallByAPrototypeWithAPredicate) {
  // The predicate would land in register 0, the constant true.
  EXPECT_CONTAINS(
      perLaneFailure("proto: .callprototype _ (.reg .pred _);"
                     "mov.u64 %rd1, g; call %rd1, (%p1), proto;",
                     functions),
      "a call of 'g' that doesn't agree with it: its parameter 0 is 64 bytes "
      "of .param memory, and that of the call a predicate");
  EXPECT_CONTAINS(
      perLaneFailure("proto: .callprototype (.reg .b32 _) _ ();"
                     "mov.u64 %rd1, truth; call (%r1), %rd1, proto;",
                     functions),
      "its result 0 is a predicate, and that of the call a register of 32 "
      "bits");
}

TEST(ReachMustFail, CallWithOtherSizes) {
  EXPECT_CONTAINS(perLaneFailure("{ .param .b64 p; st.param.b64 [p], 1;"
                                 "call g, (p); }",
                                 functions),
                  "its parameter 0 is 64 bytes of .param memory, and that of "
                  "the call 8 bytes of .param memory");
  EXPECT_CONTAINS(perLaneFailure("call (%rd1), seven;", functions),
                  "its result 0 is 4 bytes of .param memory, and that of the "
                  "call a register of 64 bits");
  EXPECT_CONTAINS(perLaneFailure("list: .calltargets g;"
                                 "mov.u64 %rd1, g; call %rd1, list;",
                                 functions),
                  "it has 1 parameters, and the call 0");
}

TEST(ReachMustFail, CallOfAKernel) {
  EXPECT_CONTAINS(
      perLaneFailure("proto: .callprototype _ ();"
                     "mov.u64 %rd1, other; call %rd1, proto;",
                     ".visible .entry other() { ret; }"),
      "a call of 'other' that doesn't agree with it: it is a kernel");
}

TEST(ReachMustFail, ResultIntoAConstant) {
  EXPECT_CONTAINS(perLaneFailure("call (1), truth;", functions),
                  "a result goes to a register, a .param variable or '_'");
}

TEST(ReachMustFail, ParameterOfTheKernelInACall) {
  EXPECT_CONTAINS(perLaneFailure("call (out), seven;", functions),
                  "'out' is a parameter of the kernel; a call takes .param "
                  "variables of the function that it is in");
}

TEST(Reach, AnUnusedResult) {
  // What isn't taken leaves the constant 0 alone.
  EXPECT_EQ(perLane<uint32_t>("call (_), seven; call (_), truth;"
                              "mov.u32 %o, 0; add.u32 %o, %o, 0;",
                              functions),
            lanes<uint32_t>([](unsigned) { return 0; }));
}

/// A function that calls itself `depth` times and has `count` results: result i
/// is i plus the depth, and the last one a predicate.
static std::string recursive(unsigned count) {
  std::string results, sums, taken, first;
  for (unsigned i = 0; i != count; ++i) {
    std::string number = std::to_string(i);
    results += ".reg .b64 %o" + number + ", ";
    taken += "%o" + number + ", ";
    first += "mov.u64 %o" + number + ", " + number + ";\n";
    sums += "add.u64 %o" + number + ", %o" + number + ", 1;\n";
  }
  return ".func (" + results +
         ".reg .pred %odd) f(.reg .b32 %n) {\n"
         ".reg .pred %p; .reg .b32 %m;\n"
         "setp.eq.u32 %p, %n, 0;\n@!%p bra deeper;\n" +
         first +
         "setp.ne.u32 %odd, %n, 0;\nret;\ndeeper:\n"
         "sub.u32 %m, %n, 1;\ncall (" +
         taken + "%odd), f, (%m);\n" + sums + "not.pred %odd, %odd;\nret;\n}\n";
}

TEST(Reach, ResultsOfARecursiveFunction) {
  std::string taken;
  for (unsigned i = 0; i != 200; ++i)
    taken += "%x" + std::to_string(i) + ", ";
  EXPECT_EQ(perLane<uint64_t>(".reg .b64 %x<200>; rem.u32 %r1, %lane, 5;"
                              "call (" +
                                  taken +
                                  "%p1), f, (%r1);"
                                  "selp.u64 %rd1, 1000, 0, %p1;"
                                  "add.u64 %od, %x199, %x0;"
                                  "add.u64 %od, %od, %rd1;",
                              recursive(200)),
            lanes<uint64_t>([](unsigned lane) {
              return 199 + 2 * (lane % 5) + (lane % 5 % 2 ? 1000 : 0);
            }));
}

TEST(ReachMustFail, RecursionWithoutAnEnd) {
  // What a call keeps counts as stack, so that the host's memory doesn't.
  EXPECT_CONTAINS(perLaneFailure("mov.u32 %r1, -1; { .reg .b64 %x<9>;"
                                 "call (%x1, %x2, %p1), f, (%r1); }",
                                 recursive(2)),
                  "bytes of stack; a thread has 524288");
}

//===----------------------------------------------------------------------===//
// The stack
//===----------------------------------------------------------------------===//

TEST(ReachMustFail, Stackrestore) {
  EXPECT_CONTAINS(
      perLaneFailure("mov.u32 %r1, 98304; stackrestore.u32 %r1;"),
      "'stackrestore' to byte 98304 of the stack, which is no place that a "
      "stacksave of 'k' has given: 0 to 0 are possible");
  EXPECT_CONTAINS(
      perLaneFailure("mov.u64 %rd1, 0x100000000; stackrestore.u64 %rd1;"),
      "'stackrestore' to byte 4294967296 of the stack");
  EXPECT_CONTAINS(perLaneFailure(".local .align 8 .b8 a[64];"
                                 "st.local.u32 [a], 1;"
                                 "mov.u32 %r1, 32; stackrestore.u32 %r1;"),
                  "64 to 64 are possible");
}

TEST(ReachMustFail, TheWayBackIsNotInMemory) {
  // Where the frame of a called function begins there is nothing of its own.
  EXPECT_CONTAINS(perLaneFailure("call f;",
                                 ".func f() { .reg .b32 %a; .local .b32 x;"
                                 "mov.u32 %a, x; st.local.u32 [%a+-8], 1;"
                                 "ret; }"),
                  "'st.local.u32' of 4 bytes at 0x20000000000: byte -8 of 'x'");
}

TEST(ReachMustFail, FramesThatWrap) {
  const char *big = ".func f(.param .align 1 .b8 x[2147483648]) {"
                    ".local .align 1 .b8 big[2147483648];"
                    ".reg .b32 %a; ld.param.b8 %a, [x];"
                    "ld.local.u8 %a, [big]; ret; }";
  EXPECT_CONTAINS(
      perLaneFailure(".param .align 1 .b8 y[2147483648]; call f, (y);", big),
      "the .param and .local variables up to 'y', which has 2147483648 bytes, "
      "don't fit into the 523264 bytes of a thread's stack [ptx-limit]");
  EXPECT_CONTAINS(
      perLaneFailure("", std::string(big) + ".global .u64 table[1] = {f};"),
      "'f': the .param and .local variables up to 'x'");
}

//===----------------------------------------------------------------------===//
// What a module declares
//===----------------------------------------------------------------------===//

TEST(ReachMustFail, DeclaredSizesThatWrap) {
  EXPECT_CONTAINS(perLaneFailure("mov.u32 %r1, s;",
                                 ".shared .b8 s[4294967296][4294967296];"),
                  "there is no room for the 18446744073709551615 bytes of 's'");
  EXPECT_CONTAINS(
      perLaneFailure("mov.u32 %r1, s; mov.u32 %r2, t;",
                     ".shared .b8 s[8388608]; .shared .b8 t[8388608];"),
      "declares more shared memory than the");
  Harness h("b200", "");
  EXPECT_CONTAINS(h.loadError(".version 9.2 .target sm_100a .address_size 64 "
                              ".global .b8 g[4294967296][4294967296];"),
                  "out of device memory");
  EXPECT_CONTAINS(h.loadError(".version 9.2 .target sm_100a .address_size 64 "
                              ".const .b8 c[9223372036854775807];"
                              ".const .b8 d[9223372036854775807];"),
                  "the constants take more than the device's");
}

TEST(ReachMustFail, ParametersThatWrap) {
  Harness h("b200", ".visible .entry k(.param .b8 a[4294967288],"
                    "                  .param .u64 b) { ret; }");
  EXPECT_CONTAINS(h.fail("k", {1}, {1}, {}),
                  "the parameters up to 'a' take more than the 32764 bytes "
                  "that a kernel can have [ptx-limit]");
}

TEST(ReachMustFail, TooManyRegisters) {
  EXPECT_CONTAINS(perLaneFailure(".reg .b32 %x<1000000000>;"
                                 "mov.u32 %x999999999, 1;"),
                  "'k' declares 1000000");
  std::string body = ".reg .b64 %x<70000>;";
  for (unsigned i = 0; i != 70000; ++i)
    body += "mov.u64 %rd1, " + std::to_string(i + 1000000) + ";\n";
  EXPECT_CONTAINS(perLaneFailure(body),
                  "'k': the registers and constants of a warp take");
}

TEST(Reach, DirectivesWhoseProductWraps) {
  // Neither divides by a product that is 0 in so many bits.
  const struct {
    const char *directives, *words;
  } cases[] = {
      {".maxntid 4294967295 .minnctapersm 2", ""},
      {".maxntid 4294967295 .minnctapersm 4294967295", ""},
      {".maxnreg 4194304", "no room for a cluster of 1 CTAs"},
      {".maxntid 4294967295, 4294967295, 4294967295 .minnctapersm 2", ""},
  };
  for (auto [directives, words] : cases) {
    Harness h("b200",
              ".visible .entry k() " + std::string(directives) + " { ret; }");
    std::string report = h.fail("k", {1}, {1024}, {});
    EXPECT_TRUE(*words ? llvm::StringRef(report).contains(words)
                       : report.empty())
        << directives << ": " << report;
  }
}

TEST(Reach, RegistersThatAreOnlyDeclared) {
  EXPECT_EQ(perLane<uint32_t>(".reg .b32 %x<16000000>;"
                              "mov.u32 %x15999999, %lane;"
                              "mov.u32 %o, %x15999999;"),
            lanes<uint32_t>([](unsigned lane) { return lane; }));
}

TEST(Reach, RegistersWiderThanWhatIsMoved) {
  // The last bytes of shared memory: 4 are stored and loaded, not 16.
  EXPECT_EQ(perLane<uint64_t>(R"(
  mov.u32 %r1, last;
  mov.b128 %q1, {0x1111111155555555, 0x3333333333333333};
  st.shared.b32 [%r1+12], %q1;
  st.shared.b8 [%r1+11], %q1;
  ld.shared.u32 %r2, [%r1+12];
  ld.shared.s8 %q2, [%r1+11];
  mov.b128 {%rd1, %rd2}, %q2;
  ld.shared.b32 %q3, [%r1+12];
  mov.b128 {%rd3, %rd4}, %q3;
  cvt.u64.u32 %od, %r2;
  add.u64 %od, %od, %rd1; add.u64 %od, %od, %rd2;
  add.u64 %od, %od, %rd3; add.u64 %od, %od, %rd4;
)",
                              ".shared .align 16 .b8 last[16];"),
            lanes<uint64_t>(
                [](unsigned) { return 0x55555555ull + 0x55 + 0x55555555ull; }));
  EXPECT_EQ(perLane<uint64_t>("mov.u32 %r1, smem; st.shared.u64 [%r1], -2;"
                              "ld.shared.s64 %q1, [%r1];"
                              "mov.b128 {%rd1, %rd2}, %q1;"
                              "add.u64 %od, %rd1, %rd2;"),
            lanes<uint64_t>([](unsigned) { return uint64_t(-3); }));
}

TEST(Reach, StoresOfWideRegistersAtTheEndOfAnAllocation) {
  Harness h("b200", ".visible .entry k(.param .u64 p) { .reg .b64 %rd<2>;"
                    ".reg .b128 %q; ld.param.u64 %rd1, [p];"
                    "mov.b128 %q, {-1, -1}; st.global.b32 [%rd1], %q; ret; }");
  // Behind the allocation's 4 bytes there is more of its page.
  uint64_t p = h.allocate<uint32_t>(1);
  ASSERT_TRUE(h.run("k", {1}, {1}, {p}));
  const char *memory = h.device->memory().translate(p, 4);
  EXPECT_EQ(std::string(memory, 16),
            std::string(4, '\xff') + std::string(12, '\0'));
}

//===----------------------------------------------------------------------===//
// Sizes of copies
//===----------------------------------------------------------------------===//

TEST(ReachMustFail, StBulkWhoseEndWraps) {
  EXPECT_CONTAINS(perLaneFailure("mov.u64 %rd1, 0xfffffffffffffff0;"
                                 "mov.u32 %r1, smem;"
                                 "st.bulk.weak.shared::cta [%r1+16], %rd1, 0;"),
                  "18446744073709551600 bytes, destination at 0x");
}

/// 2^32 bytes in a box, from one row of 16.
static TensorMap boxOf4GiB() {
  TensorMap map;
  map.rank = 5;
  map.dims = map.dims = {16, 256, 256, 256, 16};
  map.strides = {16, 0, 0, 0};
  map.box = {16, 256, 256, 256, 16};
  return map;
}

TEST(ReachMustFail, FootprintsOfTensorCopies) {
  AsyncKernel k;
  k.input = pattern(4096);
  k.map = boxOf4GiB();
  k.body = initBarriers({1}) + R"(
  @%leader cp.async.bulk.tensor.5d.shared::cta.global.tile
    .mbarrier::complete_tx::bytes [smem], [%map, {0, 0, 0, 0, 0}], [bars];)";
  EXPECT_CONTAINS(k.failure(), "4294967296 bytes, destination at 0x");
  k.body = "@%leader cp.async.bulk.tensor.5d.global.shared::cta.tile"
           ".bulk_group [%map, {0, 0, 0, 0, 0}], [smem];";
  EXPECT_CONTAINS(k.failure(), "4294967296 bytes, source at 0x");
  k.body = "@%leader cp.reduce.async.bulk.tensor.5d.global.shared::cta.add.tile"
           ".bulk_group [%map, {0, 0, 0, 0, 0}], [smem];";
  k.map->type = TensorMapType::U32;
  k.map->dims[0] = k.map->box[0] = 4;
  EXPECT_CONTAINS(k.failure(), "4294967296 bytes, source at 0x");
}

TEST(Reach, AddressesOfTensorsWrapAsOnHardware) {
  // Dimension 2 leads 2^28 * 2^36 bytes on, which is nowhere.
  AsyncKernel k;
  k.input = pattern(256);
  TensorMap map;
  map.rank = 3;
  map.type = TensorMapType::U32;
  map.dims = {16, 4, uint64_t(1) << 29};
  map.strides = {64, uint64_t(1) << 36};
  map.box = {16, 4, 1};
  k.map = map;
  k.threads = 64;
  k.body = initBarriers({1}) + R"(
  @%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 256;
  @%leader cp.async.bulk.tensor.3d.shared::cta.global.tile
    .mbarrier::complete_tx::bytes [smem], [%map, {0, 0, 268435456}], [bars];
)" + waitFor("bars", 0) +
           "mov.u32 %r1, smem; mad.lo.u32 %r1, %thread, 4, %r1;"
           "ld.shared.u32 %o, [%r1];";
  std::vector<uint32_t> values = k.values();
  std::vector<uint8_t> bytes(256);
  memcpy(bytes.data(), values.data(), bytes.size());
  EXPECT_EQ(bytes, pattern(256));
}

namespace {
/// Notes how far into shared memory an access is reported.
class Furthest : public Listener {
public:
  struct OfCluster : ClusterListener {
    explicit OfCluster(uint64_t &end) : end(end) {}
    void access(const AccessEvent &event) override {
      for (const MemoryRange &range : event.ranges)
        if (isShared(range.address))
          end = std::max(end, (range.address & sharedOffsetMask) + range.bytes +
                                  (range.count - 1) * uint64_t(range.pitch));
    }
    uint64_t &end;
  };
  std::unique_ptr<ClusterListener>
  startCluster(const ClusterStart &start) override {
    sharedBytes = start.sharedBytes;
    return std::make_unique<OfCluster>(end);
  }
  uint64_t end = 0, sharedBytes = 0;
};
} // namespace

TEST(ReachMustFail, MatricesOutsideAreNotReported) {
  AsyncKernel k;
  Furthest listener;
  k.device = "h100";
  k.threads = 128;
  k.listener = &listener;
  k.body = ".reg .f32 %f<4>; mov.u64 %rd1, 0x4000004000013fff;"
           "wgmma.fence.sync.aligned;"
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16"
           "{%f0, %f1, %f2, %f3}, %rd1, %rd1, 1, 1, 1, 0, 0;"
           "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";
  EXPECT_CONTAINS(k.failure(), "are outside the CTA's");
  EXPECT_LE(listener.end, listener.sharedBytes);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

TEST(ReachMustFail, ConstantsAreNotWritten) {
  const char *constants = ".const .align 128 .b32 c[256] = {1, 2, 3, 4};";
  auto failure = [&](const std::string &body) {
    return perLaneFailure("mov.u32 %r1, smem; mov.u64 %rd1, c;"
                          "cvta.const.u64 %rd1, %rd1;" +
                              body,
                          constants);
  };
  const char *words = "in constant memory, which can't be written";
  EXPECT_CONTAINS(failure("cp.async.bulk.global.shared::cta.bulk_group [%rd1],"
                          "[%r1], 16;"),
                  words);
  EXPECT_CONTAINS(failure("cp.reduce.async.bulk.global.shared::cta.bulk_group"
                          ".add.u64 [%rd1], [%r1], 16;"),
                  words);
  EXPECT_CONTAINS(failure("st.async.mmio.release.sys.global.u64 [%rd1], %rd1;"),
                  words);
  EXPECT_CONTAINS(
      failure("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1],"
              "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, 16;"),
      words);
}

TEST(ReachMustFail, ConstantsAreNotWrittenByTensorCopies) {
  // The map is the kernel's own: it puts the address of the constants there.
  Harness h("b200", R"(
.const .align 128 .b32 c[256] = {1, 2, 3, 4};
.visible .entry k(.param .align 64 .b8 given[128], .param .u64 own) {
  .reg .b64 %rd<8>; .reg .b32 %r<4>;
  .shared .align 128 .b8 smem[1024];
  ld.param.u64 %rd1, [own];
  mov.b64 %rd2, given;
  cvta.param.u64 %rd2, %rd2;
  mov.u32 %r1, 0;
next:
  ld.u64 %rd3, [%rd2];
  st.global.u64 [%rd1], %rd3;
  add.u64 %rd1, %rd1, 8; add.u64 %rd2, %rd2, 8; add.u32 %r1, %r1, 1;
  .reg .pred %p;
  setp.lt.u32 %p, %r1, 16;
  @%p bra next;
  ld.param.u64 %rd1, [own];
  mov.u64 %rd4, c;
  tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd4;
  fence.proxy.tensormap::generic.release.gpu;
  fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;
  cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%rd1, {0}], [smem];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ret;
})");
  TensorMap map;
  map.type = TensorMapType::U32;
  map.dims[0] = 64;
  map.box[0] = 64;
  map.address = h.allocate<uint32_t>(64);
  TensorMapBytes bytes =
      llvm::cantFail(encodeTensorMap(map, h.device->model().target));
  Launch launch;
  launch.kernel = h.kernel("k");
  launch.grid = launch.block = launch.cluster = {1};
  launch.parameters.assign(bytes.begin(), bytes.end());
  uint64_t own = h.allocate<TensorMapBytes>(1);
  launch.parameters.insert(launch.parameters.end(),
                           reinterpret_cast<char *>(&own),
                           reinterpret_cast<char *>(&own) + sizeof(own));
  RunResult result = run(*h.device, launch, h.options);
  EXPECT_CONTAINS(result.ok() ? "" : result.report->str(),
                  "256 bytes of a row of the tensor at 0x");
  EXPECT_CONTAINS(result.ok() ? "" : result.report->str(),
                  "constants can't be written");
}

//===----------------------------------------------------------------------===//
// Memory that is gone when an engine comes to it
//===----------------------------------------------------------------------===//

static const char *const heap =
    ".extern .func (.param .b64 r) malloc(.param .b64 size);"
    ".extern .func free(.param .b64 pointer);"
    ".shared .align 8 .b64 bar;";

/// Lane 0 has a block in %rd1, starts `copy`, frees the block, and waits. If
/// `again`, it allocates another in its place before that.
static std::string freed(const std::string &copy, const std::string &wait,
                         bool again = false) {
  const std::string allocate =
      "{ .param .b64 p; .param .b64 r; st.param.b64 [p], 1024;"
      "call (r), malloc, (p); ld.param.b64 %rd1, [r]; }";
  return perLaneFailure(
      "setp.ne.u32 %p1, %lane, 0; @%p1 exit;"
      "mov.u32 %r1, smem; mbarrier.init.shared.b64 [bar], 1;" +
          allocate + copy +
          "{ .param .b64 p; st.param.b64 [p], %rd1; call free, (p); }" +
          (again ? allocate : std::string()) + wait,
      heap);
}

static const char *const lost =
    "the memory was freed while the operation was in flight; wait for its "
    "completion before the free";

TEST(ReachMustFail, FreeOfWhatACopyReads) {
  const char *wait = "{ L: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;"
                     "@!%p2 bra L; }";
  const char *load = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;"
                     "cp.async.bulk.shared::cta.global"
                     ".mbarrier::complete_tx::bytes [%r1], [%rd1], 256, [bar];";
  EXPECT_CONTAINS(freed(load, wait), lost);
  // A block that another one has taken the place of is gone, too.
  EXPECT_CONTAINS(freed(load, wait, true), lost);
  EXPECT_CONTAINS(freed("cp.async.ca.shared.global [%r1], [%rd1], 16;",
                        "cp.async.wait_all;"),
                  lost);
  EXPECT_CONTAINS(freed("cp.async.ca.shared.global [%r1], [%rd1], 16;",
                        "cp.async.wait_all;", true),
                  lost);
}

TEST(ReachMustFail, FreeOfWhatACopyWrites) {
  const char *wait = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
  for (bool again : {false, true}) {
    EXPECT_CONTAINS(freed("cp.async.bulk.global.shared::cta.bulk_group [%rd1],"
                          "[%r1], 256;",
                          wait, again),
                    lost);
    EXPECT_CONTAINS(
        freed("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64"
              "[%rd1], [%r1], 256;",
              wait, again),
        lost);
    EXPECT_CONTAINS(
        freed("st.async.mmio.release.sys.global.u64 [%rd1], %rd1;", "", again),
        lost);
  }
}

TEST(Reach, FreeAfterACopy) {
  EXPECT_EQ(freed("cp.async.ca.shared.global [%r1], [%rd1], 16;"
                  "cp.async.wait_all;",
                  ""),
            "");
}

TEST(Reach, FreedSince) {
  auto memory = llvm::cantFail(GlobalMemory::create(1 << 20));
  uint64_t a = llvm::cantFail(memory->allocate(100));
  uint64_t b = llvm::cantFail(memory->allocate(100));
  llvm::cantFail(memory->free(a));
  size_t moment = memory->frees();
  EXPECT_FALSE(memory->freedSince(moment, a, 100));
  llvm::cantFail(memory->free(b));
  EXPECT_FALSE(memory->freedSince(moment, a, 100));
  EXPECT_TRUE(memory->freedSince(moment, b, 1));
  EXPECT_TRUE(memory->freedSince(moment, b + 99, 1));
  EXPECT_FALSE(memory->freedSince(moment, b + 100, 1));
  EXPECT_TRUE(memory->freedSince(moment, b - 1, 2));
  EXPECT_FALSE(memory->freedSince(moment, b - 1, 1));
  EXPECT_TRUE(memory->freedSince(moment, b - 1, UINT64_MAX));
  EXPECT_EQ(llvm::cantFail(memory->allocate(1)), a);
  EXPECT_TRUE(memory->freedSince(0, a, 1));
}

TEST(Reach, RangesWhoseEndWraps) {
  auto memory = llvm::cantFail(GlobalMemory::create(1 << 20));
  uint64_t a = llvm::cantFail(memory->allocate(100));
  EXPECT_NE(memory->translate(a, 100), nullptr);
  EXPECT_NE(memory->translate(a + 100, 0), nullptr);
  EXPECT_EQ(memory->translate(a + 101, 0), nullptr);
  EXPECT_EQ(memory->translate(a + 101, UINT64_MAX), nullptr);
  EXPECT_EQ(memory->translate(a, -a), nullptr);
  EXPECT_EQ(memory->translate(a, UINT64_MAX), nullptr);
}
