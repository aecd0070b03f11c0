//===- FloatRows.cpp - Floating-point operations of arith with values -----===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 0x1p-24 is half of the distance from 1 to the next f32, 0x1p-8 of the
// distance from 1 to the next bf16, 0x1p-11 to the next f16.
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"

using namespace drawloom::interp;
using namespace drawloom::interp::test;

static OpRow compare(const char *body, std::vector<int64_t> expected) {
  return {body,
          {floats("6xf32", {1, 2, 1, qnan, -0.0, qnan}),
           floats("6xf32", {2, 1, 1, 1, 0.0, qnan})},
          ints("6xi1", std::move(expected))};
}

std::vector<OpRow> drawloom::interp::test::getFloatRows() {
  return {
      // Ties to even: 1 + 2^-24 stays, (1 + 2^-23) + 2^-24 goes up.
      {"%r = arith.addf %0, %1 : tensor<5xf32>",
       {floats("5xf32", {1, 0x1.000002p0, inf, -0.0, 0x1.fffffep127}),
        floats("5xf32", {0x1p-24, 0x1p-24, -inf, -0.0, 0x1p104})},
       floats("5xf32", {1, 0x1.000004p0, qnan, -0.0, inf})},
      {"%r = arith.addf %0, %1 : tensor<3xbf16>",
       {floats("3xbf16", {1, 0x1.02p0, 256}),
        floats("3xbf16", {0x1p-8, 0x1p-8, 1})},
       floats("3xbf16", {1, 0x1.04p0, 256})},
      {"%r = arith.addf %0, %1 : tensor<2xf16>",
       {floats("2xf16", {65504, 2048}), floats("2xf16", {16, 1})},
       floats("2xf16", {inf, 2048})},
      {"%r = arith.addf %0, %1 : tensor<2xf64>",
       {floats("2xf64", {1, 0.1}), floats("2xf64", {0x1p-53, 0.2})},
       floats("2xf64", {1, 0.30000000000000004})},
      // In e4m3 the sum rounds to a NaN, in e5m2 to infinity.
      {"%r = arith.addf %0, %1 : tensor<2xf8E4M3FN>",
       {floats("2xf8E4M3FN", {448, 448}), floats("2xf8E4M3FN", {16, 32})},
       floats("2xf8E4M3FN", {448, qnan})},
      {"%r = arith.addf %0, %1 : tensor<1xf8E5M2>",
       {floats("1xf8E5M2", {57344}), floats("1xf8E5M2", {57344})},
       floats("1xf8E5M2", {inf})},
      {"%r = arith.addf %0, %1 : f32",
       {floats("f32", {1.5}), floats("f32", {2.25})},
       floats("f32", {3.75})},
      {"%r = arith.subf %0, %1 : tensor<3xf32>",
       {floats("3xf32", {1, 0x1p-149, 5}),
        floats("3xf32", {0x1p-25, 0x1p-148, 5})},
       floats("3xf32", {1, -0x1p-149, 0.0})},
      // Subnormal products are kept; the smallest one halved is a tie to zero.
      {"%r = arith.mulf %0, %1 : tensor<5xf32>",
       {floats("5xf32", {0x1p-100, 0x1p-149, 0x1.8p-149, 0.0, 0x1p127}),
        floats("5xf32", {0x1p-40, 0.5, 0.5, -3, 2})},
       floats("5xf32", {0x1p-140, 0, 0x1p-149, -0.0, inf})},
      // 0x1.000002p0 squared is 1 + 2^-22 + 2^-46: rounds down.
      {"%r = arith.mulf %0, %0 : tensor<1xf32>",
       {floats("1xf32", {0x1.000002p0})},
       floats("1xf32", {0x1.000004p0})},
      {"%r = arith.divf %0, %1 : tensor<5xf32>",
       {floats("5xf32", {1, 1, -1, 0, 6}), floats("5xf32", {3, 0, 0.0, 0, -2})},
       floats("5xf32", {0x1.555556p-2, inf, -inf, qnan, -3})},
      {"%r = arith.divf %0, %1 : tensor<1xf16>",
       {floats("1xf16", {1}), floats("1xf16", {3})},
       floats("1xf16", {0x1.554p-2})},
      {"%r = arith.remf %0, %1 : tensor<4xf32>",
       {floats("4xf32", {5.5, -5.5, 1, -4}), floats("4xf32", {2, 2, 0, 2})},
       floats("4xf32", {1.5, -1.5, qnan, -0.0})},
      {"%r = arith.negf %0 : tensor<3xf32>",
       {floats("3xf32", {0.0, -2, inf})},
       floats("3xf32", {-0.0, 2, -inf})},
      {"%r = arith.maximumf %0, %1 : tensor<4xf32>",
       {floats("4xf32", {1, -0.0, qnan, 1}),
        floats("4xf32", {2, 0.0, 1, qnan})},
       floats("4xf32", {2, 0.0, qnan, qnan})},
      {"%r = arith.minimumf %0, %1 : tensor<4xf32>",
       {floats("4xf32", {1, 0.0, qnan, 1}),
        floats("4xf32", {2, -0.0, 1, qnan})},
       floats("4xf32", {1, -0.0, qnan, qnan})},
      {"%r = arith.maxnumf %0, %1 : tensor<4xf32>",
       {floats("4xf32", {1, qnan, qnan, 1}),
        floats("4xf32", {2, 1, qnan, qnan})},
       floats("4xf32", {2, 1, qnan, 1})},
      {"%r = arith.minnumf %0, %1 : tensor<4xf32>",
       {floats("4xf32", {1, qnan, qnan, 1}),
        floats("4xf32", {2, 1, qnan, qnan})},
       floats("4xf32", {1, 1, qnan, 1})},
      // Of: less, greater, equal, one NaN, the two zeros, two NaNs.
      compare("%r = arith.cmpf false, %0, %1 : tensor<6xf32>",
              {0, 0, 0, 0, 0, 0}),
      compare("%r = arith.cmpf oeq, %0, %1 : tensor<6xf32>",
              {0, 0, 1, 0, 1, 0}),
      compare("%r = arith.cmpf ogt, %0, %1 : tensor<6xf32>",
              {0, 1, 0, 0, 0, 0}),
      compare("%r = arith.cmpf oge, %0, %1 : tensor<6xf32>",
              {0, 1, 1, 0, 1, 0}),
      compare("%r = arith.cmpf olt, %0, %1 : tensor<6xf32>",
              {1, 0, 0, 0, 0, 0}),
      compare("%r = arith.cmpf ole, %0, %1 : tensor<6xf32>",
              {1, 0, 1, 0, 1, 0}),
      compare("%r = arith.cmpf one, %0, %1 : tensor<6xf32>",
              {1, 1, 0, 0, 0, 0}),
      compare("%r = arith.cmpf ord, %0, %1 : tensor<6xf32>",
              {1, 1, 1, 0, 1, 0}),
      compare("%r = arith.cmpf ueq, %0, %1 : tensor<6xf32>",
              {0, 0, 1, 1, 1, 1}),
      compare("%r = arith.cmpf ugt, %0, %1 : tensor<6xf32>",
              {0, 1, 0, 1, 0, 1}),
      compare("%r = arith.cmpf uge, %0, %1 : tensor<6xf32>",
              {0, 1, 1, 1, 1, 1}),
      compare("%r = arith.cmpf ult, %0, %1 : tensor<6xf32>",
              {1, 0, 0, 1, 0, 1}),
      compare("%r = arith.cmpf ule, %0, %1 : tensor<6xf32>",
              {1, 0, 1, 1, 1, 1}),
      compare("%r = arith.cmpf une, %0, %1 : tensor<6xf32>",
              {1, 1, 0, 1, 0, 1}),
      compare("%r = arith.cmpf uno, %0, %1 : tensor<6xf32>",
              {0, 0, 0, 1, 0, 1}),
      compare("%r = arith.cmpf true, %0, %1 : tensor<6xf32>",
              {1, 1, 1, 1, 1, 1}),
  };
}
