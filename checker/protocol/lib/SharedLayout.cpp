//===- SharedLayout.cpp - Where shared variables are ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedLayout.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using namespace drawloom::protocol;
using ptx::Operand;

static bool isShared(ptx::StateSpace space) {
  return space == ptx::StateSpace::Shared ||
         space == ptx::StateSpace::SharedCta ||
         space == ptx::StateSpace::SharedCluster;
}

/// 0 for an array without a size.
static uint64_t sizeOf(const ptx::Variable &variable) {
  uint64_t size = variable.elementSize();
  for (int64_t extent : variable.extents)
    size = extent == ptx::Variable::unsized ? 0 : size * extent;
  return size;
}

static void collect(const Operand &operand,
                    llvm::SmallVectorImpl<const ptx::Variable *> &found) {
  if (operand.is(Operand::SymbolAddress)) {
    if (operand.symbol()->kind == ptx::Symbol::VariableKind)
      found.push_back(static_cast<const ptx::Variable *>(operand.symbol()));
  } else if (operand.is(Operand::Vector) || operand.is(Operand::Pair) ||
             operand.is(Operand::Address)) {
    for (const Operand &part : operand.parts())
      collect(part, found);
  }
}

SharedLayout::SharedLayout(const ptx::Function &kernel, unsigned rank) {
  llvm::SmallVector<const ptx::Variable *> used, dynamic;
  for (const ptx::Instruction &instruction : kernel.instructions)
    for (const Operand &operand : instruction.operands())
      collect(operand, used);
  uint64_t base = uint64_t(rank) << rankShift;
  uint64_t end = start, dynamicAlignment = 16;
  for (const ptx::Variable *variable : used) {
    const ptx::Variable *definition =
        variable->definition ? variable->definition : variable;
    if (!isShared(variable->space) || addresses.contains(variable))
      continue;
    if (auto found = addresses.find(definition); found != addresses.end()) {
      uint64_t address = found->second;
      addresses[variable] = address;
      continue;
    }
    uint64_t size = sizeOf(*definition);
    uint64_t alignment = std::max<uint64_t>(1, definition->alignment
                                                   ? definition->alignment
                                                   : definition->elementSize());
    if (size == 0) {
      dynamic.push_back(variable);
      dynamicAlignment = std::max(dynamicAlignment, alignment);
      continue;
    }
    end = llvm::alignTo(end, alignment);
    addresses[definition] = addresses[variable] = base + end;
    end += size;
  }
  for (const ptx::Variable *variable : dynamic)
    addresses[variable] = base + llvm::alignTo(end, dynamicAlignment);
}
