//===- CheckGiven.cpp - Whether a schedule fits its program ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckGiven.h"
#include "drawloom/Input/Suggest.h"
#include "drawloom/Target/Architecture.h"
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
  for (int64_t item : problem.items) {
    if (item == 1)
      continue;
    size = std::find(size, given.tile.end(), item);
    if (size == given.tile.end())
      return "tile: [" + joinSizes(given.tile, ", ") +
             "] is asked for, but the program is cut into items of " +
             joinSizes(problem.items, "x") +
             " already; leave it out, or change the program";
    ++size;
  }
  return "";
}

/// The names of the pipes that the program will have, and of the views that are
/// loaded into them.
static std::vector<std::string> listNames(const Problem &problem,
                                          const Schedule &given,
                                          const target::Architecture &arch) {
  std::vector<std::string> names;
  auto addName = [&](StringRef name) {
    if (!llvm::is_contained(names, name))
      names.push_back(name.str());
  };
  bool hasTensorMemory = arch.tensorMemory.columns != 0;
  for (const Problem::Pipe &pipe : problem.pipes) {
    if (pipe.kind == Problem::Pipe::Operands)
      addName("operands");
    addName(pipe.name);
    if (pipe.kind != Problem::Pipe::Output)
      llvm::for_each(pipe.views, addName);
  }
  if (!problem.mmas.empty() && hasTensorMemory)
    addName("result");
  // What threads compute between two MMAs, or of an operand that is loaded.
  bool computesOperand =
      llvm::any_of(problem.pipes, [](const Problem::Pipe &pipe) {
        return pipe.kind == Problem::Pipe::Input && pipe.inLoop;
      });
  if (problem.mmas.size() > 1 || (!problem.mmas.empty() && computesOperand))
    addName("middle");
  if (given.persistent == Persistence::Dynamic) {
    addName("work");
    addName("throttle");
  }
  return names;
}

static std::string suggestOf(StringRef name, ArrayRef<std::string> names) {
  return input::suggest(name,
                        SmallVector<StringRef>(names.begin(), names.end()));
}

static std::string checkNames(const Problem &problem, const Schedule &given,
                              const target::Architecture &arch) {
  std::vector<std::string> names = listNames(problem, given, arch);
  // The second pipe of a kind has a number after its name.
  auto isKnown = [&](StringRef name) {
    auto [kind, number] = name.rsplit('_');
    unsigned value;
    return llvm::is_contained(names, name) ||
           (llvm::to_integer(number, value) && llvm::is_contained(names, kind));
  };
  for (const auto &[name, count] : given.slots)
    if (given.roles != Roles::None && !isKnown(name))
      return ("slots: unknown pipe '" + Twine(name) + "' on " + arch.name +
              (names.empty() ? "; the kernel has none"
                             : "; known: " + llvm::join(names, ", ")) +
              suggestOf(name, names) + " [schedule-slots]")
          .str();
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

std::string tile::checkGiven(const Problem &problem, const Schedule &given,
                             const target::Architecture &arch) {
  std::string error = checkTile(problem, given);
  return error.empty() ? checkNames(problem, given, arch) : error;
}
