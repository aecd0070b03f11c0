//===- FormNotationTest.cpp - Rows to descriptors -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormNotation.h"
#include "gtest/gtest.h"

using namespace drawloom::ptx;

namespace {
class FormNotation : public testing::Test {
protected:
  FormNotation() {
    vocabulary.modifiers = {
        {"rn", Modifier::Rn},   {"rz", Modifier::Rz},
        {"ftz", Modifier::Ftz}, {"f32", Modifier::F32},
        {"u32", Modifier::U32}, {"v2", Modifier::V2},
        {"v4", Modifier::V4},   {"global", Modifier::Global}};
    vocabulary.slots = {{"type", Slot::Type},
                        {"rnd", Slot::Rnd},
                        {"vec", Slot::Vec},
                        {"space", Slot::Space}};
    vocabulary.slotDefaults = {{"rnd", "rn|rz"}};
    vocabulary.groups = {{"ANY", "f32|u32"}};
  }

  llvm::Expected<Form> compile(llvm::StringRef modifiers,
                               llvm::StringRef operands,
                               llvm::StringRef since = "") {
    return FormCompiler(vocabulary, arena)
        .compile(Opcode::Add, modifiers, operands, since);
  }
  /// What is wrong with a row.
  std::string problem(llvm::StringRef modifiers, llvm::StringRef operands,
                      llvm::StringRef since = "") {
    llvm::Expected<Form> form = compile(modifiers, operands, since);
    return form ? "nothing" : llvm::toString(form.takeError());
  }

  FormVocabulary vocabulary;
  llvm::BumpPtrAllocator arena;
};
} // namespace

TEST_F(FormNotation, Slots) {
  Form form = llvm::cantFail(compile("{.rnd .ftz} .type=ANY {.vec=v2|v4}", ""));
  ASSERT_EQ(form.slots.size(), 4u);
  EXPECT_EQ(form.slots[0].slot, Slot::Rnd);
  EXPECT_EQ(form.slots[0].alternatives.size(), 2u);
  EXPECT_TRUE(form.slots[0].optional);
  EXPECT_EQ(form.slots[1].slot, Slot::Fixed);
  EXPECT_NE(form.slots[0].group, 0);
  EXPECT_EQ(form.slots[0].group, form.slots[1].group);
  EXPECT_FALSE(form.slots[2].optional);
  EXPECT_EQ(form.slots[2].alternatives[1], Modifier::U32);
  EXPECT_EQ(form.slots[3].group, 0);
}

TEST_F(FormNotation, Operands) {
  Form form = llvm::cantFail(compile(
      ".type=ANY {.vec=v2|v4} {.space=global}",
      "out {d/_}*vec:type+, out p[|q]:pred, [a:space, {c}*2vec-1:u32], "
      "imm n=1|4..8/2:u32, ?rest:wide(type), ?vec any s:pack(type), _"));
  ASSERT_EQ(form.operands.size(), 7u);
  const OperandSpec &d = form.operands[0];
  EXPECT_TRUE(d.isOut && d.isVector && d.allowSink && !d.allowImmediate);
  EXPECT_EQ(d.type.rule, TypeRef::Wider);
  EXPECT_EQ(d.name, "d");
  EXPECT_TRUE(form.operands[1].hasPair && form.operands[1].pairOptional);
  const OperandSpec &a = form.operands[2];
  EXPECT_EQ(a.kind, OperandSpec::Address);
  EXPECT_EQ(a.spaceSlot, Slot::Space);
  ASSERT_EQ(a.elements.size(), 1u);
  EXPECT_EQ(a.elements[0].length.factor, 2);
  EXPECT_EQ(a.elements[0].length.minus, 1);
  const OperandSpec &n = form.operands[3];
  EXPECT_FALSE(n.allowRegister);
  ASSERT_EQ(n.values.size(), 2u);
  EXPECT_EQ(n.values[1].step, 2);
  EXPECT_EQ(form.operands[4].presence, OperandSpec::Optional);
  EXPECT_EQ(form.operands[4].type.rule, TypeRef::Double);
  EXPECT_EQ(form.operands[5].presence, OperandSpec::IfSlot);
  EXPECT_TRUE(form.operands[5].allowSpecial);
  EXPECT_TRUE(form.operands[6].allowSink && !form.operands[6].allowRegister);
}

TEST_F(FormNotation, MalformedRows) {
  EXPECT_EQ(problem("ftz", ""),
            "'ftz' in the modifiers does not begin with '.'");
  EXPECT_EQ(problem("{.ftz", ""), "'{' without '}' in the modifiers");
  EXPECT_EQ(problem(".what=ftz", ""), "'what' is no slot of Slots.def");
  EXPECT_EQ(problem(".type", ""), "slot 'type' has no default alternatives");
  EXPECT_EQ(problem(".type=f99", ""), "'f99' is no modifier, type or group");
  EXPECT_EQ(problem(".type=f32 .type=u32", ""),
            "slot '.type=u32' stands twice");
  EXPECT_EQ(problem("", "a"), "operand 'a' has no type");
  EXPECT_EQ(problem("", "a:type"), "the form has no slot 'type'");
  EXPECT_EQ(problem("", "a:q7"), "'q7' is neither a type nor a slot");
  EXPECT_EQ(problem("", "[a:global"), "'[' without ']' in the operands");
  EXPECT_EQ(problem("", "[a:global, [b:global]]"),
            "an address inside an address");
  EXPECT_EQ(problem("", "{a}:u32"), "'}' without '*' in operand '{a}:u32'");
  EXPECT_EQ(problem("", "{a}*0:u32"), "malformed vector length '0'");
  EXPECT_EQ(problem("", "{a}*many:u32"), "'many' is no slot");
  EXPECT_EQ(problem("", "imm a=x:u32"), "malformed values 'x'");
  EXPECT_EQ(problem("", "?nope a:u32"),
            "'nope' is neither a slot nor a modifier");
  EXPECT_EQ(problem("", "a b:u32"), "malformed operand 'a b:u32'");
  EXPECT_EQ(problem("", "", "soon"), "malformed requirement 'soon'");
}
