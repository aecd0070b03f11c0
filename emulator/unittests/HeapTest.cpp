//===- HeapTest.cpp - malloc and free of kernels -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace drawloom::emu;

static const char *const functions =
    ".extern .func (.param .b64 r) malloc(.param .b64 size);"
    ".extern .func free(.param .b64 pointer);";

/// %rd1 = malloc(size)
static std::string allocate(const std::string &size) {
  return "{ .param .b64 p; .param .b64 r; st.param.b64 [p], " + size +
         "; call (r), malloc, (p); ld.param.b64 %rd1, [r]; }";
}
static std::string release(const std::string &pointer) {
  return "{ .param .b64 p; st.param.b64 [p], " + pointer +
         "; call free, (p); }";
}

TEST(Heap, EachLaneHasABlockOfItsOwn) {
  EXPECT_EQ(perLane<uint32_t>(allocate("8") +
                                  "st.u32 [%rd1+4], %lane; bar.warp.sync -1;"
                                  "ld.u32 %o, [%rd1+4];" +
                                  release("%rd1"),
                              functions),
            lanes<uint32_t>([](unsigned lane) { return lane; }));
  // The header, where new[] keeps how many elements there are.
  EXPECT_EQ(perLane<uint32_t>(allocate("4") +
                                  "st.u64 [%rd1+-8], 5; ld.u32 %o, [%rd1+-8];" +
                                  release("%rd1"),
                              functions),
            lanes<uint32_t>([](unsigned) { return 5; }));
  // Something for nothing, as `new char[0]` asks for; and nothing to free.
  EXPECT_EQ(perLane<uint32_t>(allocate("0") +
                                  "setp.ne.u64 %p1, %rd1, 0;"
                                  "selp.u32 %o, 1, 0, %p1;" +
                                  release("%rd1") + release("0"),
                              functions),
            lanes<uint32_t>([](unsigned) { return 1; }));
}

TEST(Heap, LivesOnWhenTheKernelEnds) {
  Harness h("h100", std::string(functions) + R"(
.visible .entry make(.param .u64 out) {
  .reg .b64 %rd<4>;
  ld.param.u64 %rd2, [out];
)" + allocate("16") + R"(
  st.u32 [%rd1], 77;
  st.global.u64 [%rd2], %rd1;
  ret;
}
.visible .entry take(.param .u64 out) {
  .reg .b64 %rd<4>; .reg .b32 %r1;
  ld.param.u64 %rd2, [out];
  ld.global.u64 %rd1, [%rd2];
  ld.u32 %r1, [%rd1];
  st.global.u32 [%rd2], %r1;
)" + release("%rd1") + "ret; }");
  uint64_t out = h.allocate<uint64_t>(1);
  uint64_t used = h.device->memory().used();
  ASSERT_TRUE(h.run("make", {1}, {1}, {out}));
  EXPECT_GT(h.device->memory().used(), used);
  ASSERT_TRUE(h.run("take", {1}, {1}, {out}));
  EXPECT_EQ(h.read<uint32_t>(out, 1)[0], 77u);
  EXPECT_EQ(h.device->memory().used(), used);
}

TEST(Heap, NullWhenItIsExhausted) {
  auto count = [](uint64_t limit, const std::string &size) {
    Harness h("h100", perLaneKernel(allocate(size) + "setp.ne.u64 %p1, %rd1, 0;"
                                                     "selp.u32 %o, 1, 0, %p1;",
                                    functions));
    DeviceHeap heap(h.device->memory());
    if (limit)
      heap.setLimit(limit);
    h.options.heap = &heap;
    uint64_t out = h.allocate<uint32_t>(32), wide = h.allocate<uint64_t>(32);
    EXPECT_TRUE(h.run("k", {1}, {32}, {out, wide}));
    unsigned got = 0;
    for (uint32_t one : h.read<uint32_t>(out, 32))
      got += one;
    return got;
  };
  EXPECT_EQ(count(0, "1048576"), 8u); // Of 8 MiB.
  EXPECT_EQ(count(1024, "64"), 16u);
  EXPECT_EQ(count(1024, "65"), 12u); // A block takes a multiple of 16 bytes.
  EXPECT_EQ(count(1024, "1025"), 0u);
  EXPECT_EQ(count(1024, "-1"), 0u);
}

TEST(HeapMustFail, BlocksThatAreNotThere) {
  EXPECT_CONTAINS(
      perLaneFailure(allocate("64") + "ld.u32 %o, [%rd1+64];", functions),
      "'ld.u32' of 4 bytes at 0x700000002050: right behind the end of "
      "'a heap block behind its header' at 0x700000002000 (80 bytes)");
  EXPECT_CONTAINS(
      perLaneFailure(allocate("64") + release("%rd1") +
                         "bar.warp.sync -1; st.u32 [%rd1+8], 1;",
                     functions),
      "'st.u32' of 4 bytes at 0x700000002018: in a block of 64 bytes at "
      "0x700000002010 that was freed");
  EXPECT_CONTAINS(perLaneFailure(allocate("64") + release("%rd1") +
                                     "bar.warp.sync -1;" + release("%rd1"),
                                 functions),
                  "free of 0x700000002010: in a block of 64 bytes at "
                  "0x700000002010 that was freed");
  EXPECT_CONTAINS(perLaneFailure(allocate("64") + "add.s64 %rd1, %rd1, 8;" +
                                     release("%rd1"),
                                 functions),
                  "free of 0x700000002018: malloc gave no such block");
}
