//===- LoopClasses.cpp - Which loops share a trip count -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopClasses.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace drawloom::progress;

using Shape = llvm::SmallVector<unsigned, 4>;

static bool sameNumber(const LoopSite &a, const LoopSite &b) {
  if (a.trips.size || b.trips.size)
    return a.trips.size == b.trips.size;
  return a.trips.offset == b.trips.offset;
}

/// How many of the loops around a loop are over its own size.
static unsigned depthOf(const Code &code, const LoopSite &site) {
  return llvm::count_if(site.outer, [&](unsigned outer) {
    return sameNumber(code.loops[outer], site);
  });
}

static std::vector<unsigned> link(const Code &code, Grain grain) {
  llvm::IntEqClasses linked(code.loops.size());
  for (auto [i, a] : llvm::enumerate(code.loops))
    for (unsigned j = 0; j < i; ++j) {
      const LoopSite &b = code.loops[j];
      bool all = grain == Grain::exact && a.trips.size;
      // A loop inside one over the same size is another matter.
      if (grain == Grain::paired && depthOf(code, a) != depthOf(code, b))
        continue;
      if (sameNumber(a, b) && (all || a.touches.anyCommon(b.touches)))
        linked.join(i, j);
    }
  linked.compress();
  std::vector<unsigned> classOf;
  for (unsigned i = 0; i < code.loops.size(); ++i)
    classOf.push_back(linked[i]);
  return classOf;
}

static Shape shapeOf(const Code &code, const std::vector<unsigned> &classOf,
                     unsigned loop) {
  Shape shape;
  for (unsigned outer : code.loops[loop].outer)
    shape.push_back(classOf[outer]);
  return shape;
}

/// Splits classes whose loops stand in the same order in each of their roles:
/// the first ones, the second ones, and so on.
static void pair(const Code &code, std::vector<unsigned> &classOf) {
  unsigned count = 0;
  size_t depths = 0;
  for (auto [loop, site] : llvm::enumerate(code.loops)) {
    count = std::max(count, classOf[loop] + 1);
    depths = std::max(depths, site.outer.size() + 1);
  }
  // Outer loops first: what is around a loop must be final.
  for (size_t depth = 0; depth < depths; ++depth) {
    for (unsigned cls = 0, end = count; cls < end; ++cls) {
      std::map<RoleId, llvm::SmallVector<unsigned, 4>> byRole;
      std::optional<Shape> shape;
      bool same = true;
      for (unsigned loop = 0; loop < code.loops.size(); ++loop) {
        if (classOf[loop] != cls)
          continue;
        Shape own = shapeOf(code, classOf, loop);
        same &= own.size() == depth && (!shape || *shape == own);
        shape = own;
        byRole[code.loops[loop].role].push_back(loop);
      }
      if (!same || byRole.empty())
        continue;
      size_t pairs = byRole.begin()->second.size();
      if (llvm::any_of(byRole, [&](const auto &entry) {
            return entry.second.size() != pairs;
          }))
        continue;
      for (size_t i = 1; i < pairs; ++i, ++count)
        for (auto &[role, loops] : byRole)
          classOf[loops[i]] = count;
    }
  }
}

std::optional<LoopClasses> LoopClasses::make(const Code &code, Grain grain) {
  LoopClasses result;
  result.classOf = link(code, grain);
  if (grain == Grain::paired)
    pair(code, result.classOf);
  for (auto [loop, cls] : llvm::enumerate(result.classOf)) {
    if (cls >= result.classes.size())
      result.classes.resize(cls + 1);
    result.classes[cls].loops.push_back(loop);
  }
  for (LoopClass &cls : result.classes) {
    const LoopSite &first = code.loops[cls.loops.front()];
    cls.size = first.trips.size;
    cls.constant = first.trips.offset;
    cls.scope = shapeOf(code, result.classOf, cls.loops.front());
    cls.uniform = true;
    cls.roles.resize(code.roles.size());
    for (unsigned loop : cls.loops) {
      cls.roles.set(code.loops[loop].role);
      cls.overItems |= code.loops[loop].overItems;
      Shape shape = shapeOf(code, result.classOf, loop);
      auto [end, ignored] = std::mismatch(cls.scope.begin(), cls.scope.end(),
                                          shape.begin(), shape.end());
      cls.uniform &= end == cls.scope.end() && shape.size() == cls.scope.size();
      cls.scope.erase(end, cls.scope.end());
    }
  }
  for (LoopClass &cls : result.classes) {
    if (!cls.size)
      continue;
    std::optional<SizeId> stream = code.network.sizes[*cls.size].perItemOf;
    size_t needed = 0;
    if (stream) {
      auto items = llvm::find_if(cls.scope, [&](unsigned outer) {
        return result.classes[outer].overItems &&
               result.classes[outer].size == stream;
      });
      if (items == cls.scope.end())
        return std::nullopt;
      needed = items - cls.scope.begin() + 1;
    }
    if (grain == Grain::exact && needed < cls.scope.size()) {
      cls.scope.truncate(needed);
      cls.uniform = false;
    }
  }
  return result;
}
