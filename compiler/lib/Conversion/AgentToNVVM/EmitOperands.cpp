//===- EmitOperands.cpp - Operands of products in shared memory -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

FailureOr<SharedOperand> Emitter::getSharedOperand(Value value,
                                                   Operation *user) {
  const Tile tile = tiles.lookup(value);
  if (tile.kind == Tile::Kind::Shared && tile.panels)
    return SharedOperand{*tile.panels, tile.transposed};
  if (tile.kind == Tile::Kind::Shared)
    return user->emitOpError()
           << "multiplies a " << value.getType()
           << ", whose rows in memory are no multiple of 32 bytes: no matrix "
              "descriptor describes it";
  return user->emitOpError()
         << "multiplies a " << value.getType()
         << " that is not in a slot of shared memory, which has no code yet";
}
