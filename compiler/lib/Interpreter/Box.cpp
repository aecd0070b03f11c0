//===- Box.cpp - Boxes of elements ----------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Box.h"
#include <array>

using namespace drawloom::interp;
using llvm::ArrayRef;

/// Calls `visit` with the place on each side of the first element of each row,
/// until it returns false: an odometer over all dimensions but the last.
template <size_t sides, typename Visit>
static bool visitRows(ArrayRef<int64_t> shape,
                      std::array<const StridedRange *, sides> ranges,
                      Visit visit) {
  if (llvm::is_contained(shape, 0))
    return true;
  std::array<int64_t, sides> at;
  for (size_t side = 0; side < sides; ++side)
    at[side] = ranges[side]->start;
  llvm::SmallVector<int64_t, 4> count(shape.size(), 0);
  while (true) {
    if (!visit(at))
      return false;
    int64_t d = static_cast<int64_t>(shape.size()) - 2;
    for (; d >= 0; --d) {
      for (size_t side = 0; side < sides; ++side)
        at[side] += ranges[side]->strides[d];
      if (++count[d] < shape[d])
        break;
      for (size_t side = 0; side < sides; ++side)
        at[side] -= shape[d] * ranges[side]->strides[d];
      count[d] = 0;
    }
    if (d < 0)
      return true;
  }
}

/// A scalar is a row of one.
static int64_t getRowLength(ArrayRef<int64_t> shape) {
  return shape.empty() ? 1 : shape.back();
}
static int64_t getRowStride(const StridedRange &range) {
  return range.strides.empty() ? 1 : range.strides.back();
}

void drawloom::interp::copyBox(ArrayRef<int64_t> shape, HostTensor &target,
                               const StridedRange &to, const HostTensor &source,
                               const StridedRange &from) {
  int64_t length = getRowLength(shape);
  int64_t toStride = getRowStride(to), fromStride = getRowStride(from);
  visitRows<2>(shape, {&to, &from}, [&](std::array<int64_t, 2> at) {
    if (toStride == 1 && fromStride == 1)
      target.copyRow(length, at[0], source, at[1]);
    else
      for (int64_t i = 0; i < length; ++i)
        target.copyElement(at[0] + i * toStride, source,
                           at[1] + i * fromStride);
    return true;
  });
}

bool drawloom::interp::visitBox(ArrayRef<int64_t> shape,
                                const StridedRange &range,
                                llvm::function_ref<bool(int64_t)> visit) {
  int64_t length = getRowLength(shape), stride = getRowStride(range);
  return visitRows<1>(shape, {&range}, [&](std::array<int64_t, 1> at) {
    for (int64_t i = 0; i < length; ++i)
      if (!visit(at[0] + i * stride))
        return false;
    return true;
  });
}
