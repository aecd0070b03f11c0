//===- PrintBody.cpp - Functions as text ----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrintBody.h"
#include "drawloom/PTX/Printer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom::ptx;

namespace {
class BodyPrinter {
public:
  BodyPrinter(const Function &function, llvm::raw_ostream &os)
      : function(function), os(os) {}

  void printBody();
  void printInstruction(const Instruction &instruction);

private:
  void printItem(const BodyItem &item);
  void printRegister(const RegisterDeclaration &reg);
  void printLocation(const SourceLocation &location);
  void printTargets(const TargetList &targets);
  void printCallPrototype(const CallPrototype &prototype);
  void printOperand(const Operand &operand);
  void printRegisterName(uint32_t number);
  void printComponent(const Operand &operand);
  void printCall(llvm::ArrayRef<Operand> operands);
  void printList(llvm::ArrayRef<Operand> operands) {
    llvm::interleave(
        operands, os, [&](const Operand &part) { printOperand(part); }, ", ");
  }
  void indent() { os.indent(2 * (depth + 1)); }

  const Function &function;
  llvm::raw_ostream &os;
  unsigned depth = 0;
};
} // namespace

void BodyPrinter::printBody() {
  os << "{\n";
  size_t next = 0;
  auto printItemsBefore = [&](size_t position) {
    for (; next < function.items.size() &&
           function.items[next].position == position;
         ++next)
      printItem(function.items[next]);
  };
  for (auto [index, instruction] : llvm::enumerate(function.instructions)) {
    printItemsBefore(index);
    indent();
    printInstruction(instruction);
    os << '\n';
  }
  printItemsBefore(function.instructions.size());
  os << "}\n";
}

void BodyPrinter::printItem(const BodyItem &item) {
  switch (item.kind) {
  case BodyItem::Register:
    indent();
    printRegister(function.registers[item.index]);
    return;
  case BodyItem::Variable:
    indent();
    printVariable(*function.variables[item.index], os);
    os << ";\n";
    return;
  case BodyItem::Label:
    os << function.labels[item.index].name << ":\n";
    return;
  case BodyItem::ScopeBegin:
    indent();
    os << "{\n";
    ++depth;
    return;
  case BodyItem::ScopeEnd:
    --depth;
    indent();
    os << "}\n";
    return;
  case BodyItem::Location:
    indent();
    printLocation(function.locations[item.index]);
    return;
  case BodyItem::Pragma:
    indent();
    printPragma(function.pragmas[item.index], os);
    os << '\n';
    return;
  case BodyItem::BranchTargets:
  case BodyItem::CallTargets:
    printTargets(function.targetLists[item.index]);
    return;
  case BodyItem::CallPrototype:
    printCallPrototype(function.callPrototypes[item.index]);
    return;
  }
}

void BodyPrinter::printRegister(const RegisterDeclaration &reg) {
  os << ".reg ";
  if (reg.vector > 1)
    os << ".v" << unsigned(reg.vector) << ' ';
  os << '.' << spelling(reg.type) << ' ' << reg.name;
  if (reg.parametrized)
    os << '<' << reg.count << '>';
  os << ";\n";
}

void BodyPrinter::printLocation(const SourceLocation &location) {
  os << ".loc " << location.file << ' ' << location.line << ' '
     << location.column;
  if (!location.function.empty()) {
    os << ", function_name " << location.function;
    if (location.functionOffset)
      os << '+' << location.functionOffset;
    os << ", inlined_at " << location.inlinedFile << ' ' << location.inlinedLine
       << ' ' << location.inlinedColumn;
  }
  os << '\n';
}

void BodyPrinter::printTargets(const TargetList &targets) {
  os << targets.name << ":\n";
  indent();
  if (!targets.labels.empty()) {
    os << ".branchtargets ";
    llvm::interleave(
        targets.labels, os,
        [&](uint32_t label) { os << function.labels[label].name; }, ", ");
  } else {
    os << ".calltargets ";
    llvm::interleave(
        targets.functions, os,
        [&](const Symbol *symbol) { os << symbol->name; }, ", ");
  }
  os << ";\n";
}

void BodyPrinter::printCallPrototype(const CallPrototype &prototype) {
  os << prototype.name << ":\n";
  indent();
  os << ".callprototype ";
  if (!prototype.prototype.results.empty()) {
    printParameters(prototype.prototype.results, os);
    os << ' ';
  }
  os << "_ ";
  printParameters(prototype.prototype.parameters, os);
  printDirectives(prototype.prototype.directives, " ", os);
  os << ";\n";
}

void BodyPrinter::printInstruction(const Instruction &instruction) {
  if (instruction.guard != Instruction::noGuard) {
    os << (instruction.guardNegated ? "@!" : "@");
    printRegisterName(instruction.guard);
    os << ' ';
  }
  const Variant &variant = *instruction.variant;
  os << spelling(variant.opcode());
  for (Modifier modifier : variant.modifiers)
    if (modifier != Modifier::None)
      os << '.' << spelling(modifier);
  llvm::ArrayRef<Operand> operands = instruction.operands();
  bool isCall = !variant.form->operands.empty() &&
                variant.form->operands.front().kind == OperandSpec::Call;
  if (isCall) {
    printCall(operands);
  } else if (!operands.empty()) {
    os << ' ';
    printList(operands);
  }
  os << ';';
}

void BodyPrinter::printCall(llvm::ArrayRef<Operand> operands) {
  os << ' ';
  if (!operands[0].parts().empty()) {
    os << '(';
    printList(operands[0].parts());
    os << "), ";
  }
  printOperand(operands[1]);
  bool hasTargets = operands.size() > 3;
  if (!operands[2].parts().empty() || hasTargets) {
    os << ", (";
    printList(operands[2].parts());
    os << ')';
  }
  if (hasTargets) {
    os << ", ";
    printOperand(operands[3]);
  }
}

void BodyPrinter::printRegisterName(uint32_t number) {
  const RegisterDeclaration &reg = function.declarationOf(number);
  os << reg.name;
  if (reg.parametrized)
    os << number - reg.first;
}

void BodyPrinter::printComponent(const Operand &operand) {
  if (operand.component() >= 0)
    os << '.' << "xyzw"[operand.component()];
}

void BodyPrinter::printOperand(const Operand &operand) {
  switch (operand.kind()) {
  case Operand::Register:
    if (operand.isNegated())
      os << '!';
    printRegisterName(operand.index());
    printComponent(operand);
    return;
  case Operand::Integer:
    os << operand.integer();
    return;
  case Operand::Float32:
    os << llvm::format("0f%08X", static_cast<uint32_t>(operand.integer()));
    return;
  case Operand::Float64:
    os << llvm::format("0d%016llX",
                       static_cast<unsigned long long>(operand.integer()));
    return;
  case Operand::Special: {
    const SpecialRegisterInfo &info = infoOf(operand.special());
    os << info.text;
    if (info.elements < 0)
      os << operand.specialNumber();
    printComponent(operand);
    return;
  }
  case Operand::SymbolAddress:
    os << operand.symbol()->name;
    if (operand.hasOffset())
      os << '+' << operand.symbolOffset();
    return;
  case Operand::Label:
    os << function.labels[operand.index()].name;
    return;
  case Operand::Targets:
    os << function.targetLists[operand.index()].name;
    return;
  case Operand::Prototype:
    os << function.callPrototypes[operand.index()].name;
    return;
  case Operand::Sink:
    os << '_';
    return;
  case Operand::Vector:
    os << '{';
    printList(operand.parts());
    os << '}';
    return;
  case Operand::Pair:
    printOperand(operand.parts()[0]);
    os << '|';
    printOperand(operand.parts()[1]);
    return;
  case Operand::Address: {
    const Operand &base = operand.parts().front();
    os << '[';
    printOperand(base);
    if (base.is(Operand::Register) && base.hasOffset())
      os << '+' << base.integer();
    for (const Operand &part : operand.parts().drop_front()) {
      os << ", ";
      printOperand(part);
    }
    os << ']';
    if (operand.isUnified())
      os << ".unified";
    return;
  }
  }
}

void drawloom::ptx::printBody(const Function &function, llvm::raw_ostream &os) {
  BodyPrinter(function, os).printBody();
}

void drawloom::ptx::print(const Instruction &instruction,
                          const Function &function, llvm::raw_ostream &os) {
  BodyPrinter(function, os).printInstruction(instruction);
}
