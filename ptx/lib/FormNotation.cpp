//===- FormNotation.cpp - Rows of the table to descriptors ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormNotation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom::ptx;
using llvm::StringRef;

static llvm::Error malformed(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

/// Splits at commas that are not inside brackets, braces or parentheses.
static llvm::SmallVector<StringRef, 8> splitOperands(StringRef text) {
  llvm::SmallVector<StringRef, 8> parts;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '[' || c == '{' || c == '(')
      ++depth;
    else if (c == ']' || c == '}' || c == ')')
      --depth;
    else if (c == ',' && depth == 0) {
      parts.push_back(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  StringRef last = text.substr(start).trim();
  if (!last.empty() || !parts.empty())
    parts.push_back(last);
  return parts;
}

llvm::Expected<Form> FormCompiler::compile(Opcode opcode, StringRef modifiers,
                                           StringRef operands,
                                           StringRef since) {
  Form form;
  form.opcode = opcode;
  form.modifierText = modifiers;
  form.operandText = operands;
  std::optional<Requirement> requirement = parseRequirement(since);
  if (!requirement)
    return malformed("malformed requirement '" + since + "'");
  form.since = std::move(*requirement);
  if (llvm::Error error = compileSlots(modifiers, form))
    return error;
  llvm::Expected<llvm::ArrayRef<OperandSpec>> specs =
      compileOperands(operands, form, 0);
  if (!specs)
    return specs.takeError();
  form.operands = *specs;
  return form;
}

llvm::Error FormCompiler::compileSlots(StringRef text, Form &form) {
  llvm::SmallVector<ModifierSlot, 16> slots;
  uint8_t nextGroup = 1;
  while (!(text = text.ltrim()).empty()) {
    bool optional = text.consume_front("{");
    size_t end = optional ? text.find('}') : text.find_first_of(" {");
    if (optional && end == StringRef::npos)
      return malformed("'{' without '}' in the modifiers");
    llvm::SmallVector<StringRef, 4> words;
    text.substr(0, end).split(words, ' ', -1, /*KeepEmpty=*/false);
    uint8_t group = optional && words.size() > 1 ? nextGroup++ : 0;
    for (StringRef word : words) {
      ModifierSlot slot;
      slot.optional = optional;
      slot.group = group;
      if (llvm::Error error = compileSlot(word, slot))
        return error;
      if (slot.slot != Slot::Fixed &&
          llvm::any_of(slots, [&](const ModifierSlot &other) {
            return other.slot == slot.slot;
          }))
        return malformed("slot '" + word + "' stands twice");
      slots.push_back(slot);
    }
    text = end == StringRef::npos ? "" : text.substr(end + optional);
  }
  form.slots = save<ModifierSlot>(slots);
  return llvm::Error::success();
}

llvm::Error FormCompiler::compileSlot(StringRef word, ModifierSlot &slot) {
  if (!word.consume_front("."))
    return malformed("'" + word + "' in the modifiers does not begin with '.'");
  auto [name, alternatives] = word.split('=');
  llvm::SmallVector<Modifier, 16> list;
  auto known = vocabulary.slots.find(name);
  if (known != vocabulary.slots.end()) {
    slot.slot = known->second;
    if (alternatives.empty())
      alternatives = vocabulary.slotDefaults.lookup(name);
    if (alternatives.empty())
      return malformed("slot '" + name + "' has no default alternatives");
  } else if (!alternatives.empty()) {
    return malformed("'" + name + "' is no slot of Slots.def");
  } else {
    alternatives = name;
  }
  if (llvm::Error error = compileAlternatives(alternatives, list))
    return error;
  slot.alternatives = save<Modifier>(list);
  return llvm::Error::success();
}

llvm::Error
FormCompiler::compileAlternatives(StringRef text,
                                  llvm::SmallVectorImpl<Modifier> &list) {
  llvm::SmallVector<StringRef, 16> words;
  text.split(words, '|');
  for (StringRef word : words) {
    auto group = vocabulary.groups.find(word);
    if (group != vocabulary.groups.end()) {
      if (llvm::Error error = compileAlternatives(group->second, list))
        return error;
      continue;
    }
    auto modifier = vocabulary.modifiers.find(word);
    if (modifier == vocabulary.modifiers.end())
      return malformed("'" + word + "' is no modifier, type or group");
    list.push_back(modifier->second);
  }
  return llvm::Error::success();
}

llvm::Expected<Slot> FormCompiler::slotOf(StringRef name, const Form &form) {
  auto known = vocabulary.slots.find(name);
  if (known == vocabulary.slots.end())
    return malformed("'" + name + "' is neither a type nor a slot");
  if (llvm::none_of(form.slots, [&](const ModifierSlot &slot) {
        return slot.slot == known->second;
      }))
    return malformed("the form has no slot '" + name + "'");
  return known->second;
}

llvm::Expected<llvm::ArrayRef<OperandSpec>>
FormCompiler::compileOperands(StringRef text, const Form &form,
                              unsigned depth) {
  llvm::SmallVector<OperandSpec, 8> specs;
  for (StringRef part : splitOperands(text)) {
    OperandSpec spec;
    if (llvm::Error error = compileOperand(part, form, spec, depth))
      return std::move(error);
    specs.push_back(spec);
  }
  return save<OperandSpec>(specs);
}

llvm::Error FormCompiler::compileOperand(StringRef text, const Form &form,
                                         OperandSpec &spec, unsigned depth) {
  if (text.consume_front("?")) {
    spec.presence = OperandSpec::Optional;
    // "?name:type" is optional; "?slot operand" depends on the slot.
    auto [condition, rest] = text.split(' ');
    if (!rest.empty() && !condition.contains(':') &&
        !condition.starts_with("[") && !condition.starts_with("{") &&
        !llvm::is_contained({"out", "reg", "imm", "var", "any"}, condition)) {
      auto slot = vocabulary.slots.find(condition);
      auto modifier = vocabulary.modifiers.find(condition);
      if (slot != vocabulary.slots.end()) {
        llvm::Expected<Slot> known = slotOf(condition, form);
        if (!known)
          return known.takeError();
        spec.presence = OperandSpec::IfSlot;
        spec.ifSlot = *known;
      } else if (modifier != vocabulary.modifiers.end()) {
        spec.presence = OperandSpec::IfModifier;
        spec.ifModifier = modifier->second;
      } else {
        return malformed("'" + condition +
                         "' is neither a slot nor a modifier");
      }
      text = rest.trim();
    }
  }

  if (text.consume_front("out ")) {
    spec.isOut = true;
    spec.allowImmediate = false;
  } else if (text.consume_front("reg ")) {
    spec.allowImmediate = false;
  } else if (text.consume_front("imm ")) {
    spec.allowRegister = false;
  } else if (text.consume_front("var ")) {
    spec.allowSymbol = true;
  } else if (text.consume_front("any ")) {
    spec.allowSymbol = spec.allowSpecial = true;
  }
  text = text.trim();

  if (text == "_") {
    spec.name = text;
    spec.allowRegister = spec.allowImmediate = false;
    spec.allowSink = true;
    return llvm::Error::success();
  }
  if (text == "label" || text == "targets" || text == "call") {
    spec.kind = text == "label"     ? OperandSpec::Label
                : text == "targets" ? OperandSpec::Targets
                                    : OperandSpec::Call;
    spec.name = text;
    return llvm::Error::success();
  }
  if (text.consume_front("["))
    return compileAddress(text, form, spec, depth);
  return compileValue(text, form, spec);
}

llvm::Error FormCompiler::compileAddress(StringRef text, const Form &form,
                                         OperandSpec &spec, unsigned depth) {
  if (depth > 0)
    return malformed("an address inside an address");
  if (!text.consume_back("]"))
    return malformed("'[' without ']' in the operands");
  spec.kind = OperandSpec::Address;
  llvm::SmallVector<StringRef, 8> parts = splitOperands(text);
  if (parts.empty())
    return malformed("an empty address");
  StringRef space;
  std::tie(spec.name, space) = parts.front().split(':');
  static constexpr std::pair<StringRef, StateSpace> spaces[] = {
      {"generic", StateSpace::Generic},
      {"const", StateSpace::Const},
      {"global", StateSpace::Global},
      {"local", StateSpace::Local},
      {"param", StateSpace::Param},
      {"shared", StateSpace::Shared},
      {"shared::cta", StateSpace::SharedCta},
      {"shared::cluster", StateSpace::SharedCluster},
      {"tex", StateSpace::Tex},
      {"tmem", StateSpace::TensorMemory},
  };
  const auto *it = llvm::find_if(
      spaces, [&](const auto &entry) { return entry.first == space; });
  if (it != std::end(spaces)) {
    spec.space = it->second;
  } else {
    llvm::Expected<Slot> slot = slotOf(space, form);
    if (!slot)
      return slot.takeError();
    spec.spaceSlot = *slot;
  }
  llvm::SmallVector<OperandSpec, 4> elements;
  for (StringRef part : llvm::drop_begin(parts)) {
    OperandSpec element;
    if (llvm::Error error = compileOperand(part, form, element, depth + 1))
      return error;
    elements.push_back(element);
  }
  spec.elements = save<OperandSpec>(elements);
  return llvm::Error::success();
}

llvm::Error FormCompiler::compileValue(StringRef text, const Form &form,
                                       OperandSpec &spec) {
  // The type is after the last single colon.
  size_t colon = text.rfind(':');
  if (colon == StringRef::npos)
    return malformed("operand '" + text + "' has no type");
  StringRef name = text.substr(0, colon);
  if (llvm::Error error = compileType(text.substr(colon + 1), form, spec.type))
    return error;
  if (name.consume_front("{")) {
    auto [element, rest] = name.split('}');
    if (!rest.consume_front("*"))
      return malformed("'}' without '*' in operand '" + text + "'");
    spec.isVector = true;
    if (llvm::Error error = compileLength(rest, spec.length))
      return error;
    name = element;
  }
  if (size_t equal = name.find('='); equal != StringRef::npos) {
    if (llvm::Error error = compileValues(name.substr(equal + 1), spec))
      return error;
    name = name.substr(0, equal);
  }
  if (name.consume_back("]")) {
    spec.hasPair = spec.pairOptional = true;
    std::tie(name, std::ignore) = name.split('[');
  } else if (name.contains('|')) {
    spec.hasPair = true;
    name = name.split('|').first;
  }
  if (name.consume_back("/_"))
    spec.allowSink = true;
  if (name.empty() || !llvm::all_of(name, [](char c) {
        return llvm::isAlnum(c) || c == '_' || c == '-';
      }))
    return malformed("malformed operand '" + text + "'");
  spec.name = name;
  return llvm::Error::success();
}

llvm::Error FormCompiler::compileType(StringRef text, const Form &form,
                                      TypeRef &type) {
  if (text.consume_back("+")) {
    type.rule = TypeRef::Wider;
  } else if (text.consume_front("wide(") && text.consume_back(")")) {
    type.rule = TypeRef::Double;
  } else if (text.consume_front("pack(") && text.consume_back(")")) {
    type.rule = TypeRef::Packed;
  }
  if (std::optional<Type> fixed = parseType(text)) {
    type.fixed = *fixed;
    return llvm::Error::success();
  }
  llvm::Expected<Slot> slot = slotOf(text, form);
  if (!slot)
    return slot.takeError();
  type.slot = *slot;
  return llvm::Error::success();
}

llvm::Error FormCompiler::compileLength(StringRef text, Length &length) {
  StringRef digits = text.take_while(llvm::isDigit);
  StringRef name = text.drop_front(digits.size());
  if (name.empty()) {
    if (digits.getAsInteger(10, length.fixed) || length.fixed == 0)
      return malformed("malformed vector length '" + text + "'");
    return llvm::Error::success();
  }
  if (!digits.empty() && digits.getAsInteger(10, length.factor))
    return malformed("malformed vector length '" + text + "'");
  size_t end = name.find_first_of("/-");
  if (end != StringRef::npos) {
    uint8_t &number = name[end] == '/' ? length.divisor : length.minus;
    if (name.substr(end + 1).getAsInteger(10, number) || length.divisor == 0)
      return malformed("malformed vector length '" + text + "'");
    name = name.substr(0, end);
  }
  // A slot that the form lacks counts as empty: the operand is a plain one.
  auto slot = vocabulary.slots.find(name);
  if (slot == vocabulary.slots.end())
    return malformed("'" + name + "' is no slot");
  length.slot = slot->second;
  return llvm::Error::success();
}

/// "4|8|16", "0..15", "24..256/8".
llvm::Error FormCompiler::compileValues(StringRef text, OperandSpec &spec) {
  llvm::SmallVector<ValueRange, 4> values;
  llvm::SmallVector<StringRef, 4> words;
  text.split(words, '|');
  for (StringRef word : words) {
    ValueRange range;
    auto [bounds, step] = word.split('/');
    auto [first, last] = bounds.split("..");
    if (first.getAsInteger(10, range.first) ||
        (last.empty() ? first : last).getAsInteger(10, range.last) ||
        (!step.empty() && step.getAsInteger(10, range.step)) || range.step <= 0)
      return malformed("malformed values '" + text + "'");
    values.push_back(range);
  }
  spec.values = save<ValueRange>(values);
  return llvm::Error::success();
}
