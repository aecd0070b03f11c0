//===- PrintableTest.cpp - Words of others, shown to people ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Input/Printable.h"
#include "gtest/gtest.h"

using drawloom::input::makePrintable;

TEST(Printable, TextStaysAsItIs) {
  EXPECT_EQ(makePrintable(""), "");
  EXPECT_EQ(makePrintable("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(makePrintable("gr\u00fc\u00df \u4e2d \U0001f600"),
            "gr\u00fc\u00df \u4e2d \U0001f600");
}

TEST(Printable, TerminalsGetNoCommands) {
  EXPECT_EQ(makePrintable("\x1b[2J\x1b]0;x\x07"), "\\x1b[2J\\x1b]0;x\\x07");
  EXPECT_EQ(makePrintable("\r\x7f"), "\\x0d\\x7f");
  EXPECT_EQ(makePrintable(llvm::StringRef("a\0b", 3)), "a\\x00b");
  // U+009B is what ESC [ is.
  EXPECT_EQ(makePrintable("\xc2\x9b"
                          "31m"),
            "\\xc2\\x9b31m");
  EXPECT_EQ(makePrintable("\xc2\xa0"), "\xc2\xa0");
}

TEST(Printable, BytesThatAreNotUtf8AreWrittenOut) {
  EXPECT_EQ(makePrintable("\xff\xfe"), "\\xff\\xfe");
  // Cut, too long for what it says, and half of a pair.
  EXPECT_EQ(makePrintable("\xe4\xb8"), "\\xe4\\xb8");
  EXPECT_EQ(makePrintable("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(makePrintable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
}
