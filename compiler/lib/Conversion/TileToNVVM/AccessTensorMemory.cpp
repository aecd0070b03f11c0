//===- AccessTensorMemory.cpp - Between registers and tensor memory -------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// tile.read and tile.write of tensor memory, in the layout that the
// instructions dictate (Analysis/Layouts/TensorMemory.h): tcgen05.ld and
// tcgen05.st of 32x32b, as many columns at once as are next to each other. A
// write is not waited for: who hands the buffer on does that.

#include "Patterns.h"
#include "Threads.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "drawloom/Analysis/Layouts/Copies.h"
#include "drawloom/Analysis/Layouts/TensorMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tonvvm;

/// Columns that one instruction takes at most.
static constexpr int64_t columnsPerLoad = 32, columnsPerStore = 128;
static constexpr int64_t columnBits = 32;

namespace {
class TensorAccess {
public:
  TensorAccess(ImplicitLocOpBuilder &b, Operation *op, RankedTensorType tile,
               const layouts::TensorFragment &fragment)
      : b(b), fragment(fragment), warp(getWarp(b, op)),
        bits(getElementBytes(tile.getElementType()) * 8) {}

  /// Visits runs of columns: the first, how many, and their address.
  void visit(Value address, int64_t most,
             llvm::function_ref<void(int64_t, int64_t, Value)> access);
  int64_t getWords() const {
    return fragment.elements.size() * bits / columnBits;
  }

private:
  ImplicitLocOpBuilder &b;
  const layouts::TensorFragment &fragment;
  Value warp;
  int64_t bits;
};
} // namespace

void TensorAccess::visit(
    Value address, int64_t most,
    llvm::function_ref<void(int64_t, int64_t, Value)> access) {
  auto add = [&](Value a, Value c) {
    return b.createOrFold<arith::AddIOp>(a, c);
  };
  // The lane is the upper half of an address.
  Value lanes = b.createOrFold<arith::AndIOp>(warp, constant(b, 3));
  lanes = b.createOrFold<arith::ShLIOp>(lanes, constant(b, 16 + 5));
  Value mine = add(address, lanes);
  for (const layouts::TensorFragment::Step &step : fragment.ofWarp) {
    Value digit =
        b.createOrFold<arith::DivUIOp>(warp, constant(b, step.divisor));
    digit = b.createOrFold<arith::RemUIOp>(digit, constant(b, step.count));
    mine =
        add(mine, b.createOrFold<arith::MulIOp>(
                      digit, constant(b, step.elements * bits / columnBits)));
  }
  // The column of each word of the registers.
  SmallVector<int64_t> columns;
  for (int64_t word = 0; word < getWords(); ++word) {
    int64_t element = fragment.elements[word * columnBits / bits];
    columns.push_back(element * bits / columnBits +
                      (bits > columnBits ? word % (bits / columnBits) : 0));
  }
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::Tensor));
  for (int64_t first = 0; first < getWords();) {
    int64_t count = 1;
    auto follows = [&](int64_t next) {
      return next < getWords() &&
             columns[next] == columns[first] + next - first;
    };
    while (count < most && follows(first + count))
      ++count;
    count = int64_t(llvm::bit_floor(uint64_t(count)));
    access(first, count,
           LLVM::IntToPtrOp::create(b, pointer,
                                    add(mine, constant(b, columns[first]))));
    first += count;
  }
}

/// The fragment that an access is in; nothing if its layout is another one.
static std::optional<layouts::TensorFragment>
getFragment(RankedTensorType tile, tile::BufferType buffer,
            ArrayRef<int64_t> offsets) {
  llvm::Expected<layouts::TensorFragment> fragment =
      layouts::getTensorFragment(*getLayout(buffer), offsets, *getLayout(tile),
                                 getElementBytes(tile.getElementType()) * 8);
  if (!fragment) {
    llvm::consumeError(fragment.takeError());
    return std::nullopt;
  }
  if (fragment->layout != *getLayout(tile))
    return std::nullopt;
  return std::move(*fragment);
}

namespace {
struct ReadTensorMemory : OpConversionPattern<tile::ReadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tile::ReadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    tile::BufferType buffer = op.getBuffer().getType();
    RankedTensorType tile = op.getType();
    if (buffer.getSpace() != tile::Space::Tmem)
      return failure();
    std::optional<layouts::TensorFragment> fragment =
        getFragment(tile, buffer, op.getStaticOffsets());
    if (!fragment)
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type i32 = b.getI32Type();
    TensorAccess access(b, op, tile, *fragment);
    SmallVector<Value> words;
    access.visit(adaptor.getBuffer(), columnsPerLoad,
                 [&](int64_t, int64_t count, Value at) {
                   Type type =
                       count == 1 ? i32 : Type(VectorType::get(count, i32));
                   Value loaded = NVVM::Tcgen05LdOp::create(
                       b, type, /*pack=*/false,
                       NVVM::Tcgen05LdStShape::SHAPE_32X32B, at, Value());
                   SmallVector<Value> parts = {loaded};
                   if (count > 1)
                     parts = llvm::to_vector_of<Value>(
                         vector::ToElementsOp::create(b, loaded).getResults());
                   llvm::append_range(words, waitForLoad(b, parts));
                 });
    Type memory = getMemoryType(tile.getElementType());
    Value all = vector::FromElementsOp::create(
        b, VectorType::get(words.size(), i32), words);
    all = vector::BitCastOp::create(b, getRegisters(tile).clone(memory), all);
    rewriter.replaceOp(op, fromMemory(b, all, tile.getElementType()));
    return success();
  }
};

struct WriteTensorMemory : OpConversionPattern<tile::WriteOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tile::WriteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    tile::BufferType buffer = op.getBuffer().getType();
    RankedTensorType tile = op.getValue().getType();
    if (buffer.getSpace() != tile::Space::Tmem)
      return failure();
    std::optional<layouts::TensorFragment> fragment =
        getFragment(tile, buffer, op.getStaticOffsets());
    if (!fragment)
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    TensorAccess access(b, op, tile, *fragment);
    Value words = vector::BitCastOp::create(
        b, VectorType::get(access.getWords(), b.getI32Type()),
        toMemory(b, adaptor.getValue()));
    // Groups of warps that have the same columns: one of them writes.
    Value writes = areZero(b, getWarp(b, op),
                           layouts::findCopies(fragment->layout).warpBits);
    when(b, writes, [&] {
      access.visit(
          adaptor.getBuffer(), columnsPerStore,
          [&](int64_t first, int64_t count, Value at) {
            Value part =
                count == 1
                    ? vector::ExtractOp::create(b, words, first).getResult()
                    : vector::ShuffleOp::create(
                          b, words, words,
                          llvm::to_vector(
                              llvm::seq<int64_t>(first, first + count)))
                          .getResult();
            NVVM::Tcgen05StOp::create(b, /*unpack=*/false,
                                      NVVM::Tcgen05LdStShape::SHAPE_32X32B, at,
                                      part, Value());
          });
    });
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tonvvm::addAccessTensorMemory(const TypeConverter &types,
                                   RewritePatternSet &patterns) {
  patterns.add<ReadTensorMemory, WriteTensorMemory>(types,
                                                    patterns.getContext());
}
