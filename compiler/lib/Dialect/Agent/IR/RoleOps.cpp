//===- RoleOps.cpp - Roles side by side -----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Barriers.h"
#include "Verify.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

static constexpr int64_t maxWarps = target::maxThreadsPerCta / target::warpSize;
static constexpr int64_t warpGroup = target::warpsPerGroup;

//===----------------------------------------------------------------------===//
// RoleOp
//===----------------------------------------------------------------------===//

LogicalResult RoleOp::verify() {
  if (getWarps() < 1 || getWarps() > maxWarps)
    return emitError() << "role " << nameOf(*this) << " has " << getWarps()
                       << " warps; a role has 1 to " << maxWarps;
  constexpr target::RegisterBudgetRange budget = target::registerBudgets;
  if (std::optional<int64_t> count = getRegisters();
      count &&
      (*count < budget.min || *count > budget.max || *count % budget.step != 0))
    return emitError() << "role " << nameOf(*this) << " has " << *count
                       << " registers a thread; setmaxnreg takes " << budget.min
                       << " to " << budget.max << " in steps of "
                       << budget.step;
  if (std::optional<int64_t> first = getAt();
      first && (*first < 0 || *first > maxWarps - getWarps()))
    return emitError() << "role " << nameOf(*this) << " is at warp " << *first
                       << ", but its " << getWarps()
                       << " warps must be among warps 0 to " << maxWarps - 1;
  return success();
}

LogicalResult RoleOp::verifyRegions() {
  WalkResult result = getBody().walk([&](Operation *op) {
    std::optional<Scope> scope = getBarrierScope(op);
    if (!scope)
      return WalkResult::advance();
    InFlightDiagnostic diag =
        op->emitError() << "'" << op->getName()
                        << "' waits for all threads of the "
                        << stringifyScope(*scope) << ", but only those of "
                        << nameOf(*this)
                        << " get here; move it out of the switch, or use a "
                           "pipe or a named barrier with the role's own "
                           "number of threads";
    diag.attachNote(getLoc()) << "the role is here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// SwitchOp
//===----------------------------------------------------------------------===//

int64_t SwitchOp::getClusterSize() {
  // Unsigned: other verifiers ask before this switch's own has seen the sizes.
  uint64_t size = 1;
  if (std::optional<ArrayRef<int64_t>> cluster = getCluster())
    for (int64_t dimension : *cluster)
      size *= dimension;
  return size;
}

int64_t SwitchOp::getCtasOfItem() {
  int64_t size = std::max<int64_t>(1, getClusterSize());
  return getItems() == Scope::cta    ? 1
         : getItems() == Scope::pair ? std::min<int64_t>(2, size)
                                     : size;
}

/// Checks what passes have decided about the CTA.
static LogicalResult verifyNumbers(SwitchOp op) {
  for (StringAttr name :
       {op.getWarpsAttrName(), op.getEntryRegistersAttrName(),
        op.getSharedBytesAttrName(), op.getTensorColumnsAttrName(),
        op.getTensorAddressAttrName(), op.getNextTileAttrName()})
    if (auto number = op->getAttrOfType<IntegerAttr>(name);
        number && number.getInt() < 0)
      return op.emitOpError()
             << "has " << name.getValue() << " = " << number.getInt()
             << "; places and sizes are 0 or more";
  int64_t warps = op.getWarps().value_or(0);
  if (warps % warpGroup != 0 || warps > maxWarps)
    return op.emitOpError()
           << "has warps = " << warps << "; a CTA has whole warp groups, up to "
           << maxWarps << " warps in steps of four";
  for (int64_t hole : op.getHoles().value_or(ArrayRef<int64_t>()))
    if (hole < 0 || hole >= warps)
      return op.emitOpError()
             << "has warp " << hole << " as a hole, but " << warps << " warps";
  return success();
}

LogicalResult SwitchOp::verify() {
  if (auto role = (*this)->getParentOfType<RoleOp>())
    return emitOpError() << "is inside " << nameOf(role)
                         << "; a warp has one role at a time";
  if (failed(verifyNumbers(*this)))
    return failure();
  if (getItems() == Scope::pair && getClusterSize() % 2 != 0)
    return emitOpError() << "has items(pair), but a cluster of "
                         << ctas(getClusterSize())
                         << "; pairs need an even number";
  std::optional<ArrayRef<int64_t>> cluster = getCluster();
  if (!cluster)
    return success();
  if (cluster->empty() || cluster->size() > 3)
    return emitOpError() << "has a cluster of " << cluster->size()
                         << " dimensions; a cluster has one to three";
  // Far above any machine, so that MMAs stay in range.
  constexpr int64_t maxCluster = 1024;
  for (int64_t dimension : *cluster)
    if (dimension < 1 || dimension > maxCluster)
      return emitOpError() << "has a cluster with " << dimension
                           << " CTAs along one dimension; it has 1 to "
                           << maxCluster;
  return success();
}

/// Checks that names are unique and that pairs can be formed.
static LogicalResult verifyNamesAndScopes(SwitchOp op) {
  llvm::StringMap<RoleOp> roles;
  llvm::StringMap<PipeOp> pipes;
  for (RoleOp role : op.getRoles()) {
    auto [known, isNew] = roles.try_emplace(role.getSymName(), role);
    if (!isNew) {
      InFlightDiagnostic diag = role.emitError()
                                << "role " << nameOf(role) << " exists already";
      diag.attachNote(known->second.getLoc()) << "the other one is here";
      return diag;
    }
    if (role.getScope() == Scope::pair && op.getClusterSize() % 2 != 0)
      return role.emitError()
             << "role " << nameOf(role)
             << " acts for a pair, but a cluster has "
             << ctas(op.getClusterSize()) << "; pairs need an even number";
  }
  WalkResult result = op.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      auto pipe = operand.getDefiningOp<PipeOp>();
      if (!pipe)
        continue;
      auto [known, isNew] = pipes.try_emplace(pipe.getName(), pipe);
      if (isNew || known->second == pipe)
        continue;
      InFlightDiagnostic diag = pipe.emitError() << "pipe '" << pipe.getName()
                                                 << "' exists already";
      diag.attachNote(known->second.getLoc()) << "the other one is here";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// `warps 4 to 7`
static std::string describeWarps(RoleOp role) {
  int64_t first = *role.getAt(), last = first + role.getWarps() - 1;
  if (first == last)
    return "warp " + std::to_string(first);
  return "warps " + std::to_string(first) + " to " + std::to_string(last);
}

static std::string describeRegisters(RoleOp role) {
  if (std::optional<int64_t> count = role.getRegisters())
    return "registers(" + std::to_string(*count) + ")";
  return "no registers(n)";
}

/// Checks two placed roles, `a` in front of `b`.
static LogicalResult verifyNeighbors(RoleOp a, RoleOp b) {
  int64_t lastOfA = *a.getAt() + a.getWarps() - 1;
  if (lastOfA >= *b.getAt())
    return b.emitError() << "roles " << nameOf(a) << " on " << describeWarps(a)
                         << " and " << nameOf(b) << " on " << describeWarps(b)
                         << " overlap";
  int64_t group = *b.getAt() / warpGroup;
  if (lastOfA / warpGroup != group || a.getRegisters() == b.getRegisters())
    return success();
  return b.emitError() << "roles " << nameOf(a) << " and " << nameOf(b)
                       << " share warp group " << group << " (warps "
                       << group * warpGroup << " to "
                       << group * warpGroup + warpGroup - 1 << "), but one has "
                       << describeRegisters(a) << " and the other "
                       << describeRegisters(b)
                       << "; setmaxnreg holds for the whole group";
}

static LogicalResult verifyPlacement(SwitchOp op) {
  SmallVector<RoleOp> roles(op.getRoles());
  int64_t warps = 0;
  for (RoleOp role : roles)
    warps += role.getWarps();
  if (warps > maxWarps)
    return op.emitOpError()
           << "has roles with " << warps
           << " warps together; a CTA has at most " << maxWarps;
  auto isPlaced = [](RoleOp role) { return role.getAt().has_value(); };
  if (llvm::none_of(roles, isPlaced))
    return success();
  for (RoleOp role : roles)
    if (!isPlaced(role))
      return role.emitError() << "role " << nameOf(role)
                              << " has no place; either all roles of a switch "
                                 "have at(n), or none";
  llvm::sort(roles, [](RoleOp a, RoleOp b) {
    return std::pair(*a.getAt(), a.getSymName()) <
           std::pair(*b.getAt(), b.getSymName());
  });
  for (size_t i = 1; i < roles.size(); ++i)
    if (failed(verifyNeighbors(roles[i - 1], roles[i])))
      return failure();
  return success();
}

LogicalResult SwitchOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (!isa<RoleOp>(op))
      return op.emitOpError(
          "is not a role; an 'agent.switch' holds roles only");
  if (failed(verifyNamesAndScopes(*this)))
    return failure();
  return verifyPlacement(*this);
}

namespace {
/// A role without a body takes warps for nothing, a switch without roles does
/// nothing.
struct DropEmptyRoles : OpRewritePattern<SwitchOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SwitchOp op,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    for (RoleOp role : llvm::make_early_inc_range(op.getRoles())) {
      if (!llvm::hasSingleElement(role.getBody().front()))
        continue;
      rewriter.eraseOp(role);
      changed = true;
    }
    if (op.getBody().front().empty()) {
      rewriter.eraseOp(op);
      return success();
    }
    return success(changed);
  }
};
} // namespace

void SwitchOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<DropEmptyRoles>(context);
}
