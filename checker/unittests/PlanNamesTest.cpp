//===- PlanNamesTest.cpp - Roles and pipes by name ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Checker/PlanNames.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace drawloom::checker;

/// The names in a file of `text`, or why there are none.
static llvm::Expected<PlanNames> namesIn(llvm::StringRef text) {
  llvm::SmallString<128> name;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("names", "json", name));
  std::error_code failed;
  llvm::raw_fd_ostream(name, failed) << text;
  llvm::Expected<PlanNames> names = PlanNames::read(name);
  llvm::sys::fs::remove(name);
  return names;
}

TEST(PlanNames, RolesAndSlots) {
  auto names = namesIn(R"({"plans": [{"kernel": "gemm",
    "roles": [{"name": "mma", "at": 1, "warps": 1},
              {"name": "epilogue", "at": 4, "warps": 4},
              {"name": "not placed", "warps": 1}],
    "pipes": [
      {"name": "operands", "slots": 4, "slotBytes": 1024, "offset": 0,
       "full": {"offset": 8192}, "empty": {"offset": 8224}},
      {"name": "output", "slots": 2, "slotBytes": 512, "offset": 3584},
      {"name": "result", "slots": 2, "slotColumns": 256, "column": 0}]}]})");
  ASSERT_TRUE(bool(names)) << llvm::toString(names.takeError());
  EXPECT_EQ(names->roleOf("gemm", 1), "@mma");
  EXPECT_EQ(names->roleOf("gemm", 7), "@epilogue");
  EXPECT_EQ(names->roleOf("gemm", 8), "");
  EXPECT_EQ(names->roleOf("other", 1), "");
  EXPECT_EQ(names->sharedAt("gemm", 1024), "slot 1 of @operands");
  EXPECT_EQ(names->sharedAt("gemm", 3584),
            "slot 3 of @operands or slot 0 of @output");
  EXPECT_EQ(names->sharedAt("gemm", 8216),
            "the full barrier of slot 3 of @operands");
  EXPECT_EQ(names->sharedAt("gemm", 8224),
            "the empty barrier of slot 0 of @operands");
  EXPECT_EQ(names->sharedAt("gemm", 8256), "");
  EXPECT_EQ(names->sharedAt("gemm", -8), "");
  EXPECT_EQ(names->columnAt("gemm", 511), "slot 1 of @result");
  EXPECT_EQ(names->columnAt("gemm", 512), "");
}

TEST(PlanNames, NoFileHasNoNames) {
  auto names = PlanNames::read("");
  ASSERT_TRUE(bool(names));
  EXPECT_EQ(names->roleOf("gemm", 0), "");
}
