//===- Communication.cpp - What reaches other clusters -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode/Communication.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::StateSpace;

/// Whether an access to that space may meet one of another cluster.
static bool isBeyondCluster(const ptx::Variant &variant) {
  Modifier scope = variant.get(Slot::Scope);
  if (scope == Modifier::Cta || scope == Modifier::Cluster)
    return false;
  StateSpace space = ptx::spaceOf(variant.get(Slot::Space));
  return space == StateSpace::Global || space == StateSpace::Generic;
}

static bool isStrong(const ptx::Variant &variant) {
  for (Modifier modifier :
       {Modifier::Volatile, Modifier::Relaxed, Modifier::Acquire,
        Modifier::Release, Modifier::Mmio, Modifier::Cv})
    if (variant.has(modifier))
      return true;
  return false;
}

Communication
drawloom::emu::communicationOf(const ptx::Instruction &instruction) {
  const ptx::Variant &variant = *instruction.variant;
  auto when = [](bool condition, Communication kind) {
    return condition ? kind : Communication::None;
  };
  switch (instruction.opcode()) {
  case Opcode::Atom:
  case Opcode::Red:
    return when(isBeyondCluster(variant), Communication::Instruction);
  case Opcode::Ld:
  case Opcode::St:
    return when(isBeyondCluster(variant) && isStrong(variant),
                Communication::Instruction);
  case Opcode::Tcgen05Alloc:
  case Opcode::Tcgen05Dealloc:
  case Opcode::GriddepcontrolWait:
  case Opcode::GriddepcontrolLaunchDependents:
    return Communication::Instruction;
  case Opcode::Call: {
    const ptx::Operand &callee = instruction.operandData[1];
    return when(
        callee.is(ptx::Operand::SymbolAddress) &&
            !static_cast<const ptx::Function *>(callee.symbol())->hasBody,
        Communication::Instruction);
  }
  case Opcode::CpReduceAsyncBulk:
  case Opcode::StAsync:
  case Opcode::RedAsync:
    return when(isBeyondCluster(variant), Communication::Work);
  case Opcode::CpReduceAsyncBulkTensor:
  case Opcode::ClcTryCancel:
    return Communication::Work;
  default:
    return Communication::None;
  }
}
