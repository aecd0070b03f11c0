//===- ThreadCopies.cpp - Tiles that threads copy -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Threads copy what bulk copies cannot: rows whose strides are not multiples of
// 16 bytes, padding that is not zero, and tiles at an edge of a part of a view,
// which a tensor map does not know.
//
// A tile is chunks of up to 16 bytes of shared memory, and thread t of T takes
// the chunks t, t + T, .... What is outside the view is the pad, and is not
// stored.
//
//   global memory is aligned to 16, 8 or 4 bytes: cp.async of that many, which
//   fills up with zeros
//   else, or with another pad: element by element
//
// Which of them, the kernel finds out when it runs: it is the same for all
// threads, and the caller may pass any address and strides. A copy that is
// `aligned` leaves nothing to find out.

#include "Patterns.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

/// Bytes of shared memory that a thread takes at once, at most.
static constexpr int64_t mostChunkBytes = 16;

namespace {
/// One chunk of a tile: where it is in shared memory, where its first element
/// is in global memory, how many elements of it are before the end of the view
/// (an i32, from 0 to all), and how many of these are before its start; null if
/// none is.
struct Chunk {
  Value shared, global, valid, before;
};

/// A tile in a view, as threads see it.
class ThreadCopy {
public:
  ThreadCopy(CodeWriter &w, const ViewRegion &region, ArrayRef<Value> offsets,
             ArrayRef<OpFoldResult> places, ArrayRef<int64_t> dims,
             const Panels &panels, Value slot)
      : b(w.b), panels(panels), slot(slot), bytes(panels.bits / 8),
        chunkBytes(std::gcd(mostChunkBytes, panels.width)) {
    const KernelSignature &signature = w.kernel.signature;
    Type i64 = b.getI64Type();
    Value first = constant(0, 64);
    int64_t rowDim = dims.front(), columnDim = dims.back();
    // A vector is one row.
    rowStride = constant(0, 64);
    rows = constant(1);
    inside = constant(1, 1);
    Value unit = constant(bytes, 64);
    for (auto [dim, start] : llvm::enumerate(region.starts)) {
      Value at = arith::AddIOp::create(b, start, offsets[dim]);
      Value stride = arith::MulIOp::create(
          b, signature.getStride(b, region.argument, dim), unit);
      Value wide = arith::ExtSIOp::create(b, i64, at);
      first = arith::AddIOp::create(b, first,
                                    arith::MulIOp::create(b, wide, stride));
      // How many elements come before the view, where that is not known.
      Value before;
      if (!w.beginsInside(region, dim, places[dim]))
        before = arith::SubIOp::create(b, region.lows[dim], at);
      if (int64_t(dim) == columnDim) {
        columnStride = stride;
        columns = arith::SubIOp::create(b, region.ends[dim], at);
        columnsBefore = before;
        continue;
      }
      strides.push_back(stride);
      if (int64_t(dim) == rowDim) {
        rowStride = stride;
        rows = arith::SubIOp::create(b, region.ends[dim], at);
        rowsBefore = before;
      } else {
        Value in = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at,
                                         region.ends[dim]);
        inside = arith::AndIOp::create(b, inside, in);
        if (before)
          inside = arith::AndIOp::create(b, inside, isAtMost(before, 0));
      }
    }
    Value base =
        LLVM::PtrToIntOp::create(b, i64, signature.getPointer(region.argument));
    address = arith::AddIOp::create(b, base, first);
  }

  /// Runs `body` for the chunks of this thread.
  void forEachChunk(Value thread, int64_t threads,
                    llvm::function_ref<void(const Chunk &)> body) {
    int64_t perRow = panels.count * panels.width / chunkBytes;
    auto loop = scf::ForOp::create(b, thread, constant(panels.rows * perRow),
                                   constant(threads));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    Value number = loop.getInductionVar();
    Value row = arith::DivUIOp::create(b, number, constant(perRow));
    Value chunk = arith::RemUIOp::create(b, number, constant(perRow));
    body(getChunk(row, chunk));
  }

  /// Whether `size` bytes are one access wherever they are in global memory,
  /// and no row begins before the view.
  Value isAligned(int64_t size) {
    Value bits = address;
    for (Value stride : strides)
      bits = arith::OrIOp::create(b, bits, stride);
    Value rest = arith::AndIOp::create(b, bits, constant(size - 1, 64));
    Value aligned = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest,
                                          constant(0, 64));
    Value dense = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                        columnStride, constant(bytes, 64));
    aligned = arith::AndIOp::create(b, aligned, dense);
    if (columnsBefore)
      aligned = arith::AndIOp::create(b, aligned, isAtMost(columnsBefore, 0));
    return aligned;
  }

  /// Whether rows are known not to begin before the view.
  bool beginsInside() const { return !columnsBefore; }

  /// Whether element `index` of a chunk is in the view.
  Value isInside(const Chunk &chunk, int64_t index) {
    Value in = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                     constant(index), chunk.valid);
    if (chunk.before)
      in = arith::AndIOp::create(b, in, isAtMost(chunk.before, index));
    return in;
  }

  int64_t getChunkBytes() const { return chunkBytes; }
  int64_t getElements() const { return chunkBytes / bytes; }
  Type getElementType() const { return b.getIntegerType(panels.bits); }

  /// The pointer to element `index` of a chunk.
  Value getElement(const Chunk &chunk, int64_t index) {
    Value offset = arith::MulIOp::create(b, columnStride, constant(index, 64));
    return toPointer(arith::AddIOp::create(b, chunk.global, offset));
  }

  Value toPointer(Value number) {
    auto type = LLVM::LLVMPointerType::get(
        b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Global));
    return LLVM::IntToPtrOp::create(b, type, number);
  }

  Value constant(int64_t value, unsigned bits = 32) {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(b.getIntegerType(bits), value));
  }

  Value getShared(Value offset) {
    return LLVM::GEPOp::create(b, slot.getType(), b.getI8Type(), slot,
                               ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(offset)});
  }

private:
  Value isAtMost(Value number, int64_t most) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::sle, number,
                                 constant(most));
  }

  Chunk getChunk(Value row, Value number) {
    // In its panel, then swizzled: chunks change places by the number of the
    // 128 bytes that they are in.
    int64_t perPanel = panels.width / chunkBytes;
    Value panel = arith::DivUIOp::create(b, number, constant(perPanel));
    Value inRow = arith::RemUIOp::create(b, number, constant(perPanel));
    Value offset = arith::AddIOp::create(
        b, arith::MulIOp::create(b, row, constant(panels.width)),
        arith::MulIOp::create(b, inRow, constant(chunkBytes)));
    if (panels.swizzled) {
      Value span =
          arith::DivUIOp::create(b, offset, constant(plan::swizzleSpan));
      Value pattern = arith::AndIOp::create(
          b, span, constant(panels.width / panels.atom - 1));
      offset = arith::XOrIOp::create(
          b, offset, arith::MulIOp::create(b, pattern, constant(panels.atom)));
    }
    Chunk chunk;
    chunk.shared = arith::AddIOp::create(
        b, arith::MulIOp::create(b, panel, constant(panels.bytes())), offset);

    Type i64 = b.getI64Type();
    Value column = arith::MulIOp::create(b, number, constant(getElements()));
    Value down = arith::MulIOp::create(b, arith::ExtUIOp::create(b, i64, row),
                                       rowStride);
    Value right = arith::MulIOp::create(
        b, arith::ExtUIOp::create(b, i64, column), columnStride);
    chunk.global = arith::AddIOp::create(
        b, arith::AddIOp::create(b, address, down), right);

    Value left = arith::SubIOp::create(b, columns, column);
    left = arith::MaxSIOp::create(b, left, constant(0));
    left = arith::MinSIOp::create(b, left, constant(getElements()));
    Value in = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, row, rows);
    in = arith::AndIOp::create(b, in, inside);
    if (rowsBefore)
      in = arith::AndIOp::create(
          b, in,
          arith::CmpIOp::create(b, arith::CmpIPredicate::sle, rowsBefore, row));
    chunk.valid = arith::SelectOp::create(b, in, left, constant(0));
    if (columnsBefore)
      chunk.before = arith::SubIOp::create(b, columnsBefore, column);
    return chunk;
  }

  ImplicitLocOpBuilder &b;
  Panels panels;
  Value slot;
  /// Of an element, and of a chunk: all 16, unless rows are no multiple.
  int64_t bytes, chunkBytes;
  /// Of the tile's first element, a number; strides are in bytes.
  Value address, rowStride, columnStride;
  /// All strides but that of a column.
  SmallVector<Value> strides;
  /// How many rows and columns the view has from the first element on, and
  /// whether the other coordinates are in it.
  Value rows, columns, inside;
  /// How many of these are before the view; null if none is known to be.
  Value rowsBefore, columnsBefore;
};
} // namespace

/// `first` if the condition holds, else `second`.
static void branch(ImplicitLocOpBuilder &b, Value condition,
                   llvm::function_ref<void()> first,
                   llvm::function_ref<void()> second) {
  auto op = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  first();
  b.setInsertionPointToStart(op.elseBlock());
  second();
}

/// cp.async of `size` bytes. What is not in the view is zero.
static void copyAsync(ImplicitLocOpBuilder &b, ThreadCopy &copy,
                      const Chunk &chunk, int64_t size) {
  int64_t chunkBytes = copy.getChunkBytes();
  int64_t elementBytes = chunkBytes / copy.getElements();
  Value valid =
      arith::MulIOp::create(b, chunk.valid, copy.constant(elementBytes));
  for (int64_t done = 0; done < chunkBytes; done += size) {
    Value left = arith::SubIOp::create(b, valid, copy.constant(done));
    left = arith::MaxSIOp::create(b, left, copy.constant(0));
    left = arith::MinSIOp::create(b, left, copy.constant(size));
    Value from =
        arith::AddIOp::create(b, chunk.global, copy.constant(done, 64));
    Value to = arith::AddIOp::create(b, chunk.shared, copy.constant(done));
    NVVM::CpAsyncOp::create(b, copy.getShared(to), copy.toPointer(from), size,
                            size == mostChunkBytes
                                ? NVVM::LoadCacheModifierKind::CG
                                : NVVM::LoadCacheModifierKind::CA,
                            left);
  }
}

/// The same, element by element.
static void copyElements(ImplicitLocOpBuilder &b, ThreadCopy &copy,
                         const Chunk &chunk, const APInt &pad) {
  Type type = copy.getElementType();
  SmallVector<Value> elements;
  for (int64_t i = 0; i < copy.getElements(); ++i) {
    Value in = copy.isInside(chunk, i);
    auto op = scf::IfOp::create(b, type, in, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(op.thenBlock());
    Value loaded = LLVM::LoadOp::create(b, type, copy.getElement(chunk, i));
    scf::YieldOp::create(b, loaded);
    b.setInsertionPointToStart(op.elseBlock());
    Value padded = arith::ConstantOp::create(b, b.getIntegerAttr(type, pad));
    scf::YieldOp::create(b, padded);
    elements.push_back(op.getResult(0));
  }
  Value vector = vector::FromElementsOp::create(
      b, VectorType::get(copy.getElements(), type), elements);
  LLVM::StoreOp::create(b, vector, copy.getShared(chunk.shared),
                        copy.getChunkBytes());
}

static APInt getBits(TypedAttr attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValue().bitcastToAPInt();
  return cast<IntegerAttr>(attribute).getValue();
}

/// What a load or a store copies.
template <typename OpT>
static ThreadCopy getCopy(OpT op, typename OpT::Adaptor operands,
                          CodeWriter &w) {
  SmallVector<Value> offsets =
      w.getOffsets(op.getStaticOffsets(), operands.getOffsets());
  SmallVector<OpFoldResult> places =
      getMixedValues(op.getStaticOffsets(), op.getOffsets(), op.getContext());
  return ThreadCopy(w, w.getRegion(op.getView()), offsets, places, op.getDims(),
                    *plan::getPanels(op.getBuffer().getType()),
                    operands.getBuffer());
}

void codegen::loadByThreads(agent::SlotLoadOp op,
                            agent::SlotLoadOp::Adaptor operands,
                            CodeWriter &w) {
  Value thread = w.getThread();
  int64_t threads = w.role.getWarps() * w.kernel.arch.warpSize;
  ThreadCopy copy = getCopy(op, operands, w);
  APInt pad = getBits(op.getPad());
  auto byElements = [&] {
    copy.forEachChunk(thread, threads, [&](const Chunk &chunk) {
      copyElements(w.b, copy, chunk, pad);
    });
    // Written through the generic proxy, read through the asynchronous one.
    w.fenceProxy();
  };
  if (!pad.isZero())
    return byElements();
  auto byAccesses = [&](int64_t size) {
    copy.forEachChunk(thread, threads, [&](const Chunk &chunk) {
      copyAsync(w.b, copy, chunk, size);
    });
  };
  if (op.getAligned() && copy.beginsInside())
    return byAccesses(copy.getChunkBytes());
  std::function<void(int64_t)> bySize = [&](int64_t size) {
    if (size < 4)
      return byElements();
    branch(
        w.b, copy.isAligned(size), [&] { byAccesses(size); },
        [&] { bySize(size / 2); });
  };
  bySize(copy.getChunkBytes());
}

void codegen::storeByThreads(agent::SlotStoreOp op,
                             agent::SlotStoreOp::Adaptor operands,
                             CodeWriter &w) {
  Value thread = w.getThread();
  int64_t threads = w.role.getWarps() * w.kernel.arch.warpSize;
  ThreadCopy copy = getCopy(op, operands, w);
  Type type = copy.getElementType();
  int64_t count = copy.getElements();
  auto vector = VectorType::get(count, type);
  int64_t chunkBytes = copy.getChunkBytes();
  Value aligned = copy.isAligned(chunkBytes);
  copy.forEachChunk(thread, threads, [&](const Chunk &chunk) {
    Value loaded = LLVM::LoadOp::create(
        w.b, vector, copy.getShared(chunk.shared), chunkBytes);
    Value all = arith::CmpIOp::create(w.b, arith::CmpIPredicate::eq,
                                      chunk.valid, copy.constant(count));
    branch(
        w.b, arith::AndIOp::create(w.b, all, aligned),
        [&] {
          LLVM::StoreOp::create(w.b, loaded, copy.toPointer(chunk.global),
                                chunkBytes);
        },
        [&] {
          for (int64_t i = 0; i < count; ++i) {
            w.when(copy.isInside(chunk, i), [&] {
              Value element = vector::ExtractOp::create(w.b, loaded, i);
              LLVM::StoreOp::create(w.b, element, copy.getElement(chunk, i));
            });
          }
        });
  });
}
