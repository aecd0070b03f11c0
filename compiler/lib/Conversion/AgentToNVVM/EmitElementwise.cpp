//===- EmitElementwise.cpp - Operations that keep elements where they are -===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "drawloom/Analysis/Plan/Scratch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

/// `index` has 32 bits, so a conversion from or to it may be nothing.
static Value resize(ImplicitLocOpBuilder &b, Value value, Type to,
                    bool isSigned) {
  unsigned from = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  unsigned bits = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
  if (from == bits)
    return value;
  if (from > bits)
    return arith::TruncIOp::create(b, to, value);
  if (isSigned)
    return arith::ExtSIOp::create(b, to, value);
  return arith::ExtUIOp::create(b, to, value);
}

/// Scalars, and operations on each element of tiles in registers: the same
/// operation on other types. Which of them there are is asked before
/// (drawloom/Dialect/Tile/IR/Code.h).
LogicalResult Emitter::emitElementwise(Operation *op) {
  SmallVector<Value> operands = getNow(op->getOperands());
  SmallVector<Type> types;
  for (Value result : op->getResults())
    types.push_back(isa<RankedTensorType>(result.getType())
                        ? getVectorType(result)
                        : getRegisterType(result.getType()));
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    bind(op->getResult(0), resize(b, operands.front(), types.front(),
                                  isa<arith::IndexCastOp>(op)));
    return success();
  }
  if (!operands.empty()) {
    FailureOr<Value> result = emitFunction(op, operands);
    if (failed(result))
      return failure();
    if (*result) {
      bind(op->getResult(0), *result);
      return success();
    }
  }
  Operation *made = b.create(op->getLoc(), op->getName().getIdentifier(),
                             operands, types, op->getAttrs());
  for (auto [from, to] : llvm::zip_equal(op->getResults(), made->getResults()))
    bind(from, to);
  return success();
}

void Emitter::bind(Value from, Value to) {
  if (isa<RankedTensorType, agent::InFlightType>(from.getType()))
    tiles[from] = {Tile::Kind::Fragment, to};
  else
    scalars[from] = to;
}

Value Emitter::makeIota(Value tile) {
  // A coordinate of a fragment is made of digits that never meet.
  plan::Offsets offsets =
      llvm::cantFail(plan::Offsets::get(getLayout(tile), 0));
  ThreadOffset thread = getThreadOffset(offsets);
  Type type = getRegisterType(getElementTypeOrSelf(tile.getType()));
  SmallVector<Value> elements;
  for (int64_t i = 0; i < offsets.getRegisters(); ++i) {
    Value number = arith::AddIOp::create(b, getOffset(thread, offsets, i),
                                         constant(offsets.getAdded(i)));
    if (type.getIntOrFloatBitWidth() > 32)
      number = arith::ExtUIOp::create(b, type, number);
    else if (type.getIntOrFloatBitWidth() < 32)
      number = arith::TruncIOp::create(b, type, number);
    elements.push_back(number);
  }
  return vector::FromElementsOp::create(b, getVectorType(tile), elements);
}

/// New axes of size one, repetitions along them, and permutations of axes:
/// other names for the same registers.
LogicalResult Emitter::emitReshape(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  const Tile tile = tiles.lookup(source);
  // A product reads it by a descriptor, a thread by other offsets.
  if (auto transpose = dyn_cast<tile::TransposeOp>(op);
      transpose &&
      (tile.kind == Tile::Kind::Shared ||
       (tile.kind == Tile::Kind::Fragment && agent::feedsProductsOnly(result) &&
        plan::findScratch(role, kernel.arch)
            .operands.contains(plan::getWhole(result))))) {
    tiles[result] = tile;
    tiles[result].transposed ^= transpose.getPermutation()[0] == 1;
    return success();
  }
  return gather(op, plan::getReshape(op));
}

/// Columns of a tile in tensor memory are another address; a part of a tile in
/// registers is some of the registers.
LogicalResult Emitter::emitSlice(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  const Tile tile = tiles.lookup(source);
  SmallVector<OpFoldResult> offsets;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    offsets = slice.getMixedOffsets();
  else
    for (int64_t offset : cast<tile::ExtractSliceOp>(op).getOffsets())
      offsets.push_back(b.getIndexAttr(offset));

  if (tile.kind == Tile::Kind::Tensor) {
    Tile columns = tile;
    columns.value = arith::AddIOp::create(b, tile.value, lookup(offsets[1]));
    tiles[result] = columns;
    return success();
  }

  SmallVector<int64_t> first;
  for (OpFoldResult offset : offsets) {
    APInt number;
    if (auto value = dyn_cast<Value>(offset);
        value && matchPattern(lookup(value), m_ConstantInt(&number)))
      first.push_back(number.getSExtValue());
    else
      first.push_back(cast<IntegerAttr>(cast<Attribute>(offset)).getInt());
  }
  return gather(op, [&](ArrayRef<int64_t> coordinates) {
    SmallVector<int64_t> at(coordinates);
    for (auto [coordinate, start] : llvm::zip_equal(at, first))
      coordinate += start;
    return at;
  });
}
