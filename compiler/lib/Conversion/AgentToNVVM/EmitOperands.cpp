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
  if (tile.kind == Tile::Kind::Shared && tile.panels && tile.panels->swizzled)
    return SharedOperand{*tile.panels, tile.transposed};
  if (tile.kind == Tile::Kind::Shared)
    return user->emitOpError()
           << "multiplies a " << value.getType()
           << ", for which there is no swizzle, so no matrix descriptor "
              "describes it: use rows in memory of a multiple of 32 bytes, and "
              "a multiple of 8 of them";
  return user->emitOpError()
         << "multiplies a " << value.getType()
         << " that is not in a slot of shared memory, which has no code yet";
}
