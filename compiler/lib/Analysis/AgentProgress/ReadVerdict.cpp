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

static StringRef getText(DictionaryAttr entries, StringRef name) {
  auto text = entries.getAs<StringAttr>(name);
  return text ? text.getValue() : StringRef();
}

static std::optional<int64_t> getNumber(DictionaryAttr entries,
                                        StringRef name) {
  auto number = entries.getAs<IntegerAttr>(name);
  return number ? number.getValue().trySExtValue() : std::nullopt;
}

/// Where a number comes from; nothing if the kernel has no such argument.
static std::optional<LaunchCondition::Source> readSource(tile::KernelOp kernel,
                                                         Attribute attribute) {
  auto place = dyn_cast<DenseI64ArrayAttr>(attribute);
  if (!kernel || !place || place.empty() || place.size() > 2 || place[0] < 0 ||
      place[0] >= int64_t(kernel.getBody().getNumArguments()))
    return std::nullopt;
  LaunchCondition::Source source;
  source.argument = place[0];
  auto view = dyn_cast<tile::ViewType>(
      kernel.getBody().getArgument(source.argument).getType());
  if (bool(view) != (place.size() == 2))
    return std::nullopt;
  if (view) {
    if (place[1] < 0 || place[1] >= view.getRank())
      return std::nullopt;
    source.dimension = place[1];
  }
  return source;
}

/// A size that follows from the arguments; nothing if it is another one.
static std::optional<LaunchCondition::Size> readSize(tile::KernelOp kernel,
                                                     DictionaryAttr entries) {
  auto value = entries.getAs<AffineMapAttr>("value");
  auto of = entries.getAs<ArrayAttr>("of");
  // What differs from item to item is not one number.
  if (!value || !of || entries.contains("per_item"))
    return std::nullopt;
  LaunchCondition::Size size{getText(entries, "name").str(), value.getValue()};
  if (size.value.getNumDims() != 0 || size.value.getNumResults() != 1 ||
      size.value.getNumSymbols() != of.size() ||
      !size.value.getResult(0).isPureAffine())
    return std::nullopt;
  for (Attribute place : of) {
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
  auto getSize = [](Attribute bound) {
    auto entries = dyn_cast<DictionaryAttr>(bound);
    return entries ? getNumber(entries, "size").value_or(-1) : -1;
  };
  if (!llvm::all_of(bounds, [&](Attribute bound) {
        int64_t size = getSize(bound);
        return size >= 0 && size < int64_t(sizes.size()) && sizes[size];
      }))
    return;
  std::vector<LaunchCondition::Bound> &result = condition.cases.emplace_back();
  for (Attribute bound : bounds) {
    int64_t size = getSize(bound);
    if (!numbers[size]) {
      numbers[size] = condition.sizes.size();
      condition.sizes.push_back(*sizes[size]);
    }
    auto entries = cast<DictionaryAttr>(bound);
    result.push_back(
        {*numbers[size], getNumber(entries, "min"), getNumber(entries, "max")});
  }
}

/// The part of a condition that a launch can check; no cases if there is none.
static LaunchCondition readCondition(SwitchOp roles, DictionaryAttr progress) {
  LaunchCondition result;
  result.words = getText(progress, "words").str();
  auto cases = progress.getAs<ArrayAttr>("condition");
  auto entries = progress.getAs<ArrayAttr>("sizes");
  if (!cases || !entries)
    return result;
  auto kernel = roles->getParentOfType<tile::KernelOp>();
  SmallVector<std::optional<LaunchCondition::Size>> sizes;
  for (Attribute entry : entries) {
    auto size = dyn_cast<DictionaryAttr>(entry);
    sizes.push_back(size ? readSize(kernel, size) : std::nullopt);
  }
  SmallVector<std::optional<unsigned>> numbers(sizes.size());
  for (Attribute bounds : cases)
    if (auto all = dyn_cast<ArrayAttr>(bounds))
      readCase(all, sizes, numbers, result);
  return result;
}

llvm::Expected<std::optional<LaunchCondition>>
agent::readVerdict(SwitchOp roles) {
  auto progress = roles->getAttrOfType<DictionaryAttr>(progressAttrName);
  if (!progress)
    return llvm::createStringError("has no verdict on whether its roles end: "
                                   "code is generated after 'prove-progress'");
  StringRef verdict = getText(progress, "verdict");
  if (verdict == "proved")
    return std::nullopt;
  if (verdict == "undecided")
    return llvm::createStringError("is not proved to end: undecided, " +
                                   getText(progress, "because"));
  if (verdict != "proved if")
    return llvm::createStringError("is not proved to end: " + verdict);
  LaunchCondition condition = readCondition(roles, progress);
  if (condition.cases.empty())
    return llvm::createStringError(
        "is proved to end only if " + condition.words +
        ", which no launch can check: it does not follow from the shapes of "
        "the arguments");
  return condition;
}
