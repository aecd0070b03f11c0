//===- PrintfTest.cpp - printf of kernels ---------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "llvm/ADT/StringExtras.h"
#include <bit>
#include <climits>
#include <cmath>
#include <cstdio>

using namespace drawloom::emu;

namespace {
struct Printed {
  std::string text, report;
};
} // namespace

/// The bytes of a string as an initial value.
static std::string listOf(const std::string &bytes) {
  std::string list;
  for (unsigned char byte : bytes)
    list += std::to_string(byte) + ", ";
  return list + "0";
}

/// Calls vprintf in one lane with these words for arguments. The string "foo"
/// is at global memory's `word`, whose address is where an argument is ~0.
static Printed print(const std::string &format,
                     const std::vector<uint64_t> &words = {},
                     unsigned bytes = 512) {
  std::string body = ".local .align 8 .b8 args[" + std::to_string(bytes) + "];";
  for (size_t i = 0; i != words.size(); ++i)
    body += (words[i] == ~uint64_t(0)
                 ? std::string("cvta.global.u64 %rd4, word;")
                 : "mov.u64 %rd4, " + std::to_string(words[i]) + ";") +
            "st.local.u64 [args+" + std::to_string(8 * i) + "], %rd4;";
  Harness h("h100",
            perLaneKernel(
                "setp.ne.u32 %p1, %lane, 0; @%p1 exit;" + body + R"(
  cvta.global.u64 %rd2, format;
  mov.u64 %rd3, args;
  cvta.local.u64 %rd3, %rd3;
  { .param .b64 p0; .param .b64 p1; .param .b32 r;
  st.param.b64 [p0], %rd2;
  st.param.b64 [p1], %rd3;
  call (r), vprintf, (p0, p1);
  })",
                ".extern .func (.param .b32 r) vprintf(.param .b64 format,"
                "                                      .param .b64 args);"
                ".global .align 1 .b8 format[" +
                    std::to_string(format.size() + 1) + "] = {" +
                    listOf(format) +
                    "}; .global .align 1 .b8 word[4] = {102, 111, 111, 0};"));
  Printed result;
  llvm::raw_string_ostream os(result.text);
  h.options.output = &os;
  uint64_t out = h.allocate<uint32_t>(32), outWide = h.allocate<uint64_t>(32);
  result.report = h.fail("k", {1}, {32}, {out, outWide});
  return result;
}

/// Every combination of flags, with widths and precisions.
static std::vector<std::string> specifications() {
  std::vector<std::string> result;
  for (unsigned flags = 0; flags != 32; ++flags)
    for (const char *size : {"", "1", "12", ".0", ".3", "14.5", "."}) {
      std::string text = "%";
      for (unsigned i = 0; i != 5; ++i)
        if (flags >> i & 1)
          text += "-+ #0"[i];
      result.push_back(text + size);
    }
  return result;
}

/// Formats that the test makes itself, to compare with the host's printf.
#pragma clang diagnostic ignored "-Wformat-nonliteral"
template <typename T>
static std::string host(const std::string &format, T value) {
  char buffer[1024];
  snprintf(buffer, sizeof(buffer), format.c_str(), value);
  return buffer;
}

/// Prints the value in all ways, several at a time, as the host does.
template <typename T>
static void compare(const std::string &type, T value, uint64_t word) {
  std::vector<std::string> all = specifications();
  for (size_t first = 0; first < all.size(); first += 32) {
    std::string format, expected;
    std::vector<uint64_t> words;
    for (size_t i = first; i != std::min(first + 32, all.size()); ++i) {
      format += all[i] + type + "|";
      expected += host(all[i] + type, value) + "|";
      words.push_back(word);
    }
    Printed printed = print(format, words);
    EXPECT_EQ(printed.report, "");
    EXPECT_EQ(printed.text, expected) << format;
  }
}

TEST(Printf, IntegersAsTheHostPrintsThem) {
  // Long ones, whose arguments are as far apart as words.
  for (long long value : {0ll, 1ll, -1ll, 42ll, -123456789012ll, LLONG_MIN})
    for (const char *type : {"lld", "lli", "llu", "llo", "llx", "llX"})
      if (uint64_t(value) != ~uint64_t(0))
        compare(type, value, uint64_t(value));
}

TEST(Printf, NumbersAsTheHostPrintsThem) {
  for (double value : {0.0, -0.0, 1.5, -3.25e-7, 123456.789, 1e300, -5e-324,
                       double(INFINITY), -double(INFINITY)})
    for (const char *type : {"f", "F", "e", "E", "g", "G", "a", "A"})
      compare(type, value, std::bit_cast<uint64_t>(value));
}

TEST(Printf, SmallIntegersPairUp) {
  // 4 bytes each: two to a word.
  EXPECT_EQ(print("%d %u %hd %hhu %c%c %x", {0xffffffff'fffffffe, // -2, max
                                             0x00000141'00018001, // -32767, 65
                                             0x00000042'00000041, 0xabcdef})
                .text,
            "-2 4294967295 -32767 65 AB abcdef");
}

TEST(Printf, StringsAndPointers) {
  EXPECT_EQ(
      print("[%s] [%5s] [%-5s] [%.2s]", {~0ull, ~0ull, ~0ull, ~0ull}).text,
      "[foo] [  foo] [foo  ] [fo]");
  EXPECT_EQ(print("%p %p %12p", {0, 0xabc0, 0x10}).text,
            "(nil) 0xabc0         0x10");
  EXPECT_EQ(print("100%% %5%").text, "100% %");
  EXPECT_EQ(print("%*d|%-*d|%.*f", {0x0000000700000005, 0x0000000800000004, 2,
                                    std::bit_cast<uint64_t>(1.0)})
                .text,
            "    7|8   |1.00");
}

TEST(Printf, WhatIsNotCudasIsPrintedAsItStands) {
  // No host address is read or written, whatever the argument is.
  EXPECT_EQ(print("%n %ln %hhn %5$lx %1$n %Sld %Lf %'d %I64d %q %",
                  {0x4141414141414141})
                .text,
            "%n %ln %hhn %5$lx %1$n %Sld %Lf %'d %I64d %q %");
  // Behind 32 arguments.
  std::string format, expected;
  for (unsigned i = 0; i != 34; ++i) {
    format += "%lld ";
    expected += i < 32 ? "7 " : "%lld ";
  }
  Printed printed = print(format, std::vector<uint64_t>(40, 7));
  EXPECT_EQ(printed.text, expected);
}

TEST(PrintfMustFail, Bounds) {
  EXPECT_CONTAINS(print("%2147483647d", {1}).report,
                  "printf(\"%2147483647d\"): a width of more than 65536");
  EXPECT_CONTAINS(print("%.99999999999999999999f", {1}).report,
                  "a precision of more than 65536");
  EXPECT_CONTAINS(print("%*d", {0x0000000180000000}).report,
                  "a width of more than 65536");
  EXPECT_EQ(print("%65536d", {1}).text.size(), 65536u);
  EXPECT_CONTAINS(print("%s", {0x4141414141414141}).report,
                  "argument 0 is no string in memory of at most 65536");
  EXPECT_CONTAINS(print(std::string(70000, 'x')).report,
                  "the format of a printf is not a string in memory of at "
                  "most 65536 characters");
}

TEST(PrintfMustFail, ArgumentsThatAreNotThere) {
  EXPECT_CONTAINS(print("%lld %d", {1}, 8).report,
                  "printf(\"%lld %d\"): argument 1 can't be read");
}
