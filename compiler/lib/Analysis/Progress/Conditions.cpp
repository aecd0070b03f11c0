//===- Conditions.cpp - Looking for a condition on the sizes --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conditions.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace drawloom::progress;

namespace {
/// A coordinate for each size, counted from the size's least value.
using Point = llvm::SmallVector<int64_t, 4>;

/// Which of the smallest sizes succeed. A size that differs between items has
/// the same value in all of them here; the proof of a box lets it vary.
class Grid {
public:
  Grid(const Code &code, uint64_t maxPoints);

  void runAll(ConditionResult &result);

  size_t size() const { return succeeds.size(); }
  Point pointAt(size_t index) const;
  size_t indexOf(const Point &point) const;
  /// Whether the edge of the grid cuts off larger values.
  bool isOpen(SizeId id) const {
    return least[id] + extents[id] - 1 < code.network.sizes[id].max;
  }

  const Code &code;
  std::vector<int64_t> least, extents;
  std::vector<bool> succeeds;
};

/// The points from `low` to `high`, both included.
struct Range {
  Point low, high;
};

class Cover {
public:
  Cover(Grid &grid, const ProveLimits &limits, ConditionResult &result)
      : grid(grid), limits(limits), result(result), covered(grid.size()) {}

  void run();

private:
  template <typename Function>
  bool allOf(const Range &range, Function function) const;
  Range grow(const Point &start, size_t firstDimension) const;
  Range growBest(const Point &start) const;
  Box boxOf(const Range &range, bool open) const;
  void prove(Range range, bool open);
  void split(const Range &range, bool open, const Failure &failure);
  void dropContained();

  Grid &grid;
  const ProveLimits &limits;
  ConditionResult &result;
  std::vector<bool> covered;
  unsigned tried = 0;
  uint64_t steps = 0;
};
} // namespace

Grid::Grid(const Code &code, uint64_t maxPoints) : code(code) {
  const Network &network = code.network;
  constexpr int64_t slotExtent = 4;
  int64_t maxSlots = code.maxSlots;
  for (auto [id, size] : llvm::enumerate(network.sizes))
    if (code.isSlots(id))
      maxSlots = std::max(maxSlots, size.min + slotExtent - 1);
  for (auto [id, size] : llvm::enumerate(network.sizes)) {
    int64_t extent = code.isSlots(id) ? slotExtent : maxSlots + code.maxLag + 3;
    // No side can be longer than all points together.
    extent = std::min<int64_t>(extent, maxPoints);
    if (size.max != unbounded)
      extent = std::min(extent, size.max - size.min + 1);
    least.push_back(size.min);
    extents.push_back(extent);
  }
  auto points = [&] {
    uint64_t product = 1;
    for (int64_t extent : extents)
      product = std::min(product * extent, maxPoints + 1);
    return product;
  };
  // Too many: cut the longest side.
  while (points() > maxPoints) {
    auto longest = std::max_element(extents.begin(), extents.end());
    if (*longest <= 1)
      break;
    --*longest;
  }
  succeeds.resize(points());
}

Point Grid::pointAt(size_t index) const {
  Point point;
  for (int64_t extent : extents) {
    point.push_back(index % extent);
    index /= extent;
  }
  return point;
}

size_t Grid::indexOf(const Point &point) const {
  size_t index = 0;
  for (size_t i = extents.size(); i-- > 0;)
    index = index * extents[i] + point[i];
  return index;
}

void Grid::runAll(ConditionResult &result) {
  // Of equally small failures, one that stops says more.
  std::pair<int64_t, bool> least(unbounded, true);
  uint64_t steps = 0;
  for (size_t index = 0; index < size(); ++index) {
    Sizes sizes;
    int64_t sum = 0;
    for (auto [offset, low] : llvm::zip(pointAt(index), this->least)) {
      sizes.values.push_back({low + offset});
      sum += offset;
    }
    std::optional<Failure> failure =
        drawloom::progress::run(code, sizes, steps);
    ++result.runs;
    // Points that are not run count as failing.
    if (steps >= stepLimit) {
      result.exact = false;
      return;
    }
    succeeds[index] = !failure;
    if (!failure)
      continue;
    std::pair<int64_t, bool> rank(sum, failure->kind != Failure::Kind::stuck);
    if (rank < least) {
      least = rank;
      result.smallestFailure = sizes;
    }
  }
}

template <typename Function>
bool Cover::allOf(const Range &range, Function function) const {
  Point point = range.low;
  while (true) {
    if (!function(grid.indexOf(point)))
      return false;
    size_t dimension = 0;
    while (dimension < point.size() &&
           point[dimension] == range.high[dimension]) {
      point[dimension] = range.low[dimension];
      ++dimension;
    }
    if (dimension == point.size())
      return true;
    ++point[dimension];
  }
}

/// The range that contains `start` and is as long as it can be in one dimension
/// after the other.
Range Cover::grow(const Point &start, size_t firstDimension) const {
  Range range{start, start};
  for (size_t i = 0; i < start.size(); ++i) {
    size_t dimension = (firstDimension + i) % start.size();
    auto extend = [&](int64_t step, int64_t limit, Point Range::*side) {
      while ((range.*side)[dimension] != limit) {
        Range slab = range;
        slab.low[dimension] = slab.high[dimension] =
            (range.*side)[dimension] + step;
        if (!allOf(slab, [&](size_t at) { return grid.succeeds[at]; }))
          return;
        (range.*side)[dimension] += step;
      }
    };
    extend(1, grid.extents[dimension] - 1, &Range::high);
    extend(-1, 0, &Range::low);
  }
  return range;
}

Range Cover::growBest(const Point &start) const {
  Range best{start, start};
  int64_t bestVolume = 0;
  for (size_t dimension = 0; dimension < start.size(); ++dimension) {
    Range range = grow(start, dimension);
    int64_t volume = 1;
    for (auto [low, high] : llvm::zip(range.low, range.high))
      volume *= high - low + 1;
    if (volume > bestVolume) {
      bestVolume = volume;
      best = range;
    }
  }
  return best;
}

Box Cover::boxOf(const Range &range, bool open) const {
  Box box;
  for (SizeId id = 0; id < range.low.size(); ++id) {
    Interval interval{grid.least[id] + range.low[id],
                      grid.least[id] + range.high[id]};
    bool atEdge = range.high[id] == grid.extents[id] - 1;
    // More slots never make a role wait.
    bool more = grid.code.isSlots(id) && !grid.code.canBeEarly;
    if (more || (open && atEdge && grid.isOpen(id)))
      interval.max = grid.code.network.sizes[id].max;
    box.push_back(interval);
  }
  return box;
}

/// Two smaller ranges without the values that a failure mixes.
void Cover::split(const Range &range, bool open, const Failure &failure) {
  for (auto [id, size] : llvm::enumerate(grid.code.network.sizes)) {
    if (!size.perItemOf || range.low[id] == range.high[id])
      continue;
    const std::vector<int64_t> &values = failure.sizes.values[id];
    auto [low, high] = std::minmax_element(values.begin(), values.end());
    if (*low == *high)
      continue;
    Range below = range, above = range;
    below.high[id] = std::min(range.high[id], *high - 1 - grid.least[id]);
    above.low[id] = std::max(range.low[id], *low + 1 - grid.least[id]);
    if (below.low[id] <= below.high[id])
      prove(below, open);
    if (above.low[id] <= above.high[id])
      prove(above, open);
    return;
  }
}

void Cover::prove(Range range, bool open) {
  if (allOf(range, [&](size_t at) { return covered[at]; }))
    return;
  if (++tried > limits.boxes || steps >= limits.conditionSteps)
    return;
  Box box = boxOf(range, open);
  SearchResult search = searchAll(grid.code, box, limits.states);
  result.states += search.states;
  steps += search.steps;
  switch (search.kind) {
  case SearchResult::Kind::closed:
    result.condition.boxes.push_back(std::move(box));
    allOf(range, [&](size_t at) { return covered[at] = true; });
    return;
  case SearchResult::Kind::failure: {
    bool beyond = false;
    for (SizeId id = 0; id < range.high.size(); ++id)
      for (int64_t value : search.failure->sizes.values[id])
        beyond |= value > grid.least[id] + range.high[id];
    if (open && beyond)
      return prove(range, /*open=*/false);
    return split(range, open, *search.failure);
  }
  case SearchResult::Kind::spurious:
  case SearchResult::Kind::open:
    result.construct = search.construct;
    if (open)
      return prove(range, /*open=*/false);
    return;
  }
}

void Cover::run() {
  // From the largest sizes down, so that open boxes come first.
  for (size_t index = grid.size(); index-- > 0;)
    if (grid.succeeds[index] && !covered[index])
      prove(growBest(grid.pointAt(index)), /*open=*/true);
  for (size_t index = 0; index < grid.size(); ++index)
    result.exact &= !grid.succeeds[index] || covered[index];
  dropContained();
}

/// Boxes inside others say nothing.
void Cover::dropContained() {
  std::vector<Box> &boxes = result.condition.boxes;
  auto isInside = [](const Box &inner, const Box &outer) {
    return llvm::all_of(llvm::zip(inner, outer), [](const auto &pair) {
      const auto &[a, b] = pair;
      return b.min <= a.min && a.max <= b.max;
    });
  };
  for (size_t i = boxes.size(); i-- > 0;)
    for (size_t j = 0; j < boxes.size(); ++j)
      if (i != j && isInside(boxes[i], boxes[j])) {
        boxes.erase(boxes.begin() + i);
        break;
      }
}

ConditionResult drawloom::progress::findCondition(const Code &code,
                                                  const ProveLimits &limits) {
  ConditionResult result;
  Grid grid(code, limits.points);
  grid.runAll(result);
  Cover(grid, limits, result).run();
  return result;
}
