//===- RegisterAccess.cpp - What an instruction reads and writes ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/PTX/RegisterAccess.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::ptx;

static void collect(const Operand &operand, bool isWrite,
                    RegisterAccess &access) {
  switch (operand.kind()) {
  case Operand::Register:
    (isWrite ? access.writes : access.reads).push_back(operand.index());
    // An element of a vector register leaves the others alone.
    access.replaces &= operand.component() < 0;
    return;
  case Operand::Address:
    // What stands in brackets is read, whatever is done to memory.
    for (const Operand &part : operand.parts())
      collect(part, false, access);
    return;
  case Operand::Vector:
  case Operand::Pair:
    for (const Operand &part : operand.parts())
      collect(part, isWrite, access);
    return;
  default:
    return;
  }
}

RegisterAccess drawloom::ptx::accessOf(const Instruction &instruction) {
  RegisterAccess access;
  const Variant &variant = *instruction.variant;
  llvm::ArrayRef<Operand> operands = instruction.operands();
  llvm::ArrayRef<OperandSpec> specs = variant.form->operands;
  if (instruction.guard != Instruction::noGuard) {
    access.reads.push_back(instruction.guard);
    access.replaces = false;
  }
  if (!specs.empty() && specs.front().kind == OperandSpec::Call) {
    // Results come back when the callee returns; that is still here.
    for (auto [index, operand] : llvm::enumerate(operands))
      collect(operand, index == 0, access);
    return access;
  }
  // A form's optional operands are absent from the right.
  size_t used = 0;
  for (auto [index, spec] : llvm::enumerate(specs)) {
    if (!variant.shapes[index].wanted)
      continue;
    size_t needed = 0;
    for (size_t later = index + 1; later < specs.size(); ++later)
      needed += variant.shapes[later].wanted &&
                specs[later].presence != OperandSpec::Optional;
    if (spec.presence == OperandSpec::Optional &&
        operands.size() - used <= needed)
      continue;
    if (used == operands.size())
      break;
    collect(operands[used++], spec.isOut, access);
  }
  return access;
}
