//===- Shared.cpp - Tiles between registers and shared memory -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where each register of a tile is in memory is the tile's layout, then the
// inverse of the buffer's, which may be panels. Offsets
// (Analysis/RoleTiles/Fragments.h) splits that into what a thread computes once
// and a constant for each register, and finds registers that are neighbors: one
// access, up to 16 bytes.
//
// That takes two layouts that write coordinates in the same radices, and a part
// of the buffer whose place is a constant multiple of its size, of not too many
// parts. Otherwise each element's coordinates are computed, and its offset from
// them.

#include "Patterns.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "drawloom/Analysis/Layouts/Copies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;
using tile::Layout;

/// The most that a thread reads or writes of memory at once.
static constexpr int64_t accessBytes = 16;

/// The coordinates that a layout has at a place, one i32 for each.
static SmallVector<Value> apply(CodeWriter &w, const tile::Layout &layout,
                                ArrayRef<Value> place) {
  SmallVector<Value> coordinates;
  for (unsigned out = 0; out < layout.getOutputs().size(); ++out) {
    // A digit of a coordinate is the sum over bits of the bits that reach it,
    // or one odd digit.
    Value coordinate = w.constant(0);
    int64_t weight = 1;
    for (int64_t count : layout.getRadix(out)) {
      Value digit;
      for (auto [number, input] : llvm::zip_equal(place, layout.getInputs())) {
        int64_t divisor = 1;
        for (const tile::Layout::Digit &part : input.digits) {
          bool reaches =
              count == 2 ? part.count == 2 && part.basis[out] / weight % 2 == 1
                         : part.count == count && part.basis[out] == weight;
          if (reaches) {
            Value value =
                w.b.createOrFold<arith::DivUIOp>(number, w.constant(divisor));
            value =
                w.b.createOrFold<arith::RemUIOp>(value, w.constant(part.count));
            digit =
                digit ? w.b.createOrFold<arith::XOrIOp>(digit, value) : value;
          }
          divisor *= part.count;
        }
      }
      if (digit) {
        digit = w.b.createOrFold<arith::MulIOp>(digit, w.constant(weight));
        coordinate = w.b.createOrFold<arith::AddIOp>(coordinate, digit);
      }
      weight *= count;
    }
    coordinates.push_back(coordinate);
  }
  return coordinates;
}

/// Whether the bits of `number` with these weights are all zero, an i1; null if
/// there are none. Anded to `other`, unless that is null.
static Value areZero(CodeWriter &w, Value number, ArrayRef<int64_t> weights,
                     Value other = {}) {
  auto require = [&](Value bits) {
    Value isZero = arith::CmpIOp::create(w.b, arith::CmpIPredicate::eq, bits,
                                         w.constant(0));
    other =
        other ? arith::AndIOp::create(w.b, other, isZero).getResult() : isZero;
  };
  int64_t mask = 0;
  for (int64_t weight : weights) {
    if (llvm::isPowerOf2_64(weight)) {
      mask |= weight;
      continue;
    }
    Value digit = arith::DivUIOp::create(w.b, number, w.constant(weight));
    require(arith::AndIOp::create(w.b, digit, w.constant(1)));
  }
  if (mask)
    require(arith::AndIOp::create(w.b, number, w.constant(mask)));
  return other;
}

/// Where the elements of a tile are in a buffer: its layout, or its panels as
/// one. That there is one was asked before (CheckLayouts.cpp).
static Layout getPlaces(RankedTensorType tile, tile::BufferType buffer) {
  if (buffer.getLayout())
    return buffer.getLayout().getLayout();
  return llvm::cantFail(plan::getSharedLayout(
      tile, *plan::getPanels(buffer), buffer.getPanels().getTransposed()));
}

namespace {
/// What a thread reads or writes of a tile that is a part of a buffer.
class SharedAccess {
public:
  SharedAccess(CodeWriter &w, RankedTensorType tile, tile::BufferType buffer,
               ArrayRef<OpFoldResult> starts)
      : w(w), starts(starts), buffer(getPlaces(tile, buffer)),
        copies(layouts::findCopies(getLayout(tile))),
        bytes(getElementBytes(tile.getElementType())), offsets(findOffsets()) {
    if (offsets)
      thread = w.getThreadOffset(*offsets);
  }

  /// Visits accesses: registers of `copies.once` that are next to each other,
  /// and the address of the first.
  void visit(Value pointer,
             llvm::function_ref<void(ArrayRef<int64_t>, Value)> access);
  /// The registers of the tile.
  Value load(Value pointer, Type element);
  void store(Value pointer, Value registers);
  /// Of threads that have the same elements, one writes.
  void whenWriter(llvm::function_ref<void()> body);

private:
  std::optional<plan::Offsets> findOffsets() const;
  Value getElementOffset(int64_t number, const Layout &place);

  CodeWriter &w;
  ArrayRef<OpFoldResult> starts;
  Layout buffer;
  layouts::Copies copies;
  int64_t bytes;
  /// Nothing if they have to be computed from coordinates.
  std::optional<plan::Offsets> offsets;
  ThreadOffset thread;
};
} // namespace

/// The offsets of the part's registers in bytes; nothing if they have to be
/// computed from coordinates.
std::optional<plan::Offsets> SharedAccess::findOffsets() const {
  // The other parts of the buffer are more registers: the digits above.
  std::vector<Layout::Input> inputs = copies.once.getInputs();
  int64_t count = copies.once.getInputSize(layouts::inRegister);
  int64_t first = 0, weight = count;
  for (auto [dim, part, whole, given] :
       llvm::enumerate(copies.once.getOutputs(), buffer.getOutputs(), starts)) {
    std::optional<int64_t> offset = getConstantIntValue(given);
    if (!offset || *offset % part.size || whole.size % part.size)
      return std::nullopt;
    if (whole.size == part.size)
      continue;
    SmallVector<int64_t, 2> step(starts.size(), 0);
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

/// The offset of a register in bytes, by way of its coordinates.
Value SharedAccess::getElementOffset(int64_t number, const Layout &place) {
  SmallVector<Value> coordinates =
      apply(w, copies.once, {w.constant(number), w.kernel.lane, w.own.warp});
  for (auto [coordinate, given] : llvm::zip_equal(coordinates, starts)) {
    // An index, or the register that it has become.
    Value offset = dyn_cast<Value>(given);
    if (std::optional<int64_t> known = getConstantIntValue(given))
      offset = w.constant(*known);
    else if (offset.getType().isIndex())
      offset = arith::IndexCastUIOp::create(w.b, w.b.getI32Type(), offset);
    coordinate = w.b.createOrFold<arith::AddIOp>(coordinate, offset);
  }
  return w.b.createOrFold<arith::MulIOp>(apply(w, place, coordinates)[0],
                                         w.constant(bytes));
}

void SharedAccess::visit(
    Value pointer, llvm::function_ref<void(ArrayRef<int64_t>, Value)> access) {
  if (offsets) {
    for (ArrayRef<int64_t> run : offsets->getRuns(accessBytes / bytes))
      access(run, w.getAddress(pointer, thread, *offsets, run[0]));
    return;
  }
  // In memory each element has one place.
  Layout place = llvm::cantFail(buffer.invert());
  for (int64_t number = 0;
       number < copies.once.getInputSize(layouts::inRegister); ++number)
    access({number},
           getBytesAfter(w.b, pointer, getElementOffset(number, place)));
}

Value SharedAccess::load(Value pointer, Type element) {
  SmallVector<Value> loaded(copies.once.getInputSize(layouts::inRegister));
  visit(pointer, [&](ArrayRef<int64_t> run, Value at) {
    Value part = LLVM::LoadOp::create(w.b, VectorType::get(run.size(), element),
                                      at, unsigned(run.size() * bytes));
    for (auto [index, number] : llvm::enumerate(run))
      loaded[number] = vector::ExtractOp::create(w.b, part, int64_t(index));
  });
  SmallVector<Value> registers;
  for (int64_t number : copies.registerOf)
    registers.push_back(loaded[number]);
  return vector::FromElementsOp::create(
      w.b, VectorType::get(registers.size(), element), registers);
}

void SharedAccess::store(Value pointer, Value registers) {
  // Of the registers with the same element, the first.
  SmallVector<int64_t> registerWith(
      copies.once.getInputSize(layouts::inRegister));
  for (int64_t number = copies.registerOf.size(); number-- > 0;)
    registerWith[copies.registerOf[number]] = number;
  visit(pointer, [&](ArrayRef<int64_t> run, Value at) {
    SmallVector<int64_t> numbers;
    for (int64_t once : run)
      numbers.push_back(registerWith[once]);
    Value part = vector::ShuffleOp::create(w.b, registers, registers, numbers);
    LLVM::StoreOp::create(w.b, part, at, unsigned(run.size() * bytes));
  });
}

void SharedAccess::whenWriter(llvm::function_ref<void()> body) {
  Value writes = areZero(w, w.own.warp, copies.warpBits,
                         areZero(w, w.kernel.lane, copies.laneBits));
  if (writes)
    w.when(writes, body);
  else
    body();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static Values read(tile::ReadOp op, tile::ReadOp::Adaptor operands,
                   CodeWriter &w) {
  tile::BufferType buffer = op.getBuffer().getType();
  if (buffer.getSpace() == tile::Space::Tmem)
    return {readTensor(op, operands, w)};
  Type element = op.getType().getElementType();
  SmallVector<OpFoldResult> starts =
      getMixedValues(op.getStaticOffsets(), operands.getOffsets(), w.b);
  SharedAccess access(w, op.getType(), buffer, starts);
  return {fromMemory(
      w.b, access.load(operands.getBuffer(), getMemoryType(element)), element)};
}

static Values write(tile::WriteOp op, tile::WriteOp::Adaptor operands,
                    CodeWriter &w) {
  tile::BufferType buffer = op.getBuffer().getType();
  if (buffer.getSpace() == tile::Space::Tmem) {
    writeTensor(op, operands, w);
    return {};
  }
  SmallVector<OpFoldResult> starts =
      getMixedValues(op.getStaticOffsets(), operands.getOffsets(), w.b);
  SharedAccess access(w, op.getValue().getType(), buffer, starts);
  Value stored = toMemory(w.b, operands.getValue());
  access.whenWriter([&] { access.store(operands.getBuffer(), stored); });
  return {};
}

/// To the same place of each of the CTAs, whose ranks follow that of the first.
static Values send(agent::SendOp op, agent::SendOp::Adaptor operands,
                   CodeWriter &w) {
  RankedTensorType tile = op.getPart().getType();
  SmallVector<OpFoldResult> starts(tile.getRank(), w.b.getIndexAttr(0));
  SharedAccess access(w, tile, op.getBuffer().getType(), starts);
  Value stored = toMemory(w.b, operands.getPart());
  Value moved = arith::MulIOp::create(w.b, operands.getPlace(),
                                      w.constant(op.getStride()));
  Value own = getBytesAfter(w.b, operands.getBuffer(), LLVM::GEPArg(moved));
  Type cluster =
      getPointerType(w.b.getContext(), NVVM::NVVMMemorySpace::SharedCluster);
  access.whenWriter([&] {
    Value first = LLVM::CountTrailingZerosOp::create(
        w.b, w.b.getI32Type(), operands.getCtas(), /*is_zero_poison=*/true);
    for (int64_t number = 0; number != op.getCount(); ++number) {
      Value rank =
          arith::AddIOp::create(w.b, first, w.constant(number * op.getEvery()));
      access.store(NVVM::MapaOp::create(w.b, cluster, own, rank), stored);
    }
  });
  return {};
}

void codegen::addShared(PatternList &list) {
  list.add<tile::ReadOp>(read);
  list.add<tile::WriteOp>(write);
  list.add<agent::SendOp>(send);
  list.add<tile::AllocOp>(
      [](tile::AllocOp op, tile::AllocOp::Adaptor, CodeWriter &w) -> Values {
        return {w.getShared(*op.getAt())};
      });
  // The same memory, read in another way.
  list.add<tile::TransposeViewOp>(
      [](tile::TransposeViewOp, tile::TransposeViewOp::Adaptor operands,
         CodeWriter &) -> Values { return {operands.getSource()}; });
}
