//===- EmitTcgen05.cpp - Products and tensor memory of Blackwell --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "MatrixDescriptors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

Value Emitter::loadTensor(const Tile &tile, int64_t columns) {
  if (!tile.filled)
    return loadColumns(tile.value, columns);
  auto type = VectorType::get(columns, b.getF32Type());
  auto branch = scf::IfOp::create(b, type, tile.filled,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loadColumns(tile.value, columns));
  b.setInsertionPointToStart(branch.elseBlock());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  scf::YieldOp::create(b, zero);
  return branch.getResult(0);
}

/// One row of `columns` 32-bit columns for each thread.
Value Emitter::loadColumns(Value address, int64_t columns) {
  Value mine = arith::AddIOp::create(b, address, tensorLane);
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Tensor));
  // tcgen05.ld takes powers of two up to 128.
  Type i32 = b.getI32Type();
  SmallVector<Value> words;
  for (int64_t done = 0; done < columns;) {
    int64_t width =
        std::min<int64_t>(128, llvm::bit_floor<uint64_t>(columns - done));
    Value at = arith::AddIOp::create(b, mine, constant(done));
    Type type = width == 1 ? i32 : Type(VectorType::get(width, i32));
    Value loaded = NVVM::Tcgen05LdOp::create(
        b, type, /*pack=*/false, NVVM::Tcgen05LdStShape::SHAPE_32X32B,
        LLVM::IntToPtrOp::create(b, pointer, at), Value());
    for (int64_t i = 0; i < width; ++i)
      words.push_back(
          width == 1 ? loaded
                     : vector::ExtractOp::create(b, loaded, i).getResult());
    done += width;
  }
  // LLVM sees no dependence between a load and its wait, and moves uses above
  // the wait. So the words go through it.
  std::string constraints;
  for (int64_t i = 0; i < columns; ++i)
    constraints += "=r,";
  for (int64_t i = 0; i < columns; ++i)
    constraints += std::to_string(i) + ",";
  constraints += "~{memory}";
  auto result = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(columns, i32));
  auto waited = LLVM::InlineAsmOp::create(
      b, result, words, "tcgen05.wait::ld.sync.aligned;", constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
      ArrayAttr());
  SmallVector<Value> elements;
  for (int64_t i = 0; i < columns; ++i) {
    Value word = LLVM::ExtractValueOp::create(b, waited.getRes(), i);
    elements.push_back(arith::BitcastOp::create(b, b.getF32Type(), word));
  }
  return vector::FromElementsOp::create(
      b, VectorType::get(columns, b.getF32Type()), elements);
}

LogicalResult Emitter::emitMma(tile::MmaOp op) {
  const Tile a = tiles.lookup(op.getA());
  const Tile bTile = tiles.lookup(op.getB());
  const Tile sum = tiles.lookup(op.getAcc());
  auto aType = cast<RankedTensorType>(op.getA().getType());
  auto bType = cast<RankedTensorType>(op.getB().getType());
  FailureOr<uint32_t> instruction = describeInstruction(op);
  if (failed(instruction))
    return failure();
  std::optional<Panels> aPanels = getPanels(aType), bPanels = getPanels(bType);
  if (a.kind != Tile::Kind::Shared || bTile.kind != Tile::Kind::Shared ||
      destinations.empty() || !aPanels || !bPanels)
    return op->emitOpError("multiplies tiles that are not both in slots of "
                           "shared memory, which has no code yet");
  Value first =
      sum.kind == Tile::Kind::Accumulator ? sum.value : constant(0, 1);
  auto tensorPointer = LLVM::LLVMPointerType::get(
      b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Tensor));
  Value target =
      LLVM::IntToPtrOp::create(b, tensorPointer, destinations.back());

  // A descriptor is the address in units of 16 bytes, and bits that describe
  // the panel. Steps along k only move the address.
  auto describe = [&](Value slot, const Panels &panels) -> Value {
    Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(), slot);
    Value units = arith::ShRUIOp::create(b, address, constant(4));
    Value wide = arith::ExtUIOp::create(b, b.getI64Type(), units);
    return arith::AddIOp::create(b, wide,
                                 constant(describePanel(panels.width), 64));
  };
  Value aBase = describe(a.value, *aPanels);
  Value bBase = describe(bTile.value, *bPanels);
  int64_t rowBytes = aPanels->width * aPanels->count;
  for (int64_t k = 0; k < rowBytes; k += bytesOfK) {
    auto step = [&](Value base, const Panels &panels) -> Value {
      int64_t offset = k / panels.width * panels.bytes() + k % panels.width;
      return arith::AddIOp::create(b, base, constant(offset / 16, 64));
    };
    Value aNow = step(aBase, *aPanels), bNow = step(bBase, *bPanels);
    Value accumulates = k == 0 ? first : constant(1, 1);
    Value issues = NVVM::ElectSyncOp::create(b, b.getI1Type(), Value());
    Value word = constant(*instruction);
    when(issues, [&] {
      NVVM::Tcgen05MMAOp::create(
          b, NVVM::Tcgen05MMAKind::F16, NVVM::CTAGroupKind::CTA_1,
          NVVM::Tcgen05MMACollectorOp::DISCARD, /*aShift=*/false, target, aNow,
          bNow, word, accumulates, Value(), Value());
    });
  }
  tiles[op.getResult()] = {Tile::Kind::Accumulator, constant(1, 1), {}};
  return success();
}
