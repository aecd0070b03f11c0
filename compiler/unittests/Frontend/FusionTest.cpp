//===- FusionTest.cpp - What the C++ builder builds and rejects -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Frontend/Fusion.h"
#include "drawloom/Dialect/Tile/IR/TileDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace drawloom;
using namespace drawloom::frontend;
using testing::HasSubstr;

namespace {

/// The text of the module, or the error.
std::string build(const Fusion &fusion) {
  mlir::MLIRContext context;
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      fusion.build(context);
  if (!module)
    return llvm::toString(module.takeError());
  EXPECT_TRUE(mlir::succeeded(mlir::verify(**module)));
  std::string text;
  llvm::raw_string_ostream os(text);
  (*module)->print(os);
  return text;
}

TEST(FusionTest, DocumentsExample) {
  Fusion fusion("linear");
  Tensor a = fusion.input("a", {"M", "K"}, DataType::BF16);
  Tensor b = fusion.input("b", {"N", "K"}, DataType::BF16);
  Tensor bias = fusion.input("bias", {"M", "N"}, DataType::BF16);
  Tensor product = matmul(a, transpose(b));
  Tensor sum = add(product, bias);
  fusion.output("d", cast(sum, DataType::BF16));

  fusion.target("sm_100a");
  fusion.schedule().tile = {128, 256, 64};
  fusion.schedule().persistent = tile::Persistence::Static;
  fusion.circularBuffer({a, b}, 4);
  fusion.circularBuffer({bias}, 2);

  std::string text = build(fusion);
  EXPECT_THAT(text, HasSubstr("func.func @linear"));
  EXPECT_THAT(text, HasSubstr("linalg.contract"));
  EXPECT_THAT(
      text, HasSubstr("-> (tensor<?x?xbf16> {tile.name = \"d\"}) attributes"));
  EXPECT_THAT(text, HasSubstr("#tile.schedule<tile = [128, 256, 64], "
                              "persistent = static, slots = {a = 4, b = 4, "
                              "bias = 2}, together = [[a, b]]>"));
  EXPECT_THAT(text, HasSubstr("tile.target = \"sm_100a\""));
  // The transpose is the map of the product's second operand.
  EXPECT_THAT(text, HasSubstr("affine_map<(d0, d1, d2) -> (d1, d2)>"));
  EXPECT_THAT(text, testing::Not(HasSubstr("linalg.transpose")));
}

TEST(FusionTest, Broadcasts) {
  Fusion fusion("scales");
  Tensor x = fusion.input("x", {"M", "N"}, DataType::F32);
  Tensor row = fusion.input("row", {"N"}, DataType::F32);
  Tensor column = fusion.input("column", {"M"}, DataType::F32);
  Tensor one = fusion.input("one", {1, "N"}, DataType::F32);
  fusion.output("y", add(mul(add(x, row), unsqueeze(column, 1)), one));
  std::string text = build(fusion);
  EXPECT_THAT(text, HasSubstr("affine_map<(d0, d1) -> (d1)>"));
  EXPECT_THAT(text, HasSubstr("affine_map<(d0, d1) -> (d0)>"));
  EXPECT_THAT(text, HasSubstr("affine_map<(d0, d1) -> (0, d1)>"));
}

TEST(FusionTest, StaticSizesNeedNoDims) {
  Fusion fusion("batched");
  Tensor a = fusion.input("a", {4, 128, 64}, DataType::F16);
  Tensor b = fusion.input("b", {4, 64, 256}, DataType::F16);
  fusion.output("d", relu(matmul(a, b)));
  std::string text = build(fusion);
  EXPECT_THAT(text, HasSubstr("tensor<4x128x256xf32>"));
  EXPECT_THAT(text, testing::Not(HasSubstr("tensor.dim")));
}

TEST(FusionTest, ActivationsAndReductions) {
  Fusion fusion("many");
  Tensor x = fusion.input("x", {-1, -1}, DataType::BF16);
  fusion.output("s", sum(gelu(x), 1));
  fusion.output("m", maximum(silu(x), 1));
  fusion.output("t", transpose(x));
  std::string text = build(fusion);
  EXPECT_THAT(text, HasSubstr("math.erf"));
  EXPECT_THAT(text, HasSubstr("math.exp"));
  EXPECT_THAT(text,
              HasSubstr("iterator_types = [\"parallel\", \"reduction\"]"));
  EXPECT_THAT(text, HasSubstr("arith.maximumf"));
  EXPECT_THAT(text, HasSubstr("tensor<?xf32> {tile.name = \"s\"}"));
}

TEST(FusionTest, OneModuleForTwoArchitectures) {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  for (llvm::StringRef target : {"sm_90a", "sm_100a"}) {
    Fusion fusion(("copy_" + target).str());
    Tensor x = fusion.input("x", {"N"}, DataType::F32);
    fusion.output("y", mul(x, 2.0));
    fusion.target(target);
    EXPECT_FALSE(bool(fusion.buildInto(*module)));
  }
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
  Fusion again("copy_sm_90a");
  again.output("y", again.input("x", {"N"}, DataType::F32));
  EXPECT_EQ(llvm::toString(again.buildInto(*module)),
            "the module already has a 'copy_sm_90a' [fusion]");
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

class FusionErrors : public testing::Test {
protected:
  /// Expects the error to be about the line of this call's caller.
  void expect(const char *message,
              Where where = std::source_location::current()) {
    fusion.output("out", x);
    std::string text = build(fusion);
    EXPECT_THAT(text, HasSubstr("FusionTest.cpp:"));
    EXPECT_THAT(text, HasSubstr("fusion 'f': "));
    EXPECT_THAT(text, HasSubstr(message)) << "line " << where.line;
  }
  Fusion fusion{"f"};
  Tensor x = fusion.input("x", {"M", "K"}, DataType::BF16);
  Tensor v = fusion.input("v", {"K"}, DataType::BF16);
};

TEST_F(FusionErrors, MatmulOfDifferentK) {
  Tensor y = fusion.input("y", {"N", "K"}, DataType::BF16);
  unsigned line = __LINE__ + 1;
  matmul(x, y);
  expect("matmul of 'x' [M, K] and 'y' [N, K]: inner dimensions differ: K and "
         "N; did you mean a @ b.T?");
  EXPECT_THAT(build(fusion),
              HasSubstr("FusionTest.cpp:" + std::to_string(line)));
}
TEST_F(FusionErrors, MatmulOfNoK) {
  matmul(x, fusion.input("y", {"N", "L"}, DataType::BF16));
  expect("matmul of 'x' [M, K] and 'y' [N, L]: inner dimensions differ: K and "
         "N; transpose() an operand if its K is elsewhere [fusion]");
}
TEST_F(FusionErrors, MatmulOfVectors) {
  matmul(x, v);
  expect("the operands are [..., M, K] and [..., K, N] of the same rank");
}
TEST_F(FusionErrors, MatmulOfTwoTypes) {
  matmul(x, fusion.input("y", {"K", "N"}, DataType::F16));
  expect("the types are bf16 and f16; cast() one of them");
}
TEST_F(FusionErrors, MatmulOfTwoBatches) {
  matmul(fusion.input("y", {2, 8, 4}, DataType::F16),
         fusion.input("z", {3, 4, 8}, DataType::F16));
  expect("batch dimension 0 is 2 on the left and 3 on the right");
}
TEST_F(FusionErrors, AddOfTwoShapes) {
  add(x, fusion.input("y", {"M", 7}, DataType::BF16));
  expect("add of 'x' [M, K] and 'y' [M, 7]: dimension 1 is K on the left and 7 "
         "on the right; dimensions are equal, 1 or missing");
}
TEST_F(FusionErrors, AddOfFloatAndInteger) {
  add(x, fusion.input("y", {"M", "K"}, DataType::I32));
  expect("the types are bf16 and i32; cast() one of them");
}
TEST_F(FusionErrors, TransposeOfAVector) {
  transpose(v);
  expect("transpose of 'v' [K]: it has fewer than two dimensions");
}
TEST_F(FusionErrors, UnsqueezeTooFar) {
  unsqueeze(v, 2);
  expect("unsqueeze of 'v' [K] at dimension 2: the last place is 1");
}
TEST_F(FusionErrors, ReduceTooFar) {
  sum(cast(x, DataType::F32), 2);
  expect("sum of a tensor [M, K] along dimension 2: the dimensions are 0 to 1");
}
TEST_F(FusionErrors, ReduceOneElement) {
  maximum(unsqueeze(v, 0), 0);
  expect("along dimension 0: it has one element, so there is nothing to "
         "combine");
}
TEST_F(FusionErrors, ActivationOfIntegers) {
  relu(fusion.input("y", {"M"}, DataType::I32));
  expect("relu of 'y' [M]: it is for floats, not for i32; cast() it");
}
TEST_F(FusionErrors, TwoInputsOfOneName) {
  fusion.input("x", {"M"}, DataType::F32);
  expect("input 'x' is declared twice");
}
TEST_F(FusionErrors, InputWithoutName) {
  fusion.input("", {"M"}, DataType::F32);
  expect("an input has no name: pipes are named after inputs");
}
TEST_F(FusionErrors, SizeZero) {
  fusion.input("y", {4, 0}, DataType::F32);
  expect("input 'y' [4, 0] has a size of 0: write a number from 1, a name, or "
         "-1");
}
TEST_F(FusionErrors, OutputOfAnInputsName) {
  fusion.output("x", mul(x, 2.0));
  expect("output 'x': an output needs a name of its own");
}
TEST_F(FusionErrors, TensorOfAnotherFusion) {
  Fusion other("other");
  Tensor y = other.input("y", {"M", "K"}, DataType::BF16);
  add(x, y);
  expect("an operand belongs to another fusion");
}
TEST_F(FusionErrors, OutputOfAnotherFusion) {
  Fusion other("other");
  fusion.output("z", other.input("y", {"M"}, DataType::BF16));
  expect("output 'z' belongs to another fusion");
}
TEST_F(FusionErrors, BufferOfAnotherFusion) {
  Fusion other("other");
  fusion.circularBuffer({other.input("y", {"M"}, DataType::BF16)}, 2);
  expect("circularBuffer: a tensor belongs to another fusion");
}
TEST_F(FusionErrors, BufferOfASum) {
  fusion.circularBuffer({add(x, x)}, 2);
  expect(
      "circularBuffer: a tensor [M, K] is neither an input nor a product, so "
      "no pipe is named after it; write schedule().slots with the pipe's "
      "name");
}
TEST_F(FusionErrors, NoSlots) {
  fusion.circularBuffer({x}, 0);
  expect("schedule: slots: 'x' has 0 slots, and a pipe needs at least 1");
}
TEST_F(FusionErrors, UnknownTarget) {
  fusion.target("sm_100");
  expect("did you mean 'sm_100a'?");
}
TEST(FusionTest, NoOutput) {
  Fusion fusion("f");
  fusion.input("x", {"M"}, DataType::F32);
  EXPECT_THAT(build(fusion), HasSubstr("has no output: call output() for each "
                                       "tensor that the kernel shall store"));
}

TEST(FusionTest, AFailedBuildIsNoMistakeOfTheFusion) {
  Fusion fusion("f");
  Tensor x = fusion.input("x", {"M"}, DataType::F32);
  EXPECT_THAT(build(fusion), HasSubstr("has no output"));
  fusion.output("y", exp(x));
  fusion.target("sm_100");
  EXPECT_THAT(build(fusion), HasSubstr("unknown architecture 'sm_100'"));
  fusion.target("sm_100a");
  fusion.schedule().tile = {0};
  EXPECT_THAT(build(fusion), HasSubstr("schedule: "));
  fusion.schedule().tile = {};
  EXPECT_THAT(build(fusion), HasSubstr("func.func @f"));
}

TEST(FusionTest, NumbersThatIntegersDoNotHave) {
  auto words = [](DataType type, auto make) {
    Fusion fusion("f");
    fusion.output("y", make(fusion.input("x", {"M"}, type)));
    return build(fusion);
  };
  EXPECT_THAT(words(DataType::I32, [](Tensor x) { return mul(x, 0.5); }),
              HasSubstr("mul of 'x' [M] and 0.5: i32 has no such number; "
                        "cast() the tensor"));
  EXPECT_THAT(words(DataType::I8, [](Tensor x) { return add(x, 128); }),
              HasSubstr("add of 'x' [M] and 128: i8 has no such number; "
                        "cast() the tensor"));
  EXPECT_THAT(words(DataType::I8, [](Tensor x) { return add(x, -128); }),
              HasSubstr("arith.constant -128 : i8"));
  EXPECT_THAT(words(DataType::I32, [](Tensor x) { return mul(x, 3); }),
              HasSubstr("arith.constant 3 : i32"));
  EXPECT_THAT(words(DataType::F32, [](Tensor x) { return mul(x, 0.5); }),
              HasSubstr("5.000000e-01 : f32"));
}

} // namespace
