//===- Budgets.cpp - What a plan takes of the hardware --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Budgets.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Analysis/Slots/Placement.h"
#include "drawloom/Target/Architecture.h"

using namespace drawloom;
using namespace drawloom::plan;
using llvm::StringRef;

static std::string describeUse(int64_t used, int64_t limit, StringRef unit) {
  return (llvm::Twine(used) + " of " + llvm::Twine(limit) + " " + unit).str();
}

static Budget makeShared(const Plan &plan) {
  int64_t limit = plan.arch->maxSharedMemoryPerCta;
  Budget budget{"shared memory", *plan.sharedBytes, limit,
                formatBytes(*plan.sharedBytes) + " of " + formatBytes(limit)};
  int64_t first = limit, end = 0;
  auto isSlots = [&](const MemoryRange &region) {
    // A role's own room is called like the role.
    return region.name.front() == '@' ||
           llvm::any_of(plan.pipes, [&](const Pipe &pipe) {
             return pipe.name == region.name;
           });
  };
  for (const MemoryRange &region : plan.memory) {
    if (!isSlots(region)) {
      first = std::min(first, region.offset);
      end = std::max(end, region.offset + region.bytes);
      continue;
    }
    std::string words =
        formatBytes(region.bytes) + " at " + std::to_string(region.offset);
    for (const Pipe &pipe : plan.pipes)
      if (pipe.name == region.name && pipe.place && !pipe.place->reuses.empty())
        words += ", shared with " + pipe.place->reuses;
    budget.parts.push_back({region.name, region.offset, region.bytes, words});
  }
  if (end)
    budget.parts.push_back(
        {"barriers", first, end - first,
         formatBytes(end - first) + " at " + std::to_string(first)});
  return budget;
}

static Budget makeTensor(const Plan &plan) {
  int64_t limit = plan.arch->tensorMemory.columns;
  Budget budget{"tensor memory", *plan.tensorColumns, limit,
                describeUse(*plan.tensorColumns, limit, "columns")};
  for (const Pipe &pipe : plan.pipes) {
    if (pipe.memory != Pipe::Memory::Tensor || !pipe.place ||
        !pipe.place->reuses.empty())
      continue;
    int64_t columns = multiply(pipe.slotSize, pipe.slots);
    std::string words =
        std::to_string(columns) + " at " + std::to_string(pipe.place->start);
    for (const Pipe &other : plan.pipes)
      if (other.memory == Pipe::Memory::Tensor && other.place &&
          other.place->reuses == pipe.name)
        words += ", shared with " + other.name;
    budget.parts.push_back({pipe.name, pipe.place->start, columns, words});
  }
  for (const Role &role : plan.roles)
    if (role.columns)
      budget.parts.push_back({"@" + role.name, role.column, role.columns,
                              std::to_string(role.columns) + " at " +
                                  std::to_string(role.column)});
  return budget;
}

static Budget makeRegisters(const Plan &plan) {
  int64_t threads = plan.countThreads(), limit = plan.arch->registersPerSm;
  int64_t pool = *plan.entryRegisters * threads;
  Budget budget{"registers", pool, limit,
                std::to_string(*plan.entryRegisters) + " × " +
                    std::to_string(threads) + " = " +
                    describeUse(pool, limit, "at entry")};
  // One part for each run of warp groups with the same budget.
  int64_t groupThreads = warpsPerGroup * plan.arch->warpSize, start = 0;
  int64_t groups = threads / groupThreads;
  auto budgetOf = [&](int64_t group) -> std::optional<int64_t> {
    for (const Role &role : plan.roles)
      if (role.at && *role.at / warpsPerGroup <= group &&
          (*role.at + role.warps - 1) / warpsPerGroup >= group)
        return role.registers;
    return std::nullopt;
  };
  for (int64_t group = 0; group < groups;) {
    int64_t end = group + 1;
    std::optional<int64_t> registers = budgetOf(group);
    while (end < groups && budgetOf(end) == registers)
      ++end;
    if (registers) {
      int64_t count = (end - group) * groupThreads;
      budget.parts.push_back({"warps " + std::to_string(group * warpsPerGroup) +
                                  "–" + std::to_string(end * warpsPerGroup - 1),
                              start, *registers * count,
                              std::to_string(*registers) + " × " +
                                  std::to_string(count) + " = " +
                                  std::to_string(*registers * count)});
      start += *registers * count;
    }
    group = end;
  }
  return budget;
}

std::vector<Budget> plan::listBudgets(const Plan &plan) {
  std::vector<Budget> budgets;
  if (plan.warps) {
    int64_t threads = plan.countThreads(), limit = plan.arch->maxThreadsPerCta;
    budgets.push_back(
        {"threads", threads, limit, describeUse(threads, limit, "in a CTA")});
  }
  if (plan.entryRegisters)
    budgets.push_back(makeRegisters(plan));
  if (plan.sharedBytes)
    budgets.push_back(makeShared(plan));
  if (plan.tensorColumns)
    budgets.push_back(makeTensor(plan));
  return budgets;
}
