//===- ChooseTiles.cpp - A tile size for each axis ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgFunction.h"
#include "drawloom/Dialect/Tile/Transforms/Planner.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::linalg_to_tile;

/// Along one axis, of any element type. Far above what fits; what is below is
/// rejected later, with its bytes.
static constexpr int64_t largestTile = 1 << 20;

/// A tensor's name in the user's program; empty if it has none.
static std::string getName(Value tensor) {
  BlockArgument argument = findArgument(tensor);
  return argument ? tile::getArgumentName(argument) : "";
}

/// The place of an axis in `thick`, if it is there.
static std::optional<unsigned> getNumber(LinalgFunction &function,
                                         ArrayRef<Axis *> thick, int64_t axis) {
  if (axis == noAxis)
    return std::nullopt;
  const auto *it = llvm::find(thick, &function.axes[axis]);
  return it == thick.end() ? std::nullopt
                           : std::optional<unsigned>(it - thick.begin());
}

/// The MMA that an operation is, if it is a contraction along axes in `thick`.
static std::optional<tile::Untiled::Mma> matchMma(LinalgFunction &function,
                                                  ArrayRef<Axis *> thick,
                                                  linalg::LinalgOp op) {
  std::optional<Contraction> match = matchContraction(op);
  FailureOr<linalg::ContractionDimensions> dims = failure();
  if (match)
    dims = linalg::inferContractionDims(op);
  if (failed(dims))
    return std::nullopt;
  auto find = [&](ArrayRef<unsigned> loops) {
    return loops.empty()
               ? std::nullopt
               : getNumber(function, thick, function.opAxes[op][loops.back()]);
  };
  std::optional<unsigned> m = find(dims->m), n = find(dims->n),
                          k = find(dims->k);
  if (!m || !n || !k)
    return std::nullopt;
  Value a = match->lhs->get(), b = match->rhs->get();
  return tile::Untiled::Mma{*m,
                            *n,
                            *k,
                            getElementTypeOrSelf(a.getType()),
                            getElementTypeOrSelf(b.getType()),
                            getElementTypeOrSelf(op->getResult(0).getType()),
                            getName(a),
                            getName(b)};
}

/// Finds the axes that are better not cut: work tiles along one that a product
/// doesn't have would each compute the product. Of a product whose result is
/// walked, each step would load the other operand again.
static void findUndivided(LinalgFunction &function) {
  for (auto [number, axis] : llvm::enumerate(function.axes))
    axis.undivided = llvm::any_of(function.ops, [&](linalg::LinalgOp op) {
      FailureOr<linalg::ContractionDimensions> dims = matchMatrixProduct(op);
      if (failed(dims))
        return false;
      ArrayRef<int64_t> axes = function.opAxes[op];
      return axis.item ? !llvm::is_contained(axes, number)
                       : axes[dims->k.back()] == int64_t(number) &&
                             !function.axes[axes[dims->n.back()]].item;
    });
}

/// What the planner must know to choose tile sizes: for each axis in `thick`
/// its size, and what lies along these axes.
static tile::Untiled describe(LinalgFunction &function,
                              ArrayRef<Axis *> thick) {
  tile::Untiled untiled;
  for (Axis *axis : thick) {
    if (axis->undivided)
      untiled.undivided.push_back(untiled.axes.size());
    if (!axis->item)
      untiled.walked.push_back(untiled.axes.size());
    untiled.axes.push_back(axis->size);
  }
  auto addTensor = [&](std::string name, Type type, ArrayRef<int64_t> axes,
                       bool isOutput) {
    tile::Untiled::Tensor tensor = {std::move(name), {}, 0, isOutput};
    tensor.bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    for (int64_t axis : axes)
      if (std::optional<unsigned> number = getNumber(function, thick, axis))
        tensor.axes.push_back(*number);
    untiled.tensors.push_back(std::move(tensor));
  };

  // A tensor that is read along other axes, too, is loaded twice.
  llvm::DenseMap<Value, std::set<AxisList>> seen;
  for (linalg::LinalgOp op : function.ops) {
    if (std::optional<tile::Untiled::Mma> mma = matchMma(function, thick, op)) {
      untiled.mmas.push_back(std::move(*mma));
      continue;
    }
    for (OpOperand *input : op.getDpsInputOperands()) {
      BlockArgument argument = findArgument(input->get());
      if (!argument || !isa<RankedTensorType>(argument.getType()))
        continue;
      AxisList axes = function.getAxes(*input);
      if (seen[input->get()].insert(axes).second)
        addTensor(getName(argument), argument.getType(), axes,
                  /*isOutput=*/false);
    }
  }
  for (OpOperand &result :
       function.func.front().getTerminator()->getOpOperands())
    addTensor(getResultName(function.func, result.getOperandNumber()),
              result.get().getType(),
              function.getAxes(cast<OpResult>(result.get())),
              /*isOutput=*/true);
  return untiled;
}

static LogicalResult plan(LinalgFunction &function, ArrayRef<Axis *> thick,
                          int64_t smaller) {
  FailureOr<const target::Architecture *> arch =
      tile::requireTarget(function.func);
  if (failed(arch))
    return failure();
  tile::Choice choice =
      tile::chooseTile(describe(function, thick),
                       tile::getSchedule(function.func), **arch, smaller);
  if (!choice.error.empty())
    return function.func.emitOpError() << choice.error;
  tile::setSchedule(function.func, choice.schedule);
  tile::addReasons(function.func, choice.reasons);
  return success();
}

/// "dimension 1 of 'q'", or what else tells the axis from others.
static std::string describeAxis(const LinalgFunction &function,
                                const Axis &axis) {
  func::FuncOp func = function.func;
  if (!axis.place)
    return "an axis of " + std::to_string(axis.size) + " elements";
  unsigned number = axis.place->argument;
  std::string name = number < func.getNumArguments()
                         ? tile::getArgumentName(func.getArgument(number))
                         : getResultName(func, number - func.getNumArguments());
  return "dimension " + std::to_string(axis.place->dim) + " of '" + name + "'";
}

static std::string listAxes(const LinalgFunction &function,
                            ArrayRef<Axis *> axes) {
  return llvm::join(
      llvm::map_range(
          axes, [&](Axis *axis) { return describeAxis(function, *axis); }),
      ", ");
}

/// Sizes may be given for all axes, or without those that have one element in
/// each tile. Where it is the latter, and a matrix product would lose its
/// tensor core to a size of one, the former was meant.
static LogicalResult checkShortList(LinalgFunction &function,
                                    ArrayRef<Axis *> thick,
                                    ArrayRef<Axis *> all) {
  for (linalg::LinalgOp op : function.ops) {
    FailureOr<linalg::ContractionDimensions> dims = matchMatrixProduct(op);
    if (failed(dims))
      continue;
    for (unsigned loop : {dims->m.back(), dims->n.back(), dims->k.back()}) {
      const Axis &axis = function.axes[function.opAxes[op][loop]];
      if (axis.tile != 1 || axis.size == 1)
        continue;
      InFlightDiagnostic diagnostic =
          function.func.emitOpError()
          << "has a schedule with " << thick.size()
          << " tile sizes, which are those of " << listAxes(function, thick)
          << ": 1 for " << describeAxis(function, axis)
          << " leaves a matrix product no tile for the tensor core; give all "
          << all.size() << " sizes, in this order: " << listAxes(function, all)
          << " [schedule-tile]";
      diagnostic.attachNote(op.getLoc()) << "the product is here";
      return diagnostic;
    }
  }
  return success();
}

/// Lets one tile have all of an axis, where an operation needs that.
static LogicalResult widen(LinalgFunction &function, Axis &axis, bool given) {
  if (!axis.whole ||
      (!ShapedType::isDynamic(axis.size) && axis.tile >= axis.size))
    return success();
  if (ShapedType::isDynamic(axis.size))
    return function.func.emitOpError()
           << "combines elements along " << describeAxis(function, axis)
           << ", which must be in one tile: give it a static size "
              "[linalg-axes]";
  if (given)
    return function.func.emitOpError()
           << "has a schedule with a tile of " << axis.tile
           << " elements along " << describeAxis(function, axis)
           << ", along which elements are combined: one tile must have all "
           << axis.size << " [schedule-tile]";
  axis.tile = llvm::PowerOf2Ceil(axis.size);
  return success();
}

LogicalResult linalg_to_tile::chooseTiles(LinalgFunction &function,
                                          int64_t smaller) {
  findUndivided(function);
  SmallVector<Axis *> all, thick;
  for (Axis &axis : function.axes) {
    if (axis.unit)
      continue;
    axis.tile = 1;
    all.push_back(&axis);
    if (axis.thick)
      thick.push_back(&axis);
  }
  bool chosen = tile::getSchedule(function.func).tile.empty();
  if (chosen && failed(plan(function, thick, smaller)))
    return failure();

  tile::Schedule schedule = tile::getSchedule(function.func);
  size_t given = schedule.tile.size();
  if (given != thick.size() && given != all.size()) {
    InFlightDiagnostic diagnostic = function.func.emitOpError()
                                    << "has a schedule with " << given
                                    << " tile sizes, but " << thick.size()
                                    << " axes to tile";
    if (all.size() != thick.size())
      diagnostic << ", or " << all.size()
                 << " with those along which a tile has one element";
    return diagnostic << ": give one size for each dimension of the results, "
                         "then one for each that is reduced, that is for "
                      << listAxes(function, all) << " [schedule-tile]";
  }
  for (auto [axis, size] :
       llvm::zip_equal(given == thick.size() ? thick : all, schedule.tile))
    if (axis->tile = size; size > largestTile)
      return function.func.emitOpError()
             << "has a schedule with a tile of " << size
             << " elements along one axis: no machine holds more than "
             << largestTile << "; tiles of 64 to 256 are usual [schedule-tile]";
  for (Axis *axis : all)
    if (failed(widen(function, *axis, /*given=*/!chosen)))
      return failure();
  if (chosen) {
    schedule.tile.clear();
    for (Axis *axis : thick)
      schedule.tile.push_back(axis->tile);
    tile::setSchedule(function.func, schedule);
  }
  if (given != all.size() && failed(checkShortList(function, thick, all)))
    return failure();
  // What has one element altogether is not cut.
  for (Axis *axis : all)
    if (axis->tile == 1 && axis->size == 1)
      axis->tile = 0;
  return success();
}
