//===- FormMatcher.cpp - Which form an instruction has --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormMatcher.h"
#include "OperandCheck.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace drawloom::ptx;
using llvm::StringRef;

namespace {
/// Why the words of a mnemonic do not fill the slots of a form.
struct Unassigned {
  int word = -1;                         ///< This one has no place,
  const ModifierSlot *missing = nullptr; ///< or this slot stays empty.
  unsigned placed = 0;                   ///< How many words found a place.
};

/// Modifiers of one class keep the form's order among themselves.
enum OrderClass { Free, TypeClass, SpaceClass, LayoutClass, ClassCount };
} // namespace

static OrderClass orderClassOf(Modifier modifier) {
  if (typeOf(modifier) != Type::None)
    return TypeClass;
  if (spaceOf(modifier) != StateSpace::Generic)
    return SpaceClass;
  if (modifier == Modifier::Row || modifier == Modifier::Col)
    return LayoutClass;
  return Free;
}

/// Gives each word the first empty slot that takes it.
static bool assign(const Form &form, llvm::ArrayRef<Modifier> words,
                   llvm::SmallVectorImpl<Modifier> &chosen, Unassigned &why) {
  chosen.assign(form.slots.size(), Modifier::None);
  size_t firstOfClass[ClassCount] = {};
  for (auto [index, word] : llvm::enumerate(words)) {
    OrderClass order = orderClassOf(word);
    size_t slot = firstOfClass[order];
    while (slot < form.slots.size() &&
           (chosen[slot] != Modifier::None ||
            !llvm::is_contained(form.slots[slot].alternatives, word)))
      ++slot;
    if (slot == form.slots.size()) {
      why.word = static_cast<int>(index);
      return false;
    }
    chosen[slot] = word;
    ++why.placed;
    if (order != Free)
      firstOfClass[order] = slot + 1;
  }
  for (auto [index, slot] : llvm::enumerate(form.slots)) {
    if (chosen[index] != Modifier::None)
      continue;
    bool needed = !slot.optional;
    // A slot of a group is needed if another of the group is there.
    if (slot.group)
      for (auto [other, modifier] : llvm::zip_equal(form.slots, chosen))
        needed |= other.group == slot.group && modifier != Modifier::None;
    if (needed) {
      why.missing = &slot;
      return false;
    }
  }
  return true;
}

const Mnemonic &FormMatcher::resolve(StringRef text) {
  auto [it, inserted] = known.try_emplace(text, nullptr);
  if (inserted) {
    owned.push_back(std::make_unique<Mnemonic>(build(text)));
    it->second = owned.back().get();
  }
  return *it->second;
}

const Variant *
FormMatcher::makeVariant(const Form &form,
                         llvm::ArrayRef<Modifier> modifiers) const {
  auto *variant = new (arena.Allocate<Variant>()) Variant();
  variant->form = &form;
  variant->modifiers = modifiers.copy(arena);
  llvm::SmallVector<OperandShape, 8> shapes;
  for (const OperandSpec &spec : form.operands)
    shapes.push_back(variant->shapeOf(spec));
  variant->shapes = llvm::ArrayRef(shapes).copy(arena);
  return variant;
}

Mnemonic FormMatcher::build(StringRef text) const {
  const InstructionTable &table = InstructionTable::get();
  Mnemonic mnemonic;
  StringRef rest;
  std::optional<Opcode> opcode = table.matchOpcode(text, rest);
  if (!opcode) {
    mnemonic.problem =
        "there is no instruction '" + text.split('.').first.str() + "'";
    return mnemonic;
  }
  llvm::SmallVector<StringRef, 16> words;
  rest.split(words, '.', -1, /*KeepEmpty=*/false);
  llvm::SmallVector<Modifier, 16> modifiers;
  for (StringRef word : words) {
    std::optional<Modifier> modifier = table.findModifier(word);
    if (!modifier)
      break;
    modifiers.push_back(*modifier);
  }

  llvm::SmallVector<Modifier, 16> chosen;
  std::string unavailable;
  if (modifiers.size() == words.size()) {
    for (const Form &form : table.formsOf(*opcode)) {
      Unassigned why;
      if (!assign(form, modifiers, chosen, why))
        continue;
      const Requirement *lacking = nullptr;
      StringRef lackingWord;
      if (!form.since.isSatisfied(version, target))
        lacking = &form.since;
      for (Modifier modifier : modifiers) {
        const Requirement &needed = table.requirement(modifier);
        if (!lacking && !needed.isSatisfied(version, target)) {
          lacking = &needed;
          lackingWord = spelling(modifier);
        }
      }
      if (lacking) {
        unavailable = (lackingWord.empty() ? "'" + text.str()
                                           : "'." + lackingWord.str()) +
                      "' needs " + lacking->str() +
                      "; this module is for PTX " + version.str() + " and " +
                      target.str();
        continue;
      }
      mnemonic.candidates.push_back(makeVariant(form, chosen));
    }
  }
  if (mnemonic.candidates.empty()) {
    if (!unavailable.empty())
      mnemonic.problem = std::move(unavailable);
    else
      explainModifiers(*opcode, text, words, mnemonic);
    return mnemonic;
  }
  llvm::ArrayRef<OperandSpec> specs =
      mnemonic.candidates.front()->form->operands;
  for (auto [index, spec] : llvm::enumerate(specs)) {
    if (spec.kind == OperandSpec::Call)
      mnemonic.isCall = true;
    if (spec.kind == OperandSpec::Label)
      mnemonic.labelOperand = static_cast<int>(index);
    if (spec.kind == OperandSpec::Targets)
      mnemonic.targetsOperand = static_cast<int>(index);
  }
  return mnemonic;
}

/// ".rn, .rz or .rm"; a long list is cut.
static std::string listModifiers(llvm::ArrayRef<Modifier> modifiers) {
  constexpr size_t limit = 30;
  std::string text;
  size_t shown = std::min(modifiers.size(), limit);
  bool cut = modifiers.size() > limit;
  for (auto [index, modifier] : llvm::enumerate(modifiers.take_front(shown))) {
    if (index)
      text += !cut && index + 1 == shown ? " or " : ", ";
    text += "." + spelling(modifier).str();
  }
  if (cut)
    text += " and " + std::to_string(modifiers.size() - limit) + " more";
  return text;
}

void FormMatcher::explainModifiers(Opcode opcode, StringRef text,
                                   llvm::ArrayRef<StringRef> words,
                                   Mnemonic &mnemonic) const {
  const InstructionTable &table = InstructionTable::get();
  StringRef name = spelling(opcode);
  llvm::SetVector<Modifier> legal;
  for (const Form &form : table.formsOf(opcode))
    for (const ModifierSlot &slot : form.slots)
      legal.insert_range(slot.alternatives);

  llvm::SmallVector<Modifier, 16> modifiers;
  for (StringRef word : words) {
    std::optional<Modifier> modifier = table.findModifier(word);
    if (!modifier || !legal.contains(*modifier)) {
      mnemonic.problemOffset = word.data() - text.data() - 1;
      mnemonic.problem =
          "'" + name.str() + "' has no modifier '." + word.str() + "'; " +
          (legal.empty() ? "it has none"
                         : "it takes " + listModifiers(legal.getArrayRef()));
      return;
    }
    modifiers.push_back(*modifier);
  }

  // Each word is legal somewhere, but not all together: show the form that
  // takes most of them.
  const Form *closest = nullptr;
  Unassigned closestWhy;
  llvm::SmallVector<Modifier, 16> chosen;
  for (const Form &form : table.formsOf(opcode)) {
    Unassigned why;
    assign(form, modifiers, chosen, why);
    if (!closest || why.placed > closestWhy.placed) {
      closest = &form;
      closestWhy = why;
    }
  }
  if (!closest) {
    mnemonic.problem = "'" + name.str() + "' has no forms";
    return;
  }
  std::string form = "'" + name.str() + " " + closest->modifierText.str() + "'";
  if (closestWhy.word >= 0) {
    StringRef word = words[closestWhy.word];
    mnemonic.problemOffset = word.data() - text.data() - 1;
    bool repeated = llvm::is_contained(words.take_front(closestWhy.word), word);
    mnemonic.problem =
        "'." + word.str() + "' " +
        (repeated ? "stands twice" : "does not go with the other modifiers") +
        "; the closest form is " + form;
  } else {
    mnemonic.problem = "'" + text.str() + "' lacks " +
                       listModifiers(closestWhy.missing->alternatives) +
                       " of the form " + form;
  }
}

const Variant *FormMatcher::match(const Mnemonic &mnemonic,
                                  llvm::ArrayRef<Operand> operands) const {
  auto noName = [](unsigned, int) { return std::string(); };
  for (const Variant *variant : mnemonic.candidates)
    if (OperandCheck(*variant, addressSize, nullptr, noName).run(operands))
      return variant;
  return nullptr;
}

Mismatch FormMatcher::explain(const Mnemonic &mnemonic,
                              llvm::ArrayRef<Operand> operands,
                              NameOf nameOf) const {
  // The form that fits furthest is the one that was meant.
  Mismatch best;
  for (auto [index, variant] : llvm::enumerate(mnemonic.candidates)) {
    Mismatch why;
    OperandCheck(*variant, addressSize, &why, nameOf).run(operands);
    if (index == 0 ||
        std::pair(why.operand, why.part) > std::pair(best.operand, best.part))
      best = std::move(why);
  }
  return best;
}
