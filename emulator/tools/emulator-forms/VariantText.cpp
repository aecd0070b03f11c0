//===- VariantText.cpp - Every variant of a form as text ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariantText.h"
#include <functional>

using namespace drawloom;
using ptx::Modifier;
using ptx::OperandSpec;
using ptx::StateSpace;

namespace {
/// Writes the operands of one variant.
class OperandText {
public:
  OperandText(const ptx::Variant &variant, bool withOptional)
      : variant(variant), withOptional(withOptional) {}

  std::string all(llvm::ArrayRef<OperandSpec> specs) {
    std::string text;
    for (const OperandSpec &spec : specs) {
      if (!variant.shapeOf(spec).wanted ||
          (spec.presence == OperandSpec::Optional && !withOptional))
        continue;
      text += (text.empty() ? "" : ", ") + one(spec);
    }
    return text;
  }

private:
  /// A register of the bit type of that size.
  std::string reg(unsigned bits) {
    const char *prefix = bits == 1    ? "%p"
                         : bits <= 8  ? "%b"
                         : bits <= 16 ? "%h"
                         : bits <= 32 ? "%r"
                         : bits <= 64 ? "%d"
                                      : "%q";
    return prefix + std::to_string(next++);
  }

  std::string value(const OperandSpec &spec) {
    ptx::OperandShape shape = variant.shapeOf(spec);
    unsigned bits = ptx::bitsOf(shape.type);
    if (!spec.allowRegister && !spec.allowImmediate)
      return "_";
    if (!spec.allowRegister)
      return std::to_string(spec.values.empty() ? 1 : spec.values[0].first);
    if (!shape.length)
      return reg(bits);
    std::string text;
    for (unsigned i = 0; i != shape.length; ++i)
      text += (i ? ", " : "{") + reg(bits);
    return text + "}";
  }

  std::string one(const OperandSpec &spec) {
    switch (spec.kind) {
    case OperandSpec::Label:
      return "here";
    case OperandSpec::Targets:
      return "list";
    case OperandSpec::Call:
      return "callee";
    case OperandSpec::Address: {
      StateSpace space = variant.shapeOf(spec).space;
      bool narrow = space == StateSpace::TensorMemory || isShared(space);
      std::string text = "[" + reg(narrow ? 32 : 64);
      std::string elements = all(spec.elements);
      return text + (elements.empty() ? "" : ", " + elements) + "]";
    }
    case OperandSpec::Value:
      break;
    }
    std::string text = value(spec);
    if (spec.hasPair || (spec.pairOptional && withOptional))
      text += "|" + reg(1);
    return text;
  }

  static bool isShared(StateSpace space) {
    return space == StateSpace::Shared || space == StateSpace::SharedCta ||
           space == StateSpace::SharedCluster;
  }

  const ptx::Variant &variant;
  const bool withOptional;
  unsigned next = 0;
};
} // namespace

/// Calls `callback` with every choice of modifiers for a form.
static void
forEachChoice(const ptx::Form &form,
              llvm::function_ref<void(llvm::ArrayRef<Modifier>)> callback) {
  std::vector<Modifier> chosen(form.slots.size(), Modifier::None);
  std::function<void(size_t)> choose = [&](size_t index) {
    if (index == form.slots.size()) {
      // Slots of one group are all there or all absent.
      for (size_t i = 0; i != chosen.size(); ++i)
        for (size_t j = 0; j != i; ++j)
          if (form.slots[i].group &&
              form.slots[i].group == form.slots[j].group &&
              (chosen[i] == Modifier::None) != (chosen[j] == Modifier::None))
            return;
      callback(chosen);
      return;
    }
    if (form.slots[index].optional) {
      chosen[index] = Modifier::None;
      choose(index + 1);
    }
    for (Modifier modifier : form.slots[index].alternatives) {
      chosen[index] = modifier;
      choose(index + 1);
    }
  };
  choose(0);
}

std::vector<std::string> variantsOf(const ptx::Form &form) {
  std::vector<std::string> result;
  forEachChoice(form, [&](llvm::ArrayRef<Modifier> modifiers) {
    ptx::Variant variant;
    variant.form = &form;
    variant.modifiers = modifiers;
    std::string mnemonic = variant.mnemonic();
    for (bool withOptional : {false, true}) {
      std::string operands =
          OperandText(variant, withOptional).all(form.operands);
      std::string text =
          operands.empty() ? mnemonic : mnemonic + " " + operands;
      if (result.empty() || result.back() != text)
        result.push_back(text);
    }
  });
  return result;
}

std::string variantPrelude() { return ".func callee() { ret; }\n"; }

std::string variantKernel(const std::string &name, const std::string &body) {
  return ".visible .entry " + name +
         "() { .reg .pred %p<300>; .reg .b8 %b<300>; .reg .b16 %h<300>; "
         ".reg .b32 %r<300>; .reg .b64 %d<300>; .reg .b128 %q<300>; "
         "list: .branchtargets here; here:\n" +
         body + "}\n";
}
