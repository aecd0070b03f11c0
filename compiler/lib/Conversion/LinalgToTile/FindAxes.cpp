//===- FindAxes.cpp - Which loops walk the same index range ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgFunction.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::linalg_to_tile;

/// Replaces the loops in an indexing map by their axes.
static AxisList applyMap(AffineMap map, ArrayRef<int64_t> loops) {
  AxisList axes;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    axes.push_back(dim ? loops[dim.getPosition()] : noAxis);
  }
  return axes;
}

AxisList LinalgFunction::getAxes(OpOperand &operand) const {
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  return applyMap(op.getMatchingIndexingMap(&operand), opAxes.at(op));
}

AxisList LinalgFunction::getAxes(OpResult result) const {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  return getAxes(*op.getDpsInitOperand(result.getResultNumber()));
}

std::optional<Along> linalg_to_tile::getAlong(linalg::LinalgOp op) {
  auto dictionary = op->getAttrOfType<DictionaryAttr>(alongAttrName);
  if (!dictionary)
    return std::nullopt;
  return Along{dictionary.getAs<StringAttr>("name").getValue(),
               dictionary.getAs<IntegerAttr>("loop").getInt(),
               dictionary.getAs<DictionaryAttr>("attributes")};
}

BlockArgument linalg_to_tile::findArgument(Value tensor) {
  if (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>())
    tensor = slice.getSource();
  return dyn_cast<BlockArgument>(tensor);
}

std::string linalg_to_tile::getResultName(func::FuncOp func, unsigned number) {
  if (auto name =
          func.getResultAttrOfType<StringAttr>(number, tile::nameAttrName))
    return name.str();
  return func.getNumResults() == 1 ? "out" : "out" + std::to_string(number);
}

namespace {
/// Joins loops into axes. Loops are numbered through, over all operations.
class Joiner {
public:
  explicit Joiner(LinalgFunction &function) : function(function) {
    for (linalg::LinalgOp op : function.ops) {
      AxisList &loops = function.opAxes[op];
      for (unsigned i = 0; i < op.getNumLoops(); ++i)
        loops.push_back(count++);
    }
    leader.resize(count);
    std::iota(leader.begin(), leader.end(), 0);
  }

  /// Loops that meet in a tensor between two operations are one axis.
  LogicalResult joinThroughResults();
  /// So are loops that walk the same dimension of an argument, or of the same
  /// part of one, unless that
  /// would make two loops of one operation the same (a product of a matrix with
  /// its own transpose): then the argument is read along two axes.
  void joinThroughArguments();
  /// Numbers the classes in the order of the schedule and fills in the axes.
  void numberAxes();

private:
  using Leaders = SmallVector<int64_t>;

  static int64_t find(const Leaders &leaders, int64_t loop) {
    while (leaders[loop] != loop)
      loop = leaders[loop];
    return loop;
  }
  void join(int64_t a, int64_t b) { leader[find(leader, a)] = find(leader, b); }
  /// An operation two of whose loops are the same axis, or null.
  linalg::LinalgOp findDoubleLoop() const;

  LinalgFunction &function;
  int64_t count = 0;
  Leaders leader;
  /// Loops of one iteration whose result is read at index 0 only.
  SmallVector<int64_t> units;
};
} // namespace

linalg::LinalgOp Joiner::findDoubleLoop() const {
  for (linalg::LinalgOp op : function.ops) {
    llvm::SmallDenseSet<int64_t> seen;
    for (int64_t loop : function.opAxes.at(op))
      if (!seen.insert(find(leader, loop)).second)
        return op;
  }
  return {};
}

LogicalResult Joiner::joinThroughResults() {
  for (linalg::LinalgOp op : function.ops)
    for (OpOperand &operand : op->getOpOperands()) {
      auto result = dyn_cast<OpResult>(operand.get());
      if (!result || !isa<linalg::LinalgOp>(result.getOwner()))
        continue;
      for (auto [a, b] : llvm::zip_equal(function.getAxes(operand),
                                         function.getAxes(result))) {
        if (b == noAxis)
          continue;
        if (a == noAxis)
          units.push_back(b);
        else
          join(a, b);
      }
      if (linalg::LinalgOp twice = findDoubleLoop())
        return op.emitOpError()
               << "brings two dimensions of one tensor together: a tile would "
                  "be needed along both at once. Compute one of them in a "
                  "function of its own [linalg-axes]";
    }
  return success();
}

void Joiner::joinThroughArguments() {
  DenseMap<std::pair<Value, int64_t>, int64_t> first;
  for (linalg::LinalgOp op : function.ops)
    for (OpOperand &operand : op->getOpOperands()) {
      if (!findArgument(operand.get()))
        continue;
      for (auto [dim, loop] : llvm::enumerate(function.getAxes(operand))) {
        if (loop == noAxis)
          continue;
        auto [it, isNew] = first.try_emplace({operand.get(), dim}, loop);
        if (isNew)
          continue;
        Leaders before = leader;
        join(loop, it->second);
        if (findDoubleLoop())
          leader = before;
      }
    }
}

void Joiner::numberAxes() {
  DenseMap<int64_t, int64_t> number;
  auto visit = [&](int64_t loop) {
    if (loop == noAxis)
      return;
    auto [it, isNew] =
        number.try_emplace(find(leader, loop), function.axes.size());
    if (isNew)
      function.axes.emplace_back();
  };
  Operation *terminator = function.func.front().getTerminator();
  for (Value result : terminator->getOperands())
    llvm::for_each(function.getAxes(cast<OpResult>(result)), visit);
  for (linalg::LinalgOp op : function.ops)
    llvm::for_each(function.opAxes[op], visit);
  for (int64_t loop : units)
    function.axes[number.lookup(find(leader, loop))].unit = true;
  for (linalg::LinalgOp op : function.ops)
    for (int64_t &loop : function.opAxes[op])
      loop = number.lookup(find(leader, loop));
}

/// Sizes, and where they can be read.
static LogicalResult findSizes(LinalgFunction &function) {
  auto see = [&](ArrayRef<int64_t> axes, Type type,
                 std::optional<unsigned> argument) {
    for (auto [dim, axis] : llvm::enumerate(axes)) {
      if (axis == noAxis)
        continue;
      Axis &a = function.axes[axis];
      int64_t size = cast<RankedTensorType>(type).getDimSize(dim);
      if (!ShapedType::isDynamic(size))
        a.size = size;
      if (argument && !a.place)
        a.place = {*argument, int64_t(dim)};
    }
  };
  for (linalg::LinalgOp op : function.ops)
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType())) {
        auto argument = dyn_cast<BlockArgument>(operand.get());
        see(function.getAxes(operand), operand.get().getType(),
            argument ? std::optional(argument.getArgNumber()) : std::nullopt);
      }
  for (OpOperand &result :
       function.func.front().getTerminator()->getOpOperands())
    see(function.getAxes(cast<OpResult>(result.get())), result.get().getType(),
        function.func.getNumArguments() + result.getOperandNumber());

  for (linalg::LinalgOp op : function.ops)
    for (auto [loop, axis] : llvm::enumerate(function.opAxes[op]))
      if (const Axis &a = function.axes[axis];
          ShapedType::isDynamic(a.size) && !a.place)
        return op.emitOpError()
               << "has a loop d" << loop
               << " whose size can't be inferred from any operand or result; "
                  "make it static, or add an operand that has it [linalg-axes]";
  return success();
}

/// What is reduced, and which axes have tiles of more than one element. With
/// products those are the innermost row, column and summed axis of each, and
/// the innermost that another operation reduces. Without, they are the last two
/// of the largest tensors.
static void classify(LinalgFunction &function) {
  bool hasProduct = false;
  int64_t largestRank = 0;
  auto makeThick = [&](ArrayRef<unsigned> loops, linalg::LinalgOp op) {
    if (!loops.empty())
      function.axes[function.opAxes[op][loops.back()]].thick = true;
  };
  for (linalg::LinalgOp op : function.ops) {
    SmallVector<unsigned> reductions;
    op.getReductionDims(reductions);
    for (unsigned loop : reductions)
      function.axes[function.opAxes[op][loop]].reduced = true;
    if (std::optional<Along> along = getAlong(op)) {
      Axis &axis = function.axes[function.opAxes[op][along->loop]];
      axis.reduced = axis.whole = axis.thick = true;
    }
    for (AffineMap map : op.getIndexingMapsArray())
      largestRank = std::max<int64_t>(largestRank, map.getNumResults());
    FailureOr<linalg::ContractionDimensions> dims = failure();
    if (matchContraction(op))
      dims = linalg::inferContractionDims(op);
    if (failed(dims))
      continue;
    hasProduct = true;
    makeThick(dims->m, op);
    makeThick(dims->n, op);
    makeThick(dims->k, op);
  }
  for (linalg::LinalgOp op : function.ops) {
    if (hasProduct) {
      SmallVector<unsigned> reductions;
      op.getReductionDims(reductions);
      if (!matchContraction(op))
        makeThick(reductions, op);
      continue;
    }
    for (OpOperand &operand : op->getOpOperands()) {
      AxisList axes = function.getAxes(operand);
      if (int64_t(axes.size()) != largestRank)
        continue;
      for (int64_t axis : ArrayRef<int64_t>(axes).take_back(2))
        if (axis != noAxis)
          function.axes[axis].thick = true;
    }
  }
}

/// An axis is cut into work tiles if every result has it and no operation
/// reduces it.
static LogicalResult findItems(LinalgFunction &function) {
  for (auto [number, axis] : llvm::enumerate(function.axes)) {
    auto hasAxis = [&](OpResult result) {
      return llvm::is_contained(function.getAxes(result), number);
    };
    axis.item = !axis.reduced &&
                llvm::all_of(function.roots, [&](linalg::LinalgOp root) {
                  return llvm::all_of(root->getResults(), hasAxis);
                });
  }
  if (function.roots.size() < 2 ||
      llvm::any_of(function.axes, [](const Axis &axis) { return axis.item; }))
    return success();
  InFlightDiagnostic diagnostic =
      function.roots[1].emitOpError()
      << "gives a result that has no dimension in common with the other "
         "results, so that nothing could be cut into work tiles: move it to a "
         "function of its own [linalg-axes]";
  diagnostic.attachNote(function.roots[0].getLoc())
      << "the first result is computed here";
  return diagnostic;
}

FailureOr<LinalgFunction> linalg_to_tile::findAxes(func::FuncOp func) {
  LinalgFunction function;
  function.func = func;
  llvm::append_range(function.ops, func.front().getOps<linalg::LinalgOp>());
  auto isReturned = [&](Value value) {
    return llvm::is_contained(func.front().getTerminator()->getOperands(),
                              value);
  };
  for (linalg::LinalgOp op : function.ops)
    if (llvm::any_of(op->getResults(), isReturned))
      function.roots.push_back(op);

  Joiner joiner(function);
  if (failed(joiner.joinThroughResults()))
    return failure();
  joiner.joinThroughArguments();
  joiner.numberAxes();
  if (failed(findSizes(function)))
    return failure();
  classify(function);
  if (failed(findItems(function)))
    return failure();
  return function;
}
