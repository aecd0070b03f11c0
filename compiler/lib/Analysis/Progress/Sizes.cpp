//===- Sizes.cpp - Values of sizes, and conditions on them ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Progress/Sizes.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::progress;

Box drawloom::progress::allSizes(const Network &network) {
  Box box;
  for (const Size &size : network.sizes)
    box.push_back({size.min, size.max});
  return box;
}

int64_t drawloom::progress::countValues(const Network &network,
                                        const Sizes &sizes, SizeId size) {
  std::optional<SizeId> stream = network.sizes[size].perItemOf;
  return stream ? sizes.at(*stream) : 1;
}

bool drawloom::progress::contains(const Box &box, const Network &network,
                                  const Sizes &sizes) {
  for (auto [id, interval] : llvm::enumerate(box)) {
    // Items after the end of the list repeat its last value.
    int64_t listed = sizes.values[id].size();
    int64_t count = std::min(countValues(network, sizes, id), listed);
    for (int64_t item = 0; item < count; ++item)
      if (!interval.contains(sizes.at(id, item)))
        return false;
  }
  return true;
}

bool Condition::admits(const Network &network, const Sizes &sizes) const {
  return llvm::any_of(
      boxes, [&](const Box &box) { return contains(box, network, sizes); });
}

std::string drawloom::progress::nameOf(const Network &network, SizeId size) {
  for (const Pipe &pipe : network.pipes)
    if (pipe.slots.size == size)
      return "slots of '" + pipe.name + "'";
  return network.sizes[size].name;
}

static std::string describe(const Network &network, SizeId id,
                            const Interval &interval) {
  const Size &size = network.sizes[id];
  std::string name = nameOf(network, id), text;
  if (interval.min == interval.max)
    text = name + " = " + std::to_string(interval.min);
  else if (interval.max >= size.max)
    text = name + " >= " + std::to_string(interval.min);
  else if (interval.min <= size.min)
    text = name + " <= " + std::to_string(interval.max);
  else
    text = std::to_string(interval.min) + " <= " + name +
           " <= " + std::to_string(interval.max);
  return size.perItemOf ? text + " in every work tile" : text;
}

std::string Condition::describe(const Network &network) const {
  if (boxes.empty())
    return "never";
  std::string text;
  for (const Box &box : boxes) {
    std::string terms;
    unsigned count = 0;
    for (auto [id, interval] : llvm::enumerate(box)) {
      if (interval.min <= network.sizes[id].min &&
          interval.max >= network.sizes[id].max)
        continue;
      terms += (count++ ? " and " : "") + ::describe(network, id, interval);
    }
    if (!count)
      return "always";
    text += text.empty() ? "" : " or ";
    text += count > 1 && boxes.size() > 1 ? "(" + terms + ")" : terms;
  }
  return text;
}

std::string drawloom::progress::describe(const Network &network,
                                         const Sizes &sizes) {
  std::string text;
  for (SizeId id = 0; id < network.sizes.size(); ++id) {
    int64_t count = countValues(network, sizes, id);
    if (count == 0)
      continue;
    text += (text.empty() ? "" : ", ") + nameOf(network, id) + " = ";
    std::string list;
    bool same = true;
    for (int64_t item = 0; item < count; ++item) {
      same &= sizes.at(id, item) == sizes.at(id, 0);
      list += (item ? ", " : "") + std::to_string(sizes.at(id, item));
    }
    text += same ? std::to_string(sizes.at(id, 0)) : "(" + list + ")";
  }
  return text.empty() ? "any sizes" : text;
}
