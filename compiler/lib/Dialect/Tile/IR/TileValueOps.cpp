//===- TileValueOps.cpp - Reductions and shapes ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace drawloom::tile;

/// Result types are equal when they differ in nothing but their layout.
static bool equalUpToLayout(TypeRange inferred, TypeRange given) {
  return llvm::all_of_zip(inferred, given, [](Type a, Type b) {
    auto x = dyn_cast<RankedTensorType>(a), y = dyn_cast<RankedTensorType>(b);
    return x && y ? x.dropEncoding() == y.dropEncoding() : a == b;
  });
}

static LogicalResult verifyResult(Operation *op, Type expected) {
  if (equalUpToLayout(expected, op->getResultTypes()))
    return success();
  return op->emitOpError() << "gives " << op->getResultTypes().front()
                           << ", but from " << op->getOperandTypes().front()
                           << " it must give " << expected;
}

static LogicalResult verifyAxis(Operation *op, int64_t axis, int64_t count) {
  if (axis >= 0 && axis < count)
    return success();
  return op->emitOpError() << "has axis " << axis << " for "
                           << op->getOperandTypes().front()
                           << ": it must be in 0 to " << count - 1;
}

//===----------------------------------------------------------------------===//
// Along an axis
//===----------------------------------------------------------------------===//

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t all = 1;
  for (int64_t size : sizes)
    all *= size;
  return all;
}

/// In row-major order, from an element to the next one along an axis.
static int64_t getStride(ArrayRef<int64_t> shape, int64_t axis) {
  return product(shape.drop_front(axis + 1));
}

/// How many warps have parts of the axis.
static int64_t countWarps(const Layout &layout, int64_t axis) {
  int64_t warps = 1;
  for (const Layout::Digit &digit : layout.getInputs().back().digits)
    if (digit.basis[axis])
      warps *= digit.count;
  return warps;
}

static bool isFloatKind(Reduction kind) { return kind <= Reduction::MinNumF; }

static LogicalResult verifyAlong(AxisOpInterface op) {
  RankedTensorType source = op.getSource().getType();
  if (failed(verifyAxis(op, op.getAxis(), source.getRank())))
    return failure();
  bool isFloat = isa<FloatType>(source.getElementType());
  if (isFloatKind(op.getKind()) == isFloat)
    return success();
  return op.emitOpError() << "combines " << source.getElementType() << " with '"
                          << stringifyReduction(op.getKind())
                          << "': take a kind that ends in "
                          << (isFloat ? "'f'" : "'i'");
}

//===----------------------------------------------------------------------===//
// tile.reduce
//===----------------------------------------------------------------------===//

/// The most CTAs that a cluster of any machine has.
static constexpr int64_t maxParts = 16;

static Type getReducedType(RankedTensorType source, int64_t axis) {
  SmallVector<int64_t> shape(source.getShape());
  shape.erase(shape.begin() + axis);
  Type element = source.getElementType();
  return shape.empty() ? element : RankedTensorType::get(shape, element);
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyAlong(*this)))
    return failure();
  return verifyResult(*this, getReducedType(getSource().getType(), getAxis()));
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  types.push_back(
      getReducedType(cast<RankedTensorType>(adaptor.getSource().getType()),
                     adaptor.getAxis()));
  return success();
}

ElementRange ReduceOp::getCombined(int64_t number) {
  ArrayRef<int64_t> shape = getSource().getType().getShape();
  int64_t extent = shape[getAxis()], stride = getStride(shape, getAxis());
  return {number / stride * extent * stride + number % stride, extent, stride};
}

int64_t ReduceOp::countExchanged(const Layout &layout) {
  int64_t warps = countWarps(layout, getAxis());
  ArrayRef<int64_t> shape = getSource().getType().getShape();
  return warps == 1 ? 0 : warps * product(shape) / shape[getAxis()];
}

bool ReduceOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange given) {
  return equalUpToLayout(inferred, given);
}

TypedAttr ReduceOp::getIdentity(Reduction kind, Type elementType) {
  if (auto type = dyn_cast<FloatType>(elementType)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    auto extreme = [&](bool negative) {
      if (APFloat::semanticsHasInf(semantics))
        return FloatAttr::get(type, APFloat::getInf(semantics, negative));
      if (negative && !APFloat::semanticsHasSignedRepr(semantics))
        return FloatAttr::get(type, APFloat::getSmallest(semantics));
      return FloatAttr::get(type, APFloat::getLargest(semantics, negative));
    };
    switch (kind) {
    case Reduction::AddF:
      if (!APFloat::semanticsHasZero(semantics))
        return {};
      return FloatAttr::get(type, APFloat::getZero(semantics));
    case Reduction::MulF:
      return FloatAttr::get(type, APFloat::getOne(semantics));
    case Reduction::MaximumF:
    case Reduction::MaxNumF:
      return extreme(/*negative=*/true);
    case Reduction::MinimumF:
    case Reduction::MinNumF:
      return extreme(/*negative=*/false);
    default:
      return {};
    }
  }
  unsigned width = elementType.isIndex() ? IndexType::kInternalStorageBitWidth
                   : elementType.isSignlessInteger()
                       ? elementType.getIntOrFloatBitWidth()
                       : 0;
  if (!width)
    return {};
  auto number = [&](const APInt &value) {
    return IntegerAttr::get(elementType, value);
  };
  switch (kind) {
  case Reduction::AddI:
  case Reduction::OrI:
  case Reduction::XOrI:
  case Reduction::MaxUI:
    return number(APInt::getZero(width));
  case Reduction::MulI:
    return number(APInt(width, 1));
  case Reduction::MaxSI:
    return number(APInt::getSignedMinValue(width));
  case Reduction::MinSI:
    return number(APInt::getSignedMaxValue(width));
  case Reduction::MinUI:
  case Reduction::AndI:
    return number(APInt::getAllOnes(width));
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// tile.scan
//===----------------------------------------------------------------------===//

LogicalResult ScanOp::verify() { return verifyAlong(*this); }

ElementRange ScanOp::getCombined(int64_t number) {
  ArrayRef<int64_t> shape = getType().getShape();
  int64_t stride = getStride(shape, getAxis());
  int64_t place = number / stride % shape[getAxis()];
  return {number - place * stride, place + 1, stride};
}

/// For each block of the axis that a warp has, what its elements come to.
int64_t ScanOp::countExchanged(const Layout &layout) {
  if (countWarps(layout, getAxis()) == 1)
    return 0;
  auto digits = findAxisDigits(layout, getAxis());
  if (!digits) {
    llvm::consumeError(digits.takeError());
    return 0;
  }
  unsigned inWarp = layout.getInputs().size() - 1;
  const AxisDigit *first = llvm::find_if(
      *digits, [&](const AxisDigit &digit) { return digit.input == inWarp; });
  return product(getType().getShape()) / first->step;
}

//===----------------------------------------------------------------------===//
// tile.all_gather
//===----------------------------------------------------------------------===//

ParseResult AllGatherOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> given;
  IntegerAttr along;
  Type type;
  int64_t count = 0;
  SMLoc at;
  if (parser.parseOperandList(given) || parser.parseKeyword("along") ||
      parser.parseAttribute(along, parser.getBuilder().getI64Type(), "along",
                            result.attributes) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) || parser.parseArrow() ||
      parser.getCurrentLocation(&at) || parser.parseInteger(count) ||
      parser.resolveOperands(given, type, result.operands))
    return failure();
  if (count < 0 || count > maxParts)
    return parser.emitError(at) << "a cluster has no " << count << " CTAs";
  result.addTypes(SmallVector<Type>(count, type));
  return success();
}

void AllGatherOp::print(OpAsmPrinter &p) {
  p << ' ' << getGiven() << " along " << int64_t(getAlong());
  p.printOptionalAttrDict((*this)->getAttrs(), {"along"});
  p << " : " << getPartType() << " -> " << getParts().size();
}

LogicalResult AllGatherOp::verify() {
  size_t given = getGiven().size();
  if (given != 1 && given != getParts().size())
    return emitOpError() << "has " << given << " operands for "
                         << getParts().size() << " CTAs; pass 1 (broadcast) or "
                         << getParts().size() << " (one per CTA)";
  if (given == 1 && getPartType().getRank() != 1)
    return emitOpError() << "gathers " << getPartType()
                         << "; what is broadcast must be a vector";
  if (int64_t along = getAlong(); along < 0 || along > 2)
    return emitOpError() << "has along " << along
                         << ": a cluster has the dimensions 0 to 2";
  if (getParts().size() < 2)
    return emitOpError() << "gathers from " << getParts().size()
                         << " CTAs; there must be two or more";
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(getGiven().getTypes()),
                                SmallVector<Type>(getParts().getTypes())))
    if (type != getPartType())
      return emitOpError() << "gives " << type << " for a part of "
                           << getPartType();
  return success();
}

//===----------------------------------------------------------------------===//
// tile.broadcast
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  RankedTensorType source = getSource().getType(), result = getType();
  if (source.getRank() != result.getRank() ||
      source.getElementType() != result.getElementType())
    return emitOpError() << "goes from " << source << " to " << result
                         << ": rank and element type must be equal; add "
                            "dimensions with tile.expand_dims";
  for (auto [i, from, to] :
       llvm::enumerate(source.getShape(), result.getShape()))
    if (from != to && from != 1)
      return emitOpError() << "changes dimension " << i << " from " << from
                           << " to " << to
                           << ": only dimensions of size 1 can grow";
  return success();
}

//===----------------------------------------------------------------------===//
// tile.expand_dims
//===----------------------------------------------------------------------===//

static Type getExpandedType(RankedTensorType source, int64_t axis) {
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + axis, 1);
  return RankedTensorType::get(shape, source.getElementType());
}

LogicalResult ExpandDimsOp::verify() {
  RankedTensorType source = getSource().getType();
  if (failed(verifyAxis(*this, getAxis(), source.getRank() + 1)))
    return failure();
  return verifyResult(*this, getExpandedType(source, getAxis()));
}

LogicalResult ExpandDimsOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location>,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  types.push_back(
      getExpandedType(cast<RankedTensorType>(adaptor.getSource().getType()),
                      adaptor.getAxis()));
  return success();
}

bool ExpandDimsOp::isCompatibleReturnTypes(TypeRange inferred,
                                           TypeRange given) {
  return equalUpToLayout(inferred, given);
}

//===----------------------------------------------------------------------===//
// tile.transpose
//===----------------------------------------------------------------------===//

static Type getTransposedType(RankedTensorType source,
                              ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(source.getDimSize(dim));
  return RankedTensorType::get(shape, source.getElementType());
}

LogicalResult TransposeOp::verify() {
  RankedTensorType source = getSource().getType();
  SmallVector<int64_t> sorted(getPermutation());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, source.getRank())))
    return emitOpError() << "has permutation [" << getPermutation() << "] for "
                         << source << ": it must hold each of 0 to "
                         << source.getRank() - 1 << " once";
  return verifyResult(*this, getTransposedType(source, getPermutation()));
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(
      getTransposedType(cast<RankedTensorType>(adaptor.getSource().getType()),
                        adaptor.getPermutation()));
  return success();
}

bool TransposeOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange given) {
  return equalUpToLayout(inferred, given);
}

//===----------------------------------------------------------------------===//
// tile.extract_slice
//===----------------------------------------------------------------------===//

LogicalResult ExtractSliceOp::verify() {
  RankedTensorType source = getSource().getType(), result = getType();
  if (source.getRank() != result.getRank() ||
      source.getElementType() != result.getElementType())
    return emitOpError() << "takes " << result << " from " << source
                         << ": rank and element type must be equal";
  if (int64_t(getOffsets().size()) != source.getRank())
    return emitOpError() << "has " << getOffsets().size()
                         << " offsets for a tile of rank " << source.getRank()
                         << ": give one for each dimension";
  for (auto [i, offset, size, whole] :
       llvm::enumerate(getOffsets(), result.getShape(), source.getShape()))
    if (offset < 0 || offset > whole - size)
      return emitOpError() << "takes " << size << " elements from " << offset
                           << " on in dimension " << i << ", but there are "
                           << whole << ": a slice must lie inside its tile";
  return success();
}

//===----------------------------------------------------------------------===//
// tile.iota
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  RankedTensorType type = getType();
  if (type.getRank() != 1 || !type.getElementType().isSignlessIntOrIndex())
    return emitOpError() << "gives " << type
                         << ": the result has rank one and integers";
  return success();
}

//===----------------------------------------------------------------------===//
// tile.convert_layout
//===----------------------------------------------------------------------===//

LogicalResult ConvertLayoutOp::verify() {
  RankedTensorType source = getSource().getType(), result = getType();
  if (source.dropEncoding() != result.dropEncoding())
    return emitOpError() << "goes from " << source << " to " << result
                         << ": only the layout may change";
  return success();
}
