//===- Control.cpp - Scalars, loops and branches --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// All threads of a role take the same way in a loop or a branch of the program,
// since scalars are the same in all of them. In others, some threads do
// something to the protocol.

#include "Patterns.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

static Values writeSize(tile::DimOp op, tile::DimOp::Adaptor, CodeWriter &w) {
  int64_t dim = op.getIndex();
  auto part = op.getView().getDefiningOp<tile::SubviewOp>();
  if (!part)
    return {w.kernel.signature.getSize(w.b, cast<BlockArgument>(op.getView()),
                                       dim)};
  OpFoldResult size = part.getMixedSizes()[dim];
  if (auto value = dyn_cast<Value>(size))
    return {w.lookup(value)};
  return {w.constant(*getConstantIntValue(size))};
}

static Values writeConstant(arith::ConstantOp op, arith::ConstantOp::Adaptor,
                            CodeWriter &w) {
  if (auto splat = dyn_cast<SplatElementsAttr>(op.getValue())) {
    Attribute number = getRegisterAttr(splat.getSplatValue<TypedAttr>());
    return {arith::ConstantOp::create(
        w.b, DenseElementsAttr::get(getVectorType(op.getType()), number))};
  }
  return {arith::ConstantOp::create(
      w.b, getRegisterAttr(cast<TypedAttr>(op.getValue())))};
}

static Values writeQuotient(arith::CeilDivUIOp op,
                            arith::CeilDivUIOp::Adaptor operands,
                            CodeWriter &w) {
  // Sizes are below 2^31, so this does not wrap around.
  Value rhs = operands.getRhs();
  Value one = arith::ConstantOp::create(
      w.b, cast<TypedAttr>(w.b.getIntegerAttr(rhs.getType(), 1)));
  Value sum = arith::AddIOp::create(w.b, operands.getLhs(),
                                    arith::SubIOp::create(w.b, rhs, one));
  return {arith::DivUIOp::create(w.b, sum, rhs)};
}

static Values writeCoordinates(affine::AffineDelinearizeIndexOp op,
                               affine::AffineDelinearizeIndexOp::Adaptor from,
                               CodeWriter &w) {
  SmallVector<Value> basis =
      w.getOffsets(op.getStaticBasis(), from.getDynamicBasis());
  unsigned count = op.getNumResults();
  Values results(count);
  Value rest = from.getLinearIndex();
  // The outermost size is not needed: the number is in range.
  for (unsigned i = count; i-- > 1;) {
    Value size = basis[basis.size() - (count - i)];
    results[i] = arith::RemUIOp::create(w.b, rest, size);
    rest = arith::DivUIOp::create(w.b, rest, size);
  }
  results[0] = rest;
  return results;
}

/// A role that gets more registers than the CTA enters with reads it for
/// itself. LLVM would make one read in front of all roles; the number of an
/// item that begins there is in a register that the smallest role has, too, and
/// ptxas spills it. Not on Hopper, where that is rare and some loops of loads
/// would get an instruction more.
static Values writeCta(gpu::BlockIdOp op, gpu::BlockIdOp::Adaptor,
                       CodeWriter &w) {
  auto role = op->getParentOfType<agent::RoleOp>();
  auto roles = op->getParentOfType<agent::SwitchOp>();
  if (!role || w.kernel.arch.mma == target::MmaInstruction::Wgmma ||
      role.getRegisters().value_or(0) <= roles.getEntryRegisters().value_or(0))
    return {w.kernel.cta};
  return {LLVM::InlineAsmOp::create(
              w.b, w.b.getI32Type(), ValueRange(), "mov.u32 $0, %ctaid.x;",
              "=r", /*has_side_effects=*/true, /*is_align_stack=*/false,
              LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
              ArrayAttr())
              .getResult(0)};
}

void codegen::addControl(PatternList &list) {
  scf::populateSCFStructuralTypeConversions(list.types, list.patterns);
  list.add<gpu::BlockIdOp>(writeCta);
  list.add<gpu::GridDimOp>(
      [](gpu::GridDimOp, gpu::GridDimOp::Adaptor, CodeWriter &w) -> Values {
        return {w.kernel.ctas};
      });
  list.add<tile::DimOp>(writeSize);
  list.add<arith::ConstantOp>(writeConstant);
  list.add<arith::CeilDivUIOp>(writeQuotient);
  list.add<affine::AffineDelinearizeIndexOp>(writeCoordinates);
}
