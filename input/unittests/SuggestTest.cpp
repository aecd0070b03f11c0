//===- SuggestTest.cpp ----------------------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Input/Suggest.h"
#include "gtest/gtest.h"

using drawloom::input::ForeignWord;
using drawloom::input::suggest;

TEST(Suggest, TypingErrors) {
  EXPECT_EQ(suggest("complie", {"run", "compile", "explain"}),
            "; did you mean 'compile'?");
  EXPECT_EQ(suggest("warp", {"warps", "tile"}), "; did you mean 'warps'?");
  EXPECT_EQ(suggest("bais", {"a", "bias"}), "; did you mean 'bias'?");
}

TEST(Suggest, OtherWordsGetNothing) {
  EXPECT_EQ(suggest("fast", {"warps", "tile"}), "");
  EXPECT_EQ(suggest("", {"warps", "tile"}), "");
  EXPECT_EQ(suggest("q", {"a", "b"}), "");
  EXPECT_EQ(suggest("warps", {}), "");
}

TEST(Suggest, WordsOfOtherSystemsComeFirst) {
  constexpr ForeignWord foreign[] = {{"stages", "slots", "pipeline stages"},
                                     {"num_warps", "warps", ""}};
  EXPECT_EQ(suggest("stages", {"stage"}, foreign),
            "; did you mean 'slots' (pipeline stages)?");
  EXPECT_EQ(suggest("NUM_WARPS", {}, foreign), "; did you mean 'warps'?");
}
