//===- Accesses.cpp - Which elements of a view are touched ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/Accesses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace drawloom::tile;

/// An index as a value, null if it is none, and a constant.
static std::pair<Value, int64_t> splitOffset(OpFoldResult offset) {
  if (std::optional<int64_t> number = getConstantIntValue(offset))
    return {Value(), *number};
  auto value = cast<Value>(offset);
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    if (std::optional<int64_t> number = getConstantIntValue(sum.getRhs()))
      return {sum.getLhs(), *number};
  return {value, 0};
}

bool drawloom::tile::areApart(StoreOp a, StoreOp b) {
  auto type = dyn_cast<RankedTensorType>(a.getValue().getType());
  auto otherType = dyn_cast<RankedTensorType>(b.getValue().getType());
  if (a.getView() != b.getView() || a.getTileDims() != b.getTileDims() ||
      !type || !otherType)
    return false;
  for (auto [number, dim] : llvm::enumerate(a.getTileDims())) {
    auto [base, first] = splitOffset(a.getMixedOffsets()[dim]);
    auto [otherBase, second] = splitOffset(b.getMixedOffsets()[dim]);
    int64_t size =
        first < second ? type.getDimSize(number) : otherType.getDimSize(number);
    if (base == otherBase && std::abs(second - first) >= size)
      return true;
  }
  return false;
}

bool drawloom::tile::isSize(OpFoldResult number, Value view, int64_t dim) {
  if (std::optional<int64_t> constant = getConstantIntValue(number);
      constant == cast<ViewType>(view.getType()).getDimSize(dim))
    return true;
  auto part = view.getDefiningOp<SubviewOp>();
  if (part && isEqualConstantIntOrValue(part.getMixedSizes()[dim], number))
    return true;
  auto value = dyn_cast<Value>(number);
  auto size = value ? value.getDefiningOp<DimOp>() : nullptr;
  if (!size)
    return false;
  if (size.getView() == view && int64_t(size.getIndex()) == dim)
    return true;
  auto other = size.getView().getDefiningOp<SubviewOp>();
  return other && isSize(other.getMixedSizes()[size.getIndex()], view, dim);
}
