//===- AccessShared.cpp - Between registers and shared memory -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// tile.read, tile.write and tile.alloc of shared memory. The layout in
// registers, then the inverse of the buffer's, is where each register is in
// memory. Offsets (Analysis/RoleTiles/Fragments.h) splits that into what a
// thread computes once and a constant for each register, and finds registers
// that are neighbors: one access, up to 16 bytes.
//
// That takes two layouts that write coordinates in the same radices, and a part
// of the buffer whose place is a constant multiple of its size, of not too many
// parts. Otherwise each
// element's coordinates are computed, and its offset from them.

#include "Patterns.h"
#include "Threads.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "drawloom/Analysis/Layouts/Copies.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/RoleTiles/Panels.h"
#include "drawloom/Conversion/TileToNVVM/TileToNVVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tonvvm;
using tile::Layout;

/// The most that a thread reads or writes at once.
static constexpr int64_t accessBytes = 16;

namespace {
/// The registers of a tile and the part of a buffer that it is read from or
/// written to.
class SharedAccess {
public:
  SharedAccess(ImplicitLocOpBuilder &b, Operation *op, RankedTensorType tile,
               const Layout &buffer, ArrayRef<OpFoldResult> offsets)
      : b(b), offsets(offsets), registers(*getLayout(tile)), buffer(buffer),
        copies(layouts::findCopies(registers)),
        bytes(getElementBytes(tile.getElementType())), lane(getLane(b)),
        warp(getWarp(b, op)) {}

  /// Visits accesses: registers of `copies.once` that are next to each other,
  /// and the address of the first.
  void visit(Value pointer,
             llvm::function_ref<void(ArrayRef<int64_t>, Value)> access);
  /// Whether this thread writes, an i1; null if all do.
  Value isWriter();

  const layouts::Copies &getCopies() const { return copies; }
  int64_t getBytes() const { return bytes; }

private:
  std::optional<plan::Offsets> findOffsets() const;
  Value getThreadOffset(const plan::Offsets &found, Value &added);
  Value getElementOffset(int64_t number, const Layout &place);

  ImplicitLocOpBuilder &b;
  ArrayRef<OpFoldResult> offsets;
  const Layout &registers, &buffer;
  layouts::Copies copies;
  int64_t bytes;
  Value lane, warp;
};
} // namespace

/// The offsets of the part's registers in bytes; nothing if they have to be
/// computed from coordinates.
std::optional<plan::Offsets> SharedAccess::findOffsets() const {
  // The other parts of the buffer are more registers: the digits above.
  std::vector<Layout::Input> inputs = copies.once.getInputs();
  int64_t count = copies.once.getInputSize(layouts::inRegister);
  int64_t first = 0, weight = count;
  for (auto [dim, part, whole, given] : llvm::enumerate(
           copies.once.getOutputs(), buffer.getOutputs(), offsets)) {
    std::optional<int64_t> offset = getConstantIntValue(given);
    if (!offset || *offset % part.size || whole.size % part.size)
      return std::nullopt;
    if (whole.size == part.size)
      continue;
    SmallVector<int64_t, 2> step(offsets.size(), 0);
    step[dim] = part.size;
    int64_t parts = whole.size / part.size;
    inputs[layouts::inRegister].digits.push_back({step, parts});
    first += *offset / part.size * weight;
    weight *= parts;
  }
  if (weight > layouts::mostRegisters)
    return std::nullopt;
  auto take = [](auto expected) {
    std::optional<std::decay_t<decltype(*expected)>> value;
    if (expected)
      value = std::move(*expected);
    else
      llvm::consumeError(expected.takeError());
    return value;
  };
  std::optional<Layout> whole =
      take(Layout::get(std::move(inputs), buffer.getOutputs()));
  std::optional<Layout> place = take(buffer.invert());
  if (!whole || !place)
    return std::nullopt;
  std::optional<Layout> toMemory = take(whole->compose(*place));
  if (!toMemory)
    return std::nullopt;
  std::optional<plan::Offsets> found =
      take(plan::Offsets::get(*toMemory, /*output=*/0, bytes));
  if (!found)
    return std::nullopt;
  return found->slice(first, count);
}

/// The part that is XORed with a register's constant, and what is added.
Value SharedAccess::getThreadOffset(const plan::Offsets &found, Value &added) {
  auto number = [&](plan::FragmentInput input) {
    return input == plan::inLane ? lane : warp;
  };
  Value xored = constant(b, 0);
  for (const plan::Offsets::Xor &term : found.getXors()) {
    Value bits = b.createOrFold<arith::AndIOp>(number(term.input),
                                               constant(b, term.mask));
    if (term.shift > 0)
      bits = b.createOrFold<arith::ShLIOp>(bits, constant(b, term.shift));
    else if (term.shift < 0)
      bits = b.createOrFold<arith::ShRUIOp>(bits, constant(b, -term.shift));
    xored = b.createOrFold<arith::XOrIOp>(xored, bits);
  }
  added = constant(b, 0);
  for (const plan::Offsets::Sum &term : found.getSums()) {
    Value digit = b.createOrFold<arith::DivUIOp>(number(term.input),
                                                 constant(b, term.divisor));
    digit = b.createOrFold<arith::RemUIOp>(digit, constant(b, term.count));
    digit = b.createOrFold<arith::MulIOp>(digit, constant(b, term.factor));
    added = b.createOrFold<arith::AddIOp>(added, digit);
  }
  return xored;
}

/// The offset of a register in bytes, by way of its coordinates.
Value SharedAccess::getElementOffset(int64_t number, const Layout &place) {
  SmallVector<Value> coordinates =
      apply(b, copies.once, {constant(b, number), lane, warp});
  for (auto [coordinate, given] : llvm::zip_equal(coordinates, offsets)) {
    // An index, or the register that it has become.
    Value offset = dyn_cast<Value>(given);
    if (std::optional<int64_t> known = getConstantIntValue(given))
      offset = constant(b, *known);
    else if (offset.getType().isIndex())
      offset = arith::IndexCastUIOp::create(b, b.getI32Type(), offset);
    coordinate = b.createOrFold<arith::AddIOp>(coordinate, offset);
  }
  return b.createOrFold<arith::MulIOp>(apply(b, place, coordinates)[0],
                                       constant(b, bytes));
}

void SharedAccess::visit(
    Value pointer, llvm::function_ref<void(ArrayRef<int64_t>, Value)> access) {
  auto step = [&](Value from, LLVM::GEPArg bytes) -> Value {
    return LLVM::GEPOp::create(b, from.getType(), b.getI8Type(), from,
                               ArrayRef<LLVM::GEPArg>{bytes});
  };
  if (std::optional<plan::Offsets> found = findOffsets()) {
    Value added, xored = getThreadOffset(*found, added);
    for (ArrayRef<int64_t> run : found->getRuns(accessBytes / bytes)) {
      Value offset = b.createOrFold<arith::XOrIOp>(
          xored, constant(b, found->getXored(run[0])));
      offset = b.createOrFold<arith::AddIOp>(offset, added);
      // What is the same for all threads on its own, so that it becomes the
      // constant of the access.
      access(run, step(step(pointer, offset),
                       LLVM::GEPArg(int32_t(found->getAdded(run[0])))));
    }
    return;
  }
  // In memory each element has one place.
  Layout place = llvm::cantFail(buffer.invert());
  for (int64_t number = 0;
       number < copies.once.getInputSize(layouts::inRegister); ++number)
    access({number}, step(pointer, getElementOffset(number, place)));
}

Value SharedAccess::isWriter() {
  return areZero(b, warp, copies.warpBits, areZero(b, lane, copies.laneBits));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Where the elements of a buffer are: its layout, or that of its panels, where
/// each element's place has to be computed. Nothing if another pattern reads
/// and writes them.
static std::optional<Layout> getPlace(RankedTensorType tile,
                                      tile::BufferType buffer) {
  if (buffer.getSpace() != tile::Space::Smem)
    return std::nullopt;
  if (buffer.getLayout())
    return buffer.getLayout().getLayout();
  std::optional<plan::Panels> panels = plan::getPanels(buffer);
  if (!panels)
    return std::nullopt;
  bool transposed = buffer.getPanels().getTransposed();
  llvm::Expected<plan::Offsets> sums =
      plan::getSharedOffsets(tile, *getLayout(tile), *panels, transposed);
  if (sums)
    return std::nullopt;
  llvm::consumeError(sums.takeError());
  return llvm::cantFail(plan::getSharedLayout(tile, *panels, transposed));
}

namespace {
struct ReadShared : OpConversionPattern<tile::ReadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tile::ReadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType tile = op.getType();
    std::optional<Layout> place = getPlace(tile, op.getBuffer().getType());
    if (!place)
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<OpFoldResult> offsets =
        getMixedValues(op.getStaticOffsets(), adaptor.getOffsets(), b);
    SharedAccess access(b, op, tile, *place, offsets);
    Type element = getMemoryType(tile.getElementType());
    SmallVector<Value> loaded(
        access.getCopies().once.getInputSize(layouts::inRegister));
    access.visit(adaptor.getBuffer(), [&](ArrayRef<int64_t> run, Value at) {
      int64_t count = run.size();
      Value part = LLVM::LoadOp::create(b, VectorType::get(count, element), at,
                                        unsigned(count * access.getBytes()));
      for (auto [number, value] : llvm::zip_equal(
               run, vector::ToElementsOp::create(b, part).getResults()))
        loaded[number] = value;
    });
    SmallVector<Value> registers;
    for (int64_t number : access.getCopies().registerOf)
      registers.push_back(loaded[number]);
    Value all = vector::FromElementsOp::create(
        b, VectorType::get(registers.size(), element), registers);
    rewriter.replaceOp(op, fromMemory(b, all, tile.getElementType()));
    return success();
  }
};

struct WriteShared : OpConversionPattern<tile::WriteOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tile::WriteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType tile = op.getValue().getType();
    std::optional<Layout> place = getPlace(tile, op.getBuffer().getType());
    if (!place)
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<OpFoldResult> offsets =
        getMixedValues(op.getStaticOffsets(), adaptor.getOffsets(), b);
    SharedAccess access(b, op, tile, *place, offsets);
    // Of the registers with the same element, the first.
    const layouts::Copies &copies = access.getCopies();
    SmallVector<int64_t> registerWith(
        copies.once.getInputSize(layouts::inRegister));
    for (int64_t number = copies.registerOf.size(); number-- > 0;)
      registerWith[copies.registerOf[number]] = number;
    Value stored = toMemory(b, adaptor.getValue());
    when(b, access.isWriter(), [&] {
      access.visit(adaptor.getBuffer(), [&](ArrayRef<int64_t> run, Value at) {
        SmallVector<int64_t> numbers;
        for (int64_t once : run)
          numbers.push_back(registerWith[once]);
        Value part = vector::ShuffleOp::create(b, stored, stored, numbers);
        LLVM::StoreOp::create(b, part, at,
                              unsigned(run.size() * access.getBytes()));
      });
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct AllocShared : OpConversionPattern<tile::AllocOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tile::AllocOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getType().getSpace() != tile::Space::Smem || !op.getAt())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type pointer = getTypeConverter()->convertType(op.getType());
    Value start = LLVM::AddressOfOp::create(b, pointer, sharedMemoryName);
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(
        op, pointer, b.getI8Type(), start,
        ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(int32_t(*op.getAt()))});
    return success();
  }
};
} // namespace

void drawloom::addSharedAccessPatterns(const TypeConverter &types,
                                       RewritePatternSet &patterns,
                                       PatternBenefit benefit) {
  patterns.add<ReadShared, WriteShared>(types, patterns.getContext(), benefit);
}

void tonvvm::addAccessShared(const TypeConverter &types,
                             RewritePatternSet &patterns) {
  addSharedAccessPatterns(types, patterns, /*benefit=*/1);
  patterns.add<AllocShared>(types, patterns.getContext());
}
