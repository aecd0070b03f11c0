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
#include "Threads.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "drawloom/Conversion/TileToNVVM/TileToNVVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tonvvm;
using layouts::Exchange;

namespace {
class ExchangeEmitter {
public:
  ExchangeEmitter(ImplicitLocOpBuilder &b, const Exchange &exchange, Value lane,
                  Value warp, ArrayRef<int64_t> warpWeights)
      : b(b), exchange(exchange), lane(lane), warp(warp),
        warpWeights(warpWeights) {}

  SmallVector<Value> emit(ArrayRef<Value> registers);

private:
  SmallVector<Value> choose(ArrayRef<Value> registers,
                            ArrayRef<int64_t> weights,
                            ArrayRef<uint64_t> ofLane,
                            ArrayRef<uint64_t> ofWarp);
  SmallVector<Value> exchangeLanes(ArrayRef<Value> registers);
  SmallVector<Value> shuffle(ArrayRef<Value> values, Value from);

  ImplicitLocOpBuilder &b;
  const Exchange &exchange;
  Value lane, warp;
  SmallVector<int64_t> warpWeights;
};

struct ConvertLayout : OpConversionPattern<tile::ConvertLayoutOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tile::ConvertLayoutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};
} // namespace

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
      isFlipped = getParity(b, lane, int64_t(deciding.first));
    // A bit of the warp's number need not have a power of two as its weight.
    for (auto [index, weight] : llvm::enumerate(warpWeights)) {
      if (!(deciding.second >> index & 1))
        continue;
      Value bit = b.createOrFold<arith::DivUIOp>(warp, constant(b, weight));
      bit = getParity(b, bit, 1);
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
      word = NVVM::ShflOp::create(b, i32, constant(b, -1), word, from,
                                  constant(b, layouts::lanesOfWarp - 1),
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
  Value base = sumWords(b, lane, laneWeights, exchange.readsOfLane);
  if (Value ofWarp = sumWords(b, warp, warpWeights, exchange.readsOfWarp))
    base = base ? b.createOrFold<arith::XOrIOp>(base, ofWarp) : ofWarp;
  if (!base)
    base = constant(b, 0);
  llvm::DenseMap<std::pair<int64_t, int64_t>, Value> received;
  for (const auto &[fixed, sends] : sendsOfLane) {
    if (fixed == 0 && exchange.readsOwnLane()) {
      for (int64_t number : sends)
        received[{fixed, number}] = registers[number];
      continue;
    }
    Value from = base;
    if (fixed)
      from = b.createOrFold<arith::XOrIOp>(base, constant(b, fixed));
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

Value drawloom::convertInWarp(
    ImplicitLocOpBuilder &b, Value registers, RankedTensorType from,
    RankedTensorType to,
    llvm::function_ref<std::pair<Value, Value>()> getThread) {
  llvm::Expected<layouts::Conversion> conversion = layouts::planConversion(
      *getLayout(from), *getLayout(to), getElementBytes(from.getElementType()));
  if (!conversion) {
    llvm::consumeError(conversion.takeError());
    return {};
  }
  switch (conversion->way) {
  case layouts::Way::Scratch:
    return {};
  case layouts::Way::Nothing:
    return registers;
  case layouts::Way::Registers:
  case layouts::Way::Shuffles:
    break;
  }
  const Exchange &exchange = *conversion->exchange;
  if (exchange.isInThread() && exchange.isSameForAll()) {
    auto numbers =
        llvm::map_to_vector(exchange.rounds, [](const Exchange::Round &round) {
          return round.send;
        });
    return vector::ShuffleOp::create(b, registers, registers, numbers);
  }
  SmallVector<Value> elements(
      vector::ToElementsOp::create(b, registers).getResults());
  auto [lane, warp] = getThread();
  SmallVector<int64_t> warpWeights =
      layouts::getInputBits(*getLayout(from), layouts::inWarp).weights;
  return vector::FromElementsOp::create(
      b, getRegisters(to),
      ExchangeEmitter(b, exchange, lane, warp, warpWeights).emit(elements));
}

LogicalResult
ConvertLayout::matchAndRewrite(tile::ConvertLayoutOp op, OpAdaptor adaptor,
                               ConversionPatternRewriter &rewriter) const {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value converted = convertInWarp(
      b, adaptor.getSource(), op.getSource().getType(), op.getType(),
      [&] { return std::pair(getLane(b), getWarp(b, op)); });
  if (!converted)
    return rewriter.notifyMatchFailure(op, "elements change warps");
  rewriter.replaceOp(op, converted);
  return success();
}

void tonvvm::addConvertLayout(const TypeConverter &types,
                              RewritePatternSet &patterns) {
  patterns.add<ConvertLayout>(types, patterns.getContext());
}
