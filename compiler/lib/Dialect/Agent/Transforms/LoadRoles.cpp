//===- LoadRoles.cpp - Which role loads a tile ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadRoles.h"
#include "Copies.h"
#include "drawloom/Target/Architecture.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

/// The warps that copy a tile when TMA cannot: a warp group.
static constexpr int64_t copyingWarps = 4;

//===----------------------------------------------------------------------===//
// What kind of load
//===----------------------------------------------------------------------===//

static LoadKind getKind(tile::LoadOp load, const Dataflow &dataflow) {
  if (!dataflow.hasMmas())
    return LoadKind::Plain;
  return dataflow.leadsToOperand(load.getResult()) ? LoadKind::Operand
                                                   : LoadKind::Epilogue;
}

/// Whether the schedule asks for a pipe of this view.
static bool isNamed(const tile::Schedule &schedule, StringRef view) {
  return schedule.getSlots(view) ||
         llvm::any_of(schedule.together, [&](const auto &group) {
           return llvm::is_contained(group, view.str());
         });
}

/// `in 1 loop of the work tile`
static std::string describeLevel(size_t loops) {
  if (loops == 0)
    return "once for each work tile";
  if (loops == 1)
    return "in one loop of the work tile";
  return "in " + std::to_string(loops) + " loops of the work tile";
}

/// Makes the views of one group of the schedule's `together` alike, or says why
/// they are not.
static MaybeRejection join(Item &item, ArrayRef<std::string> names,
                           MutableArrayRef<LoadInfo> loads) {
  SmallVector<LoadInfo *> members;
  for (const std::string &name : names) {
    size_t before = members.size();
    for (LoadInfo &load : loads)
      if (load.view == name)
        members.push_back(&load);
    if (members.size() != before)
      continue;
    SmallVector<std::string> known;
    for (LoadInfo &load : loads)
      if (!llvm::is_contained(known, load.view))
        known.push_back(load.view);
    return Rejection{
        item.kernel.getLoc(),
        llvm::formatv("the schedule's 'together' names '{0}', but no "
                      "tile is loaded from it; tiles are loaded "
                      "from {1}",
                      name, known.empty() ? "nothing" : listNames(known))
            .str(),
        {},
        /*hasFallback=*/false};
  }
  LoadInfo &first = *members.front();
  for (LoadInfo *other : members) {
    if (other->readsOutput)
      return Rejection{
          other->op.getLoc(),
          llvm::formatv("'{0}' cannot travel together with others: "
                        "the kernel also stores to it, so the role "
                        "that stores loads it, in order",
                        other->view)
              .str(),
          {}};
    if (other->op->getBlock() != first.op->getBlock()) {
      SmallVector<Operation *, 4> here = item.loopsAround(first.op),
                                  there = item.loopsAround(other->op);
      return Rejection{
          other->op.getLoc(),
          llvm::formatv(
              "'{0}' and '{1}' cannot travel together: '{0}' is loaded {2} "
              "and '{1}' {3}{4}, so they fill different numbers of slots; take "
              "'{1}' out of 'together', or load both at one level",
              first.view, other->view, describeLevel(here.size()),
              here.size() == there.size() ? "in another loop, " : "",
              describeLevel(there.size()))
              .str(),
          {{first.op.getLoc(), "the first load is here"}}};
    }
    first.kind = std::min(first.kind, other->kind);
    if (first.whyThreads.empty())
      first.whyThreads = other->whyThreads;
  }
  for (LoadInfo *other : members) {
    other->kind = first.kind;
    other->whyThreads = first.whyThreads;
  }
  return std::nullopt;
}

MaybeRejection drawloom::agent::classifyLoads(
    Item &item, const Dataflow &dataflow, const tile::Schedule &schedule,
    const target::Architecture &arch, SmallVectorImpl<LoadInfo> &loads) {
  bool single = schedule.roles == tile::Roles::Single;
  bool hasMatrix = dataflow.hasMmas();
  item.body->walk<WalkOrder::PreOrder>([&](tile::LoadOp load) {
    auto tile = dyn_cast<RankedTensorType>(load.getType());
    if (!tile)
      return;
    hasMatrix |= tile.getRank() > 1;
    loads.push_back({load, getViewName(load.getView()), getKind(load, dataflow),
                     whyNotTma(load, arch.tma), "",
                     dataflow.readsOutput(load)});
  });
  for (LoadInfo &load : loads) {
    if (!load.whyThreads.empty())
      if (MaybeRejection rejection = checkThreads(load.op, load.whyThreads))
        return rejection;
    bool vector = cast<RankedTensorType>(load.op.getType()).getRank() == 1;
    if (vector && hasMatrix && !isNamed(schedule, load.view))
      load.whyInPlace = "a vector is too small for a slot of its own";
    else if (single && load.kind == LoadKind::Epilogue)
      load.whyInPlace = "with roles = single only operands are loaded ahead";
  }
  for (const std::vector<std::string> &group : schedule.together)
    if (!group.empty())
      if (MaybeRejection rejection = join(item, group, loads))
        return rejection;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

std::string drawloom::agent::getFreeName(const Owners &owners, StringRef name) {
  auto isTaken = [&](const std::string &candidate) {
    return llvm::any_of(owners.roles, [&](const RoleSpec &role) {
      return role.name == candidate;
    });
  };
  std::string candidate = name.str();
  for (unsigned i = 1; isTaken(candidate); ++i)
    candidate = (name + "_" + Twine(i)).str();
  return candidate;
}

static StringRef getRoleName(LoadKind kind) {
  static constexpr llvm::StringLiteral names[] = {"operand_load",
                                                  "epilogue_load", "load"};
  return names[static_cast<size_t>(kind)];
}

static Rule getRule(LoadKind kind) {
  static constexpr Rule rules[] = {Rule::OperandLoad, Rule::EpilogueLoad,
                                   Rule::PlainLoad};
  return rules[static_cast<size_t>(kind)];
}

namespace {
/// Loads that one role does.
struct LoadGroup {
  LoadKind kind;
  bool byThreads;
  SmallVector<const LoadInfo *> loads;
};
} // namespace

/// Whether the loops around one load are among those around the other.
static bool fitTogether(Item &item, Operation *a, Operation *b) {
  SmallVector<Operation *, 4> outer = item.loopsAround(a),
                              inner = item.loopsAround(b);
  if (outer.size() > inner.size())
    std::swap(outer, inner);
  return std::equal(outer.begin(), outer.end(), inner.begin());
}

static SmallVector<LoadGroup> groupLoads(Item &item, ArrayRef<LoadInfo> loads,
                                         bool onlyOne) {
  SmallVector<LoadGroup> groups;
  for (const LoadInfo &load : loads) {
    if (!load.whyInPlace.empty() || load.readsOutput)
      continue;
    bool byThreads = !load.whyThreads.empty();
    auto accepts = [&](const LoadGroup &group) {
      if (onlyOne)
        return true;
      return group.kind == load.kind && group.byThreads == byThreads &&
             llvm::all_of(group.loads, [&](const LoadInfo *other) {
               return fitTogether(item, other->op, load.op);
             });
    };
    auto *group = llvm::find_if(groups, accepts);
    if (group == groups.end()) {
      groups.push_back({load.kind, byThreads, {}});
      group = std::prev(groups.end());
    }
    group->byThreads |= byThreads;
    group->loads.push_back(&load);
  }
  SmallVector<LoadGroup> byKind;
  for (LoadKind kind : {LoadKind::Operand, LoadKind::Epilogue, LoadKind::Plain})
    for (LoadGroup &group : groups)
      if (group.kind == kind)
        byKind.push_back(std::move(group));
  return byKind;
}

/// Says which rules made the role.
static void explain(Item &item, const LoadGroup &group, RoleSpec &role,
                    const RoleSpec *sibling) {
  SmallVector<std::string> names;
  for (const LoadInfo *load : group.loads)
    if (!llvm::is_contained(names, load->view))
      names.push_back(load->view);
  role.because.push_back(
      fire(getRule(group.kind), role.name, listNames(names)));
  if (group.byThreads) {
    for (const LoadInfo *load : group.loads)
      if (!load->whyThreads.empty())
        role.because.push_back(
            fire(Rule::NonTmaLoad, role.name, load->view, load->whyThreads));
  } else {
    role.because.push_back(fire(Rule::TmaLoad, listNames(names)));
  }
  const LoadInfo *first = group.loads.front();
  for (const LoadInfo *load : group.loads)
    if (load->op->getBlock() != first->op->getBlock() &&
        fitTogether(item, first->op, load->op)) {
      role.because.push_back(
          fire(Rule::NestedLevels, role.name, first->view, load->view));
      break;
    }
  if (sibling)
    role.because.push_back(
        fire(Rule::SiblingLoops, role.name, listNames(names), sibling->name));
}

void drawloom::agent::addLoadRoles(Item &item, ArrayRef<LoadInfo> loads,
                                   bool onlyOne, Owners &owners) {
  SmallVector<LoadGroup> groups = groupLoads(item, loads, onlyOne);
  for (size_t i = 0; i < groups.size(); ++i) {
    const LoadGroup &group = groups[i];
    RoleSpec role;
    role.name = getFreeName(owners, getRoleName(group.kind));
    role.warps = group.byThreads ? copyingWarps : 1;
    role.loads = group.byThreads ? Engine::cp_async : Engine::tma;
    bool afterSibling = i > 0 && groups[i - 1].kind == group.kind &&
                        groups[i - 1].byThreads == group.byThreads;
    explain(item, group, role, afterSibling ? &owners.roles.back() : nullptr);
    for (const LoadInfo *load : group.loads)
      owners.set(load->op, owners.roles.size());
    owners.roles.push_back(std::move(role));
  }
}
