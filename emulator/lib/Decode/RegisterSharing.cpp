//===- RegisterSharing.cpp - Registers that share a place ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode/RegisterSharing.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <map>

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

namespace {

/// Instructions [begin, end) without a branch in or out.
struct Block {
  uint32_t begin = 0, end = 0;
  llvm::SmallVector<uint32_t, 2> successors;
  llvm::BitVector read, written; ///< Read before written; replaced.
  llvm::BitVector liveIn, liveOut;
};

class Analysis {
public:
  explicit Analysis(const ptx::Function &function) : function(function) {}

  RegisterSharing run();

private:
  void findUsed();
  void findPinned();
  void findBlocks();
  void solve();
  void findRanges();
  RegisterSharing assign();
  llvm::SmallVector<uint32_t, 4> targetsOf(const ptx::Instruction &instruction);

  /// A position: the reads of instruction i are at 2i, its writes at 2i + 1.
  struct Range {
    uint32_t first = ~0u, last = 0;
    void extend(uint32_t position) {
      first = std::min(first, position);
      last = std::max(last, position);
    }
  };

  /// The index of a register among those that are used.
  uint32_t indexOf(uint32_t number) const {
    return llvm::lower_bound(used, number) - used.begin();
  }

  const ptx::Function &function;
  /// The numbers of the registers that some operand names, or that are
  /// parameters. All tables below go by the index in this list: what is only
  /// declared costs nothing.
  std::vector<uint32_t> used;
  std::vector<ptx::RegisterAccess> accesses;
  std::vector<Block> blocks;
  std::vector<Range> ranges;
  llvm::BitVector pinned;
};

} // namespace

/// Calls f with the number of each register that an operand names.
template <typename F>
static void forEachRegister(const Operand &operand, F f) {
  if (operand.is(Operand::Register))
    return f(operand.index());
  if (operand.is(Operand::Address) || operand.is(Operand::Vector) ||
      operand.is(Operand::Pair))
    for (const Operand &part : operand.parts())
      forEachRegister(part, f);
}

template <typename F>
static void forEachParameterRegister(const ptx::Function &function, F f) {
  if (function.isEntry)
    return;
  for (llvm::ArrayRef<ptx::Parameter> list :
       {llvm::ArrayRef<ptx::Parameter>(function.prototype->results),
        llvm::ArrayRef<ptx::Parameter>(function.prototype->parameters)})
    for (const ptx::Parameter &parameter : list)
      if (!parameter.variable)
        for (uint32_t i = 0; i != parameter.reg.count; ++i)
          f(parameter.reg.first + i);
}

void Analysis::findUsed() {
  auto add = [&](uint32_t number) { used.push_back(number); };
  for (const ptx::Instruction &instruction : function.instructions) {
    if (instruction.guard != ptx::Instruction::noGuard)
      add(instruction.guard);
    for (const Operand &operand : instruction.operands())
      forEachRegister(operand, add);
  }
  forEachParameterRegister(function, add);
  llvm::sort(used);
  used.erase(llvm::unique(used), used.end());
  for (const ptx::Instruction &instruction : function.instructions) {
    ptx::RegisterAccess access = accessOf(instruction);
    for (uint32_t &reg : access.reads)
      reg = indexOf(reg);
    for (uint32_t &reg : access.writes)
      reg = indexOf(reg);
    accesses.push_back(std::move(access));
  }
}

void Analysis::findPinned() {
  pinned.resize(used.size());
  auto pin = [&](llvm::ArrayRef<uint32_t> list) {
    for (uint32_t reg : list)
      pinned.set(reg);
  };
  for (auto [instruction, access] :
       llvm::zip(function.instructions, accesses)) {
    llvm::StringRef name = ptx::spelling(instruction.opcode());
    if (name.starts_with("wgmma") || name.starts_with("tcgen05")) {
      pin(access.reads);
      pin(access.writes);
    }
  }
  forEachParameterRegister(function,
                           [&](uint32_t reg) { pinned.set(indexOf(reg)); });
  for (const ptx::RegisterDeclaration &declaration : function.registers)
    if (declaration.vector > 1)
      pinned.set(indexOf(declaration.first),
                 indexOf(declaration.first + declaration.count));
}

/// The instructions that control may go to other than the next one.
llvm::SmallVector<uint32_t, 4>
Analysis::targetsOf(const ptx::Instruction &instruction) {
  llvm::SmallVector<uint32_t, 4> targets;
  for (const Operand &operand : instruction.operands()) {
    if (operand.is(Operand::Label))
      targets.push_back(function.labels[operand.index()].position);
    else if (instruction.opcode() == Opcode::BrxIdx &&
             operand.is(Operand::Targets))
      for (uint32_t label : function.targetLists[operand.index()].labels)
        targets.push_back(function.labels[label].position);
  }
  return targets;
}

static bool endsFlow(const ptx::Instruction &instruction) {
  if (instruction.guard != ptx::Instruction::noGuard)
    return false;
  switch (instruction.opcode()) {
  case Opcode::Bra:
  case Opcode::BrxIdx:
  case Opcode::Ret:
  case Opcode::Exit:
    return true;
  default:
    return false;
  }
}

void Analysis::findBlocks() {
  uint32_t count = function.instructions.size();
  llvm::BitVector starts(count + 1);
  starts.set(0);
  starts.set(count);
  for (auto [index, instruction] : llvm::enumerate(function.instructions)) {
    llvm::SmallVector<uint32_t, 4> targets = targetsOf(instruction);
    for (uint32_t target : targets)
      starts.set(target);
    if (!targets.empty() || endsFlow(instruction))
      starts.set(index + 1);
  }
  llvm::DenseMap<uint32_t, uint32_t> blockAt;
  for (uint32_t start : starts.set_bits())
    if (start != count) {
      blockAt[start] = blocks.size();
      blocks.emplace_back().begin = start;
    }
  for (auto [index, block] : llvm::enumerate(blocks)) {
    block.end = index + 1 == blocks.size() ? count : blocks[index + 1].begin;
    const ptx::Instruction &last = function.instructions[block.end - 1];
    for (uint32_t target : targetsOf(last))
      if (target != count)
        block.successors.push_back(blockAt[target]);
    if (!endsFlow(last) && block.end != count)
      block.successors.push_back(index + 1);
    block.read.resize(used.size());
    block.written.resize(used.size());
    for (uint32_t i = block.begin; i != block.end; ++i) {
      for (uint32_t reg : accesses[i].reads)
        if (!block.written.test(reg))
          block.read.set(reg);
      if (accesses[i].replaces)
        for (uint32_t reg : accesses[i].writes)
          block.written.set(reg);
    }
    block.liveIn = block.read;
    block.liveOut.resize(used.size());
  }
}

void Analysis::solve() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Block &block : llvm::reverse(blocks)) {
      llvm::BitVector out = block.liveOut;
      for (uint32_t successor : block.successors)
        out |= blocks[successor].liveIn;
      if (out == block.liveOut)
        continue;
      block.liveOut = out;
      out.reset(block.written);
      out |= block.read;
      changed |= out != block.liveIn;
      block.liveIn = std::move(out);
    }
  }
}

void Analysis::findRanges() {
  ranges.resize(used.size());
  for (const Block &block : blocks) {
    for (uint32_t reg : block.liveIn.set_bits())
      ranges[reg].extend(2 * block.begin);
    for (uint32_t reg : block.liveOut.set_bits())
      ranges[reg].extend(2 * block.end);
    for (uint32_t i = block.begin; i != block.end; ++i) {
      // With several destinations, the first may be written before the last
      // source is read.
      uint32_t readAt = 2 * i + (accesses[i].writes.size() > 1);
      for (uint32_t reg : accesses[i].reads)
        ranges[reg].extend(readAt);
      for (uint32_t reg : accesses[i].writes)
        ranges[reg].extend(2 * i + 1);
    }
  }
}

RegisterSharing Analysis::assign() {
  RegisterSharing sharing;
  sharing.placeOf.assign(function.registerCount, 0);
  struct Register {
    uint32_t index; ///< In `used`.
    RegisterPlace place;
  };
  std::vector<Register> order;
  for (const ptx::RegisterDeclaration &declaration : function.registers) {
    unsigned bits = ptx::bitsOf(declaration.type);
    uint32_t bytes = declaration.type == Type::Pred ? 0
                     : bits <= 32                   ? 4
                                                    : bits / 8;
    uint32_t end = indexOf(declaration.first + declaration.count);
    for (uint32_t i = indexOf(declaration.first); i != end; ++i)
      order.push_back({i, {bytes, declaration.vector}});
  }
  llvm::sort(order, [&](const Register &a, const Register &b) {
    return std::pair(ranges[a.index].first, a.index) <
           std::pair(ranges[b.index].first, b.index);
  });
  // Places by size and by the position behind which they are free again.
  std::map<uint32_t, std::multimap<uint32_t, uint32_t>> freeAfter;
  for (const Register &reg : order) {
    uint32_t &place = sharing.placeOf[used[reg.index]];
    const Range &range = ranges[reg.index];
    // What only stands in a list of parameters has a place, too.
    bool alone = pinned.test(reg.index) || range.first == ~0u;
    auto &candidates = freeAfter[reg.place.laneBytes];
    auto it = candidates.begin();
    if (!alone && it != candidates.end() && it->first < range.first) {
      place = it->second;
      candidates.erase(it);
    } else {
      place = sharing.places.size();
      sharing.places.push_back(reg.place);
    }
    if (!alone)
      candidates.emplace(range.last, place);
  }
  return sharing;
}

RegisterSharing Analysis::run() {
  accesses.reserve(function.instructions.size());
  findUsed();
  findPinned();
  findBlocks();
  solve();
  findRanges();
  return assign();
}

RegisterSharing drawloom::emu::shareRegisters(const ptx::Function &function) {
  return Analysis(function).run();
}
