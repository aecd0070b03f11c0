//===- ConditionTest.cpp - Launches that end, and others ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Runtime/Launch.h"
#include "gtest/gtest.h"

using namespace drawloom::runtime;
using Kind = FormulaStep::Kind;

static const ElementType f32 = findElementType("f32");

static FormulaStep number(int64_t value) { return {Kind::Number, value}; }
static FormulaStep dim(unsigned dimension) {
  return {Kind::Size, 0, 0, dimension};
}
/// The second argument, a scalar.
static const FormulaStep n = {Kind::Scalar, 0, 1};

static KernelInfo makeKernel(llvm::StringRef scalar,
                             std::vector<FormulaStep> steps) {
  KernelInfo kernel;
  kernel.name = "k";
  kernel.arguments = {{"A", f32, /*isView=*/true, {dynamicSize, dynamicSize}},
                      {"n", findElementType(scalar)}};
  kernel.condition = LaunchCondition{
      "f >= 1", {{"f", std::move(steps)}}, {{{.formula = 0, .least = 1}}}};
  return kernel;
}

/// The words of the rejection, with a matrix and a scalar.
static std::string rejection(const KernelInfo &kernel, int64_t rows,
                             int64_t columns, uint64_t bits = 0) {
  Argument scalar;
  scalar.bits = bits;
  return llvm::toString(checkCondition(
      kernel, {{Tensor::packed(f32, {rows, columns}, 0)}, scalar}));
}

TEST(Condition, IsCheckedWithTheArithmetic) {
  KernelInfo kernel = makeKernel("i64", {dim(1), number(64), {Kind::CeilDiv}});
  kernel.condition->words = "ceil(dim 1 of A / 64) >= 1";
  kernel.condition->formulas[0].words = "ceil(dim 1 of A / 64)";
  EXPECT_EQ(rejection(kernel, 8, 1), "");
  EXPECT_EQ(
      rejection(kernel, 8, 0),
      "@k is proved deadlock-free only if ceil(dim 1 of A / 64) >= 1; this "
      "launch has ceil(dim 1 of A / 64) = 0 with dim 1 of A = 0 "
      "[launch-condition]");
  kernel.condition = std::nullopt;
  EXPECT_EQ(rejection(kernel, 8, 0), "");
}

TEST(Condition, ComputesEveryStep) {
  auto value = [](std::vector<FormulaStep> steps) {
    KernelInfo kernel = makeKernel("i64", std::move(steps));
    kernel.condition->cases = {};
    std::string words = rejection(kernel, 100, 7, /*bits=*/-3);
    size_t at = words.find("f = ") + 4;
    return words.substr(at, words.find(' ', at) - at);
  };
  EXPECT_EQ(value({dim(0), dim(1), {Kind::Add}}), "107");
  EXPECT_EQ(value({dim(0), n, {Kind::Add}}), "97");
  EXPECT_EQ(value({dim(0), dim(1), {Kind::Multiply}}), "700");
  EXPECT_EQ(value({dim(0), number(7), {Kind::Modulo}}), "2");
  EXPECT_EQ(value({n, number(7), {Kind::Modulo}}), "4");
  EXPECT_EQ(value({dim(0), number(7), {Kind::FloorDiv}}), "14");
  EXPECT_EQ(value({dim(0), number(7), {Kind::CeilDiv}}), "15");
  // Rounded down -3 / 2 is -2, rounded up -1.
  EXPECT_EQ(value({n, number(2), {Kind::FloorDiv}, number(10), {Kind::Add}}),
            "8");
  EXPECT_EQ(value({n, number(2), {Kind::CeilDiv}, number(10), {Kind::Add}}),
            "9");
  // A loop runs 0 times at least.
  EXPECT_EQ(value({n}), "0");
}

TEST(Condition, ScalarsHaveASign) {
  std::vector<FormulaStep> steps = {n, number(5), {Kind::Add}};
  EXPECT_EQ(rejection(makeKernel("i8", steps), 1, 1, 0xff), "");
  EXPECT_EQ(
      rejection(makeKernel("i8", steps), 1, 1, 0xfb),
      "@k is proved deadlock-free only if f >= 1; this launch has f = 0 with n "
      "= -5 [launch-condition]");
  EXPECT_EQ(rejection(makeKernel("i32", steps), 1, 1, 0xfffffffc), "");
}

TEST(Condition, OneCaseIsEnough) {
  KernelInfo kernel = makeKernel("i64", {dim(0)});
  kernel.condition->formulas.push_back({"g", {dim(1)}});
  kernel.condition->cases = {
      {{.formula = 0, .least = 1, .most = 4}},
      {{.formula = 0, .least = 8}, {.formula = 1, .least = 2}}};
  EXPECT_EQ(rejection(kernel, 4, 0), "");
  EXPECT_EQ(rejection(kernel, 8, 2), "");
  EXPECT_EQ(
      rejection(kernel, 8, 1),
      "@k is proved deadlock-free only if f >= 1; this launch has f = 8, g = 1 "
      "with dim 0 of A = 8, dim 1 of A = 1 [launch-condition]");
  EXPECT_NE(rejection(kernel, 5, 2), "");
}

TEST(Condition, NumbersThatAreTooLargeAreRejected) {
  KernelInfo kernel = makeKernel(
      "i64",
      {dim(0), number(int64_t(1) << 40), {Kind::Multiply}, n, {Kind::Add}});
  EXPECT_EQ(rejection(kernel, 1, 1), "");
  EXPECT_EQ(rejection(kernel, int64_t(1) << 24, 1),
            "@k is proved deadlock-free only if f >= 1; with the sizes of this "
            "launch "
            "f has more than 64 bits [launch-condition]");
  EXPECT_NE(rejection(kernel, 1, 1, INT64_MAX), "");
}
