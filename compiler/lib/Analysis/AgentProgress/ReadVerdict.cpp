//===- ReadVerdict.cpp - What code may rely on ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/AgentProgress/ReadVerdict.h"
#include "drawloom/Analysis/AgentProgress/AgentProgress.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

/// Where a number comes from; nothing if the kernel has no such argument.
static std::optional<LaunchCondition::Source> readSource(tile::KernelOp kernel,
                                                         Attribute attribute) {
  auto place = cast<DenseI64ArrayAttr>(attribute);
  if (!kernel || place[0] >= int64_t(kernel.getBody().getNumArguments()))
    return std::nullopt;
  LaunchCondition::Source source;
  source.argument = place[0];
  auto view = dyn_cast<tile::ViewType>(
      kernel.getBody().getArgument(source.argument).getType());
  if (bool(view) != (place.size() == 2))
    return std::nullopt;
  if (view) {
    if (place[1] >= view.getRank())
      return std::nullopt;
    source.dimension = place[1];
  }
  return source;
}

/// A size that follows from the arguments; nothing if it is another one.
static std::optional<LaunchCondition::Size> readSize(tile::KernelOp kernel,
                                                     SizeAttr attribute) {
  // What differs from item to item is not one number.
  if (!attribute.getValue() || attribute.getPerItem())
    return std::nullopt;
  LaunchCondition::Size size{attribute.getName().str(),
                             attribute.getValue().getValue()};
  for (Attribute place : attribute.getOf()) {
    std::optional<LaunchCondition::Source> source = readSource(kernel, place);
    if (!source)
      return std::nullopt;
    size.sources.push_back(*source);
  }
  return size;
}

/// Adds a case of the condition and the sizes that it needs, unless it needs
/// one that no launch knows. `numbers` are those of the sizes, as far as they
/// are in use.
static void readCase(ArrayAttr bounds,
                     ArrayRef<std::optional<LaunchCondition::Size>> sizes,
                     MutableArrayRef<std::optional<unsigned>> numbers,
                     LaunchCondition &condition) {
  auto range = bounds.getAsRange<BoundAttr>();
  if (!llvm::all_of(range,
                    [&](BoundAttr bound) { return sizes[bound.getSize()]; }))
    return;
  std::vector<LaunchCondition::Bound> &result = condition.cases.emplace_back();
  for (BoundAttr bound : range) {
    std::optional<unsigned> &number = numbers[bound.getSize()];
    if (!number) {
      number = condition.sizes.size();
      condition.sizes.push_back(*sizes[bound.getSize()]);
    }
    result.push_back({*number, bound.getMin(), bound.getMax()});
  }
}

/// The part of a condition that a launch can check; no cases if there is none.
static LaunchCondition readCondition(SwitchOp roles, VerdictAttr verdict) {
  LaunchCondition result;
  result.words = verdict.getWords().str();
  auto kernel = roles->getParentOfType<tile::KernelOp>();
  SmallVector<std::optional<LaunchCondition::Size>> sizes;
  for (auto size : verdict.getSizes().getAsRange<SizeAttr>())
    sizes.push_back(readSize(kernel, size));
  SmallVector<std::optional<unsigned>> numbers(sizes.size());
  for (auto bounds : verdict.getCondition().getAsRange<ArrayAttr>())
    readCase(bounds, sizes, numbers, result);
  return result;
}

llvm::Expected<std::optional<LaunchCondition>>
agent::readVerdict(SwitchOp roles) {
  VerdictAttr verdict = roles.getVerdictAttr();
  if (!verdict)
    return llvm::createStringError("has no verdict on deadlock freedom: "
                                   "code is generated after 'prove-progress'");
  switch (verdict.getKind()) {
  case VerdictKind::proved:
    return std::nullopt;
  case VerdictKind::undecided:
    return llvm::createStringError("is not proved deadlock-free: undecided, " +
                                   verdict.getBecause().getValue());
  case VerdictKind::deadlock:
    return llvm::createStringError("is not proved deadlock-free: deadlock");
  case VerdictKind::proved_if:
    break;
  }
  LaunchCondition condition = readCondition(roles, verdict);
  if (condition.cases.empty())
    return llvm::createStringError(
        "is deadlock-free only if " + condition.words +
        ", which depends on tensor contents and can't be checked at launch");
  return condition;
}
