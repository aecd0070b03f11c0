//===- Tcgen05OrderTest.cpp - Errors and the order of tcgen05's work ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tcgen05Kernel.h"

using namespace drawloom::emu;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Errors of accesses
//===----------------------------------------------------------------------===//

static std::string failureOf(const std::string &body, unsigned columns = 64) {
  Tcgen05Kernel kernel;
  kernel.columns = columns;
  kernel.imageBytes = 32768;
  kernel.body = body;
  Harness h("b200", kernel.text());
  uint64_t memory = h.allocate<char>(1 << 17);
  return h.fail("k", {1}, {128}, {memory, memory, memory});
}

static const std::string load =
    "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%x0, %x1, %x2, %x3, %x4, %x5, %x6, "
    "%x7}, ";
static const std::string store8 =
    ", {%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7};\n";

TEST(Tcgen05MustFail, WrongLanes) {
  EXPECT_CONTAINS(
      failureOf("add.s32 %t, %t, 0x200000;\n" + load + "[%t];\n"),
      "lane 32, column 0 of tensor memory: warp 3 reaches lanes 96 to "
      "127 only");
  EXPECT_CONTAINS(
      failureOf("add.s32 %w, %w, 0x200000;\n"
                "tcgen05.st.sync.aligned.32x32b.x8.b32 [%w]" +
                store8),
      "lane 128, column 0 of tensor memory: warp 3 reaches lanes 96 to "
      "127 only");
}

TEST(Tcgen05MustFail, MisalignedLanes) {
  EXPECT_CONTAINS(failureOf("add.s32 %w, %w, 0x100000;\n" + load + "[%w];\n"),
                  "lane 112, column 0 of tensor memory: the lane must be a "
                  "multiple of 32 for this shape");
  EXPECT_CONTAINS(
      failureOf("add.s32 %w, %w, 0x80000;\n"
                "tcgen05.ld.sync.aligned.16x64b.x1.b32 {%x0}, [%w];\n"),
      "the lane must be a multiple of 16 for this shape");
}

TEST(Tcgen05MustFail, OutsideTheAllocation) {
  EXPECT_CONTAINS(
      failureOf(load + "[%w+60];\n"),
      "reads columns 60 to 67 of tensor memory, but column 64 isn't "
      "the CTA's: it has allocated 64 columns from column 0 on");
  EXPECT_CONTAINS(
      failureOf("tcgen05.st.sync.aligned.32x32b.x8.b32 [%w+508]" + store8),
      "writes columns 508 to 515 of tensor memory, which has 512");
  EXPECT_CONTAINS(
      failureOf("tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%x0}, [%w], "
                "96;\n"),
      "reads columns 96 to 96 of tensor memory, but column 96 isn't "
      "the CTA's");
}

TEST(Tcgen05MustFail, AddressesThatDiffer) {
  EXPECT_CONTAINS(
      failureOf("and.b32 %r12, %r1, 1;\nadd.s32 %w, %w, %r12;\n" + load +
                "[%w];\n"),
      "the address in tensor memory must be the same in all lanes of "
      "the warp");
}

TEST(Tcgen05MustFail, LoadAfterStoreWithoutWait) {
  EXPECT_CONTAINS(
      failureOf("tcgen05.st.sync.aligned.32x32b.x8.b32 [%w]" + store8 + load +
                "[%w+4];\n"),
      "reads columns 4 to 11 of tensor memory, which "
      "'tcgen05.st.sync.aligned.32x32b.x8.b32' of line 44 (warp 3) may "
      "still be writing: there was no tcgen05.wait::st behind it");
}

/// D of 8 columns at column 0, A and B the same ones, by thread 0.
static const std::string multiply =
    "add.s64 %rd6, %rd4, 0x4000404000010000;\n"
    "setp.eq.u32 %p4, 0, 0;\n"
    "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%t], %rd6, %rd6, 0x4020490, "
    "%p4;\n";

// As released kernels do it; the checker finds it.
TEST(Tcgen05Order, MmaAfterLoadWithoutWait) {
  EXPECT_EQ(failureOf(load + "[%w];\nbar.sync 0;\n" + multiply +
                      Tcgen05Kernel::commit() + Tcgen05Kernel::wait("")),
            "");
}

TEST(Tcgen05MustFail, MmaAfterStoreWithoutWait) {
  EXPECT_CONTAINS(
      failureOf("tcgen05.st.sync.aligned.32x32b.x8.b32 [%w]" + store8 +
                "bar.sync 0;\n" + multiply),
      "D is in columns 0 to 7 of tensor memory, which "
      "'tcgen05.st.sync.aligned.32x32b.x8.b32' of line 44 (warp 0) may "
      "still be writing: there was no tcgen05.wait::st behind it");
}

TEST(Tcgen05MustFail, LoadWhileTheMmaIsUnderWay) {
  EXPECT_CONTAINS(
      failureOf(multiply + "bar.sync 0;\n" + load + "[%w];\n"),
      "reads columns 0 to 7 of tensor memory, which "
      "'tcgen05.mma.cta_group::1.kind::f16' of line 46 (warp 0) hasn't "
      "finished writing: wait for the mbarrier of a tcgen05.commit "
      "first");
}

// The two halves of the lanes are separate accumulators.
TEST(Tcgen05Order, TheOtherHalfMayBeLoaded) {
  Tcgen05Kernel kernel;
  kernel.imageBytes = 32768;
  kernel.body =
      multiply + "bar.sync 0;\nadd.s32 %r13, %w, 0x100000;\n" +
      "tcgen05.ld.sync.aligned.16x64b.x4.b32 {%x0, %x1, %x2, %x3}, [%r13];\n"
      "tcgen05.wait::ld.sync.aligned;\n" +
      Tcgen05Kernel::commit() + Tcgen05Kernel::wait("");
  Harness h("b200", kernel.text());
  uint64_t memory = h.allocate<char>(1 << 17);
  EXPECT_TRUE(h.run("k", {1}, {128}, {memory, memory, memory}));
}

// A load isn't waited for, but its registers are used.
TEST(Tcgen05Order, FreeAfterALoadWithoutWait) {
  EXPECT_EQ(failureOf(load + "[%w];\nadd.u32 %x0, %x0, %x1;\nbar.sync 0;\n"),
            "");
}

TEST(Tcgen05MustFail, FreeAfterAStoreWithoutWait) {
  EXPECT_CONTAINS(failureOf("tcgen05.st.sync.aligned.32x32b.x8.b32 [%w]" +
                            store8 + "bar.sync 0;\n"),
                  "frees columns 0 to 63 of tensor memory, which "
                  "'tcgen05.st.sync.aligned.32x32b.x8.b32' of line 44 (warp 0) "
                  "may still be writing: there was no tcgen05.wait::st");
}

TEST(Tcgen05MustFail, FreeWhileTheMmaIsUnderWay) {
  EXPECT_CONTAINS(
      failureOf(multiply),
      "frees columns 0 to 63 of tensor memory, which "
      "'tcgen05.mma.cta_group::1.kind::f16' of line 46 (warp 0) hasn't "
      "finished writing");
}

//===----------------------------------------------------------------------===//
// Errors of MMAs and commits
//===----------------------------------------------------------------------===//

/// The report of an MMA with these operands; D, A and B are good by default.
static std::string failureOfMma(const std::string &d, const std::string &a,
                                const std::string &b,
                                const std::string &descriptor,
                                const std::string &kind = "f16",
                                const std::string &before = "") {
  return failureOf("add.s64 %rd6, %rd4, 0x4000404000010000;\n" + before +
                   "setp.eq.u32 %p4, 0, 0;\n"
                   "@%p1 tcgen05.mma.cta_group::1.kind::" +
                   kind + " " + d + ", " + a + ", " + b + ", " + descriptor +
                   ", %p4;\n" + Tcgen05Kernel::commit() +
                   Tcgen05Kernel::wait(""));
}

TEST(Tcgen05MustFail, InstructionDescriptor) {
  EXPECT_CONTAINS(
      failureOfMma("[%t]", "%rd6", "%rd6", "0x4020590"),
      "lane 0: the instruction descriptor 0x04020590: the type of A "
      "(bits 7-9) is 3, which kind::f16 doesn't have");
  EXPECT_CONTAINS(failureOfMma("[%t]", "%rd6", "%rd6", "0x10020490"),
                  "M (bits 24-28) is 256; one CTA has 64 or 128");
}

TEST(Tcgen05MustFail, DAtAWrongLane) {
  EXPECT_CONTAINS(
      failureOfMma("[%t+0x80000]", "%rd6", "%rd6", "0x4020490"),
      "D is at lane 8, column 0; with M = 64 it must be at lane 0 or "
      "16");
  EXPECT_CONTAINS(
      failureOfMma("[%t+0x100000]", "%rd6", "%rd6", "0x8020490"),
      "D is at lane 16, column 0; with M = 128 it must be at lane 0");
}

TEST(Tcgen05MustFail, DOutsideTheAllocation) {
  EXPECT_CONTAINS(
      failureOfMma("[%t+32]", "%rd6", "%rd6", "0x4100490"),
      "D is in columns 32 to 95 of tensor memory, but column 64 isn't "
      "the CTA's: it has allocated 64 columns from column 0 on");
}

TEST(Tcgen05MustFail, AInTensorMemory) {
  EXPECT_CONTAINS(
      failureOfMma("[%t]", "[%t+0x100008]", "%rd6", "0x4020490"),
      "A is at lane 16, column 8 and D at lane 0, column 0: they must "
      "be at the same lane");
  EXPECT_CONTAINS(failureOfMma("[%t]", "[%t+4]", "%rd6", "0x4020490"),
                  "A is in columns 4 to 11, which D overwrites");
  EXPECT_CONTAINS(
      failureOfMma("[%t]", "[%t+60]", "%rd6", "0x4020490"),
      "A is in columns 60 to 67 of tensor memory, but column 64 isn't "
      "the CTA's");
  EXPECT_CONTAINS(failureOfMma("[%t]", "[%t+8]", "%rd6", "0x4028490"),
                  "A is in tensor memory and can't be transposed");
}

TEST(Tcgen05MustFail, SharedMemoryDescriptors) {
  EXPECT_CONTAINS(failureOfMma("[%t]", "%rd6", "%rd7", "0x4020490", "f16",
                               "mov.b64 %rd7, 0;\n"),
                  "matrix B has 0 in bits 46-48, which must be 1 (0b001)");
  EXPECT_CONTAINS(
      failureOfMma("[%t]", "%rd7", "%rd6", "0x4020490", "f16",
                   "mov.b64 %rd7, 0x6000400000000000;\n"),
      "matrix A has swizzling mode 3 in bits 61-63; there are 0, 1, 2, "
      "4 and 6");
  EXPECT_CONTAINS(failureOfMma("[%t]", "%rd7", "%rd6", "0x4020490", "f16",
                               "or.b64 %rd7, %rd6, 0x0002000000000000;\n"),
                  "matrix A starts at 0x400, in the middle of a pattern: with "
                  "the 128-byte swizzle and base offset 1");
  EXPECT_CONTAINS(
      failureOfMma("[%t]", "%rd7", "%rd6", "0x4020490", "f16",
                   "add.s64 %rd7, %rd6, 1664;\n"),
      "matrix A starts at 0x6c00 in shared memory, with leading byte "
      "offset 16 and stride byte offset 1024: 16 bytes at 0x8490 are "
      "outside the CTA's 33920 bytes");
}

TEST(Tcgen05MustFail, TransposedMatricesAndTheirSwizzles) {
  EXPECT_CONTAINS(
      failureOfMma("[%t]", "%rd6", "%rd6", "0x4030910", "tf32"),
      "matrix B is transposed and has the 128-byte swizzle; elements "
      "of 32 bits need the 128-byte swizzle with 32-byte atoms");
  EXPECT_CONTAINS(failureOfMma("[%t]", "%rd7", "%rd6", "0x4028490", "f16",
                               "add.s64 %rd7, %rd6, 0xe000000000000000;\n"),
                  "matrix A is transposed and has the 128-byte swizzle with "
                  "32-byte atoms; elements of 8 and 16 bits need another one");
}

TEST(Tcgen05MustFail, CommitToWhatIsNoBarrier) {
  EXPECT_CONTAINS(
      failureOf("mov.u64 %rd7, 4096;\n"
                "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one"
                ".b64 [%rd7];\n"),
      "lane 0: the mbarrier at 0x1000 isn't in shared memory");
  EXPECT_CONTAINS(
      failureOf("@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one"
                ".shared::cluster.b64 [smem];\n"),
      "mbarrier");
}

TEST(Tcgen05MustFail, CommitToCtasThatAreNotThere) {
  EXPECT_CONTAINS(
      failureOf("mov.b16 %h, 5;\n"
                "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one"
                ".shared::cluster.multicast::cluster.b64 [bar], %h;\n"),
      "the mask 0x5 names CTA rank 2; the cluster has 1 CTAs");
}

TEST(Tcgen05MustFail, CopyToALane) {
  EXPECT_CONTAINS(
      failureOf("add.s64 %rd6, %rd4, 0x4000404000010000;\n"
                "add.s32 %r12, %t, 0x200000;\n"
                "@%p1 tcgen05.cp.cta_group::1.128x128b [%r12], %rd6;\n"),
      "copies to lane 32, column 0 of tensor memory; it must be lane 0");
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// All of A and B is bf16 1, so that an MMA adds 16 to all of D. The value that
/// thread 0 reads at the end.
static float firstOf(const std::string &body, const RunOptions &options) {
  Tcgen05Kernel kernel;
  kernel.imageBytes = 32768;
  kernel.body = Tcgen05Kernel::fill(16) +
                "bar.sync 0;\n"
                "add.s64 %rd6, %rd4, 0x4000404000010000;\n"
                "setp.eq.u32 %p4, 0, 0;\n" +
                body + Tcgen05Kernel::dump(8);
  Harness h("b200", kernel.text());
  h.options = options;
  uint64_t out = h.allocate<float>(128 * 8);
  EXPECT_TRUE(h.run("k", {1}, {128},
                    {h.upload(std::vector<uint16_t>(16384, 0x3f80)),
                     h.upload(std::vector<float>(128 * 16, 0)), out}));
  return h.read<float>(out, 1)[0];
}

static std::vector<RunOptions> manyOptions() {
  std::vector<RunOptions> list(1);
  for (uint64_t seed = 0; seed != 8; ++seed) {
    list.emplace_back();
    list.back().policy = Policy::Random;
    list.back().seed = seed;
  }
  list.emplace_back();
  list.back().policy = Policy::Adversarial;
  for (EngineKind kind : {EngineKind::MatrixMultiply, EngineKind::Commit}) {
    list.emplace_back();
    list.back().policy = Policy::Adversarial;
    list.back().delayed = kind;
  }
  return list;
}

static std::string mmaBy(const std::string &predicate, unsigned column) {
  return formatv(
      "@{0} tcgen05.mma.cta_group::1.kind::f16 [%t+{1}], %rd6, %rd6, "
      "0x4020490, %p4;\n",
      predicate, column);
}

// Two accumulators in turn: each gets what is its own.
TEST(Tcgen05Order, AlternatingAccumulators) {
  std::string body;
  for (unsigned i = 0; i != 5; ++i)
    body += mmaBy("%p1", 0) + mmaBy("%p1", 8);
  for (const RunOptions &options : manyOptions())
    EXPECT_EQ(firstOf(body + Tcgen05Kernel::commit() + Tcgen05Kernel::wait(""),
                      options),
              80.0f);
}

// Accumulators that overlap are done in the order of issue: the second half of
// the first is overwritten by the third, and so on.
TEST(Tcgen05Order, OverlappingAccumulators) {
  std::string fresh = "setp.ne.u32 %p5, 0, 0;\n"
                      "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%t+4], %rd6, "
                      "%rd6, 0x4020490, %p5;\n";
  // Columns 0 to 7: 32; 4 to 11 set to 16; 0 to 7: 48 and 32.
  for (const RunOptions &options : manyOptions()) {
    Tcgen05Kernel kernel;
    kernel.imageBytes = 32768;
    kernel.body = Tcgen05Kernel::fill(16) +
                  "bar.sync 0;\n"
                  "add.s64 %rd6, %rd4, 0x4000404000010000;\n"
                  "setp.eq.u32 %p4, 0, 0;\n" +
                  mmaBy("%p1", 0) + mmaBy("%p1", 0) + fresh + mmaBy("%p1", 0) +
                  Tcgen05Kernel::commit() + Tcgen05Kernel::wait("") +
                  Tcgen05Kernel::dump(16);
    Harness h("b200", kernel.text());
    h.options = options;
    uint64_t out = h.allocate<float>(128 * 16);
    ASSERT_TRUE(h.run("k", {1}, {128},
                      {h.upload(std::vector<uint16_t>(16384, 0x3f80)),
                       h.upload(std::vector<float>(128 * 16, 0)), out}));
    std::vector<float> row = h.read<float>(out, 16);
    EXPECT_EQ(row, (std::vector<float>{48, 48, 48, 48, 32, 32, 32, 32, 16, 16,
                                       16, 16, 0, 0, 0, 0}));
  }
}

// An MMA that doesn't add to D, or that scales it, starts anew in the middle.
TEST(Tcgen05Order, FreshAndScaledSums) {
  std::string plain = mmaBy("%p1", 0);
  std::string fresh =
      "setp.ne.u32 %p5, 0, 0;\n@%p1 tcgen05.mma.cta_group::1.kind::f16 [%t], "
      "%rd6, %rd6, 0x4020490, %p5;\n";
  std::string halved = "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%t], %rd6, "
                       "%rd6, 0x4020490, %p4, 1;\n";
  std::string end = Tcgen05Kernel::commit() + Tcgen05Kernel::wait("");
  EXPECT_EQ(firstOf(plain + plain + fresh + plain + end, {}), 32.0f);
  EXPECT_EQ(firstOf(plain + plain + halved + plain + end, {}), 48.0f);
}

// A thread's MMA without a commit, and then, after a barrier, another thread's
// into the same accumulator, which commits: both are done.
TEST(Tcgen05Order, ThreadsThatAreSynchronized) {
  std::string body = "setp.eq.u32 %p6, %r1, 64;\n" + mmaBy("%p6", 0) +
                     "tcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
                     "tcgen05.fence::after_thread_sync;\n" +
                     mmaBy("%p1", 0) + Tcgen05Kernel::commit() +
                     Tcgen05Kernel::wait("");
  for (const RunOptions &options : manyOptions())
    EXPECT_EQ(firstOf(body, options), 32.0f);
}

// What is in shared memory when the work is done counts, not when it is issued.
TEST(Tcgen05Order, WorkIsDoneLate) {
  RunOptions late;
  late.policy = Policy::Adversarial;
  EXPECT_EQ(firstOf(mmaBy("%p1", 0) + Tcgen05Kernel::commit() +
                        "mov.b32 %r14, 0;\n@%p1 st.shared.b32 [smem], %r14;\n"
                        "bar.sync 0;\n" +
                        Tcgen05Kernel::wait(""),
                    late),
            14.0f);
}

// A warp that executes an MMA with several lanes starts several.
TEST(Tcgen05Order, EveryLaneStartsAnMma) {
  std::string body = "setp.lt.u32 %p6, %r1, 3;\n" + mmaBy("%p6", 0) +
                     "@%p6 tcgen05.commit.cta_group::1.mbarrier::arrive::one"
                     ".shared::cluster.b64 [bar];\n" +
                     Tcgen05Kernel::wait("0", 0);
  Tcgen05Kernel kernel;
  EXPECT_EQ(firstOf("@%p1 mbarrier.inval.shared::cta.b64 [bar];\n"
                    "@%p1 mbarrier.init.shared::cta.b64 [bar], 3;\n"
                    "bar.sync 0;\n" +
                        body,
                    {}),
            48.0f);
}

//===----------------------------------------------------------------------===//
// Products of several commits
//===----------------------------------------------------------------------===//

/// MMAs to columns 0 and 8, a commit, and all wait for it.
static std::string roundOfMmas(unsigned number) {
  return mmaBy("%p1", 0) + mmaBy("%p1", 8) + Tcgen05Kernel::commit() +
         Tcgen05Kernel::wait(std::to_string(number), number % 2) +
         "bar.sync 0;\n";
}

// What an MMA multiplies is what was in shared memory at its own commit,
// however late the accumulator is read, and however many MMAs there are.
TEST(Tcgen05Order, OperandsThatChangeBetweenCommits) {
  for (unsigned rounds : {2, 3, 33, 70}) {
    std::string body = roundOfMmas(0) +
                       "mov.b32 %r14, 0;\n@%p1 st.shared.b32 [smem], %r14;\n"
                       "fence.proxy.async;\nbar.sync 0;\n";
    for (unsigned number = 1; number != rounds; ++number)
      body += roundOfMmas(number);
    for (const RunOptions &options : manyOptions())
      EXPECT_EQ(firstOf(body, options), 16 + 14 * (rounds - 1.0f));
  }
}

// A store to the accumulator is behind the MMAs of the commits before it, and
// in front of those after it.
TEST(Tcgen05Order, StoreBetweenCommits) {
  std::string store = "mov.b32 %x0, 0f42C80000;\n"
                      "tcgen05.st.sync.aligned.32x32b.x1.b32 [%w], {%x0};\n"
                      "tcgen05.wait::st.sync.aligned;\n"
                      "tcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
                      "tcgen05.fence::after_thread_sync;\n";
  for (const RunOptions &options : manyOptions())
    EXPECT_EQ(firstOf(roundOfMmas(0) + roundOfMmas(1) + store + roundOfMmas(2) +
                          roundOfMmas(3),
                      options),
              132.0f);
}

// A load between commits sees the MMAs so far, and those behind it still add to
// them.
TEST(Tcgen05Order, LoadBetweenCommits) {
  std::string copyAway =
      "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%x0}, [%w+8];\n"
      "tcgen05.wait::ld.sync.aligned;\n"
      "tcgen05.st.sync.aligned.32x32b.x1.b32 [%w], {%x0};\n"
      "tcgen05.wait::st.sync.aligned;\n"
      "tcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
      "tcgen05.fence::after_thread_sync;\n";
  for (const RunOptions &options : manyOptions())
    EXPECT_EQ(
        firstOf(roundOfMmas(0) + copyAway + roundOfMmas(1) + copyAway, options),
        32.0f);
}
