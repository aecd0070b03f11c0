//===- Padding.cpp - What stands in a tile past an edge -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Padding.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::linalg_to_tile;

/// The number everywhere in a tile, or the number itself for a scalar.
static TypedAttr splat(Type type, Attribute number) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return DenseElementsAttr::get(tensor, number);
  return cast<TypedAttr>(number);
}

static Attribute getNumber(Attribute attr) {
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(attr))
    return elements.isSplat() ? elements.getSplatValue<Attribute>()
                              : Attribute();
  return attr;
}

/// The same element type in another number format, if the number is exact
/// there.
static TypedAttr convert(TypedAttr number, Type type) {
  if (number.getType() == type)
    return number;
  auto from = dyn_cast<FloatAttr>(number);
  auto to = dyn_cast<FloatType>(type);
  if (!from || !to)
    return {};
  APFloat value = from.getValue();
  bool losesInfo = false;
  value.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return losesInfo ? TypedAttr() : FloatAttr::get(to, value);
}

/// Minus zero is as good as zero.
static bool isSameNumber(Attribute a, Attribute b) {
  if (a == b)
    return true;
  auto x = dyn_cast_or_null<FloatAttr>(a), y = dyn_cast_or_null<FloatAttr>(b);
  return x && y && x.getValue().isZero() && y.getValue().isZero();
}

Attribute Padding::getPad(Value value, int64_t axis, const Trial &trial,
                          llvm::SmallPtrSetImpl<Operation *> &loads) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return getNumber(constant) ? constant : Attribute();
  if (auto it = masked.find(value);
      it != masked.end() && it->second.first == axis)
    return splat(value.getType(), it->second.second);
  auto axes = tileAxes.find(value);
  if (axes == tileAxes.end() || !llvm::is_contained(axes->second, axis))
    return {};
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    loads.insert(load);
    return splat(value.getType(),
                 load == trial.load ? trial.pad : load.getPadOrZero());
  }
  bool isShape =
      isa<tile::BroadcastOp, tile::ExpandDimsOp, tile::TransposeOp>(op);
  if (!isShape && !OpTrait::hasElementwiseMappableTraits(op))
    return {};
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands())
    if (!operands.emplace_back(getPad(operand, axis, trial, loads)))
      return {};
  if (isShape)
    return splat(value.getType(), getNumber(operands[0]));
  SmallVector<OpFoldResult> results;
  if (op->getNumResults() != 1 || failed(op->fold(operands, results)) ||
      results.size() != 1)
    return {};
  if (auto attr = dyn_cast<Attribute>(results[0]))
    return getNumber(attr) ? attr : Attribute();
  for (auto [operand, pad] : llvm::zip_equal(op->getOperands(), operands))
    if (operand == cast<Value>(results[0]))
      return pad;
  return {};
}

Value Padding::mask(Location loc, Value tile, const Edge &edge,
                    TypedAttr neutral) {
  auto type = cast<RankedTensorType>(tile.getType());
  int64_t length = type.getDimSize(edge.dim);

  // How many elements of this tile are inside; no more than it has, so that the
  // number fits into 32 bits whatever the size of the tensor.
  Type i32 = builder.getI32Type();
  Value left = arith::SubIOp::create(builder, loc, edge.size, edge.position);
  Value all = arith::ConstantIndexOp::create(builder, loc, length);
  left = arith::MinSIOp::create(builder, loc, left, all);
  left = arith::IndexCastOp::create(builder, loc, i32, left);
  auto row = RankedTensorType::get({length}, i32);
  Value inside =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                            tile::IotaOp::create(builder, loc, row),
                            tensor::SplatOp::create(builder, loc, row, left));
  SmallVector<int64_t> shape = {length};
  auto getMaskType = [&] {
    return RankedTensorType::get(shape, builder.getI1Type());
  };
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != edge.dim) {
      shape.insert(shape.begin() + i, 1);
      inside =
          tile::ExpandDimsOp::create(builder, loc, getMaskType(), inside, i);
    }
  shape = llvm::to_vector(type.getShape());
  if (inside.getType() != getMaskType())
    inside = tile::BroadcastOp::create(builder, loc, getMaskType(), inside);
  Value outside = arith::ConstantOp::create(builder, loc, splat(type, neutral));
  Value result = arith::SelectOp::create(builder, loc, inside, tile, outside);
  tileAxes[result] = tileAxes.lookup(tile);
  masked[result] = {edge.axis, neutral};
  return result;
}

Value Padding::neutralize(Location loc, Value tile, const Edge &edge,
                          TypedAttr neutral) {
  int64_t axis = edge.axis;
  if (!function.axes[axis].hasEdge())
    return tile;
  llvm::SmallPtrSet<Operation *, 4> loads;
  Attribute pad = getPad(tile, axis, {}, loads);
  if (isSameNumber(getNumber(pad), neutral)) {
    decided.insert(loads.begin(), loads.end());
    return tile;
  }
  if (loads.size() == 1 && !decided.contains(*loads.begin())) {
    auto load = cast<tile::LoadOp>(*loads.begin());
    Trial trial = {load,
                   convert(neutral, getElementTypeOrSelf(load.getType()))};
    if (trial.pad &&
        isSameNumber(getNumber(getPad(tile, axis, trial, loads)), neutral)) {
      load.setPadAttr(trial.pad);
      decided.insert(load);
      return tile;
    }
  }
  return mask(loc, tile, edge, neutral);
}
