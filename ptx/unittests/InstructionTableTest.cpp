//===- InstructionTableTest.cpp - The rows of the table -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/PTX/InstructionTable.h"
#include "gtest/gtest.h"

using namespace drawloom::ptx;

TEST(InstructionTable, EveryRowIsWellFormed) {
  for (const std::string &row : InstructionTable::get().malformedRows())
    ADD_FAILURE() << row;
}

TEST(InstructionTable, EveryOpcodeHasAForm) {
  const InstructionTable &table = InstructionTable::get();
  for (const Form &form : table.forms())
    EXPECT_FALSE(table.formsOf(form.opcode).empty());
  EXPECT_GT(table.forms().size(), 20u);
}

TEST(InstructionTable, LongestOpcodeWins) {
  const InstructionTable &table = InstructionTable::get();
  llvm::StringRef rest;
  EXPECT_EQ(table.matchOpcode("mul.rn.f32", rest), Opcode::Mul);
  EXPECT_EQ(rest, ".rn.f32");
  EXPECT_EQ(table.matchOpcode("mul.lo.s32", rest), Opcode::MulLo);
  EXPECT_EQ(rest, ".s32");
  EXPECT_EQ(table.matchOpcode("ret", rest), Opcode::Ret);
  EXPECT_EQ(rest, "");
  EXPECT_FALSE(table.matchOpcode("mulx.f32", rest));
}

TEST(InstructionTable, NumbersOfModifiers) {
  EXPECT_EQ(numberOf(Modifier::V4), 4u);
  EXPECT_EQ(numberOf(Modifier::Ftz), 0u);
}
