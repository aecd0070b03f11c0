//===- ControlFlow.h - Blocks and loops of a kernel ----------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Instructions that are executed one after the other are a block. A loop is
// what can reach its head again without leaving what the head dominates; loops
// with the same head are one.
//
// Invariant: block 0 is the entry; blocks that can't be reached have no place
// in loops. `irreducible` has the heads of circles that are entered elsewhere,
// too, and so are no loops.

#ifndef DRAWLOOM_PROTOCOL_CONTROLFLOW_H
#define DRAWLOOM_PROTOCOL_CONTROLFLOW_H

#include "drawloom/PTX/Module.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace drawloom::protocol {

class ControlFlow {
public:
  struct Block {
    uint32_t begin = 0, end = 0; ///< Instructions.
    llvm::SmallVector<unsigned, 2> successors = {}, predecessors = {};
  };
  struct Loop {
    unsigned head = 0;
    llvm::BitVector blocks;
    /// Those that lead back to the head.
    llvm::SmallVector<unsigned, 2> latches = {};
  };

  explicit ControlFlow(const ptx::Function &kernel);

  unsigned blockOf(uint32_t instruction) const { return numbers[instruction]; }
  bool isReachable(unsigned block) const { return dominators[block][block]; }
  bool dominates(unsigned one, unsigned other) const {
    return dominators[other][one];
  }
  /// The innermost loop around a block; null if there is none.
  const Loop *innermost(unsigned block) const;

  std::vector<Block> blocks;
  std::vector<Loop> loops;
  std::vector<unsigned> irreducible;

private:
  void makeBlocks(const ptx::Function &kernel);
  void findLoops();
  void addLoop(unsigned latch, unsigned head);

  std::vector<unsigned> numbers;
  /// By block; those of a block that can't be reached are none.
  std::vector<llvm::BitVector> dominators;
};

} // namespace drawloom::protocol

#endif // DRAWLOOM_PROTOCOL_CONTROLFLOW_H
