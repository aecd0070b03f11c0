//===- FusionTest.cpp - Fusions of the C API
//-------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace drawloom::capi;

namespace {
class DrawloomCFusion : public testing::Test {
protected:
  DrawloomFusion *fusion = drawloomFusionCreate("f", {"model.py", 1});
  DrawloomTensor x = 0;

  void SetUp() override { EXPECT_EQ(words(input("x", "bf16")), ""); }
  void TearDown() override { drawloomFusionDestroy(fusion); }

  DrawloomError *input(const char *name, const char *type) {
    DrawloomSize shape[] = {{-1, "M"}, {64, nullptr}};
    return drawloomFusionInput(fusion, name, shape, 2, type, {"model.py", 2},
                               &x);
  }
  DrawloomError *apply(const char *operation,
                       std::vector<DrawloomTensor> operands,
                       DrawloomTensor &made, double number = 0,
                       const char *type = nullptr, unsigned line = 3) {
    return drawloomFusionApply(fusion, operation, operands.data(),
                               operands.size(), number, type,
                               {"model.py", line}, &made);
  }
  std::string text(int located) {
    DrawloomBytes bytes = {};
    EXPECT_EQ(words(drawloomFusionText(fusion, located, &bytes)), "");
    return bytes.data ? take(bytes) : "";
  }
};
} // namespace

TEST_F(DrawloomCFusion, EveryOperation) {
  DrawloomTensor made = x, column = 0;
  for (const char *name : {"exp", "rsqrt", "relu", "gelu", "silu"})
    EXPECT_EQ(words(apply(name, {made}, made)), "") << name;
  for (const char *name : {"add", "sub", "mul", "div", "max", "min"})
    EXPECT_EQ(words(apply(name, {made, x}, made)), "") << name;
  for (const char *name : {"add", "mul"})
    EXPECT_EQ(words(apply(name, {made}, made, 0.5)), "") << name;
  DrawloomTensor transposed = 0, product = 0, cast = 0;
  EXPECT_EQ(words(apply("transpose", {x}, transposed)), "");
  EXPECT_EQ(words(apply("matmul", {made, transposed}, product)), "");
  EXPECT_EQ(words(apply("maximum", {product}, column, 1)), "");
  EXPECT_EQ(words(apply("sum", {product}, column, 1)), "");
  EXPECT_EQ(words(apply("unsqueeze", {column}, column, 1)), "");
  for (const char *name : {"cumsum", "cummax"})
    EXPECT_EQ(words(apply(name, {x}, made, 1)), "") << name;
  EXPECT_EQ(words(apply("cast", {product}, cast, 0, "f16")), "");
  DrawloomBytes bytes = {};
  ASSERT_EQ(words(drawloomFusionDescribe(fusion, cast, &bytes)), "");
  EXPECT_EQ(take(bytes), "MxMxf16");
  EXPECT_EQ(words(drawloomFusionOutput(fusion, "d", cast, {"model.py", 9})),
            "");
  EXPECT_NE(text(0).find("func.func @f("), std::string::npos);
  EXPECT_EQ(text(0).find("model.py"), std::string::npos);
}

TEST_F(DrawloomCFusion, OperationsKnowTheirLine) {
  DrawloomTensor made = 0;
  ASSERT_EQ(words(apply("relu", {x}, made, 0, nullptr, 17)), "");
  ASSERT_EQ(words(drawloomFusionOutput(fusion, "d", made, {"model.py", 18})),
            "");
  EXPECT_NE(text(1).find("\"model.py\":17:0"), std::string::npos);
}

TEST_F(DrawloomCFusion, HasASchedule) {
  DrawloomTensor transposed = 0, product = 0;
  ASSERT_EQ(words(apply("transpose", {x}, transposed)), "");
  ASSERT_EQ(words(apply("matmul", {x, transposed}, product)), "");
  ASSERT_EQ(words(drawloomFusionOutput(fusion, "d", product, {"model.py", 9})),
            "");
  EXPECT_SAYS(drawloomFusionSchedule(fusion, "tiles = [1]"), "tiles");
  EXPECT_EQ(words(drawloomFusionSchedule(
                fusion, "tile = [128, 128, 64], slots = {operands = 3}")),
            "");
  EXPECT_NE(text(0).find("tile = [128, 128, 64], slots = {operands = 3}"),
            std::string::npos);
  EXPECT_EQ(words(drawloomFusionSchedule(fusion, nullptr)), "");
  EXPECT_EQ(text(0).find("tile = ["), std::string::npos);
}

TEST_F(DrawloomCFusion, MistakesAreSaidAtOnce) {
  DrawloomTensor made = 0;
  EXPECT_SAYS(apply("matmul", {x, x}, made, 0, nullptr, 23),
              "model.py:23: fusion 'f': matmul of 'x' [M, 64] and 'x' [M, 64]");
}

TEST_F(DrawloomCFusion, ScansAreOfOneTile) {
  DrawloomTensor made = 0;
  EXPECT_SAYS(apply("cumsum", {x}, made, 0),
              ": one tile has all of it, so its size must be a number");
}

TEST_F(DrawloomCFusion, WhatIsRejected) {
  DrawloomTensor made = 0;
  EXPECT_SAYS(input("y", "f12"), "a tensor of a fusion has elements of f32, "
                                 "f16, bf16, f8E4M3FN, f8E5M2, i32, i8, not "
                                 "'f12' [fusion]");
  EXPECT_SAYS(apply("cast", {x}, made, 0, "f12"), "not 'f12'");
  EXPECT_SAYS(apply("sum", {x}, made, 0.5),
              "sum: an axis is a whole number from 0 to 32 [fusion]");
  EXPECT_SAYS(apply("sub", {x}, made),
              "a fusion has no operation 'sub' of 1 tensors [fusion]");
  EXPECT_SAYS(apply("relu", {99}, made),
              "an operand is no tensor of the fusion [fusion]");
  EXPECT_SAYS(drawloomFusionOutput(fusion, "d", 99, {"model.py", 1}),
              "an output is no tensor of the fusion [fusion]");
  DrawloomBytes bytes = {};
  EXPECT_SAYS(drawloomFusionDescribe(fusion, 99, &bytes),
              "this is no tensor of the fusion [fusion]");
}

TEST(FusionMisuse, Null) {
  DrawloomTensor tensor;
  DrawloomBytes bytes;
  EXPECT_SAYS(drawloomFusionInput(nullptr, "x", nullptr, 0, "f32", {}, &tensor),
              "the argument 'fusion' is null [api-argument]");
  EXPECT_SAYS(
      drawloomFusionApply(nullptr, "exp", nullptr, 0, 0, nullptr, {}, &tensor),
      "the argument 'fusion' is null [api-argument]");
  EXPECT_SAYS(drawloomFusionOutput(nullptr, "d", 0, {}),
              "the argument 'fusion' is null [api-argument]");
  EXPECT_SAYS(drawloomFusionSchedule(nullptr, ""),
              "the argument 'fusion' is null [api-argument]");
  EXPECT_SAYS(drawloomFusionDescribe(nullptr, 0, &bytes),
              "the argument 'fusion' is null [api-argument]");
  EXPECT_SAYS(drawloomFusionShape(nullptr, 0, &bytes),
              "the argument 'fusion' is null [api-argument]");
  EXPECT_SAYS(drawloomFusionText(nullptr, 0, &bytes),
              "the argument 'fusion' is null [api-argument]");
  DrawloomFusion *fusion = drawloomFusionCreate("f", {});
  EXPECT_SAYS(drawloomFusionInput(fusion, "x", nullptr, 0, "f32", {}, nullptr),
              "the argument 'tensor' is null [api-argument]");
  EXPECT_SAYS(drawloomFusionInput(fusion, "x", nullptr, 2, "f32", {}, &tensor),
              "'x' has 2 dimensions and no shape [api-argument]");
  EXPECT_SAYS(
      drawloomFusionInput(fusion, "x", nullptr, size_t(-1), "f32", {}, &tensor),
      "dimensions, and a tensor has at most 32");
  EXPECT_SAYS(
      drawloomFusionApply(fusion, "add", nullptr, 2, 0, nullptr, {}, &tensor),
      "an operation has one or two operands [fusion]");
  EXPECT_SAYS(drawloomFusionText(fusion, 0, nullptr),
              "the argument 'bytes' is null [api-argument]");
  EXPECT_SAYS(drawloomFusionDescribe(fusion, 7, &bytes),
              "this is no tensor of the fusion [fusion]");
  drawloomFusionDestroy(fusion);
}

TEST(FusionMisuse, Names) {
  DrawloomSize shape[] = {{-1, "M"}, {64, nullptr}};
  DrawloomTensor tensor;
  for (const char *name : {"my kernel",
                           "gr\xc3\xb6\xc3\x9f"
                           "e",
                           "", "1st", "\xff"}) {
    DrawloomFusion *fusion = drawloomFusionCreate(name, {});
    EXPECT_SAYS(
        drawloomFusionInput(fusion, "x", shape, 2, "f32", {}, &tensor),
        "the fusion's name: a name is made of the letters A to Z and a to z, "
        "digits and _, and begins with no digit");
    drawloomFusionDestroy(fusion);
  }
  DrawloomFusion *fusion = drawloomFusionCreate("f", {"\xff.py", 3});
  EXPECT_SAYS(drawloomFusionInput(fusion, "\xff", shape, 2, "f32", {}, &tensor),
              "the name is not UTF-8 at byte 0 [api-argument]");
  EXPECT_SAYS(drawloomFusionInput(fusion, "a b", shape, 2, "f32", {}, &tensor),
              "input 'a b': a name is made of");
  drawloomFusionDestroy(fusion);
  fusion = drawloomFusionCreate("f", {});
  DrawloomSize twice[] = {{-1, "2*K"}};
  EXPECT_SAYS(drawloomFusionInput(fusion, "x", twice, 1, "f32", {}, &tensor),
              "input 'x' has a size '2*K': a name is made of");
  drawloomFusionDestroy(fusion);
}

TEST(FusionMisuse, AxesAndShapes) {
  DrawloomFusion *fusion = drawloomFusionCreate("f", {});
  DrawloomSize shape[] = {{-1, "M"}, {64, nullptr}, {-1, nullptr}};
  DrawloomTensor x, made;
  EXPECT_EQ(words(drawloomFusionInput(fusion, "x", shape, 3, "f32", {}, &x)),
            "");
  DrawloomBytes bytes;
  EXPECT_EQ(words(drawloomFusionShape(fusion, x, &bytes)), "");
  EXPECT_EQ(take(bytes), "[\"M\",64,null]");
  for (double axis : {-1.0, 0.5, 33.0, 1e30, double(INFINITY), double(NAN)})
    EXPECT_SAYS(
        drawloomFusionApply(fusion, "sum", &x, 1, axis, nullptr, {}, &made),
        "sum: an axis is a whole number from 0 to 32 [fusion]");
  EXPECT_EQ(
      words(drawloomFusionApply(fusion, "max", &x, 1, 0, nullptr, {}, &made)),
      "");
  drawloomFusionDestroy(fusion);
}
