//===- EmitOp.cpp - One linalg operation on tiles -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A product of matrices becomes tile.mma. In everything else the operations of
// the body are applied to whole tiles, each over the loops that its operands
// depend on and no others: what is computed of a bias stays a row until it
// meets a matrix.

#include "NominalProgram.h"
#include "OpEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::linalg_to_tile;

SmallVector<unsigned, 4> OpEmitter::getLoops(OpOperand &operand) {
  SmallVector<unsigned, 4> loops;
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  for (auto [i, expr] :
       llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
    if (type && type.getDimSize(i) != 1)
      loops.push_back(cast<AffineDimExpr>(expr).getPosition());
  return loops;
}

Value OpEmitter::track(Value tile, ArrayRef<unsigned> loops) {
  AxisList axes;
  for (unsigned loop : loops)
    axes.push_back(getAxes(op)[loop]);
  kernel.padding.setAxes(tile, axes);
  return tile;
}

Value OpEmitter::permute(Value tile, ArrayRef<unsigned> from,
                         ArrayRef<unsigned> to) {
  if (from == to)
    return tile;
  SmallVector<int64_t> permutation;
  for (unsigned loop : to)
    permutation.push_back(llvm::find(from, loop) - from.begin());
  return track(
      tile::TransposeOp::create(kernel.builder, op.getLoc(), tile, permutation),
      to);
}

Value OpEmitter::neutralize(Value tile, unsigned loop, int64_t dim,
                            TypedAttr neutral) {
  int64_t axis = getAxes(op)[loop];
  return kernel.padding.neutralize(
      op.getLoc(), tile,
      {axis, dim, kernel.sizes[axis], kernel.positions[axis]}, neutral);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

FailureOr<Value> OpEmitter::emitProduct() {
  std::optional<Contraction> product = matchContraction(op);
  if (!product)
    return Value();
  OpOperand *init = op.getDpsInitOperand(0);
  SmallVector<unsigned, 4> out = getLoops(*init);
  OpOperand *operands[] = {product->lhs, product->rhs};
  if (out.size() != 2)
    return Value();
  // The rows of the result are the rows of a.
  if (!llvm::is_contained(getLoops(*operands[0]), out[0]))
    std::swap(operands[0], operands[1]);

  Value tiles[2];
  for (auto [i, operand] : llvm::enumerate(operands)) {
    SmallVector<unsigned, 4> loops = getLoops(*operand);
    const unsigned *k = llvm::find_if(
        loops, [&](unsigned loop) { return !llvm::is_contained(out, loop); });
    if (loops.size() != 2 || !llvm::is_contained(loops, out[i]) ||
        k == loops.end())
      return Value();
    Value tile = permute(kernel.getTile(operand->get()), loops, {out[i], *k});
    Type element = getElementTypeOrSelf(tile.getType());
    TypedAttr zero = tile::ReduceOp::getIdentity(
        isa<FloatType>(element) ? tile::Reduction::AddF : tile::Reduction::AddI,
        element);
    if (!zero)
      return Value();
    tiles[i] = neutralize(tile, *k, /*dim=*/1, zero);
  }
  auto mma = tile::MmaOp::create(kernel.builder, op.getLoc(), tiles[0],
                                 tiles[1], kernel.getTile(init->get()));
  mma.setTf32(op->hasAttr("tf32"));
  if (failed(verify(mma)))
    return failure();
  return track(mma, out);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

OpEmitter::Piece OpEmitter::getPiece(OpOperand &operand) {
  if (!isa<RankedTensorType>(operand.get().getType()))
    return {kernel.scalars.lookup(operand.get()), {}};
  SmallVector<unsigned, 4> loops = getLoops(operand);
  SmallVector<unsigned, 4> sorted = loops;
  llvm::sort(sorted);
  return {permute(kernel.getTile(operand.get()), loops, sorted), sorted};
}

/// Repeats a piece along more loops.
OpEmitter::Piece OpEmitter::widen(Piece piece, ArrayRef<unsigned> loops) {
  if (ArrayRef<unsigned>(piece.loops) == loops)
    return piece;
  Location loc = op.getLoc();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<int64_t> shape;
  for (unsigned loop : loops)
    shape.push_back(ranges[loop]);
  auto type =
      RankedTensorType::get(shape, getElementTypeOrSelf(piece.value.getType()));
  Attribute constant;
  Value value = piece.value;
  if (piece.loops.empty() && matchPattern(value, m_Constant(&constant))) {
    value = arith::ConstantOp::create(kernel.builder, loc,
                                      DenseElementsAttr::get(type, constant));
  } else if (piece.loops.empty()) {
    value = tensor::SplatOp::create(kernel.builder, loc, type, value);
  } else {
    for (auto [i, loop] : llvm::enumerate(loops))
      if (!llvm::is_contained(piece.loops, loop)) {
        value = tile::ExpandDimsOp::create(kernel.builder, loc, value, i);
        piece.loops.insert(piece.loops.begin() + i, loop);
        track(value, piece.loops);
      }
    value = tile::BroadcastOp::create(kernel.builder, loc, type, value);
  }
  return {track(value, loops),
          SmallVector<unsigned, 4>(loops.begin(), loops.end())};
}

Value OpEmitter::arrange(Piece piece, ArrayRef<unsigned> order) {
  SmallVector<unsigned, 4> sorted(order.begin(), order.end());
  llvm::sort(sorted);
  return permute(widen(piece, sorted).value, sorted, order);
}

SmallVector<OpEmitter::Piece, 1> OpEmitter::apply(Operation &inner,
                                                  ArrayRef<Piece> operands) {
  llvm::SmallSetVector<unsigned, 4> set;
  for (const Piece &operand : operands)
    set.insert(operand.loops.begin(), operand.loops.end());
  SmallVector<unsigned, 4> loops = set.takeVector();
  llvm::sort(loops);
  IRMapping mapping;
  for (auto [value, piece] : llvm::zip_equal(inner.getOperands(), operands))
    mapping.map(value, widen(piece, loops).value);
  Operation *clone = kernel.builder.clone(inner, mapping);
  SmallVector<Piece, 1> pieces;
  for (Value result : clone->getResults()) {
    if (!loops.empty())
      result.setType(cast<RankedTensorType>(clone->getOperand(0).getType())
                         .clone(result.getType()));
    pieces.push_back({track(result, loops), loops});
  }
  return pieces;
}

OpEmitter::Piece OpEmitter::evaluate(Value value,
                                     DenseMap<Value, Piece> &pieces) {
  if (auto it = pieces.find(value); it != pieces.end())
    return it->second;
  Operation *inner = value.getDefiningOp();
  if (!inner || inner->getBlock() != op.getBlock())
    return {kernel.scalars.lookup(value), {}};
  SmallVector<Piece> operands;
  for (Value operand : inner->getOperands())
    operands.push_back(evaluate(operand, pieces));
  for (auto [result, piece] :
       llvm::zip_equal(inner->getResults(), apply(*inner, operands)))
    pieces[result] = piece;
  return pieces[value];
}

OpEmitter::Piece OpEmitter::reduce(Piece piece, tile::Reduction kind) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  llvm::erase_if(reduced, [&](unsigned loop) { return ranges[loop] == 1; });
  SmallVector<unsigned, 4> all = piece.loops;
  for (unsigned loop : reduced)
    if (!llvm::is_contained(all, loop))
      all.push_back(loop);
  llvm::sort(all);
  piece = widen(piece, all);

  TypedAttr neutral = tile::ReduceOp::getIdentity(
      kind, getElementTypeOrSelf(piece.value.getType()));
  for (unsigned loop : reduced)
    piece.value = neutralize(
        piece.value, loop, llvm::find(piece.loops, loop) - piece.loops.begin(),
        neutral);
  for (unsigned loop : llvm::reverse(reduced)) {
    unsigned *position = llvm::find(piece.loops, loop);
    piece.value = tile::ReduceOp::create(
        kernel.builder, op.getLoc(),
        tile::ReductionAttr::get(kernel.builder.getContext(), kind),
        piece.value,
        kernel.builder.getI64IntegerAttr(position - piece.loops.begin()));
    piece.loops.erase(position);
    track(piece.value, piece.loops);
  }
  return piece;
}

/// Gives a tile to the operation that an operation on elements stands for.
OpEmitter::Piece OpEmitter::combineAlong(Piece piece, const Along &along) {
  SmallVector<unsigned, 4> loops = piece.loops;
  unsigned loop = along.loop;
  if (!llvm::is_contained(loops, loop))
    loops.push_back(loop);
  llvm::sort(loops);
  piece = widen(piece, loops);
  OperationState state(op.getLoc(), along.name, piece.value,
                       piece.value.getType(), along.attributes.getValue());
  state.addAttribute("axis", kernel.builder.getI64IntegerAttr(
                                 llvm::find(loops, loop) - loops.begin()));
  return {track(kernel.builder.create(state)->getResult(0), loops), loops};
}

FailureOr<SmallVector<Value>> OpEmitter::emit() {
  FailureOr<Value> product = emitProduct();
  if (failed(product))
    return failure();
  if (*product)
    return SmallVector<Value>{*product};

  DenseMap<Value, Piece> pieces;
  for (OpOperand &operand : op->getOpOperands())
    if (op.payloadUsesValueFromOperand(&operand))
      pieces[op.getMatchingBlockArgument(&operand)] = getPiece(operand);

  SmallVector<Value> tiles;
  for (OpResult result : op->getResults()) {
    OpOperand *init = op.getDpsInitOperand(result.getResultNumber());
    Value yielded = op.getMatchingYieldValue(init)->get();
    Piece piece;
    if (op.getNumReductionLoops() == 0) {
      piece = evaluate(yielded, pieces);
      if (std::optional<Along> along = getAlong(op))
        piece = combineAlong(piece, *along);
    } else {
      std::optional<Combiner> combiner =
          matchCombiner(op, result.getResultNumber());
      Piece part = reduce(evaluate(combiner->value, pieces), combiner->kind);
      Piece previous = pieces[op.getMatchingBlockArgument(init)];
      Operation *inner = yielded.getDefiningOp();
      bool partFirst = inner->getOperand(0) == combiner->value;
      piece = partFirst ? apply(*inner, {part, previous}).front()
                        : apply(*inner, {previous, part}).front();
    }
    tiles.push_back(arrange(piece, getLoops(*init)));
  }
  return tiles;
}
