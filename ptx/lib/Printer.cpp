//===- Printer.cpp - The typed form to PTX text ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/PTX/Printer.h"
#include "PrintBody.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom::ptx;
using llvm::StringRef;

static void printInitializer(const Initializer &value, llvm::raw_ostream &os) {
  if (value.mask)
    os << llvm::format_hex(value.mask, 0, /*Upper=*/true) << '(';
  switch (value.kind) {
  case Initializer::Integer:
    os << value.value;
    break;
  case Initializer::Float32:
    os << llvm::format("0f%08X", static_cast<uint32_t>(value.value));
    break;
  case Initializer::Float64:
    os << llvm::format("0d%016llX",
                       static_cast<unsigned long long>(value.value));
    break;
  case Initializer::Address:
    if (value.generic)
      os << "generic(" << value.symbol->name << ')';
    else
      os << value.symbol->name;
    if (value.value)
      os << '+' << value.value;
    break;
  case Initializer::List: {
    // Iterating, not recursing, over siblings; the parser bounds the depth.
    os << '{';
    llvm::interleave(
        value.elements, os,
        [&](const Initializer &element) { printInitializer(element, os); },
        ", ");
    os << '}';
    break;
  }
  }
  if (value.mask)
    os << ')';
}

static void printAttributes(llvm::ArrayRef<Attribute> attributes,
                            llvm::raw_ostream &os) {
  if (attributes.empty())
    return;
  os << " .attribute(";
  llvm::interleave(
      attributes, os,
      [&](const Attribute &attribute) {
        if (attribute.kind == Attribute::Managed)
          os << ".managed";
        else
          os << ".unified(" << attribute.uuid[0] << ", " << attribute.uuid[1]
             << ')';
      },
      ", ");
  os << ')';
}

void drawloom::ptx::printVariable(const Variable &variable,
                                  llvm::raw_ostream &os) {
  if (variable.linkage != Linkage::None)
    os << '.' << spelling(variable.linkage) << ' ';
  os << '.' << spelling(variable.space);
  printAttributes(variable.attributes, os);
  if (variable.alignment)
    os << " .align " << variable.alignment;
  if (variable.vector > 1)
    os << " .v" << unsigned(variable.vector);
  os << " ." << spelling(variable.type);
  if (variable.pointer.present) {
    os << " .ptr";
    if (variable.pointer.space != StateSpace::Generic)
      os << " ." << spelling(variable.pointer.space);
    if (variable.pointer.alignment)
      os << " .align " << variable.pointer.alignment;
  }
  os << ' ' << variable.name;
  for (int64_t extent : variable.extents) {
    os << '[';
    if (extent != Variable::unsized)
      os << extent;
    os << ']';
  }
  if (variable.initializer) {
    os << " = ";
    printInitializer(*variable.initializer, os);
  }
}

void drawloom::ptx::printParameters(llvm::ArrayRef<Parameter> parameters,
                                    llvm::raw_ostream &os) {
  os << '(';
  llvm::interleave(
      parameters, os,
      [&](const Parameter &parameter) {
        if (parameter.variable) {
          printVariable(*parameter.variable, os);
          return;
        }
        os << ".reg";
        if (parameter.reg.vector > 1)
          os << " .v" << unsigned(parameter.reg.vector);
        os << " ." << spelling(parameter.reg.type) << ' ' << parameter.reg.name;
      },
      parameters.size() > 1 ? ",\n    " : ", ");
  os << ')';
}

void drawloom::ptx::printPragma(llvm::ArrayRef<StringRef> strings,
                                llvm::raw_ostream &os) {
  os << ".pragma ";
  llvm::interleave(
      strings, os, [&](StringRef text) { os << '"' << text << '"'; }, ", ");
  os << ';';
}

void drawloom::ptx::printDirectives(llvm::ArrayRef<Directive> directives,
                                    StringRef before, llvm::raw_ostream &os) {
  for (const Directive &directive : directives) {
    os << before;
    if (directive.kind == DirectiveKind::Pragma) {
      printPragma(directive.pragmas, os);
      continue;
    }
    os << '.' << spelling(directive.kind);
    if (!directive.values.empty())
      os << ' ' << llvm::interleaved(directive.values);
  }
}

static void printHead(const Function &function, const Prototype &prototype,
                      llvm::raw_ostream &os) {
  if (prototype.linkage != Linkage::None)
    os << '.' << spelling(prototype.linkage) << ' ';
  os << (function.isEntry ? ".entry" : ".func");
  printAttributes(prototype.attributes, os);
  os << ' ';
  if (!prototype.results.empty()) {
    printParameters(prototype.results, os);
    os << ' ';
  }
  os << function.name;
  if (!prototype.parameters.empty() || !function.isEntry)
    printParameters(prototype.parameters, os);
  printDirectives(prototype.directives, "\n", os);
}

static void printSection(const Section &section, llvm::raw_ostream &os) {
  os << ".section ." << section.name << "\n{\n";
  for (const SectionEntry &entry : section.entries) {
    if (!entry.label.empty()) {
      os << entry.label << ":\n";
      continue;
    }
    os << "  ." << spelling(entry.type) << ' ';
    llvm::interleave(
        entry.values, os,
        [&](const SectionEntry::Value &value) {
          if (value.symbol.empty()) {
            os << value.number;
            return;
          }
          os << value.symbol;
          if (!value.minus.empty())
            os << '-' << value.minus;
          else if (value.number)
            os << '+' << value.number;
        },
        ", ");
    os << '\n';
  }
  os << "}\n";
}

static void printItem(const TopLevelItem &item, llvm::raw_ostream &os) {
  switch (item.kind) {
  case TopLevelItem::VariableItem:
    printVariable(*item.variable, os);
    os << ";\n";
    return;
  case TopLevelItem::FunctionDeclaration:
    printHead(*item.function, *item.prototype, os);
    os << ";\n";
    return;
  case TopLevelItem::FunctionDefinition:
    os << '\n';
    printHead(*item.function, *item.prototype, os);
    os << '\n';
    printBody(*item.function, os);
    return;
  case TopLevelItem::FileItem:
    os << ".file " << item.file->number << " \"" << item.file->name << '"';
    if (item.file->hasStamp)
      os << ", " << item.file->time << ", " << item.file->size;
    os << '\n';
    return;
  case TopLevelItem::SectionItem:
    printSection(*item.section, os);
    return;
  case TopLevelItem::AliasItem:
    os << ".alias " << item.function->name << ", " << item.aliasee->name
       << ";\n";
    return;
  case TopLevelItem::PragmaItem:
    printPragma(item.pragmas, os);
    os << '\n';
    return;
  }
}

void drawloom::ptx::print(const Module &module, llvm::raw_ostream &os) {
  os << ".version " << module.version.str() << "\n.target "
     << module.target.str();
  for (StringRef option : module.targetOptions)
    os << ", " << option;
  os << '\n';
  if (module.addressSize)
    os << ".address_size " << unsigned(module.addressSize) << '\n';
  for (const TopLevelItem &item : module.items)
    printItem(item, os);
}
