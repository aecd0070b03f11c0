//===- ConvertLayout.cpp - Elements change registers and lanes ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// tile.convert_layout where no element leaves its warp. An Exchange
// (Analysis/Layouts/Conversion.h) says which lane sends what in which round:
//
//   1. a lane brings what it sends first to the front: registers swap places
//      where a bit of its number says so, selects
//   2. a round is a shfl.sync, unless a lane reads from itself; rounds from
//      the same lane share it, as many as fit into 32 bits
//   3. a lane puts what it received into place, selects again

#include "Patterns.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;
using layouts::Exchange;

namespace {
class ExchangeEmitter {
public:
  ExchangeEmitter(CodeWriter &w, const Exchange &exchange,
                  ArrayRef<int64_t> warpWeights)
      : w(w), b(w.b), exchange(exchange), lane(w.kernel.lane), warp(w.own.warp),
        warpWeights(warpWeights) {}

  SmallVector<Value> emit(ArrayRef<Value> registers);

private:
  SmallVector<Value> choose(ArrayRef<Value> registers,
                            ArrayRef<int64_t> weights,
                            ArrayRef<uint64_t> ofLane,
                            ArrayRef<uint64_t> ofWarp);
  SmallVector<Value> exchangeLanes(ArrayRef<Value> registers);
  SmallVector<Value> shuffle(ArrayRef<Value> values, Value from);

  CodeWriter &w;
  ImplicitLocOpBuilder &b;
  const Exchange &exchange;
  Value lane, warp;
  SmallVector<int64_t> warpWeights;
};
} // namespace

/// Whether an odd number of the bits of `number` that `mask` has are set, an
/// i1.
static Value getParity(CodeWriter &w, Value number, int64_t mask) {
  Value bits = w.b.createOrFold<arith::AndIOp>(number, w.constant(mask));
  if (!llvm::isPowerOf2_64(mask)) {
    bits = LLVM::CtPopOp::create(w.b, bits);
    bits = w.b.createOrFold<arith::AndIOp>(bits, w.constant(1));
  }
  return w.b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne, bits,
                                         w.constant(0));
}

/// The sum over bits of the words whose bit is set in `number`: word i belongs
/// to the bit of weight `weights[i]`. Null if it is zero for all numbers.
static Value sumWords(CodeWriter &w, Value number, ArrayRef<int64_t> weights,
                      ArrayRef<uint64_t> words) {
  Value sum;
  auto add = [&](Value part) {
    sum = sum ? w.b.createOrFold<arith::XOrIOp>(sum, part) : part;
  };
  // Bits that move by the same distance do so together.
  llvm::MapVector<int, int64_t> maskOfShift;
  for (auto [weight, word] : llvm::zip_equal(weights, words)) {
    if (!word)
      continue;
    if (llvm::isPowerOf2_64(weight)) {
      for (uint64_t rest = word; rest; rest &= rest - 1)
        maskOfShift[int(llvm::countr_zero(rest)) -
                    int(llvm::Log2_64(weight))] |= weight;
      continue;
    }
    Value bit = w.b.createOrFold<arith::DivUIOp>(number, w.constant(weight));
    bit = w.b.createOrFold<arith::AndIOp>(bit, w.constant(1));
    add(w.b.createOrFold<arith::MulIOp>(bit, w.constant(int64_t(word))));
  }
  for (auto [shift, mask] : maskOfShift) {
    Value bits = w.b.createOrFold<arith::AndIOp>(number, w.constant(mask));
    if (shift > 0)
      bits = w.b.createOrFold<arith::ShLIOp>(bits, w.constant(shift));
    else if (shift < 0)
      bits = w.b.createOrFold<arith::ShRUIOp>(bits, w.constant(-shift));
    add(bits);
  }
  return sum;
}

/// The weights of the bits of a lane's number.
static constexpr int64_t laneWeights[] = {1, 2, 4, 8, 16};

/// Register i becomes the one whose number differs from i in the bits that the
/// words of the thread's lane and warp have.
SmallVector<Value> ExchangeEmitter::choose(ArrayRef<Value> registers,
                                           ArrayRef<int64_t> weights,
                                           ArrayRef<uint64_t> ofLane,
                                           ArrayRef<uint64_t> ofWarp) {
  // For the bits of the numbers of lane and warp whose parity decides, the bits
  // of the register's number that they flip.
  llvm::MapVector<std::pair<uint64_t, uint64_t>, uint64_t> flips;
  for (unsigned bit = 0; bit < weights.size(); ++bit) {
    auto collect = [&](ArrayRef<uint64_t> words) {
      uint64_t mask = 0;
      for (auto [index, word] : llvm::enumerate(words))
        mask |= (word >> bit & 1) << index;
      return mask;
    };
    flips[{collect(ofLane), collect(ofWarp)}] |= uint64_t(1) << bit;
  }
  SmallVector<Value> current(registers);
  for (auto [deciding, flipped] : flips) {
    Value isFlipped;
    if (deciding.first)
      isFlipped = getParity(w, lane, int64_t(deciding.first));
    // A bit of the warp's number need not have a power of two as its weight.
    for (auto [index, weight] : llvm::enumerate(warpWeights)) {
      if (!(deciding.second >> index & 1))
        continue;
      Value bit = b.createOrFold<arith::DivUIOp>(warp, w.constant(weight));
      bit = getParity(w, bit, 1);
      isFlipped =
          isFlipped ? b.createOrFold<arith::XOrIOp>(isFlipped, bit) : bit;
    }
    if (!isFlipped)
      continue;
    SmallVector<Value> next;
    for (auto [number, value] : llvm::enumerate(current))
      next.push_back(arith::SelectOp::create(
          b, isFlipped,
          current[layouts::flipBits(int64_t(number), flipped, weights)],
          value));
    current = std::move(next);
  }
  return current;
}

/// The values of lane `from`: 32 bits at a time.
SmallVector<Value> ExchangeEmitter::shuffle(ArrayRef<Value> values,
                                            Value from) {
  Type element = values[0].getType(), i32 = b.getI32Type();
  Type inWord = element.isInteger(1) ? b.getI8Type() : element;
  int64_t bits = inWord.getIntOrFloatBitWidth();
  int64_t together = std::max<int64_t>(32 / bits, 1);
  int64_t words = std::max<int64_t>(bits / 32, 1);
  auto packed = VectorType::get(together, inWord);
  SmallVector<Value> received;
  for (size_t first = 0; first < values.size(); first += together) {
    SmallVector<Value> group(
        values.slice(first, std::min<size_t>(together, values.size() - first)));
    size_t used = group.size();
    group.resize(together, group.back());
    for (Value &value : group)
      if (element != inWord)
        value = arith::ExtUIOp::create(b, inWord, value);
    Value vector = vector::BitCastOp::create(
        b, VectorType::get(words, i32),
        vector::FromElementsOp::create(b, packed, group));
    SmallVector<Value> sent(
        vector::ToElementsOp::create(b, vector).getResults());
    for (Value &word : sent)
      word = NVVM::ShflOp::create(b, i32, w.constant(-1), word, from,
                                  w.constant(layouts::lanesOfWarp - 1),
                                  NVVM::ShflKind::idx, UnitAttr());
    vector = vector::BitCastOp::create(
        b, packed,
        vector::FromElementsOp::create(b, VectorType::get(words, i32), sent));
    auto unpacked = vector::ToElementsOp::create(b, vector);
    for (Value value : unpacked.getResults().take_front(used))
      received.push_back(
          element == inWord
              ? value
              : arith::TruncIOp::create(b, element, value).getResult());
  }
  return received;
}

/// What this lane receives in each round.
SmallVector<Value> ExchangeEmitter::exchangeLanes(ArrayRef<Value> registers) {
  // Rounds by the part of the lane that differs; what is sent twice goes once.
  llvm::MapVector<int64_t, llvm::SmallSetVector<int64_t, 8>> sendsOfLane;
  for (const Exchange::Round &round : exchange.rounds)
    sendsOfLane[round.lane].insert(round.send);
  Value base = sumWords(w, lane, laneWeights, exchange.readsOfLane);
  if (Value ofWarp = sumWords(w, warp, warpWeights, exchange.readsOfWarp))
    base = base ? b.createOrFold<arith::XOrIOp>(base, ofWarp) : ofWarp;
  if (!base)
    base = w.constant(0);
  llvm::DenseMap<std::pair<int64_t, int64_t>, Value> received;
  for (const auto &[fixed, sends] : sendsOfLane) {
    if (fixed == 0 && exchange.readsOwnLane()) {
      for (int64_t number : sends)
        received[{fixed, number}] = registers[number];
      continue;
    }
    Value from = base;
    if (fixed)
      from = b.createOrFold<arith::XOrIOp>(base, w.constant(fixed));
    auto values = llvm::map_to_vector(
        sends, [&](int64_t number) { return registers[number]; });
    for (auto [number, value] : llvm::zip_equal(sends, shuffle(values, from)))
      received[{fixed, number}] = value;
  }
  return llvm::map_to_vector(exchange.rounds,
                             [&](const Exchange::Round &round) {
                               return received.lookup({round.lane, round.send});
                             });
}

SmallVector<Value> ExchangeEmitter::emit(ArrayRef<Value> registers) {
  SmallVector<Value> sent = choose(registers, exchange.fromWeights,
                                   exchange.sendsOfLane, exchange.sendsOfWarp);
  if (exchange.isInThread())
    return llvm::map_to_vector(
        exchange.rounds,
        [&](const Exchange::Round &round) { return sent[round.send]; });
  return choose(exchangeLanes(sent), exchange.toWeights, exchange.keepsOfLane,
                {});
}

/// That no element changes warps was asked before (CheckLayouts.cpp).
static Values convertLayout(tile::ConvertLayoutOp op,
                            tile::ConvertLayoutOp::Adaptor operands,
                            CodeWriter &w) {
  Value registers = operands.getSource();
  RankedTensorType from = op.getSource().getType();
  layouts::Conversion conversion = llvm::cantFail(
      layouts::planConversion(getLayout(from), getLayout(op.getType()),
                              getElementBytes(from.getElementType())));
  if (conversion.way == layouts::Way::Nothing)
    return {registers};
  const Exchange &exchange = *conversion.exchange;
  if (exchange.isInThread() && exchange.isSameForAll()) {
    auto numbers =
        llvm::map_to_vector(exchange.rounds, [](const Exchange::Round &round) {
          return round.send;
        });
    return {vector::ShuffleOp::create(w.b, registers, registers, numbers)};
  }
  SmallVector<Value> elements(
      vector::ToElementsOp::create(w.b, registers).getResults());
  SmallVector<int64_t> warpWeights =
      layouts::getInputBits(getLayout(from), layouts::inWarp).weights;
  return {vector::FromElementsOp::create(
      w.b, getVectorType(op.getType()),
      ExchangeEmitter(w, exchange, warpWeights).emit(elements))};
}

void codegen::addConvertLayout(PatternList &list) {
  list.add<tile::ConvertLayoutOp>(convertLayout);
}
