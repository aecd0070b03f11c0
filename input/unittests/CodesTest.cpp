//===- CodesTest.cpp - The stable names of messages -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Input/Codes.h"
#include "gtest/gtest.h"

using drawloom::input::codeOf;

TEST(Codes, AreAtTheEndOfTheFirstLine) {
  EXPECT_EQ(codeOf("249 KiB > 227 KiB [shared-memory-limit]", "syntax"),
            "shared-memory-limit");
  EXPECT_EQ(codeOf("deadlock in @k [deadlock]\n  @a waits", "syntax"),
            "deadlock");
  // Of both, the message's own.
  EXPECT_EQ(codeOf("'tile.load' op pads with 1 [tma-pad]", "syntax"),
            "tma-pad");
}

TEST(Codes, OfAVerifierAreNamesOfOperations) {
  EXPECT_EQ(codeOf("'tile.mma' op sums over K", "syntax"), "tile.mma");
}

TEST(Codes, AreInTheTable) {
  EXPECT_EQ(codeOf("expected one of [a, b]", "syntax"), "syntax");
  EXPECT_EQ(codeOf("a cluster of [two]", "syntax"), "syntax");
  EXPECT_EQ(codeOf("'foo' is unknown", "syntax"), "syntax");
  EXPECT_EQ(codeOf("", "syntax"), "syntax");
}
