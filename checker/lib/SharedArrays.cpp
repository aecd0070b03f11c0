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
  const Array *arrayOf(const Operand &operand, unsigned depth = 0) const;

private:
  void define(const Operand &result, const ptx::Instruction *by) {
    if (!result.is(Operand::Register))
      return;
    auto [it, isNew] = definitions.try_emplace(result.index(), by);
    if (!isNew)
      it->second = nullptr; // Twice.
  }

  llvm::ArrayRef<Array> arrays;
  llvm::DenseMap<uint32_t, const ptx::Instruction *> definitions;
};
} // namespace

const Array *Registers::arrayOf(const Operand &operand, unsigned depth) const {
  if (operand.is(Operand::SymbolAddress)) {
    const Array *found = llvm::find_if(arrays, [&](const Array &array) {
      return array.name == operand.symbol()->name;
    });
    return found == arrays.end() ? nullptr : found;
  }
  constexpr unsigned deepest = 32;
  if (!operand.is(Operand::Register) || depth == deepest)
    return nullptr;
  const ptx::Instruction *by = definitions.lookup(operand.index());
  if (!by || by->guard != ptx::Instruction::noGuard)
    return nullptr;
  llvm::ArrayRef<Operand> operands = by->operands();
  switch (by->opcode()) {
  case Opcode::Mov:
  case Opcode::Cvt:
  case Opcode::Cvta:
  case Opcode::CvtaTo:
  case Opcode::Sub:
    return arrayOf(operands[1], depth + 1);
  case Opcode::MadLo:
  case Opcode::MadWide:
    return arrayOf(operands[3], depth + 1);
  case Opcode::Add: {
    const Array *one = arrayOf(operands[1], depth + 1);
    const Array *other = arrayOf(operands[2], depth + 1);
    return one && other ? nullptr : one ? one : other;
  }
  default:
    return nullptr;
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
