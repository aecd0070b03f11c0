//===- EmitKernel.cpp - Work items, loops, loads and stores ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::linalg_to_tile;

TileEmitter::TileEmitter(LinalgFunction &function, NominalProgram &program)
    : function(function), program(program), builder(function.func.getContext()),
      padding(function, builder), sizes(function.axes.size()),
      positions(function.axes.size()) {}

//===----------------------------------------------------------------------===//
// The kernel and what is known before the first work item
//===----------------------------------------------------------------------===//

/// A view without strides promises what TMA asks for. Where the sizes say that
/// rows without gaps don't keep that, the view says that there are none, and
/// threads copy.
static Type getViewType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type;
  constexpr int64_t unitBits = 8 * target::tiledMaps.granuleBytes;
  SmallVector<int64_t> strides(tensor.getRank(), ShapedType::kDynamic);
  bool keeps = true;
  int64_t stride = 1;
  for (int64_t dim = tensor.getRank() - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    keeps &= dim + 1 == tensor.getRank() ||
             stride % unitBits * plan::getElementBits(tensor.getElementType()) %
                     unitBits ==
                 0;
    if (tensor.isDynamicDim(dim))
      break;
    stride = plan::multiply(stride, tensor.getDimSize(dim));
  }
  return tile::ViewType::get(tensor.getShape(), tensor.getElementType(),
                             keeps ? ArrayRef<int64_t>() : strides);
}

tile::KernelOp TileEmitter::makeKernel() {
  func::FuncOp func = function.func;
  SmallVector<Type> types;
  for (Type type : func.getArgumentTypes())
    types.push_back(getViewType(type));
  for (Type type : func.getResultTypes())
    types.push_back(getViewType(type));
  builder.setInsertionPoint(func);
  auto result =
      tile::KernelOp::create(builder, func.getLoc(), func.getSymName(), types);
  if (std::optional<StringRef> visibility = func.getSymVisibility())
    result.setSymVisibility(*visibility);
  for (StringRef name :
       {tile::targetAttrName, tile::scheduleAttrName, tile::reasonsAttrName})
    if (Attribute attr = func->getAttr(name))
      result->setAttr(name, attr);

  Block &body = result.getBody().front();
  for (BlockArgument argument : func.getArguments())
    tile::setArgumentName(body.getArgument(argument.getArgNumber()),
                          tile::getArgumentName(argument));
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    tile::setArgumentName(body.getArgument(func.getNumArguments() + i),
                          getResultName(func, i));
  return result;
}

void TileEmitter::emitSizes() {
  for (auto [size, axis] : llvm::zip_equal(sizes, function.axes)) {
    Location loc = kernel.getLoc();
    if (!ShapedType::isDynamic(axis.size))
      size = arith::ConstantIndexOp::create(builder, loc, axis.size);
    else
      size = tile::DimOp::create(
          builder, loc, kernel.getBody().getArgument(axis.place->argument),
          axis.place->dim);
  }
}

/// A size of a tensor, as the function asks for it.
Value TileEmitter::emitDim(tensor::DimOp dim) {
  int64_t index = *dim.getConstantIndex();
  auto type = cast<RankedTensorType>(dim.getSource().getType());
  if (!type.isDynamicDim(index))
    return arith::ConstantIndexOp::create(builder, dim.getLoc(),
                                          type.getDimSize(index));
  if (auto empty = dim.getSource().getDefiningOp<tensor::EmptyOp>())
    return emitScalar(empty.getDynamicSize(index));
  if (auto result = dyn_cast<OpResult>(dim.getSource()))
    return sizes[function.getAxes(result)[index]];
  return tile::DimOp::create(builder, dim.getLoc(),
                             originals.lookup(dim.getSource()), index);
}

Value TileEmitter::emitScalar(Value original) {
  if (Value known = originals.lookupOrNull(original))
    return known;
  Operation *op = original.getDefiningOp();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    originals.map(original, emitDim(dim));
  } else {
    for (Value operand : op->getOperands())
      emitScalar(operand);
    builder.clone(*op, originals);
  }
  return originals.lookup(original);
}

FailureOr<tile::KernelOp> TileEmitter::run() {
  kernel = makeKernel();
  Block &body = kernel.getBody().front();
  builder.setInsertionPoint(body.getTerminator());
  for (BlockArgument argument : function.func.getArguments())
    originals.map(argument, body.getArgument(argument.getArgNumber()));
  emitSizes();

  Value zero = arith::ConstantIndexOp::create(builder, kernel.getLoc(), 0);
  llvm::fill(positions, zero);
  for (auto [input, argument] :
       llvm::zip_equal(program.inputs, program.func.front().getArguments())) {
    if (!isa<RankedTensorType>(argument.getType())) {
      scalars.map(argument, emitScalar(input.original));
      continue;
    }
    boxes[argument] = {
        originals.lookup(input.original),
        {},
        input.axes,
        SmallVector<OpFoldResult>(input.axes.size(), builder.getIndexAttr(0))};
  }
  if (failed(emitBlock(program.func.front()))) {
    kernel.erase();
    return failure();
  }
  return kernel;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult TileEmitter::emitItems(scf::ForallOp items) {
  ArrayRef<int64_t> axes = getAxes(items);
  SmallVector<int64_t> tileSizes;
  SmallVector<Value> extents;
  for (int64_t axis : axes) {
    tileSizes.push_back(function.axes[axis].tile);
    extents.push_back(sizes[axis]);
  }
  // The shape of a result, if it is just the item's axes.
  Value view;
  Operation *terminator = function.func.front().getTerminator();
  for (OpOperand &result : terminator->getOpOperands())
    if (!view && ArrayRef<int64_t>(
                     function.getAxes(cast<OpResult>(result.get()))) == axes)
      view = kernel.getBody().getArgument(function.func.getNumArguments() +
                                          result.getOperandNumber());
  tile::ForEachOp forEach =
      view ? tile::ForEachOp::create(builder, items.getLoc(), view, tileSizes)
           : tile::ForEachOp::create(builder, items.getLoc(),
                                     ValueRange(extents), tileSizes);

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&forEach.getBody().front());
  for (auto [axis, nominal, offset] :
       llvm::zip_equal(axes, items.getInductionVars(), forEach.getOffsets())) {
    scalars.map(nominal, offset);
    positions[axis] = offset;
  }
  // A result is read, if at all, where nothing has been written yet.
  for (auto [argument, init] :
       llvm::zip_equal(items.getRegionOutArgs(), items.getOutputs())) {
    Box box = boxes.at(init);
    boxes[argument] = box;
  }
  return emitBlock(*items.getBody());
}

/// Whether the loop writes a result piece by piece, rather than carry a tile.
static bool isStrip(scf::ForOp loop, unsigned number) {
  Operation *op = loop.getYieldedValues()[number].getDefiningOp();
  if (auto inner = dyn_cast_or_null<scf::ForOp>(op))
    return isStrip(
        inner,
        cast<OpResult>(loop.getYieldedValues()[number]).getResultNumber());
  auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(op);
  return insert && insert.getSourceType() != insert.getDestType();
}

LogicalResult TileEmitter::emitLoop(scf::ForOp loop) {
  int64_t axis = getAxes(loop).front();
  const Axis &info = function.axes[axis];
  Location loc = loop.getLoc();

  SmallVector<unsigned> carried;
  SmallVector<Value> inits;
  for (auto [i, init] : llvm::enumerate(loop.getInitArgs())) {
    if (isStrip(loop, i)) {
      Box box = boxes.at(init);
      boxes[loop.getRegionIterArg(i)] = box;
      continue;
    }
    carried.push_back(i);
    inits.push_back(getTile(init));
  }

  OpBuilder::InsertionGuard guard(builder);
  Value outer = positions[axis];
  llvm::scope_exit restore([&] { positions[axis] = outer; });
  // One tile is no loop.
  bool isLoop = ShapedType::isDynamic(info.size) || info.size > info.tile ||
                info.size == 0;
  scf::ForOp result;
  if (isLoop) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value step = arith::ConstantIndexOp::create(builder, loc, info.tile);
    result = scf::ForOp::create(builder, loc, zero, sizes[axis], step, inits);
    builder.setInsertionPointToStart(result.getBody());
    positions[axis] = result.getInductionVar();
    inits.assign(result.getRegionIterArgs().begin(),
                 result.getRegionIterArgs().end());
  } else {
    positions[axis] = arith::ConstantIndexOp::create(builder, loc, 0);
  }
  scalars.map(loop.getInductionVar(), positions[axis]);
  for (auto [i, value] : llvm::zip_equal(carried, inits))
    tiles[loop.getRegionIterArg(i)] = value;
  if (failed(emitBlock(*loop.getBody())))
    return failure();

  SmallVector<Value> yielded;
  for (unsigned i : carried)
    yielded.push_back(getTile(loop.getYieldedValues()[i]));
  if (isLoop) {
    if (inits.empty())
      result.getBody()->getTerminator()->erase();
    builder.setInsertionPointToEnd(result.getBody());
    scf::YieldOp::create(builder, loc, yielded);
    yielded.assign(result.getResults().begin(), result.getResults().end());
  }
  for (auto [i, value] : llvm::zip_equal(carried, yielded))
    tiles[loop.getResult(i)] = value;
  return success();
}

/// What only a change of upstream's tiling would leave behind.
static LogicalResult refuseRemainder(Operation *op) {
  return op->emitOpError() << "is left over from tiling, and has no form in a "
                              "tile program: write the kernel as tile text";
}

LogicalResult TileEmitter::emitBlock(Block &block) {
  for (Operation &op : block) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      if (failed(emitOp(linalgOp)))
        return failure();
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (failed(emitLoop(loop)))
        return failure();
    } else if (auto items = dyn_cast<scf::ForallOp>(op)) {
      if (failed(emitItems(items)))
        return failure();
    } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      if (failed(emitSlice(slice)))
        return failure();
    } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      emitInsert(insert, insert.getSource(), insert.getMixedOffsets(),
                 insert.getResult());
    } else if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
      boxes[empty] = Box();
    } else if (DenseElementsAttr elements;
               matchPattern(&op, m_Constant(&elements)) &&
               isa<RankedTensorType>(op.getResult(0).getType())) {
      boxes[op.getResult(0)].constant = elements.getSplatValue<Attribute>();
    } else if (op.hasTrait<OpTrait::ConstantLike>()) {
      builder.clone(op, scalars);
    } else if (op.hasTrait<OpTrait::IsTerminator>()) {
      emitTerminator(&op);
    } else {
      return refuseRemainder(&op);
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

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
    return refuseRemainder(slice);
  Box box = source->second;
  if (box.view)
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

Value TileEmitter::load(const Box &box, RankedTensorType type, Location loc) {
  Type tileType = getTileType(type);
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
  auto result =
      tile::LoadOp::create(builder, loc, tileType, box.view, box.offsets);
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
    // Without work items, results are stored at the end.
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
