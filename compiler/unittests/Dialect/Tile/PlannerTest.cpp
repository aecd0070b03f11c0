//===- PlannerTest.cpp - Tile sizes for programs without ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/Transforms/Planner.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace drawloom;
using namespace drawloom::tile;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr int64_t any = mlir::ShapedType::kDynamic;

class PlannerTest : public testing::Test {
protected:
  PlannerTest() : builder(&context) {}

  const target::Architecture &arch(llvm::StringRef name) {
    return **target::findArchitecture(name);
  }

  /// bf16(A * B^T + bias) along the axes m, n, k.
  Untiled linear(int64_t m, int64_t n, int64_t k) {
    Untiled program;
    program.axes = {m, n, k};
    mlir::Type bf16 = builder.getBF16Type();
    program.mmas = {{0, 1, 2, bf16, bf16, builder.getF32Type(), "a", "b"}};
    program.tensors = {{"bias", {0, 1}, 16, false}, {"d", {0, 1}, 16, true}};
    return program;
  }

  mlir::MLIRContext context;
  mlir::Builder builder;
};

TEST_F(PlannerTest, LargestTileWithFourSlots) {
  for (llvm::StringRef name : {"sm_90a", "sm_100a"}) {
    Choice choice = chooseTile(linear(any, any, any), {}, arch(name));
    EXPECT_EQ(choice.error, "");
    EXPECT_THAT(choice.schedule.tile, ElementsAre(128, 256, 64));
    ASSERT_EQ(choice.reasons.size(), 1u);
    EXPECT_THAT(choice.reasons[0],
                HasSubstr("tile: 128x256x64, the largest candidate that leaves "
                          "4 operand slots on " +
                          name.str() + "; k moves in rows of 128 bytes"));
  }
}

TEST_F(PlannerTest, KnownSizesAreNotOverrun) {
  EXPECT_THAT(
      chooseTile(linear(any, 64, any), {}, arch("sm_100a")).schedule.tile,
      ElementsAre(128, 64, 64));
  // 3 x 128 wastes nothing, 2 x 256 wastes a quarter.
  EXPECT_THAT(
      chooseTile(linear(any, 384, any), {}, arch("sm_100a")).schedule.tile,
      ElementsAre(128, 192, 64));
  // A short k is one step.
  EXPECT_THAT(chooseTile(linear(64, any, 20), {}, arch("sm_90a")).schedule.tile,
              ElementsAre(64, 256, 32));
  // tcgen05 has code for 128 rows, so that half of them are outside.
  EXPECT_THAT(
      chooseTile(linear(64, any, 20), {}, arch("sm_100a")).schedule.tile,
      ElementsAre(128, 256, 32));
}

TEST_F(PlannerTest, TwoMmasShareTheMemory) {
  Untiled program = linear(any, any, any);
  program.mmas.push_back(program.mmas.front());
  program.mmas.back().bName = "c";
  Choice choice = chooseTile(program, {}, arch("sm_100a"));
  // 128 x 256 twice leaves two slots, 128 x 192 three.
  EXPECT_THAT(choice.schedule.tile, ElementsAre(128, 128, 64));
}

TEST_F(PlannerTest, NoInstructionAtAll) {
  Untiled program = linear(any, any, any);
  program.mmas[0].a = program.mmas[0].b = builder.getF64Type();
  Choice choice = chooseTile(program, {}, arch("sm_100a"));
  EXPECT_THAT(
      choice.error,
      HasSubstr("no tile size is legal for this MMA; the first that "
                "was tried is 128x256x16: MMA tile is M×N×K = 128×256×16 of "
                "f64 and f64 into f32, which tcgen05.mma on sm_100a "
                "does not have"));
}

TEST_F(PlannerTest, WithoutMmas) {
  Untiled program;
  program.axes = {any, any};
  program.tensors = {{"x", {0, 1}, 16, false}, {"y", {0, 1}, 16, true}};
  Choice choice = chooseTile(program, {}, arch("sm_90a"));
  EXPECT_THAT(choice.schedule.tile, ElementsAre(8, 1024));
  EXPECT_THAT(
      choice.reasons,
      ElementsAre("tile: 8x1024, so that one copy moves up to 16 KiB in "
                  "rows of 2048 bytes"));
  program.axes = {1000, 100};
  EXPECT_THAT(chooseTile(program, {}, arch("sm_90a")).schedule.tile,
              ElementsAre(64, 128));
}

TEST_F(PlannerTest, SmallerTiles) {
  Untiled program = linear(any, any, any);
  Choice choice = chooseTile(program, {}, arch("sm_100a"), /*smaller=*/1);
  EXPECT_THAT(choice.schedule.tile, ElementsAre(128, 192, 64));
  EXPECT_THAT(choice.reasons, ElementsAre("tile: 128x192x64 on sm_100a; larger "
                                          "candidates are too large"));
  choice = chooseTile(program, {}, arch("sm_100a"), /*smaller=*/100);
  EXPECT_EQ(choice.error, "no smaller tile is left");

  program = {};
  program.axes = {any, any};
  program.tensors = {{"x", {0, 1}, 16, false}, {"y", {0, 1}, 16, true}};
  choice = chooseTile(program, {}, arch("sm_90a"), /*smaller=*/2);
  EXPECT_THAT(choice.schedule.tile, ElementsAre(32, 256));
  choice = chooseTile(program, {}, arch("sm_90a"), /*smaller=*/6);
  EXPECT_EQ(choice.error, "no smaller tile is left");
}

TEST_F(PlannerTest, TransposesAreSquare) {
  Untiled program;
  program.axes = {any, any};
  program.tensors = {{"x", {0, 1}, 16, false}, {"y", {1, 0}, 16, true}};
  Choice choice = chooseTile(program, {}, arch("sm_90a"));
  EXPECT_THAT(choice.schedule.tile, ElementsAre(64, 64));
  EXPECT_THAT(choice.reasons,
              ElementsAre("tile: 64x64, a square, because rows of one tensor "
                          "are columns of another"));
}

} // namespace
