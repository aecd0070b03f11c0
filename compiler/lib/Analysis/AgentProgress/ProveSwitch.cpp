//===- ProveSwitch.cpp - The verdict on a switch, as text and data --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeTable.h"
#include "drawloom/Analysis/AgentProgress/AgentProgress.h"
#include "drawloom/Analysis/Progress/Remedy.h"
#include "drawloom/Analysis/Progress/SideConditions.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using progress::Failure;
using progress::Verdict;

ProgressResult agent::proveProgress(SwitchOp roles,
                                    const progress::ProveLimits &limits) {
  ProgressResult result{makeNetwork(roles), {}};
  if (result.outside.empty()) {
    result.verdict = progress::prove(result.network, limits);
    // Which roles share a warp group decides how many registers they can
    // release.
    if (llvm::any_of(roles.getRoles(), [](RoleOp role) {
          return role.getRegisters() && !role.getAt();
        }))
      result.verdict.assumptions.push_back(
          "the register budgets fit: the roles have no place yet");
    return result;
  }
  const Outside &first = result.outside.front();
  result.verdict.construct = first.construct;
  if (std::string at = textOf(first.location); !at.empty())
    result.verdict.construct += " at " + at;
  return result;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

namespace {
class Reporter {
public:
  Reporter(SwitchOp roles, const ProgressResult &result)
      : roles(roles), result(result), network(result.network),
        verdict(result.verdict) {
    if (auto kernel = roles->getParentOfType<tile::KernelOp>())
      name = "@" + kernel.getSymName().str();
  }

  void reportDeadlock();
  void reportCondition();
  void reportUndecided(bool isError);

private:
  Location at(const std::string &place) {
    auto known = result.locations.find(place);
    return known == result.locations.end() ? roles.getLoc() : known->second;
  }
  void attachFailure(InFlightDiagnostic &diag);
  void attachRemedies(InFlightDiagnostic &diag);

  SwitchOp roles;
  const ProgressResult &result;
  const progress::Network &network;
  const Verdict &verdict;
  std::string name; ///< Of the kernel, "@gemm", or empty.
};
} // namespace

void Reporter::attachFailure(InFlightDiagnostic &diag) {
  const Failure &failure = *verdict.failure;
  for (const progress::WaitingEvent *event : progress::causesOf(failure)) {
    std::string text = progress::describe(*event, failure, network);
    bool first = true;
    for (const std::string &line :
         progress::explain(*event, failure, network)) {
      text += (first ? ": " : " ") + line;
      first = false;
    }
    diag.attachNote(at(event->location)) << text;
  }
}

void Reporter::attachRemedies(InFlightDiagnostic &diag) {
  // A way out is worth a moment, not more.
  const progress::ProveLimits limits{.states = 2000, .points = 256, .boxes = 8};
  for (const progress::Remedy &remedy :
       progress::findRemedies(network, *verdict.failure, limits)) {
    bool isSlots = remedy.kind == progress::Remedy::Kind::slots;
    Diagnostic &note = diag.attachNote(at(remedy.location))
                       << "with " << (isSlots ? "slots(" : "lag(")
                       << remedy.value << ") for '"
                       << network.pipes[remedy.pipe].name << "' it is proved";
    if (!remedy.condition.empty())
      note << " if " << remedy.condition;
  }
}

void Reporter::reportDeadlock() {
  InFlightDiagnostic diag =
      emitError(roles.getLoc())
      << progress::headlineOf(*verdict.failure, network, name) << " [deadlock]";
  attachFailure(diag);
  attachRemedies(diag);
}

void Reporter::reportCondition() {
  InFlightDiagnostic diag =
      emitRemark(roles.getLoc())
      << (name.empty() ? "the switch" : name) << " is proved deadlock-free if "
      << verdict.words
      << "; otherwise: " << progress::headlineOf(*verdict.failure, network);
  attachFailure(diag);
}

void Reporter::reportUndecided(bool isError) {
  InFlightDiagnostic diag =
      isError ? emitError(roles.getLoc()) : emitWarning(roles.getLoc());
  diag << "deadlock freedom of " << (name.empty() ? "the switch" : name)
       << " is undecided: " << verdict.construct << " [unproved]";
  for (const Outside &outside : result.outside)
    diag.attachNote(outside.location)
        << outside.construct << " is outside the progress model";
  if (!result.outside.empty() || progress::findMistake(network))
    return;
  for (const progress::Breach &breach : progress::checkSideConditions(network))
    if (result.locations.contains(breach.location))
      diag.attachNote(at(breach.location)) << "here";
}

void agent::reportProgress(SwitchOp roles, const ProgressResult &result,
                           bool undecidedIsError) {
  Reporter reporter(roles, result);
  switch (result.verdict.kind) {
  case Verdict::Kind::proved:
    return;
  case Verdict::Kind::provedIf:
    return reporter.reportCondition();
  case Verdict::Kind::deadlock:
    return reporter.reportDeadlock();
  case Verdict::Kind::undecided:
    return reporter.reportUndecided(undecidedIsError);
  }
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

/// A size: its name, and how a launch computes it from the shapes of the
/// arguments. Sizes of which a launch can't know the value have a name only.
static SizeAttr sizeAttribute(const ProgressResult &result, unsigned id,
                              Builder &builder) {
  const progress::Size &size = result.network.sizes[id];
  StringAttr name = builder.getStringAttr(size.name);
  UnitAttr perItem = size.perItemOf ? builder.getUnitAttr() : UnitAttr();
  AffineExpr value = result.sources[id].value;
  auto unknown =
      SizeAttr::get(builder.getContext(), name, perItem, nullptr, nullptr);
  if (!value)
    return unknown;
  // The symbols that it uses, numbered from 0.
  SmallVector<AffineExpr> numbers(result.symbols.size());
  SmallVector<Attribute> arguments;
  bool known = true;
  value.walk([&](AffineExpr part) {
    auto symbol = dyn_cast<AffineSymbolExpr>(part);
    if (!symbol || numbers[symbol.getPosition()])
      return;
    numbers[symbol.getPosition()] =
        builder.getAffineSymbolExpr(arguments.size());
    const SizeSymbol &source = result.symbols[symbol.getPosition()];
    known &= source.argument.has_value();
    if (!known)
      return;
    SmallVector<int64_t, 2> place = {*source.argument};
    if (source.dimension)
      place.push_back(*source.dimension);
    arguments.push_back(builder.getDenseI64ArrayAttr(place));
  });
  if (!known)
    return unknown;
  // Symbols that are not used have no number; any will do.
  for (AffineExpr &number : numbers)
    if (!number)
      number = builder.getAffineConstantExpr(0);
  return SizeAttr::get(
      builder.getContext(), name, perItem, builder.getArrayAttr(arguments),
      AffineMapAttr::get(
          AffineMap::get(0, arguments.size(), value.replaceSymbols(numbers))));
}

/// An `or` of `and`s of intervals. Sizes that a box does not confine are not in
/// it.
static ArrayAttr conditionAttribute(const ProgressResult &result,
                                    Builder &builder) {
  SmallVector<Attribute> boxes;
  progress::Box all = progress::allSizes(result.network);
  for (const progress::Box &box : result.verdict.condition.boxes) {
    SmallVector<Attribute> intervals;
    for (auto [id, interval] : llvm::enumerate(box)) {
      if (interval == all[id])
        continue;
      std::optional<int64_t> min, max;
      if (interval.min > all[id].min)
        min = interval.min;
      if (interval.max < all[id].max)
        max = interval.max;
      intervals.push_back(BoundAttr::get(builder.getContext(), id, min, max));
    }
    boxes.push_back(builder.getArrayAttr(intervals));
  }
  return builder.getArrayAttr(boxes);
}

static VerdictKind toKind(Verdict::Kind kind) {
  switch (kind) {
  case Verdict::Kind::proved:
    return VerdictKind::proved;
  case Verdict::Kind::provedIf:
    return VerdictKind::proved_if;
  case Verdict::Kind::deadlock:
    return VerdictKind::deadlock;
  case Verdict::Kind::undecided:
    return VerdictKind::undecided;
  }
  return VerdictKind::undecided;
}

VerdictAttr agent::toAttribute(const ProgressResult &result,
                               MLIRContext *context) {
  Builder builder(context);
  const Verdict &verdict = result.verdict;
  ArrayAttr assumes, condition, sizes;
  StringAttr because, words;
  if (!verdict.assumptions.empty())
    assumes = builder.getStrArrayAttr(SmallVector<StringRef>(
        verdict.assumptions.begin(), verdict.assumptions.end()));
  if (verdict.kind == Verdict::Kind::undecided)
    because = builder.getStringAttr(verdict.construct);
  if (verdict.kind == Verdict::Kind::provedIf) {
    words = builder.getStringAttr(verdict.words);
    condition = conditionAttribute(result, builder);
    SmallVector<Attribute> list;
    for (unsigned id = 0; id < result.network.sizes.size(); ++id)
      list.push_back(sizeAttribute(result, id, builder));
    sizes = builder.getArrayAttr(list);
  }
  return VerdictAttr::get(context, toKind(verdict.kind), assumes, because,
                          words, condition, sizes);
}
