//===- WarpMmaTest.cpp - mma.sync ----------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every shape and type of mma.sync against three loops.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "WarpMmaCase.h"

using namespace mma;

TEST(WarpMma, Halves) {
  for (unsigned k : {8, 16}) {
    check({16, k, f16, f16, "f32", "f32", "", ""});
    check({16, k, f16, f16, "f16", "f16", "", ""});
    check({16, k, bf16, bf16, "f32", "f32", "", ""});
  }
}

TEST(WarpMma, TF32) {
  for (unsigned k : {4, 8})
    check({16, k, tf32, tf32, "f32", "f32", "", ""});
}

TEST(WarpMma, FP8) {
  for (unsigned k : {16, 32})
    for (const Element &a : {e4m3, e5m2})
      for (const Element &b : {e4m3, e5m2}) {
        check({16, k, a, b, "f32", "f32", "", ""});
        check({16, k, a, b, "f16", "f16", "", ""});
      }
}

TEST(WarpMma, Doubles) {
  check({8, 4, f64, f64, "f64", "f64", "", ""});
  for (unsigned k : {4, 8, 16})
    check({16, k, f64, f64, "f64", "f64", "", ""});
}

TEST(WarpMma, Integers) {
  for (const char *saturation : {"", ".satfinite"}) {
    for (const Element &a : {s8, u8})
      for (const Element &b : {s8, u8}) {
        check({8, 16, a, b, "s32", "s32", saturation, ""});
        check({16, 16, a, b, "s32", "s32", saturation, ""});
        check({16, 32, a, b, "s32", "s32", saturation, ""});
      }
    for (const Element &a : {s4, u4})
      for (const Element &b : {s4, u4}) {
        check({8, 32, a, b, "s32", "s32", saturation, ""});
        check({16, 32, a, b, "s32", "s32", saturation, ""});
        check({16, 64, a, b, "s32", "s32", saturation, ""});
      }
  }
}

TEST(WarpMma, Bits) {
  for (const char *op : {".xor.popc", ".and.popc"}) {
    check({8, 128, b1, b1, "s32", "s32", "", op});
    check({16, 128, b1, b1, "s32", "s32", "", op});
    check({16, 256, b1, b1, "s32", "s32", "", op});
  }
}

//===----------------------------------------------------------------------===//
// A sparse A
//===----------------------------------------------------------------------===//

static const char *const sparseOpcodes[] = {".sp", ".sp::ordered_metadata"};

TEST(SparseWarpMma, Halves) {
  for (const char *sparse : sparseOpcodes)
    for (unsigned k : {16, 32})
      for (unsigned selector = 0; selector != 64 / k; ++selector) {
        check({16, k, f16, f16, "f32", "f32", "", "", sparse, selector});
        check({16, k, f16, f16, "f16", "f16", "", "", sparse, selector});
        check({16, k, bf16, bf16, "f32", "f32", "", "", sparse, selector});
      }
}

TEST(SparseWarpMma, TF32) {
  for (const char *sparse : sparseOpcodes)
    for (unsigned k : {8, 16})
      for (unsigned selector = 0; selector != 32 / k; ++selector)
        check({16, k, tf32, tf32, "f32", "f32", "", "", sparse, selector});
}

TEST(SparseWarpMma, FP8) {
  for (const char *sparse : sparseOpcodes)
    for (const Element &a : {e4m3, e5m2})
      for (const Element &b : {e4m3, e5m2})
        check({16, 64, a, b, "f32", "f32", "", "", sparse});
}

TEST(SparseWarpMma, Integers) {
  for (const char *sparse : sparseOpcodes)
    for (const char *saturation : {"", ".satfinite"}) {
      for (const Element &a : {s8, u8})
        for (const Element &b : {s8, u8}) {
          for (unsigned selector : {0, 1})
            check(
                {16, 32, a, b, "s32", "s32", saturation, "", sparse, selector});
          check({16, 64, a, b, "s32", "s32", saturation, "", sparse});
        }
      for (const Element &a : {s4, u4})
        for (const Element &b : {s4, u4}) {
          for (unsigned selector : {0, 1})
            check(
                {16, 64, a, b, "s32", "s32", saturation, "", sparse, selector});
          check({16, 128, a, b, "s32", "s32", saturation, "", sparse});
        }
    }
}

static std::string sparseFailure(const std::string &opcode,
                                 const std::string &metadata,
                                 const std::string &selector) {
  return perLaneFailure("mov.b32 %r1, 0x3c003c00; mov.b32 %r5, " + metadata +
                        "; mma" + opcode +
                        ".sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
                        "{%f1, %f2, %f3, %f4}, {%r1, %r1, %r1, %r1}, "
                        "{%r1, %r1, %r1, %r1}, {%f1, %f2, %f3, %f4}, %r5, " +
                        selector + ";");
}

TEST(SparseWarpMmaMustFail, Metadata) {
  EXPECT_CONTAINS(
      sparseFailure(".sp", "0x4444a444", "0"),
      "the metadata of row 0, elements 12 to 15 of the step's K, is "
      "0b1010");
  // Falling numbers are for mma.sp alone.
  EXPECT_CONTAINS(sparseFailure(".sp::ordered_metadata", "0x44441444", "0"),
                  "is 0b0001; the valid codes are 0b0100, 0b1000, 0b1001, "
                  "0b1100, 0b1101, 0b1110");
}

TEST(SparseWarpMmaMustFail, Selector) {
  EXPECT_CONTAINS(sparseFailure(".sp", "0x44444444", "2"),
                  "the sparsity selector is 2; 2 of four lanes have the "
                  "metadata of this shape, so it must be below 2");
}

TEST(WarpMmaMustFail, ALaneHasExited) {
  EXPECT_CONTAINS(
      perLaneFailure("setp.eq.u32 %p1, %lane, 7; @%p1 exit;"
                     "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                     "{%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, "
                     "{%f1, %f2, %f3, %f4};"),
      "needs all 32 lanes of the warp; lane 7 has exited");
}
