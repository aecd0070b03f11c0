//===- SharedArrays.cpp - Which array an access is meant for --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedArrays.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::checker;
using ptx::Opcode;
using ptx::Operand;

using Array = SharedArrays::Array;

namespace {
/// What the registers of a function are made from.
class Registers {
public:
  explicit Registers(llvm::ArrayRef<Array> arrays) : arrays(arrays) {}

  void add(const ptx::Instruction &instruction) {
    if (instruction.operands().empty())
      return;
    const Operand &result = instruction.operands().front();
    if (result.is(Operand::Register))
      define(result, &instruction);
    else if (result.is(Operand::Vector) || result.is(Operand::Pair))
      for (const Operand &part : result.parts())
        define(part, nullptr);
  }
  /// The array that an operand's address is made from; null if not known.
  const Array *arrayOf(const Operand &operand) {
    open.clear();
    return originOf(operand).array;
  }

private:
  static constexpr unsigned deepest = 32, mostDefinitions = 4;

  /// What a value is made from: an array, or none. Of a register that is being
  /// looked at, as in `add p, p, 4`, it is open: its other definitions say.
  struct Origin {
    const Array *array = nullptr;
    bool isOpen = false;
  };
  Origin originOf(const Operand &operand);
  Origin originOf(const ptx::Instruction *definition);

  void define(const Operand &result, const ptx::Instruction *by) {
    if (result.is(Operand::Register))
      definitions[result.index()].push_back(by);
  }

  llvm::ArrayRef<Array> arrays;
  llvm::DenseMap<uint32_t, llvm::SmallVector<const ptx::Instruction *, 1>>
      definitions;
  llvm::SmallVector<uint32_t, 8> open; ///< Registers that are looked at.
};
} // namespace

Registers::Origin Registers::originOf(const Operand &operand) {
  if (operand.is(Operand::SymbolAddress)) {
    const Array *found = llvm::find_if(arrays, [&](const Array &array) {
      return array.name == operand.symbol()->name;
    });
    return {found == arrays.end() ? nullptr : found};
  }
  if (!operand.is(Operand::Register) || open.size() == deepest)
    return {};
  if (llvm::is_contained(open, operand.index()))
    return {nullptr, true};
  auto it = definitions.find(operand.index());
  if (it == definitions.end() || it->second.size() > mostDefinitions)
    return {};
  open.push_back(operand.index());
  Origin all = {nullptr, true};
  for (const ptx::Instruction *definition : it->second) {
    Origin one = originOf(definition);
    if (one.isOpen)
      continue;
    all = all.isOpen || all.array == one.array ? one : Origin();
    if (!all.array)
      break;
  }
  open.pop_back();
  return all;
}

Registers::Origin Registers::originOf(const ptx::Instruction *definition) {
  if (!definition)
    return {};
  llvm::ArrayRef<Operand> operands = definition->operands();
  switch (definition->opcode()) {
  case Opcode::Mov:
  case Opcode::Cvt:
  case Opcode::Cvta:
  case Opcode::CvtaTo:
  case Opcode::Sub:
    return originOf(operands[1]);
  case Opcode::MadLo:
  case Opcode::MadWide:
    return originOf(operands[3]);
  case Opcode::Add: {
    Origin one = originOf(operands[1]), other = originOf(operands[2]);
    if ((one.array || one.isOpen) && (other.array || other.isOpen))
      return {};
    return one.array || one.isOpen ? one : other;
  }
  default:
    return {};
  }
}

SharedArrays::SharedArrays(const emu::Kernel &kernel)
    : arrays(kernel.sharedArrays()) {
  // Two of the same name may be of two functions.
  bool isTwice = llvm::any_of(arrays, [&](const Array &array) {
    return llvm::count_if(arrays, [&](const Array &other) {
             return other.name == array.name;
           }) != 1;
  });
  if (arrays.size() < 2 || isTwice)
    return;
  const uint32_t count = kernel.instructionCount();
  for (uint32_t begin = 0, end; begin != count; begin = end) {
    llvm::StringRef function = kernel.place(begin).function;
    Registers registers(arrays);
    for (end = begin; end != count && kernel.place(end).function == function;
         ++end)
      if (const ptx::Instruction *parsed = kernel.parsed(end))
        registers.add(*parsed);
    for (uint32_t number = begin; number != end; ++number) {
      const ptx::Instruction *parsed = kernel.parsed(number);
      if (!parsed)
        continue;
      auto isAddress = [](const Operand &operand) {
        return operand.is(Operand::Address);
      };
      if (llvm::count_if(parsed->operands(), isAddress) != 1)
        continue;
      const Operand &address = *llvm::find_if(parsed->operands(), isAddress);
      const Array *array = registers.arrayOf(address.parts().front());
      if (array && array->size)
        byInstruction[number] = array;
    }
  }
}

const Array *SharedArrays::meantBy(uint32_t instruction) const {
  return byInstruction.lookup(instruction);
}

const Array *SharedArrays::at(uint32_t offset) const {
  for (const Array &array : arrays)
    if (offset >= array.offset && offset - array.offset < array.size)
      return &array;
  return nullptr;
}
