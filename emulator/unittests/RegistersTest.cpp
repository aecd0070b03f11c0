//===- RegistersTest.cpp - setmaxnreg ------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncKernel.h"

using namespace drawloom::emu;

/// Two warp groups that enter with `registers` each: the first executes
/// `first`, the second `second`.
static AsyncKernel kernel(unsigned registers, const std::string &first,
                          const std::string &second) {
  AsyncKernel kernel;
  kernel.threads = 256;
  kernel.device = "h100";
  if (registers)
    kernel.directives = ".maxnreg " + std::to_string(registers);
  kernel.body = "setp.ge.u32 %p1, %warp, 4; @%p1 bra second;\n" + first +
                "\nbra done;\nsecond:\n" + second + "\ndone:\n";
  return kernel;
}

static std::string dec(unsigned count) {
  return "setmaxnreg.dec.sync.aligned.u32 " + std::to_string(count) + ";\n";
}
static std::string inc(unsigned count) {
  return "setmaxnreg.inc.sync.aligned.u32 " + std::to_string(count) + ";\n";
}

// 128 + 128 = 40 + 216: the second group waits until the first has released.
TEST(Registers, FromOneGroupToAnother) {
  AsyncKernel k = kernel(128, R"(
  mov.u32 %r1, 0;
spin:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p2, %r1, 3000;
  @%p2 bra spin;
)" + dec(40) + "mov.u32 %o, 1;",
                         inc(216) + "mov.u32 %o, 2;");
  std::vector<uint32_t> expected(128, 1);
  expected.resize(256, 2);
  EXPECT_EQ(k.values(), expected);
}

// Several changes, with a barrier of the group between them.
TEST(Registers, ThereAndBack) {
  AsyncKernel k = kernel(128, dec(24) + "bar.sync 1, 128;" + inc(128),
                         inc(128) + "bar.sync 2, 128;" + dec(64));
  EXPECT_EQ(k.values(), std::vector<uint32_t>(256, 0));
}

// What a warp has already it may ask for whenever it likes.
TEST(Registers, Repeated) {
  AsyncKernel k = kernel(128, dec(24) + dec(24) + "bar.sync 1, 128;" + inc(128),
                         inc(128) + inc(128));
  EXPECT_EQ(k.values(), std::vector<uint32_t>(256, 0));
}

// Without a number of registers at the entry there is no pool, and no effect.
TEST(Registers, NoPool) {
  EXPECT_EQ(kernel(0, dec(40), inc(232)).values(),
            std::vector<uint32_t>(256, 0));
}

TEST(RegistersMustFail, BeyondThePool) {
  EXPECT_CONTAINS(
      kernel(128, dec(40), inc(232)).failure(),
      "setmaxnreg.inc 232 needs (232 - 128) x 32 = 3328 registers, and the "
      "CTA's pool has 1280; what the warps hold and wait for is 34816 of "
      "128 x 256 = 32768");
}

TEST(RegistersMustFail, PartOfAGroup) {
  EXPECT_CONTAINS(
      kernel(128, "setp.ge.u32 %p2, %warp, 2; @%p2 bra done;" + dec(40), "")
          .failure(),
      "all four warps must execute it");
}

TEST(RegistersMustFail, DifferentCounts) {
  EXPECT_CONTAINS(kernel(128,
                         "setp.ge.u32 %p2, %warp, 2; @%p2 bra other;" +
                             dec(40) + "bra done; other:" + dec(48),
                         "")
                      .failure(),
                  "another warp of the warp group has executed");
}

TEST(RegistersMustFail, WrongDirection) {
  EXPECT_CONTAINS(kernel(128, inc(64), "").failure(),
                  "setmaxnreg.inc 64: the warp has 128 registers a thread; "
                  "setmaxnreg.inc 64 would take some from it");
  EXPECT_CONTAINS(kernel(128, dec(160), "").failure(),
                  "setmaxnreg.dec 160 would give it more");
}

TEST(RegistersMustFail, AgainBeforeTheOthers) {
  EXPECT_CONTAINS(
      kernel(128, dec(40) + inc(48), "").failure(),
      "of the warp group hasn't executed the setmaxnreg before this one");
}

TEST(RegistersMustFail, DivergedWarp) {
  EXPECT_CONTAINS(
      kernel(128,
             "and.b32 %r1, %thread, 1; setp.eq.u32 %p2, %r1, 0;"
             "@%p2 bra apart;" +
                 dec(40) + "bra done; apart: bar.warp.sync -1;",
             "")
          .failure(),
      "waits for the other lanes of its warp at 'setmaxnreg.dec.sync.aligned");
}
