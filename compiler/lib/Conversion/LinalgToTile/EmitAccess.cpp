//===- EmitAccess.cpp - Parts of tensors, loads and stores ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::linalg_to_tile;

OpFoldResult TileEmitter::emitIndex(OpFoldResult original) {
  auto value = dyn_cast<Value>(original);
  return value ? getAsOpFoldResult(emitScalar(value)) : original;
}

/// The view of an argument, or the part of it that a slice is.
Value TileEmitter::getView(Value tensor) {
  if (Value known = originals.lookupOrNull(tensor))
    return known;
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  auto emit = [&](ArrayRef<OpFoldResult> list) {
    return llvm::map_to_vector(
        list, [&](OpFoldResult index) { return emitIndex(index); });
  };
  SmallVector<int64_t> offsets, sizes;
  SmallVector<Value> offsetValues, sizeValues;
  dispatchIndexOpFoldResults(emit(slice.getMixedOffsets()), offsetValues,
                             offsets);
  dispatchIndexOpFoldResults(emit(slice.getMixedSizes()), sizeValues, sizes);
  Value view = tile::SubviewOp::create(
      builder, slice.getLoc(), originals.lookup(slice.getSource()),
      offsetValues, sizeValues, builder.getDenseI64ArrayAttr(offsets),
      builder.getDenseI64ArrayAttr(sizes));
  originals.map(tensor, view);
  return view;
}

TileEmitter::Box TileEmitter::makeBox(const NominalProgram::Input &input) {
  Box box;
  box.axes = input.axes;
  box.offsets.assign(input.axes.size(), builder.getIndexAttr(0));
  if (!input.original) {
    box.isPositions = true;
    return box;
  }
  box.view = getView(input.original);
  for (auto [offset, index] : llvm::zip(box.offsets, input.indices))
    offset = emitIndex(index);
  return box;
}

LogicalResult TileEmitter::rejectRemainder(Operation *op) {
  return op->emitOpError()
         << "is left over from tiling, and has no form in a "
            "tile program: write a tile.kernel [linalg-unsupported]";
}

SmallVector<OpFoldResult>
TileEmitter::addOffsets(ArrayRef<OpFoldResult> kernelOffsets,
                        ArrayRef<OpFoldResult> nominalOffsets) {
  SmallVector<OpFoldResult> sums;
  for (auto [a, b] : llvm::zip_equal(kernelOffsets, nominalOffsets)) {
    OpFoldResult offset = b;
    if (auto value = dyn_cast<Value>(b))
      offset = getAsOpFoldResult(scalars.lookup(value));
    // An axis is cut once, so one of the two is zero.
    sums.push_back(isConstantIntValue(a, 0) ? offset : a);
  }
  return sums;
}

LogicalResult TileEmitter::emitSlice(tensor::ExtractSliceOp slice) {
  bool isWhole = slice.getSourceType() == slice.getType();
  if (auto it = tiles.find(slice.getSource()); isWhole && it != tiles.end()) {
    Value tile = it->second;
    tiles[slice] = tile;
    return success();
  }
  auto source = boxes.find(slice.getSource());
  if (source == boxes.end())
    return rejectRemainder(slice);
  Box box = source->second;
  if (box.view || box.isPositions)
    box.offsets = addOffsets(box.offsets, slice.getMixedOffsets());
  boxes[slice] = box;
  return success();
}

/// The dimensions that are part of a tile: those of more than one element.
static SmallVector<int64_t> getTileDims(RankedTensorType type) {
  SmallVector<int64_t> dims;
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (size != 1)
      dims.push_back(i);
  return dims;
}

/// The tile of a part of that shape, or the scalar.
static Type getTileType(RankedTensorType type) {
  SmallVector<int64_t> shape;
  for (int64_t dim : getTileDims(type))
    shape.push_back(type.getDimSize(dim));
  return shape.empty() ? type.getElementType()
                       : RankedTensorType::get(shape, type.getElementType());
}

/// What `dims` of a load or store must say: nothing, if the tile has the last
/// dimensions of the view.
static DenseI64ArrayAttr getDimsAttr(OpBuilder &builder,
                                     RankedTensorType type) {
  SmallVector<int64_t> dims = getTileDims(type);
  int64_t rank = type.getRank();
  if (llvm::equal(dims, llvm::seq<int64_t>(rank - dims.size(), rank)))
    return {};
  return builder.getDenseI64ArrayAttr(dims);
}

Value TileEmitter::countFrom(OpFoldResult start, Type type, Location loc) {
  Value first = getValueOrCreateConstantIndexOp(builder, loc, start);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return first;
  return arith::AddIOp::create(
      builder, loc, tile::IotaOp::create(builder, loc, tensor),
      tensor::SplatOp::create(builder, loc, tensor, first));
}

Value TileEmitter::load(const Box &box, RankedTensorType type, Location loc) {
  Type tileType = getTileType(type);
  if (box.isPositions)
    return countFrom(box.offsets.front(), tileType, loc);
  if (box.constant || !box.view) {
    Attribute number = box.constant;
    if (!number)
      number = tile::LoadOp::getDefaultPad(type.getElementType());
    auto tensor = dyn_cast<RankedTensorType>(tileType);
    return arith::ConstantOp::create(
        builder, loc,
        tensor ? DenseElementsAttr::get(tensor, number)
               : cast<TypedAttr>(number));
  }
  OpBuilder::InsertionGuard guard(builder);
  // What does not change along a loop is loaded before it.
  auto isFixed = [&](Block *block) {
    return llvm::none_of(box.offsets, [&](OpFoldResult offset) {
      auto value = dyn_cast<Value>(offset);
      return value && value.getParentBlock() == block;
    });
  };
  while (isFixed(builder.getInsertionBlock())) {
    auto loop =
        dyn_cast<scf::ForOp>(builder.getInsertionBlock()->getParentOp());
    if (!loop)
      break;
    builder.setInsertionPoint(loop);
  }
  // A tensor without dimensions is a view of one element.
  SmallVector<OpFoldResult> offsets = box.offsets;
  if (offsets.empty())
    offsets.push_back(builder.getIndexAttr(0));
  auto result = tile::LoadOp::create(builder, loc, tileType, box.view, offsets);
  if (DenseI64ArrayAttr dims = getDimsAttr(builder, type);
      dims && isa<RankedTensorType>(tileType))
    result.setDimsAttr(dims);
  AxisList axes;
  for (int64_t dim : getTileDims(type))
    axes.push_back(box.axes[dim]);
  padding.setAxes(result, axes);
  return result;
}

Value TileEmitter::getTile(Value nominal) {
  auto [it, isNew] = tiles.try_emplace(nominal);
  if (!isNew)
    return it->second;
  Value tile =
      load(boxes.at(nominal), cast<RankedTensorType>(nominal.getType()),
           nominal.getLoc());
  return tiles[nominal] = tile;
}

void TileEmitter::findDestinations(Value value, ArrayRef<OpFoldResult> offsets,
                                   SmallVectorImpl<Destination> &destinations) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
        loop && isa<scf::YieldOp>(user)) {
      findDestinations(loop.getResult(use.getOperandNumber()), offsets,
                       destinations);
    } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(user);
               insert && use.get() == insert.getSource()) {
      findDestinations(insert.getResult(),
                       addOffsets(offsets, insert.getMixedOffsets()),
                       destinations);
    } else if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(user);
               insert && use.get() == insert.getSource()) {
      findDestinations(insert.getTiedOpResult(),
                       addOffsets(offsets, insert.getMixedOffsets()),
                       destinations);
    } else if (isa<func::ReturnOp>(user)) {
      destinations.push_back(
          {use.getOperandNumber(), SmallVector<OpFoldResult>(offsets)});
    }
  }
}

void TileEmitter::emitStore(Location loc, Value source,
                            const Destination &destination) {
  auto type = cast<RankedTensorType>(source.getType());
  Value tile = getTile(source);
  SmallVector<int64_t> numbers;
  SmallVector<Value> values;
  dispatchIndexOpFoldResults(destination.offsets, values, numbers);
  DenseI64ArrayAttr dims;
  if (isa<RankedTensorType>(tile.getType()))
    dims = getDimsAttr(builder, type);
  tile::StoreOp::create(
      builder, loc, tile,
      kernel.getBody().getArgument(function.func.getNumArguments() +
                                   destination.result),
      values, builder.getDenseI64ArrayAttr(numbers), dims);
}

void TileEmitter::emitInsert(Operation *op, Value source,
                             ArrayRef<OpFoldResult> offsets, Value inserted) {
  // What has no tile is a strip, and stored already.
  if (!tiles.count(source) && !boxes.count(source))
    return;
  if (source.getType() == inserted.getType()) {
    tiles[inserted] = getTile(source);
    return;
  }
  SmallVector<OpFoldResult> zeros(offsets.size(), builder.getIndexAttr(0));
  SmallVector<Destination> destinations;
  findDestinations(inserted, addOffsets(zeros, offsets), destinations);
  for (const Destination &destination : destinations)
    emitStore(op->getLoc(), source, destination);
}

void TileEmitter::emitTerminator(Operation *op) {
  if (auto parallel = dyn_cast<scf::InParallelOp>(op)) {
    for (Operation &inner : parallel.getYieldingOps()) {
      auto insert = cast<tensor::ParallelInsertSliceOp>(inner);
      emitInsert(insert, insert.getSource(), insert.getMixedOffsets(),
                 insert.getTiedOpResult());
    }
  } else if (isa<func::ReturnOp>(op)) {
    // Without work tiles, results are stored at the end.
    for (OpOperand &operand : op->getOpOperands())
      if (tiles.count(operand.get()))
        emitStore(
            op->getLoc(), operand.get(),
            {operand.getOperandNumber(),
             SmallVector<OpFoldResult>(
                 cast<RankedTensorType>(operand.get().getType()).getRank(),
                 builder.getIndexAttr(0))});
  }
}
