//===- MustFailTest.cpp - Rules that belong to several families -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncKernel.h"

using namespace drawloom::emu;

//===----------------------------------------------------------------------===//
// A CTA whose shared memory others still use
//===----------------------------------------------------------------------===//

/// CTA 1 of two exits at once; CTA 0 executes `body` some time later, with the
/// address of CTA 1's `smem` in %r2 and of its `bars` in %r3.
static std::string afterExit(const std::string &body,
                             const std::string &device = "h100") {
  AsyncKernel k;
  k.device = device;
  k.threads = 32;
  k.ctas = 2;
  k.input = pattern(4096);
  k.body = initBarriers({1}) + R"(
  mov.u32 %r1, smem;
  mapa.shared::cluster.u32 %r2, %r1, 1;
  mov.u32 %r1, bars;
  mapa.shared::cluster.u32 %r3, %r1, 1;
  setp.eq.u32 %p1, %rank, 1;
  @%p1 exit;
  mov.u32 %r4, 0;
spin:
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p2, %r4, 5000;
  @%p2 bra spin;
)" + body;
  return k.failure();
}

TEST(ExitMustFail, LoadFromACtaThatHasExited) {
  EXPECT_CONTAINS(afterExit("ld.shared::cluster.u32 %o, [%r2];"),
                  "'ld.shared::cluster.u32' of 4 bytes at 0x10001000800: CTA "
                  "rank 1 has exited: its shared memory is gone");
}

TEST(ExitMustFail, StoreToACtaThatHasExited) {
  EXPECT_CONTAINS(afterExit("@%leader st.shared::cluster.u32 [%r2+4], 7;"),
                  "CTA rank 1 has exited: its shared memory is gone");
}

TEST(ExitMustFail, AtomicAtACtaThatHasExited) {
  EXPECT_CONTAINS(afterExit("@%leader red.shared::cluster.add.u32 [%r2+8], 7;"),
                  "CTA rank 1 has exited: its shared memory is gone");
}

TEST(ExitMustFail, AsynchronousStoreToACtaThatHasExited) {
  EXPECT_CONTAINS(
      afterExit("@%leader st.async.shared::cluster.mbarrier::complete_tx::bytes"
                ".u32 [%r2], 7, [%r3];"),
      "exited");
}

TEST(ExitMustFail, MulticastToACtaThatHasExited) {
  EXPECT_CONTAINS(
      afterExit("mov.b16 %h1, 3; @%leader cp.async.bulk.shared::cluster.global"
                ".mbarrier::complete_tx::bytes.multicast::cluster [smem], "
                "[%in], 64, [bars], %h1;"),
      "exited");
}

//===----------------------------------------------------------------------===//
// Member masks
//===----------------------------------------------------------------------===//

TEST(MaskMustFail, ALaneThatItsMaskDoesNotName) {
  for (const char *text : {"vote.sync.ballot.b32 %o, %p1, 0xff;",
                           "match.any.sync.b32 %o, %lane, 0xff;",
                           "redux.sync.add.u32 %o, %lane, 0xff;",
                           "bar.warp.sync 0xff;", "elect.sync %o|%p1, 0xff;",
                           "shfl.sync.idx.b32 %o, %lane, 0, 31, 0xff;"})
    EXPECT_CONTAINS(perLaneFailure(text),
                    "lanes 8-31: executed by lanes that their own member mask "
                    "(0xff) doesn't name");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST(MemoryMustFail, WritesToConstants) {
  EXPECT_CONTAINS(perLaneFailure("mov.u64 %rd1, table; cvta.const.u64 %rd1, "
                                 "%rd1; st.u32 [%rd1], 5;",
                                 ".const .align 4 .b32 table[4];"),
                  ": constants can't be written");
}

TEST(MemoryMustFail, OutsideOfConstants) {
  EXPECT_CONTAINS(perLaneFailure("mad.lo.u32 %r1, %lane, 4, 0; cvt.u64.u32 "
                                 "%rd1, %r1; mov.u64 %rd2, table; add.s64 "
                                 "%rd1, %rd1, %rd2; ld.const.u32 %o, [%rd1];",
                                 ".const .align 4 .b32 table[4];"),
                  "'ld.const.u32' of 4 bytes");
}

TEST(MemoryMustFail, OutsideOfLocalMemory) {
  EXPECT_CONTAINS(perLaneFailure(".local .align 4 .b8 mine[4]; mov.u64 %rd1, "
                                 "mine; add.s64 %rd1, %rd1, 1048576; "
                                 "ld.local.u32 %o, [%rd1];"),
                  "'ld.local.u32' of 4 bytes");
}

TEST(MemoryMustFail, MisalignedLocalMemory) {
  EXPECT_CONTAINS(perLaneFailure(".local .align 4 .b8 mine[8]; "
                                 "ld.local.u32 %o, [mine+2];"),
                  "the address must be a multiple of 4");
}

TEST(MemoryMustFail, OutsideOfTheParameters) {
  EXPECT_CONTAINS(perLaneFailure("mov.u64 %rd1, out; cvta.param.u64 %rd1, "
                                 "%rd1; ld.u32 %o, [%rd1+4096];"),
                  "byte 4096 of the parameters; the kernel has 16");
}

TEST(MemoryMustFail, AtomicsOnParameters) {
  EXPECT_CONTAINS(perLaneFailure("mov.u64 %rd1, out; cvta.param.u64 %rd1, "
                                 "%rd1; atom.add.u32 %o, [%rd1], 1;"),
                  "the parameters of a kernel can't be written");
}

TEST(MemoryMustFail, AWideVectorAtAnOddPlace) {
  EXPECT_CONTAINS(
      perLaneFailure("ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [smem+8];"),
      "the address must be a multiple of 16");
  EXPECT_CONTAINS(perLaneFailure("ld.shared.b128 %q1, [smem+8];"),
                  "the address must be a multiple of 16");
}

TEST(MemoryMustFail, StmatrixAtAnOddPlace) {
  EXPECT_CONTAINS(perLaneFailure("stmatrix.sync.aligned.m8n8.x1.shared.b16 "
                                 "[smem+8], {%r1};"),
                  "the address must be a multiple of 16");
}

TEST(MemoryMustFail, ExecutingData) {
  EXPECT_CONTAINS(perLaneFailure("mov.u64 %rd1, table; p: .callprototype _ (); "
                                 "call %rd1, (), p;",
                                 ".global .align 8 .b64 table;"),
                  "where there is no function of this module");
}
