//===- LexerTest.cpp - Tokens ---------------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"
#include "gtest/gtest.h"
#include <bit>
#include <vector>

using namespace drawloom::ptx;

static Token first(llvm::StringRef source) { return Lexer(source).next(); }

TEST(Lexer, IdentifiersBeginWithLetterUnderscoreDollarOrPercent) {
  for (llvm::StringRef text : {"add", "%r1", "$L__BB0_1", "_", "_x$1"}) {
    Token token = first(text);
    EXPECT_TRUE(token.is(Token::Identifier)) << text.str();
    EXPECT_EQ(token.text, text);
  }
  EXPECT_TRUE(first("% 3").is(Token::Percent));
}

TEST(Lexer, DotsSeparateExceptInMnemonics) {
  Lexer lexer("%tid.x");
  EXPECT_EQ(lexer.next().text, "%tid");
  Token element = lexer.next();
  EXPECT_TRUE(element.is(Token::Directive));
  EXPECT_EQ(element.text, "x");

  Lexer mnemonic("tcgen05.cp.cta_group::1.32x128b.warpx4 [%r1]");
  Token token = mnemonic.next();
  mnemonic.extendToMnemonic(token);
  EXPECT_EQ(token.text, "tcgen05.cp.cta_group::1.32x128b.warpx4");
  EXPECT_TRUE(mnemonic.next().is(Token::LeftBracket));
}

TEST(Lexer, ColonAfterAName) {
  auto colonFollows = [](llvm::StringRef source) {
    Lexer lexer(source);
    lexer.next();
    return lexer.colonFollows();
  };
  EXPECT_TRUE(colonFollows("a:"));
  EXPECT_TRUE(colonFollows("a \n : b"));
  EXPECT_FALSE(colonFollows("a::b"));
  EXPECT_FALSE(colonFollows("a b:"));
}

TEST(Lexer, Integers) {
  struct Case {
    const char *text;
    uint64_t value;
    bool isUnsigned;
  };
  for (Case c :
       {Case{"0", 0, false}, Case{"42", 42, false}, Case{"017", 15, false},
        Case{"0x1F", 31, false}, Case{"0b101", 5, false}, Case{"7U", 7, true},
        Case{"0x10U", 16, true}, Case{"9223372036854775807", INT64_MAX, false},
        Case{"9223372036854775808", uint64_t(1) << 63, true},
        Case{"0xFFFFFFFFFFFFFFFF", UINT64_MAX, true}}) {
    Token token = first(c.text);
    EXPECT_TRUE(token.is(Token::Integer)) << c.text;
    EXPECT_EQ(token.value, c.value) << c.text;
    EXPECT_EQ(token.isUnsigned, c.isUnsigned) << c.text;
  }
}

TEST(Lexer, Floats) {
  Token single = first("0f3F800000");
  EXPECT_TRUE(single.is(Token::Float32));
  EXPECT_EQ(single.value, 0x3F800000u);
  EXPECT_EQ(first("0D3FF8000000000000").value, std::bit_cast<uint64_t>(1.5));
  struct Case {
    const char *text;
    double value;
  };
  for (Case c : {Case{"1.5", 1.5}, Case{"1.", 1.0}, Case{".5", 0.5},
                 Case{"1e5", 1e5}, Case{"1.5e-3", 1.5e-3}, Case{"0.1", 0.1}}) {
    Token token = first(c.text);
    EXPECT_TRUE(token.is(Token::Float64)) << c.text;
    EXPECT_EQ(token.value, std::bit_cast<uint64_t>(c.value)) << c.text;
  }
}

TEST(Lexer, CommentsAndLines) {
  Lexer lexer("// one\n/* two\n three */ a // four\n b");
  Token a = lexer.next(), b = lexer.next();
  EXPECT_EQ(a.text, "a");
  EXPECT_EQ(a.line, 3u);
  EXPECT_EQ(b.text, "b");
  EXPECT_EQ(b.line, 4u);
  EXPECT_TRUE(lexer.next().is(Token::Eof));
}

TEST(Lexer, Operators) {
  Lexer lexer("<< >> <= >= == != && || < > = ! & |");
  for (Token::Kind kind :
       {Token::LessLess, Token::GreaterGreater, Token::LessEqual,
        Token::GreaterEqual, Token::EqualEqual, Token::ExclaimEqual,
        Token::AmpersandAmpersand, Token::PipePipe, Token::Less, Token::Greater,
        Token::Equal, Token::Exclaim, Token::Ampersand, Token::Pipe})
    EXPECT_EQ(lexer.next().kind, kind) << describe(kind).str();
}

TEST(Lexer, AZeroByteInTheMiddleIsAnError) {
  Lexer lexer(llvm::StringRef("a\0b", 3));
  EXPECT_EQ(lexer.next().text, "a");
  EXPECT_TRUE(lexer.next().is(Token::Error));
  EXPECT_EQ(lexer.next().text, "b");
}
