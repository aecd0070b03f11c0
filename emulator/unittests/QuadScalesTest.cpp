//===- QuadScalesTest.cpp - mma.sync of small floats and block scales ----===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forms of mma.sync that sm_120a adds: elements of 4 and 6 bits in bytes,
// and block scales (PTX ISA, 9.7.14.3). What other devices have instead is
// rejected by name.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "WarpMmaCase.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace mma;

static const char *const device = "rtx5090";
static std::vector<Element> smallFloats() {
  return {e4m3, e5m2, e3m2, e2m3, e2m1};
}

TEST(QuadScales, SmallFloats) {
  for (const Element &a : smallFloats())
    for (const Element &b : smallFloats())
      for (const char *sum : {"f32", "f16"}) {
        check({16, 32, a, b, sum, sum, ".kind::f8f6f4", ""}, device);
        check({16, 64, a, b, sum, sum, ".kind::f8f6f4", "",
               ".sp::ordered_metadata"},
              device);
      }
}

// Every choice of bytes and lanes, with the modifier and without.
TEST(QuadScales, MXF8F6F4) {
  unsigned choice = 0;
  for (const Element &a : smallFloats())
    for (const Element &b : smallFloats())
      for (const char *vector : {"", ".scale_vec::1X"}) {
        Scales scales{"ue8m0",        1,
                      choice % 4,     choice / 4 % 2,
                      choice / 3 % 4, choice / 2 % 4};
        ++choice;
        std::string kind = std::string(".kind::mxf8f6f4.block_scale") + vector;
        check({16, 32, a, b, "f32", "f32", kind, "", "", 0, scales}, device);
        check({16, 64, a, b, "f32", "f32", kind, "", ".sp::ordered_metadata", 0,
               scales},
              device);
      }
}

TEST(QuadScales, MXF4) {
  const struct {
    const char *kind, *type;
    unsigned perRow;
  } kinds[] = {
      {".kind::mxf4.block_scale", "ue8m0", 2},
      {".kind::mxf4.block_scale.scale_vec::2X", "ue8m0", 2},
      {".kind::mxf4nvf4.block_scale.scale_vec::2X", "ue8m0", 2},
      {".kind::mxf4nvf4.block_scale.scale_vec::4X", "ue4m3", 4},
      {".kind::mxf4nvf4.block_scale.scale_vec::4X", "ue8m0", 4},
  };
  const Element &e = denseE2M1;
  for (const auto &kind : kinds)
    for (unsigned choice = 0; choice != 4; ++choice) {
      unsigned byteA = kind.perRow == 4 ? 0 : choice % 2 * 2;
      unsigned byteB = kind.perRow == 4 ? 0 : choice / 2 * 2;
      Scales scales{kind.type, kind.perRow, byteA, choice / 2, byteB, choice};
      check({16, 64, e, e, "f32", "f32", kind.kind, "", "", 0, scales}, device);
      // PTX 9.1 has ue8m0 with 4X for a dense A alone.
      if (kind.perRow != 4 || scales.type == "ue4m3")
        check({16, 128, e, e, "f32", "f32", kind.kind, "",
               ".sp::ordered_metadata", 0, scales},
              device);
    }
}

/// Of an mma.sync with scales, selectors as given.
static std::string failure(const std::string &modifiers,
                           const std::string &selectorsA,
                           const std::string &selectorsB) {
  return perLaneFailure(
      llvm::formatv("cvt.u16.u32 %h1, %lane; mma.sync.aligned.{0} "
                    "{{%f1, %f2, %f3, %f4}, {{%r1, %r2, %r3, %r4}, "
                    "{{%r1, %r2}, {{%f1, %f2, %f3, %f4}, {{%r5}, {{{1}}, %r6, "
                    "{{{2}};",
                    modifiers, selectorsA, selectorsB),
      "", device);
}

static const char *const scaled1X =
    "m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue8m0";
static const char *const scaled2X =
    "m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0";
static const char *const scaled4X =
    "m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1."
    "f32.ue4m3";

TEST(QuadScalesMustFail, Selectors) {
  EXPECT_CONTAINS(failure(scaled1X, "4, 0", "0, 0"),
                  "byte-id-a is 4; with scale_vec::1X it may be 0, 1, 2 or 3");
  EXPECT_CONTAINS(failure(scaled2X, "0, 0", "1, 0"),
                  "byte-id-b is 1; with scale_vec::2X it may be 0 or 2");
  EXPECT_CONTAINS(failure(scaled4X, "2, 0", "0, 0"),
                  "byte-id-a is 2; with scale_vec::4X it may be 0");
  EXPECT_CONTAINS(failure(scaled1X, "0, 2", "0, 0"),
                  "thread-id-a is 2; it must be below 2");
  EXPECT_CONTAINS(failure(scaled1X, "0, 0", "0, 4"),
                  "thread-id-b is 4; it must be below 4");
  EXPECT_CONTAINS(failure(scaled1X, "%h1, 0", "0, 0"),
                  "byte-id-a must be the same in all lanes of the warp");
}

/// Whether an instruction is rejected on a target, in these words.
static testing::AssertionResult rejects(const std::string &target,
                                        const std::string &instruction,
                                        llvm::StringRef words) {
  std::string source = ".version 9.1 .target " + target +
                       " .address_size 64 .visible .entry k() { .reg .b32 "
                       "%r<9>; .reg .f32 %f<9>; " +
                       instruction + " ret; }";
  std::string said =
      ptx::parseModule(llvm::MemoryBufferRef(source, "test.ptx")).str();
  return llvm::StringRef(said).contains(words)
             ? testing::AssertionSuccess()
             : testing::AssertionFailure() << said;
}

// sm_120a has neither wgmma nor tcgen05, and the others have no block scales
// for mma.sync: the parser says which target has what.
TEST(QuadScales, OtherTargets) {
  EXPECT_TRUE(rejects("sm_120a", "wgmma.fence.sync.aligned;",
                      "needs PTX 8.0 and sm_90a; this module is for PTX 9.1 "
                      "and sm_120a"));
  EXPECT_TRUE(rejects("sm_120a", "tcgen05.wait::ld.sync.aligned;",
                      "needs PTX 8.6 and sm_100a"));
  EXPECT_TRUE(rejects("sm_100a",
                      std::string("mma.sync.aligned.") + scaled1X +
                          " {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r1, "
                          "%r2}, {%f1, %f2, %f3, %f4}, %r5, {0, 0}, %r6, "
                          "{0, 0};",
                      "needs PTX 8.7 and sm_120a"));
}
