//===- LoadStoreTest.cpp - ld and st in every space ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace drawloom::emu;

// A table of bytes whose value is 0x80 + index, so that the sign matters.
static const char *table = R"(
.global .align 16 .b8 table[64] = {)"
                           "0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, "
                           "0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f, "
                           "0x90, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, "
                           "0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f};";

TEST(LoadStore, NarrowTypesAreExtended) {
  auto at = [](const std::string &load) {
    return perLane<uint32_t>("and.b32 %r1, %lane, 7; shl.b32 %r1, %r1, 1;"
                             "mov.u64 %rd1, table;"
                             "cvta.global.u64 %rd1, %rd1;"
                             "mad.wide.u32 %rd1, %r1, 1, %rd1;" +
                                 load,
                             table);
  };
  EXPECT_EQ(at("ld.global.u8 %o, [%rd1];"),
            lanes<uint32_t>([](unsigned l) { return 0x80 + 2 * (l & 7); }));
  EXPECT_EQ(at("ld.global.s8 %o, [%rd1];"), lanes<uint32_t>([](unsigned l) {
              return 0xffffff80 + 2 * (l & 7);
            }));
  EXPECT_EQ(at("ld.global.b16 %o, [%rd1];"), lanes<uint32_t>([](unsigned l) {
              return 0x8180 + 0x0202 * (l & 7);
            }));
  EXPECT_EQ(at("ld.global.s16 %o, [%rd1+2];"), lanes<uint32_t>([](unsigned l) {
              return 0xffff8382 + 0x0202 * (l & 7);
            }));
  // Into a 16-bit register: sign-extended to 16 bits, and no further.
  EXPECT_EQ(at("ld.global.s8 %h1, [%rd1]; shl.b32 %r2, %lane, 2;"
               "mov.u32 %r3, smem; add.u32 %r2, %r2, %r3;"
               "st.shared.v2.b16 [%r2], {%h1, %h1};"
               "ld.shared.b32 %o, [%r2];"),
            lanes<uint32_t>(
                [](unsigned l) { return (0xff80 + 2 * (l & 7)) * 0x10001; }));
}

TEST(LoadStore, WideRegisters) {
  EXPECT_EQ(perLane<uint64_t>("ld.global.s32 %od, [table+4];", table),
            lanes<uint64_t>([](unsigned) { return 0xffffffff87868584; }));
  EXPECT_EQ(perLane<uint64_t>("ld.global.u32 %od, [table+4];", table),
            lanes<uint64_t>([](unsigned) { return 0x87868584; }));
  EXPECT_EQ(perLane<uint64_t>("ld.global.b64 %od, [table+8];", table),
            lanes<uint64_t>([](unsigned) { return 0x8f8e8d8c8b8a8988; }));
  EXPECT_EQ(perLane<uint64_t>("ld.global.b128 %q1, [table+16];"
                              "st.shared.b128 [smem], %q1;"
                              "ld.shared.b64 %od, [smem+8];",
                              table),
            lanes<uint64_t>([](unsigned) { return 0x9f9e9d9c9b9a9998; }));
}

TEST(LoadStore, Vectors) {
  EXPECT_EQ(
      perLane<uint32_t>("mul.lo.u32 %r1, %lane, 16; mov.u32 %r2, smem;"
                        "add.u32 %r1, %r1, %r2; add.u32 %r3, %lane, 100;"
                        "st.shared.v4.b32 [%r1], {%lane, 7, %r3, %lane};"
                        "ld.shared.v2.b32 {_, %r4}, [%r1];"
                        "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r1];"
                        "mad.lo.u32 %o, %r7, 1000, %r4; add.u32 %o, %o, %r5;"),
      lanes<uint32_t>([](unsigned l) { return (l + 100) * 1000 + 7 + l; }));
  EXPECT_EQ(perLane<uint64_t>("st.shared.v2.b64 [smem], {1234567890123, 5};"
                              "ld.shared.v2.b64 {%rd1, %rd2}, [smem];"
                              "add.u64 %od, %rd1, %rd2;"),
            lanes<uint64_t>([](unsigned) { return 1234567890128; }));
  EXPECT_EQ(perLane<uint32_t>("ld.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, "
                              "%r6, %o}, [table];",
                              table),
            lanes<uint32_t>([](unsigned) { return 0x9f9e9d9c; }));
  EXPECT_EQ(perLane<uint32_t>("ld.global.v2.u8 {%r1, %r2}, [table+2];"
                              "mad.lo.u32 %o, %r2, 256, %r1;",
                              table),
            lanes<uint32_t>([](unsigned) { return 0x8382; }));
}

TEST(LoadStore, StoresTruncate) {
  EXPECT_EQ(perLane<uint32_t>("mov.u32 %r1, 0x12345678;"
                              "st.shared.b32 [smem], 0;"
                              "st.shared.u8 [smem], %r1;"
                              "st.shared.b16 [smem+2], %r1;"
                              "ld.shared.b32 %o, [smem];"),
            lanes<uint32_t>([](unsigned) { return 0x56780078; }));
  EXPECT_EQ(perLane<uint32_t>("mov.u64 %rd1, 0x123456789abcdef0;"
                              "st.shared.b32 [smem], %rd1;"
                              "ld.shared.b32 %o, [smem];"),
            lanes<uint32_t>([](unsigned) { return 0x9abcdef0; }));
}

TEST(LoadStore, ConstantMemory) {
  EXPECT_EQ(perLane<uint32_t>(
                "mul.wide.u32 %rd1, %lane, 4;"
                "and.b64 %rd1, %rd1, 12; mov.u64 %rd2, numbers;"
                "add.u64 %rd1, %rd1, %rd2; ld.const.u32 %r2, [%rd1];"
                "ld.const.u32 %r3, [numbers+4]; mad.lo.u32 %o, %r3, 100, %r2;",
                ".const .u32 numbers[4] = {5, 6, 7, 8};"),
            lanes<uint32_t>([](unsigned l) { return 605 + (l & 3); }));
}

TEST(LoadStore, LocalMemoryIsTheThreadsOwn) {
  EXPECT_EQ(
      perLane<uint32_t>(".local .align 8 .b8 mine[64];"
                        "st.local.u32 [mine+8], %lane; mov.u64 %rd1, mine;"
                        "cvta.local.u64 %rd2, %rd1; ld.u32 %r1, [%rd2+8];"
                        "add.u32 %r1, %r1, 1; st.u32 [%rd2+12], %r1;"
                        "ld.local.v2.u32 {%r2, %r3}, [%rd1+8];"
                        "mad.lo.u32 %o, %r2, 1000, %r3;"),
      lanes<uint32_t>([](unsigned l) { return l * 1000 + l + 1; }));
}

TEST(LoadStore, ParametersByRegisterAndGenerically) {
  Harness h("h100", R"(
.visible .entry k(.param .u64 out, .param .align 64 .b8 block[32]) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  mov.b64 %rd2, block;
  ld.param.u32 %r1, [%rd2+4];
  cvta.param.u64 %rd3, %rd2;
  ld.u32 %r2, [%rd3];
  ld.param.v2.b32 {%r3, %r4}, [block+8];
  st.global.v4.b32 [%rd1], {%r1, %r2, %r3, %r4};
  ret;
})");
  uint64_t out = h.allocate<uint32_t>(4);
  const Kernel *kernel = h.kernel("k");
  ASSERT_EQ(kernel->parameters[1].offset, 64u);
  ASSERT_EQ(kernel->parameterBytes, 96u);
  Launch launch;
  launch.kernel = kernel;
  launch.parameters.resize(96);
  memcpy(launch.parameters.data(), &out, 8);
  for (uint32_t i = 0; i != 8; ++i) {
    uint32_t value = 10 + i;
    memcpy(launch.parameters.data() + 64 + 4 * i, &value, 4);
  }
  RunResult result = run(*h.device, launch, {});
  ASSERT_TRUE(result.ok()) << result.report->str();
  EXPECT_EQ(h.read<uint32_t>(out, 4), (std::vector<uint32_t>{11, 10, 12, 13}));
}

TEST(LoadStore, GenericAddressesOfEverySpaceInOneInstruction) {
  EXPECT_EQ(perLane<uint32_t>(
                ".local .align 4 .b8 mine[4];"
                "st.local.u32 [mine], 111; st.shared.u32 [smem], 222;"
                "mov.u64 %rd1, mine; cvta.local.u64 %rd1, %rd1;"
                "cvta.shared.u64 %rd2, smem; cvta.global.u64 %rd3, table;"
                "and.b32 %r1, %lane, 1; setp.eq.u32 %p1, %r1, 0;"
                "setp.lt.u32 %p2, %lane, 16; selp.b64 %rd4, %rd1, %rd2, %p1;"
                "selp.b64 %rd4, %rd4, %rd3, %p2; ld.u32 %o, [%rd4];",
                table),
            lanes<uint32_t>([](unsigned l) {
              return l >= 16 ? 0x83828180 : l % 2 ? 222 : 111;
            }));
}

TEST(LoadStore, InitializersHoldAddresses) {
  Harness h("h100", R"(
.global .u32 values[3] = {1, 2};
.global .u64 pointers[2] = {values, generic(values)+4};
.global .align 4 .b8 bytes[4] = {1, 0xff(values), 0xff00(values), 9};
)");
  uint64_t values = h.module->variable("values")->first;
  EXPECT_EQ(h.module->variable("values")->second, 12u);
  EXPECT_EQ(h.read<uint32_t>(values, 3), (std::vector<uint32_t>{1, 2, 0}));
  EXPECT_EQ(h.read<uint64_t>(h.module->variable("pointers")->first, 2),
            (std::vector<uint64_t>{values, values + 4}));
  EXPECT_EQ(
      h.read<uint8_t>(h.module->variable("bytes")->first, 4),
      (std::vector<uint8_t>{1, uint8_t(values), uint8_t(values >> 8), 9}));
}

//===----------------------------------------------------------------------===//
// What is rejected
//===----------------------------------------------------------------------===//

TEST(LoadStoreMustFail, Misaligned) {
  EXPECT_CONTAINS(perLaneFailure("mov.u32 %r1, smem; add.u32 %r1, %r1, 2;"
                                 "ld.shared.u32 %o, [%r1];"),
                  "lane 0: 'ld.shared.u32' at 0x10000000402: the address must "
                  "be a multiple of 4");
  EXPECT_CONTAINS(
      perLaneFailure("ld.global.v2.u32 {%o, %r1}, [table+4];", table),
      "the address must be a multiple of 8");
}

TEST(LoadStoreMustFail, NullPointers) {
  EXPECT_CONTAINS(perLaneFailure("mov.u64 %rd1, 0; ld.global.u32 %o, [%rd1];"),
                  "'ld.global.u32' of 4 bytes at 0x0: no memory is there");
  EXPECT_CONTAINS(perLaneFailure("mov.u64 %rd1, 16; ld.u32 %o, [%rd1];"),
                  "'ld.u32' of 4 bytes at 0x10: no memory is there");
}

TEST(LoadStoreMustFail, OutsideSharedMemory) {
  EXPECT_CONTAINS(
      perLaneFailure("mov.u32 %r1, smem; mad.lo.u32 %r1, %lane, 1024, %r1;"
                     "st.shared.u32 [%r1], 0;"),
      "lane 16: 'st.shared.u32' of 4 bytes at 0x10000004400: byte 17408 of "
      "shared memory; the CTA has 17408");
}

TEST(LoadStoreMustFail, SharedMemoryOfARankThatIsNotThere) {
  EXPECT_CONTAINS(perLaneFailure("mov.u32 %r1, 0x1000400;"
                                 "ld.shared::cluster.u32 %o, [%r1];"),
                  "the cluster has 1 CTA, and the address is of rank 1");
}

TEST(LoadStoreMustFail, WritesToParameters) {
  EXPECT_CONTAINS(perLaneFailure("mov.b64 %rd1, out; cvta.param.u64 %rd1, %rd1;"
                                 "st.u32 [%rd1], 1;"),
                  "'st.u32' of 4 bytes at 0x40000000000: the parameters of a "
                  "kernel can't be written");
}

TEST(LoadStoreMustFail, FreedMemory) {
  Harness h("h100", R"(
.visible .entry k(.param .u64 where) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [where];
  ld.global.u32 %r1, [%rd1];
  ret;
})");
  uint64_t address = h.allocate<uint32_t>(4);
  ASSERT_TRUE(h.run("k", {1}, {1}, {address}));
  llvm::cantFail(h.device->memory().free(address));
  EXPECT_CONTAINS(h.fail("k", {1}, {1}, {address}),
                  "an allocation of 16 bytes that was freed");
}
