//===- EmitLinalg.cpp - A fusion as linalg on tensors ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// One linalg operation for each node: linalg.contract for products and
// linalg.generic for reductions and everything element by element. Views are
// indexing maps of their readers. The names of inputs and outputs and the lines
// of the C++ program become locations.

#include "FusionGraph.h"
#include "drawloom/Dialect/Tile/IR/TileAttrs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>
#include <map>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::frontend;

namespace {
/// A tensor as its readers see it. For each dimension of the stored tensor, the
/// dimension of the view; the view's others have size one.
struct View {
  unsigned node;
  SmallVector<unsigned, 3> dims;
  unsigned rank;
};

class LinalgEmitter {
public:
  LinalgEmitter(const FusionGraph &graph, ModuleOp module)
      : graph(graph), module(module), builder(module.getContext()) {}

  void emit();

private:
  Location locate(Where where) {
    return FileLineColLoc::get(builder.getContext(), where.file, where.line,
                               where.column);
  }
  Type getType(DataType type);
  RankedTensorType getType(const Node &node);
  View view(unsigned node);
  Value getSize(unsigned node, unsigned dim);
  Value createEmpty(unsigned node);
  Value createFilled(unsigned node, TypedAttr value);
  AffineMap getMap(const View &view, const Node &reader);

  Value emitNode(unsigned node);
  Value emitMatmul(unsigned node);
  TypedAttr getIdentity(const Node &node);
  Value emitReduce(unsigned node);
  Value emitScan(unsigned node);
  Value emitElementwise(unsigned node, ArrayRef<unsigned> operands);
  Value compute(OpBuilder &body, Location loc, const Node &node,
                ValueRange operands);
  Value convert(OpBuilder &body, Location loc, Value value, Type type);
  Value applyFormula(OpBuilder &body, Location loc, const Node &node, Value x,
                     Value y);
  void propagateSizes();

  const FusionGraph &graph;
  ModuleOp module;
  OpBuilder builder;
  func::FuncOp function;
  std::vector<Value> values;
  /// Where the size of a dimension of a node can be read: an input and its
  /// dimension.
  std::vector<SmallVector<std::pair<unsigned, unsigned>, 3>> sources;
  std::map<std::pair<unsigned, unsigned>, Value> sizes;
};
} // namespace

Type LinalgEmitter::getType(DataType type) {
  switch (type) {
  case DataType::F32:
    return builder.getF32Type();
  case DataType::F16:
    return builder.getF16Type();
  case DataType::BF16:
    return builder.getBF16Type();
  case DataType::E4M3:
    return builder.getType<Float8E4M3FNType>();
  case DataType::E5M2:
    return builder.getType<Float8E5M2Type>();
  case DataType::I32:
    return builder.getI32Type();
  case DataType::I8:
    return builder.getI8Type();
  }
  return {};
}

RankedTensorType LinalgEmitter::getType(const Node &node) {
  SmallVector<int64_t> shape;
  for (const Size &size : node.shape)
    shape.push_back(size.isStatic() ? size.value : ShapedType::kDynamic);
  return RankedTensorType::get(shape, getType(node.type));
}

View LinalgEmitter::view(unsigned index) {
  const Node &node = graph.nodes[index];
  if (node.kind != NodeKind::Transpose && node.kind != NodeKind::Unsqueeze) {
    auto dims = llvm::seq<unsigned>(0, node.shape.size());
    return {index, {dims.begin(), dims.end()}, unsigned(node.shape.size())};
  }
  View below = view(node.operands[0]);
  unsigned rank = below.rank = node.shape.size();
  for (unsigned &dim : below.dims) {
    if (node.kind == NodeKind::Unsqueeze)
      dim += dim >= node.axis;
    else if (dim + 2 >= rank)
      dim = dim + 1 == rank ? rank - 2 : rank - 1;
  }
  return below;
}

/// Finds an input for each dimension whose size is known at launch.
void LinalgEmitter::propagateSizes() {
  std::map<std::string, std::pair<unsigned, unsigned>> byName;
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    auto &own = sources.emplace_back(node.shape.size());
    unsigned rank = node.shape.size();
    for (unsigned dim = 0; dim < rank; ++dim) {
      const Size &size = node.shape[dim];
      if (size.isStatic())
        continue;
      if (auto found = byName.find(size.name);
          !size.name.empty() && found != byName.end()) {
        own[dim] = found->second;
        continue;
      }
      switch (node.kind) {
      case NodeKind::Input:
        own[dim] = {i, dim};
        break;
      case NodeKind::Matmul:
        own[dim] = dim + 1 == rank ? sources[node.operands[1]][dim]
                                   : sources[node.operands[0]][dim];
        break;
      case NodeKind::Transpose:
        own[dim] = sources[node.operands[0]][dim + 2 < rank    ? dim
                                             : dim + 1 == rank ? rank - 2
                                                               : rank - 1];
        break;
      case NodeKind::Unsqueeze:
        own[dim] = sources[node.operands[0]][dim - (dim > node.axis)];
        break;
      case NodeKind::Reduce:
        own[dim] = sources[node.operands[0]][dim + (dim >= node.axis)];
        break;
      case NodeKind::Cast:
      case NodeKind::Scan:
      case NodeKind::Elementwise:
        for (unsigned operand : node.operands) {
          ArrayRef<Size> shape = graph.nodes[operand].shape;
          unsigned missing = rank - shape.size();
          if (dim >= missing && !shape[dim - missing].isStatic()) {
            own[dim] = sources[operand][dim - missing];
            break;
          }
        }
        break;
      }
      if (!size.name.empty())
        byName.emplace(size.name, own[dim]);
    }
  }
}

Value LinalgEmitter::getSize(unsigned node, unsigned dim) {
  std::pair<unsigned, unsigned> source = sources[node][dim];
  Value &size = sizes[source];
  if (!size) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&function.getBody().front());
    Location loc = locate(graph.nodes[source.first].where);
    size = tensor::DimOp::create(builder, loc, values[source.first],
                                 source.second);
  }
  return size;
}

Value LinalgEmitter::createEmpty(unsigned index) {
  const Node &node = graph.nodes[index];
  SmallVector<OpFoldResult> shape;
  for (auto [dim, size] : llvm::enumerate(node.shape))
    shape.push_back(size.isStatic()
                        ? OpFoldResult(builder.getIndexAttr(size.value))
                        : OpFoldResult(getSize(index, dim)));
  return tensor::EmptyOp::create(builder, locate(node.where), shape,
                                 getType(node.type));
}

Value LinalgEmitter::createFilled(unsigned index, TypedAttr value) {
  Location loc = locate(graph.nodes[index].where);
  Value scalar = arith::ConstantOp::create(builder, loc, value);
  return linalg::FillOp::create(builder, loc, ValueRange(scalar),
                                ValueRange(createEmpty(index)))
      .getResult(0);
}

/// How a node reads a view element by element: shapes are aligned at the last
/// dimension, and what has size one is read at index 0.
AffineMap LinalgEmitter::getMap(const View &view, const Node &reader) {
  const Node &stored = graph.nodes[view.node];
  unsigned rank = reader.shape.size();
  SmallVector<AffineExpr> exprs;
  for (auto [i, dim] : llvm::enumerate(view.dims)) {
    unsigned at = dim + rank - view.rank;
    bool isRepeated = stored.shape[i].value == 1 && reader.shape[at].value != 1;
    exprs.push_back(isRepeated ? builder.getAffineConstantExpr(0)
                               : builder.getAffineDimExpr(at));
  }
  return AffineMap::get(rank, 0, exprs, builder.getContext());
}

Value LinalgEmitter::emitMatmul(unsigned index) {
  const Node &node = graph.nodes[index];
  // Loops: batch dimensions, m, n, k.
  unsigned rank = node.shape.size(), k = rank;
  auto getOperandMap = [&](const View &view, bool isLeft) {
    SmallVector<AffineExpr> exprs;
    for (unsigned dim : view.dims) {
      unsigned loop = dim;
      if (isLeft && dim + 1 == rank)
        loop = k;
      if (!isLeft && dim + 2 == rank)
        loop = k;
      exprs.push_back(builder.getAffineDimExpr(loop));
    }
    return AffineMap::get(rank + 1, 0, exprs, builder.getContext());
  };
  View left = view(node.operands[0]), right = view(node.operands[1]);
  SmallVector<AffineExpr> result;
  for (unsigned dim = 0; dim < rank; ++dim)
    result.push_back(builder.getAffineDimExpr(dim));
  ArrayAttr maps = builder.getAffineMapArrayAttr(
      {getOperandMap(left, true), getOperandMap(right, false),
       AffineMap::get(rank + 1, 0, result, builder.getContext())});
  Value zero = createFilled(index, builder.getZeroAttr(getType(node.type)));
  return linalg::ContractOp::create(
             builder, locate(node.where), TypeRange(getType(node)),
             ValueRange{values[left.node], values[right.node]},
             ValueRange(zero), maps)
      .getResult(0);
}

/// What nothing is added to, or is larger than.
TypedAttr LinalgEmitter::getIdentity(const Node &node) {
  Type element = getType(node.type);
  if (node.formula == Formula::Add)
    return builder.getZeroAttr(element);
  if (auto type = dyn_cast<FloatType>(element))
    return builder.getFloatAttr(
        type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/true));
  return builder.getIntegerAttr(
      element, APInt::getSignedMinValue(element.getIntOrFloatBitWidth()));
}

static Value combine(OpBuilder &body, Location loc, const Node &node, Value x,
                     Value y) {
  bool isSum = node.formula == Formula::Add;
  if (isa<FloatType>(x.getType()))
    return isSum ? arith::AddFOp::create(body, loc, x, y).getResult()
                 : arith::MaximumFOp::create(body, loc, x, y).getResult();
  return isSum ? arith::AddIOp::create(body, loc, x, y).getResult()
               : arith::MaxSIOp::create(body, loc, x, y).getResult();
}

Value LinalgEmitter::emitReduce(unsigned index) {
  const Node &node = graph.nodes[index];
  View below = view(node.operands[0]);
  // Through a generic, because the reduced dimension is the view's.
  unsigned loops = below.rank;
  SmallVector<AffineExpr> read, write;
  for (unsigned dim : below.dims)
    read.push_back(builder.getAffineDimExpr(dim));
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::parallel);
  iterators[node.axis] = utils::IteratorType::reduction;
  for (unsigned dim = 0; dim < loops; ++dim)
    if (dim != node.axis)
      write.push_back(builder.getAffineDimExpr(dim));
  return linalg::GenericOp::create(
             builder, locate(node.where), TypeRange(getType(node)),
             ValueRange(values[below.node]),
             ValueRange(createFilled(index, getIdentity(node))),
             ArrayRef{AffineMap::get(loops, 0, read, builder.getContext()),
                      AffineMap::get(loops, 0, write, builder.getContext())},
             iterators,
             [&](OpBuilder &body, Location loc, ValueRange args) {
               linalg::YieldOp::create(
                   body, loc, combine(body, loc, node, args[0], args[1]));
             })
      .getResult(0);
}

/// Of an element's place and a loop along the same dimension, what comes no
/// later is combined. The conversion to tiles knows this form.
Value LinalgEmitter::emitScan(unsigned index) {
  const Node &node = graph.nodes[index];
  View below = view(node.operands[0]);
  unsigned rank = below.rank;
  SmallVector<AffineExpr> read;
  for (unsigned dim : below.dims)
    read.push_back(builder.getAffineDimExpr(dim == node.axis ? rank : dim));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  AffineMap write =
      AffineMap::getMultiDimIdentityMap(rank + 1, builder.getContext())
          .dropResult(rank);
  TypedAttr identity = getIdentity(node);
  auto body = [&](OpBuilder &body, Location loc, ValueRange args) {
    Value along = linalg::IndexOp::create(body, loc, rank);
    Value place = linalg::IndexOp::create(body, loc, node.axis);
    Value isEarlier = arith::CmpIOp::create(
        body, loc, arith::CmpIPredicate::ule, along, place);
    Value none = arith::ConstantOp::create(body, loc, identity);
    Value chosen = arith::SelectOp::create(body, loc, isEarlier, args[0], none);
    linalg::YieldOp::create(body, loc,
                            combine(body, loc, node, args[1], chosen));
  };
  return linalg::GenericOp::create(
             builder, locate(node.where), TypeRange(getType(node)),
             ValueRange(values[below.node]),
             ValueRange(createFilled(index, identity)),
             ArrayRef{AffineMap::get(rank + 1, 0, read, builder.getContext()),
                      write},
             iterators, body)
      .getResult(0);
}

Value LinalgEmitter::emitElementwise(unsigned index,
                                     ArrayRef<unsigned> operands) {
  const Node &node = graph.nodes[index];
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (unsigned operand : operands) {
    View read = view(operand);
    inputs.push_back(values[read.node]);
    maps.push_back(getMap(read, node));
  }
  maps.push_back(builder.getMultiDimIdentityMap(node.shape.size()));
  SmallVector<utils::IteratorType> iterators(node.shape.size(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, locate(node.where), TypeRange(getType(node)), inputs,
             ValueRange(createEmpty(index)), maps, iterators,
             [&](OpBuilder &body, Location loc, ValueRange args) {
               linalg::YieldOp::create(
                   body, loc, compute(body, loc, node, args.drop_back()));
             })
      .getResult(0);
}

Value LinalgEmitter::convert(OpBuilder &body, Location loc, Value value,
                             Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(type);
  unsigned fromBits = from.getIntOrFloatBitWidth();
  unsigned toBits = type.getIntOrFloatBitWidth();
  if (fromFloat && toFloat && fromBits == toBits) {
    // Between two formats of one width the way leads over a wider one.
    Type wide = fromBits == 16 ? body.getF32Type() : body.getF16Type();
    return convert(body, loc, convert(body, loc, value, wide), type);
  }
  if (fromFloat && toFloat)
    return toBits > fromBits
               ? arith::ExtFOp::create(body, loc, type, value).getResult()
               : arith::TruncFOp::create(body, loc, type, value).getResult();
  if (!fromFloat && !toFloat)
    return toBits > fromBits
               ? arith::ExtSIOp::create(body, loc, type, value).getResult()
               : arith::TruncIOp::create(body, loc, type, value).getResult();
  return fromFloat
             ? arith::FPToSIOp::create(body, loc, type, value).getResult()
             : arith::SIToFPOp::create(body, loc, type, value).getResult();
}

Value LinalgEmitter::compute(OpBuilder &body, Location loc, const Node &node,
                             ValueRange operands) {
  Type result = getType(node.type);
  if (node.kind != NodeKind::Elementwise)
    return convert(body, loc, operands[0], result);
  // What is narrower than f32 is computed in f32 and rounded once.
  Type wide = isFloat(node.type) ? body.getF32Type() : result;
  Value x = convert(body, loc, operands[0], wide), y;
  if (operands.size() == 2)
    y = convert(body, loc, operands[1], wide);
  else if (node.number) {
    TypedAttr number =
        isFloat(node.type)
            ? TypedAttr(body.getFloatAttr(wide, *node.number))
            : TypedAttr(body.getIntegerAttr(wide, std::llround(*node.number)));
    y = arith::ConstantOp::create(body, loc, number);
  }
  return convert(body, loc, applyFormula(body, loc, node, x, y), result);
}

Value LinalgEmitter::applyFormula(OpBuilder &body, Location loc,
                                  const Node &node, Value x, Value y) {
  bool isFloating = isFloat(node.type);
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(body, loc,
                                     body.getFloatAttr(x.getType(), value));
  };
  switch (node.formula) {
  case Formula::Add:
    return isFloating ? arith::AddFOp::create(body, loc, x, y).getResult()
                      : arith::AddIOp::create(body, loc, x, y).getResult();
  case Formula::Sub:
    return isFloating ? arith::SubFOp::create(body, loc, x, y).getResult()
                      : arith::SubIOp::create(body, loc, x, y).getResult();
  case Formula::Mul:
    return isFloating ? arith::MulFOp::create(body, loc, x, y).getResult()
                      : arith::MulIOp::create(body, loc, x, y).getResult();
  case Formula::Div:
    return isFloating ? arith::DivFOp::create(body, loc, x, y).getResult()
                      : arith::DivSIOp::create(body, loc, x, y).getResult();
  case Formula::Max:
    return isFloating ? arith::MaximumFOp::create(body, loc, x, y).getResult()
                      : arith::MaxSIOp::create(body, loc, x, y).getResult();
  case Formula::Min:
    return isFloating ? arith::MinimumFOp::create(body, loc, x, y).getResult()
                      : arith::MinSIOp::create(body, loc, x, y).getResult();
  case Formula::Exp:
    return math::ExpOp::create(body, loc, x);
  case Formula::Rsqrt:
    return math::RsqrtOp::create(body, loc, x);
  case Formula::Relu:
    return arith::MaximumFOp::create(body, loc, x, number(0));
  case Formula::Gelu: {
    Value scaled = arith::MulFOp::create(body, loc, x, number(M_SQRT1_2));
    Value erf = math::ErfOp::create(body, loc, scaled);
    Value weight = arith::AddFOp::create(body, loc, erf, number(1));
    Value half = arith::MulFOp::create(body, loc, x, number(0.5));
    return arith::MulFOp::create(body, loc, half, weight);
  }
  case Formula::Silu: {
    Value minus = arith::NegFOp::create(body, loc, x);
    Value power = math::ExpOp::create(body, loc, minus);
    Value below = arith::AddFOp::create(body, loc, power, number(1));
    return arith::DivFOp::create(body, loc, x, below);
  }
  }
  return x;
}

Value LinalgEmitter::emitNode(unsigned index) {
  const Node &node = graph.nodes[index];
  switch (node.kind) {
  case NodeKind::Matmul:
    return emitMatmul(index);
  case NodeKind::Reduce:
    return emitReduce(index);
  case NodeKind::Scan:
    return emitScan(index);
  case NodeKind::Elementwise:
  case NodeKind::Cast:
    return emitElementwise(index, node.operands);
  case NodeKind::Input:
  case NodeKind::Transpose:
  case NodeKind::Unsqueeze:
    break;
  }
  return {};
}

void LinalgEmitter::emit() {
  builder.getContext()
      ->loadDialect<arith::ArithDialect, func::FuncDialect,
                    linalg::LinalgDialect, math::MathDialect,
                    tensor::TensorDialect, tile::TileDialect>();
  SmallVector<Type> inputs, outputs;
  SmallVector<unsigned> inputNodes;
  for (auto [i, node] : llvm::enumerate(graph.nodes))
    if (node.kind == NodeKind::Input) {
      inputs.push_back(getType(node));
      inputNodes.push_back(i);
    }
  for (const FusionGraph::Output &output : graph.outputs)
    outputs.push_back(getType(graph.nodes[output.node]));

  builder.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(builder, locate(graph.where), graph.name,
                                  builder.getFunctionType(inputs, outputs));
  if (!graph.target.empty())
    function->setAttr(tile::targetAttrName,
                      builder.getStringAttr(graph.target));
  if (graph.schedule != tile::Schedule())
    tile::setSchedule(function, graph.schedule);
  for (auto [i, output] : llvm::enumerate(graph.outputs))
    function.setResultAttr(i, tile::nameAttrName,
                           builder.getStringAttr(output.name));
  Block *body = function.addEntryBlock();
  values.resize(graph.nodes.size());
  for (auto [i, index] : llvm::enumerate(inputNodes)) {
    BlockArgument argument = body->getArgument(i);
    argument.setLoc(locate(graph.nodes[index].where));
    tile::setArgumentName(argument, graph.nodes[index].name);
    function.setArgAttr(i, tile::nameAttrName,
                        builder.getStringAttr(graph.nodes[index].name));
    values[index] = argument;
  }
  propagateSizes();
  builder.setInsertionPointToEnd(body);
  for (unsigned i = 0; i < graph.nodes.size(); ++i)
    if (!values[i])
      values[i] = emitNode(i);

  SmallVector<Value> results;
  for (const FusionGraph::Output &output : graph.outputs) {
    Value value = values[output.node];
    // An input or a view of something is no result of an operation.
    if (!value || isa<BlockArgument>(value))
      value = emitElementwise(output.node, output.node);
    results.push_back(value);
  }
  func::ReturnOp::create(builder, locate(graph.where), results);
}

void frontend::emitLinalg(const FusionGraph &graph, ModuleOp module) {
  LinalgEmitter(graph, module).emit();
}
