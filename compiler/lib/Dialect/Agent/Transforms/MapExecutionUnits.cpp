//===- MapExecutionUnits.cpp - Warps for the roles ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A CTA starts with a number of warps; this gives each role its own. setmaxnreg
// and wgmma take the four warps of a warp group together, and a warp reaches
// the lanes of tensor memory that its number modulo four says. So roles of four
// warps and more start at a multiple of four, and the small ones, which issue
// copies and MMAs, share a group. A role of eight warps needs no multiple
// of eight: nothing goes by two groups, and four more idle warps would take
// their registers from the others.
//
//   @operand_load @epilogue_load @mma  idle | @epilogue
//         0             1          2     3  |  4  5  6  7

#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Analysis/Slots/Placement.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/ADT/BitVector.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_MAPEXECUTIONUNITS
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

static std::string countWarps(int64_t count) {
  return std::to_string(count) + (count == 1 ? " warp" : " warps");
}

/// Why the warps of a role must be whole groups, or nothing.
static std::string whyWholeGroups(RoleOp role,
                                  const target::Architecture &arch) {
  std::string reason;
  role.walk([&](Operation *op) {
    if (isa<tile::MmaOp>(op) && !isTcgen05Mma(op, arch))
      reason = "wgmma is issued by the four warps of a warp group together";
    for (Value operand : op->getOperands()) {
      auto pipe = operand.getDefiningOp<PipeOp>();
      if (!pipe || pipe.getPipe().getType().getMemory() != Memory::tmem)
        continue;
      Engine engine = isa<ProduceOp>(op) ? *pipe.getProducerEngine()
                                         : *pipe.getConsumerEngine(role);
      if (engine == Engine::threads)
        reason = "a warp accesses 32 of the 128 lanes of tensor memory, from "
                 "lane 32 * (warp mod 4) on";
    }
    return reason.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return reason;
}

static LogicalResult checkWholeGroups(RoleOp role,
                                      const target::Architecture &arch) {
  std::string reason = whyWholeGroups(role, arch);
  if (reason.empty())
    return success();
  int64_t warps = role.getWarps();
  if (warps % warpsPerGroup != 0)
    return role.emitError()
           << "role @" << role.getSymName() << " has " << countWarps(warps)
           << ", but " << reason << "; use warps("
           << alignUp(warps, warpsPerGroup) << ") [warp-placement]";
  if (std::optional<int64_t> at = role.getAt(); at && *at % warpsPerGroup != 0)
    return role.emitError()
           << "role @" << role.getSymName() << " starts at warp " << *at
           << ", but " << reason << "; it must start at a multiple of four: "
           << "use at(" << alignUp(*at, warpsPerGroup)
           << ") or leave all places out [warp-placement]";
  return success();
}

namespace {
/// The roles in the order of their warps, and where each starts.
struct Mapping {
  SmallVector<std::pair<RoleOp, int64_t>> places;
  int64_t warps = 0;
};
} // namespace

/// Small roles first, in groups of one register budget each, then the others.
/// Of the small ones those of more warps come first, and each goes to the first
/// group with room: a role of one warp fills the hole that one of three left.
/// Roles of as many warps keep their order.
static Mapping mapRoles(ArrayRef<RoleOp> roles) {
  Mapping mapping;
  auto isSmall = [](RoleOp role) { return role.getWarps() < warpsPerGroup; };
  SmallVector<RoleOp> small;
  for (int64_t warps = warpsPerGroup - 1; warps > 0; --warps)
    llvm::copy_if(roles, std::back_inserter(small),
                  [&](RoleOp role) { return role.getWarps() == warps; });
  SmallVector<std::optional<int64_t>> budgets;
  for (RoleOp role : roles)
    if (isSmall(role) && !llvm::is_contained(budgets, role.getRegisters()))
      budgets.push_back(role.getRegisters());
  auto place = [&](RoleOp role, int64_t at) {
    mapping.places.push_back({role, at});
    mapping.warps = std::max<int64_t>(mapping.warps, at + role.getWarps());
  };
  for (std::optional<int64_t> budget : budgets) {
    // How many warps of each group are taken, from `first` on.
    SmallVector<int64_t> taken;
    int64_t first = alignUp(mapping.warps, warpsPerGroup);
    for (RoleOp role : small) {
      if (role.getRegisters() != budget)
        continue;
      int64_t warps = role.getWarps();
      auto *group = llvm::find_if(
          taken, [&](int64_t used) { return used + warps <= warpsPerGroup; });
      if (group == taken.end()) {
        taken.push_back(0);
        group = &taken.back();
      }
      place(role, first + (group - taken.begin()) * warpsPerGroup + *group);
      *group += warps;
    }
  }
  for (RoleOp role : roles)
    if (!isSmall(role))
      place(role, alignUp(mapping.warps, warpsPerGroup));
  mapping.warps = alignUp(mapping.warps, warpsPerGroup);
  return mapping;
}

/// The mapping that the places in the program are.
static Mapping readMapping(ArrayRef<RoleOp> roles) {
  Mapping mapping;
  for (RoleOp role : roles) {
    mapping.places.push_back({role, *role.getAt()});
    mapping.warps = std::max(mapping.warps, *role.getAt() + role.getWarps());
  }
  mapping.warps = alignUp(mapping.warps, warpsPerGroup);
  return mapping;
}

static SmallVector<int64_t> findHoles(const Mapping &mapping) {
  llvm::BitVector taken(mapping.warps);
  for (auto [role, at] : mapping.places)
    taken.set(at, at + role.getWarps());
  SmallVector<int64_t> holes;
  for (int64_t warp = 0; warp < mapping.warps; ++warp)
    if (!taken.test(warp))
      holes.push_back(warp);
  return holes;
}

static void explain(RoleOp role, int64_t at, bool byHand,
                    const target::Architecture &arch) {
  int64_t last = at + role.getWarps() - 1;
  std::string warps = at == last ? "warp " + std::to_string(at)
                                 : "warps " + std::to_string(at) + " to " +
                                       std::to_string(last);
  if (byHand && hasReason(role.getBecauseAttr(), Rule::ExecutionUnit))
    return;
  if (byHand) {
    warps += ", as the program says";
  } else if (role.getWarps() < warpsPerGroup) {
    warps += " in warp group " + std::to_string(at / warpsPerGroup) +
             ", which small roles share";
  } else {
    std::string reason = whyWholeGroups(role, arch);
    warps += ", from a multiple of four, because " +
             (reason.empty() ? "setmaxnreg goes by warp groups" : reason);
  }
  role.setBecauseAttr(addReason(role.getBecauseAttr(), role.getContext(),
                                fire(Rule::ExecutionUnit, warps)));
}

static LogicalResult mapSwitch(SwitchOp op, const target::Architecture &arch) {
  SmallVector<RoleOp> roles(op.getRoles());
  if (roles.empty())
    return success();
  if (failed(requireEngines(op)))
    return failure();
  for (RoleOp role : roles)
    if (failed(checkWholeGroups(role, arch)))
      return failure();

  bool byHand = roles.front().getAt().has_value();
  Mapping mapping = byHand ? readMapping(roles) : mapRoles(roles);
  int64_t threads = mapping.warps * arch.warpSize;
  if (threads > arch.maxThreadsPerCta) {
    int64_t used = 0;
    for (RoleOp role : roles)
      used += role.getWarps();
    return op.emitError() << "the roles take " << countWarps(used) << ", "
                          << mapping.warps
                          << " with the holes that warp groups leave: "
                          << mapping.warps << " × " << arch.warpSize << " = "
                          << threads << " threads > " << arch.maxThreadsPerCta
                          << " of a CTA on " << arch.name
                          << "; give the roles fewer warps [thread-limit]";
  }

  for (auto [role, at] : mapping.places) {
    role.setAt(at);
    explain(role, at, byHand, arch);
  }
  op.setWarps(mapping.warps);
  op.setHoles(findHoles(mapping));
  return success();
}

namespace {
struct MapExecutionUnitsPass
    : agent::impl::MapExecutionUnitsBase<MapExecutionUnitsPass> {
  void runOnOperation() override {
    if (failed(checkRolesAreAll(getOperation())))
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](SwitchOp op) {
      FailureOr<const target::Architecture *> arch =
          tile::requireTarget(getOperation());
      return failed(arch) || failed(mapSwitch(op, **arch))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
