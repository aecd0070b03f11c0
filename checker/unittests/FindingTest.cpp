//===- FindingTest.cpp - The words of findings ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Checker/RaceChecker.h"
#include "gtest/gtest.h"

using namespace drawloom::checker;

TEST(Rules, HaveNames) {
  EXPECT_EQ(spelling(Rule::ProxyFence), "proxy-fence");
  EXPECT_EQ(severityOf(Rule::TensorFence, false), Severity::Warning);
  EXPECT_EQ(severityOf(Rule::TensorFence, true), Severity::Error);
}
