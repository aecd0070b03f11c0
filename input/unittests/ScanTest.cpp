//===- ScanTest.cpp - Texts that would exhaust their parser ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Input/Scan.h"
#include "gtest/gtest.h"

using namespace drawloom::input;

static std::string repeat(llvm::StringRef text, unsigned times) {
  std::string result;
  for (unsigned i = 0; i != times; ++i)
    result += text;
  return result;
}

static std::string scan(llvm::StringRef text) {
  std::optional<Rejection> rejection = scanMlir(text);
  return rejection ? rejection->words : "";
}

TEST(Scan, JsonIsNestedUpToTheLimit) {
  std::string open = repeat("[", 256), close = repeat("]", 256);
  EXPECT_TRUE(bool(parseJson(open + close)));
  auto rejected = parseJson("\n [" + open + close + "]");
  ASSERT_FALSE(bool(rejected));
  EXPECT_EQ(llvm::toString(rejected.takeError()),
            "[2:257, byte=258]: arrays and objects are nested 257 deep here; "
            "the limit is 256");
  EXPECT_TRUE(scanJson(repeat("{\"a\":", 60'000)).has_value());
}

TEST(Scan, BracketsInJsonStringsDontCount) {
  EXPECT_FALSE(scanJson("\"" + repeat("[", 1000) + "\"").has_value());
  EXPECT_FALSE(scanJson("\"\\\"" + repeat("[", 1000) + "\"").has_value());
  EXPECT_TRUE(scanJson("\"\\\\\"" + repeat("[", 1000)).has_value());
  EXPECT_FALSE(scanJson("\"\\").has_value());
  // Beside each other is not in each other.
  EXPECT_FALSE(scanJson(repeat("[]", 100'000)).has_value());
}

TEST(Scan, MlirIsNestedUpToTheLimit) {
  for (llvm::StringRef opening : {"(", "[", "{", "<", "tensor<", "loc(",
                                  "module {\n", "fused[", "complex<"})
    EXPECT_EQ(scan(repeat(opening, 300)),
              "brackets are nested 257 deep here; the limit is 256")
        << opening.str();
  EXPECT_EQ(scan(repeat("([{<", 64) + repeat(">}])", 64)), "");
  EXPECT_EQ(scan(repeat("a() -> tensor<1xf32>\n", 1000)), "");
  EXPECT_EQ(scan(repeat("affine_set<(d) : (d >= 0, d <= 3)> ", 1000)), "");
}

TEST(Scan, StringsAndCommentsDontCount) {
  EXPECT_EQ(scan("// " + repeat("[", 1000)), "");
  EXPECT_EQ(scan("@\"" + repeat("[", 1000) + "\""), "");
  EXPECT_EQ(scan("\"a\\\"" + repeat("[", 1000) + "\""), "");
  EXPECT_NE(scan("\"//\" " + repeat("[", 1000)), "");
  EXPECT_NE(scan("// \n" + repeat("[", 1000)), "");
  EXPECT_NE(scan("\"open\n" + repeat("[", 1000)), "");
}

TEST(Scan, AliasesCountWithWhatTheyStandFor) {
  std::string deep = "#a0 = [0]\n", wide = "#a0 = [0]\n", plain = wide;
  for (unsigned i = 1; i != 300; ++i) {
    std::string before = "#a" + std::to_string(i - 1);
    std::string name = "#a" + std::to_string(i) + " = ";
    deep += name + "[" + before + "]\n";
    if (i < 60)
      wide += name + "[" + before + ", " + before + "]\n";
    plain += name + "[0]\nop {a = " + before + "}\n";
  }
  EXPECT_EQ(scan(deep), "brackets are nested 257 deep here; the limit is 256");
  EXPECT_EQ(scan(wide), "with its aliases written out the text is longer than "
                        "256 MiB here");
  EXPECT_EQ(scan(plain), "");
  std::string types = "!t0 = tuple<i32>\n";
  for (unsigned i = 1; i != 300; ++i)
    types += "!t" + std::to_string(i) + " = tuple\n<!t" +
             std::to_string(i - 1) + ">\n";
  EXPECT_NE(scan(types), "");
}

TEST(Scan, WhatFollowsAnAliasIsNoPartOfIt) {
  std::string text = "#map = affine_map<(d0) -> (d0)>\n";
  text += repeat("linalg.generic {maps = [#map, #map]}\n", 10'000);
  EXPECT_EQ(scan(text), "");
}

TEST(Scan, ExpressionsHaveALimit) {
  std::string words = "an expression has 257 operators here; the limit is 256";
  EXPECT_EQ(scan("affine_map<(d0) -> (d0" + repeat(" + d0", 300)), words);
  EXPECT_EQ(scan("affine_map<(d0) -> (" + repeat("-", 300)), words);
  EXPECT_EQ(scan("m[%0#1" + repeat(" * %0#1", 300)), words);
  EXPECT_EQ(scan("(d0" + repeat(" mod 2\n// why\n", 300)), words);
  EXPECT_EQ(scan(repeat("%a = arith.constant -1 : index\n", 1000)), "");
  EXPECT_EQ(scan(repeat("(d0 + 1, ", 200)), "");
}

TEST(Scan, AWordHasALimit) {
  EXPECT_EQ(scan("tensor<" + repeat("1x", 10'000) + "f32>"),
            "a word has 20003 bytes; the limit is 16384");
  EXPECT_EQ(scan("dense<\"0x" + repeat("00", 20'000) + "\">"), "");
}

TEST(Scan, ListsOfLinalgAreNumbers) {
  auto transpose = [](llvm::StringRef list) {
    return scan("linalg.transpose ins(%x) outs(%y) permutation = " +
                list.str() + "\n return");
  };
  EXPECT_EQ(transpose("[1, 0]"), "");
  EXPECT_EQ(transpose("[]"), "");
  EXPECT_EQ(transpose("[9223372036854775807]"), "");
  std::string words =
      "'permutation' takes a list of numbers such as [0, 1]: each from 0 on "
      "and below 2^63, and smaller than the rank";
  for (llvm::StringRef list :
       {"[1, 18446744073709551615]", "[9223372036854775808]", "[a]", "[1.5]",
        "[0, ]", "[0", "0", "array<i64: 1, 0>", "[[0]]", ""})
    EXPECT_EQ(transpose(list), words) << list.str();
  EXPECT_EQ(scan("outs(%y) dimensions\n = [x]"),
            "'dimensions' takes a list of numbers such as [0, 1]: each from 0 "
            "on and below 2^63, and smaller than the rank");
  // The generic form.
  EXPECT_EQ(scan("<{permutation = array<i64: 1, 0>}>"), "");
}

TEST(Scan, OperationsWhoseVerifierCrashesAreRejected) {
  EXPECT_EQ(scan("\"affine.dma_wait\"() : () -> ()"),
            "'affine.dma_wait' is no operation of a program");
  EXPECT_NE(scan("affine.dma_start %a[%i]"), "");
  EXPECT_NE(scan("wasmssa.global %a"), "");
  EXPECT_EQ(scan("affine.apply %a"), "");
  EXPECT_EQ(scan("\"linalg.abs\" ( ) ({ }) : () -> ()"),
            "'linalg.abs' has no operands");
  EXPECT_EQ(scan("\"linalg.abs\"(%a) ({ })"), "");
  EXPECT_EQ(scan("linalg.abs ins(%a)"), "");
}
