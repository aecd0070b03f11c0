//===- Program.cpp - A decoded kernel ------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode/Program.h"
#include "drawloom/Emulator/Device.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

using namespace drawloom;
using namespace drawloom::emu;

const ProgramFunction &Program::functionOf(const Inst *inst) const {
  auto it = llvm::upper_bound(functions, indexOf(inst),
                              [](uint32_t index, const ProgramFunction &part) {
                                return index < part.first;
                              });
  return *std::prev(it);
}

const ProgramFunction *Program::find(const ptx::Symbol *function) const {
  auto it = llvm::find_if(functions, [&](const ProgramFunction &part) {
    return part.function == function;
  });
  return it == functions.end() ? nullptr : &*it;
}

const ptx::Instruction *Program::source(const Inst *inst) const {
  llvm::ArrayRef<ptx::Instruction> instructions =
      functionOf(inst).function->instructions;
  uint32_t origin = origins[indexOf(inst)];
  return origin < instructions.size() ? &instructions[origin] : nullptr;
}

const ptx::SourceLocation *Program::location(const Inst *inst) const {
  const ptx::Function &function = *functionOf(inst).function;
  uint32_t origin = origins[indexOf(inst)];
  const ptx::SourceLocation *last = nullptr;
  for (const ptx::BodyItem &item : function.items) {
    if (item.position > origin)
      break;
    if (item.kind == ptx::BodyItem::Location)
      last = &function.locations[item.index];
  }
  return last;
}

uint32_t Program::line(const Inst *inst) const {
  const ptx::Instruction *instruction = source(inst);
  return instruction ? instruction->line : 0;
}

std::vector<Kernel::SharedArray> Kernel::sharedArrays() const {
  std::vector<SharedArray> arrays;
  for (const SharedVariable &variable : program->shared)
    arrays.push_back({variable.variable->name, variable.offset, variable.size});
  return arrays;
}

uint32_t Kernel::dynamicSharedOffset() const {
  for (const SharedVariable &variable : program->shared)
    if (variable.size == 0)
      return variable.offset;
  return 0;
}

uint32_t Kernel::instructionCount() const { return program->code.size(); }

const ptx::Instruction *Kernel::parsed(uint32_t instruction) const {
  return program->source(&program->code[instruction]);
}

InstructionPlace Kernel::place(uint32_t instruction) const {
  const Inst *inst = &program->code[instruction];
  InstructionPlace place;
  const ptx::Function &function = *program->functionOf(inst).function;
  place.function = function.name;
  place.line = program->line(inst);
  if (const ptx::SourceLocation *location = program->location(inst))
    place.source = module->ptx().sourceOf(function, *location);
  return place;
}

std::string Program::nameShared(uint32_t offset) const {
  const SharedVariable *found = nullptr;
  for (const SharedVariable &variable : shared)
    if (variable.offset <= offset &&
        (variable.size == 0 || offset < variable.offset + variable.size))
      found = &variable;
  if (!found)
    return "";
  return llvm::demangle(found->variable->name) + "+" +
         llvm::utostr(offset - found->offset);
}

std::string Program::nameRegister(const Inst *inst, uint32_t number) const {
  for (const ptx::RegisterDeclaration &declaration :
       functionOf(inst).function->registers)
    if (number - declaration.first < declaration.count)
      return declaration.parametrized
                 ? (declaration.name + llvm::Twine(number - declaration.first))
                       .str()
                 : declaration.name.str();
  return "a register";
}

std::string drawloom::emu::quoteMnemonic(const Program &program,
                                         const Inst *inst) {
  const ptx::Instruction *source = program.source(inst);
  return source ? "'" + source->variant->mnemonic() + "'" : "the instruction";
}
