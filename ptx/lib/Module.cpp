//===- Module.cpp - The typed form of a PTX module ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/PTX/Module.h"
#include "drawloom/Input/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

using namespace drawloom::ptx;
using llvm::StringRef;

StringRef drawloom::ptx::spelling(Linkage linkage) {
  switch (linkage) {
  case Linkage::None:
    return "";
  case Linkage::Extern:
    return "extern";
  case Linkage::Visible:
    return "visible";
  case Linkage::Weak:
    return "weak";
  case Linkage::Common:
    return "common";
  }
  return "";
}

static const std::vector<SpecialRegisterInfo> &specialRegisters() {
  static const std::vector<SpecialRegisterInfo> rows = {
#define PTX_SPECIAL(name, text, type, elements, since)                         \
  {text, Type::type, elements, parseRequirement(since).value_or(Requirement())},
#include "drawloom/PTX/SpecialRegisters.def"
  };
  return rows;
}

const SpecialRegisterInfo &drawloom::ptx::infoOf(SpecialRegister special) {
  return specialRegisters()[static_cast<unsigned>(special)];
}

std::optional<SpecialRegister>
drawloom::ptx::parseSpecialRegister(StringRef text, unsigned &number) {
  static const llvm::StringMap<SpecialRegister> byName = [] {
    llvm::StringMap<SpecialRegister> map;
    for (auto [index, info] : llvm::enumerate(specialRegisters()))
      map[info.text] = SpecialRegister(index);
    return map;
  }();
  number = 0;
  auto it = byName.find(text);
  if (it != byName.end() && infoOf(it->second).elements > 0)
    return it->second;
  // A numbered one: %envreg7.
  StringRef name = text.rtrim("0123456789");
  StringRef digits = text.drop_front(name.size());
  it = byName.find(name);
  if (digits.empty() || (digits.size() > 1 && digits.front() == '0') ||
      it == byName.end() || infoOf(it->second).elements > 0 ||
      digits.getAsInteger(10, number) ||
      number >= static_cast<unsigned>(-infoOf(it->second).elements))
    return std::nullopt;
  return it->second;
}

const RegisterDeclaration &Function::declarationOf(uint32_t number) const {
  const auto *it = llvm::upper_bound(
      registers, number,
      [](uint32_t n, const RegisterDeclaration &reg) { return n < reg.first; });
  return *std::prev(it);
}

const Function *Module::findFunction(StringRef name) const {
  const auto *it =
      llvm::find_if(functions, [&](auto *f) { return f->name == name; });
  return it == functions.end() ? nullptr : *it;
}

const Variable *Module::findVariable(StringRef name) const {
  const auto *it =
      llvm::find_if(variables, [&](auto *v) { return v->name == name; });
  return it == variables.end() ? nullptr : *it;
}

std::vector<SourceLine> Module::sourceOf(const Function &function,
                                         const SourceLocation &location) const {
  std::vector<SourceLine> lines;
  auto add = [&](uint32_t file, uint32_t line) {
    SourceLine &added = lines.emplace_back(SourceLine{"", line});
    for (const TopLevelItem &item : items)
      if (item.file && item.file->number == file)
        added.file = drawloom::input::makePrintable(item.file->name);
  };
  add(location.file, location.line);
  // A call that was inlined itself has a location of its own in front of this,
  // which says where. If the function was inlined several times, it is the
  // last.
  const SourceLocation *at = &location;
  while (at && at->inlinedLine) {
    add(at->inlinedFile, at->inlinedLine);
    const SourceLocation *call = nullptr;
    for (const SourceLocation &other : function.locations)
      if (&other < at && other.file == at->inlinedFile &&
          other.line == at->inlinedLine && other.column == at->inlinedColumn)
        call = &other;
    at = call;
  }
  return lines;
}
