//===- MatrixDescriptorTest.cpp - Operands in shared memory ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Fields and numbers are those of the PTX ISA: "Shared memory descriptor" of
// tcgen05, "Matrix Descriptor Format" of wgmma, and the canonical layouts,
// which say what the leading (LBO) and the stride dimension offset (SBO) lead
// to. Offsets are in units of 16 bytes.

#include "Fields.h"
#include "MatrixDescriptors.h"

using namespace drawloom;
using namespace drawloom::codegen;

namespace {
struct Case {
  const char *what;
  SharedOperand operand;
  /// In bytes.
  uint64_t leading, stride;
  /// The number of the swizzle for tcgen05 and wgmma.
  uint64_t swizzle, wgmmaSwizzle;
};
} // namespace

/// Panels of 16-bit elements with so many rows of so many bytes.
static plan::Panels panels(int64_t rows, int64_t width, bool swizzled = true) {
  return {rows, width, /*count=*/2, /*bits=*/16, swizzled};
}

static constexpr uint64_t unused = 16; // The ISA takes LBO for 1.

// Along k, 8 rows of m or n repeat: SBO leads to the next 8. Along m or n, SBO
// leads to the next 8 of k and LBO to the next panel.
static const Case cases[] = {
    {"along k, 128 bytes", {panels(128, 128)}, unused, 8 * 128, 2, 1},
    {"along k, 64 bytes", {panels(128, 64)}, unused, 8 * 64, 4, 2},
    {"along k, 32 bytes", {panels(128, 32)}, unused, 8 * 32, 6, 3},
    {"along mn, 128 bytes",
     {panels(64, 128), /*transposed=*/true},
     64 * 128,
     8 * 128,
     2,
     1},
    {"along mn, 64 bytes",
     {panels(64, 64), /*transposed=*/true},
     64 * 64,
     8 * 64,
     4,
     2},
    {"along mn, 32 bytes",
     {panels(64, 32), /*transposed=*/true},
     64 * 32,
     8 * 32,
     6,
     3},
    // Without a swizzle the two offsets change places.
    {"along mn, plain",
     {panels(64, 16, /*swizzled=*/false), /*transposed=*/true},
     8 * 16,
     64 * 16,
     0,
     0},
};

TEST(MatrixDescriptor, Tcgen05) {
  for (const Case &one : cases) {
    SCOPED_TRACE(one.what);
    expectFields(one.operand.describeForTcgen05(),
                 {{"matrix start address", 0, 13, 0},
                  {"leading dimension byte offset", 16, 29, one.leading / 16},
                  {"stride dimension byte offset", 32, 45, one.stride / 16},
                  {"fixed constant", 46, 48, 0b001},
                  {"matrix base offset", 49, 51, 0},
                  {"leading dimension stride mode", 52, 52, 0},
                  {"fixed constant", 53, 60, 0},
                  {"swizzling mode", 61, 63, one.swizzle}});
  }
}

// TF32 along m or n is swizzled by 32 bytes at a time, and 4 of k repeat.
TEST(MatrixDescriptor, WordsAlongMN) {
  plan::Panels words = {
      /*rows=*/32, /*width=*/128,     /*count=*/4,
      /*bits=*/32, /*swizzled=*/true, plan::Panels::wordAtom};
  SharedOperand operand = {words, /*transposed=*/true};
  expectFields(operand.describeForTcgen05(),
               {{"leading dimension byte offset", 16, 29, 32 * 128 / 16},
                {"stride dimension byte offset", 32, 45, 4 * 128 / 16},
                {"fixed constant", 46, 48, 0b001},
                {"128-byte with 32-byte atomic swizzling", 61, 63, 1}});
}

TEST(MatrixDescriptor, Wgmma) {
  for (const Case &one : cases) {
    SCOPED_TRACE(one.what);
    expectFields(one.operand.describeForWgmma(),
                 {{"matrix start address", 0, 13, 0},
                  {"leading dimension byte offset", 16, 29, one.leading / 16},
                  {"stride dimension byte offset", 32, 45, one.stride / 16},
                  {"matrix base offset", 49, 51, 0},
                  {"swizzling mode", 62, 63, one.wgmmaSwizzle}});
  }
}

// What an instruction starts with: whole units, so only the address moves.
TEST(MatrixDescriptor, Offsets) {
  SharedOperand alongK = {panels(128, 128)};
  EXPECT_EQ(alongK.getOffset(0, 16), 32);
  EXPECT_EQ(alongK.getOffset(64, 0), 64 * 128);
  // 64 elements of 16 bits are a row; the next ones are in the next panel.
  EXPECT_EQ(alongK.getOffset(0, 64), 128 * 128);
  SharedOperand alongMN = {panels(64, 128), /*transposed=*/true};
  EXPECT_EQ(alongMN.getOffset(0, 16), 16 * 128);
  EXPECT_EQ(alongMN.getOffset(64, 0), 64 * 128);
}
