//===- LoopDepths.cpp - How deep in loops instructions stand --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// By hand, because LLVM's LoopInfo is of blocks that a function of its own
// holds, and the control flow of the protocol's analysis
// (checker/protocol/lib/ControlFlow.h) of PTX only, with a set of dominators
// for each block.

#include "LoopDepths.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;

namespace {
struct Block {
  llvm::SmallVector<unsigned, 2> successors, predecessors;
  unsigned order = 0;     ///< In reverse post-order, from 1 on; 0: not reached.
  unsigned dominator = 0; ///< The immediate one; of the entry, itself.
  unsigned depth = 0;
  unsigned loop = ~0u; ///< The header of the loop that is being collected.
};

class Graph {
public:
  explicit Graph(llvm::ArrayRef<FlowStep> steps);
  std::vector<FlowPlace> places();

private:
  void number();
  void findDominators();
  bool dominates(unsigned block, unsigned other) const;
  void countLoops();

  std::vector<unsigned> blockOf;
  std::vector<Block> blocks;
  std::vector<unsigned> reached; ///< In reverse post-order.
};
} // namespace

Graph::Graph(llvm::ArrayRef<FlowStep> steps) {
  std::vector<bool> begins(steps.size() + 1);
  begins[0] = true;
  for (auto [index, step] : llvm::enumerate(steps)) {
    for (unsigned target : step.targets)
      begins[target] = true;
    if (!step.targets.empty() || !step.goesOn)
      begins[index + 1] = true;
  }
  for (size_t index = 0; index != steps.size(); ++index) {
    if (begins[index])
      blocks.emplace_back();
    blockOf.push_back(blocks.size() - 1);
  }
  for (auto [index, step] : llvm::enumerate(steps)) {
    if (index + 1 != steps.size() && !begins[index + 1])
      continue;
    auto connect = [&, from = blockOf[index]](unsigned to) {
      blocks[from].successors.push_back(to);
      blocks[to].predecessors.push_back(from);
    };
    for (unsigned target : step.targets)
      connect(blockOf[target]);
    if (step.goesOn && index + 1 != steps.size())
      connect(blockOf[index + 1]);
  }
}

void Graph::number() {
  std::vector<bool> seen(blocks.size());
  std::vector<std::pair<unsigned, unsigned>> path = {{0, 0}};
  seen[0] = true;
  while (!path.empty()) {
    auto &[block, next] = path.back();
    if (next == blocks[block].successors.size()) {
      reached.push_back(block);
      path.pop_back();
      continue;
    }
    unsigned to = blocks[block].successors[next++];
    if (!seen[to]) {
      seen[to] = true;
      path.emplace_back(to, 0);
    }
  }
  std::reverse(reached.begin(), reached.end());
  for (auto [order, block] : llvm::enumerate(reached))
    blocks[block].order = order + 1;
}

/// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm".
void Graph::findDominators() {
  const unsigned none = blocks.size();
  for (Block &block : blocks)
    block.dominator = none;
  blocks[0].dominator = 0;
  auto meet = [&](unsigned a, unsigned b) {
    while (a != b) {
      while (blocks[a].order > blocks[b].order)
        a = blocks[a].dominator;
      while (blocks[b].order > blocks[a].order)
        b = blocks[b].dominator;
    }
    return a;
  };
  for (bool changes = true; changes;) {
    changes = false;
    for (unsigned number : llvm::ArrayRef(reached).drop_front()) {
      unsigned dominator = none;
      for (unsigned from : blocks[number].predecessors)
        if (blocks[from].dominator != none)
          dominator = dominator == none ? from : meet(from, dominator);
      changes |= blocks[number].dominator != dominator;
      blocks[number].dominator = dominator;
    }
  }
}

bool Graph::dominates(unsigned block, unsigned other) const {
  while (blocks[other].order > blocks[block].order)
    other = blocks[other].dominator;
  return block == other;
}

/// A loop is what comes to a branch back to its header, which dominates it.
void Graph::countLoops() {
  for (unsigned header : reached) {
    std::vector<unsigned> left;
    auto add = [&](unsigned number) {
      Block &block = blocks[number];
      if (block.order == 0 || block.loop == header)
        return;
      block.loop = header;
      ++block.depth;
      left.push_back(number);
    };
    for (unsigned from : blocks[header].predecessors) {
      if (blocks[from].order == 0 || !dominates(header, from))
        continue;
      add(header);
      add(from);
    }
    while (!left.empty()) {
      unsigned number = left.back();
      left.pop_back();
      if (number != header)
        llvm::for_each(blocks[number].predecessors, add);
    }
  }
}

std::vector<FlowPlace> Graph::places() {
  number();
  findDominators();
  countLoops();
  std::vector<FlowPlace> places;
  for (unsigned number : blockOf)
    places.push_back({number, blocks[number].depth, blocks[number].order != 0});
  return places;
}

std::vector<FlowPlace>
drawloom::findLoopDepths(llvm::ArrayRef<FlowStep> steps) {
  if (steps.empty())
    return {};
  return Graph(steps).places();
}
