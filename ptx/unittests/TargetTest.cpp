//===- TargetTest.cpp - Versions, targets, types --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/PTX/Target.h"
#include "drawloom/PTX/Types.h"
#include "gtest/gtest.h"

using namespace drawloom::ptx;

static bool satisfies(llvm::StringRef version, llvm::StringRef target,
                      llvm::StringRef requirement) {
  return parseRequirement(requirement)
      ->isSatisfied(*parseVersion(version), *parseTarget(target));
}

TEST(Target, PlainTargetsAreAnOnion) {
  EXPECT_TRUE(satisfies("8.0", "sm_90", "7.8 sm_90"));
  EXPECT_TRUE(satisfies("8.0", "sm_90a", "7.8 sm_90"));
  EXPECT_TRUE(satisfies("8.8", "sm_100", "7.8 sm_90"));
  EXPECT_FALSE(satisfies("8.0", "sm_80", "7.8 sm_90"));
  EXPECT_FALSE(satisfies("7.5", "sm_90", "7.8 sm_90"));
  EXPECT_TRUE(satisfies("7.0", "sm_50", ""));
}

TEST(Target, ArchitectureSpecificTargetsAreNot) {
  EXPECT_TRUE(satisfies("8.0", "sm_90a", "8.0 sm_90a"));
  EXPECT_FALSE(satisfies("8.0", "sm_90", "8.0 sm_90a"));
  EXPECT_FALSE(satisfies("8.8", "sm_100a", "8.0 sm_90a"));
}

TEST(Target, FamilyTargetsCoverTheLaterOnesOfTheFamily) {
  llvm::StringRef family = "8.6 sm_100a; 8.8 sm_100f";
  EXPECT_TRUE(satisfies("8.6", "sm_100a", family));
  EXPECT_TRUE(satisfies("8.8", "sm_103a", family));
  EXPECT_TRUE(satisfies("8.8", "sm_100f", family));
  EXPECT_FALSE(satisfies("8.8", "sm_103", family));
  EXPECT_FALSE(satisfies("8.8", "sm_120a", family));
  EXPECT_FALSE(satisfies("8.8", "sm_100f", "8.8 sm_103f"));
  // sm_101 was renamed to sm_110: one family.
  EXPECT_TRUE(satisfies("9.0", "sm_110a", "8.8 sm_101f"));
}

TEST(Target, Words) {
  EXPECT_EQ(parseRequirement("8.6 sm_100a sm_101a; 8.8 sm_100f")->str(),
            "PTX 8.6 and sm_100a or sm_101a, or PTX 8.8 and sm_100f");
  EXPECT_EQ(parseRequirement("8.3")->str(), "PTX 8.3");
  EXPECT_FALSE(parseRequirement("sm_90"));
  EXPECT_FALSE(parseRequirement("8.0 sm_95"));
  EXPECT_FALSE(parseTarget("sm_90f"));
  EXPECT_FALSE(parseTarget("sm_"));
  EXPECT_FALSE(parseVersion("8"));
}

TEST(Types, RegistersThatFit) {
  // The instruction's type first, then the register's.
  EXPECT_TRUE(fits(Type::S32, Type::U32));
  EXPECT_TRUE(fits(Type::F32, Type::B32));
  EXPECT_TRUE(fits(Type::B32, Type::F32));
  EXPECT_TRUE(fits(Type::BF16x2, Type::B32));
  EXPECT_TRUE(fits(Type::U16x2, Type::F16x2));
  EXPECT_TRUE(fits(Type::U32, Type::F16x2));
  EXPECT_FALSE(fits(Type::S32, Type::F32));
  EXPECT_FALSE(fits(Type::S32, Type::B64));
  EXPECT_FALSE(fits(Type::BF16, Type::F16));
  EXPECT_FALSE(fits(Type::BF16x2, Type::U32));
  EXPECT_FALSE(fits(Type::F16x2, Type::F32));
  EXPECT_FALSE(fits(Type::Pred, Type::B8));
}

TEST(Types, WiderRegisters) {
  EXPECT_TRUE(fitsWider(Type::U8, Type::B32));
  EXPECT_TRUE(fitsWider(Type::B8, Type::F32));
  EXPECT_TRUE(fitsWider(Type::F32, Type::B64));
  EXPECT_FALSE(fitsWider(Type::F32, Type::F64));
  EXPECT_FALSE(fitsWider(Type::U8, Type::F32));
  EXPECT_FALSE(fitsWider(Type::U64, Type::B32));
  EXPECT_FALSE(fitsWider(Type::BF16, Type::B32));
  EXPECT_FALSE(fitsWider(Type::B8, Type::Pred));
}
