//===- Answers.cpp - Waits whose answer counts ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Answers.h"
#include "drawloom/PTX/RegisterAccess.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::checker;
using ptx::Opcode;

static bool isWait(const ptx::Instruction &instruction) {
  switch (instruction.opcode()) {
  case Opcode::MbarrierTestWait:
  case Opcode::MbarrierTestWaitParity:
  case Opcode::MbarrierTryWait:
  case Opcode::MbarrierTryWaitParity:
    return true;
  default:
    return false;
  }
}

/// Whether it only passes a predicate on.
static bool passesOn(const ptx::Instruction &instruction) {
  switch (instruction.opcode()) {
  case Opcode::Selp:
  case Opcode::Mov:
  case Opcode::Setp:
  case Opcode::And:
  case Opcode::Or:
  case Opcode::Xor:
  case Opcode::Not:
  case Opcode::Cvt:
    return true;
  default:
    return false;
  }
}

Answers::Answers(const ptx::Function &kernel) {
  if (llvm::none_of(kernel.instructions, isWait))
    return;
  llvm::DenseSet<uint32_t> counts; // Registers; many may be declared.
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (const ptx::Instruction &instruction : kernel.instructions) {
      ptx::RegisterAccess access = ptx::accessOf(instruction);
      if (passesOn(instruction) &&
          llvm::none_of(access.writes,
                        [&](uint32_t reg) { return counts.contains(reg); }))
        continue;
      for (uint32_t reg : access.reads)
        isChanged |= counts.insert(reg).second;
    }
  }
  for (const ptx::Instruction &instruction : kernel.instructions)
    if (isWait(instruction) &&
        llvm::none_of(ptx::accessOf(instruction).writes,
                      [&](uint32_t reg) { return counts.contains(reg); }))
      ignored.insert(&instruction);
}
