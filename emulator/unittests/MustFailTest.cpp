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

TEST(MemoryMustFail, OutsideConstants) {
  EXPECT_CONTAINS(perLaneFailure("mad.lo.u32 %r1, %lane, 4, 0; cvt.u64.u32 "
                                 "%rd1, %r1; mov.u64 %rd2, table; add.s64 "
                                 "%rd1, %rd1, %rd2; ld.const.u32 %o, [%rd1];",
                                 ".const .align 4 .b32 table[4];"),
                  "'ld.const.u32' of 4 bytes");
}

/// A kernel with an array of eight words, which lane 3 indexes with `index`;
/// `access` has the address in its own space in %rd1, and in the generic one in
/// %rd2.
static std::string indexed(int64_t index, const std::string &access) {
  return perLaneFailure(
      ".local .align 16 .b8 mine[32]; mov.u64 %rd1, mine;"
      "setp.eq.u32 %p1, %lane, 3; selp.b64 %rd3, " +
      std::to_string(4 * index) +
      ", 4, %p1; add.s64 %rd1, %rd1, %rd3; cvta.local.u64 %rd2, %rd1;" +
      access);
}

TEST(MemoryMustFail, PastTheEndOfALocalArray) {
  for (int64_t index : {8, 100, 100000, -1, -100000}) {
    std::string where = "byte " + std::to_string(4 * index) +
                        " of 'mine', which has 32 bytes (.local memory of 'k')";
    EXPECT_CONTAINS(indexed(index, "ld.local.u32 %o, [%rd1];"), where);
    EXPECT_CONTAINS(indexed(index, "st.u32 [%rd2], %lane;"), where);
  }
  EXPECT_CONTAINS(indexed(8, "ld.local.u32 %o, [%rd1];"),
                  "lane 3: 'ld.local.u32' of 4 bytes at 0x20000300020: byte 32 "
                  "of 'mine'");
  // An address in a register of 32 bits.
  EXPECT_CONTAINS(perLaneFailure(".local .align 4 .b8 mine[32]; mov.u32 %r1, "
                                 "mine; sub.u32 %r1, %r1, 4; "
                                 "ld.local.u32 %o, [%r1];"),
                  "byte -4 of 'mine', which has 32 bytes");
  EXPECT_CONTAINS(perLaneFailure(".local .align 4 .b8 mine[32]; "
                                 "ld.local.u32 %o, [mine+32];"),
                  "byte 32 of 'mine', which has 32 bytes");
  EXPECT_CONTAINS(perLaneFailure("mov.u64 %rd1, 64; ld.local.u32 %o, [%rd1];"),
                  "byte 64 of local memory; 'k' has no .local variable");
}

// Hardware has one address for the variable in every thread, so a thread that
// follows another's pointer silently reads its own memory.
TEST(MemoryMustFail, LocalMemoryOfAnotherThread) {
  const std::string share =
      ".local .align 4 .b8 mine[4]; st.local.u32 [mine], %lane; mov.u64 %rd1, "
      "mine; cvta.local.u64 %rd1, %rd1; mov.b64 {%r1, %r2}, %rd1;"
      "shfl.sync.idx.b32 %r1, %r1, 3, 31, -1; mov.b64 %rd2, {%r1, %r2};";
  const std::string where = "local memory of thread 3, and this is thread 0; "
                            "local memory is private to a thread";
  EXPECT_EQ(perLane<uint32_t>(share + "ld.u32 %o, [%rd1];"),
            lanes<uint32_t>([](unsigned lane) { return lane; }));
  EXPECT_CONTAINS(perLaneFailure(share + "ld.u32 %o, [%rd2];"),
                  "lane 0: 'ld.u32' of 4 bytes at 0x20000300000: " + where);
  EXPECT_CONTAINS(perLaneFailure(share + "st.u32 [%rd2], %lane;"), where);
  EXPECT_CONTAINS(perLaneFailure(share + "cvta.to.local.u64 %rd2, %rd2; "
                                         "ld.local.u32 %o, [%rd2];"),
                  where);
  EXPECT_CONTAINS(
      perLaneFailure(share + "xor.b64 %rd2, %rd1, 1073741824; "
                             "ld.u32 %o, [%rd2];"),
      "local memory of thread 0 of another CTA, and this is thread 0;");
}

// The caller's array is not past its end where the function's frame begins, nor
// is the array in the way of what a call passes.
TEST(MemoryMustFail, PastTheEndOfTheCallersArray) {
  const char *function = R"(.func store(.param .b64 at, .param .b32 value) {
  .reg .b32 %r<2>; .reg .b64 %rd<2>; .local .align 16 .b8 own[64];
  ld.param.u64 %rd1, [at]; ld.param.u32 %r1, [value];
  st.local.u32 [own], %r1;
  st.u32 [%rd1], %r1;
  ret;
})";
  auto body = [](int index) {
    return ".local .align 16 .b8 mine[32]; mov.u64 %rd1, mine; cvta.local.u64 "
           "%rd2, %rd1; add.s64 %rd2, %rd2, " +
           std::to_string(4 * index) +
           "; { .param .b64 at; .param .b32 value; st.param.b64 [at], %rd2; "
           "st.param.b32 [value], %lane; call store, (at, value); } "
           "ld.local.u32 %o, [%rd1+28];";
  };
  EXPECT_EQ(perLane<uint32_t>(body(7), function),
            lanes<uint32_t>([](unsigned lane) { return lane; }));
  EXPECT_CONTAINS(perLaneFailure(body(8), function),
                  "byte 32 of 'mine', which has 32 bytes (.local memory of "
                  "'k')");
  EXPECT_CONTAINS(perLaneFailure(body(100), function),
                  "of 'own', which has 64 bytes (.local memory of 'store')");
}

TEST(MemoryMustFail, MisalignedLocalMemory) {
  EXPECT_CONTAINS(perLaneFailure(".local .align 4 .b8 mine[8]; "
                                 "ld.local.u32 %o, [mine+2];"),
                  "the address must be a multiple of 4");
}

TEST(MemoryMustFail, OutsideTheParameters) {
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
