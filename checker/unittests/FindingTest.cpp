//===- FindingTest.cpp - The words of findings ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Checker/Tell.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace drawloom::checker;

// The first errors and warnings are reported; the rest are counted.
TEST(Teller, HasALimit) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Teller teller;
  Finding finding;
  for (unsigned i = 0; i != Teller::most; ++i)
    teller.tell(finding, os);
  teller.tellRest(os);
  EXPECT_EQ(llvm::StringRef(text).count("error: "), Teller::most);
  EXPECT_EQ(llvm::StringRef(text).count("more"), 0u);
  text.clear();
  for (unsigned i = 0; i != 17; ++i)
    teller.tell(finding, os);
  finding.severity = Severity::Warning;
  for (unsigned i = 0; i != Teller::most + 1; ++i)
    teller.tell(finding, os);
  teller.tellRest(os);
  EXPECT_EQ(llvm::StringRef(text).count("warning: "), Teller::most);
  EXPECT_EQ(llvm::StringRef(text).count("error: "), 0u);
  EXPECT_TRUE(llvm::StringRef(text).ends_with(
      "check: 17 more errors and 1 more warning; --report FILE has all of "
      "them\n"));
}

TEST(Rules, HaveNames) {
  EXPECT_EQ(spelling(Rule::ProxyFence), "proxy-fence");
  EXPECT_EQ(severityOf(Rule::TensorFence, false), Severity::Warning);
  EXPECT_EQ(severityOf(Rule::TensorFence, true), Severity::Error);
}
