//===- PrintText.cpp - A plan as tables and bars --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Budgets.h"
#include "Labels.h"
#include "TextLayout.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/PrintPlan/Print.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
using namespace drawloom::plan;
using llvm::StringRef;

static std::string listPipes(const Plan &plan,
                             const std::vector<unsigned> &pipes,
                             llvm::function_ref<bool(const Pipe &)> isWanted) {
  std::string text;
  for (unsigned pipe : pipes)
    if (isWanted(plan.pipes[pipe]))
      text += (text.empty() ? "" : ", ") + plan.pipes[pipe].name;
  return text;
}

/// "operands → mma → result": what comes in, what is done, what goes out.
static std::string describeRole(const Plan &plan, const Role &role) {
  auto crosses = [](const Pipe &pipe) {
    return !pipe.isStaging() && !pipe.isExchange();
  };
  std::string in = listPipes(plan, role.consumes, crosses);
  std::string out = listPipes(plan, role.produces, crosses);
  std::string staged = listPipes(
      plan, role.produces, [](const Pipe &pipe) { return pipe.isStaging(); });
  std::string exchanged = listPipes(
      plan, role.produces, [](const Pipe &pipe) { return pipe.isExchange(); });
  std::string text = in.empty() ? "" : in + " → ";
  text += role.does;
  if (!out.empty())
    text += (text.empty() ? "→ " : " → ") + out;
  if (!staged.empty())
    text += " (staged in " + staged + ")";
  if (!exchanged.empty())
    text += " (with other CTAs through " + exchanged + ")";
  return text;
}

static std::string describeScope(Scope scope) {
  return scope == Scope::pair ? "CTA pair" : stringifyScope(scope).str();
}

static void printRoles(const Plan &plan, llvm::raw_ostream &os) {
  Table table({"role", ">warps", ">registers", "engine", "work"});
  auto warps = [](int64_t at, int64_t count) {
    return count == 1
               ? std::to_string(at)
               : std::to_string(at) + "–" + std::to_string(at + count - 1);
  };
  // In the order of their warps, with the idle ones between them.
  std::vector<std::pair<int64_t, std::vector<std::string>>> rows;
  for (const Role &role : plan.roles) {
    std::string name = "@" + role.name;
    if (role.scope != Scope::cta)
      name += " (" + describeScope(role.scope) + ")";
    rows.push_back(
        {role.at.value_or(0),
         {name,
          role.at ? warps(*role.at, role.warps) : std::to_string(role.warps),
          role.registers ? std::to_string(*role.registers) : "",
          joinUnits(role.units), describeRole(plan, role)}});
  }
  for (size_t i = 0; i < plan.holes.size();) {
    size_t end = i + 1;
    while (end < plan.holes.size() &&
           plan.holes[end] == plan.holes[end - 1] + 1)
      ++end;
    rows.push_back(
        {plan.holes[i], {"(idle)", warps(plan.holes[i], end - i), "", "", ""}});
    i = end;
  }
  // Stable by hand: before placement, all roles are at the same warp.
  std::vector<size_t> order(rows.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(rows[a].first, a) < std::pair(rows[b].first, b);
  });
  for (size_t i : order)
    table.add(rows[i].second);
  os << "\nroles\n";
  table.print(os);
}

static void printPipes(const Plan &plan, llvm::raw_ostream &os) {
  if (plan.pipes.empty())
    return;
  os << "\npipelines (in schedules and reasons, a pipe is an mbarrier pipeline "
        "and a slot is a stage)\n";
  Table pipes(
      {"pipeline", ">stages", "memory", ">stage", "from → to", "holds"});
  for (const Pipe &pipe : plan.pipes) {
    std::string memory = toString(pipe.memory).str();
    if (pipe.scope != Scope::cta)
      memory += " (" + describeScope(pipe.scope) + ")";
    // One line for each consumer: there may be many.
    std::string from = "@" + plan.roles[pipe.producer].name;
    for (auto [index, consumer] : llvm::enumerate(pipe.consumers)) {
      std::string to = " → @" + plan.roles[consumer.role].name;
      if (index == 0)
        pipes.add({pipe.name, std::to_string(pipe.slots), memory,
                   describeSlot(pipe), from + to, describeTensors(pipe)});
      else
        pipes.add(
            {"", "", "", "", std::string(measureColumns(from), ' ') + to, ""});
    }
  }
  pipes.print(os);
  os << "\nmbarriers of each stage\n";
  Table barriers({"pipeline", "full after", "empty after"});
  for (const Pipe &pipe : plan.pipes)
    barriers.add({pipe.name, describeFull(pipe), describeEmpty(pipe)});
  barriers.print(os);
}

static void printBudgets(const Plan &plan, llvm::raw_ostream &os) {
  std::vector<Budget> budgets = listBudgets(plan);
  if (budgets.empty())
    return;
  os << "\nbudgets\n";
  unsigned nameWidth = StringRef("shared memory").size();
  for (const Pipe &pipe : plan.pipes)
    nameWidth = std::max(nameWidth, measureColumns(pipe.name) + 2);
  for (const MemoryRange &region : plan.memory)
    if (region.name.front() == '@')
      nameWidth = std::max(nameWidth, measureColumns(region.name) + 2);
  Bars bars(os, nameWidth);
  for (const Budget &budget : budgets) {
    bars.total(budget.name, budget.used, budget.limit, budget.words);
    for (const BudgetPart &part : budget.parts)
      bars.part(part.name, part.start, part.size, part.words);
  }
}

static void printReasons(const Plan &plan, llvm::raw_ostream &os) {
  bool any = false;
  auto print = [&](StringRef subject, const std::vector<std::string> &reasons) {
    if (reasons.empty())
      return;
    if (!any)
      os << "\nreasons\n";
    any = true;
    os.indent(2) << subject << '\n';
    for (const std::string &reason : reasons) {
      os.indent(4);
      printWrapped(reason, 4, os);
    }
  };
  print("schedule", plan.reasons);
  for (const Role &role : plan.roles)
    print("@" + role.name, role.because);
  for (const Pipe &pipe : plan.pipes)
    print(pipe.name, pipe.because);
}

void plan::printSummary(const Plan &plan, llvm::raw_ostream &os) {
  printWrapped(describePlan(plan), 0, os);
  os << "deadlock-free: ";
  printWrapped(describeVerdict(plan), StringRef("deadlock-free: ").size(), os);
}

void plan::printText(const Plan &plan, llvm::raw_ostream &os) {
  printSummary(plan, os);
  printRoles(plan, os);
  printPipes(plan, os);
  printBudgets(plan, os);
  printReasons(plan, os);
}
