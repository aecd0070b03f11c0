//===- Strides.cpp - Where a tensor's elements are in memory --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Run/Strides.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace drawloom;
using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::ShapedType;

/// No host has a tensor that reaches as far, and sums of it have 64 bits.
static constexpr int64_t maxReach = int64_t(1) << 40;

/// How far the last element along a dimension is from the first.
static int64_t getReach(int64_t size, int64_t stride) {
  int64_t reach = 0;
  if (llvm::MulOverflow(std::max<int64_t>(size - 1, 0), stride, reach))
    return maxReach;
  return std::min(reach, maxReach);
}

/// Gives every stride that is open the first place outside the dimensions
/// before it in `order`.
static SmallVector<int64_t> fill(ArrayRef<int64_t> declared,
                                 ArrayRef<int64_t> shape,
                                 ArrayRef<size_t> order) {
  SmallVector<int64_t> strides(declared);
  int64_t reach = 0;
  for (size_t d : order) {
    if (ShapedType::isDynamic(strides[d]))
      strides[d] = reach + 1;
    reach = std::min(reach + getReach(shape[d], strides[d]), maxReach);
  }
  return strides;
}

/// Whether each stride passes over all that the smaller ones reach. Then every
/// element has a place of its own.
static bool areApart(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  SmallVector<std::pair<int64_t, int64_t>> dimensions;
  for (auto [size, stride] : llvm::zip_equal(shape, strides))
    if (size > 1)
      dimensions.push_back({stride, size});
  llvm::sort(dimensions);
  int64_t reach = 0;
  for (auto [stride, size] : dimensions) {
    if (stride <= reach)
      return false;
    reach = std::min(reach + getReach(size, stride), maxReach);
  }
  return true;
}

llvm::Expected<SmallVector<int64_t>>
run::chooseStrides(ArrayRef<int64_t> declared, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> open(shape.size(), ShapedType::kDynamic);
  if (declared.empty())
    declared = open;
  SmallVector<size_t> order =
      llvm::to_vector(llvm::reverse(llvm::seq<size_t>(0, shape.size())));
  SmallVector<int64_t> strides = fill(declared, shape, order);
  if (areApart(shape, strides) || llvm::is_contained(shape, 0))
    return strides;
  llvm::sort(order, [&](size_t a, size_t b) {
    bool isOpen = ShapedType::isDynamic(declared[a]);
    return isOpen == ShapedType::isDynamic(declared[b]) ? a > b : !isOpen;
  });
  strides = fill(declared, shape, order);
  if (areApart(shape, strides))
    return strides;
  auto toText = [](int64_t number) {
    return ShapedType::isDynamic(number) ? "?" : std::to_string(number);
  };
  return llvm::createStringError(
      "strides [" + llvm::join(llvm::map_range(declared, toText), ", ") +
      "] put two elements of " +
      llvm::join(llvm::map_range(shape, toText), "x") +
      " into one place [argument-strides]");
}

int64_t run::countPlaces(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  if (llvm::is_contained(shape, 0))
    return 0;
  int64_t reach = 0;
  for (auto [size, stride] : llvm::zip_equal(shape, strides))
    reach += getReach(size, stride);
  return std::min(reach + 1, maxReach);
}

/// Calls `f` with the place of each element in packed rows and in memory.
static void forEachElement(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                           llvm::function_ref<void(int64_t, int64_t)> f) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t place = 0;
  for (int64_t i = 0; i != count; ++i) {
    f(i, place);
    for (size_t d = shape.size(); d-- != 0;) {
      place += strides[d];
      if (++index[d] != shape[d])
        break;
      place -= shape[d] * strides[d];
      index[d] = 0;
    }
  }
}

std::vector<char> run::scatter(ArrayRef<char> packed, ArrayRef<int64_t> shape,
                               ArrayRef<int64_t> strides, size_t elementBytes) {
  std::vector<char> memory(countPlaces(shape, strides) * elementBytes, '\xff');
  forEachElement(shape, strides, [&](int64_t from, int64_t to) {
    std::memcpy(&memory[to * elementBytes], &packed[from * elementBytes],
                elementBytes);
  });
  return memory;
}

void run::gather(ArrayRef<char> memory, ArrayRef<int64_t> shape,
                 ArrayRef<int64_t> strides, size_t elementBytes,
                 llvm::MutableArrayRef<char> packed) {
  forEachElement(shape, strides, [&](int64_t to, int64_t from) {
    std::memcpy(&packed[to * elementBytes], &memory[from * elementBytes],
                elementBytes);
  });
}
