//===- CheckGiven.cpp - Whether a schedule fits its program ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckGiven.h"
#include "drawloom/Input/Suggest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;

std::string tile::joinSizes(ArrayRef<int64_t> sizes, StringRef separator) {
  return llvm::join(
      llvm::map_range(sizes, [](int64_t size) { return std::to_string(size); }),
      separator);
}

/// Work tiles have their sizes already; a tile may only repeat them.
static std::string checkTile(const Problem &problem, const Schedule &given) {
  if (given.tile.empty() || problem.items.empty())
    return "";
  // The tile's sizes stand in the order of the axes, so those of the work tiles
  // are among them in their order; sizes of one may be left out.
  auto size = given.tile.begin();
  SmallVector<int64_t, 3> items = problem.items;
  // Tiles side by side are one item.
  items.back() /= given.interleave.value_or(1);
  for (int64_t item : items) {
    if (item == 1)
      continue;
    size = std::find(size, given.tile.end(), item);
    if (size == given.tile.end())
      return "tile: [" + joinSizes(given.tile, ", ") +
             "] is asked for, but the program is cut into items of " +
             joinSizes(items, "x") +
             " already; leave it out, or change the program";
    ++size;
  }
  return "";
}

static std::string suggestOf(StringRef name, ArrayRef<std::string> names) {
  return input::suggest(name,
                        SmallVector<StringRef>(names.begin(), names.end()));
}

static std::string checkNames(const Problem &problem, const Schedule &given) {
  for (const std::vector<std::string> &group : given.together)
    for (const std::string &name : group)
      if (!llvm::is_contained(problem.views, name))
        return ("together: unknown view '" + Twine(name) +
                "'; known: " + llvm::join(problem.views, ", ") +
                suggestOf(name, problem.views) + " [schedule-together]")
            .str();
  for (const auto &[name, eviction] : given.hints)
    if (!llvm::is_contained(problem.views, name))
      return ("hints: unknown view '" + Twine(name) +
              "'; known: " + llvm::join(problem.views, ", ") +
              suggestOf(name, problem.views) + " [schedule-hints]")
          .str();
  return "";
}

std::string tile::checkGiven(const Problem &problem, const Schedule &given) {
  std::string error = checkTile(problem, given);
  return error.empty() ? checkNames(problem, given) : error;
}
