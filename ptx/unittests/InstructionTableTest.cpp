//===- InstructionTableTest.cpp - The rows of the table -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/PTX/InstructionTable.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>
#include <tuple>

using namespace drawloom::ptx;

TEST(InstructionTable, EveryRowIsWellFormed) {
  for (const std::string &row : InstructionTable::get().malformedRows())
    ADD_FAILURE() << row;
}

/// Words take the first empty slot that has them. An optional slot before a
/// required one with the same word would always take it away.
TEST(InstructionTable, NoOptionalSlotStarvesARequiredOne) {
  for (const Form &form : InstructionTable::get().forms())
    for (auto [index, slot] : llvm::enumerate(form.slots))
      for (const ModifierSlot &later : form.slots.drop_front(index + 1)) {
        if (!slot.optional || later.optional)
          continue;
        for (Modifier modifier : slot.alternatives)
          EXPECT_FALSE(llvm::is_contained(later.alternatives, modifier))
              << spelling(form.opcode).str() << ' ' << form.modifierText.str()
              << ": ." << spelling(modifier).str();
      }
}

/// A form that comes after one with the same words and operands is never
/// reached.
TEST(InstructionTable, NoRowStandsTwice) {
  std::set<std::tuple<Opcode, llvm::StringRef, llvm::StringRef>> seen;
  for (const Form &form : InstructionTable::get().forms())
    EXPECT_TRUE(
        seen.emplace(form.opcode, form.modifierText, form.operandText).second)
        << spelling(form.opcode).str() << ' ' << form.modifierText.str() << ' '
        << form.operandText.str();
}

TEST(InstructionTable, EveryOpcodeHasAForm) {
  const InstructionTable &table = InstructionTable::get();
  for (unsigned i = 0; i < table.opcodeCount(); ++i)
    EXPECT_FALSE(table.formsOf(Opcode(i)).empty()) << spelling(Opcode(i)).str();
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
