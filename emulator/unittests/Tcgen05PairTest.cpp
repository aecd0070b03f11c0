//===- Tcgen05PairTest.cpp - Errors of CTA pairs and of block scales --===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tcgen05Kernel.h"

using namespace drawloom::emu;
using llvm::formatv;

static Tcgen05Kernel frame(const std::string &body, unsigned group,
                           unsigned columns) {
  Tcgen05Kernel kernel;
  kernel.group = group;
  kernel.columns = columns;
  kernel.imageBytes = 32768;
  kernel.body = body;
  return kernel;
}

static std::string failureOf(const Tcgen05Kernel &kernel,
                             unsigned clusterSize) {
  Harness h("b200", kernel.text());
  h.cluster = {clusterSize};
  uint64_t memory = h.allocate<char>(1 << 17);
  return h.fail("k", {clusterSize}, {128}, {memory, memory, memory});
}

/// The report of a pair that executes `body` in a frame.
static std::string pairFailure(const std::string &body,
                               unsigned columns = 128) {
  return failureOf(frame(body, 2, columns), 2);
}

/// The same without the frame: `body` has to allocate itself.
static std::string bareFailure(const std::string &body) {
  std::string text = R"(
.visible .entry k() {
  .reg .pred %p<8>;
  .reg .b32 %r<16>, %t, %rank;
  .shared .align 8 .b64 bar;
  .shared .align 4 .b32 base;
  mov.u32 %rank, %cluster_ctarank;
  setp.eq.u32 %p1, %rank, 1;
)" + body + "\n  ret;\n}\n";
  Harness h("b200", text);
  h.cluster = {2};
  return h.fail("k", {2}, {32}, {});
}

static const std::string alloc =
    "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [base], ";
static const std::string dealloc =
    "ld.shared.b32 %t, [base];\n"
    "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %t, ";
static const std::string meet =
    "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

TEST(PairMustFail, ACtaWithoutAPeer) {
  EXPECT_CONTAINS(failureOf(frame("", 2, 64), 1),
                  "cta_group::2 needs a pair of CTAs; CTA rank 0 of a cluster "
                  "of 1 has no peer");
}

TEST(PairMustFail, TheLastOfThreeHasNoPeer) {
  EXPECT_CONTAINS(failureOf(frame("", 2, 64), 3),
                  "cta_group::2 needs a pair of CTAs; CTA rank 2 of a cluster "
                  "of 3 has no peer");
}

TEST(PairMustFail, AllocationsThatDiffer) {
  EXPECT_CONTAINS(bareFailure("selp.u32 %r1, 64, 128, %p1;\n" + alloc + "%r1;"),
                  "a pair of CTAs allocates as many columns in both");
}

TEST(PairMustFail, OnlyOneAllocates) {
  EXPECT_CONTAINS(bareFailure("@%p1 bra done;\n" + alloc + "64;\ndone:"),
                  "waits for CTA rank 1, its peer, to do the same; that CTA "
                  "has exited");
}

TEST(PairMustFail, OnlyOneFrees) {
  EXPECT_CONTAINS(bareFailure(alloc + "64;\n@%p1 bra done;\n" + dealloc +
                              "64;\ndone:\n" + meet),
                  "waits for CTA rank 1, its peer, to do the same");
}

TEST(PairMustFail, OneFreesInFrontOfTheBarrierAndTheOtherBehind) {
  // PTX ISA, table 48: whether this hangs is up to the hardware.
  EXPECT_CONTAINS(bareFailure(alloc + "64;\n@%p1 bra odd;\n" + meet + dealloc +
                              "64;\nret;\nodd:\n" + dealloc + "64;\n" + meet),
                  "waits for CTA rank 0, its peer, to do the same");
}

TEST(PairMustFail, FreeingDifferentColumns) {
  EXPECT_CONTAINS(bareFailure(alloc + "64;\nselp.u32 %r1, 64, 32, %p1;\n" +
                              dealloc + "%r1;"),
                  "a pair of CTAs frees the same in both");
}

TEST(PairMustFail, OneExitsWithItsColumns) {
  EXPECT_CONTAINS(bareFailure(alloc + "64;"),
                  "the CTA exits and hasn't freed its tensor memory "
                  "(tcgen05.dealloc): 64 columns from column 0 on, allocated "
                  "here");
}

TEST(PairMustFail, AllocationAfterRelinquish) {
  EXPECT_CONTAINS(
      bareFailure(
          "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\n" +
          alloc + "64;"),
      "tcgen05.alloc after tcgen05.relinquish_alloc_permit");
}

TEST(PairMustFail, OnlyOneRelinquishes) {
  EXPECT_CONTAINS(
      bareFailure("@!%p1 "
                  "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;"),
      "waits for CTA rank 1, its peer, to do the same");
}

//===----------------------------------------------------------------------===//
// MMAs, copies and commits
//===----------------------------------------------------------------------===//

/// D of 256 x 32 at column 0 of both, by the even CTA's thread 0.
static std::string multiply(const std::string &descriptor = "0x10080490",
                            const std::string &d = "[%t]",
                            const std::string &a = "%rd6") {
  return "add.s64 %rd6, %rd4, 0x4000404000010000;\n"
         "setp.eq.u32 %p4, 0, 0;\n"
         "@%p6 tcgen05.mma.cta_group::2.kind::f16 " +
         d + ", " + a + ", %rd6, " + descriptor + ", %p4;\n";
}

static const std::string load =
    "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%x0, %x1, %x2, %x3, %x4, %x5, %x6, "
    "%x7}, [%w];\n";

TEST(PairMustFail, TheOddCtaLoadsWhileTheMmaIsUnderWay) {
  EXPECT_CONTAINS(
      pairFailure(multiply() + meet + "setp.eq.u32 %p5, %rank, 0;\n" +
                  "@%p5 bra skip;\n" + load + "skip:\n"),
      "reads columns 0 to 7 of tensor memory, which "
      "'tcgen05.mma.cta_group::2.kind::f16' of line 46 (CTA rank 0, warp 0) "
      "hasn't finished writing: wait for the mbarrier of a tcgen05.commit "
      "first");
}

TEST(PairMustFail, FreeWhileTheMmaIsUnderWay) {
  EXPECT_CONTAINS(pairFailure(multiply()),
                  "frees columns 0 to 127 of tensor memory, which "
                  "'tcgen05.mma.cta_group::2.kind::f16' of line 46 (CTA rank "
                  "0, warp 0) hasn't finished writing");
}

TEST(PairMustFail, DOutsideTheAllocation) {
  EXPECT_CONTAINS(pairFailure(multiply("0x10080490", "[%t+112]")),
                  "D is in columns 112 to 143 of tensor memory, but column 128 "
                  "isn't the CTA's");
}

TEST(PairMustFail, TheShapeOfOneCta) {
  EXPECT_CONTAINS(pairFailure(multiply("0x4080490")),
                  "M (bits 24-28) is 64; a pair of CTAs has 128 or 256");
}

TEST(PairMustFail, DAtAWrongLane) {
  EXPECT_CONTAINS(pairFailure(multiply("0x8080490", "[%t+0x100000]")),
                  "D is at lane 16, column 0; with M = 128 it must be at lane "
                  "0");
}

TEST(PairMustFail, RowsOfAThatDiffer) {
  // M = 128: lanes 64 to 127 must have the same rows as lanes 0 to 63.
  EXPECT_CONTAINS(
      pairFailure("mov.b32 %x0, %r1;\n"
                  "tcgen05.st.sync.aligned.32x32b.x1.b32 [%w+64], {%x0};\n"
                  "tcgen05.wait::st.sync.aligned;\n" +
                  meet + multiply("0x8080490", "[%t]", "[%t+64]") +
                  Tcgen05Kernel::commitPair() + Tcgen05Kernel::wait("")),
      "of A differs between lanes");
}

TEST(PairMustFail, ThePeerHasExited) {
  EXPECT_CONTAINS(
      bareFailure(alloc + "64;\n" + dealloc +
                  "64;\n@%p1 bra done;\n"
                  "mov.u32 %r4, 0;\nspin:\nadd.u32 %r4, %r4, 1;\n"
                  "setp.lt.u32 %p2, %r4, 5000;\n@%p2 bra spin;\n"
                  "tcgen05.commit.cta_group::2.mbarrier::arrive::one"
                  ".shared::cluster.b64 [bar];\ndone:"),
      "CTA rank 1, the peer of this one, has exited");
}

TEST(PairMustFail, ACommitOfTheOtherGroup) {
  EXPECT_CONTAINS(
      pairFailure(multiply() + Tcgen05Kernel::commit() +
                  Tcgen05Kernel::wait("")),
      "'tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64' "
      "has .cta_group::1, and 'tcgen05.alloc.cta_group::2.sync.aligned."
      "shared::cta.b32' of line 33 .cta_group::2: all tcgen05 instructions of "
      "a kernel must have the same");
}

TEST(PairMustFail, AnMmaOfTheOtherGroup) {
  std::string mma = multiply();
  mma.replace(mma.find("@%p6"), 4, "@%p1");
  EXPECT_CONTAINS(failureOf(frame(mma + Tcgen05Kernel::commit(), 1, 128), 2),
                  "'tcgen05.mma.cta_group::2.kind::f16' has .cta_group::2, and "
                  "'tcgen05.alloc.cta_group::1");
}

TEST(PairMustFail, FreedByTheOtherGroup) {
  EXPECT_CONTAINS(bareFailure(alloc +
                              "64;\nld.shared.b32 %t, [base];\n"
                              "tcgen05.dealloc.cta_group::1.sync.aligned.b32 "
                              "%t, 64;"),
                  "'tcgen05.dealloc.cta_group::1.sync.aligned.b32' has "
                  ".cta_group::1");
}

TEST(PairMustFail, ACommitToACtaThatIsNotThere) {
  EXPECT_CONTAINS(
      pairFailure("mov.b16 %h, 5;\n"
                  "@%p6 tcgen05.commit.cta_group::2.mbarrier::arrive::one"
                  ".shared::cluster.multicast::cluster.b64 [bar], %h;\n"),
      "the mask 0x5 names CTA rank 2; the cluster has 2 CTAs");
}

TEST(PairMustFail, TheOddCtaWaitsForACommitThatIsNotForIt) {
  // Without multicast only the even CTA's mbarrier is arrived at.
  EXPECT_CONTAINS(
      pairFailure(multiply() +
                  "@%p6 tcgen05.commit.cta_group::2.mbarrier::arrive::one"
                  ".shared::cluster.b64 [bar];\n" +
                  Tcgen05Kernel::wait("")),
      "bar");
}

TEST(PairMustFail, CopyOutsideTheAllocation) {
  EXPECT_CONTAINS(
      pairFailure("add.s64 %rd6, %rd4, 0x4000404000010000;\n"
                  "@%p6 tcgen05.cp.cta_group::2.32x128b.warpx4 [%t+128], "
                  "%rd6;\n"),
      "the destination is in columns 128 to 131 of tensor memory, but column "
      "128 isn't the CTA's");
}

TEST(PairMustFail, ShiftAtAWrongLane) {
  EXPECT_CONTAINS(
      pairFailure("@%p6 tcgen05.shift.cta_group::2.down [%t+0x100000];\n"),
      "shifts the rows from lane 16, column 0 on; the lane must be a multiple "
      "of 32 below 128");
}

//===----------------------------------------------------------------------===//
// Block scales
//===----------------------------------------------------------------------===//

/// D of 128 x 64 at column 0, with scale factors from these columns on.
static std::string scaledFailure(const std::string &scales,
                                 const std::string &before = "",
                                 const std::string &descriptor = "0x8900000",
                                 const std::string &after = "") {
  return failureOf(frame(before +
                             "add.s64 %rd6, %rd4, 0x4000404000010000;\n"
                             "setp.ne.u32 %p4, 0, 0;\n"
                             "@%p1 tcgen05.mma.cta_group::1.kind::mxf8f6f4"
                             ".block_scale [%t], %rd6, %rd6, " +
                             descriptor + ", " + scales + ", %p4;\n" + after +
                             Tcgen05Kernel::commit() + Tcgen05Kernel::wait(""),
                         1, 128),
                   1);
}

TEST(ScalesMustFail, OutsideTheAllocation) {
  EXPECT_CONTAINS(scaledFailure("[%t+126], [%t+96]"),
                  "the scale factors of A are in columns 126 to 129 of tensor "
                  "memory, but column 128 isn't the CTA's");
  EXPECT_CONTAINS(scaledFailure("[%t+96], [%t+127]"),
                  "the scale factors of B are in columns 127 to 128");
}

TEST(ScalesMustFail, UnderD) {
  EXPECT_CONTAINS(scaledFailure("[%t+62], [%t+96]"),
                  "the scale factors of A are in columns 62 to 65, which D "
                  "overwrites");
}

TEST(ScalesMustFail, AtAWrongLane) {
  EXPECT_CONTAINS(scaledFailure("[%t+0x200060], [%t+100]"),
                  "the scale factors of A are at lane 32, column 96; they must "
                  "be at lane 0");
}

TEST(ScalesMustFail, OfTheWrongType) {
  EXPECT_CONTAINS(scaledFailure("[%t+96], [%t+100]", "", "0x8100000"),
                  "the scale factors are ue4m3 (bit 23 is 0); those are for "
                  "kind::mxf4nvf4 with a factor for 16 elements");
}

TEST(ScalesMustFail, AnIdThatIsNotAligned) {
  // A step of four factors takes a whole word, and starts with its first.
  for (const auto &[descriptor, words] :
       {std::pair("0x28900480", "the ID of A's scale factors (bits 29-30) is "
                                "1; with 2 factors in a word it must be 0 or "
                                "2"),
        std::pair("0x8900490", "the ID of B's scale factors (bits 4-5) is 1")})
    EXPECT_CONTAINS(
        failureOf(frame("add.s64 %rd6, %rd4, 0x4000404000010000;\n"
                        "setp.ne.u32 %p4, 0, 0;\n"
                        "@%p1 tcgen05.mma.cta_group::1.kind::mxf4.block_scale"
                        ".scale_vec::2X [%t], %rd6, %rd6, " +
                            std::string(descriptor) +
                            ", [%t+96], [%t+100], %p4;\n",
                        1, 128),
                  1),
        words);
}

TEST(ScalesMustFail, TheShapeOfAnMmaWithoutScales) {
  EXPECT_CONTAINS(scaledFailure("[%t+96], [%t+100]", "", "0x4900000"),
                  "a reserved field (bits 24-26) is 4, and must be 0");
}

TEST(ScalesMustFail, TheShapeOfAPair) {
  EXPECT_CONTAINS(scaledFailure("[%t+96], [%t+100]", "", "0x10900000"),
                  "M (bits 27-28) is 256; one CTA has 128 with block scales");
}

TEST(ScalesMustFail, ThatDifferBetweenGroupsOfLanes) {
  // Each lane's own number, where lanes 0, 32, 64 and 96 should agree.
  EXPECT_CONTAINS(
      scaledFailure("[%t+96], [%t+100]",
                    "mov.b32 %x0, %r1;\n"
                    "tcgen05.st.sync.aligned.32x32b.x1.b32 [%w+96], {%x0};\n"
                    "tcgen05.wait::st.sync.aligned;\nbar.sync 0;\n"),
      "the scale factors of A, row 0 are");
}

TEST(ScalesMustFail, StoredWithoutWait) {
  EXPECT_CONTAINS(
      scaledFailure("[%t+96], [%t+100]",
                    "mov.b32 %x0, 127;\n"
                    "tcgen05.st.sync.aligned.32x32b.x1.b32 [%w+100], {%x0};\n"
                    "bar.sync 0;\n"),
      "the scale factors of B are in columns 100 to 101 of tensor memory, "
      "which "
      "'tcgen05.st.sync.aligned.32x32b.x1.b32'");
}

TEST(ScalesMustFail, OverwrittenWhileTheMmaIsUnderWay) {
  EXPECT_CONTAINS(
      scaledFailure("[%t+96], [%t+100]", "", "0x8900000",
                    "bar.sync 0;\nmov.b32 %x0, 127;\n"
                    "tcgen05.st.sync.aligned.32x32b.x1.b32 [%w+96], {%x0};\n"),
      "hasn't finished reading: wait for the mbarrier of a tcgen05.commit "
      "first");
}
