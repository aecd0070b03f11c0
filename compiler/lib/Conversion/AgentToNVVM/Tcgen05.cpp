//===- Tcgen05.cpp - MMAs and tensor memory of Blackwell ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixDescriptors.h"
#include "Patterns.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

/// The columns of 128 rows of a buffer: then come the next 128.
static int64_t getBlockColumns(tile::BufferType type,
                               const target::Architecture &arch) {
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = std::min<int64_t>(shape.front(), arch.tensorMemory.lanes);
  return plan::getTileColumns(
      RankedTensorType::get(shape, type.getElementType()), 1, arch);
}

static Type getTensorPointer(CodeWriter &w) {
  return getPointerType(w.b.getContext(), NVVM::NVVMMemorySpace::Tensor);
}

namespace {
/// What a thread has of a tile in tensor memory, as words of 32 bits: a row of
/// 128 lanes, or several such rows side by side.
class TensorRows {
public:
  TensorRows(RankedTensorType tile, tile::BufferType buffer, Value address,
             CodeWriter &w)
      : layout(getLayout(tile)), perWord(32 / getElementBits(tile)),
        blockColumns(getBlockColumns(buffer, w.kernel.arch)),
        lanes(w.kernel.arch.tensorMemory.lanes), own(getOwn(address, w)) {
    // Of an accumulator of 64 rows, which is in half of the lanes, the other
    // half of a warp has the columns after those of the first.
    const auto &halves = layout.getInputs()[plan::inLane].digits;
    if (int64_t column = halves.empty() ? 0 : halves.back().basis.back()) {
      shape = NVVM::Tcgen05LdStShape::SHAPE_16X32BX2;
      split = w.constant(column, 64);
    }
  }

  int64_t getWords() const {
    return layout.getInputSize(plan::inRegister) / perWord;
  }
  /// The words from `first` on that are side by side, a power of two and at
  /// most `most` of them: what one tcgen05.ld or tcgen05.st takes.
  int64_t getWidth(int64_t first, int64_t most) const {
    int64_t width = 1;
    most = std::min(most, getWords() - first);
    while (width < most && getColumn(first + width) == getColumn(first) + width)
      ++width;
    return llvm::bit_floor<uint64_t>(width);
  }
  /// `width` words from `first` on.
  Value load(int64_t first, int64_t width, CodeWriter &w) const {
    Type i32 = w.b.getI32Type();
    Type part = width == 1 ? i32 : Type(VectorType::get(width, i32));
    return NVVM::Tcgen05LdOp::create(w.b, part, /*pack=*/false, shape,
                                     getPointer(first, w), split);
  }
  void store(Value part, int64_t first, CodeWriter &w) const {
    NVVM::Tcgen05StOp::create(w.b, /*unpack=*/false, shape,
                              getPointer(first, w), part, split);
  }

private:
  Value getPointer(int64_t word, CodeWriter &w) const {
    Value at = arith::AddIOp::create(w.b, own, w.constant(getColumn(word)));
    return LLVM::IntToPtrOp::create(w.b, getTensorPointer(w), at);
  }
  static int64_t getElementBits(RankedTensorType tile) {
    return plan::getElementBits(tile.getElementType());
  }
  /// Of some coordinates of the tile.
  int64_t getColumn(ArrayRef<int64_t> at) const {
    return at[0] / lanes * blockColumns + at[1] / perWord;
  }
  int64_t getColumn(int64_t word) const {
    return getColumn(layout.apply({word * perWord, 0, 0}));
  }
  /// Where the thread's part begins: four warps have all lanes, and others
  /// other rows or columns.
  Value getOwn(Value address, CodeWriter &w) const {
    ImplicitLocOpBuilder &b = w.b;
    Value mine = arith::AddIOp::create(b, address, w.own.tensorLane);
    int64_t step = 1;
    for (const tile::Layout::Digit &digit :
         layout.getInputs()[plan::inWarp].digits) {
      if (int64_t column = getColumn(digit.basis);
          step >= target::warpsPerGroup && column != 0) {
        Value number = arith::DivUIOp::create(b, w.own.warp, w.constant(step));
        number = arith::RemUIOp::create(b, number, w.constant(digit.count));
        mine = arith::AddIOp::create(
            b, mine, arith::MulIOp::create(b, number, w.constant(column)));
      }
      step *= digit.count;
    }
    return mine;
  }

  const tile::Layout &layout;
  int64_t perWord, blockColumns, lanes;
  Value own;
  NVVM::Tcgen05LdStShape shape = NVVM::Tcgen05LdStShape::SHAPE_32X32B;
  Value split;
};
} // namespace

/// Columns of a buffer are another address.
template <typename AccessT>
static Value getAddress(AccessT op, typename AccessT::Adaptor operands,
                        CodeWriter &w) {
  Value address = operands.getBuffer();
  if (op.getStaticOffsets()[1] == 0)
    return address;
  return arith::AddIOp::create(
      w.b, address,
      w.getOffsets(op.getStaticOffsets(), operands.getOffsets())[1]);
}

Value codegen::readTensor(tile::ReadOp op, tile::ReadOp::Adaptor operands,
                          CodeWriter &w) {
  ImplicitLocOpBuilder &b = w.b;
  RankedTensorType type = op.getType();
  TensorRows rows(type, op.getBuffer().getType(), getAddress(op, operands, w),
                  w);
  Type i32 = b.getI32Type();
  int64_t count = rows.getWords();
  SmallVector<Value> elements;
  // Loads are in flight together, and are waited for once. Those of a whole
  // accumulator are not: what is computed with one part needs no registers when
  // the next one comes.
  for (int64_t done = 0; done < count;) {
    SmallVector<Value> words;
    while (done < count && words.size() < plan::columnsPerWait) {
      int64_t width = rows.getWidth(done, plan::columnsPerLoad);
      Value loaded = rows.load(done, width, w);
      for (int64_t i = 0; i < width; ++i)
        words.push_back(
            width == 1 ? loaded
                       : vector::ExtractOp::create(b, loaded, i).getResult());
      done += width;
    }
    llvm::append_range(elements, waitForLoad(b, words));
  }
  // Accumulators are words: of f32, or integers.
  Type element = type.getElementType();
  if (element != i32)
    for (Value &word : elements)
      word = arith::BitcastOp::create(b, element, word);
  return vector::FromElementsOp::create(b, VectorType::get(count, element),
                                        elements);
}

/// As words of 32 bits: the low half is the element with the smaller number.
void codegen::writeTensor(tile::WriteOp op, tile::WriteOp::Adaptor operands,
                          CodeWriter &w) {
  ImplicitLocOpBuilder &b = w.b;
  TensorRows rows(op.getValue().getType(), op.getBuffer().getType(),
                  getAddress(op, operands, w), w);
  int64_t count = rows.getWords();
  Value words = vector::BitCastOp::create(
      b, VectorType::get(count, b.getI32Type()), operands.getValue());
  for (int64_t done = 0; done < count;) {
    int64_t width = rows.getWidth(done, plan::columnsPerStore);
    Value part = width == 1
                     ? vector::ExtractOp::create(b, words, done).getResult()
                     : vector::ExtractStridedSliceOp::create(
                           b, words, ArrayRef<int64_t>{done},
                           ArrayRef<int64_t>{width}, ArrayRef<int64_t>{1})
                           .getResult();
    rows.store(part, done, w);
    done += width;
  }
}

static Values multiply(agent::MultiplyOp op,
                       agent::MultiplyOp::Adaptor operands, CodeWriter &w) {
  ImplicitLocOpBuilder &b = w.b;
  auto aType = cast<tile::BufferType>(op.getA().getType());
  SharedOperand bOperand = getOperand(op.getB().getType());
  std::optional<SharedOperand> aOperand;
  if (aType.getSpace() != tile::Space::Tmem)
    aOperand = getOperand(aType);
  Tcgen05Mma mma = describeMma(op, aOperand ? &*aOperand : nullptr, bOperand);
  Value word = w.constant(mma.descriptor);
  auto toPointer = [&](Value address, int64_t column) -> Value {
    if (column != 0)
      address = arith::AddIOp::create(b, address, w.constant(column));
    return LLVM::IntToPtrOp::create(b, getTensorPointer(w), address);
  };
  // Steps only move the address.
  auto step = [&](Value base, int64_t bytes) -> Value {
    return arith::AddIOp::create(b, base, w.constant(bytes / 16, 64));
  };
  Value aBase = aOperand ? getDescriptor(op, 0, w) : Value();
  Value bBase = getDescriptor(op, 1, w);
  int64_t aColumns = aOperand ? 0 : getBlockColumns(aType, w.kernel.arch);
  for (int64_t k = 0; k < mma.k; k += mma.partK)
    for (int64_t m = 0; m < mma.m; m += mma.partM)
      for (int64_t n = 0; n < mma.n; n += mma.partN) {
        // 128 rows are beside the 128 rows before them.
        int64_t block = m / mma.partM;
        Value target = toPointer(operands.getAccumulator(), block * mma.n + n);
        Value aNow =
            aOperand
                ? step(aBase, aOperand->getOffset(m, k))
                : toPointer(operands.getA(),
                            block * aColumns + k / mma.partK * (bytesOfK / 4));
        Value bNow = step(bBase, bOperand.getOffset(n, k));
        Value accumulates =
            k == 0 ? operands.getAccumulate() : w.constant(1, 1);
        w.when(w.electIssuer(), [&] {
          NVVM::Tcgen05MMAOp::create(b, mma.kind, w.kernel.group,
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
