//===- EmitControl.cpp - Roles, blocks and scalars ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::codegen;

Value Emitter::constant(int64_t value, unsigned bits) {
  return arith::ConstantOp::create(
      b, b.getIntegerAttr(b.getIntegerType(bits), value));
}

Value Emitter::lookup(Value value) { return scalars.lookup(value); }

Value Emitter::lookup(OpFoldResult value) {
  if (auto attribute = dyn_cast<Attribute>(value))
    return constant(cast<IntegerAttr>(attribute).getInt());
  return lookup(cast<Value>(value));
}

SmallVector<Value> Emitter::getNow(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) {
    return isa<RankedTensorType, InFlightType>(value.getType())
               ? getFragment(value)
               : lookup(value);
  });
}

void Emitter::when(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  body();
}

LogicalResult Emitter::emitOutside(Operation *op) { return emitOp(op); }

LogicalResult Emitter::emitRole(RoleOp op) {
  role = op;
  b.setLoc(op.getLoc());
  int64_t first = op.getAt().value_or(0);
  // One thread of a warp issues copies and products, always the same one, so
  // that it can wait for what it has started.
  elected = NVVM::ElectSyncOp::create(b, b.getI1Type(), Value());
  roleWarp = arith::SubIOp::create(b, kernel.warp, constant(first));
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, roleWarp, constant(0));
  leader = arith::AndIOp::create(b, elected, isFirst);
  // A warp reaches the lanes of tensor memory that its number modulo four says;
  // the lane is in the upper half of an address.
  Value part = arith::AndIOp::create(b, kernel.warp, constant(3));
  tensorLane = arith::ShLIOp::create(b, part, constant(16 + 5));

  roleStart = tensorLane.getDefiningOp();
  return emitBlock(op.getBody().front());
}

LogicalResult Emitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(emitOp(&op)))
      return failure();
  return success();
}

/// All threads of the role take the same way in a branch of the program, since
/// scalars are the same in all of them. In others, some threads do something to
/// the protocol.
LogicalResult Emitter::emitIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Value result : op.getResults())
    types.push_back(isa<RankedTensorType>(result.getType())
                        ? getVectorType(result)
                        : getRegisterType(result.getType()));
  auto branch = scf::IfOp::create(b, types, lookup(op.getCondition()),
                                  !op.getElseRegion().empty());
  for (auto [from, to] : llvm::zip(op->getRegions(), branch->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(b);
    if (to.front().mightHaveTerminator() && !to.front().empty())
      to.front().back().erase();
    b.setInsertionPointToEnd(&to.front());
    if (failed(emitBlock(from.front())))
      return failure();
    b.setLoc(op.getLoc());
    scf::YieldOp::create(b,
                         getNow(from.front().getTerminator()->getOperands()));
  }
  for (auto [from, to] : llvm::zip_equal(op.getResults(), branch.getResults()))
    bind(from, to);
  return success();
}

LogicalResult Emitter::emitOp(Operation *op) {
  b.setLoc(op->getLoc());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(branch);
  if (std::optional<LogicalResult> result = emitProtocol(op))
    return *result;
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return emitThreadStore(store);
  if (auto mma = dyn_cast<tile::MmaOp>(op))
    return emitPromoted(mma);
  if (isa<tensor::ExtractSliceOp, tile::ExtractSliceOp>(op))
    return emitSlice(op);
  // A part of a view is other coordinates, where it is used.
  if (isa<tile::SubviewOp>(op))
    return success();
  if (isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp>(op))
    return emitReshape(op);
  if (auto conversion = dyn_cast<tile::ConvertLayoutOp>(op))
    return emitConversion(conversion);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return emitReduce(reduce);
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return emitThreadLoad(load);
  if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
    bind(splat, vector::BroadcastOp::create(b, getVectorType(splat),
                                            lookup(splat.getInput())));
    return success();
  }
  if (auto iota = dyn_cast<tile::IotaOp>(op)) {
    bind(iota, makeIota(iota));
    return success();
  }
  if (isa<gpu::BlockIdOp>(op)) {
    scalars[op->getResult(0)] = kernel.cta;
    return success();
  }
  if (isa<gpu::GridDimOp>(op)) {
    scalars[op->getResult(0)] = kernel.ctas;
    return success();
  }
  if (auto dim = dyn_cast<tile::DimOp>(op)) {
    if (auto part = dim.getView().getDefiningOp<tile::SubviewOp>())
      scalars[dim] = lookup(part.getMixedSizes()[dim.getIndex()]);
    else
      scalars[dim] = kernel.signature.getSize(
          b, cast<BlockArgument>(dim.getView()), dim.getIndex());
    return success();
  }
  if (auto value = dyn_cast<arith::ConstantOp>(op)) {
    if (auto splat = dyn_cast<SplatElementsAttr>(value.getValue())) {
      Attribute number = getRegisterAttr(splat.getSplatValue<TypedAttr>());
      bind(value, arith::ConstantOp::create(
                      b, DenseElementsAttr::get(getVectorType(value), number)));
      return success();
    }
    if (auto number = dyn_cast<IntegerAttr>(value.getValue());
        number && value.getType().isIndex()) {
      scalars[value] = constant(number.getInt());
      return success();
    }
  }
  if (auto divide = dyn_cast<arith::CeilDivUIOp>(op)) {
    // Sizes are below 2^31, so this does not wrap around.
    Value rhs = lookup(divide.getRhs());
    Value sum = arith::AddIOp::create(
        b, lookup(divide.getLhs()), arith::SubIOp::create(b, rhs, constant(1)));
    scalars[divide] = arith::DivUIOp::create(b, sum, rhs);
    return success();
  }
  if (auto split = dyn_cast<affine::AffineDelinearizeIndexOp>(op)) {
    SmallVector<OpFoldResult> basis = split.getMixedBasis();
    unsigned count = split.getNumResults();
    Value rest = lookup(split.getLinearIndex());
    // The outermost size is not needed: the number is in range.
    for (unsigned i = count; i-- > 1;) {
      Value size = lookup(basis[basis.size() - (count - i)]);
      scalars[split.getResult(i)] = arith::RemUIOp::create(b, rest, size);
      rest = arith::DivUIOp::create(b, rest, size);
    }
    scalars[split.getResult(0)] = rest;
    return success();
  }
  return emitElementwise(op);
}
