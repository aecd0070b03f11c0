//===- RejectionTest.cpp - Programs without a meaning
//-----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each error of the interpreter, with its words and its place.
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"

using namespace drawloom::interp;
using namespace drawloom::interp::test;
using testing::HasSubstr;

namespace {

/// The message of a body that must fail.
std::string errorOf(llvm::StringRef body, std::vector<HostTensor> inputs,
                    llvm::StringRef resultType) {
  Outcome outcome = evaluate(body, inputs, llvm::ArrayRef(resultType));
  EXPECT_FALSE(outcome.succeeded);
  return outcome.errors;
}

std::string errorOfKernel(llvm::StringRef text,
                          std::vector<HostTensor> arguments,
                          const Options &options = {}) {
  Outcome outcome = runKernel(text, std::move(arguments), options);
  EXPECT_FALSE(outcome.succeeded);
  return outcome.errors;
}

TEST(Rejection, UndefinedIntegerOperations) {
  struct Row {
    const char *body;
    std::vector<HostTensor> inputs;
    const char *type;
    const char *error;
  } rows[] = {
      {"%r = arith.divsi %0, %1 : tensor<2x2xi32>",
       {ints("2x2xi32", {1, 2, 3, 4}), ints("2x2xi32", {1, 1, 0, 1})},
       "2x2xi32",
       "division by zero at [1, 0] [undefined-value]"},
      {"%r = arith.divui %0, %1 : i32",
       {ints("i32", {1}), ints("i32", {0})},
       "i32",
       "division by zero [undefined-value]\n"},
      {"%r = arith.remsi %0, %1 : i32",
       {ints("i32", {1}), ints("i32", {0})},
       "i32",
       "division by zero [undefined-value]\n"},
      {"%r = arith.divsi %0, %1 : i8",
       {ints("i8", {-128}), ints("i8", {-1})},
       "i8",
       "the quotient of -128 and -1 does not fit i8"},
      {"%r = arith.ceildivsi %0, %1 : i64",
       {ints("i64", {std::numeric_limits<int64_t>::min()}), ints("i64", {-1})},
       "i64",
       "the quotient of -9223372036854775808 and -1 does not fit i64"},
      {"%r = arith.shli %0, %1 : tensor<2xi8>",
       {ints("2xi8", {1, 1}), ints("2xi8", {0, 8})},
       "2xi8",
       "a shift by 8 of a number of 8 bits at [1]"},
      {"%r = arith.shrsi %0, %1 : i8",
       {ints("i8", {1}), ints("i8", {-1})},
       "i8",
       "a shift by 255 of a number of 8 bits"},
      {"%r = math.ipowi %0, %1 : i32",
       {ints("i32", {0}), ints("i32", {-2})},
       "i32",
       "division by zero: 0 to the power of -2"},
  };
  for (const Row &row : rows)
    EXPECT_THAT(errorOf(row.body, row.inputs, row.type), HasSubstr(row.error));
}

TEST(Rejection, UndefinedCasts) {
  EXPECT_THAT(errorOf("%r = arith.fptosi %0 : tensor<2xf32> to tensor<2xi8>",
                      {floats("2xf32", {1, 128})}, "2xi8"),
              HasSubstr("1.280000e+02 does not fit signed i8 at [1]"));
  EXPECT_THAT(
      errorOf("%r = arith.fptoui %0 : f32 to i8", {floats("f32", {-1})}, "i8"),
      HasSubstr("-1.000000e+00 does not fit unsigned i8"));
  EXPECT_THAT(errorOf("%r = arith.fptosi %0 : f32 to i64",
                      {floats("f32", {qnan})}, "i64"),
              HasSubstr("does not fit signed i64"));
  EXPECT_THAT(errorOf("%r = arith.scaling_extf %0, %1 : tensor<1xf4E2M1FN>, "
                      "tensor<1xf32> to tensor<1xf32>",
                      {floats("1xf4E2M1FN", {1}), floats("1xf32", {2})},
                      "1xf32"),
              HasSubstr("a scale of type f32; only f8E8M0FNU has one meaning, "
                        "cast to it first"));
}

/// R = X rem Y, over tiles of 4; what lies outside is 0, and so is 0 rem 0
/// there.
static constexpr llvm::StringLiteral ragged = R"(
    tile.kernel @k(%x: !tile.view<?x?xi32>, %y: !tile.view<?x?xi32>, %r: !tile.view<?x?xi32>) {
      tile.for_each (%i, %j) tiles [4, 4] of %r : !tile.view<?x?xi32> {
        %0 = tile.load %x[%i, %j] : !tile.view<?x?xi32> -> tensor<4x4xi32>
        %1 = tile.load %y[%i, %j] : !tile.view<?x?xi32> -> tensor<4x4xi32>
        %2 = arith.remsi %0, %1 : tensor<4x4xi32>
        %3 = arith.addi %2, %0 : tensor<4x4xi32>
        tile.store %3, %r[%i, %j] : tensor<4x4xi32>, !tile.view<?x?xi32>
      }
    })";

TEST(Rejection, UndefinedElementsOutsideATensorDoNotMatter) {
  std::vector<HostTensor> arguments = {
      ints("3x5xi32", {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -9, -8, -7, -6, -5}),
      ints("3x5xi32", {4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2}),
      zeros("3x5xi32")};
  static const Arithmetic arithmetic{0x1p-23};
  Options options;
  for (const Arithmetic *which : {(const Arithmetic *)nullptr, &arithmetic}) {
    options.arithmetic = which;
    Outcome outcome = runKernel(ragged, arguments, options);
    ASSERT_TRUE(outcome.succeeded) << outcome.errors;
    EXPECT_TRUE(isEqual(outcome.tensors[2],
                        ints("3x5xi32", {10, 8, 10, 8, 6, 5, 3, 4, 2, 0, -10,
                                         -8, -8, -6, -6})));
    EXPECT_FALSE(outcome.deviations.size() > 2 && outcome.deviations[2]);
  }
}

TEST(Rejection, UndefinedElementsThatAreStored) {
  std::vector<HostTensor> arguments = {zeros("3x5xi32"), zeros("3x5xi32"),
                                       zeros("3x5xi32")};
  for (int64_t i = 0; i != 15; ++i)
    arguments[1].setInt(i, i != 7);
  EXPECT_THAT(errorOfKernel(ragged, arguments),
              HasSubstr("6:14: division by zero at [1, 2]"));
}

TEST(Rejection, WhatDependsOnUndefinedElements) {
  const HostTensor numbers = ints("2x2xi32", {1, 2, 3, 4});
  const HostTensor divisors = ints("2x2xi32", {1, 1, 0, 1});
  std::string quotient = "%q = arith.divsi %0, %1 : tensor<2x2xi32>\n";
  // The row of the reduction that has it, and what is moved to another place.
  EXPECT_THAT(errorOf(quotient + "%r = tile.reduce addi %q axis 1 : "
                                 "tensor<2x2xi32> -> tensor<2xi32>",
                      {numbers, divisors}, "2xi32"),
              HasSubstr("division by zero at [1]"));
  EXPECT_THAT(errorOf(quotient + "%r = tile.transpose %q [1, 0] : "
                                 "tensor<2x2xi32> -> tensor<2x2xi32>",
                      {numbers, divisors}, "2x2xi32"),
              HasSubstr("division by zero at [0, 1]"));
  // Indices and conditions.
  EXPECT_THAT(errorOf("%q = arith.divsi %1, %1 : index\n"
                      "%r = tensor.extract %0[%q] : tensor<3xi8>",
                      {zeros("3xi8"), ints("index", {0})}, "i8"),
              HasSubstr("division by zero"));
  // What is not chosen has no effect.
  EXPECT_TRUE(isEqual(
      evaluate(quotient + "%zero = arith.constant dense<0> : tensor<2x2xi32>\n"
                          "%c = arith.cmpi ne, %1, %zero : tensor<2x2xi32>\n"
                          "%r = arith.select %c, %q, %zero : tensor<2x2xi1>, "
                          "tensor<2x2xi32>",
               {numbers, divisors}, "2x2xi32"),
      ints("2x2xi32", {1, 2, 0, 4})));
}

TEST(Rejection, NegativeScale) {
  EXPECT_THAT(
      errorOf("%r = tile.mma %0, %1, %2 scales(%3, %4 : tensor<1x2xf8E4M3FN>, "
              "tensor<1x2xf8E4M3FN>) : tensor<1x32xf4E2M1FN>, "
              "tensor<1x32xf4E2M1FN> -> tensor<1x1xf32>",
              {zeros("1x32xf4E2M1FN"), zeros("1x32xf4E2M1FN"), zeros("1x1xf32"),
               floats("1x2xf8E4M3FN", {1, 1}), floats("1x2xf8E4M3FN", {1, -2})},
              "1x1xf32"),
      HasSubstr("the scale of b is -2.000000e+00 at [0, 1]; scales are never "
                "negative"));
}

TEST(Rejection, OutsideTensorsAndBuffers) {
  EXPECT_THAT(errorOf("%r = tensor.extract %0[%1] : tensor<3xi8>",
                      {zeros("3xi8"), ints("index", {3})}, "i8"),
              HasSubstr("index 3 of dimension 0 is outside the tensor, "
                        "which has 3 [interpreter]"));
  const char *read =
      "%b = tile.alloc : !tile.buffer<4x4xi8, smem>\n"
      "%r = tile.read %b[0, %0] : !tile.buffer<4x4xi8, smem> -> tensor<4x2xi8>";
  EXPECT_THAT(errorOf(read, {ints("index", {3})}, "4x2xi8"),
              HasSubstr("dimension 1: elements 3 to 4 are not inside the "
                        "buffer, which has 4 [interpreter]"));
  EXPECT_THAT(errorOf(read, {ints("index", {-1})}, "4x2xi8"),
              HasSubstr("dimension 1: elements -1 to 0 are not inside the "
                        "buffer, which has 4 [interpreter]"));
  EXPECT_THAT(
      errorOf(
          "%b = tile.alloc : !tile.buffer<4xi8, smem>\n"
          "tile.write %1, %b[%0] : tensor<2xi8>, !tile.buffer<4xi8, smem>\n"
          "%r = arith.constant 0 : i8",
          {ints("index", {std::numeric_limits<int64_t>::max()}), zeros("2xi8")},
          "i8"),
      HasSubstr("are not inside the buffer, which has 4"));
}

TEST(Rejection, LoopsThatDoNotEnd) {
  const char *text = R"(
    tile.kernel @k(%step: index) {
      %c0 = arith.constant 0 : index
      %c9 = arith.constant 9 : index
      scf.for %i = %c0 to %c9 step %step {
      }
    })";
  EXPECT_THAT(errorOfKernel(text, {ints("index", {0})}),
              HasSubstr("5:7: the step of the loop is 0; it must be positive"));
  EXPECT_THAT(errorOfKernel(text, {ints("index", {-3})}),
              HasSubstr("the step of the loop is -3; it must be positive"));
  Options options;
  options.maxSteps = 1000;
  EXPECT_THAT(
      errorOfKernel(R"(
    tile.kernel @k() {
      %true = arith.constant true
      scf.while : () -> () {
        scf.condition(%true)
      } do {
        scf.yield
      }
    })",
                    {}, options),
      HasSubstr("stopped after 1000 operations: a loop does not end, "
                "or the limit is too low for the program [interpreter]"));
}

TEST(Rejection, WorkTiles) {
  const char *text = R"(
    tile.kernel @k(%n: index) {
      tile.for_each (%i) tiles [2] of [%n] {
      }
    })";
  EXPECT_THAT(errorOfKernel(text, {ints("index", {-1})}),
              HasSubstr("3:7: the extent of dimension 0 is -1; it must not be "
                        "negative"));
  EXPECT_THAT(errorOfKernel(text, {ints("index", {int64_t(1) << 62})}),
              HasSubstr("3:7: more than 4194304 work tiles [interpreter]"));
  EXPECT_THAT(errorOfKernel(R"(
    tile.kernel @k(%x: !tile.view<?xi8>, %n: index) {
      %0 = tile.subview %x[0] [%n] : !tile.view<?xi8> -> !tile.view<?xi8>
    })",
                            {zeros("4xi8"), ints("index", {-4})}),
              HasSubstr("3:12: the size of dimension 0 is -4; it must not be "
                        "negative"));
}

TEST(Rejection, ItemsThatDependOnEachOther) {
  // Two items store the same element.
  EXPECT_THAT(
      errorOfKernel(R"(
    tile.kernel @k(%y: !tile.view<?xi8>, %n: index) {
      %0 = arith.constant dense<1> : tensor<3xi8>
      tile.for_each (%i) tiles [2] of [%n] {
        tile.store %0, %y[%i] : tensor<3xi8>, !tile.view<?xi8>
      }
    })",
                    {zeros("8xi8"), ints("index", {4})}),
      HasSubstr("5:9: work tile (2) stores the element at [2] of "
                "argument 0, which work tile (0) stored; work tiles must be "
                "independent"));
  // One item loads what another stored, and the other way round.
  const char *text = R"(
    tile.kernel @k(%y: !tile.view<?xi8>, %from: index, %n: index) {
      tile.for_each (%i) tiles [1] of [%n] {
        %j = arith.addi %i, %from : index
        %0 = tile.load %y[%j] : !tile.view<?xi8> -> i8
        tile.store %0, %y[%i] : i8, !tile.view<?xi8>
      }
    })";
  EXPECT_THAT(errorOfKernel(text, {zeros("8xi8"), ints("index", {-1}),
                                   ints("index", {4})}),
              HasSubstr("5:14: work tile (1) loads the element at [0] of "
                        "argument 0, which work tile (0) stored"));
  EXPECT_THAT(errorOfKernel(text, {zeros("8xi8"), ints("index", {1}),
                                   ints("index", {4})}),
              HasSubstr("6:9: work tile (1) stores the element at [1] of "
                        "argument 0, which work tile (0) loaded"));
  // In place is fine.
  EXPECT_TRUE(
      runKernel(text, {zeros("8xi8"), ints("index", {0}), ints("index", {4})})
          .succeeded);
  // Element 1 is loaded by items 0 and 1; the last of them stores it.
  EXPECT_THAT(errorOfKernel(R"(
    tile.kernel @k(%y: !tile.view<?xi8>, %n: index) {
      %c1 = arith.constant 1 : index
      tile.for_each (%i) tiles [1] of [%n] {
        %0 = tile.load %y[%c1] : !tile.view<?xi8> -> i8
        %1 = arith.cmpi eq, %i, %c1 : index
        scf.if %1 {
          tile.store %0, %y[%c1] : i8, !tile.view<?xi8>
        }
      }
    })",
                            {zeros("8xi8"), ints("index", {2})}),
              HasSubstr("8:11: work tile (1) stores the element at [1] of "
                        "argument 0, which other work tiles loaded"));
  // What every item loads, none may store.
  EXPECT_THAT(errorOfKernel(R"(
    tile.kernel @k(%y: !tile.view<?xi8>, %n: index) {
      %0 = tile.load %y[3] : !tile.view<?xi8> -> i8
      tile.for_each (%i) tiles [1] of [%n] {
        tile.store %0, %y[%i] : i8, !tile.view<?xi8>
      }
    })",
                            {zeros("8xi8"), ints("index", {4})}),
              HasSubstr("5:9: work tile (3) stores the element at [3] of "
                        "argument 0, which other work tiles loaded"));
}

TEST(Rejection, IndexArithmetic) {
  const char *slice = "%r = tensor.extract_slice %0[%1] [2] [2] : "
                      "tensor<4xi8> to tensor<2xi8>";
  for (int64_t offset : {-1, 2, 4})
    EXPECT_THAT(
        errorOf(slice, {zeros("4xi8"), ints("index", {offset})}, "2xi8"),
        HasSubstr("dimension 0: 2 elements from " + std::to_string(offset) +
                  " in steps of 2 are not inside the tensor, which has 4"));
  EXPECT_THAT(errorOf("%r, %s = affine.delinearize_index %0 into (%1) : index, "
                      "index",
                      {ints("index", {1}), ints("index", {0})}, "index"),
              HasSubstr("a basis element is 0; it must be positive"));
  EXPECT_THAT(
      errorOf("%c = arith.constant 0 : index\n"
              "%r = affine.apply affine_map<()[s0] -> (7 floordiv "
              "s0)>()[%c]",
              {}, "index"),
      HasSubstr(
          "the map divides by a number that is not positive [interpreter]"));
}

TEST(Rejection, ArgumentsThatDoNotFit) {
  const char *text = R"(tile.kernel @k(%x: !tile.view<?x16xf32>, %n: i32) {
    })";
  EXPECT_THAT(errorOfKernel(text, {zeros("4x16xf32")}),
              HasSubstr("1:1: @k takes 2 arguments; 1 are given"));
  EXPECT_THAT(errorOfKernel(text, {zeros("4x16xf16"), zeros("i32")}),
              HasSubstr("argument 0 of @k is 4x16xf16, but the kernel takes "
                        "'!tile.view<?x16xf32>' [interpreter]"));
  EXPECT_THAT(errorOfKernel(text, {zeros("16xf32"), zeros("i32")}),
              HasSubstr("argument 0 of @k is 16xf32, but the kernel takes "
                        "'!tile.view<?x16xf32>': rank 1, not 2 [interpreter]"));
  EXPECT_THAT(
      errorOfKernel(text, {zeros("4x8xf32"), zeros("i32")}),
      HasSubstr(
          "argument 0 of @k is 4x8xf32, but the kernel takes "
          "'!tile.view<?x16xf32>': dimension 1 is 8, not 16 [interpreter]"));
  EXPECT_THAT(errorOfKernel(text, {zeros("4x16xf32"), zeros("1xi32")}),
              HasSubstr("argument 1 of @k is 1xi32, but the kernel takes "
                        "'i32': rank 1, not 0 [interpreter]"));
  EXPECT_THAT(errorOfKernel("tile.kernel @k(%n: i33) {\n}", {zeros("i32")}),
              HasSubstr("the interpreter has no format for 'i33', argument 0 "
                        "of @k [interpreter]"));
}

TEST(Rejection, UnknownOperationsAndTypes) {
  EXPECT_THAT(
      errorOf("%r = math.clampf %0 to [%0, %0] : tensor<1xf32>",
              {zeros("1xf32")}, "1xf32"),
      HasSubstr("the interpreter has no rule for 'math.clampf' [interpreter]"));
  EXPECT_THAT(
      errorOf("%w = arith.extsi %0 : i32 to i33\n"
              "%r = arith.trunci %w : i33 to i32",
              {zeros("i32")}, "i32"),
      HasSubstr("the interpreter has no format for 'i33' [interpreter]"));
  EXPECT_THAT(
      errorOf("%v = arith.constant dense<0> : vector<4xi32>\n"
              "%r = arith.constant 0 : i32",
              {}, "i32"),
      HasSubstr(
          "the interpreter has no format for 'vector<4xi32>' [interpreter]"));
  EXPECT_THAT(errorOf("%e = tensor.empty(%0) : tensor<?xi32>\n"
                      "%r = arith.constant 0 : i32",
                      {ints("index", {4})}, "i32"),
              HasSubstr("the interpreter needs a static shape, not "
                        "'tensor<?xi32>' [interpreter]"));
  EXPECT_THAT(errorOf("%e = tensor.empty() : tensor<65536x65536xi32>\n"
                      "%r = arith.constant 0 : i32",
                      {}, "i32"),
              HasSubstr("a tensor of 65536x65536xi32 is too large: 1 GiB is "
                        "the most [interpreter]"));
  EXPECT_THAT(errorOf("%c = arith.constant dense_resource<r> : tensor<1xi32>\n"
                      "%r = arith.constant 0 : i32",
                      {}, "i32"),
              HasSubstr("write it as dense<...>"));
}

TEST(Rejection, StoreToATensorPassedTwice) {
  // The caller's mistake: one tensor for two views, one of them written. All
  // other tests each pass a tensor of its own.
  EXPECT_THAT(runAliased(R"(
    tile.kernel @k(%x: !tile.view<?xi8>, %y: !tile.view<?xi8>) {
      %0 = tile.load %x[0] : !tile.view<?xi8> -> tensor<4xi8>
      tile.store %0, %y[0] : tensor<4xi8>, !tile.view<?xi8>
    })",
                         zeros("4xi8"))
                  .errors,
              HasSubstr("4:7: stores to a tensor that the caller passed as "
                        "arguments 0 and 1; views that are written must not "
                        "overlap"));
}

TEST(Rejection, ItemsThatGather) {
  const char *text = R"(
    tile.kernel @k(%x: !tile.view<?xi32>) {
      %c1 = arith.constant 1 : index
      %n = tile.dim %x, 0 : !tile.view<?xi32>
      tile.for_each (%i, %j) tiles [1, 1] of [%c1, %n] {
        %own = tile.load %x[%j] : !tile.view<?xi32> -> tensor<1xi32>
        %all:2 = tile.all_gather %own along 1 : tensor<1xi32> -> 2
      }
    })";
  EXPECT_THAT(errorOfKernel(text, {zeros("3xi32")}),
              HasSubstr("has 3 work tiles along dimension 1, where 2 at a time "
                        "gather what each of them has [interpreter]"));
  const char *apart = R"(
    tile.kernel @k(%x: !tile.view<?xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = tile.dim %x, 0 : !tile.view<?xi32>
      tile.for_each (%i, %j) tiles [1, 1] of [%c1, %n] {
        scf.for %k = %c0 to %j step %c1 {
          %own = tile.load %x[%j] : !tile.view<?xi32> -> tensor<1xi32>
          %all:2 = tile.all_gather %own along 1 : tensor<1xi32> -> 2
        }
      }
    })";
  EXPECT_THAT(
      errorOfKernel(apart, {zeros("2xi32")}),
      HasSubstr("runs differently in the 2 work tiles that gather what "
                "each of them has; they must do the same steps [interpreter]"));
}

} // namespace
