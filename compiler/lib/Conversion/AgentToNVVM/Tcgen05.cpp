//===- Tcgen05.cpp - Products and tensor memory of Blackwell --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixDescriptors.h"
#include "Patterns.h"
#include "drawloom/Analysis/Plan/Footprint.h"
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

/// The columns of 128 rows of a buffer: then come the next 128.
static int64_t getBlockColumns(tile::BufferType type,
                               const target::Architecture &arch) {
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = std::min<int64_t>(shape.front(), arch.tensorMemory.lanes);
  return plan::getTileColumns(
      RankedTensorType::get(shape, type.getElementType()), 1, arch);
}

/// The addresses of what a thread has of a tile: 128 rows are side by side,
/// then come the next 128. Warp groups take them in turn, as many as there are;
/// what is left is more registers (Fragments::rows).
static SmallVector<Value> getBlocks(Value address, int64_t rows,
                                    int64_t blockColumns, CodeWriter &w) {
  int64_t lanes = w.kernel.arch.tensorMemory.lanes;
  int64_t blocks = llvm::divideCeil(rows, lanes);
  int64_t groups = w.role.getWarps() / target::warpsPerGroup;
  if (groups > 1 && blocks > 1) {
    Value group = arith::ShRUIOp::create(w.b, w.own.warp, w.constant(2));
    group = arith::RemUIOp::create(w.b, group, w.constant(blocks));
    address = arith::AddIOp::create(
        w.b, address,
        arith::MulIOp::create(w.b, group, w.constant(blockColumns)));
  }
  SmallVector<Value> addresses;
  for (int64_t block = 0; block < blocks; block += groups)
    addresses.push_back(
        arith::AddIOp::create(w.b, address, w.constant(block * blockColumns)));
  return addresses;
}

static Type getTensorPointer(CodeWriter &w) {
  return getPointerType(w.b.getContext(), NVVM::NVVMMemorySpace::Tensor);
}

/// One row of `columns` 32-bit columns for each thread.
static Value readColumns(Value address, int64_t columns, CodeWriter &w) {
  ImplicitLocOpBuilder &b = w.b;
  Value mine = arith::AddIOp::create(b, address, w.own.tensorLane);
  Type i32 = b.getI32Type();
  // Piece by piece, so that what is computed with one needs no registers when
  // the next one comes.
  constexpr int64_t piece = plan::columnsPerLoad;
  SmallVector<Value> elements;
  for (int64_t done = 0; done < columns; done += piece) {
    SmallVector<Value> words;
    forEachTransfer(std::min(piece, columns - done), [&](int64_t first,
                                                         int64_t width) {
      Value at = arith::AddIOp::create(b, mine, w.constant(done + first));
      Type type = width == 1 ? i32 : Type(VectorType::get(width, i32));
      Value loaded = NVVM::Tcgen05LdOp::create(
          b, type, /*pack=*/false, NVVM::Tcgen05LdStShape::SHAPE_32X32B,
          LLVM::IntToPtrOp::create(b, getTensorPointer(w), at), Value());
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

/// Of a sum of 64 rows, which is in half of the lanes: the other half of a warp
/// reads the columns after those of the first.
static Value readHalf(Value address, RankedTensorType tile, CodeWriter &w) {
  ImplicitLocOpBuilder &b = w.b;
  const tile::Layout &layout = getLayout(tile);
  int64_t split = layout.getInputs()[plan::inLane].digits.back().basis.back();
  int64_t count = layout.getInputSize(plan::inRegister);
  auto getColumn = [&](int64_t number) {
    return layout.apply({number, 0, 0})[1];
  };
  Value mine = arith::AddIOp::create(b, address, w.own.tensorLane);
  Type i32 = b.getI32Type();
  SmallVector<Value> elements;
  for (int64_t done = 0; done < count;) {
    SmallVector<Value> words;
    // As many as are waited for at once.
    while (done < count && words.size() < plan::columnsPerLoad) {
      int64_t width = 1;
      while (done + width < count &&
             getColumn(done + width) == getColumn(done) + width &&
             width < plan::columnsPerLoad)
        ++width;
      width = llvm::bit_floor<uint64_t>(width);
      Value at = arith::AddIOp::create(b, mine, w.constant(getColumn(done)));
      Type type = width == 1 ? i32 : Type(VectorType::get(width, i32));
      Value loaded = NVVM::Tcgen05LdOp::create(
          b, type, /*pack=*/false, NVVM::Tcgen05LdStShape::SHAPE_16X32BX2,
          LLVM::IntToPtrOp::create(b, getTensorPointer(w), at),
          w.constant(split, 64));
      for (int64_t i = 0; i < width; ++i)
        words.push_back(
            width == 1 ? loaded
                       : vector::ExtractOp::create(b, loaded, i).getResult());
      done += width;
    }
    for (Value word : tonvvm::waitForLoad(b, words))
      elements.push_back(arith::BitcastOp::create(b, b.getF32Type(), word));
  }
  return vector::FromElementsOp::create(
      b, VectorType::get(count, b.getF32Type()), elements);
}

Value codegen::readTensor(tile::ReadOp op, tile::ReadOp::Adaptor operands,
                          CodeWriter &w) {
  RankedTensorType type = op.getType();
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  Value address = operands.getBuffer();
  // Columns are another address.
  if (op.getStaticOffsets()[1] != 0)
    address = arith::AddIOp::create(
        w.b, address,
        w.getOffsets(op.getStaticOffsets(), operands.getOffsets())[1]);
  if (rows == 64)
    return readHalf(address, type, w);
  SmallVector<Value> addresses =
      getBlocks(address, rows,
                getBlockColumns(op.getBuffer().getType(), w.kernel.arch), w);
  SmallVector<Value> elements;
  for (Value block : addresses)
    llvm::append_range(elements, vector::ToElementsOp::create(
                                     w.b, readColumns(block, columns, w))
                                     .getResults());
  return vector::FromElementsOp::create(
      w.b,
      VectorType::get(columns * static_cast<int64_t>(addresses.size()),
                      w.b.getF32Type()),
      elements);
}

/// A row for each thread, as words of 32 bits: the low half is the element with
/// the smaller number.
void codegen::writeTensor(tile::WriteOp, tile::WriteOp::Adaptor operands,
                          CodeWriter &w) {
  ImplicitLocOpBuilder &b = w.b;
  Value fragment = operands.getValue();
  auto type = cast<VectorType>(fragment.getType());
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  int64_t columns = bits / 32;
  Type i32 = b.getI32Type();
  Value words =
      vector::BitCastOp::create(b, VectorType::get(columns, i32), fragment);
  Value mine = arith::AddIOp::create(b, operands.getBuffer(), w.own.tensorLane);
  forEachTransfer(columns, [&](int64_t first, int64_t width) {
    Value at = arith::AddIOp::create(b, mine, w.constant(first));
    Value part = width == 1
                     ? vector::ExtractOp::create(b, words, first).getResult()
                     : vector::ExtractStridedSliceOp::create(
                           b, words, ArrayRef<int64_t>{first},
                           ArrayRef<int64_t>{width}, ArrayRef<int64_t>{1})
                           .getResult();
    NVVM::Tcgen05StOp::create(
        b, /*unpack=*/false, NVVM::Tcgen05LdStShape::SHAPE_32X32B,
        LLVM::IntToPtrOp::create(b, getTensorPointer(w), at), part, Value());
  });
}

static Values multiply(agent::MultiplyOp op,
                       agent::MultiplyOp::Adaptor operands, CodeWriter &w) {
  ImplicitLocOpBuilder &b = w.b;
  auto aType = cast<tile::BufferType>(op.getA().getType());
  SharedOperand bOperand = getOperand(op.getB().getType());
  std::optional<SharedOperand> aOperand;
  if (aType.getSpace() != tile::Space::Tmem)
    aOperand = getOperand(aType);
  Tcgen05Product product =
      describeProduct(op, aOperand ? &*aOperand : nullptr, bOperand);
  Value word = w.constant(product.descriptor);
  auto toPointer = [&](Value address, int64_t column) -> Value {
    if (column != 0)
      address = arith::AddIOp::create(b, address, w.constant(column));
    return LLVM::IntToPtrOp::create(b, getTensorPointer(w), address);
  };
  // A descriptor is the address in units of 16 bytes, and bits that describe
  // the panel. Steps only move the address.
  auto describe = [&](Value slot, const SharedOperand &operand) -> Value {
    Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(), slot);
    Value units = arith::ShRUIOp::create(b, address, w.constant(4));
    Value wide = arith::ExtUIOp::create(b, b.getI64Type(), units);
    return arith::AddIOp::create(b, wide,
                                 w.constant(operand.describeForTcgen05(), 64));
  };
  auto step = [&](Value base, int64_t bytes) -> Value {
    return arith::AddIOp::create(b, base, w.constant(bytes / 16, 64));
  };
  Value aBase = aOperand ? describe(operands.getA(), *aOperand) : Value();
  Value bBase = describe(operands.getB(), bOperand);
  int64_t aColumns = aOperand ? 0 : getBlockColumns(aType, w.kernel.arch);
  for (int64_t k = 0; k < product.k; k += product.partK)
    for (int64_t m = 0; m < product.m; m += product.partM)
      for (int64_t n = 0; n < product.n; n += product.partN) {
        // 128 rows are beside the 128 rows before them.
        int64_t block = m / product.partM;
        Value target = toPointer(operands.getSum(), block * product.n + n);
        Value aNow = aOperand
                         ? step(aBase, aOperand->getOffset(m, k))
                         : toPointer(operands.getA(),
                                     block * aColumns +
                                         k / product.partK * (bytesOfK / 4));
        Value bNow = step(bBase, bOperand.getOffset(n, k));
        Value accumulates =
            k == 0 ? operands.getAccumulate() : w.constant(1, 1);
        Value issues = NVVM::ElectSyncOp::create(b, b.getI1Type(), Value());
        w.when(issues, [&] {
          NVVM::Tcgen05MMAOp::create(b, product.kind, NVVM::CTAGroupKind::CTA_1,
                                     NVVM::Tcgen05MMACollectorOp::DISCARD,
                                     /*aShift=*/false, target, aNow, bNow, word,
                                     accumulates, Value(), Value());
        });
      }
  return {};
}

void codegen::addTcgen05(PatternList &list) {
  list.add<agent::MultiplyOp>(multiply);
}
