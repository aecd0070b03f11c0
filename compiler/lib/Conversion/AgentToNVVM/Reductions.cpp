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
#include "llvm/ADT/MapVector.h"

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
static Value combineAll(ImplicitLocOpBuilder &b, tile::Reduction kind,
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

/// Combines what several warps have, through the role's own memory. That there
/// is enough was asked before (CheckLayouts.cpp).
static void combineWarps(tile::ReduceOp op, const tile::Layout &from,
                         const std::optional<tile::Layout> &to,
                         SmallVectorImpl<Value> &parts, CodeWriter &w) {
  ImplicitLocOpBuilder &b = w.b;
  // The number of a warp among those that have parts of the same elements.
  int64_t weight = 1, warps = 1;
  Value mine;
  for (const tile::Layout::Digit &digit :
       from.getInputs()[plan::inWarp].digits) {
    if (digit.basis[op.getAxis()]) {
      Value value = arith::DivUIOp::create(b, w.own.warp, w.constant(weight));
      value = arith::RemUIOp::create(b, value, w.constant(digit.count));
      value = arith::MulIOp::create(b, value, w.constant(warps));
      mine = mine ? arith::AddIOp::create(b, mine, value).getResult() : value;
      warps *= digit.count;
    }
    weight *= digit.count;
  }
  if (warps == 1)
    return;

  Type element = parts.front().getType();
  int64_t bytes = std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
  int64_t kept = to ? to->getOutputs()[0].size : 1;
  Value area = w.getShared(w.role.getNamedBarrierAttr().getParts());
  std::optional<plan::Offsets> offsets;
  std::optional<ThreadOffset> thread;
  if (to) {
    // A coordinate of a fragment is made of digits that never meet.
    offsets = llvm::cantFail(plan::Offsets::get(*to, 0, bytes));
    thread = w.getThreadOffset(*offsets);
  }
  auto address = [&](Value base, int64_t number, int64_t warp) -> Value {
    if (offsets)
      base = w.getAddress(base, *thread, *offsets, number);
    return getBytesAfter(
        b, base, LLVM::GEPArg(static_cast<int32_t>(warp * kept * bytes)));
  };
  Value row = arith::MulIOp::create(b, mine, w.constant(kept * bytes));
  Value own = getBytesAfter(b, area, LLVM::GEPArg(row));
  // Of the lanes with copies, one writes.
  int64_t copies = to ? getCopyMask(*to, plan::inLane) : 31;
  Value bits = arith::AndIOp::create(b, w.kernel.lane, w.constant(copies));
  Value writes =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits, w.constant(0));
  w.when(writes, [&] {
    for (auto [index, part] : llvm::enumerate(parts))
      LLVM::StoreOp::create(b, part, address(own, index, 0), bytes);
  });
  w.syncRole();
  for (auto [index, part] : llvm::enumerate(parts)) {
    SmallVector<Value> all;
    for (int64_t warp = 0; warp < warps; ++warp)
      all.push_back(
          LLVM::LoadOp::create(b, element, address(area, index, warp), bytes));
    part = combineAll(b, op.getKind(), all);
  }
  // The next reduction writes to the same place.
  w.syncRole();
}

static Values reduce(tile::ReduceOp op, tile::ReduceOp::Adaptor operands,
                     CodeWriter &w) {
  ImplicitLocOpBuilder &b = w.b;
  Value source = operands.getSource();
  const tile::Layout &from = getLayout(op.getSource().getType());
  unsigned axis = op.getAxis();
  // Of a vector nothing is left but a scalar, which every thread has.
  bool toScalar = !isa<RankedTensorType>(op.getType());
  std::optional<tile::Layout> to;
  if (!toScalar)
    to = getLayout(op.getType());

  // By what is left of their coordinates.
  llvm::MapVector<int64_t, SmallVector<Value>> groups;
  for (int64_t i = 0; i < from.getInputSize(plan::inRegister); ++i) {
    SmallVector<int64_t> at = from.apply({i, 0, 0});
    groups[toScalar ? 0 : at[1 - axis]].push_back(
        vector::ExtractOp::create(b, source, i));
  }
  SmallVector<Value> parts;
  int64_t count = to ? to->getInputSize(plan::inRegister) : 1;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(
        combineAll(b, op.getKind(), groups[to ? to->apply({i, 0, 0})[0] : 0]));

  int64_t weight = 1;
  for (const tile::Layout::Digit &digit :
       from.getInputs()[plan::inLane].digits) {
    if (digit.basis[axis])
      for (Value &part : parts)
        part = combine(b, op.getKind(), part, exchange(b, part, weight));
    weight *= digit.count;
  }
  combineWarps(op, from, to, parts, w);
  if (toScalar)
    return {parts.front()};
  return {
      vector::FromElementsOp::create(b, getVectorType(op.getType()), parts)};
}

void codegen::addReductions(PatternList &list) {
  list.add<tile::ReduceOp>(reduce);
}
