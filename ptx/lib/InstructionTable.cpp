//===- InstructionTable.cpp - The forms of PTX's instructions -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/PTX/InstructionTable.h"
#include "FormNotation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <vector>

using namespace drawloom::ptx;
using llvm::StringRef;

static constexpr llvm::StringLiteral opcodeTexts[] = {
#define PTX_OPCODE(name, text) text,
#define PTX_FORM(modifiers, operands, since)
#include "drawloom/PTX/Forms/Forms.def"
};

namespace {
struct ModifierRow {
  llvm::StringLiteral text;
  llvm::StringLiteral since;
};
struct SlotRow {
  llvm::StringLiteral text;
  llvm::StringLiteral alternatives;
};
struct GroupRow {
  llvm::StringLiteral name;
  llvm::StringLiteral alternatives;
};
/// A row of Forms.def: an opcode, or (with `opcode` empty) a form of the opcode
/// before it.
struct FormRow {
  llvm::StringLiteral opcode;
  llvm::StringLiteral modifiers;
  llvm::StringLiteral operands;
  llvm::StringLiteral since;
};
} // namespace

static constexpr ModifierRow modifierRows[] = {
    {"", ""},
#define PTX_TYPE(name, text, bits, kind, declarable) {text, ""},
#include "drawloom/PTX/Types.def"
#define PTX_MODIFIER(name, text, since) {text, since},
#include "drawloom/PTX/Forms/Modifiers.def"
};

static constexpr SlotRow slotRows[] = {
    {"", ""},
#define PTX_SLOT(name, text, alternatives) {text, alternatives},
#include "drawloom/PTX/Forms/Slots.def"
};

static constexpr GroupRow groupRows[] = {
#define PTX_GROUP(name, alternatives) {#name, alternatives},
#include "drawloom/PTX/Forms/Groups.def"
};

static constexpr FormRow formRows[] = {
#define PTX_OPCODE(name, text) {text, "", "", ""},
#define PTX_FORM(modifiers, operands, since) {"", modifiers, operands, since},
#include "drawloom/PTX/Forms/Forms.def"
};

StringRef drawloom::ptx::spelling(Opcode opcode) {
  return opcodeTexts[static_cast<unsigned>(opcode)];
}
StringRef drawloom::ptx::spelling(Modifier modifier) {
  return modifierRows[static_cast<unsigned>(modifier)].text;
}
StringRef drawloom::ptx::spelling(Slot slot) {
  return slotRows[static_cast<unsigned>(slot)].text;
}

Type drawloom::ptx::typeOf(Modifier modifier) {
  // The types come first in both enums, in the same order.
  static constexpr Type types[] = {
      Type::None,
#define PTX_TYPE(name, text, bits, kind, declarable) Type::name,
#include "drawloom/PTX/Types.def"
  };
  auto index = static_cast<unsigned>(modifier);
  return index < std::size(types) ? types[index] : Type::None;
}

StateSpace drawloom::ptx::spaceOf(Modifier modifier) {
  switch (modifier) {
  case Modifier::Const:
    return StateSpace::Const;
  case Modifier::Global:
    return StateSpace::Global;
  case Modifier::Local:
    return StateSpace::Local;
  case Modifier::Param:
    return StateSpace::Param;
  case Modifier::ParamEntry:
    return StateSpace::ParamEntry;
  case Modifier::ParamFunc:
    return StateSpace::ParamFunc;
  case Modifier::Shared:
    return StateSpace::Shared;
  case Modifier::SharedCta:
    return StateSpace::SharedCta;
  case Modifier::SharedCluster:
    return StateSpace::SharedCluster;
  default:
    return StateSpace::Generic;
  }
}

unsigned drawloom::ptx::numberOf(Modifier modifier) {
  StringRef text = spelling(modifier);
  // A shape: m64n128k16 counts by its n.
  size_t n = text.starts_with("m") ? text.find('n') : StringRef::npos;
  if (n != StringRef::npos && n + 1 < text.size() && llvm::isDigit(text[n + 1]))
    text = text.drop_front(n + 1);
  text = text.drop_until(llvm::isDigit).take_while(llvm::isDigit);
  unsigned number = 0;
  if (text.getAsInteger(10, number))
    return 0;
  return number;
}

Modifier Variant::get(Slot slot) const {
  for (auto [place, modifier] : llvm::zip_equal(form->slots, modifiers))
    if (place.slot == slot)
      return modifier;
  return Modifier::None;
}

bool Variant::has(Modifier modifier) const {
  return llvm::is_contained(modifiers, modifier);
}

OperandShape Variant::shapeOf(const OperandSpec &spec) const {
  OperandShape shape;
  shape.type =
      spec.type.fixed != Type::None ? spec.type.fixed : type(spec.type.slot);
  if (spec.type.rule == TypeRef::Double)
    shape.type = widen(shape.type);
  shape.space =
      spec.spaceSlot == Slot::Fixed ? spec.space : spaceOf(get(spec.spaceSlot));
  if (spec.presence == OperandSpec::IfSlot)
    shape.wanted = get(spec.ifSlot) != Modifier::None;
  else if (spec.presence == OperandSpec::IfModifier)
    shape.wanted = has(spec.ifModifier);
  const Length &length = spec.length;
  if (length.fixed) {
    shape.length = length.fixed;
  } else if (spec.isVector) {
    unsigned number = numberOf(get(length.slot));
    unsigned count = number * length.factor / length.divisor;
    shape.length = count > length.minus ? count - length.minus : 0;
  }
  return shape;
}

std::string Variant::mnemonic() const {
  std::string text = spelling(opcode()).str();
  for (Modifier modifier : modifiers) {
    if (modifier == Modifier::None)
      continue;
    text += '.';
    text += spelling(modifier);
  }
  return text;
}

struct InstructionTable::Storage {
  llvm::BumpPtrAllocator arena;
  FormVocabulary vocabulary;
  std::vector<Form> forms;
  std::vector<std::pair<unsigned, unsigned>> formRanges; ///< By opcode.
  llvm::StringMap<Opcode> opcodes;
  std::vector<Requirement> modifierRequirements;
  std::vector<std::string> malformed;
};

InstructionTable::InstructionTable() : storage(std::make_unique<Storage>()) {
  Storage &s = *storage;
  auto report = [&](const llvm::Twine &where, const llvm::Twine &what) {
    s.malformed.push_back((where + ": " + what).str());
  };
  for (auto [index, row] : llvm::enumerate(modifierRows)) {
    std::optional<Requirement> requirement = parseRequirement(row.since);
    if (!requirement)
      report("." + row.text, "malformed requirement '" + row.since + "'");
    s.modifierRequirements.push_back(requirement.value_or(Requirement()));
    if (index &&
        !s.vocabulary.modifiers.try_emplace(row.text, Modifier(index)).second)
      report("." + row.text, "listed twice in Modifiers.def");
  }
  for (auto [index, row] : llvm::enumerate(slotRows)) {
    if (!index)
      continue;
    if (!s.vocabulary.slots.try_emplace(row.text, Slot(index)).second)
      report("." + row.text, "listed twice in Slots.def");
    if (s.vocabulary.modifiers.contains(row.text))
      report("." + row.text, "is a slot and a modifier");
    s.vocabulary.slotDefaults[row.text] = row.alternatives;
  }
  for (const GroupRow &row : groupRows)
    s.vocabulary.groups[row.name] = row.alternatives;

  FormCompiler compiler(s.vocabulary, s.arena);
  for (const FormRow &row : formRows) {
    if (!row.opcode.empty()) {
      auto opcode = Opcode(s.formRanges.size());
      if (!s.opcodes.try_emplace(row.opcode, opcode).second)
        report(row.opcode, "listed twice");
      s.formRanges.emplace_back(s.forms.size(), 0);
      continue;
    }
    auto opcode = Opcode(s.formRanges.size() - 1);
    llvm::Expected<Form> form =
        compiler.compile(opcode, row.modifiers, row.operands, row.since);
    if (!form) {
      report(spelling(opcode) + " \"" + row.modifiers + "\" \"" + row.operands +
                 "\"",
             llvm::toString(form.takeError()));
      continue;
    }
    s.forms.push_back(std::move(*form));
    ++s.formRanges.back().second;
  }
}

InstructionTable::~InstructionTable() = default;

const InstructionTable &InstructionTable::get() {
  static const InstructionTable table;
  return table;
}

const Requirement &drawloom::ptx::requirementOf(Modifier modifier) {
  return InstructionTable::get().requirement(modifier);
}

const Requirement &InstructionTable::requirement(Modifier modifier) const {
  return storage->modifierRequirements[static_cast<unsigned>(modifier)];
}

unsigned InstructionTable::opcodeCount() const {
  return storage->formRanges.size();
}

llvm::ArrayRef<Form> InstructionTable::forms() const { return storage->forms; }

llvm::ArrayRef<Form> InstructionTable::formsOf(Opcode opcode) const {
  auto [first, count] = storage->formRanges[static_cast<unsigned>(opcode)];
  return forms().slice(first, count);
}

std::optional<Opcode> InstructionTable::matchOpcode(StringRef mnemonic,
                                                    StringRef &rest) const {
  // Opcodes have at most a handful of words; the loop tries the longest first.
  llvm::SmallVector<size_t, 8> ends;
  for (size_t i = 0; i < mnemonic.size() && ends.size() < 8; ++i)
    if (mnemonic[i] == '.')
      ends.push_back(i);
  if (ends.size() < 8)
    ends.push_back(mnemonic.size());
  for (size_t end : llvm::reverse(ends)) {
    auto it = storage->opcodes.find(mnemonic.substr(0, end));
    if (it != storage->opcodes.end()) {
      rest = mnemonic.substr(end);
      return it->second;
    }
  }
  return std::nullopt;
}

std::optional<Modifier> InstructionTable::findModifier(StringRef text) const {
  auto it = storage->vocabulary.modifiers.find(text);
  if (it == storage->vocabulary.modifiers.end())
    return std::nullopt;
  return it->second;
}

llvm::ArrayRef<std::string> InstructionTable::malformedRows() const {
  return storage->malformed;
}
