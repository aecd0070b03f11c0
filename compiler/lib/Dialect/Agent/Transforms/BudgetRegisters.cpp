//===- BudgetRegisters.cpp - Registers for the warp groups ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A kernel starts with the same number of registers for every thread. Roles
// that only issue copies and MMAs need few of them, roles that compute need
// many; setmaxnreg moves them from one warp group to another. The pool is what
// the CTA entered with: if the budgets add up to more, the last group that asks
// waits forever. So the budgets are chosen first, and the entry count so that
// it holds their sum. Code generation fixes that count in the kernel's header
// (.maxnreg); without it ptxas ignores setmaxnreg (C7508).
//
//   3 warp groups on sm_90a: 65536 / 384 threads = 170, so 168 at entry
//   @operand_load, @epilogue_load  40 × 1
//   @compute                      232 × 2      40 + 464 = 504 = 168 × 3
//
// Registers are counted for one thread of each warp group, so the sums above
// are in units of 128 registers.

#include "RegisterDemand.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Analysis/Slots/Placement.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Dialect/Tile/IR/TooLarge.h"
#include "drawloom/Target/Architecture.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_BUDGETREGISTERS
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

namespace {
/// Roles that must have the same budget: those of one shared warp group, or one
/// role with groups of its own.
struct Unit {
  SmallVector<RoleOp, 4> roles;
  int64_t groups = 1;
  int64_t need = 0;
  /// With the whole of its largest tile at a time.
  int64_t wish = 0;
  bool light = true;
  /// What its copies need, if it is light.
  int64_t forCopies = 0;
  /// Given by the program.
  bool fixed = false;
  int64_t budget = 0;

  int64_t cost() const { return budget * groups; }
};

class Budgeter {
public:
  Budgeter(SwitchOp op, const target::Architecture &arch)
      : op(op), arch(arch), step(arch.registerBudget.step),
        most(std::min(arch.maxRegistersPerThread, arch.registerBudget.max) /
             step * step) {}

  LogicalResult run();

private:
  LogicalResult formUnits(ArrayRef<RoleOp> roles);
  LogicalResult checkTiles(RoleOp role, const RegisterDemand &demand);
  LogicalResult share();
  InFlightDiagnostic reject(int64_t sum);
  LogicalResult checkEntry();
  void record();

  int64_t sum() const {
    int64_t total = 0;
    for (const Unit &unit : units)
      total += unit.cost();
    return total;
  }

  SwitchOp op;
  const target::Architecture &arch;
  int64_t step;
  /// The largest budget that a thread can make use of.
  int64_t most;
  std::vector<Unit> units;
  /// Warp groups of the CTA, and those that have a role. The others keep what
  /// they entered with.
  int64_t groups = 0;
  int64_t busyGroups = 0;
  /// The largest number of registers that a thread may enter with, and the
  /// smallest with which ptxas compiles the widest instruction, that of a role.
  int64_t largestEntry = 0;
  int64_t leastEntry = 0;
  RoleOp widest;
  int64_t entry = 0;
};
} // namespace

static std::string nameRoles(const Unit &unit) {
  std::string text;
  for (RoleOp role : unit.roles)
    text += (text.empty() ? "@" : ", @") + role.getSymName().str();
  return text;
}

/// Rejects a role whose tiles cannot be in the registers of its threads.
LogicalResult Budgeter::checkTiles(RoleOp role, const RegisterDemand &demand) {
  if (demand.total() <= most)
    return success();
  InFlightDiagnostic diag = tile::tooLarge(role.emitError())
                            << "role @" << role.getSymName()
                            << " carries tiles through its loops that take "
                            << demand.held << " registers in each of its "
                            << role.getWarps() * arch.warpSize
                            << " threads, the largest " << demand.largestHeld
                            << "; with " << demand.total() - demand.held
                            << " for addresses and work in progress that is "
                            << demand.total() << " > " << most;
  for (int64_t warps = alignUp(role.getWarps() + 1, warpsPerGroup);
       warps * arch.warpSize <= arch.maxThreadsPerCta; warps += warpsPerGroup) {
    // As if all of them had an equal part of each tile.
    int64_t held = llvm::divideCeil(demand.held * role.getWarps(), warps);
    if (demand.total() - demand.held + held <= most)
      return diag << "; use warps(" << warps
                  << ") or a smaller tile [register-limit]";
  }
  return diag << "; use a smaller tile [register-limit]";
}

LogicalResult Budgeter::formUnits(ArrayRef<RoleOp> roles) {
  int64_t lastShared = -1;
  for (RoleOp role : roles) {
    int64_t first = *role.getAt() / warpsPerGroup;
    int64_t last = (*role.getAt() + role.getWarps() - 1) / warpsPerGroup;
    // Roles that begin in the group where the previous one ends share a budget.
    if (units.empty() || first > lastShared) {
      units.emplace_back();
      units.back().groups = last - first + 1;
    } else {
      units.back().groups += last - lastShared;
    }
    lastShared = last;
    Unit &unit = units.back();
    unit.roles.push_back(role);
    RegisterDemand demand = estimateRegisters(role, arch);
    if (failed(checkTiles(role, demand)))
      return failure();
    unit.light &= demand.isLight();
    unit.forCopies = std::max(unit.forCopies, demand.beyondOverhead());
    unit.need = std::max(unit.need, alignUp(demand.total(), step));
    unit.wish = std::max(unit.wish, demand.held + demand.working);
    if (int64_t least = alignUp(demand.leastEntry(), step);
        least > leastEntry) {
      leastEntry = least;
      widest = role;
    }
    // The verifier has seen that roles of one group agree.
    if (std::optional<int64_t> budget = role.getRegisters()) {
      unit.fixed = true;
      unit.budget = *budget;
      if (demand.held != 0 && *budget < demand.total())
        role.emitWarning() << "role @" << role.getSymName() << " has registers("
                           << *budget << "), but it holds " << demand.held
                           << " for tiles and needs "
                           << demand.total() - demand.held
                           << " for addresses and work in progress: "
                           << demand.total()
                           << " in all; it will spill [register-spills]";
    }
  }
  return success();
}

InFlightDiagnostic Budgeter::reject(int64_t total) {
  int64_t groupThreads = warpsPerGroup * arch.warpSize;
  int64_t threads = busyGroups * groupThreads;
  InFlightDiagnostic diag = tile::tooLarge(op.emitError()) << "registers: ";
  for (auto [index, unit] : llvm::enumerate(units))
    diag << (index ? " + " : "") << nameRoles(unit) << " " << unit.budget
         << " × " << unit.groups * groupThreads << " threads";
  diag << " = " << total * groupThreads << " > " << largestEntry << " × "
       << threads << " = " << largestEntry * threads << ", the most that "
       << threads << " threads can enter with on " << arch.name;
  return diag;
}

/// Rejects a role with an instruction that ptxas cannot compile with what the
/// threads of the CTA can enter with.
LogicalResult Budgeter::checkEntry() {
  if (leastEntry <= largestEntry)
    return success();
  int64_t threads = groups * warpsPerGroup * arch.warpSize;
  int64_t registers = estimateRegisters(widest, arch).widest;
  return tile::tooLarge(widest.emitError())
         << "role @" << widest.getSymName() << " has an instruction of "
         << registers << " registers, with which each thread has to enter with "
         << leastEntry << ": " << leastEntry << " × " << threads
         << " threads = " << leastEntry * threads << " > "
         << arch.registersPerSm << " on " << arch.name
         << "; give the roles fewer warps, or use a tile of fewer columns "
            "[register-limit]";
}

LogicalResult Budgeter::share() {
  int64_t pool = largestEntry * busyGroups;
  // Roles that issue copies and MMAs get what they can use, or less if the
  // others need it.
  auto give = [&](int64_t light, bool forCopies) {
    for (Unit &unit : units)
      if (!unit.fixed)
        unit.budget =
            unit.light ? light + (forCopies ? unit.forCopies : 0) : unit.need;
    return sum() <= pool;
  };
  if (!give(RegisterDemand::overhead, /*forCopies=*/true))
    for (int64_t light = RegisterDemand::overhead;
         light >= arch.registerBudget.min; light -= step)
      if (give(light, /*forCopies=*/false))
        break;
  if (int64_t total = sum(); total > pool) {
    bool byHand =
        llvm::any_of(units, [](const Unit &unit) { return unit.fixed; });
    return reject(total) << (byHand ? "; setmaxnreg.inc would deadlock: lower "
                                      "a budget, or leave registers(n) out"
                                    : "; give the roles fewer warps, or use a "
                                      "smaller tile")
                         << " [register-limit]";
  }

  // The rest goes to the roles that compute, the poorest first: the one that is
  // left with the least beside its tiles.
  while (true) {
    Unit *poorest = nullptr;
    for (Unit &unit : units)
      if (!unit.fixed && !unit.light && unit.budget + step <= most &&
          sum() + step * unit.groups <= pool &&
          (!poorest ||
           unit.budget - unit.wish < poorest->budget - poorest->wish))
        poorest = &unit;
    if (!poorest)
      break;
    poorest->budget += step;
  }
  // A kernel of one group has no other group to take registers from.
  if (groups == 1 && !units.front().fixed)
    units.front().budget = most;
  entry = std::max(alignUp((sum() + busyGroups - 1) / busyGroups, step),
                   leastEntry);
  return success();
}

void Budgeter::record() {
  int64_t threads = groups * warpsPerGroup * arch.warpSize;
  for (Unit &unit : units)
    for (RoleOp role : unit.roles) {
      role.setRegisters(unit.budget);
      if (unit.fixed && hasReason(role.getBecauseAttr(), Rule::RegisterBudget))
        continue;
      RegisterDemand demand = estimateRegisters(role, arch);
      std::string text;
      llvm::raw_string_ostream os(text);
      os << unit.budget;
      if (unit.fixed)
        os << ", as the program says";
      else if (unit.light)
        os << ", because the role computes no tile"
           << (demand.beyondOverhead() && unit.budget > RegisterDemand::overhead
                   ? " and issues " + std::to_string(demand.copies) + " copies"
                   : "");
      else if (unit.budget == most)
        os << ", the most that a thread can use";
      else
        os << ", what the pool leaves to each role that computes";
      if (demand.held)
        os << "; it holds " << demand.held << " for " << demand.largestHeld
           << " and what else its loops carry";
      os << "; the CTA enters with " << entry << " * " << threads << " = "
         << entry * threads;
      role.setBecauseAttr(addReason(role.getBecauseAttr(), role.getContext(),
                                    fire(Rule::RegisterBudget, text)));
    }
  op.setEntryRegisters(entry);
}

LogicalResult Budgeter::run() {
  SmallVector<RoleOp> roles(op.getRoles());
  if (roles.empty())
    return success();
  for (RoleOp role : roles)
    if (!role.getAt())
      return role.emitError()
             << "role @" << role.getSymName()
             << " has no warps yet; budgets go by warp groups, so run "
                "map-execution-units first [pass-order]";
  if (failed(requireEngines(op)) || failed(requireLayouts(op)))
    return failure();
  llvm::sort(roles, [](RoleOp a, RoleOp b) { return *a.getAt() < *b.getAt(); });
  int64_t lastWarp = *roles.back().getAt() + roles.back().getWarps() - 1;
  groups = lastWarp / warpsPerGroup + 1;
  if (failed(formUnits(roles)))
    return failure();
  for (const Unit &unit : units)
    busyGroups += unit.groups;
  int64_t threads = groups * warpsPerGroup * arch.warpSize;
  largestEntry =
      std::min<int64_t>(most, arch.registersPerSm / threads / step * step);
  if (failed(checkEntry()) || failed(share()))
    return failure();
  record();
  return success();
}

namespace {
struct BudgetRegistersPass
    : agent::impl::BudgetRegistersBase<BudgetRegistersPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](SwitchOp op) {
      FailureOr<const target::Architecture *> arch =
          tile::requireTarget(getOperation());
      return failed(arch) || failed(Budgeter(op, **arch).run())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
