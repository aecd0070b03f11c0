//===- Reductions.cpp - Sums and maxima along an axis ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Elements along an axis are in registers of a thread, in lanes and in warps,
// as the digits of the layout say. They are combined in this order:
//
//   registers  pairs, then pairs of pairs
//   lanes      with the lane whose number differs in one bit
//   warps      each puts its part into scratch memory, and all read all parts
//
// Then every thread has what the layout of the result wants it to have: lanes
// and warps of the reduced axis have copies.

#include "Patterns.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <map>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

static Value combine(ImplicitLocOpBuilder &b, tile::Reduction kind, Value x,
                     Value y) {
  switch (kind) {
  case tile::Reduction::AddF:
    return arith::AddFOp::create(b, x, y);
  case tile::Reduction::MulF:
    return arith::MulFOp::create(b, x, y);
  case tile::Reduction::MaximumF:
    return arith::MaximumFOp::create(b, x, y);
  case tile::Reduction::MinimumF:
    return arith::MinimumFOp::create(b, x, y);
  case tile::Reduction::MaxNumF:
    return arith::MaxNumFOp::create(b, x, y);
  case tile::Reduction::MinNumF:
    return arith::MinNumFOp::create(b, x, y);
  case tile::Reduction::AddI:
    return arith::AddIOp::create(b, x, y);
  case tile::Reduction::MulI:
    return arith::MulIOp::create(b, x, y);
  case tile::Reduction::MaxSI:
    return arith::MaxSIOp::create(b, x, y);
  case tile::Reduction::MinSI:
    return arith::MinSIOp::create(b, x, y);
  case tile::Reduction::MaxUI:
    return arith::MaxUIOp::create(b, x, y);
  case tile::Reduction::MinUI:
    return arith::MinUIOp::create(b, x, y);
  case tile::Reduction::AndI:
    return arith::AndIOp::create(b, x, y);
  case tile::Reduction::OrI:
    return arith::OrIOp::create(b, x, y);
  case tile::Reduction::XOrI:
    return arith::XOrIOp::create(b, x, y);
  }
  llvm_unreachable("all kinds are above");
}

/// Pairs, then pairs of pairs: short chains, and small rounding errors.
static Value combineInPairs(ImplicitLocOpBuilder &b, tile::Reduction kind,
                            SmallVector<Value> values) {
  while (values.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      next.push_back(combine(b, kind, values[i], values[i + 1]));
    if (values.size() % 2)
      next.push_back(values.back());
    values = std::move(next);
  }
  return values.front();
}

/// All values. Two sums in f32 are one instruction on sm_100.
static Value combineAll(CodeWriter &w, tile::Reduction kind,
                        SmallVector<Value> values) {
  ImplicitLocOpBuilder &b = w.b;
  Type type = values.front().getType();
  if (w.kernel.arch.mma == target::MmaInstruction::Tcgen05 &&
      kind == tile::Reduction::AddF && type.isF32() && values.size() > 2 &&
      values.size() % 2 == 0) {
    SmallVector<Value> pairs;
    for (size_t i = 0; i < values.size(); i += 2)
      pairs.push_back(vector::FromElementsOp::create(
          b, VectorType::get(2, type), ValueRange{values[i], values[i + 1]}));
    Value pair = combineInPairs(b, kind, std::move(pairs));
    values = {vector::ExtractOp::create(b, pair, 0),
              vector::ExtractOp::create(b, pair, 1)};
  }
  return combineInPairs(b, kind, std::move(values));
}

/// The same value of the lane whose number differs in `bits`.
static Value exchange(ImplicitLocOpBuilder &b, Value value, int64_t bits) {
  Type type = value.getType(), i32 = b.getI32Type();
  unsigned width = type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(width);
  Value word = isa<FloatType>(type)
                   ? arith::BitcastOp::create(b, integer, value).getResult()
                   : value;
  auto constant = [&](Type type, int64_t number) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, number));
  };
  auto shuffle = [&](Value part) -> Value {
    return NVVM::ShflOp::create(b, i32, constant(i32, -1), part,
                                constant(i32, bits), constant(i32, 31),
                                NVVM::ShflKind::bfly, UnitAttr());
  };
  if (width == 64) {
    Value low = shuffle(arith::TruncIOp::create(b, i32, word));
    Value high = shuffle(arith::TruncIOp::create(
        b, i32, arith::ShRUIOp::create(b, word, constant(integer, 32))));
    high = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, integer, high),
                                 constant(integer, 32));
    word =
        arith::OrIOp::create(b, arith::ExtUIOp::create(b, integer, low), high);
  } else if (width == 32) {
    word = shuffle(word);
  } else {
    word = arith::TruncIOp::create(
        b, integer, shuffle(arith::ExtUIOp::create(b, i32, word)));
  }
  return isa<FloatType>(type)
             ? arith::BitcastOp::create(b, type, word).getResult()
             : word;
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

/// What is left of a layout if an axis is cut into blocks, and each is one
/// element: lanes and warps inside a block have copies.
static tile::Layout shrinkAxis(const tile::Layout &layout, unsigned axis,
                               int64_t block) {
  std::vector<tile::Layout::Input> inputs(layout.getInputs());
  std::vector<tile::Layout::Output> outputs(layout.getOutputs());
  for (auto [number, input] : llvm::enumerate(inputs)) {
    for (tile::Layout::Digit &digit : input.digits)
      if (int64_t &step = digit.basis[axis])
        step = step < block ? 0 : step / block;
    if (number == plan::inRegister)
      llvm::erase_if(input.digits, [](const tile::Layout::Digit &digit) {
        return llvm::all_of(digit.basis, [](int64_t step) { return !step; });
      });
  }
  outputs[axis].size /= block;
  // A part of a layout is one.
  return llvm::cantFail(
      tile::Layout::get(std::move(inputs), std::move(outputs)));
}

namespace {
/// Warps that have parts of an axis exchange what they have. The parts
/// are a tile, by its layout, and each of these warps has one.
class Warps {
public:
  Warps(ArrayRef<tile::AxisDigit> digits, const tile::Layout &parts,
        Type element, CodeWriter &w);

  /// The number of this warp among them, in the order of the axis.
  Value mine;
  int64_t count = 1;

  /// Visits, for each register of the parts, what all of them have of it. That
  /// there is enough memory was asked before (CheckLayouts.cpp).
  void exchange(ArrayRef<Value> own,
                llvm::function_ref<void(size_t, ArrayRef<Value>)> visit);

private:
  Value getAddress(Value base, int64_t number, int64_t warp);

  CodeWriter &w;
  const tile::Layout &parts;
  Type element;
  int64_t bytes, elements = 1;
  plan::Offsets offsets;
  ThreadOffset thread;
};
} // namespace

/// Where the elements of a tile are in rows.
static plan::Offsets getOffsetsInRows(const tile::Layout &parts,
                                      int64_t bytes) {
  SmallVector<int64_t> shape = llvm::map_to_vector(
      parts.getOutputs(), [](const auto &output) { return output.size; });
  tile::Layout rows = llvm::cantFail(tile::Layout::rowMajor("offset", shape));
  return llvm::cantFail(plan::Offsets::get(
      llvm::cantFail(parts.compose(llvm::cantFail(rows.invert()))), 0, bytes));
}

Warps::Warps(ArrayRef<tile::AxisDigit> digits, const tile::Layout &parts,
             Type element, CodeWriter &w)
    : w(w), parts(parts), element(element),
      bytes(std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8)) {
  for (const tile::Layout::Output &output : parts.getOutputs())
    elements *= output.size;
  for (const tile::AxisDigit &digit : digits) {
    if (digit.input != plan::inWarp)
      continue;
    Value value =
        arith::DivUIOp::create(w.b, w.own.warp, w.constant(digit.weight));
    value = arith::RemUIOp::create(w.b, value, w.constant(digit.count));
    value = arith::MulIOp::create(w.b, value, w.constant(count));
    mine = mine ? arith::AddIOp::create(w.b, mine, value).getResult() : value;
    count *= digit.count;
  }
}

Value Warps::getAddress(Value base, int64_t number, int64_t warp) {
  base = w.getAddress(base, thread, offsets, number);
  return getBytesAfter(
      w.b, base, LLVM::GEPArg(static_cast<int32_t>(warp * elements * bytes)));
}

void Warps::exchange(ArrayRef<Value> own,
                     llvm::function_ref<void(size_t, ArrayRef<Value>)> visit) {
  ImplicitLocOpBuilder &b = w.b;
  Value area = w.getShared(w.role.getNamedBarrierAttr().getParts());
  offsets = getOffsetsInRows(parts, bytes);
  thread = w.getThreadOffset(offsets);
  Value row = arith::MulIOp::create(b, mine, w.constant(elements * bytes));
  Value ownArea = getBytesAfter(b, area, LLVM::GEPArg(row));
  // Of the lanes with copies, one writes.
  Value bits = arith::AndIOp::create(
      b, w.kernel.lane, w.constant(getCopyMask(parts, plan::inLane)));
  Value writes =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits, w.constant(0));
  w.when(writes, [&] {
    for (auto [index, part] : llvm::enumerate(own))
      LLVM::StoreOp::create(b, part, getAddress(ownArea, index, 0), bytes);
  });
  w.syncRole();
  // One after the other, so that what is read is combined soon.
  for (size_t index = 0; index < own.size(); ++index) {
    SmallVector<Value> all;
    for (int64_t warp = 0; warp < count; ++warp)
      all.push_back(LLVM::LoadOp::create(b, element,
                                         getAddress(area, index, warp), bytes));
    visit(index, all);
  }
  // The next exchange writes to the same place.
  w.syncRole();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static Values reduce(tile::ReduceOp op, tile::ReduceOp::Adaptor operands,
                     CodeWriter &w) {
  ImplicitLocOpBuilder &b = w.b;
  const tile::Layout &from = getLayout(op.getSource().getType());
  unsigned axis = op.getAxis();
  SmallVector<tile::AxisDigit> digits =
      llvm::cantFail(tile::findAxisDigits(from, axis));
  tile::Layout to = shrinkAxis(from, axis, from.getOutputs()[axis].size);

  // By what is left of their coordinates.
  llvm::DenseMap<int64_t, SmallVector<Value>> groups;
  auto getKept = [&](const tile::Layout &layout, int64_t number) {
    SmallVector<int64_t> at = layout.apply({number, 0, 0});
    return at.size() == 1 ? 0 : at[1 - axis];
  };
  for (int64_t i = 0; i < from.getInputSize(plan::inRegister); ++i)
    groups[getKept(from, i)].push_back(
        vector::ExtractOp::create(b, operands.getSource(), i));
  SmallVector<Value> parts;
  for (int64_t i = 0; i < to.getInputSize(plan::inRegister); ++i)
    parts.push_back(combineAll(w, op.getKind(), groups[getKept(to, i)]));

  for (const tile::AxisDigit &digit : digits)
    if (digit.input == plan::inLane)
      for (Value &part : parts)
        part = combine(b, op.getKind(), part, exchange(b, part, digit.weight));
  Warps warps(digits, to, parts.front().getType(), w);
  if (warps.count > 1)
    warps.exchange(
        SmallVector<Value>(parts), [&](size_t index, ArrayRef<Value> all) {
          parts[index] = combineAll(w, op.getKind(), SmallVector<Value>(all));
        });
  if (!isa<RankedTensorType>(op.getType()))
    return {parts.front()};
  return {
      vector::FromElementsOp::create(b, getVectorType(op.getType()), parts)};
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

namespace {
/// A scan, digit by digit of the axis from the smallest step up. In between, a
/// block is what the digits so far step over, and a register knows
///
///   scanned  what its element and those before it in the block come to
///   total    what all of the block come to
///
/// The next digit puts blocks side by side: those of registers, of two lanes,
/// or of warps.
class Scan {
public:
  Scan(tile::ScanOp op, Value source, CodeWriter &w);

  Value emit();

private:
  Value combine(Value x, Value y) { return ::combine(w.b, kind, x, y); }
  void joinRegisters(const tile::AxisDigit &digit);
  void joinLanes(const tile::AxisDigit &digit);
  void joinWarps(ArrayRef<tile::AxisDigit> digits);

  CodeWriter &w;
  const tile::Layout &layout;
  unsigned axis;
  tile::Reduction kind;
  SmallVector<Value> scanned, totals;
};
} // namespace

Scan::Scan(tile::ScanOp op, Value source, CodeWriter &w)
    : w(w), layout(getLayout(op.getType())), axis(op.getAxis()),
      kind(op.getKind()) {
  for (int64_t i = 0; i < layout.getInputSize(plan::inRegister); ++i)
    scanned.push_back(vector::ExtractOp::create(w.b, source, i));
  totals = scanned;
}

void Scan::joinRegisters(const tile::AxisDigit &digit) {
  for (int64_t first = 0; first < int64_t(scanned.size()); ++first) {
    if (first / digit.weight % digit.count != 0)
      continue;
    Value before = totals[first];
    for (int64_t i = 1; i < digit.count; ++i) {
      int64_t number = first + i * digit.weight;
      scanned[number] = combine(before, scanned[number]);
      before = combine(before, totals[number]);
    }
    for (int64_t i = 0; i < digit.count; ++i)
      totals[first + i * digit.weight] = before;
  }
}

void Scan::joinLanes(const tile::AxisDigit &digit) {
  Value bit =
      arith::AndIOp::create(w.b, w.kernel.lane, w.constant(digit.weight));
  Value isSecond =
      arith::CmpIOp::create(w.b, arith::CmpIPredicate::ne, bit, w.constant(0));
  // Registers of one block have the same total.
  llvm::DenseMap<Value, std::pair<Value, Value>> joined;
  for (auto [element, total] : llvm::zip_equal(scanned, totals)) {
    auto &[other, both] = joined[total];
    if (!other) {
      other = exchange(w.b, total, digit.weight);
      both = combine(total, other);
    }
    element = arith::SelectOp::create(w.b, isSecond, combine(other, element),
                                      element);
    total = both;
  }
}

void Scan::joinWarps(ArrayRef<tile::AxisDigit> digits) {
  int64_t block = digits.back().step * digits.back().count;
  tile::Layout parts = shrinkAxis(layout, axis, block);
  // Registers by the part that their block is in.
  std::map<SmallVector<int64_t>, int64_t> numbers;
  int64_t count = parts.getInputSize(plan::inRegister);
  for (int64_t number = 0; number < count; ++number)
    numbers[parts.apply({number, 0, 0})] = number;
  SmallVector<int64_t> partOf;
  SmallVector<Value> own(count);
  for (auto [number, total] : llvm::enumerate(totals)) {
    SmallVector<int64_t> at = layout.apply({int64_t(number), 0, 0});
    at[axis] /= block;
    partOf.push_back(numbers.at(at));
    own[partOf.back()] = total;
  }
  Warps warps(digits, parts, own.front().getType(), w);
  auto isAfter = [&](int64_t warp) -> Value {
    return arith::CmpIOp::create(w.b, arith::CmpIPredicate::ugt, warps.mine,
                                 w.constant(warp));
  };
  SmallVector<Value> before(count), all(count);
  warps.exchange(own, [&](size_t part, ArrayRef<Value> theirs) {
    Value sum = theirs.front(), mine = sum;
    for (int64_t warp = 1; warp < warps.count; ++warp) {
      if (warp > 1)
        mine = arith::SelectOp::create(w.b, isAfter(warp - 1), sum, mine);
      sum = combine(sum, theirs[warp]);
    }
    before[part] = mine;
    all[part] = sum;
  });
  Value hasBefore = isAfter(0);
  for (auto [number, part] : llvm::enumerate(partOf)) {
    Value &element = scanned[number];
    element = arith::SelectOp::create(w.b, hasBefore,
                                      combine(before[part], element), element);
    totals[number] = all[part];
  }
}

Value Scan::emit() {
  SmallVector<tile::AxisDigit> digits =
      llvm::cantFail(tile::findAxisDigits(layout, axis));
  for (ArrayRef<tile::AxisDigit> rest = digits; !rest.empty();) {
    size_t joined = 1;
    switch (rest.front().input) {
    case plan::inRegister:
      joinRegisters(rest.front());
      break;
    case plan::inLane:
      joinLanes(rest.front());
      break;
    case plan::inWarp:
      while (joined < rest.size() && rest[joined].input == plan::inWarp)
        ++joined;
      joinWarps(rest.take_front(joined));
      break;
    }
    rest = rest.drop_front(joined);
  }
  return vector::FromElementsOp::create(
      w.b, VectorType::get(scanned.size(), scanned.front().getType()), scanned);
}

static Values scan(tile::ScanOp op, tile::ScanOp::Adaptor operands,
                   CodeWriter &w) {
  return {Scan(op, operands.getSource(), w).emit()};
}

void codegen::addReductions(PatternList &list) {
  list.add<tile::ReduceOp>(reduce);
  list.add<tile::ScanOp>(scan);
}
