//===- Schedule.cpp - What a plan shall look like -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileAttrs.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;

std::optional<int64_t> Schedule::getSlots(StringRef name) const {
  for (const auto &[pipe, count] : slots)
    if (pipe == name)
      return count;
  return std::nullopt;
}

std::optional<Eviction> Schedule::getHint(StringRef view) const {
  for (const auto &[name, eviction] : hints)
    if (name == view)
      return eviction;
  return std::nullopt;
}

StringRef Schedule::getPragma(StringRef place) const {
  for (const auto &[where, text] : pragmas)
    if (where == place)
      return text;
  return "";
}

/// The first size below one, as a sentence about `what`.
static std::string findSmallSize(StringRef what, ArrayRef<int64_t> sizes) {
  for (auto [i, size] : llvm::enumerate(sizes))
    if (size < 1)
      return (what + ": size " + Twine(i) + " is " + Twine(size) +
              ", and sizes begin at 1")
          .str();
  return "";
}

/// The fallback is of use if its clusters are smaller.
static std::string findErrorOfFallback(const Schedule &schedule) {
  // Sizes begin at 1, and their product may be larger than any number.
  auto count = [](ArrayRef<int64_t> sizes) {
    uint64_t ctas = 1;
    for (int64_t size : sizes)
      ctas = llvm::SaturatingMultiply(ctas, static_cast<uint64_t>(size));
    return ctas;
  };
  if (schedule.fallbackCluster.empty())
    return "";
  uint64_t first = count(schedule.cluster),
           second = count(schedule.fallbackCluster);
  if (schedule.cluster.empty() && schedule.ctaGroup == 2)
    first = 2;
  if (schedule.clusterIsOpen && second > 1)
    return ("fallback_cluster: clusters of " + Twine(second) +
            " CTAs, but cluster = auto chooses one of 2 at most; use [1], or "
            "leave it out")
        .str();
  if (schedule.clusterIsOpen)
    return "";
  if (second < first)
    return "";
  return ("fallback_cluster: clusters of " + Twine(second) +
          (second == 1 ? " CTA" : " CTAs") +
          ", but those of the first kernel have " + Twine(first) +
          "; use fewer, or leave it out")
      .str();
}

static std::string findErrorOfSizes(const Schedule &schedule) {
  const std::pair<StringRef, ArrayRef<int64_t>> clusters[] = {
      {"cluster", schedule.cluster},
      {"fallback_cluster", schedule.fallbackCluster}};
  if (std::string error = findSmallSize("tile", schedule.tile); !error.empty())
    return error;
  for (auto [what, sizes] : clusters)
    if (std::string error = findSmallSize(what, sizes); !error.empty())
      return error;
  for (auto [what, sizes] : clusters)
    if (sizes.size() > 3)
      return (what + Twine(": has ") + Twine(sizes.size()) +
              " sizes, but a cluster has at most 3 dimensions")
          .str();
  return "";
}

static std::string findErrorOfSlots(const Schedule &schedule) {
  llvm::StringSet<> pipes;
  for (const auto &[name, count] : schedule.slots) {
    if (name.empty())
      return "slots: a pipe has no name";
    if (!pipes.insert(name).second)
      return ("slots: '" + Twine(name) + "' is given twice").str();
    if (count < 1)
      return ("slots: '" + Twine(name) + "' has " + Twine(count) +
              " slots, and a pipe needs at least 1")
          .str();
  }
  return "";
}

static std::string findErrorOfGroups(const Schedule &schedule) {
  llvm::StringSet<> views;
  for (const std::vector<std::string> &group : schedule.together) {
    if (group.size() < 2)
      return "together: a group needs at least two views";
    for (const std::string &name : group) {
      if (name.empty())
        return "together: a view has no name";
      if (!views.insert(name).second)
        return ("together: '" + Twine(name) +
                "' is named twice; a view travels in one pipe")
            .str();
    }
  }
  return "";
}

static std::string findErrorOfNumbers(const Schedule &schedule) {
  if (schedule.warps && (*schedule.warps < 4 || *schedule.warps % 4 != 0))
    return ("warps: is " + Twine(*schedule.warps) +
            ", but compute roles have whole warp groups: a multiple of 4")
        .str();
  if (schedule.ctaGroup && *schedule.ctaGroup != 1 && *schedule.ctaGroup != 2)
    return ("cta_group: is " + Twine(*schedule.ctaGroup) +
            ", but an MMA is of 1 CTA or of 2")
        .str();
  if (schedule.epilogueTile && *schedule.epilogueTile < 1)
    return ("epilogue_tile: is " + Twine(*schedule.epilogueTile) +
            ", and widths begin at 1")
        .str();
  if (schedule.interleave && *schedule.interleave < 1)
    return ("interleave: is " + Twine(*schedule.interleave) +
            ", and a work tile has at least 1 tile")
        .str();
  // Each of them is a copy of the program.
  constexpr int64_t mostInterleaved = 64;
  if (schedule.interleave && *schedule.interleave > mostInterleaved)
    return ("interleave: is " + Twine(*schedule.interleave) +
            ", and a work tile has at most " + Twine(mostInterleaved) +
            " tiles")
        .str();
  return "";
}

static std::string findErrorOfHints(const Schedule &schedule) {
  llvm::StringSet<> hinted;
  for (const auto &[name, eviction] : schedule.hints)
    if (!hinted.insert(name).second)
      return ("hints: '" + Twine(name) + "' is given twice").str();
  return "";
}

static std::string findErrorOfPragmas(const Schedule &schedule) {
  llvm::StringSet<> places;
  for (const auto &[place, text] : schedule.pragmas) {
    if (place != pragmaAtEntry && place != pragmaAtSync)
      return ("pragmas: '" + Twine(place) +
              "' is no place for one: write entry or sync")
          .str();
    if (!places.insert(place).second)
      return ("pragmas: '" + Twine(place) + "' is given twice").str();
    // What the inline assembly of LLVM gives a meaning, or ends the string.
    if (text.empty() || text.find_first_of("\"\\$\n{}|") != std::string::npos)
      return ("pragmas: the text for '" + Twine(place) +
              "' is empty or has one of \" \\ $ { } | or a new line, which a "
              "pragma of PTX has not")
          .str();
  }
  return "";
}

std::string Schedule::findError() const {
  for (auto *findErrorOf :
       {findErrorOfSizes, findErrorOfFallback, findErrorOfSlots,
        findErrorOfGroups, findErrorOfNumbers, findErrorOfHints,
        findErrorOfPragmas})
    if (std::string error = findErrorOf(*this); !error.empty())
      return error;
  return "";
}

llvm::hash_code tile::hash_value(const Schedule &schedule) {
  llvm::hash_code hash = llvm::hash_combine(
      llvm::hash_combine_range(schedule.tile), schedule.persistent,
      schedule.roles, schedule.fallback,
      llvm::hash_combine_range(schedule.slots),
      llvm::hash_combine_range(schedule.cluster), schedule.ctaGroup,
      schedule.warps, schedule.epilogueTile, schedule.interleave,
      schedule.fastMath);
  hash = llvm::hash_combine(hash, schedule.clusterIsOpen,
                            llvm::hash_combine_range(schedule.fallbackCluster),
                            llvm::hash_combine_range(schedule.hints));
  hash = llvm::hash_combine(hash, llvm::hash_combine_range(schedule.pragmas));
  for (const std::vector<std::string> &group : schedule.together)
    hash = llvm::hash_combine(hash, llvm::hash_combine_range(group));
  return hash;
}

Schedule tile::getSchedule(Operation *op) {
  if (auto attr = op->getAttrOfType<ScheduleAttr>(scheduleAttrName))
    return attr.getSchedule();
  return {};
}

void tile::setSchedule(Operation *op, const Schedule &schedule) {
  op->setAttr(scheduleAttrName, ScheduleAttr::get(op->getContext(), schedule));
}

std::string tile::getFallbackName(StringRef kernel) {
  return (kernel + "_fallback").str();
}

const target::Architecture *tile::getTarget(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(targetAttrName);
  if (!name)
    return nullptr;
  llvm::Expected<const target::Architecture *> arch =
      target::findArchitecture(name);
  if (arch)
    return *arch;
  llvm::consumeError(arch.takeError());
  return nullptr;
}

FailureOr<const target::Architecture *> tile::requireTarget(Operation *op) {
  if (const target::Architecture *arch = getTarget(op))
    return arch;
  return op->emitOpError()
         << "has no target to plan for: give drawloom '--arch sm_100a', or add "
            "'attributes {tile.target = \"sm_100a\"}'; the known ones are "
         << target::listArchitectures();
}

void tile::addReasons(Operation *op, ArrayRef<std::string> reasons) {
  SmallVector<StringRef> all = getReasons(op);
  llvm::append_range(all, reasons);
  op->setAttr(reasonsAttrName, Builder(op->getContext()).getStrArrayAttr(all));
}

SmallVector<StringRef> tile::getReasons(Operation *op) {
  SmallVector<StringRef> reasons;
  if (auto attr = op->getAttrOfType<ArrayAttr>(reasonsAttrName))
    llvm::append_range(reasons, attr.getAsValueRange<StringAttr>());
  return reasons;
}

StringRef tile::findArgumentName(BlockArgument argument) {
  if (auto function =
          dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    if (auto name = function.getArgAttrOfType<StringAttr>(
            argument.getArgNumber(), nameAttrName))
      return name;
  if (auto location = dyn_cast<NameLoc>(argument.getLoc()))
    return location.getName();
  return "";
}

std::string tile::getArgumentName(BlockArgument argument) {
  if (StringRef name = findArgumentName(argument); !name.empty())
    return name.str();
  return ("arg" + Twine(argument.getArgNumber())).str();
}

void tile::setArgumentName(BlockArgument argument, StringRef name) {
  Location location = argument.getLoc();
  if (auto named = dyn_cast<NameLoc>(location))
    location = named.getChildLoc();
  argument.setLoc(
      NameLoc::get(StringAttr::get(location.getContext(), name), location));
}
