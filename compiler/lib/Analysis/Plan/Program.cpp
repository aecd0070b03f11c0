//===- Program.cpp - What a role does, as steps ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

std::string plan::getViewName(Value view) {
  while (auto subview = view.getDefiningOp<tile::SubviewOp>())
    view = subview.getView();
  auto argument = dyn_cast<BlockArgument>(view);
  if (!argument || !isa<tile::KernelOp>(argument.getOwner()->getParentOp()))
    return "view";
  return tile::getArgumentName(argument);
}

/// What an operation on tiles is called; empty for one that only shapes them
/// or that works on scalars.
static std::string nameWork(Operation &op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return isa<RankedTensorType>(load.getType())
               ? "load " + getViewName(load.getView())
               : "";
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return "store " + getViewName(store.getView());
  if (op.getNumResults() != 1 ||
      !isa<RankedTensorType>(op.getResult(0).getType()))
    return "";
  StringRef name = op.getName().stripDialect();
  return llvm::StringSwitch<std::string>(name)
      .Cases({"constant", "splat", "extract_slice", "insert_slice",
              "expand_dims", "broadcast", "transpose", "iota", "empty",
              "convert_layout"},
             "")
      .Cases({"extf", "truncf", "sitofp", "fptosi", "extsi", "trunci"}, "cast")
      .Cases({"addf", "addi"}, "add")
      .Cases({"subf", "subi"}, "subtract")
      .Cases({"mulf", "muli"}, "multiply")
      .Case("divf", "divide")
      .Cases({"maximumf", "maxnumf", "maxsi"}, "max")
      .Cases({"minimumf", "minnumf", "minsi"}, "min")
      .Default(name.str());
}

namespace {
class Walker {
public:
  explicit Walker(const PipeNumbers &pipes) : pipes(pipes) {}

  std::vector<Step> walk(Block &block) {
    std::vector<Step> steps;
    for (Operation &op : block)
      add(op, steps);
    return steps;
  }

private:
  void add(Operation &op, std::vector<Step> &steps) {
    if (auto loop = dyn_cast<ForEachItemOp>(op)) {
      Step step{.kind = Step::Kind::Items};
      step.every = loop.getEvery();
      step.from = loop.getFrom();
      if (Value publish = loop.getPublish()) {
        step.pipes.push_back(number(publish));
        step.publishes = true;
      } else if (isa<PipeType>(loop.getSource().getType())) {
        step.pipes.push_back(number(loop.getSource()));
      }
      step.body = walk(loop.getBody().front());
      steps.push_back(std::move(step));
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      Step step{.kind = Step::Kind::Loop};
      countTrips(loop, step);
      step.body = walk(*loop.getBody());
      steps.push_back(std::move(step));
    } else if (auto produce = dyn_cast<ProduceOp>(op)) {
      Step step{.kind = Step::Kind::Produce};
      step.pipes.push_back(number(produce.getPipe()));
      step.body = walk(produce.getBody().front());
      steps.push_back(std::move(step));
    } else if (auto consume = dyn_cast<ConsumeOp>(op)) {
      Step step{.kind = Step::Kind::Consume};
      for (Value pipe : consume.getPipes())
        step.pipes.push_back(number(pipe));
      step.lag = consume.getLag();
      step.body = walk(consume.getBody().front());
      steps.push_back(std::move(step));
    } else if (op.getNumRegions() != 0) {
      // A branch or another loop: what is in it, as if it ran once.
      for (Region &region : op.getRegions())
        for (Block &block : region)
          llvm::append_range(steps, walk(block));
    } else {
      addWork(nameWork(op), steps);
    }
  }

  /// Joins what stands side by side; "cast" once for a chain of casts.
  static void addWork(std::string work, std::vector<Step> &steps) {
    if (work.empty())
      return;
    if (steps.empty() || steps.back().kind != Step::Kind::Work)
      steps.push_back({.kind = Step::Kind::Work});
    std::vector<std::string> &words = steps.back().work;
    if (words.empty() || words.back() != work)
      words.push_back(std::move(work));
  }

  static void countTrips(scf::ForOp loop, Step &step) {
    std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                           upper = getConstantIntValue(loop.getUpperBound()),
                           stride = getConstantIntValue(loop.getStep());
    // Far above what a drawing shows, so that differences stay in range.
    constexpr int64_t large = int64_t(1) << 40;
    auto isSmall = [&](std::optional<int64_t> value) {
      return value && *value > -large && *value < large;
    };
    if (!isSmall(lower) || !isSmall(stride) || *stride <= 0)
      return;
    if (isSmall(upper))
      step.trips =
          std::max<int64_t>(0, (*upper - *lower + *stride - 1) / *stride);
    else
      step.offset = -(*lower / *stride);
  }

  unsigned number(Value pipe) const {
    return pipes.lookup(pipe.getDefiningOp());
  }

  const PipeNumbers &pipes;
};
} // namespace

std::vector<Step> plan::makeProgram(RoleOp role, const PipeNumbers &pipes) {
  return Walker(pipes).walk(role.getBody().front());
}

static void collectWork(const std::vector<Step> &steps,
                        std::vector<std::string> &words) {
  for (const Step &step : steps) {
    for (const std::string &word : step.work)
      if (!llvm::is_contained(words, word))
        words.push_back(word);
    collectWork(step.body, words);
  }
}

std::string plan::summarize(const std::vector<Step> &program) {
  std::vector<std::string> words;
  collectWork(program, words);
  return joinWork(words);
}

std::string plan::joinWork(ArrayRef<std::string> work) {
  std::string text;
  StringRef lastVerb;
  for (StringRef word : work) {
    auto [verb, object] = word.split(' ');
    if (!text.empty())
      text += ", ";
    text += !object.empty() && verb == lastVerb ? object : word;
    lastVerb = verb;
  }
  return text;
}
