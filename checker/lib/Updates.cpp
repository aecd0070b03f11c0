//===- Updates.cpp - Loads and stores that change a word ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Updates.h"
#include "drawloom/PTX/RegisterAccess.h"
#include "llvm/ADT/DenseMap.h"

using namespace drawloom;
using namespace drawloom::checker;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

namespace {

class UpdateFinder {
public:
  explicit UpdateFinder(const ptx::Function &kernel) {
    for (const Instruction &instruction : kernel.instructions)
      for (uint32_t reg : ptx::accessOf(instruction).writes) {
        auto [it, isNew] = definitions.try_emplace(reg, &instruction);
        if (!isNew)
          it->second = nullptr; // Twice.
      }
  }

  /// The load that a store's value is computed from and that has its address;
  /// null if there is none.
  const Instruction *loadOf(const Instruction &store) const {
    const Operand &address = store.operands()[0].parts().front();
    const Operand &value = store.operands()[1];
    if (!address.is(Operand::Register) || !value.is(Operand::Register) ||
        !definitions.lookup(address.index()))
      return nullptr;
    return search(value.index(), address, /*changes=*/false, 0);
  }

private:
  const Instruction *search(uint32_t reg, const Operand &address, bool changes,
                            unsigned depth) const;

  llvm::DenseMap<uint32_t, const Instruction *> definitions;
};

} // namespace

/// Whether doing it twice isn't doing it once.
static bool changesTwice(Opcode opcode) {
  switch (opcode) {
  case Opcode::Add:
  case Opcode::Sub:
  case Opcode::Mul:
  case Opcode::MulLo:
  case Opcode::Mad:
  case Opcode::MadLo:
  case Opcode::Fma:
  case Opcode::Xor:
  case Opcode::Shl:
    return true;
  default:
    return false;
  }
}
static bool isPassedOn(Opcode opcode) {
  return opcode == Opcode::Mov || opcode == Opcode::Cvt;
}

const Instruction *UpdateFinder::search(uint32_t reg, const Operand &address,
                                        bool changes, unsigned depth) const {
  constexpr unsigned deepest = 8;
  const Instruction *by = definitions.lookup(reg);
  if (!by || depth == deepest)
    return nullptr;
  if (by->opcode() == Opcode::Ld) {
    const Operand &from = by->operands()[1].parts().front();
    bool isSame = from.is(Operand::Register) &&
                  from.index() == address.index() &&
                  from.integer() == address.integer();
    return changes && isSame ? by : nullptr;
  }
  if (!changesTwice(by->opcode()) && !isPassedOn(by->opcode()))
    return nullptr;
  for (uint32_t source : ptx::accessOf(*by).reads)
    if (const Instruction *load = search(
            source, address, changes || changesTwice(by->opcode()), depth + 1))
      return load;
  return nullptr;
}

Updates::Updates(const ptx::Function &kernel) {
  UpdateFinder finder(kernel);
  for (const Instruction &instruction : kernel.instructions) {
    if (instruction.opcode() != Opcode::St)
      continue;
    if (const Instruction *load = finder.loadOf(instruction))
      for (const Instruction *part : {load, &instruction})
        parts.insert(part);
  }
}
