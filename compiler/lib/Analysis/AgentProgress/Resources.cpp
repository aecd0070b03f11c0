//===- Resources.cpp - Registers and tensor memory of placed roles --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resources.h"
#include "drawloom/Analysis/AgentProgress/AgentProgress.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

/// Warps of a warp group, which setmaxnreg holds for.
constexpr int64_t groupWarps = 4;

/// The facts that both architectures share are those of any of them.
static const target::Architecture &architectureOf(SwitchOp roles) {
  auto kernel = roles->getParentOfType<tile::KernelOp>();
  const target::Architecture *known =
      kernel ? tile::getTarget(kernel) : nullptr;
  return known ? *known : target::architectures().front();
}

/// Registers for each thread that the CTA enters with: as many as its threads
/// can have, if no pass has decided it yet.
static int64_t entryRegisters(SwitchOp roles, int64_t warps) {
  const target::Architecture &facts = architectureOf(roles);
  if (std::optional<int64_t> given = roles.getEntryRegisters())
    return std::clamp<int64_t>(*given, 0, facts.registersPerSm);
  int64_t each = facts.registersPerSm / (warps * facts.warpSize);
  int64_t step = facts.registerBudget.step;
  return std::min<int64_t>(each, facts.maxRegistersPerThread) / step * step;
}

bool agent::addRegisters(SwitchOp roles, progress::Network &network) {
  const target::Architecture &facts = architectureOf(roles);
  int64_t warpSize = facts.warpSize;
  uint64_t most = facts.maxThreadsPerCta / warpSize, end = 0;
  for (RoleOp role : roles.getRoles()) {
    if (!role.getAt() || !role.getRegisters())
      return true;
    uint64_t at = *role.getAt(), warps = role.getWarps();
    if (at > most || warps > most || at + warps > most)
      return false;
    end = std::max(end, at + warps);
  }
  // No role, no registers to divide.
  if (end == 0)
    return true;
  int64_t groups = llvm::divideCeil(end, groupWarps);
  int64_t entry = entryRegisters(roles, groups * groupWarps);
  progress::PoolId pool =
      network.addPool({.name = "registers", .available = 0});
  // Each CTA has a pool of its own, so one CTA is enough, with the warps that a
  // role has there.
  auto change = [&](progress::Role &role, int64_t warps, int64_t budget) {
    int64_t amount = (budget - entry) * warpSize * warps;
    if (amount == 0)
      return;
    constexpr bool once = true;
    role.body.insert(role.body.begin(),
                     amount > 0
                         ? progress::take(pool, amount, once, role.location)
                         : progress::give(pool, -amount, once, role.location));
  };
  // Warps without a role change their registers with the rest of their group.
  std::vector<int64_t> unused(groups, groupWarps), budgets(groups, entry);
  for (auto [id, role] : llvm::enumerate(roles.getRoles())) {
    change(network.roles[id], role.getWarps(), *role.getRegisters());
    for (int64_t warp = *role.getAt(),
                 last = warp + static_cast<int64_t>(role.getWarps());
         warp < last; ++warp) {
      --unused[warp / groupWarps];
      budgets[warp / groupWarps] = *role.getRegisters();
    }
  }
  for (auto [group, warps] : llvm::enumerate(unused)) {
    if (warps <= 0 || budgets[group] == entry)
      continue;
    progress::RoleId idle = network.addRole(
        {.name = "unused warps of group " + std::to_string(group),
         .warps = warps});
    change(network.roles[idle], warps, budgets[group]);
  }
  return true;
}

void agent::addTensorMemory(SwitchOp roles, progress::Network &network) {
  int64_t columns = roles.getTensorColumns().value_or(0);
  if (columns == 0)
    return;
  // The role that fills it first stands for the CTA, which takes it before any
  // role starts and gives it back when all have ended.
  for (PipeOp pipe : roles->getBlock()->getOps<PipeOp>()) {
    if (pipe.getSwitch() != roles || pipe.getType().getMemory() != Memory::tmem)
      continue;
    auto producer = pipe.getProducers().front();
    auto id = std::distance(roles.getRoles().begin(),
                            llvm::find(roles.getRoles(), producer));
    progress::PoolId pool = network.addPool(
        {.name = "columns of tensor memory",
         .available = architectureOf(roles).tensorMemory.columns,
         .shared = true});
    progress::Role &role = network.roles[id];
    role.body.insert(
        role.body.begin(),
        progress::take(pool, columns, /*oneWarp=*/true, role.location));
    role.body.push_back(progress::give(pool, columns,
                                       /*oneWarp=*/true, role.location));
    return;
  }
}
