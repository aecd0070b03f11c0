//===- NominalProgram.cpp - The function with round sizes -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NominalProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::linalg_to_tile;

ArrayRef<int64_t> linalg_to_tile::getAxes(Operation *op) {
  return op->getAttrOfType<DenseI64ArrayAttr>(axesAttrName).asArrayRef();
}

void linalg_to_tile::setAxes(Operation *op, ArrayRef<int64_t> axes) {
  op->setAttr(axesAttrName, DenseI64ArrayAttr::get(op->getContext(), axes));
}

namespace {
class NominalBuilder {
public:
  explicit NominalBuilder(LinalgFunction &function)
      : function(function), builder(function.func.getContext()) {}

  NominalProgram build();

private:
  RankedTensorType getType(Type original, ArrayRef<int64_t> axes);
  Value addInput(NominalProgram::Input input, Type type, Location loc);
  Value getScalar(Value original);
  Value getOperand(OpOperand &operand);
  void copy(linalg::LinalgOp op);
  void passInputs(linalg::LinalgOp op, linalg::GenericOp clone);

  LinalgFunction &function;
  OpBuilder builder;
  NominalProgram program;
  /// Scalars, and the results of linalg operations.
  IRMapping values;
};
} // namespace

RankedTensorType NominalBuilder::getType(Type original,
                                         ArrayRef<int64_t> axes) {
  SmallVector<int64_t> shape;
  for (int64_t axis : axes)
    shape.push_back(axis == noAxis ? 1 : function.axes[axis].getNominalSize());
  return RankedTensorType::get(shape, getElementTypeOrSelf(original));
}

Value NominalBuilder::addInput(NominalProgram::Input input, Type type,
                               Location loc) {
  Block &entry = program.func.front();
  for (auto [known, argument] :
       llvm::zip_equal(program.inputs, entry.getArguments()))
    if (known == input)
      return argument;
  program.inputs.push_back(std::move(input));
  return entry.addArgument(type, loc);
}

Value NominalBuilder::getScalar(Value original) {
  if (Value known = values.lookupOrNull(original))
    return known;
  Value scalar;
  if (matchPattern(original, m_Constant()))
    scalar = builder.clone(*original.getDefiningOp())->getResult(0);
  else
    scalar = addInput({original, {}}, original.getType(), original.getLoc());
  values.map(original, scalar);
  return scalar;
}

Value NominalBuilder::getOperand(OpOperand &operand) {
  Value original = operand.get();
  if (!isa<RankedTensorType>(original.getType()))
    return getScalar(original);
  // An init that is only written says nothing but its shape.
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  bool isRead =
      !op.isDpsInit(&operand) || op.payloadUsesValueFromOperand(&operand);
  if (Value result = values.lookupOrNull(original); result && isRead)
    return result;
  AxisList axes = function.getAxes(operand);
  RankedTensorType type = getType(original.getType(), axes);
  if (!isRead || original.getDefiningOp<tensor::EmptyOp>())
    return tensor::EmptyOp::create(builder, original.getLoc(), type.getShape(),
                                   type.getElementType());
  DenseElementsAttr elements;
  if (matchPattern(original, m_Constant(&elements)))
    return arith::ConstantOp::create(
        builder, original.getLoc(),
        DenseElementsAttr::get(type, elements.getSplatValue<Attribute>()));
  return addInput({original, axes}, type, original.getLoc());
}

/// Makes operands of what the body asks for besides.
void NominalBuilder::passInputs(linalg::LinalgOp op, linalg::GenericOp clone) {
  SmallVector<Value> inputs(clone.getInputs());
  SmallVector<AffineMap> maps = clone.getIndexingMapsArray();
  Block *body = clone.getBody();
  MLIRContext *context = clone.getContext();
  auto pass = [&](Operation *inner, NominalProgram::Input input,
                  ArrayRef<AffineExpr> place) {
    Type element = inner->getResult(0).getType();
    RankedTensorType type = getType(element, input.axes);
    maps.insert(maps.begin() + inputs.size(),
                AffineMap::get(clone.getNumLoops(), 0, place, context));
    Value argument =
        body->insertArgument(inputs.size(), element, inner->getLoc());
    inputs.push_back(addInput(std::move(input), type, inner->getLoc()));
    inner->getResult(0).replaceAllUsesWith(argument);
    inner->erase();
  };
  for (auto index : llvm::to_vector(body->getOps<linalg::IndexOp>()))
    pass(index, {Value(), {function.opAxes.at(op)[index.getDim()]}},
         getAffineDimExpr(index.getDim(), context));
  for (auto extract : llvm::to_vector(body->getOps<tensor::ExtractOp>())) {
    size_t rank = extract.getIndices().size();
    pass(extract,
         {extract.getTensor(), AxisList(rank, noAxis), extract.getIndices()},
         SmallVector<AffineExpr>(rank, getAffineConstantExpr(0, context)));
  }
  clone.getInputsMutable().assign(inputs);
  clone.setIndexingMapsAttr(OpBuilder(context).getAffineMapArrayAttr(maps));
}

void NominalBuilder::copy(linalg::LinalgOp op) {
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(getOperand(operand));
  op->walk([&](Operation *inner) {
    // Its tensor and indices stay those of the function (passInputs).
    if (isa<tensor::ExtractOp>(inner))
      return;
    for (Value value : inner->getOperands())
      if (!isa<TensorType>(value.getType()) &&
          value.getParentRegion() == &function.func.getBody())
        getScalar(value);
  });
  Operation *clone = builder.clone(*op, values);
  clone->setOperands(operands);
  for (auto [result, original] :
       llvm::zip_equal(clone->getResults(), op->getResults())) {
    result.setType(getType(original.getType(), function.getAxes(original)));
    values.map(original, result);
  }
  setAxes(clone, function.opAxes.at(op));
  if (auto generic = dyn_cast<linalg::GenericOp>(clone))
    passInputs(op, generic);
}

NominalProgram NominalBuilder::build() {
  Location loc = function.func.getLoc();
  program.module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(program.module->getBody());
  program.func = func::FuncOp::create(builder, loc, function.func.getSymName(),
                                      builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(program.func.addEntryBlock());
  for (linalg::LinalgOp op : function.ops)
    copy(op);
  SmallVector<Value> results;
  for (Value result : function.func.front().getTerminator()->getOperands())
    results.push_back(values.lookup(result));
  func::ReturnOp::create(builder, loc, results);
  program.func.setFunctionType(builder.getFunctionType(
      program.func.front().getArgumentTypes(), TypeRange(results)));
  return std::move(program);
}

NominalProgram linalg_to_tile::makeNominal(LinalgFunction &function) {
  return NominalBuilder(function).build();
}
