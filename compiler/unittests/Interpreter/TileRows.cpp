//===- TileRows.cpp - Operations on tiles with values ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"

using namespace drawloom::interp;
using namespace drawloom::interp::test;

static OpRow reduceInts(const char *body, int64_t expected) {
  // As unsigned: 2, 253, 7.
  return {body, {ints("3xi8", {2, -3, 7})}, ints("i8", {expected})};
}

/// Each number `length` times.
static HostTensor runs(llvm::StringRef type, std::vector<double> numbers,
                       int length) {
  std::vector<double> values;
  for (double number : numbers)
    values.insert(values.end(), length, number);
  return floats(type, values);
}

std::vector<OpRow> drawloom::interp::test::getTileRows() {
  return {
      {"%r = tensor.splat %0 : tensor<2x2xf32>",
       {floats("f32", {-0.0})},
       floats("2x2xf32", {-0.0, -0.0, -0.0, -0.0})},
      {"%r = tensor.from_elements %0, %1, %1, %0 : tensor<2x2xi8>",
       {ints("i8", {1}), ints("i8", {2})},
       ints("2x2xi8", {1, 2, 2, 1})},
      {"%r = tensor.extract %0[%1, %2] : tensor<2x3xi8>",
       {ints("2x3xi8", {1, 2, 3, 4, 5, 6}), ints("index", {1}),
        ints("index", {2})},
       ints("i8", {6})},
      {"%r = tensor.empty() : tensor<2xf32>",
       {},
       floats("2xf32", {qnan, qnan})},
      {"%r = tensor.empty() : tensor<1xi8>", {}, ints("1xi8", {-128})},

      // a is M by K, b is N by K.
      {"%r = tile.mma %0, %1, %2 : tensor<2x3xbf16>, tensor<2x3xbf16> -> "
       "tensor<2x2xf32>",
       {floats("2x3xbf16", {1, 2, 3, 4, 5, 6}),
        floats("2x3xbf16", {1, 0, -1, 2, 1, 0}),
        floats("2x2xf32", {100, 200, 300, 400})},
       floats("2x2xf32", {98, 204, 298, 413})},
      {"%r = tile.mma %0, %1, %2 negated : tensor<2x3xbf16>, tensor<2x3xbf16> "
       "-> tensor<2x2xf32>",
       {floats("2x3xbf16", {1, 2, 3, 4, 5, 6}),
        floats("2x3xbf16", {1, 0, -1, 2, 1, 0}),
        floats("2x2xf32", {100, 200, 300, 400})},
       floats("2x2xf32", {102, 196, 302, 387})},
      // The sum is exact before it is rounded: 2^24 + 1 - 2^24 + 2^-24 in f32.
      {"%r = tile.mma %0, %1, %2 : tensor<1x4xf16>, tensor<1x4xf16> -> "
       "tensor<1x1xf32>",
       {floats("1x4xf16", {4096, 1, -4096, 0x1p-12}),
        floats("1x4xf16", {4096, 1, 4096, 0x1p-12}), floats("1x1xf32", {0})},
       floats("1x1xf32", {1})},
      {"%r = tile.mma %0, %1, %2 : tensor<1x4xf16>, tensor<1x4xf16> -> "
       "tensor<1x1xf32>",
       {floats("1x4xf16", {4096, 1, -4096, 0x1p-11}),
        floats("1x4xf16", {4096, 1, 4096, 0x1p-12}), floats("1x1xf32", {0})},
       floats("1x1xf32", {0x1.000002p0})},
      // An accumulator of f16 is rounded to f16: 2048 + 1 is a tie.
      {"%r = tile.mma %0, %1, %2 : tensor<1x1xf16>, tensor<1x1xf16> -> "
       "tensor<1x1xf16>",
       {floats("1x1xf16", {1}), floats("1x1xf16", {1}),
        floats("1x1xf16", {2048})},
       floats("1x1xf16", {2048})},
      {"%r = tile.mma %0, %1, %2 : tensor<1x2xf16>, tensor<1x2xf16> -> "
       "tensor<1x1xf32>",
       {floats("1x2xf16", {inf, 1}), floats("1x2xf16", {0, 1}),
        floats("1x1xf32", {0})},
       floats("1x1xf32", {qnan})},
      // TF32 drops the 13 low bits: 1 + 2^-10 + 2^-11 becomes 1 + 2^-10.
      {"%r = tile.mma %0, %1, %2 tf32 : tensor<1x2xf32>, tensor<1x2xf32> -> "
       "tensor<1x1xf32>",
       {floats("1x2xf32", {0x1.006p0, 0}), floats("1x2xf32", {1, 1}),
        floats("1x1xf32", {0})},
       floats("1x1xf32", {0x1.004p0})},
      // Mixed 8-bit operands.
      {"%r = tile.mma %0, %1, %2 : tensor<1x2xf8E4M3FN>, tensor<1x2xf8E5M2> -> "
       "tensor<1x1xf32>",
       {floats("1x2xf8E4M3FN", {448, 1.125}),
        floats("1x2xf8E5M2", {57344, 1.75}), floats("1x1xf32", {0})},
       floats("1x1xf32", {448.0 * 57344 + 1.96875})},
      // i32 wraps: 128 * 128 - 127 added to the largest number.
      {"%r = tile.mma %0, %1, %2 : tensor<1x2xi8>, tensor<1x2xi8> -> "
       "tensor<1x1xi32>",
       {ints("1x2xi8", {-128, 127}), ints("1x2xi8", {-128, -1}),
        ints("1x1xi32", {2147483647})},
       ints("1x1xi32", {-2147483648 + 16384 - 127 - 1})},
      // One scale for 32 elements of K. Row 0: 32 * (2 * 4) * (3 * 0.5) and
      // 32 * (1 * 0.25) * (1 * 2); row 1: 32 * (2 * 1) * (3 * 0.5) and
      // 32 * (1 * 8) * (1 * 2).
      {"%r = tile.mma %0, %1, %2 scales(%3, %4 : tensor<2x2xf8E8M0FNU>, "
       "tensor<1x2xf8E8M0FNU>) : tensor<2x64xf8E4M3FN>, tensor<1x64xf8E4M3FN> "
       "-> tensor<2x1xf32>",
       {runs("2x64xf8E4M3FN", {2, 1, 2, 1}, 32),
        runs("1x64xf8E4M3FN", {3, 1}, 32), floats("2x1xf32", {1, 0}),
        floats("2x2xf8E8M0FNU", {4, 0.25, 1, 8}),
        floats("1x2xf8E8M0FNU", {0.5, 2})},
       floats("2x1xf32", {1 + 32 * 12 + 16, 32 * 3 + 32 * 16})},
      // nvfp4: one e4m3 scale for 16 elements.
      {"%r = tile.mma %0, %1, %2 scales(%3, %4 : tensor<1x2xf8E4M3FN>, "
       "tensor<1x2xf8E4M3FN>) : tensor<1x32xf4E2M1FN>, tensor<1x32xf4E2M1FN> "
       "-> tensor<1x1xf32>",
       {runs("1x32xf4E2M1FN", {1.5, 2}, 16),
        runs("1x32xf4E2M1FN", {-0.5, 3}, 16), floats("1x1xf32", {0}),
        floats("1x2xf8E4M3FN", {1.125, 448}), floats("1x2xf8E4M3FN", {1, 2})},
       floats("1x1xf32", {-16 * 0.75 * 1.125 + 16 * 6 * 896})},

      {"%r = tile.reduce addf %0 axis 1 : tensor<2x3xf32> -> tensor<2xf32>",
       {floats("2x3xf32", {1, 2, 3, 4, 5, 6})},
       floats("2xf32", {6, 15})},
      {"%r = tile.reduce addf %0 axis 0 : tensor<2x3xf32> -> tensor<3xf32>",
       {floats("2x3xf32", {1, 2, 3, 4, 5, 6})},
       floats("3xf32", {5, 7, 9})},
      {"%r = tile.reduce addf %0 axis 1 : tensor<2x2x2xf32> -> tensor<2x2xf32>",
       {floats("2x2x2xf32", {1, 2, 3, 4, 5, 6, 7, 8})},
       floats("2x2xf32", {4, 6, 12, 14})},
      // Rounded once: 256 + 1 + 1 in bf16 is 258, not 256.
      {"%r = tile.reduce addf %0 axis 0 : tensor<3xbf16> -> bf16",
       {floats("3xbf16", {256, 1, 1})},
       floats("bf16", {258})},
      {"%r = tile.reduce mulf %0 axis 0 : tensor<3xf32> -> f32",
       {floats("3xf32", {2, -3, 0.5})},
       floats("f32", {-3})},
      {"%r = tile.reduce maximumf %0 axis 1 : tensor<3x2xf32> -> tensor<3xf32>",
       {floats("3x2xf32", {1, qnan, -0.0, 0.0, -5, -inf})},
       floats("3xf32", {qnan, 0.0, -5})},
      {"%r = tile.reduce minimumf %0 axis 1 : tensor<3x2xf32> -> tensor<3xf32>",
       {floats("3x2xf32", {1, qnan, 0.0, -0.0, -5, inf})},
       floats("3xf32", {qnan, -0.0, -5})},
      {"%r = tile.reduce maxnumf %0 axis 1 : tensor<2x2xf32> -> tensor<2xf32>",
       {floats("2x2xf32", {1, qnan, qnan, qnan})},
       floats("2xf32", {1, qnan})},
      {"%r = tile.reduce minnumf %0 axis 1 : tensor<2x2xf32> -> tensor<2xf32>",
       {floats("2x2xf32", {qnan, 1, 3, 2})},
       floats("2xf32", {1, 2})},
      reduceInts("%r = tile.reduce addi %0 axis 0 : tensor<3xi8> -> i8", 6),
      reduceInts("%r = tile.reduce muli %0 axis 0 : tensor<3xi8> -> i8", -42),
      reduceInts("%r = tile.reduce maxsi %0 axis 0 : tensor<3xi8> -> i8", 7),
      reduceInts("%r = tile.reduce minsi %0 axis 0 : tensor<3xi8> -> i8", -3),
      reduceInts("%r = tile.reduce maxui %0 axis 0 : tensor<3xi8> -> i8", -3),
      reduceInts("%r = tile.reduce minui %0 axis 0 : tensor<3xi8> -> i8", 2),
      reduceInts("%r = tile.reduce andi %0 axis 0 : tensor<3xi8> -> i8", 0),
      reduceInts("%r = tile.reduce ori %0 axis 0 : tensor<3xi8> -> i8", -1),
      reduceInts("%r = tile.reduce xori %0 axis 0 : tensor<3xi8> -> i8", -8),

      {"%r = tile.scan addf %0 axis 1 : tensor<2x3xf32>",
       {floats("2x3xf32", {1, 2, 3, 4, 5, 6})},
       floats("2x3xf32", {1, 3, 6, 4, 9, 15})},
      {"%r = tile.scan addf %0 axis 0 : tensor<2x3xf32>",
       {floats("2x3xf32", {1, 2, 3, 4, 5, 6})},
       floats("2x3xf32", {1, 2, 3, 5, 7, 9})},
      // Each rounded once: 257 in bf16 is 256, and 258 is itself.
      {"%r = tile.scan addf %0 axis 0 : tensor<3xbf16>",
       {floats("3xbf16", {256, 1, 1})},
       floats("3xbf16", {256, 256, 258})},
      {"%r = tile.scan maximumf %0 axis 0 : tensor<4xf32>",
       {floats("4xf32", {-1, 3, qnan, 7})},
       floats("4xf32", {-1, 3, qnan, qnan})},
      {"%r = tile.scan addi %0 axis 1 : tensor<2x2xi8>",
       {ints("2x2xi8", {100, 100, -3, 1})},
       ints("2x2xi8", {100, -56, -3, -2})},

      {"%r = tile.broadcast %0 : tensor<1x3xi8> -> tensor<2x3xi8>",
       {ints("1x3xi8", {1, 2, 3})},
       ints("2x3xi8", {1, 2, 3, 1, 2, 3})},
      {"%r = tile.broadcast %0 : tensor<2x1xi8> -> tensor<2x3xi8>",
       {ints("2x1xi8", {1, 2})},
       ints("2x3xi8", {1, 1, 1, 2, 2, 2})},
      {"%r = tile.expand_dims %0 axis 1 : tensor<2x2xi8> -> tensor<2x1x2xi8>",
       {ints("2x2xi8", {1, 2, 3, 4})},
       ints("2x1x2xi8", {1, 2, 3, 4})},
      {"%r = tile.transpose %0 [1, 0] : tensor<2x3xi8> -> tensor<3x2xi8>",
       {ints("2x3xi8", {1, 2, 3, 4, 5, 6})},
       ints("3x2xi8", {1, 4, 2, 5, 3, 6})},
      // result[i, j, k] = source[k, i, j]
      {"%r = tile.transpose %0 [1, 2, 0] : tensor<2x1x3xi8> -> "
       "tensor<1x3x2xi8>",
       {ints("2x1x3xi8", {1, 2, 3, 4, 5, 6})},
       ints("1x3x2xi8", {1, 4, 2, 5, 3, 6})},
      {"%r = tile.extract_slice %0 [1, 1] : tensor<3x3xi8> -> tensor<2x1xi8>",
       {ints("3x3xi8", {1, 2, 3, 4, 5, 6, 7, 8, 9})},
       ints("2x1xi8", {5, 8})},
      {"%r = tensor.extract_slice %0[0, %1] [2, 2] [1, 1] : tensor<2x4xi8> to "
       "tensor<2x2xi8>",
       {ints("2x4xi8", {1, 2, 3, 4, 5, 6, 7, 8}), ints("index", {1})},
       ints("2x2xi8", {2, 3, 6, 7})},
      // Every other column, and a row less.
      {"%r = tensor.extract_slice %0[%1, 1] [1, 2] [1, 2] : tensor<2x4xi8> to "
       "tensor<2xi8>",
       {ints("2x4xi8", {1, 2, 3, 4, 5, 6, 7, 8}), ints("index", {1})},
       ints("2xi8", {6, 8})},
      {"%a, %b, %r = affine.delinearize_index %0 into (%1, 4) : index, index, "
       "index",
       {ints("index", {47}), ints("index", {3})},
       ints("index", {3})},
      {"%a, %r, %b = affine.delinearize_index %0 into (%1, 4) : index, index, "
       "index",
       {ints("index", {47}), ints("index", {3})},
       ints("index", {2})},
      {"%r, %a, %b = affine.delinearize_index %0 into (9, %1, 4) : index, "
       "index, index",
       {ints("index", {47}), ints("index", {3})},
       ints("index", {3})},
      {"%r = affine.linearize_index [%0, %0, %1] by (9, %1, 4) : index",
       {ints("index", {2}), ints("index", {3})},
       ints("index", {35})},
      {"%c = arith.constant -7 : index\n"
       "%r = affine.apply affine_map<(d0) -> (d0 floordiv 2 + d0 mod 4)>(%c)",
       {},
       ints("index", {-3})},
      {"%c = arith.constant 7 : index\n"
       "%r = affine.min affine_map<(d0) -> (d0 * 2, d0 + 1, 20)>(%c)",
       {},
       ints("index", {8})},
      {"%c = arith.constant 7 : index\n"
       "%r = affine.max affine_map<(d0) -> (d0 * 2, d0 + 1, 20)>(%c)",
       {},
       ints("index", {20})},
      {"%r = tile.iota : tensor<4xi32>", {}, ints("4xi32", {0, 1, 2, 3})},
      {"%l = tile.convert_layout %0 : tensor<2x2xi8> -> tensor<2x2xi8, "
       "#tile.layout<2x2, register = [[1, 0], [0, 1]]>>\n"
       "%r = tile.convert_layout %l : tensor<2x2xi8, "
       "#tile.layout<2x2, register = [[1, 0], [0, 1]]>> -> tensor<2x2xi8>",
       {ints("2x2xi8", {1, 2, 3, 4})},
       ints("2x2xi8", {1, 2, 3, 4})},
      {"%b = tile.alloc : !tile.buffer<2x3xi8, smem>\n"
       "tile.write %0, %b[0, 0] : tensor<2x2xi8>, !tile.buffer<2x3xi8, smem>\n"
       "tile.write %1, %b[0, %2] : tensor<2x1xi8>, !tile.buffer<2x3xi8, smem>\n"
       "%r = tile.read %b[1, 1] : !tile.buffer<2x3xi8, smem> -> tensor<1x2xi8>",
       {ints("2x2xi8", {1, 2, 3, 4}), ints("2x1xi8", {5, 6}),
        ints("index", {2})},
       ints("1x2xi8", {4, 6})},
  };
}
