//===- CensusTest.cpp - Forms that other compilers' kernels use ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Spellings of loads, stores, copies and barriers that the tests of the
// families don't write down, because they differ from others in a hint, a type
// that is only a number of bits, or a default that is spelled out. See
// FormCoverage.h.
//
//===----------------------------------------------------------------------===//

#include "TensorKernel.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

/// A tensor of 16-bit elements; a box of 8 x 2 x ... of it.
static TensorMap smallMap(unsigned rank) {
  TensorMap map;
  map.type = TensorMapType::U16;
  map.rank = rank;
  uint64_t stride = 48;
  for (unsigned dim = 0; dim != rank; ++dim) {
    map.dims[dim] = dim ? 4 : 24;
    map.box[dim] = dim ? 2 : 8;
    if (dim) {
      map.strides[dim - 1] = stride;
      stride *= 4;
    }
  }
  return map;
}

static std::string coordinatesOf(unsigned rank) {
  std::string text = "{4";
  for (unsigned dim = 1; dim != rank; ++dim)
    text += ", 1";
  return text + "}";
}

static std::vector<int> originOf(unsigned rank) {
  std::vector<int> origin(rank, 1);
  origin[0] = 4;
  return origin;
}

namespace {
struct LoadForm {
  unsigned rank;
  bool cluster, tile, hint, multicast, pair;
};
} // namespace

/// Two CTAs load a tile each, or the first one loads it for both. A pair of
/// CTAs counts the bytes of both at the mbarrier of one.
static void checkLoad(const LoadForm &form) {
  TensorMap map = smallMap(form.rank);
  unsigned bytes = 16u << (form.rank - 1);
  std::string copy = formatv(
      "cp.async.bulk.tensor.{0}d.shared::{1}.global{2}.mbarrier::complete_tx"
      "::bytes{3}{4}{5} [smem], [%map, {6}], [bars]{7}{8};\n",
      form.rank, form.cluster ? "cluster" : "cta", form.tile ? ".tile" : "",
      form.multicast ? ".multicast::cluster" : "",
      form.hint ? ".L2::cache_hint" : "", form.pair ? ".cta_group::2" : "",
      coordinatesOf(form.rank), form.multicast ? ", %h1" : "",
      form.hint ? ", %rd1" : "");
  AsyncKernel k;
  k.ctas = 2;
  k.threads = std::max(bytes / 4, 32u);
  k.map = map;
  k.input = pattern(48 * 256);
  k.body = initBarriers({1}) +
           formatv("mov.b16 %h1, 3;\nmov.b64 %rd1, 0;\n"
                   "setp.ne.u32 %p1, %rank, 0;\n{3}@!%leader bra wait;\n"
                   "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], "
                   "{0};\n{1}{2}wait:\n",
                   form.multicast && form.pair ? 2 * bytes : bytes,
                   form.multicast ? "@!%p1 " : "", copy,
                   form.multicast && form.pair ? "@%p1 bra meet;\n" : "")
               .str() +
           waitFor("bars", 0) +
           "meet:\nbarrier.cluster.arrive.aligned;\n"
           "barrier.cluster.wait.aligned;\n" +
           handOut +
           // A CTA must not exit while the other one writes to it.
           "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
  std::vector<uint8_t> tile =
      expectedTile(map, originOf(form.rank), k.input, 16, 4 * k.threads);
  std::vector<uint8_t> expected = tile;
  expected.insert(expected.end(), tile.begin(), tile.end());
  EXPECT_EQ(bytesOf(k.values()), expected) << copy;
}

TEST(Census, TensorLoads) {
  for (unsigned rank = 2; rank != 6; ++rank)
    for (bool tile : {false, true})
      for (bool hint : {false, true}) {
        checkLoad({rank, false, tile, hint, false, false});
        for (bool multicast : {false, true})
          for (bool pair : {false, true})
            checkLoad({rank, true, tile, hint, multicast, pair});
      }
}

TEST(Census, TensorStores) {
  for (unsigned rank = 2; rank != 6; ++rank)
    for (bool tile : {false, true})
      for (bool hint : {false, true}) {
        TensorMap map = smallMap(rank);
        unsigned bytes = 16u << (rank - 1);
        std::string copy =
            formatv("cp.async.bulk.tensor.{0}d.global.shared::cta{1}"
                    ".bulk_group{2}",
                    rank, tile ? ".tile" : "", hint ? ".L2::cache_hint" : "");
        AsyncKernel k = storeKernel(map, originOf(rank), bytes, copy);
        if (hint) {
          k.body = "mov.b64 %rd5, 0;\n" + k.body;
          size_t at = k.body.find("], [smem];");
          k.body.replace(at, 10, "], [smem], %rd5;");
        }
        k.dataBefore.assign(48 * 256, 0);
        std::vector<uint8_t> expected = k.dataBefore;
        std::vector<uint8_t> source = pattern(bytes);
        forEachElement(map, originOf(rank), 16, [&](unsigned from, int64_t to) {
          if (to >= 0)
            memcpy(&expected[to], &source[from], 2);
        });
        k.values();
        EXPECT_EQ(k.data, expected) << copy;
      }
}

TEST(Census, BulkStoreWithAHint) {
  AsyncKernel k;
  k.dataBytes = 128;
  k.body = R"(
  mov.u32 %r1, smem;
  mad.lo.u32 %r1, %thread, 4, %r1;
  st.shared.u32 [%r1], %thread;
  fence.proxy.async.shared::cluster;
  bar.sync 0;
  mov.b64 %rd1, 0;
  @!%leader bra done;
  cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%data], [smem],
    128, %rd1;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
done:
)";
  k.values();
  EXPECT_EQ(k.data, bytesOf(lanes<uint32_t>([](unsigned i) { return i; })));
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

TEST(Census, Parameters) {
  // What is loaded, from which byte, as how many registers of how many bytes.
  const struct {
    const char *form;
    unsigned offset, count, bytes;
    const char *declaration;
  } loads[] = {
      {"ld.param.b8", 1, 1, 1, "b16"},
      {"ld.param.u16", 2, 1, 2, "b16"},
      {"ld.param.b32", 4, 1, 4, "b32"},
      {"ld.param.u32", 12, 1, 4, "b32"},
      {"ld.param.f32", 8, 1, 4, "f32"},
      {"ld.param.b64", 8, 1, 8, "b64"},
      {"ld.param.u64", 16, 1, 8, "b64"},
      {"ld.param::entry.b32", 20, 1, 4, "b32"},
      {"ld.param::entry.b64", 24, 1, 8, "b64"},
      {"ld.param.v2.b8", 6, 2, 1, "b16"},
      {"ld.param.v2.u32", 8, 2, 4, "b32"},
      {"ld.param.v2.u64", 16, 2, 8, "b64"},
      {"ld.param.v4.b32", 32, 4, 4, "b32"},
      {"ld.param.v4.u32", 48, 4, 4, "b32"},
  };
  std::vector<uint8_t> block = pattern(64);
  for (const auto &load : loads) {
    std::string list, stores;
    for (unsigned i = 0; i != load.count; ++i) {
      list += formatv("{0}%v{1}", i ? ", " : "", i);
      stores += formatv("  st.global.b{0} [%rd1+{1}], %v{2};\n", 8 * load.bytes,
                        i * load.bytes, i);
    }
    if (load.count > 1)
      list = "{" + list + "}";
    Harness h("b200",
              formatv(R"(
.visible .entry k(.param .u64 out, .param .align 16 .b8 block[64]) {{
  .reg .b64 %rd<4>;
  .reg .{0} %v<4>;
  ld.param.u64 %rd1, [out];
  {1} {2}, [block+{3}];
{4}  ret;
})",
                      load.declaration, load.form, list, load.offset, stores)
                  .str());
    uint64_t out = h.allocate<uint8_t>(64);
    Launch launch;
    launch.kernel = h.kernel("k");
    launch.parameters.resize(launch.kernel->parameterBytes);
    memcpy(launch.parameters.data() + launch.kernel->parameters[0].offset, &out,
           8);
    memcpy(launch.parameters.data() + launch.kernel->parameters[1].offset,
           block.data(), block.size());
    RunResult result = drawloom::emu::run(*h.device, launch, {});
    ASSERT_TRUE(result.ok()) << load.form << result.report->str();
    unsigned bytes = load.count * load.bytes;
    EXPECT_EQ(h.read<uint8_t>(out, bytes),
              std::vector<uint8_t>(block.begin() + load.offset,
                                   block.begin() + load.offset + bytes))
        << load.form;
  }
}

//===----------------------------------------------------------------------===//
// Loads, stores and moves
//===----------------------------------------------------------------------===//

/// A lane's word goes to shared memory by `store` and comes back by `load`.
static void checkShared(const std::string &store, const std::string &load,
                        uint32_t expectedXor) {
  EXPECT_EQ(perLane<uint32_t>("mov.u32 %r1, smem; mad.lo.u32 %r1, %lane, 16, "
                              "%r1; mul.lo.u32 %r2, %lane, 0x01010101; " +
                              store + load),
            lanes<uint32_t>([&](unsigned lane) {
              return (lane * 0x01010101u) ^ expectedXor;
            }))
      << store << load;
}

TEST(Census, SharedMemory) {
  checkShared("st.shared.b32 [%r1], %r2;", "ld.shared.b32 %o, [%r1];", 0);
  checkShared("st.shared.u32 [%r1], %r2;", "ld.shared.u32 %o, [%r1];", 0);
  checkShared("st.shared::cta.b32 [%r1], %r2;", "ld.shared.u32 %o, [%r1];", 0);
  checkShared("mov.b32 %f1, %r2; st.shared.f32 [%r1], %f1;",
              "ld.shared.f32 %f2, [%r1]; mov.b32 %o, %f2;", 0);
  checkShared("st.shared.v2.b32 [%r1], {%r2, 1};",
              "ld.shared.b64 %rd1, [%r1]; mov.b64 {%r3, %r4}, %rd1; "
              "xor.b32 %o, %r3, %r4;",
              1);
  checkShared("cvt.u16.u32 %h1, %r2; st.shared.u16 [%r1], %h1; "
              "st.shared.u16 [%r1+2], %h1;",
              "ld.shared.u32 %o, [%r1];", 0);
  checkShared("st.shared.v2.b32 [%r1], {%r2, %r2}; "
              "st.shared.v2.b32 [%r1+8], {2, 0};",
              "ld.shared.v2.u64 {%rd1, %rd2}, [%r1]; xor.b64 %rd1, %rd1, %rd2; "
              "cvt.u32.u64 %o, %rd1;",
              2);
  checkShared("cvt.u64.u32 %rd1, %r2; st.shared.b64 [%r1], %rd1;",
              "ld.shared.b64 %rd2, [%r1]; cvt.u32.u64 %o, %rd2;", 0);
  checkShared("cvt.u64.u32 %rd1, %r2; st.shared.v2.b64 [%r1], {%rd1, 3};",
              "ld.shared.v2.b64 {%rd2, %rd3}, [%r1]; xor.b64 %rd2, %rd2, %rd3; "
              "cvt.u32.u64 %o, %rd2;",
              3);
  checkShared("st.shared.v4.b32 [%r1], {%r2, 1, 2, 4};",
              "ld.shared.v4.b32 {%r3, %r4, %r5, %r6}, [%r1]; "
              "xor.b32 %o, %r3, %r4; xor.b32 %o, %o, %r5; "
              "xor.b32 %o, %o, %r6;",
              7);
  checkShared("st.shared.v4.u32 [%r1], {%r2, 1, 2, 4};",
              "ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r1]; "
              "xor.b32 %o, %r3, %r4; xor.b32 %o, %o, %r5; "
              "xor.b32 %o, %o, %r6;",
              7);
  // A byte, which the word has four times.
  checkShared("st.shared.b32 [%r1], %r2;",
              "ld.shared.b8 %h1, [%r1+2]; cvt.u32.u16 %r3, %h1; "
              "mul.lo.u32 %o, %r3, 0x01010101;",
              0);
  // All 128 bits.
  checkShared("st.shared.v4.b32 [%r1], {%r2, 1, 2, 4};",
              "ld.shared.b128 %q1, [%r1]; mov.b128 {%rd1, %rd2}, %q1; "
              "xor.b64 %rd1, %rd1, %rd2; mov.b64 {%r3, %r4}, %rd1; "
              "xor.b32 %o, %r3, %r4;",
              7);
}

TEST(Census, ClusterAddresses) {
  // A generic address of shared memory, and back to its window.
  checkShared("cvt.u64.u32 %rd1, %r1; cvta.shared.u64 %rd2, %rd1; "
              "st.b32 [%rd2], %r2;",
              "cvta.to.shared::cluster.u64 %rd3, %rd2; "
              "ld.shared::cluster.b32 %o, [%rd3];",
              0);
}

/// A lane's 16 bytes of a table.
static const char *const table = ".global .align 16 .b32 table[128] = {0};\n";

TEST(Census, GlobalMemory) {
  const struct {
    const char *store, *load;
  } pairs[] = {
      {"st.global.b32 [%rd1], %r2;", "ld.global.acquire.gpu.b32 %o, [%rd1];"},
      {"st.global.u32 [%rd1], %r2;", "ld.global.b32 %o, [%rd1];"},
      {"mov.b32 %f1, %r2; st.global.f32 [%rd1], %f1;",
       "ld.global.f32 %f2, [%rd1]; mov.b32 %o, %f2;"},
      {"st.global.v4.b32 [%rd1], {%r2, %r2, %r2, %r2};",
       "ld.global.v4.b32 {%r3, %r4, %r5, %r6}, [%rd1]; and.b32 %o, %r3, %r6;"},
      {"st.global.v4.u32 [%rd1], {%r2, %r2, %r2, %r2};",
       "ld.global.nc.v4.u32 {%r3, %r4, %r5, %r6}, [%rd1]; "
       "and.b32 %o, %r4, %r5;"},
      {"st.global.u32 [%rd1], %r2;",
       "ld.global.u16 %h1, [%rd1]; ld.global.u16 %h2, [%rd1+2]; "
       "mov.b32 %o, {%h1, %h2};"},
      {"mov.b32 %f1, %r2; mov.b32 %f2, 0f00000000; st.global.f32 [%rd1], %f2; "
       "atom.global.add.f32 %f3, [%rd1], %f1;",
       "ld.global.u32 %o, [%rd1];"},
      {"st.global.u32 [%rd1], 0; red.relaxed.gpu.global.add.s32 [%rd1], %r2;",
       "ld.global.u32 %o, [%rd1];"},
  };
  for (const auto &pair : pairs)
    EXPECT_EQ(perLane<uint32_t>(
                  "mov.u64 %rd1, table; mad.wide.u32 %rd1, %lane, 16, %rd1; "
                  "cvt.rn.f32.s32 %f9, %lane; mov.b32 %r2, %f9; " +
                      std::string(pair.store) + pair.load,
                  table),
              lanes<uint32_t>([](unsigned lane) {
                float value = lane;
                uint32_t bits;
                memcpy(&bits, &value, 4);
                return bits;
              }))
        << pair.store << pair.load;
}

TEST(Census, MovesAndConversions) {
  auto check = [](const std::string &body, auto f) {
    EXPECT_EQ(perLane<uint32_t>(body), lanes<uint32_t>(f)) << body;
  };
  auto identity = [](unsigned lane) { return lane; };
  check("mov.s32 %o, %lane;", identity);
  check("cvt.u16.u32 %h1, %lane; mov.u16 %h2, %h1; cvt.u32.u16 %o, %h2;",
        identity);
  check("cvt.s64.s32 %rd1, %lane; cvt.u16.u64 %h1, %rd1; cvt.u32.u16 %o, %h1;",
        identity);
  check("cvt.s64.s32 %rd1, %lane; mov.b16 %h1, 5; cvt.u32.u64 %o, %rd1;",
        identity);
  check("setp.lt.u32 %p1, %lane, 16; mov.b16 %h1, 3; mov.b16 %h2, 4; "
        "selp.b16 %h3, %h1, %h2, %p1; selp.u16 %h4, %h2, %h1, %p1; "
        "cvt.u32.u16 %r1, %h3; cvt.u32.u16 %r2, %h4; mad.lo.s32 %o, %r1, 10, "
        "%r2;",
        [](unsigned lane) { return lane < 16 ? 34 : 43; });
  check("setp.lt.u32 %p1, %lane, 16; selp.s32 %r1, -1, 2, %p1; "
        "mov.f32 %f1, 0f3f800000; mov.f32 %f2, 0f40000000; "
        "selp.f32 %f3, %f1, %f2, %p1; mov.b32 %r2, %f3; xor.b32 %o, %r1, %r2;",
        [](unsigned lane) {
          return lane < 16 ? 0x3f800000u ^ ~0u : 0x40000000u ^ 2u;
        });
  check("setp.lt.u32 %p1, %lane, 16; mov.u64 %rd1, 7; mov.u64 %rd2, 9; "
        "selp.s64 %rd3, %rd1, %rd2, %p1; selp.u64 %rd4, %rd2, %rd1, %p1; "
        "selp.b64 %rd5, %rd3, %rd4, %p1; add.s64 %rd6, %rd3, %rd5; "
        "cvt.u32.u64 %o, %rd6;",
        [](unsigned lane) { return lane < 16 ? 14 : 16; });
  check("bfe.u32 %o, %lane, 1, 3;",
        [](unsigned lane) { return lane >> 1 & 7; });
  // 1 and the lane, as halves of a word.
  check("cvt.rn.f32.s32 %f1, %lane; mov.f32 %f2, 0f3f800000; "
        "cvt.rn.bf16x2.f32 %o, %f2, %f1;",
        [](unsigned lane) {
          float value = lane;
          uint32_t bits;
          memcpy(&bits, &value, 4);
          return 0x3f800000u | bits >> 16;
        });
  check("cvt.rn.f32.s32 %f1, %lane; mov.f32 %f2, 0f3f800000; "
        "cvt.rn.f16x2.f32 %r1, %f2, %f1; mov.b32 {%h1, %h2}, %r1; "
        "cvt.f32.f16 %f3, %h1; cvt.rzi.s32.f32 %o, %f3;",
        identity);
}

TEST(Census, BranchesAndCalls) {
  EXPECT_EQ(perLane<uint32_t>(
                "{ .param .b32 in0; .param .b64 in1; .param .b32 out0; "
                "cvt.u64.u32 %rd1, %lane; st.param.b32 [in0], %lane; "
                "st.param.b64 [in1], %rd1; call.uni (out0), twice, (in0, in1); "
                "ld.param.b32 %r1, [out0]; } bra.uni over; mov.u32 %r1, 0; "
                "over: mov.u32 %o, %r1;",
                R"(
.func (.param .b32 out) twice(.param .b32 x, .param .b64 y) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.b32 %r1, [x];
  ld.param.b64 %rd1, [y];
  cvt.u32.u64 %r2, %rd1;
  add.u32 %r3, %r1, %r2;
  st.param.b32 [out], %r3;
  ret;
}
)"),
            lanes<uint32_t>([](unsigned lane) { return 2 * lane; }));
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

// The value that one lane stores in front of its arrival is what the others
// load behind the wait.
TEST(Census, Mbarriers) {
  // 16 bytes that the mbarrier waits for.
  const std::string copy =
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
      "[smem+64], [%in], 16, [bars];";
  const struct {
    std::string arrive, wait;
  } pairs[] = {
      {"mbarrier.arrive.shared.b64 _, [bars];",
       "mbarrier.try_wait.parity.shared.b64 %p2, [bars], 0;"},
      {"mbarrier.arrive.expect_tx.shared.b64 _, [bars], 16; " + copy,
       "mbarrier.try_wait.parity.shared::cta.b64 %p2, [bars], 0;"},
      {"mbarrier.arrive.release.cta.shared::cta.b64 _, [bars];",
       "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [bars], 0;"},
      {"mbarrier.arrive.expect_tx.shared::cluster.b64 _, [%r1], 16; " + copy,
       "mbarrier.try_wait.parity.shared::cta.b64 %p2, [bars], 0;"},
      {"mbarrier.arrive.shared::cluster.b64 _, [%r1];",
       "mbarrier.test_wait.parity.shared::cta.b64 %p2, [bars], 0;"},
      {"mbarrier.expect_tx.shared::cta.b64 [bars], 16; "
       "mbarrier.arrive.shared::cta.b64 _, [bars]; " +
           copy,
       "mbarrier.try_wait.parity.shared::cta.b64 %p2, [bars], 0;"},
  };
  for (const auto &pair : pairs) {
    AsyncKernel k;
    k.input = pattern(16);
    k.body = std::string("@%leader mbarrier.init.shared.b64 [bars], 1;\n"
                         "fence.mbarrier_init.release.cluster;\n"
                         "bar.sync 0;\nmov.u32 %r1, bars;\n"
                         "@!%leader bra wait;\nst.shared.b32 [smem], 77;\n") +
             pair.arrive + "\nwait:\n" + pair.wait +
             "\n@!%p2 bra wait;\nld.shared.b32 %o, [smem];\n"
             "bar.sync 0;\n@%leader mbarrier.inval.shared::cta.b64 [bars];\n";
    EXPECT_EQ(k.values(), std::vector<uint32_t>(32, 77)) << pair.arrive;
  }
}

// The map is in the parameters; to prefetch it changes nothing.
TEST(Census, PrefetchOfATensorMap) {
  AsyncKernel k;
  k.map = smallMap(2);
  k.input = pattern(48 * 4);
  k.body = "prefetch.tensormap [%map];\nprefetch.param.tensormap [map];\n"
           "mov.u32 %o, %thread;\n";
  EXPECT_EQ(k.values(), lanes<uint32_t>([](unsigned lane) { return lane; }));
}

// Rounding to nearest need not be spelled out.
TEST(Census, SumsAndProducts) {
  auto bitsOf = [](float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
  };
  const std::string start = "cvt.rn.f32.s32 %f1, %lane; "
                            "mov.f32 %f2, 0f3fc00000; "; // 1.5
  EXPECT_EQ(perLane<uint32_t>(start + "mul.f32 %f3, %f1, %f2; "
                                      "sub.f32 %f4, %f3, %f2; "
                                      "mov.b32 %o, %f4;"),
            lanes<uint32_t>(
                [&](unsigned lane) { return bitsOf(lane * 1.5f - 1.5f); }));
  EXPECT_EQ(perLane<uint64_t>(start + "mov.b64 %rd1, {%f1, %f2}; "
                                      "mov.b64 %rd2, {%f2, %f1}; "
                                      "add.f32x2 %rd3, %rd1, %rd2; "
                                      "mul.f32x2 %od, %rd3, %rd1;"),
            lanes<uint64_t>([&](unsigned lane) {
              float sum = lane + 1.5f;
              return uint64_t(bitsOf(sum * 1.5f)) << 32 | bitsOf(sum * lane);
            }));
}

TEST(Census, CopiesOfThreads) {
  AsyncKernel k;
  k.input = pattern(512);
  k.body = R"(
  mov.u32 %r1, smem;
  mad.lo.u32 %r1, %thread, 16, %r1;
  mad.wide.u32 %rd1, %thread, 16, %in;
  cp.async.cg.shared.global [%r1], [%rd1], 16;
  cp.async.wait_all;
  fence.acq_rel.gpu;
  bar.sync 0;
  ld.shared.u32 %o, [%r1+4];
)";
  EXPECT_EQ(k.values(), lanes<uint32_t>([&](unsigned lane) {
              uint32_t word;
              memcpy(&word, &k.input[16 * lane + 4], 4);
              return word;
            }));
}

// What is in front of it has been done, and nothing behind it.
TEST(Census, BreakpointEndsTheLaunch) {
  Harness h("b200", R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  st.global.b32 [%rd1], 5;
  brkpt;
  st.global.b32 [%rd1], 6;
  ret;
})");
  uint64_t out = h.allocate<uint32_t>(1);
  EXPECT_CONTAINS(h.fail("k", {1}, {1}, {out}), "brkpt");
  EXPECT_EQ(h.read<uint32_t>(out, 1)[0], 5u);
}

TEST(Census, TrapEndsTheLaunch) {
  Harness h("b200", R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  st.global.b32 [%rd1], 5;
  trap;
  st.global.b32 [%rd1], 6;
  ret;
})");
  uint64_t out = h.allocate<uint32_t>(1);
  EXPECT_CONTAINS(h.fail("k", {1}, {1}, {out}), "trap");
  EXPECT_EQ(h.read<uint32_t>(out, 1)[0], 5u);
}
