//===- IntegerRows.cpp - Integer operations of arith with values ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"

using namespace drawloom::interp;
using namespace drawloom::interp::test;

static constexpr int64_t min64 = std::numeric_limits<int64_t>::min();
static constexpr int64_t max64 = std::numeric_limits<int64_t>::max();

std::vector<OpRow> drawloom::interp::test::getIntegerRows() {
  return {
      // Wrapping at the width of the type.
      {"%r = arith.addi %0, %1 : tensor<4xi8>",
       {ints("4xi8", {1, 127, -128, -1}), ints("4xi8", {2, 1, -1, 1})},
       ints("4xi8", {3, -128, 127, 0})},
      {"%r = arith.addi %0, %1 : tensor<2xi64>",
       {ints("2xi64", {max64, min64}), ints("2xi64", {1, -1})},
       ints("2xi64", {min64, max64})},
      {"%r = arith.addi %0, %1 : index",
       {ints("index", {40}), ints("index", {2})},
       ints("index", {42})},
      {"%r = arith.subi %0, %1 : tensor<3xi16>",
       {ints("3xi16", {5, -32768, 0}), ints("3xi16", {7, 1, 0})},
       ints("3xi16", {-2, 32767, 0})},
      {"%r = arith.muli %0, %1 : tensor<3xi32>",
       {ints("3xi32", {-3, 65536, 46341}), ints("3xi32", {7, 65536, 46341})},
       ints("3xi32", {-21, 0, -2147479015})},
      // i1: true is -1 as signed and 1 as unsigned.
      {"%r = arith.addi %0, %1 : tensor<4xi1>",
       {ints("4xi1", {0, 0, 1, 1}), ints("4xi1", {0, 1, 0, 1})},
       ints("4xi1", {0, 1, 1, 0})},
      {"%r = arith.andi %0, %1 : tensor<2xi8>",
       {ints("2xi8", {0b1100, -1}), ints("2xi8", {0b1010, 5})},
       ints("2xi8", {0b1000, 5})},
      {"%r = arith.ori %0, %1 : tensor<2xi8>",
       {ints("2xi8", {0b1100, -1}), ints("2xi8", {0b1010, 5})},
       ints("2xi8", {0b1110, -1})},
      {"%r = arith.xori %0, %1 : tensor<2xi8>",
       {ints("2xi8", {0b1100, -1}), ints("2xi8", {0b1010, 5})},
       ints("2xi8", {0b0110, -6})},
      {"%r = arith.maxsi %0, %1 : tensor<2xi8>",
       {ints("2xi8", {-1, 3}), ints("2xi8", {1, -128})},
       ints("2xi8", {1, 3})},
      {"%r = arith.minsi %0, %1 : tensor<2xi8>",
       {ints("2xi8", {-1, 3}), ints("2xi8", {1, -128})},
       ints("2xi8", {-1, -128})},
      // -1 is the largest unsigned number.
      {"%r = arith.maxui %0, %1 : tensor<2xi8>",
       {ints("2xi8", {-1, 3}), ints("2xi8", {1, -128})},
       ints("2xi8", {-1, -128})},
      {"%r = arith.minui %0, %1 : tensor<2xi8>",
       {ints("2xi8", {-1, 3}), ints("2xi8", {1, -128})},
       ints("2xi8", {1, 3})},
      // Toward zero, down, up.
      {"%r = arith.divsi %0, %1 : tensor<4xi32>",
       {ints("4xi32", {7, -7, 7, -7}), ints("4xi32", {2, 2, -2, -2})},
       ints("4xi32", {3, -3, -3, 3})},
      {"%r = arith.floordivsi %0, %1 : tensor<5xi32>",
       {ints("5xi32", {7, -7, 7, -7, -6}), ints("5xi32", {2, 2, -2, -2, 2})},
       ints("5xi32", {3, -4, -4, 3, -3})},
      {"%r = arith.ceildivsi %0, %1 : tensor<5xi32>",
       {ints("5xi32", {7, -7, 7, -7, 6}), ints("5xi32", {2, 2, -2, -2, 2})},
       ints("5xi32", {4, -3, -3, 4, 3})},
      {"%r = arith.divui %0, %1 : tensor<3xi8>",
       {ints("3xi8", {-1, 7, -128}), ints("3xi8", {2, -1, -1})},
       ints("3xi8", {127, 0, 0})},
      {"%r = arith.ceildivui %0, %1 : tensor<3xi8>",
       {ints("3xi8", {-1, 7, 0}), ints("3xi8", {2, -1, 3})},
       ints("3xi8", {-128, 1, 0})},
      // The remainder has the sign of the dividend.
      {"%r = arith.remsi %0, %1 : tensor<4xi32>",
       {ints("4xi32", {7, -7, 7, -7}), ints("4xi32", {3, 3, -3, -3})},
       ints("4xi32", {1, -1, 1, -1})},
      {"%r = arith.remui %0, %1 : tensor<2xi8>",
       {ints("2xi8", {-1, 7}), ints("2xi8", {16, -1})},
       ints("2xi8", {15, 7})},
      {"%r = arith.shli %0, %1 : tensor<3xi8>",
       {ints("3xi8", {1, 3, -1}), ints("3xi8", {7, 1, 4})},
       ints("3xi8", {-128, 6, -16})},
      {"%r = arith.shrui %0, %1 : tensor<2xi8>",
       {ints("2xi8", {-128, 7}), ints("2xi8", {7, 1})},
       ints("2xi8", {1, 3})},
      {"%r = arith.shrsi %0, %1 : tensor<2xi8>",
       {ints("2xi8", {-128, 7}), ints("2xi8", {7, 1})},
       ints("2xi8", {-1, 3})},
      // Low and high halves, packed into one result to compare.
      {"%l, %h = arith.addui_extended %0, %1 : tensor<3xi8>, tensor<3xi1>\n"
       "%w = arith.extui %h : tensor<3xi1> to tensor<3xi8>\n"
       "%r = arith.xori %l, %w : tensor<3xi8>",
       {ints("3xi8", {-1, 4, -2}), ints("3xi8", {1, 4, 4})},
       ints("3xi8", {1, 8, 3})},
      {"%l, %h = arith.mulsi_extended %0, %1 : tensor<3xi8>\n"
       "%r = arith.addi %h, %h : tensor<3xi8>",
       {ints("3xi8", {-128, 100, -1}), ints("3xi8", {-128, 100, 1})},
       // 16384 >> 8, 10000 >> 8, -1 >> 8; doubled.
       ints("3xi8", {-128, 78, -2})},
      {"%r, %h = arith.mulsi_extended %0, %1 : tensor<3xi8>",
       {ints("3xi8", {-128, 100, -1}), ints("3xi8", {-128, 100, 1})},
       ints("3xi8", {0, 16, -1})},
      {"%l, %r = arith.mului_extended %0, %1 : tensor<2xi64>",
       {ints("2xi64", {-1, 2}), ints("2xi64", {-1, 3})},
       ints("2xi64", {-2, 0})},
      {"%r = arith.cmpi eq, %0, %1 : tensor<3xi8>",
       {ints("3xi8", {-1, 1, 1}), ints("3xi8", {1, -1, 1})},
       ints("3xi1", {0, 0, 1})},
      {"%r = arith.cmpi ne, %0, %1 : tensor<3xi8>",
       {ints("3xi8", {-1, 1, 1}), ints("3xi8", {1, -1, 1})},
       ints("3xi1", {1, 1, 0})},
      {"%r = arith.cmpi slt, %0, %1 : tensor<3xi8>",
       {ints("3xi8", {-1, 1, 1}), ints("3xi8", {1, -1, 1})},
       ints("3xi1", {1, 0, 0})},
      {"%r = arith.cmpi sle, %0, %1 : tensor<3xi8>",
       {ints("3xi8", {-1, 1, 1}), ints("3xi8", {1, -1, 1})},
       ints("3xi1", {1, 0, 1})},
      {"%r = arith.cmpi sgt, %0, %1 : tensor<3xi8>",
       {ints("3xi8", {-1, 1, 1}), ints("3xi8", {1, -1, 1})},
       ints("3xi1", {0, 1, 0})},
      {"%r = arith.cmpi sge, %0, %1 : tensor<3xi8>",
       {ints("3xi8", {-1, 1, 1}), ints("3xi8", {1, -1, 1})},
       ints("3xi1", {0, 1, 1})},
      {"%r = arith.cmpi ult, %0, %1 : tensor<3xi8>",
       {ints("3xi8", {-1, 1, 1}), ints("3xi8", {1, -1, 1})},
       ints("3xi1", {0, 1, 0})},
      {"%r = arith.cmpi ule, %0, %1 : tensor<3xi8>",
       {ints("3xi8", {-1, 1, 1}), ints("3xi8", {1, -1, 1})},
       ints("3xi1", {0, 1, 1})},
      {"%r = arith.cmpi ugt, %0, %1 : tensor<3xi8>",
       {ints("3xi8", {-1, 1, 1}), ints("3xi8", {1, -1, 1})},
       ints("3xi1", {1, 0, 0})},
      {"%r = arith.cmpi uge, %0, %1 : tensor<3xi8>",
       {ints("3xi8", {-1, 1, 1}), ints("3xi8", {1, -1, 1})},
       ints("3xi1", {1, 0, 1})},
  };
}
