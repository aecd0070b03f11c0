//===- Groups.h - Items of several problems ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_GROUPS_H
#define DRAWLOOM_DEVICE_GROUPS_H

#include "drawloom/device/Work.h"

namespace drawloom::device {

/// Static or dynamic work of up to so many problems, each with its own rows of
/// A and D and its own B. All have the same N and K. Problems are arguments of
/// the kernel, so their number has a limit.
template <class Work, int groups_>
struct Grouped : Work {
  static constexpr int groups = groups_;

  static_assert(Work::groups == 1 && Work::parts == 1 && Work::turns == 1 &&
                    groups > 1,
                "drawloom: grouped work is Static or Dynamic, of up to 2, 3, "
                "... problems");
};

/// Where the items and the rows of a problem begin.
struct Group {
  int firstItem, firstRow;
};

/// Problems whose items have so many rows and columns. A has the rows of all of
/// them, one problem after the other, and B the n rows of each.
template <int itemM, int itemN, int most>
struct GroupedProblem {
  int n, k, count = 0;
  /// And where all end.
  Group groups[most + 1] = {};

  /// One more problem, which may have no row.
  [[nodiscard]] bool add(int rows) {
    if (count == most || rows < 0)
      return false;
    Group group = groups[count++];
    groups[count] = {group.firstItem +
                         ceilDivide(rows, itemM) * ceilDivide(n, itemN),
                     group.firstRow + rows};
    return true;
  }
  int countRows(int group) const {
    return groups[group + 1].firstRow - groups[group].firstRow;
  }
  bool isPossible() const { return n > 0 && k > 0; }
};

/// One tile of the result of a problem: where it begins there, which problem it
/// is, and where its operands begin.
struct GroupedItem {
  int row, column, steps, first, group, rowOfA, rowOfB;

  __device__ Steps k() const { return Steps(steps); }
  __device__ int getRowOfA() const { return rowOfA; }
  __device__ int getRowOfB() const { return rowOfB; }
  /// Only instantiated where a kernel converts an item.
  template <class Other>
  __device__ operator Other() const {
    static_assert(sizeof(Other) == 0, "drawloom: an item of grouped work is a "
                                      "GroupedItem, which has its problem");
    return {};
  }
};

/// The items of a kernel with grouped work: those of the first problem, row by
/// row, then those of the next.
template <class Cluster, class Work>
class GroupedTiles {
  static constexpr int itemM = Work::m * Cluster::rows;
  static constexpr int itemN = Work::n * Cluster::columns;

public:
  using Problem = GroupedProblem<itemM, itemN, Work::groups>;
  /// It stays where it is: it is long, and an argument of the kernel.
  using Given = const Problem &;

  __device__ explicit GroupedTiles(Given problem)
      : count(problem.groups[problem.count].firstItem), problem(problem) {}

  static int countItems(const Problem &problem) {
    return problem.groups[problem.count].firstItem;
  }
  __device__ GroupedItem item(uint32_t number) const {
    // The last problem that begins at the item or before it has a row.
    int group = 0, end = problem.count;
    while (end - group > 1) {
      int middle = (group + end) / 2;
      bool isBefore = problem.groups[middle].firstItem <= int(number);
      group = isBefore ? middle : group;
      end = isBefore ? end : middle;
    }
    auto [firstItem, firstRow] = problem.groups[group];
    uint32_t rank = Cluster::getRank(), columns = ceilDivide(problem.n, itemN);
    uint32_t own = number - firstItem;
    int row = own / columns * itemM + Cluster::getRow(rank) * Work::m;
    int column = own % columns * itemN + Cluster::getColumn(rank) * Work::n;
    return {.row = row,
            .column = column,
            .steps = ceilDivide(problem.k, Work::k),
            .first = 0,
            .group = group,
            .rowOfA = firstRow + row,
            .rowOfB = group * problem.n + column};
  }

  static constexpr int turns = 1;
  const uint32_t count;

private:
  Given problem;
};

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_GROUPS_H
