//===- Decisions.cpp - What branches and loops depend on ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decisions.h"
#include "ControlFlow.h"
#include "WalkImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace drawloom;
using namespace drawloom::protocol;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using Loop = ControlFlow::Loop;

namespace {

/// What a register holds, as a function of what the launch fixes.
struct Formula {
  /// Empty: not known.
  std::string text;
  /// Of a counter: its loop, how much is added in each iteration, and whether
  /// that is positive, negative or not known.
  const Loop *loop = nullptr;
  int direction = 0;
  /// A number, if it is one.
  std::optional<int64_t> number = std::nullopt;
  /// What is left to be shown: that it is this register of the loop's head plus
  /// something.
  std::optional<uint32_t> base = std::nullopt;

  bool isKnown() const { return !text.empty(); }
  /// Neither a counter nor computed from one.
  bool isFixed() const { return isKnown() && !loop && !base; }
};

/// A condition: `lt` or `eq` of two formulas, or another formula.
struct Condition {
  std::string text, comparison;
  Formula left, right;
  bool isNegated = false;
};

class Finder {
public:
  explicit Finder(const ptx::Function &kernel) : kernel(kernel), flow(kernel) {
    for (const Instruction &instruction : kernel.instructions)
      accesses.push_back(getAccess(instruction));
  }
  Decisions find();

private:
  std::vector<uint32_t> findWriters(uint32_t reg, uint32_t pc) const;
  Formula formulaOf(uint32_t reg, uint32_t pc);
  Formula formulaOf(const Operand &operand, uint32_t pc);
  Formula formulaOfResult(uint32_t pc, uint32_t reg);
  Formula compute(uint32_t pc);
  Formula findCounter(uint32_t reg, const Loop &loop, uint32_t first,
                      uint32_t next);
  std::optional<Condition> conditionOf(uint32_t branch);
  bool isOnlyWayOut(const Loop &loop, unsigned block) const;
  bool ends(const Loop &loop);
  bool endsWith(const Loop &loop, uint32_t branch);
  std::optional<bool> isOfWait(const Loop &loop, uint32_t branch) const;
  bool isEveryTime(const Loop &loop, unsigned block) const {
    return flow.innermost(block) == &loop &&
           llvm::all_of(loop.latches, [&](unsigned latch) {
             return flow.dominates(block, latch);
           });
  }
  /// Whether one is executed before the other, on every way there.
  bool isBefore(uint32_t one, uint32_t other) const {
    unsigned first = flow.blockOf(one), second = flow.blockOf(other);
    return first == second ? one < other : flow.dominates(first, second);
  }
  bool leadsOut(const Loop &loop, unsigned block) const {
    return llvm::any_of(flow.blocks[block].successors,
                        [&](unsigned to) { return !loop.blocks.test(to); });
  }

  const ptx::Function &kernel;
  ControlFlow flow;
  std::vector<Access> accesses;
  /// Of results that have been asked for, or are being computed.
  std::map<std::pair<uint32_t, uint32_t>, Formula> results;
  /// The register of a loop's head that a counter is shown to start from.
  std::vector<std::pair<uint32_t, const Loop *>> assumed;
};

} // namespace

/// Whether its result depends on its operands alone.
static bool isPure(Opcode opcode) {
  switch (opcode) {
  case Opcode::Mov:
  case Opcode::Add:
  case Opcode::Sub:
  case Opcode::MulLo:
  case Opcode::MulHi:
  case Opcode::MulWide:
  case Opcode::MadLo:
  case Opcode::MadHi:
  case Opcode::MadWide:
  case Opcode::Div:
  case Opcode::Rem:
  case Opcode::Abs:
  case Opcode::Neg:
  case Opcode::Min:
  case Opcode::Max:
  case Opcode::And:
  case Opcode::Or:
  case Opcode::Xor:
  case Opcode::Not:
  case Opcode::Lop3:
  case Opcode::ShfL:
  case Opcode::ShfR:
  case Opcode::Shl:
  case Opcode::Shr:
  case Opcode::Popc:
  case Opcode::Clz:
  case Opcode::Bfind:
  case Opcode::Bfe:
  case Opcode::Bfi:
  case Opcode::Prmt:
  case Opcode::Setp:
  case Opcode::Selp:
  case Opcode::Cvt:
  case Opcode::Cvta:
  case Opcode::CvtaTo:
    return true;
  default:
    return false;
  }
}

/// Those whose value of a register an instruction may read.
std::vector<uint32_t> Finder::findWriters(uint32_t reg, uint32_t pc) const {
  std::vector<uint32_t> writers;
  llvm::BitVector seen(flow.blocks.size());
  // The end of what is still to be looked at, and its block.
  std::vector<std::pair<uint32_t, unsigned>> work = {{pc, flow.blockOf(pc)}};
  while (!work.empty()) {
    auto [end, number] = work.back();
    work.pop_back();
    const ControlFlow::Block &block = flow.blocks[number];
    bool isFound = false;
    for (uint32_t at = end; at-- > block.begin && !isFound;)
      if (llvm::is_contained(accesses[at].writes, reg)) {
        if (!llvm::is_contained(writers, at))
          writers.push_back(at);
        isFound = kernel.instructions[at].guard == Instruction::noGuard;
      }
    if (isFound)
      continue;
    for (unsigned before : block.predecessors)
      if (flow.isReachable(before) && !seen.test(before)) {
        seen.set(before);
        work.push_back({flow.blocks[before].end, before});
      }
  }
  return writers;
}

Formula Finder::formulaOf(const Operand &operand, uint32_t pc) {
  switch (operand.kind()) {
  case Operand::Register: {
    if (operand.component() >= 0 || operand.elements() != 1)
      return {};
    Formula formula = formulaOf(operand.index(), pc);
    if (!operand.isNegated() || !formula.isKnown())
      return formula;
    return {"!" + formula.text, formula.loop};
  }
  case Operand::Integer:
    return {std::to_string(operand.integer()), nullptr, 0, operand.integer()};
  case Operand::Special:
    switch (operand.special()) {
    // The same for all threads of a CTA, for as long as it runs.
    case ptx::SpecialRegister::NTid:
    case ptx::SpecialRegister::CtaId:
    case ptx::SpecialRegister::NCtaId:
    case ptx::SpecialRegister::ClusterId:
    case ptx::SpecialRegister::NClusterId:
    case ptx::SpecialRegister::ClusterCtaId:
    case ptx::SpecialRegister::ClusterCtaRank:
    case ptx::SpecialRegister::ClusterNCtaId:
    case ptx::SpecialRegister::ClusterNCtaRank:
      return {(ptx::infoOf(operand.special()).text + "." +
               llvm::Twine(operand.component()))
                  .str()};
    default:
      return {};
    }
  case Operand::SymbolAddress:
    if (operand.symbol()->kind != ptx::Symbol::VariableKind)
      return {};
    return {llvm::formatv("&{0}+{1}", operand.symbol()->name,
                          operand.symbolOffset())};
  default:
    return {};
  }
}

/// Of a register as it is read by an instruction.
Formula Finder::formulaOf(uint32_t reg, uint32_t pc) {
  std::vector<uint32_t> writers = findWriters(reg, pc);
  if (writers.size() == 1 && isBefore(writers.front(), pc))
    return formulaOfResult(writers.front(), reg);
  if (writers.size() != 2)
    return {};
  // What a loop begins with, and what its iterations make of it. A loop that is
  // entered again begins with the former again.
  for (const Loop &loop : flow.loops) {
    if (!loop.blocks.test(flow.blockOf(pc)))
      continue;
    bool isIn[] = {loop.blocks.test(flow.blockOf(writers[0])),
                   loop.blocks.test(flow.blockOf(writers[1]))};
    if (isIn[0] != isIn[1])
      return findCounter(reg, loop, writers[isIn[0] ? 1 : 0],
                         writers[isIn[0] ? 0 : 1]);
  }
  return {};
}

/// A register that is written before a loop and in it.
Formula Finder::findCounter(uint32_t reg, const Loop &loop, uint32_t first,
                            uint32_t next) {
  if (llvm::is_contained(assumed, std::pair(reg, &loop)))
    return {llvm::formatv("%{0}", reg), nullptr, 0, std::nullopt, reg};
  if (!isEveryTime(loop, flow.blockOf(next)) || assumed.size() > 2 ||
      kernel.instructions[next].guard != Instruction::noGuard ||
      !isBefore(first, flow.blocks[loop.head].begin))
    return {};
  // Whenever the loop is entered, it has begun anew.
  for (const Loop &outer : flow.loops)
    if (&outer != &loop && outer.blocks.test(loop.head) &&
        !outer.blocks.test(flow.blockOf(first)))
      return {};
  Formula start = formulaOfResult(first, reg);
  if (!start.isFixed())
    return {};
  // What was computed under an assumption doesn't hold without it.
  std::map<std::pair<uint32_t, uint32_t>, Formula> before;
  std::swap(before, results);
  assumed.push_back({reg, &loop});
  Formula step = formulaOfResult(next, reg);
  assumed.pop_back();
  std::swap(before, results);
  if (step.base != reg || step.loop)
    return {};
  return {llvm::formatv("{{{0},+,{1}}", start.text, step.text), &loop,
          step.direction};
}

/// Of what an instruction writes to a register.
Formula Finder::formulaOfResult(uint32_t pc, uint32_t reg) {
  auto [at, isNew] = results.try_emplace({pc, reg});
  if (!isNew)
    return at->second;
  const Instruction &instruction = kernel.instructions[pc];
  Formula formula;
  if (instruction.guard == Instruction::noGuard &&
      accesses[pc].writes.size() == 1)
    formula = compute(pc);
  results[{pc, reg}] = formula;
  return formula;
}

/// Adds or takes away: the only thing that may be done to a counter.
static std::optional<int> signOfStep(const Instruction &instruction,
                                     const Formula &step) {
  int sign = instruction.opcode() == Opcode::Sub ? -1 : 1;
  if (step.number)
    return *step.number == 0 ? 0 : *step.number > 0 ? sign : -sign;
  // There is at least one CTA.
  llvm::StringRef text = step.text;
  bool isPositive = text.starts_with("%nctaid") || text.starts_with("%ntid") ||
                    text.starts_with("%nclusterid") ||
                    text.starts_with("%cluster_nctaid");
  return isPositive ? sign : 0;
}

Formula Finder::compute(uint32_t pc) {
  const Instruction &instruction = kernel.instructions[pc];
  llvm::ArrayRef<Operand> operands = instruction.operands();
  Opcode opcode = instruction.opcode();
  std::string mnemonic = instruction.variant->mnemonic();
  if (opcode == Opcode::Ld) {
    ptx::StateSpace space =
        ptx::spaceOf(instruction.variant->get(ptx::Slot::Space));
    if (space != ptx::StateSpace::Param && space != ptx::StateSpace::ParamEntry)
      return {};
    const Operand &base = operands[1].parts().front();
    Formula address = formulaOf(base, pc);
    if (!address.isFixed())
      return {};
    if (base.is(Operand::Register))
      address.text += llvm::formatv("+{0}", base.integer()).str();
    return {mnemonic + "(" + address.text + ")"};
  }
  if (!isPure(opcode) || !operands.front().is(Operand::Register))
    return {};
  llvm::SmallVector<Formula> sources;
  for (const Operand &operand : operands.drop_front()) {
    sources.push_back(formulaOf(operand, pc));
    if (!sources.back().isKnown())
      return {};
  }
  if (opcode == Opcode::Mov && sources.size() == 1)
    return sources.front();
  auto counts = [](const Formula &source) { return !source.isFixed(); };
  auto *counter = llvm::find_if(sources, counts);
  if (counter == sources.end()) {
    std::string text = mnemonic;
    for (const Formula &source : sources)
      text += " " + source.text;
    return {"(" + text + ")"};
  }
  // Something added to a counter is a counter, too.
  bool adds = opcode == Opcode::Add ||
              (opcode == Opcode::Sub && counter == sources.begin());
  if (!adds || llvm::count_if(sources, counts) != 1)
    return {};
  const Formula &step = sources[counter == sources.begin() ? 1 : 0];
  Formula result = *counter;
  result.number.reset();
  std::string added = mnemonic + " " + step.text;
  if (counter->base) {
    // Once only, so that the text is that of one step.
    if (counter->text != llvm::formatv("%{0}", *counter->base).str())
      return {};
    result.text = added;
    result.direction = signOfStep(instruction, step).value_or(0);
  } else {
    result.text += "+" + added;
  }
  return result;
}

/// Of a guarded branch, if it is known.
std::optional<Condition> Finder::conditionOf(uint32_t branch) {
  const Instruction &instruction = kernel.instructions[branch];
  std::vector<uint32_t> writers = findWriters(instruction.guard, branch);
  if (writers.size() != 1 || !isBefore(writers.front(), branch))
    return std::nullopt;
  const Instruction &writer = kernel.instructions[writers.front()];
  Condition condition;
  condition.isNegated = instruction.guardNegated;
  if (writer.opcode() != Opcode::Setp || writer.operands().size() != 3 ||
      writer.guard != Instruction::noGuard ||
      !writer.operands()[0].is(Operand::Register)) {
    condition.left = formulaOfResult(writers.front(), instruction.guard);
    condition.text = condition.left.text;
    if (!condition.left.isFixed())
      return std::nullopt;
    return condition;
  }
  Formula left = formulaOf(writer.operands()[1], writers.front());
  Formula right = formulaOf(writer.operands()[2], writers.front());
  if (!left.isKnown() || !right.isKnown())
    return std::nullopt;
  // As less than, or equal, or the opposite.
  llvm::StringRef how = ptx::spelling(writer.variant->get(ptx::Slot::Cmp));
  llvm::StringRef type = ptx::spelling(writer.variant->get(ptx::Slot::Type));
  condition.comparison = how;
  // a <= b is not b < a, and a >= b is not a < b.
  bool isSwapped = how == "gt" || how == "hi" || how == "le" || how == "ls";
  bool isOpposite = how == "ge" || how == "hs" || how == "le" || how == "ls";
  if (isSwapped)
    std::swap(left, right);
  if (isSwapped || isOpposite || how == "lo")
    condition.comparison = "lt";
  if (how == "ne")
    condition.comparison = "eq";
  condition.isNegated ^= isOpposite || how == "ne";
  condition.text = llvm::formatv("{0}.{1} {2} {3}", condition.comparison, type,
                                 left.text, right.text);
  condition.left = std::move(left);
  condition.right = std::move(right);
  return condition;
}

/// Whether no other block of the loop leads out of it, but by ending the run.
bool Finder::isOnlyWayOut(const Loop &loop, unsigned block) const {
  for (unsigned other : loop.blocks.set_bits()) {
    const Instruction &last = kernel.instructions[flow.blocks[other].end - 1];
    bool quits = leaves(last.opcode()) && last.opcode() != Opcode::Trap;
    if (quits || (other != block && leadsOut(loop, other)))
      return false;
  }
  return true;
}

/// Of a branch on what a wait in the loop has answered: whether it is taken if
/// the answer is no.
std::optional<bool> Finder::isOfWait(const Loop &loop, uint32_t branch) const {
  bool isNegated = kernel.instructions[branch].guardNegated;
  uint32_t reg = kernel.instructions[branch].guard, reader = branch;
  while (true) {
    std::vector<uint32_t> writers = findWriters(reg, reader);
    if (writers.size() != 1 || !isBefore(writers.front(), reader))
      return std::nullopt;
    const Instruction &writer = kernel.instructions[writers.front()];
    if (writer.guard != Instruction::noGuard ||
        !loop.blocks.test(flow.blockOf(writers.front())))
      return std::nullopt;
    if (isWait(writer.opcode()))
      return isNegated;
    bool isNot = writer.opcode() == Opcode::Not;
    if ((!isNot && writer.opcode() != Opcode::Mov) ||
        !writer.operands()[1].is(Operand::Register))
      return std::nullopt;
    isNegated ^= isNot;
    reg = writer.operands()[1].index();
    reader = writers.front();
  }
}

/// Whether the loop leaves by this branch in the end.
bool Finder::endsWith(const Loop &loop, uint32_t branch) {
  const Instruction &instruction = kernel.instructions[branch];
  uint32_t target = getTargets(kernel, instruction).front();
  bool leavesIfTaken = !loop.blocks.test(flow.blockOf(target));
  // A wait that succeeds: whether it does is another question.
  if (std::optional<bool> negated = isOfWait(loop, branch))
    return leavesIfTaken != *negated;
  std::optional<Condition> condition = conditionOf(branch);
  if (!condition || condition->comparison != "lt")
    return false;
  // The value of `left < right` with which it goes round again, and who has to
  // come nearer to the other side.
  bool goesOnIf = leavesIfTaken == condition->isNegated;
  const Formula &left = condition->left, &right = condition->right;
  auto approaches = [&](const Formula &counter, const Formula &bound,
                        int direction) {
    return counter.loop == &loop && bound.isFixed() &&
           counter.direction == direction;
  };
  int wanted = goesOnIf ? 1 : -1;
  return approaches(left, right, wanted) || approaches(right, left, -wanted);
}

bool Finder::ends(const Loop &loop) {
  for (unsigned block : loop.blocks.set_bits()) {
    uint32_t last = flow.blocks[block].end - 1;
    const Instruction &instruction = kernel.instructions[last];
    if (instruction.opcode() == Opcode::Bra &&
        instruction.guard != Instruction::noGuard && leadsOut(loop, block) &&
        isEveryTime(loop, block) && endsWith(loop, last))
      return true;
  }
  return false;
}

Decisions Finder::find() {
  Decisions decisions;
  for (const Loop &loop : flow.loops)
    if (!ends(loop))
      decisions.endless.insert(
          kernel.instructions[flow.blocks[loop.head].begin].line);
  for (unsigned head : flow.irreducible)
    decisions.endless.insert(kernel.instructions[flow.blocks[head].begin].line);
  for (auto [pc, instruction] : llvm::enumerate(kernel.instructions)) {
    unsigned block = flow.blockOf(pc);
    if (instruction.opcode() != Opcode::Bra ||
        instruction.guard == Instruction::noGuard || !flow.isReachable(block))
      continue;
    std::optional<Condition> condition = conditionOf(pc);
    if (!condition)
      continue;
    const Loop *counted =
        condition->left.loop ? condition->left.loop : condition->right.loop;
    if (counted && condition->left.loop && condition->right.loop)
      continue;
    if (counted &&
        (!isEveryTime(*counted, block) || !leadsOut(*counted, block) ||
         !isOnlyWayOut(*counted, block)))
      continue;
    Decision &decision = decisions.branches[pc];
    decision = {condition->text, condition->isNegated, !counted};
    if (!counted)
      continue;
    // 1 is to go on.
    uint32_t target = getTargets(kernel, instruction).front();
    bool leavesIfTaken = !counted->blocks.test(flow.blockOf(target));
    bool goesOnIf = leavesIfTaken == decision.isNegated;
    decision.text = (goesOnIf ? "while " : "until ") + decision.text;
    decision.isNegated ^= !goesOnIf;
  }
  return decisions;
}

Decisions protocol::findDecisions(const ptx::Function &kernel) {
  return Finder(kernel).find();
}
