//===- ConversionTest.cpp - Ways from one layout to another ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An exchange is followed thread by thread, and every element must arrive where
// the other layout has it. Banks are counted.

#include "drawloom/Analysis/Layouts/Conversion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <set>

using namespace drawloom;
using namespace drawloom::layouts;
using tile::Layout;

namespace {

template <typename T>
T valid(llvm::Expected<T> value) {
  if (!value) {
    ADD_FAILURE() << llvm::toString(value.takeError());
    abort();
  }
  return std::move(*value);
}

std::string text(const Layout &layout) {
  std::string text;
  llvm::raw_string_ostream(text) << layout;
  return text;
}

Layout::Digit digit(llvm::ArrayRef<int64_t> basis, int64_t count = 2) {
  return {llvm::SmallVector<int64_t, 2>(basis), count};
}

Layout inRegisters(std::vector<Layout::Digit> registers,
                   std::vector<Layout::Digit> lanes,
                   std::vector<Layout::Digit> warps,
                   llvm::ArrayRef<int64_t> shape) {
  std::vector<Layout::Output> outputs;
  for (auto [index, size] : llvm::enumerate(shape))
    outputs.push_back({Layout::dimName(index), size});
  return valid(Layout::get({{"register", std::move(registers)},
                            {"lane", std::move(lanes)},
                            {"warp", std::move(warps)}},
                           std::move(outputs)));
}

/// What a thread has of a tensor-memory accumulator: its row.
Layout rows(int64_t columns) {
  return inRegisters({digit({0, 1}, columns)}, {digit({1, 0}, 32)},
                     {digit({32, 0}, 4)}, {128, columns});
}

/// The accumulator of two wgmma.m64nNk16, one below the other.
Layout wgmma(int64_t columns) {
  return inRegisters({digit({0, 1}), digit({8, 0}), digit({0, 8}, columns / 8),
                      digit({64, 0})},
                     {digit({0, 2}, 4), digit({1, 0}, 8)}, {digit({16, 0}, 4)},
                     {128, columns});
}

/// Follows an exchange as its header describes it.
void expectElementsArrive(const Exchange &exchange, const Layout &from,
                          const Layout &to) {
  auto sum = [](llvm::ArrayRef<uint64_t> columns, int64_t number,
                llvm::ArrayRef<int64_t> weights) {
    uint64_t word = 0;
    for (auto [column, weight] : llvm::zip_equal(columns, weights))
      word ^= number / weight % 2 ? column : 0;
    return word;
  };
  llvm::SmallVector<int64_t> lane = {1, 2, 4, 8, 16};
  llvm::SmallVector<int64_t> warp = getInputBits(to, inWarp).weights;
  for (int64_t w = 0; w < to.getInputSize(inWarp); ++w)
    for (int64_t l = 0; l < lanesOfWarp; ++l)
      for (auto [s, round] : llvm::enumerate(exchange.rounds)) {
        int64_t reads = sum(exchange.readsOfLane, l, lane) ^
                        sum(exchange.readsOfWarp, w, warp) ^ round.lane;
        int64_t sent = flipBits(round.send,
                                sum(exchange.sendsOfLane, reads, lane) ^
                                    sum(exchange.sendsOfWarp, w, warp),
                                exchange.fromWeights);
        int64_t kept =
            flipBits(s, sum(exchange.keepsOfLane, l, lane), exchange.toWeights);
        ASSERT_EQ(from.apply({sent, reads, w}), to.apply({kept, l, w}))
            << text(from) << " to " << text(to);
      }
}

/// The most turns that a bank takes when a warp accesses, `elements` at a time,
/// what a layout puts at offsets.
int64_t countTurns(const Layout &registers, const Layout &scratch,
                   int64_t elementBytes, int64_t elements) {
  Layout where = valid(scratch.invert());
  int64_t bytes = elementBytes * elements;
  int64_t lanes = 32 * 4 / std::max<int64_t>(bytes, 4), most = 0;
  for (int64_t r = 0; r < registers.getInputSize(inRegister); ++r)
    for (int64_t first = 0; first < lanesOfWarp; first += lanes) {
      std::map<int64_t, std::set<int64_t>> words;
      for (int64_t l = first; l < first + lanes; ++l) {
        int64_t offset = where.apply(registers.apply({r, l, 0}))[0];
        int64_t address = offset / elements * bytes;
        for (int64_t word = address / 4; word <= (address + bytes - 1) / 4;
             ++word)
          words[word % 32].insert(word);
      }
      for (const auto &[bank, which] : words)
        most = std::max<int64_t>(most, which.size());
    }
  return most;
}

/// How many elements next to each other in scratch each thread has in both.
int64_t countTogether(const Layout &from, const Layout &to,
                      const Layout &scratch, int64_t elementBytes) {
  Layout where = valid(scratch.invert());
  auto isTogether = [&](const Layout &layout, int64_t count) {
    std::set<int64_t> offsets;
    for (int64_t r = 0; r < layout.getInputSize(inRegister); ++r)
      offsets.insert(where.apply(layout.apply({r, 0, 0}))[0]);
    return llvm::all_of(offsets, [&](int64_t offset) {
      for (int64_t i = offset / count * count; i < (offset / count + 1) * count;
           ++i)
        if (!offsets.count(i))
          return false;
      return true;
    });
  };
  int64_t count = 16 / elementBytes;
  while (!isTogether(from, count) || !isTogether(to, count))
    count /= 2;
  return count;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

TEST(ConversionTest, NothingToDo) {
  EXPECT_EQ(valid(planConversion(rows(64), rows(64), 4)).way, Way::Nothing);
}

TEST(ConversionTest, OtherRegistersOfTheThread) {
  // The registers in another order, and each element twice.
  Layout to = inRegisters({digit({0, 2}), digit({0, 0}), digit({0, 1})},
                          {digit({1, 0}, 32)}, {digit({32, 0}, 4)}, {128, 4});
  Conversion conversion = valid(planConversion(rows(4), to, 4));
  EXPECT_EQ(conversion.way, Way::Registers);
  EXPECT_TRUE(conversion.exchange->isSameForAll());
  llvm::SmallVector<int64_t> sends;
  for (const Exchange::Round &round : conversion.exchange->rounds)
    sends.push_back(round.send);
  EXPECT_EQ(sends, (llvm::SmallVector<int64_t>{0, 2, 0, 2, 1, 3, 1, 3}));
  expectElementsArrive(*conversion.exchange, rows(4), to);
}

TEST(ConversionTest, RegistersThatAThreadChooses) {
  // A column's number is XORed with the row's lowest bit: odd lanes have the
  // columns in another order.
  Layout to = inRegisters({digit({0, 1}), digit({0, 2})},
                          {digit({1, 1}), digit({2, 0}, 16)},
                          {digit({32, 2}), digit({64, 0})}, {128, 4});
  Conversion conversion = valid(planConversion(rows(4), to, 4));
  EXPECT_EQ(conversion.way, Way::Registers);
  EXPECT_FALSE(conversion.exchange->isSameForAll());
  expectElementsArrive(*conversion.exchange, rows(4), to);
}

TEST(ConversionTest, TransposedInAWarp) {
  // 32 x 32 elements of a warp: a row each, then a column each.
  Layout row =
      inRegisters({digit({0, 1}, 32)}, {digit({1, 0}, 32)}, {}, {32, 32});
  Layout column =
      inRegisters({digit({1, 0}, 32)}, {digit({0, 1}, 32)}, {}, {32, 32});
  Conversion conversion = valid(planConversion(row, column, 4));
  EXPECT_EQ(conversion.way, Way::Shuffles);
  EXPECT_EQ(conversion.scratchBytes, 0);
  expectElementsArrive(*conversion.exchange, row, column);
  // The diagonal stays where it is.
  EXPECT_TRUE(conversion.exchange->readsOwnLane());
  EXPECT_EQ(llvm::count_if(
                conversion.exchange->rounds,
                [](const Exchange::Round &round) { return round.lane == 0; }),
            1);
}

TEST(ConversionTest, ABroadcastIsAShuffle) {
  // 32 elements, one in each lane; then all in all lanes.
  Layout one = inRegisters({}, {digit({1}, 32)}, {}, {32});
  Layout all = inRegisters(
      {digit({1}, 32)},
      {digit({0}), digit({0}), digit({0}), digit({0}), digit({0})}, {}, {32});
  Conversion spread = valid(planConversion(one, all, 4));
  EXPECT_EQ(spread.way, Way::Shuffles);
  expectElementsArrive(*spread.exchange, one, all);
  // And back: each thread has its element already.
  Conversion back = valid(planConversion(all, one, 4));
  EXPECT_EQ(back.way, Way::Registers);
  expectElementsArrive(*back.exchange, all, one);
}

TEST(ConversionTest, BetweenWarpsThroughScratch) {
  for (int64_t columns : {64, 192}) {
    Conversion conversion =
        valid(planConversion(wgmma(columns), rows(columns), 4));
    EXPECT_EQ(conversion.way, Way::Scratch);
    EXPECT_EQ(conversion.scratchBytes, 128 * columns * 4);
    const Layout &scratch = *conversion.scratch;
    EXPECT_TRUE(scratch.isOnto() && scratch.isInjective());
    // A thread has columns 0, 1, 8 and 9 of an accumulator.
    EXPECT_EQ(countTogether(wgmma(columns), rows(columns), scratch, 4), 4);
    EXPECT_EQ(countTurns(wgmma(columns), scratch, 4, 4), 1);
    EXPECT_EQ(countTurns(rows(columns), scratch, 4, 4), 1);
  }
}

TEST(ConversionTest, DifferentRadicesGoRowByRow) {
  // 6 columns are 3 times 2 on one side, 2 times 3 on the other.
  Layout from = inRegisters({digit({0, 1}, 3)}, {digit({1, 0}, 32)},
                            {digit({0, 3})}, {32, 6});
  Layout to = inRegisters({digit({0, 2}, 3)}, {digit({1, 0}, 32)},
                          {digit({0, 1})}, {32, 6});
  Conversion conversion = valid(planConversion(from, to, 2));
  EXPECT_EQ(conversion.way, Way::Scratch);
  EXPECT_EQ(*conversion.scratch, valid(Layout::rowMajor("offset", {32, 6})));
  EXPECT_EQ(conversion.scratchBytes, 32 * 6 * 2);
}

//===----------------------------------------------------------------------===//
// At random
//===----------------------------------------------------------------------===//

/// A layout of 2^bits elements, or three times as many, in `warps` warps.
Layout randomLayout(std::mt19937 &random, unsigned bits, bool odd,
                    unsigned warpBits) {
  auto pick = [&](unsigned n) { return unsigned(random() % n); };
  std::vector<int64_t> columns;
  for (unsigned bit = 0; bit < bits; ++bit)
    columns.push_back(int64_t(1) << bit);
  std::shuffle(columns.begin(), columns.end(), random);
  for (unsigned i = 0; i < bits; ++i)
    if (unsigned j = pick(bits); pick(4) == 0 && i != j)
      columns[i] ^= columns[j];
  while (columns.size() < 5 + warpBits)
    columns.insert(columns.begin() + pick(columns.size() + 1), 0);
  if (pick(3) == 0)
    columns.insert(columns.begin() + pick(columns.size() + 1),
                   columns[pick(columns.size())]);
  std::vector<Layout::Digit> digits[3];
  for (auto [index, column] : llvm::enumerate(columns))
    digits[index < 5              ? inLane
           : index < 5 + warpBits ? inWarp
                                  : inRegister]
        .push_back(digit({column}));
  if (odd)
    digits[inRegister].push_back(digit({int64_t(1) << bits}, 3));
  return inRegisters(digits[inRegister], digits[inLane], digits[inWarp],
                     {int64_t(odd ? 3 : 1) << bits});
}

TEST(ConversionTest, RandomLayouts) {
  std::mt19937 random(6);
  std::map<Way, int> ways;
  for (int i = 0; i < 1000; ++i) {
    unsigned bits = 3 + random() % 8, warpBits = random() % 3;
    bool odd = random() % 4 == 0;
    int64_t bytes = int64_t(1) << random() % 4;
    Layout from = randomLayout(random, bits, odd, warpBits);
    Layout to = randomLayout(random, bits, odd, warpBits);
    Conversion conversion = valid(planConversion(from, to, bytes));
    ++ways[conversion.way];
    if (conversion.exchange) {
      expectElementsArrive(*conversion.exchange, from, to);
    } else {
      const Layout &scratch = *conversion.scratch;
      ASSERT_TRUE(scratch.isOnto() && scratch.isInjective());
      int64_t elements = countTogether(from, to, scratch, bytes);
      ASSERT_EQ(countTurns(from, scratch, bytes, elements), 1)
          << text(from) << " to " << text(to) << " by " << text(scratch);
      ASSERT_EQ(countTurns(to, scratch, bytes, elements), 1)
          << text(from) << " to " << text(to) << " by " << text(scratch);
    }
  }
  EXPECT_GT(ways[Way::Shuffles], 100);
  EXPECT_GT(ways[Way::Scratch], 100);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

std::string error(const Layout &from, const Layout &to) {
  llvm::Expected<Conversion> conversion = planConversion(from, to, 4);
  return conversion ? "no error" : llvm::toString(conversion.takeError());
}

TEST(ConversionTest, Errors) {
  Layout offset = valid(Layout::rowMajor("offset", {128, 4}));
  EXPECT_EQ(error(offset, rows(4)),
            "a layout in registers has the inputs register, lane and warp, in "
            "this order");
  EXPECT_EQ(error(rows(4), rows(8)), "the layouts are of different tiles");
  Layout few = inRegisters({digit({0, 1}, 4)}, {digit({1, 0}, 16)},
                           {digit({16, 0}, 8)}, {128, 4});
  EXPECT_EQ(error(few, rows(4)),
            "the layout has 16 lanes: a warp has 32; lanes beyond the tile "
            "have copies, bases of zeros");
  Layout two = inRegisters({digit({0, 1}, 4), digit({64, 0})},
                           {digit({1, 0}, 32)}, {digit({32, 0})}, {128, 4});
  EXPECT_EQ(error(two, rows(4)),
            "one layout has 2 warps, the other 4: a tile is converted by the "
            "warps that have it");
  Layout huge =
      inRegisters({digit({1}, 1 << 14)}, {digit({1 << 14}, 32)}, {}, {1 << 19});
  EXPECT_EQ(error(huge, huge),
            "a thread has 16384 elements of the tile: more than 8192 fit into "
            "no thread's registers");
  Layout gap = inRegisters({}, {digit({1}, 32)}, {}, {64});
  EXPECT_EQ(error(gap, gap),
            "some elements of the tile have no place: add the bases that reach "
            "them");
}

} // namespace
