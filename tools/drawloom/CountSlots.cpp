//===- CountSlots.cpp - What ptxas makes of each instruction --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CountSlots.h"
#include "LoopDepths.h"
#include "drawloom/PTX/Parser.h"
#include "drawloom/PTX/Printer.h"
#include "drawloom/Target/Architecture.h"
#include "drawloom/Target/Sass.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace drawloom;
using llvm::StringRef;
using ptx::Opcode;

/// The module with one instruction on a line, and without what debuggers read:
/// ptxas doesn't optimize `.target sm_90a, debug`.
static std::string makeCopy(const ptx::Module &module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ptx::print(module, os);
  std::string copy;
  StringRef rest = text;
  for (bool isSection = false; !rest.empty(); copy += '\n') {
    auto [line, behind] = rest.split('\n');
    rest = behind;
    isSection |= line.starts_with(".section");
    StringRef word = line.ltrim();
    if (!isSection && !word.starts_with(".loc ") && !word.starts_with(".file "))
      copy += word.starts_with(".target") ? line.split(", debug").first : line;
    isSection &= line != "}";
  }
  return copy;
}

static std::vector<FlowStep> flowOf(const ptx::Function &function) {
  const size_t count = function.instructions.size();
  std::vector<FlowStep> steps(count);
  for (auto [index, inst] : llvm::enumerate(function.instructions)) {
    FlowStep &step = steps[index];
    const bool isGuarded = inst.guard != ptx::Instruction::noGuard;
    switch (inst.opcode()) {
    case Opcode::Ret:
    case Opcode::Exit:
    case Opcode::Trap:
      step.goesOn = isGuarded;
      continue;
    case Opcode::Bra:
    case Opcode::BrxIdx:
      break;
    default:
      continue;
    }
    step.goesOn = isGuarded;
    auto add = [&](uint32_t label) {
      if (function.labels[label].position < count)
        step.targets.push_back(function.labels[label].position);
    };
    for (const ptx::Operand &operand : inst.operands()) {
      if (operand.is(ptx::Operand::Label))
        add(operand.index());
      else if (operand.is(ptx::Operand::Targets))
        llvm::for_each(function.targetLists[operand.index()].labels, add);
    }
  }
  return steps;
}

static std::vector<FlowStep> flowOf(const target::SassSection &section) {
  std::vector<FlowStep> steps(section.code.size());
  for (auto [step, inst] : llvm::zip_equal(steps, section.code)) {
    StringRef opcode = inst.opcode(), name = opcode.split('.').first;
    const bool isBranch =
        name == "BRA" || name == "BRX" || name == "JMP" || name == "CALL";
    if (name == "EXIT" || name == "RET" || name == "KILL" || name == "BRX")
      step.goesOn = inst.isGuarded();
    // A branch without a condition names its target only.
    if (opcode == "BRA" && StringRef(inst.text).starts_with("BRA `("))
      step.goesOn = false;
    auto label = section.labels.find(inst.label());
    if (isBranch && label != section.labels.end() &&
        label->second < steps.size())
      step.targets.push_back(label->second);
  }
  return steps;
}

namespace {
/// What was found of an instruction of PTX.
struct Found {
  std::map<std::string, unsigned> opcodes; ///< How often each.
  unsigned count = 0;
  bool hasMembar = false;
};

class Counter {
public:
  /// `copy`: what was assembled; its instructions are those of `module`.
  Counter(const ptx::Module &module, const ptx::Module &copy);

  void count(const target::SassSection &section);
  emu::IssueSlots finish() const;

private:
  /// An instruction of the module.
  struct Owner {
    unsigned function, index;
  };
  unsigned copiesOf(unsigned function,
                    llvm::ArrayRef<unsigned> instructions) const;

  const ptx::Module &module;
  std::map<unsigned, Owner> owners; ///< By line of the copy.
  std::vector<std::vector<FlowPlace>> places;
  std::vector<std::vector<Found>> found;
};
} // namespace

Counter::Counter(const ptx::Module &module, const ptx::Module &copy)
    : module(module) {
  for (auto [number, function] : llvm::enumerate(copy.functions)) {
    for (auto [index, inst] : llvm::enumerate(function->instructions))
      owners[inst.line] = {unsigned(number), unsigned(index)};
    places.push_back(findLoopDepths(flowOf(*function)));
    found.emplace_back(function->instructions.size());
  }
}

void Counter::count(const target::SassSection &section) {
  std::vector<FlowPlace> flow = findLoopDepths(flowOf(section));
  // Blocks of PTX that the section has in a loop as deep as in the PTX. What
  // else there is of them was taken out of the loop.
  std::map<std::pair<unsigned, unsigned>, bool> isDeep;
  auto visit = [&](auto f) {
    for (auto [inst, place] : llvm::zip_equal(section.code, flow)) {
      auto owner = owners.find(inst.line);
      if (owner == owners.end() || !place.isReached)
        continue;
      const FlowPlace &at = places[owner->second.function][owner->second.index];
      f(inst, owner->second, isDeep[{owner->second.function, at.block}],
        place.depth >= at.depth);
    }
  };
  visit([](auto &, Owner, bool &block, bool deep) { block |= deep; });
  visit([&](const target::SassInstruction &inst, Owner owner, bool block,
            bool deep) {
    if (block && !deep)
      return;
    Found &one = found[owner.function][owner.index];
    ++one.count;
    ++one.opcodes[inst.opcode().str()];
    StringRef opcode = inst.opcode();
    one.hasMembar |= opcode.starts_with("MEMBAR") &&
                     (opcode.contains(".GPU") || opcode.contains(".SYS"));
  });
}

/// How often ptxas has written a basic block: as often as most of its
/// instructions have the one of SASS that they have the fewest of.
unsigned Counter::copiesOf(unsigned function,
                           llvm::ArrayRef<unsigned> instructions) const {
  std::map<unsigned, unsigned> votes;
  for (unsigned index : instructions) {
    unsigned fewest = ~0u;
    for (const auto &[opcode, times] : found[function][index].opcodes)
      fewest = std::min(fewest, times);
    if (fewest != ~0u)
      ++votes[fewest];
  }
  unsigned copies = 1, most = 0;
  for (auto [times, count] : votes)
    if (count > most)
      copies = times, most = count;
  return copies;
}

emu::IssueSlots Counter::finish() const {
  emu::IssueSlots slots;
  for (auto [number, function] : llvm::enumerate(module.functions)) {
    std::vector<emu::IssueCount> &counts = slots[function];
    counts.resize(function->instructions.size());
    for (size_t first = 0; first != counts.size();) {
      llvm::SmallVector<unsigned> block;
      for (size_t i = first;
           i != counts.size() &&
           places[number][i].block == places[number][first].block;
           ++i)
        block.push_back(i);
      const unsigned copies = copiesOf(number, block);
      for (unsigned index : block) {
        const Found &one = found[number][index];
        counts[index].slots = std::min<unsigned>(
            (one.count + copies / 2) / copies, emu::IssueCount::most);
        counts[index].hasMembar = one.hasMembar;
      }
      first += block.size();
    }
  }
  return slots;
}

llvm::Expected<CountedSlots> drawloom::countSlots(const ptx::Module &module,
                                                  StringRef arch) {
  auto architecture = target::findArchitecture(arch);
  if (!architecture)
    return architecture.takeError();
  target::ToolSearch search = target::ToolSearch::fromEnvironment();
  auto ptxas = target::findPtxas(search, **architecture);
  if (!ptxas)
    return ptxas.takeError();
  auto nvdisasm = target::findNvdisasm(search, *ptxas);
  if (!nvdisasm)
    return nvdisasm.takeError();

  std::string text = makeCopy(module);
  ptx::ParseResult copy = ptx::parseModule(llvm::MemoryBufferRef(text, "copy"));
  if (!copy)
    return llvm::createStringError("a copy of the PTX doesn't parse: " +
                                   copy.str());
  auto sections = target::disassemble(text, **architecture, *ptxas, *nvdisasm);
  if (!sections)
    return sections.takeError();
  CountedSlots counted;
  counted.ptxas = ptxas->version;
  Counter counter(module, *copy.module);
  for (const target::SassSection &section : *sections) {
    counter.count(section);
    counted.sass += section.code.size();
  }
  for (const ptx::Function *function : module.functions)
    counted.ptx += function->instructions.size();
  counted.slots = counter.finish();
  return counted;
}
