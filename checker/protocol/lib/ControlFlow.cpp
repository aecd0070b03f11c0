//===- ControlFlow.cpp - Blocks and loops of a kernel ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "WalkImplementation.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::protocol;
using ptx::Instruction;

ControlFlow::ControlFlow(const ptx::Function &kernel) {
  makeBlocks(kernel);
  findLoops();
}

void ControlFlow::makeBlocks(const ptx::Function &kernel) {
  size_t count = kernel.instructions.size();
  llvm::BitVector begins(count + 1);
  begins.set(0);
  auto endsBlock = [](const Instruction &instruction) {
    return jumps(instruction.opcode()) || leaves(instruction.opcode());
  };
  for (auto [pc, instruction] : llvm::enumerate(kernel.instructions)) {
    for (uint32_t target : getTargets(kernel, instruction))
      begins.set(target);
    if (endsBlock(instruction))
      begins.set(pc + 1);
  }
  numbers.assign(count + 1, 0);
  for (uint32_t pc = 0; pc != count; ++pc) {
    if (begins[pc])
      blocks.push_back({pc, pc});
    numbers[pc] = blocks.size() - 1;
    blocks.back().end = pc + 1;
  }
  if (blocks.empty())
    blocks.push_back({});
  auto connect = [&](unsigned from, uint32_t pc) {
    if (pc >= count)
      return;
    unsigned to = numbers[pc];
    if (llvm::is_contained(blocks[from].successors, to))
      return;
    blocks[from].successors.push_back(to);
    blocks[to].predecessors.push_back(from);
  };
  for (unsigned number = 0; number != blocks.size() && count; ++number) {
    const Instruction &last = kernel.instructions[blocks[number].end - 1];
    for (uint32_t target : getTargets(kernel, last))
      connect(number, target);
    if (!endsBlock(last) || last.guard != Instruction::noGuard)
      connect(number, blocks[number].end);
  }
}

/// By block: all that dominate it, itself among them. `order` has those that
/// can be reached, each behind one of its predecessors.
static std::vector<llvm::BitVector>
findDominators(llvm::ArrayRef<ControlFlow::Block> blocks,
               llvm::ArrayRef<unsigned> order) {
  size_t count = blocks.size();
  std::vector<llvm::BitVector> sets(count, llvm::BitVector(count));
  for (unsigned block : order)
    sets[block].set();
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned block : order) {
      llvm::BitVector now(count, block != 0);
      for (unsigned before : blocks[block].predecessors)
        if (sets[before][before])
          now &= sets[before];
      now.set(block);
      changed |= now != sets[block];
      sets[block] = std::move(now);
    }
  }
  return sets;
}

void ControlFlow::findLoops() {
  // Depth first; an edge to a block on the way leads back.
  std::vector<unsigned> order;
  std::vector<char> state(blocks.size(), 0);
  std::vector<std::pair<unsigned, unsigned>> back, path = {{0, 0}};
  state[0] = 1;
  while (!path.empty()) {
    auto &[block, next] = path.back();
    if (next == blocks[block].successors.size()) {
      state[block] = 2;
      order.push_back(block);
      path.pop_back();
      continue;
    }
    unsigned to = blocks[block].successors[next++];
    if (state[to] == 1)
      back.push_back({block, to});
    if (state[to] == 0) {
      state[to] = 1;
      path.push_back({to, 0});
    }
  }
  std::reverse(order.begin(), order.end());
  dominators = findDominators(blocks, order);
  for (auto [latch, head] : back) {
    if (!dominates(head, latch)) {
      irreducible.push_back(head);
      continue;
    }
    addLoop(latch, head);
  }
}

/// All that reach the latch without the head are in the loop.
void ControlFlow::addLoop(unsigned latch, unsigned head) {
  auto found =
      llvm::find_if(loops, [&](const Loop &loop) { return loop.head == head; });
  if (found == loops.end()) {
    loops.push_back({head, llvm::BitVector(blocks.size())});
    found = std::prev(loops.end());
    found->blocks.set(head);
  }
  found->latches.push_back(latch);
  std::vector<unsigned> work = {latch};
  while (!work.empty()) {
    unsigned block = work.back();
    work.pop_back();
    if (!isReachable(block) || found->blocks.test(block))
      continue;
    found->blocks.set(block);
    llvm::append_range(work, blocks[block].predecessors);
  }
}

const ControlFlow::Loop *ControlFlow::innermost(unsigned block) const {
  const Loop *best = nullptr;
  for (const Loop &loop : loops)
    if (loop.blocks.test(block) &&
        (!best || loop.blocks.count() < best->blocks.count()))
      best = &loop;
  return best;
}
