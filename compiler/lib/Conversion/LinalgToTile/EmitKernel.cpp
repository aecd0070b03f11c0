//===- EmitKernel.cpp - The kernel, work tiles and loops ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpEmitter.h"
#include "TileEmitter.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Tile/OpenStrides.h"
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
// The kernel and what is known before the first work tile
//===----------------------------------------------------------------------===//

/// A view without strides promises what TMA asks for. Where the sizes say that
/// rows without gaps don't keep that, the view says that there are none, and
/// threads copy. So they do where the function says that strides are open.
static Type getViewType(Type type, bool isOpen) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type;
  if (tensor.getRank() == 0)
    return tile::ViewType::get(ArrayRef<int64_t>{1}, tensor.getElementType());
  constexpr int64_t unitBits = 8 * target::tiledMaps.granuleBytes;
  SmallVector<int64_t> strides(tensor.getRank(), ShapedType::kDynamic);
  if (isOpen) {
    strides.back() = 1;
    return tile::ViewType::get(tensor.getShape(), tensor.getElementType(),
                               strides);
  }
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
  StringRef open = tile::openStridesAttrName;
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
    types.push_back(getViewType(type, bool(func.getArgAttr(i, open))));
  for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
    types.push_back(getViewType(type, bool(func.getResultAttr(i, open))));
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
  if (auto slice = dim.getSource().getDefiningOp<tensor::ExtractSliceOp>())
    return emitScalar(slice.getDynamicSize(index));
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
    boxes[argument] = makeBox(input);
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

LogicalResult TileEmitter::emitOp(linalg::LinalgOp op) {
  auto getTile = [&](Value nominal) { return this->getTile(nominal); };
  FailureOr<SmallVector<Value>> results =
      OpEmitter(op, {builder, padding, sizes, positions, scalars, getTile})
          .emit();
  if (failed(results))
    return failure();
  for (auto [result, tile] : llvm::zip_equal(op->getResults(), *results))
    tiles[result] = tile;
  return success();
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
      return rejectRemainder(&op);
    }
  }
  return success();
}
