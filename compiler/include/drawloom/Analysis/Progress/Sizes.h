//===- Sizes.h - Values of sizes, and conditions on them ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A verdict holds for some values of a network's sizes. A condition says for
// which, as an `or` of boxes: one interval for each size. That is little enough
// to be checked at launch and to be read by a person.
//
// Invariant: a condition admits sizes only if it was proved for all of them.
// For a size with a value for each work tile, a box confines all of these
// values.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_ANALYSIS_PROGRESS_SIZES_H
#define DRAWLOOM_ANALYSIS_PROGRESS_SIZES_H

#include "drawloom/Analysis/Progress/Network.h"

namespace drawloom::progress {

/// A value for each size of a network. A size that differs between work tiles
/// has a list of values; items behind its end have the last one.
struct Sizes {
  std::vector<std::vector<int64_t>> values;

  int64_t at(SizeId size, int64_t item = 0) const {
    const std::vector<int64_t> &list = values[size];
    return item < static_cast<int64_t>(list.size()) ? list[item] : list.back();
  }
  bool operator==(const Sizes &) const = default;
};

struct Interval {
  int64_t min = 0;
  int64_t max = unbounded;

  bool contains(int64_t value) const { return min <= value && value <= max; }
  bool operator==(const Interval &) const = default;
};

/// An interval for each size, in the order of the network's sizes.
using Box = std::vector<Interval>;

/// The box of all sizes that a network may be launched with.
Box allSizes(const Network &network);
/// The number of items of the stream that a size belongs to; 1 for a size with
/// one value.
int64_t countValues(const Network &network, const Sizes &sizes, SizeId size);
bool contains(const Box &box, const Network &network, const Sizes &sizes);

struct Condition {
  std::vector<Box> boxes;

  bool admits(const Network &network, const Sizes &sizes) const;
  /// "k <= 4 or slots of 'operands' >= 2".
  std::string describe(const Network &network) const;
};

/// "k = 3, items = 1".
std::string describe(const Network &network, const Sizes &sizes);
/// What messages call a size: "k", or "slots of 'operands'".
std::string nameOf(const Network &network, SizeId size);

} // namespace drawloom::progress

#endif // DRAWLOOM_ANALYSIS_PROGRESS_SIZES_H
