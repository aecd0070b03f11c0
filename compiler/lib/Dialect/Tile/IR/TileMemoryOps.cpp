//===- TileMemoryOps.cpp - Views and buffers: read and write --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace drawloom::tile;

/// Offsets that the generic form gave as numbers and values must agree in
/// number; everything below relies on it.
static LogicalResult verifyIndexList(Operation *op, StringRef what,
                                     StringRef of, ArrayRef<int64_t> numbers,
                                     ValueRange values, Type type) {
  int64_t rank = cast<ShapedType>(type).getRank();
  if (int64_t(numbers.size()) != rank)
    return op->emitOpError() << "has " << numbers.size() << " " << what
                             << " for a " << of << " of rank " << rank << " ("
                             << type << "): give one for each dimension";
  int64_t dynamic = llvm::count_if(numbers, ShapedType::isDynamic);
  if (dynamic != int64_t(values.size()))
    return op->emitOpError() << "has " << values.size() << " values for "
                             << dynamic << " dynamic " << what;
  return success();
}

static ArrayRef<int64_t> shapeOf(Type tileOrScalar) {
  auto tile = dyn_cast<RankedTensorType>(tileOrScalar);
  return tile ? tile.getShape() : ArrayRef<int64_t>();
}

//===----------------------------------------------------------------------===//
// tile.dim
//===----------------------------------------------------------------------===//

LogicalResult DimOp::verify() {
  int64_t rank = getView().getType().getRank();
  int64_t index = getIndex();
  if (index < 0 || index >= rank)
    return emitOpError() << "asks for dimension " << index << " of "
                         << getView().getType() << ", which has dimensions 0 "
                         << "to " << rank - 1;
  return success();
}

//===----------------------------------------------------------------------===//
// tile.subview
//===----------------------------------------------------------------------===//

LogicalResult SubviewOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto view = cast<ViewType>(adaptor.getView().getType());
  types.push_back(ViewType::get(adaptor.getStaticSizes(), view.getElementType(),
                                view.getStrides()));
  return success();
}

LogicalResult SubviewOp::verify() {
  if (failed(verifyIndexList(*this, "offsets", "view", getStaticOffsets(),
                             getOffsets(), getView().getType())) ||
      failed(verifyIndexList(*this, "sizes", "view", getStaticSizes(),
                             getSizes(), getView().getType())))
    return failure();
  for (auto [i, size] : llvm::enumerate(getStaticSizes()))
    if (size < 0 && !ShapedType::isDynamic(size))
      return emitOpError() << "size " << i << " is " << size
                           << ": sizes are not negative";
  auto expected =
      ViewType::get(getStaticSizes(), getView().getType().getElementType(),
                    getView().getType().getStrides());
  if (getType() != expected)
    return emitOpError() << "gives " << getType() << ", but the sizes make it "
                         << expected;
  return success();
}

SmallVector<OpFoldResult> SubviewOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}

SmallVector<OpFoldResult> SubviewOp::getMixedSizes() {
  return getMixedValues(getStaticSizes(), getSizes(), getContext());
}

//===----------------------------------------------------------------------===//
// tile.load and tile.store
//===----------------------------------------------------------------------===//

/// What a load and a store have in common: the tile must fit the view.
static LogicalResult verifyAccess(Operation *op, ViewType view,
                                  ArrayRef<int64_t> staticOffsets,
                                  ValueRange offsets,
                                  std::optional<ArrayRef<int64_t>> dims,
                                  Type value) {
  if (failed(
          verifyIndexList(op, "offsets", "view", staticOffsets, offsets, view)))
    return failure();
  Type element = getElementTypeOrSelf(value);
  if (element != view.getElementType())
    return op->emitOpError() << "moves elements of type " << element
                             << ", but the view has " << view.getElementType()
                             << ": the types must be equal; convert with arith";
  int64_t rank = shapeOf(value).size();
  if (rank > view.getRank())
    return op->emitOpError()
           << "moves a tile of rank " << rank << " (" << value
           << "), but the view has rank " << view.getRank() << " (" << view
           << "): the tile's rank must not be larger";
  if (!dims)
    return success();
  if (int64_t(dims->size()) != rank)
    return op->emitOpError()
           << "has " << dims->size() << " dims for " << value << " of rank "
           << rank << ": give one for each of its dimensions";
  int64_t previous = -1;
  for (int64_t dim : *dims) {
    if (dim <= previous || dim >= view.getRank())
      return op->emitOpError()
             << "has dims [" << *dims << "]: they must ascend within 0 to "
             << view.getRank() - 1 << "; permute a tile with tile.transpose";
    previous = dim;
  }
  return success();
}

/// The dimensions of the view that a tile spans: those given, or the last ones.
static SmallVector<int64_t>
tileDims(ViewType view, std::optional<ArrayRef<int64_t>> dims, Type value) {
  if (dims)
    return SmallVector<int64_t>(*dims);
  int64_t rank = shapeOf(value).size();
  return llvm::to_vector(llvm::seq(view.getRank() - rank, view.getRank()));
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Type result,
                   Value view, ArrayRef<OpFoldResult> offsets) {
  SmallVector<int64_t> numbers;
  SmallVector<Value> values;
  dispatchIndexOpFoldResults(offsets, values, numbers);
  build(builder, state, result, view, values, numbers, /*dims=*/nullptr,
        /*pad=*/nullptr, /*multicast=*/nullptr, /*halved=*/nullptr);
}

LogicalResult LoadOp::verify() {
  ViewType view = getView().getType();
  if (failed(verifyAccess(*this, view, getStaticOffsets(), getOffsets(),
                          getDims(), getType())))
    return failure();
  if (std::optional<TypedAttr> pad = getPad())
    if (pad->getType() != view.getElementType() ||
        !isa<FloatAttr, IntegerAttr>(*pad))
      return emitOpError() << "has pad " << *pad
                           << ", but the view's elements are "
                           << view.getElementType()
                           << ": the pad must be a number of that type";
  int64_t previous = -1;
  for (int64_t dim : getMulticast().value_or(ArrayRef<int64_t>())) {
    if (dim <= previous || dim > 2)
      return emitOpError() << "has multicast [" << *getMulticast()
                           << "]: the dimensions of a cluster must ascend "
                              "within 0 to 2";
    previous = dim;
  }
  if (getMulticast() && shapeOf(getType()).empty())
    return emitOpError("has multicast, but loads a scalar: every CTA loads "
                       "its own");
  if (std::optional<int64_t> dim = getHalved()) {
    ArrayRef<int64_t> shape = shapeOf(getType());
    if (*dim < 0 || *dim >= static_cast<int64_t>(shape.size()))
      return emitOpError() << "has 'halved' dimension " << *dim
                           << ", but loads a tile of rank " << shape.size();
    if (shape[*dim] % 2 != 0)
      return emitOpError() << "has 'halved' dimension " << *dim << " of size "
                           << shape[*dim] << "; it must be even";
  }
  return success();
}

SmallVector<OpFoldResult> LoadOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}

SmallVector<int64_t> LoadOp::getTileDims() {
  return tileDims(getView().getType(), getDims(), getType());
}

TypedAttr LoadOp::getDefaultPad(Type elementType) {
  APInt bits = APInt::getZero(elementType.getIntOrFloatBitWidth());
  if (auto type = dyn_cast<FloatType>(elementType))
    return FloatAttr::get(type, APFloat(type.getFloatSemantics(), bits));
  return IntegerAttr::get(elementType, bits);
}

TypedAttr LoadOp::getPadOrZero() {
  return getPad().value_or(getDefaultPad(getView().getType().getElementType()));
}

void StoreOp::build(OpBuilder &builder, OperationState &state, Value value,
                    Value view, ArrayRef<OpFoldResult> offsets) {
  SmallVector<int64_t> numbers;
  SmallVector<Value> values;
  dispatchIndexOpFoldResults(offsets, values, numbers);
  build(builder, state, value, view, values, numbers, /*dims=*/nullptr);
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getView().getType(), getStaticOffsets(),
                      getOffsets(), getDims(), getValue().getType());
}

SmallVector<OpFoldResult> StoreOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}

SmallVector<int64_t> StoreOp::getTileDims() {
  return tileDims(getView().getType(), getDims(), getValue().getType());
}

//===----------------------------------------------------------------------===//
// tile.transpose_view
//===----------------------------------------------------------------------===//

BufferType TransposeViewOp::getTransposed(BufferType type) {
  PanelsAttr panels = type.getPanels();
  if (!panels || type.getRank() != 2)
    return {};
  return BufferType::get({type.getDimSize(1), type.getDimSize(0)},
                         type.getElementType(), type.getSpace(),
                         PanelsAttr::get(type.getContext(), panels.getWidth(),
                                         panels.getCount(), panels.getSwizzle(),
                                         !panels.getTransposed()));
}

void TransposeViewOp::build(OpBuilder &builder, OperationState &state,
                            Value source) {
  build(builder, state, getTransposed(cast<BufferType>(source.getType())),
        source);
}

LogicalResult TransposeViewOp::verify() {
  if (getType() == getTransposed(getSource().getType()))
    return success();
  return emitOpError() << "makes a " << getType() << " of a "
                       << getSource().getType()
                       << "; it exchanges rows and columns of a buffer in "
                          "panels";
}

//===----------------------------------------------------------------------===//
// tile.read and tile.write
//===----------------------------------------------------------------------===//

static LogicalResult verifyBufferAccess(Operation *op, BufferType buffer,
                                        ArrayRef<int64_t> staticOffsets,
                                        ValueRange offsets,
                                        RankedTensorType tile) {
  if (failed(verifyIndexList(op, "offsets", "buffer", staticOffsets, offsets,
                             buffer)))
    return failure();
  if (tile.getElementType() != buffer.getElementType() ||
      tile.getRank() != buffer.getRank())
    return op->emitOpError()
           << "moves " << tile << ", but the buffer is " << buffer
           << ": rank and element type must be equal";
  for (auto [i, offset, size, room] :
       llvm::enumerate(staticOffsets, tile.getShape(), buffer.getShape())) {
    int64_t first = ShapedType::isDynamic(offset) ? 0 : offset;
    if (first < 0 || first > room - size)
      return op->emitOpError()
             << "takes " << size << " elements from " << first
             << " on in dimension " << i << ", but the buffer has " << room
             << ": a tile must lie inside its buffer";
  }
  return success();
}

LogicalResult ReadOp::verify() {
  return verifyBufferAccess(*this, getBuffer().getType(), getStaticOffsets(),
                            getOffsets(), getType());
}

SmallVector<OpFoldResult> ReadOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}

LogicalResult WriteOp::verify() {
  return verifyBufferAccess(*this, getBuffer().getType(), getStaticOffsets(),
                            getOffsets(), getValue().getType());
}

SmallVector<OpFoldResult> WriteOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}
