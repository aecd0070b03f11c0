//===- EmitTcgen05.cpp - Products and tensor memory of Blackwell --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

/// Cuts columns into what tcgen05.ld and tcgen05.st take: powers of two.
static void forEachTransfer(int64_t columns,
                            llvm::function_ref<void(int64_t, int64_t)> visit) {
  for (int64_t done = 0; done < columns;) {
    int64_t width = std::min<int64_t>(
        plan::columnsPerStore, llvm::bit_floor<uint64_t>(columns - done));
    visit(done, width);
    done += width;
  }
}

/// The addresses of what a thread has of a tile: 128 rows are side by side,
/// then come the next 128. Warp groups take them in turn, as many as there are;
/// what is left is more registers (Fragments::rows).
SmallVector<Value> Emitter::getBlocks(Value address, int64_t rows,
                                      int64_t blockColumns) {
  int64_t lanes = kernel.arch.tensorMemory.lanes;
  int64_t blocks = llvm::divideCeil(rows, lanes);
  int64_t groups = role.getWarps() / plan::warpsPerGroup;
  if (groups > 1 && blocks > 1) {
    Value group = arith::ShRUIOp::create(b, roleWarp, constant(2));
    group = arith::RemUIOp::create(b, group, constant(blocks));
    address = arith::AddIOp::create(
        b, address, arith::MulIOp::create(b, group, constant(blockColumns)));
  }
  SmallVector<Value> addresses;
  for (int64_t block = 0; block < blocks; block += groups)
    addresses.push_back(
        arith::AddIOp::create(b, address, constant(block * blockColumns)));
  return addresses;
}

Value Emitter::loadTensor(const Tile &from, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  SmallVector<Value> addresses = getBlocks(from.value, rows, from.blockColumns);
  auto vector = VectorType::get(
      columns * static_cast<int64_t>(addresses.size()), b.getF32Type());
  auto load = [&]() -> Value {
    SmallVector<Value> elements;
    for (Value address : addresses)
      llvm::append_range(elements, vector::ToElementsOp::create(
                                       b, loadColumns(address, columns))
                                       .getResults());
    return vector::FromElementsOp::create(b, vector, elements);
  };
  if (!from.filled)
    return load();
  auto branch = scf::IfOp::create(b, vector, from.filled,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, load());
  b.setInsertionPointToStart(branch.elseBlock());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(vector));
  scf::YieldOp::create(b, zero);
  return branch.getResult(0);
}

/// One row of `columns` 32-bit columns for each thread.
Value Emitter::loadColumns(Value address, int64_t columns) {
  Value mine = arith::AddIOp::create(b, address, tensorLane);
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Tensor));
  Type i32 = b.getI32Type();
  // Piece by piece, so that what is computed with one needs no registers when
  // the next one comes.
  constexpr int64_t piece = plan::columnsPerLoad;
  SmallVector<Value> elements;
  for (int64_t done = 0; done < columns; done += piece) {
    SmallVector<Value> words;
    forEachTransfer(std::min(piece, columns - done), [&](int64_t first,
                                                         int64_t width) {
      Value at = arith::AddIOp::create(b, mine, constant(done + first));
      Type type = width == 1 ? i32 : Type(VectorType::get(width, i32));
      Value loaded = NVVM::Tcgen05LdOp::create(
          b, type, /*pack=*/false, NVVM::Tcgen05LdStShape::SHAPE_32X32B,
          LLVM::IntToPtrOp::create(b, pointer, at), Value());
      for (int64_t i = 0; i < width; ++i)
        words.push_back(
            width == 1 ? loaded
                       : vector::ExtractOp::create(b, loaded, i).getResult());
    });
    for (Value word : tonvvm::waitForLoad(b, words))
      elements.push_back(arith::BitcastOp::create(b, b.getF32Type(), word));
  }
  return vector::FromElementsOp::create(
      b, VectorType::get(columns, b.getF32Type()), elements);
}

/// A row for each thread, as words of 32 bits: the low half is the element with
/// the smaller number.
void Emitter::writeTensor(Value tile, Value address) {
  Value fragment = getFragment(tile);
  auto type = cast<VectorType>(fragment.getType());
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  int64_t columns = bits / 32;
  Type i32 = b.getI32Type();
  Value words =
      vector::BitCastOp::create(b, VectorType::get(columns, i32), fragment);
  Value mine = arith::AddIOp::create(b, address, tensorLane);
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Tensor));
  forEachTransfer(columns, [&](int64_t first, int64_t width) {
    Value at = arith::AddIOp::create(b, mine, constant(first));
    Value part = width == 1
                     ? vector::ExtractOp::create(b, words, first).getResult()
                     : vector::ExtractStridedSliceOp::create(
                           b, words, ArrayRef<int64_t>{first},
                           ArrayRef<int64_t>{width}, ArrayRef<int64_t>{1})
                           .getResult();
    NVVM::Tcgen05StOp::create(
        b, /*unpack=*/false, NVVM::Tcgen05LdStShape::SHAPE_32X32B,
        LLVM::IntToPtrOp::create(b, pointer, at), part, Value());
  });
}

LogicalResult Emitter::emitMultiply(agent::MultiplyOp op) {
  const Tile a = tiles.lookup(op.getA()), bTile = tiles.lookup(op.getB());
  Value destination = tiles.lookup(op.getSum()).value;
  SharedOperand bOperand = getSharedOperand(op.getB());
  std::optional<SharedOperand> aOperand;
  if (a.kind != Tile::Kind::Tensor)
    aOperand = getSharedOperand(op.getA());
  Tcgen05Product product =
      describeProduct(op, aOperand ? &*aOperand : nullptr, bOperand);
  Value first = lookup(op.getAccumulate());
  Value word = constant(product.descriptor);
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Tensor));
  auto toPointer = [&](Value address, int64_t column) -> Value {
    if (column != 0)
      address = arith::AddIOp::create(b, address, constant(column));
    return LLVM::IntToPtrOp::create(b, pointer, address);
  };
  // A descriptor is the address in units of 16 bytes, and bits that describe
  // the panel. Steps only move the address.
  auto describe = [&](Value slot, const SharedOperand &operand) -> Value {
    Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(), slot);
    Value units = arith::ShRUIOp::create(b, address, constant(4));
    Value wide = arith::ExtUIOp::create(b, b.getI64Type(), units);
    return arith::AddIOp::create(b, wide,
                                 constant(operand.describeForTcgen05(), 64));
  };
  auto step = [&](Value base, int64_t bytes) -> Value {
    return arith::AddIOp::create(b, base, constant(bytes / 16, 64));
  };
  Value aBase = aOperand ? describe(a.value, *aOperand) : Value();
  Value bBase = describe(bTile.value, bOperand);
  for (int64_t k = 0; k < product.k; k += product.partK)
    for (int64_t m = 0; m < product.m; m += product.partM)
      for (int64_t n = 0; n < product.n; n += product.partN) {
        // 128 rows are beside the 128 rows before them.
        int64_t block = m / product.partM;
        Value target = toPointer(destination, block * product.n + n);
        Value aNow =
            aOperand
                ? step(aBase, aOperand->getOffset(m, k))
                : toPointer(a.value, block * a.blockColumns +
                                         k / product.partK * (bytesOfK / 4));
        Value bNow = step(bBase, bOperand.getOffset(n, k));
        Value accumulates = k == 0 ? first : constant(1, 1);
        Value issues = NVVM::ElectSyncOp::create(b, b.getI1Type(), Value());
        when(issues, [&] {
          NVVM::Tcgen05MMAOp::create(b, product.kind, NVVM::CTAGroupKind::CTA_1,
                                     NVVM::Tcgen05MMACollectorOp::DISCARD,
                                     /*aShift=*/false, target, aNow, bNow, word,
                                     accumulates, Value(), Value());
        });
      }
  return success();
}
