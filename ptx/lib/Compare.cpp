//===- Compare.cpp - Are two modules the same -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A comparison of everything but line numbers. Symbols are compared by their
// number, which follows from the order of declarations.
//
//===----------------------------------------------------------------------===//

#include "drawloom/PTX/Module.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace drawloom::ptx;

namespace {
/// One overload for each part of a module; a struct, so that they can call each
/// other whatever their order.
struct Comparison {
  /// Two lists are the same if their elements are, by the `same` below.
  template <typename T>
  static bool sameList(llvm::ArrayRef<T> a, llvm::ArrayRef<T> b) {
    return a.size() == b.size() &&
           llvm::all_of(llvm::zip(a, b), [](const auto &pair) {
             return same(std::get<0>(pair), std::get<1>(pair));
           });
  }

  static bool same(const Symbol *a, const Symbol *b) {
    if (!a || !b)
      return a == b;
    return a->kind == b->kind && a->number == b->number && a->name == b->name;
  }

  static bool same(const Attribute &a, const Attribute &b) {
    return std::tie(a.kind, a.uuid[0], a.uuid[1]) ==
           std::tie(b.kind, b.uuid[0], b.uuid[1]);
  }

  static bool same(const Initializer &a, const Initializer &b) {
    return std::tie(a.kind, a.generic, a.mask, a.value) ==
               std::tie(b.kind, b.generic, b.mask, b.value) &&
           same(a.symbol, b.symbol) && sameList(a.elements, b.elements);
  }

  static bool same(const PointerAttribute &a, const PointerAttribute &b) {
    return std::tie(a.present, a.space, a.alignment) ==
           std::tie(b.present, b.space, b.alignment);
  }

  static bool sameVariable(const Variable &a, const Variable &b) {
    bool initialized = a.initializer && b.initializer;
    return same(static_cast<const Symbol *>(&a),
                static_cast<const Symbol *>(&b)) &&
           std::tie(a.space, a.type, a.vector, a.alignment, a.linkage) ==
               std::tie(b.space, b.type, b.vector, b.alignment, b.linkage) &&
           same(a.pointer, b.pointer) && sameList(a.attributes, b.attributes) &&
           a.extents == b.extents && !a.initializer == !b.initializer &&
           (!initialized || same(*a.initializer, *b.initializer)) &&
           same(static_cast<const Symbol *>(a.definition),
                static_cast<const Symbol *>(b.definition));
  }

  static bool same(const RegisterDeclaration &a, const RegisterDeclaration &b) {
    return std::tie(a.name, a.type, a.vector, a.parametrized, a.first,
                    a.count) ==
           std::tie(b.name, b.type, b.vector, b.parametrized, b.first, b.count);
  }

  static bool same(const Parameter &a, const Parameter &b) {
    if (!a.variable != !b.variable)
      return false;
    return a.variable ? sameVariable(*a.variable, *b.variable)
                      : same(a.reg, b.reg);
  }

  static bool same(const Directive &a, const Directive &b) {
    return a.kind == b.kind && a.values == b.values && a.pragmas == b.pragmas;
  }

  static bool same(const Prototype &a, const Prototype &b) {
    return a.linkage == b.linkage && sameList(a.attributes, b.attributes) &&
           sameList(a.results, b.results) &&
           sameList(a.parameters, b.parameters) &&
           sameList(a.directives, b.directives);
  }

  static bool same(const Operand &a, const Operand &b) {
    if (a.kind() != b.kind() || a.index() != b.index() ||
        a.type() != b.type() || a.elements() != b.elements() ||
        a.component() != b.component() || a.isNegated() != b.isNegated() ||
        a.isUnified() != b.isUnified() || a.hasOffset() != b.hasOffset())
      return false;
    switch (a.kind()) {
    case Operand::SymbolAddress:
      return same(a.symbol(), b.symbol());
    case Operand::Vector:
    case Operand::Pair:
    case Operand::Address:
      return sameList(a.parts(), b.parts());
    default:
      return a.integer() == b.integer();
    }
  }

  static bool same(const Instruction &a, const Instruction &b) {
    return a.variant->form == b.variant->form &&
           a.variant->modifiers == b.variant->modifiers && a.guard == b.guard &&
           a.guardNegated == b.guardNegated &&
           sameList(a.operands(), b.operands());
  }

  static bool same(const BodyItem &a, const BodyItem &b) {
    return std::tie(a.kind, a.index, a.position) ==
           std::tie(b.kind, b.index, b.position);
  }

  static bool same(const Label &a, const Label &b) {
    return a.name == b.name && a.position == b.position;
  }

  static bool same(const SourceLocation &a, const SourceLocation &b) {
    return std::tie(a.file, a.line, a.column, a.function, a.functionOffset,
                    a.inlinedFile, a.inlinedLine, a.inlinedColumn) ==
           std::tie(b.file, b.line, b.column, b.function, b.functionOffset,
                    b.inlinedFile, b.inlinedLine, b.inlinedColumn);
  }

  static bool same(const TargetList &a, const TargetList &b) {
    return a.name == b.name && a.labels == b.labels &&
           sameList(a.functions, b.functions);
  }

  static bool same(const CallPrototype &a, const CallPrototype &b) {
    return a.name == b.name && same(a.prototype, b.prototype);
  }

  static bool same(const File &a, const File &b) {
    return std::tie(a.number, a.name, a.hasStamp, a.time, a.size) ==
           std::tie(b.number, b.name, b.hasStamp, b.time, b.size);
  }

  static bool same(const SectionEntry::Value &a, const SectionEntry::Value &b) {
    return std::tie(a.symbol, a.minus, a.number) ==
           std::tie(b.symbol, b.minus, b.number);
  }

  static bool same(const SectionEntry &a, const SectionEntry &b) {
    return a.label == b.label && a.type == b.type &&
           sameList(a.values, b.values);
  }

  /// The first difference in a function, as text; empty if there is none.
  static std::string differenceIn(const Function &a, const Function &b) {
    std::string in = "in function '" + a.name.str() + "': ";
    if (a.isEntry != b.isEntry || a.hasBody != b.hasBody)
      return in + "its kind";
    size_t count = std::min(a.instructions.size(), b.instructions.size());
    for (size_t i = 0; i < count; ++i)
      if (!same(a.instructions[i], b.instructions[i]))
        return in + "instruction " + std::to_string(i) + ", '" +
               a.instructions[i].variant->mnemonic() + "'";
    if (a.instructions.size() != b.instructions.size())
      return in + "the number of instructions";
    if (!sameList(a.items, b.items))
      return in + "what stands between the instructions";
    if (!sameList(a.registers, b.registers) ||
        a.registerCount != b.registerCount)
      return in + "the registers";
    if (a.variables.size() != b.variables.size() ||
        llvm::any_of(llvm::zip(a.variables, b.variables), [](auto pair) {
          return !sameVariable(*std::get<0>(pair), *std::get<1>(pair));
        }))
      return in + "the variables";
    if (!sameList(a.labels, b.labels))
      return in + "the labels";
    if (!sameList(a.locations, b.locations) || a.pragmas != b.pragmas)
      return in + "the locations or pragmas";
    if (!sameList(a.targetLists, b.targetLists) ||
        !sameList(a.callPrototypes, b.callPrototypes))
      return in + "the targets or prototypes of calls and branches";
    return "";
  }

  /// The first difference in a statement of the module's level.
  static std::string differenceIn(const TopLevelItem &a,
                                  const TopLevelItem &b) {
    if (a.kind != b.kind)
      return "the order of statements";
    switch (a.kind) {
    case TopLevelItem::VariableItem:
      return sameVariable(*a.variable, *b.variable)
                 ? ""
                 : "variable '" + a.variable->name.str() + "'";
    case TopLevelItem::FunctionDeclaration:
    case TopLevelItem::FunctionDefinition:
      if (!same(static_cast<const Symbol *>(a.function),
                static_cast<const Symbol *>(b.function)) ||
          !same(*a.prototype, *b.prototype))
        return "the head of function '" + a.function->name.str() + "'";
      return a.kind == TopLevelItem::FunctionDefinition
                 ? differenceIn(*a.function, *b.function)
                 : "";
    case TopLevelItem::FileItem:
      return same(*a.file, *b.file) ? "" : "file '" + a.file->name.str() + "'";
    case TopLevelItem::SectionItem:
      return a.section->name == b.section->name &&
                     sameList(a.section->entries, b.section->entries)
                 ? ""
                 : "section '" + a.section->name.str() + "'";
    case TopLevelItem::AliasItem:
      return same(static_cast<const Symbol *>(a.function),
                  static_cast<const Symbol *>(b.function)) &&
                     same(static_cast<const Symbol *>(a.aliasee),
                          static_cast<const Symbol *>(b.aliasee))
                 ? ""
                 : "alias '" + a.function->name.str() + "'";
    case TopLevelItem::PragmaItem:
      return a.pragmas == b.pragmas ? "" : "a pragma";
    }
    return "";
  }
};
} // namespace

bool drawloom::ptx::isIdentical(const Module &a, const Module &b,
                                std::string &difference) {
  if (a.version != b.version || !(a.target == b.target) ||
      a.targetOptions != b.targetOptions || a.addressSize != b.addressSize) {
    difference = "the version, target or address size";
    return false;
  }
  if (a.items.size() != b.items.size() || a.symbolCount != b.symbolCount) {
    difference = "the number of statements or symbols";
    return false;
  }
  for (auto [left, right] : llvm::zip(a.items, b.items)) {
    difference = Comparison::differenceIn(left, right);
    if (!difference.empty())
      return false;
  }
  return true;
}
