//===- LayoutTest.cpp - Layouts against the PTX ISA's formulas ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The hardware's layouts are here a second time, as the formulas in which the
// PTX ISA states them, and are compared place by place. Laws (compose, invert,
// equality) are checked on layouts drawn at random, by enumeration.

#include "drawloom/Dialect/Tile/IR/Layout.h"
#include "drawloom/Dialect/Tile/IR/BitSpan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <set>

using namespace drawloom::tile;

namespace {

using Place = llvm::SmallVector<int64_t>;

Layout valid(llvm::Expected<Layout> layout) {
  if (!layout) {
    ADD_FAILURE() << llvm::toString(layout.takeError());
    abort();
  }
  return std::move(*layout);
}

std::string text(const Layout &layout) {
  std::string text;
  llvm::raw_string_ostream(text) << layout;
  return text;
}

std::string error(llvm::Expected<Layout> layout) {
  return layout ? "no error: " + text(*layout)
                : llvm::toString(layout.takeError());
}

Layout::Digit digit(llvm::ArrayRef<int64_t> basis, int64_t count = 2) {
  return {llvm::SmallVector<int64_t, 2>(basis), count};
}

/// All places of a layout, in order, the first input fastest.
std::vector<Place> places(const Layout &layout) {
  std::vector<Place> all = {Place(layout.getInputs().size(), 0)};
  for (unsigned in = 0; in < layout.getInputs().size(); ++in) {
    std::vector<Place> next;
    for (int64_t value = 0; value < layout.getInputSize(in); ++value)
      for (Place place : all) {
        place[in] = value;
        next.push_back(place);
      }
    all = std::move(next);
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

TEST(LayoutTest, RowMajor) {
  Layout layout = valid(Layout::rowMajor("offset", {8, 16}));
  EXPECT_EQ(layout.getInputSize(0), 128);
  for (int64_t offset = 0; offset < 128; ++offset)
    EXPECT_EQ(layout.apply({offset}), (Place{offset / 16, offset % 16}));
}

TEST(LayoutTest, RowMajorOfAnySize) {
  // No power of two in any dimension.
  Layout layout = valid(Layout::rowMajor("offset", {5, 6, 12}));
  EXPECT_EQ(layout.getInputSize(0), 5 * 6 * 12);
  for (int64_t o = 0; o < 5 * 6 * 12; ++o)
    EXPECT_EQ(layout.apply({o}), (Place{o / 72, o / 12 % 6, o % 12}));
}

TEST(LayoutTest, Swizzle128Bytes) {
  // A tile of 128 x 64 bf16, rows of 128 bytes. TMA and the matrix descriptors
  // XOR bits 4-6 of the address with bits 7-9. An element is two bytes, so in
  // elements these are bits 3-5 and 6-8.
  Layout rows = valid(Layout::rowMajor("offset", {128, 64}));
  Layout swizzle = valid(Layout::swizzle("offset", 128 * 64, 3, 6, 3));
  Layout layout = valid(swizzle.compose(rows));
  EXPECT_TRUE(layout.isOnto());
  EXPECT_TRUE(layout.isInjective());
  Layout inverse = valid(layout.invert());
  for (int64_t row = 0; row < 128; ++row)
    for (int64_t column = 0; column < 64; ++column) {
      int64_t address = row * 128 + column * 2;
      address ^= (address >> 7 & 7) << 4;
      EXPECT_EQ(layout.apply({address / 2}), (Place{row, column}));
      EXPECT_EQ(inverse.apply({row, column}), (Place{address / 2}));
    }
}

TEST(LayoutTest, SwizzleSpreadsAColumnOverTheBanks) {
  // Why it exists: eight rows of one 16-byte column are in eight different
  // 16-byte columns of the banks.
  Layout rows = valid(Layout::rowMajor("offset", {8, 64}));
  Layout swizzle = valid(Layout::swizzle("offset", 8 * 64, 3, 6, 3));
  Layout where = valid(valid(swizzle.compose(rows)).invert());
  std::set<int64_t> banks;
  for (int64_t row = 0; row < 8; ++row)
    banks.insert(where.apply({row, 0})[0] * 2 % 128 / 16);
  EXPECT_EQ(banks.size(), 8u);
}

TEST(LayoutTest, SwizzleOf192Rows) {
  // The digit of 3 is above the swizzled bits.
  Layout rows = valid(Layout::rowMajor("offset", {192, 64}));
  Layout swizzle = valid(Layout::swizzle("offset", 192 * 64, 3, 6, 3));
  Layout layout = valid(swizzle.compose(rows));
  for (int64_t row = 0; row < 192; ++row) {
    int64_t address = row * 128 + 34;
    address ^= (address >> 7 & 7) << 4;
    EXPECT_EQ(layout.apply({address / 2}), (Place{row, 17}));
  }
}

TEST(LayoutTest, SwizzleOfAFewRows) {
  // Two rows have only bit 7 of the three.
  Layout swizzle = valid(Layout::swizzle("offset", 2 * 128, 3, 7, 4));
  for (int64_t offset = 0; offset < 256; ++offset)
    EXPECT_EQ(swizzle.apply({offset})[0], offset ^ (offset >> 7 & 1) << 4);
}

TEST(LayoutTest, SwizzleErrors) {
  EXPECT_EQ(error(Layout::swizzle("offset", 1024, 3, 6, 4)),
            "a swizzle of 3 bits from 6 to 4 reads what it writes: 'from' must "
            "be at least 7");
  EXPECT_EQ(error(Layout::swizzle("offset", 3 * 64, 3, 6, 3)),
            "a swizzle of bits up to 8 needs a size that 512 divides, or a "
            "power of two: 192 is neither");
  EXPECT_EQ(error(Layout::swizzle("offset", 0, 3, 6, 3)),
            "a swizzle of 0 values: sizes begin at 1");
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// The fragment of tcgen05.ld.32x32b with `columns` registers: a warp reads the
/// 32 lanes of tensor memory that are its own, a thread one lane, a register
/// one column.
Layout fragment32x32b(int64_t columns) {
  Layout::Input registers{"register", {digit({0, 1}, columns)}};
  Layout::Input lanes{"lane", {digit({1, 0}, 32)}};
  Layout::Input warps{"warp", {digit({32, 0}, 4)}};
  return valid(Layout::get({registers, lanes, warps},
                           {{"dim0", 128}, {"dim1", columns}}));
}

TEST(LayoutTest, TensorMemoryFragment) {
  for (int64_t columns : {64, 192, 256}) {
    Layout layout = fragment32x32b(columns);
    EXPECT_TRUE(layout.isOnto());
    EXPECT_TRUE(layout.isInjective());
    for (const Place &place : places(layout)) {
      int64_t r = place[0], lane = place[1], warp = place[2];
      EXPECT_EQ(layout.apply(place), (Place{32 * warp + lane, r}));
    }
  }
}

/// The accumulator of wgmma.m64nNk16, from the figure in the PTX ISA: register
/// r of a thread is at row 16 * warp + lane / 4 + 8 * (r / 2 % 2) and column
/// 8 * (r / 4) + 2 * (lane % 4) + r % 2.
Layout wgmmaAccumulator192() {
  Layout::Input registers{"register",
                          {digit({0, 1}), digit({8, 0}), digit({0, 8}, 24)}};
  Layout::Input lanes{"lane", {digit({0, 2}, 4), digit({1, 0}, 8)}};
  Layout::Input warps{"warp", {digit({16, 0}, 4)}};
  return valid(
      Layout::get({registers, lanes, warps}, {{"dim0", 64}, {"dim1", 192}}));
}

TEST(LayoutTest, WgmmaAccumulator) {
  Layout layout = wgmmaAccumulator192();
  for (const Place &place : places(layout)) {
    int64_t r = place[0], lane = place[1], warp = place[2];
    EXPECT_EQ(layout.apply(place),
              (Place{16 * warp + lane / 4 + 8 * (r / 2 % 2),
                     8 * (r / 4) + 2 * (lane % 4) + r % 2}));
  }
}

TEST(LayoutTest, WhereARegisterGoes) {
  // From an accumulator to row-major shared memory: compose with the inverse of
  // where it goes. This is what convert_layout and a store ask for.
  Layout source = wgmmaAccumulator192();
  Layout target = valid(Layout::rowMajor("offset", {64, 192}));
  Layout offset = valid(source.compose(valid(target.invert())));
  for (const Place &place : places(source)) {
    Place at = source.apply(place);
    EXPECT_EQ(offset.apply(place), (Place{at[0] * 192 + at[1]}));
  }
}

TEST(LayoutTest, ReplicasInvertToTheFirst) {
  // Four warps hold the same eight elements.
  Layout layout = valid(Layout::get(
      {{"lane", {digit({1}, 8)}}, {"warp", {digit({0}, 2), digit({0}, 2)}}},
      {{"dim0", 8}}));
  EXPECT_TRUE(layout.isOnto());
  EXPECT_FALSE(layout.isInjective());
  Layout inverse = valid(layout.invert());
  for (int64_t i = 0; i < 8; ++i)
    EXPECT_EQ(inverse.apply({i}), (Place{i, 0}));
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

/// A bijection from (a, b) to (x, y): the digits of a place are distributed to
/// the coordinates in random order, then its bits are mixed.
Layout randomBijection(std::mt19937 &random) {
  auto pick = [&](int n) { return int(random() % n); };
  std::vector<Layout::Input> inputs = {{"a", {}}, {"b", {}}};
  int64_t size[2] = {1, 1};
  for (int i = 1 + pick(6); i > 0; --i) {
    static const int64_t counts[] = {2, 2, 2, 3, 5, 6};
    int64_t count = counts[pick(6)];
    int out = pick(2);
    Layout::Digit next = digit({0, 0}, count);
    next.basis[out] = size[out];
    size[out] *= count;
    std::vector<Layout::Digit> &in = inputs[pick(2)].digits;
    in.insert(in.begin() + pick(in.size() + 1), next);
  }
  Layout plain = valid(Layout::get(inputs, {{"x", size[0]}, {"y", size[1]}}));
  // Add to a bit what the bit before it contributes. The two have no bit in
  // common, so there is no carry, and the map stays invertible.
  std::vector<Layout::Input> mixed = plain.getInputs();
  Layout::Digit *before = nullptr;
  for (Layout::Input &input : mixed)
    for (Layout::Digit &digit : input.digits) {
      if (digit.count != 2)
        continue;
      if (before && pick(2))
        for (int out = 0; out < 2; ++out)
          digit.basis[out] += before->basis[out];
      before = &digit;
    }
  return valid(Layout::get(mixed, {{"x", size[0]}, {"y", size[1]}}));
}

TEST(LayoutTest, InverseUndoes) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    Layout layout = randomBijection(random);
    ASSERT_TRUE(layout.isOnto() && layout.isInjective());
    Layout inverse = valid(layout.invert());
    for (const Place &place : places(layout))
      ASSERT_EQ(inverse.apply(layout.apply(place)), place) << text(layout);
    EXPECT_EQ(valid(inverse.invert()), layout);
  }
}

TEST(LayoutTest, ComposeAppliesOneAfterTheOther) {
  // The inverse of one after another, where their coordinates fit.
  std::mt19937 random(2);
  std::vector<Layout> layouts;
  for (int i = 0; i < 200; ++i)
    layouts.push_back(randomBijection(random));
  int composed = 0;
  for (const Layout &first : layouts)
    for (const Layout &other : layouts) {
      if (first.getOutputs() != other.getOutputs())
        continue;
      Layout second = valid(other.invert());
      llvm::Expected<Layout> both = first.compose(second);
      if (!both) {
        llvm::consumeError(both.takeError());
        continue;
      }
      composed += first != other;
      for (const Place &place : places(first))
        ASSERT_EQ(both->apply(place), second.apply(first.apply(place)))
            << text(first) << " and " << text(second);
    }
  EXPECT_GT(composed, 100);
}

TEST(LayoutTest, InverseAfterLayoutIsTheIdentity) {
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    Layout layout = randomBijection(random);
    Layout identity = valid(layout.compose(valid(layout.invert())));
    for (const Place &place : places(layout))
      ASSERT_EQ(identity.apply(place), place);
  }
}

TEST(LayoutTest, EqualIffTheSameFunction) {
  // Two draws from a small space: where shape and values agree, so must ==.
  std::mt19937 random(4);
  std::map<std::vector<int64_t>, Layout> seen;
  int hits = 0;
  for (int i = 0; i < 20000; ++i) {
    Layout layout = randomBijection(random);
    std::vector<int64_t> key = {layout.getInputSize(0), layout.getInputSize(1),
                                layout.getOutputs()[0].size,
                                layout.getOutputs()[1].size};
    if (key[0] * key[1] > 12)
      continue;
    for (const Place &place : places(layout))
      llvm::append_range(key, layout.apply(place));
    auto [it, isNew] = seen.try_emplace(std::move(key), layout);
    hits += !isNew;
    ASSERT_EQ(it->second, layout)
        << text(it->second) << " and " << text(layout);
    ASSERT_EQ(hash_value(it->second), hash_value(layout));
  }
  EXPECT_GT(hits, 1000);
  EXPECT_GT(seen.size(), 100u);
}

//===----------------------------------------------------------------------===//
// Text and errors
//===----------------------------------------------------------------------===//

TEST(LayoutTest, Prints) {
  EXPECT_EQ(text(valid(Layout::rowMajor("offset", {2, 12}))),
            "2x12, offset = [[0, 1], [0, 2], [0, 4] by 3, [1, 0]]");
  EXPECT_EQ(text(valid(Layout::rowMajor("offset", {1}))), "1, offset = []");
}

TEST(LayoutTest, NormalForm) {
  // Counting to 30 by 5, 3 and 2 is counting by 2, 3 and 5.
  Layout layout = valid(Layout::get(
      {{"a", {digit({1}, 5), digit({5}, 3), digit({15}, 2)}}}, {{"x", 30}}));
  EXPECT_EQ(text(layout), "30, a = [[1], [2] by 3, [6] by 5]");
  // Not where the bit is needed elsewhere too.
  layout = valid(Layout::get(
      {{"a", {digit({1}, 3), digit({3})}}, {"b", {digit({3})}}}, {{"x", 6}}));
  EXPECT_EQ(text(layout), "6, a = [[1] by 3, [3]], b = [[3]]");
}

TEST(LayoutTest, ComposeErrors) {
  Layout square = valid(Layout::rowMajor("offset", {4, 4}));
  EXPECT_EQ(error(square.compose(square)), "2 outputs do not fit 1 inputs");
  Layout line = valid(Layout::rowMajor("offset", {16}));
  EXPECT_EQ(error(line.compose(square)),
            "output 'dim0' of size 16 has no input of that name and size");
  // x = 6 is 3 below 2 on one side, 2 below 3 on the other.
  Layout low = valid(
      Layout::get({{"a", {digit({1}, 3)}}, {"b", {digit({3})}}}, {{"x", 6}}));
  Layout high = valid(Layout::get({{"x", {digit({1}, 6)}}}, {{"y", 6}}));
  EXPECT_EQ(
      error(low.compose(high)),
      "'x' has the digits 3*2 on one side and 2*3 on the other: they must "
      "be the same");
}

TEST(LayoutTest, InvertErrors) {
  Layout gap =
      valid(Layout::get({{"lane", {digit({1}), digit({4})}}}, {{"dim0", 8}}));
  EXPECT_FALSE(gap.isOnto());
  EXPECT_TRUE(gap.isInjective());
  EXPECT_EQ(error(gap.invert()),
            "the bits reach 2^2 of 2^3 coordinates: the others have no place");
}

TEST(LayoutTest, OfAClusterAndOfACTA) {
  // 384 rows, 192 in each of two CTAs, 64 lanes with 3 rows each. Neither part
  // is onto, and neither knows the digit of 3 of the other's rows.
  Layout local = valid(
      Layout::get({{"lane", {digit({1}, 64)}}, {"warp", {digit({64}, 3)}}},
                  {{"dim0", 384}}));
  Layout cta = valid(Layout::get({{"cta", {digit({192})}}}, {{"dim0", 384}}));
  EXPECT_FALSE(local.isOnto());
  EXPECT_FALSE(cta.isOnto());
  EXPECT_EQ(error(cta.invert()),
            "the bits reach 2^1 of 2^7 coordinates: the others have no place");
  Layout both = valid(local.product(cta));
  EXPECT_TRUE(both.isOnto());
  for (const Place &place : places(both))
    EXPECT_EQ(both.apply(place)[0],
              local.apply({place[0], place[1]})[0] + cta.apply({place[2]})[0]);
  EXPECT_EQ(valid(both.getPart([](auto name) { return name == "cta"; })), cta);
  EXPECT_EQ(valid(both.getPart([](auto name) { return name != "cta"; })),
            local);
}

TEST(LayoutTest, ProductErrors) {
  Layout one = valid(Layout::get({{"lane", {digit({1})}}}, {{"dim0", 4}}));
  EXPECT_EQ(error(one.product(one)), "'lane' is named twice");
  Layout other = valid(Layout::get({{"warp", {digit({1})}}}, {{"dim0", 2}}));
  EXPECT_EQ(error(one.product(other)),
            "a product of layouts of different tiles");
}

TEST(LayoutTest, OddDigitsThatNoLaneHas) {
  Layout layout =
      valid(Layout::get({{"lane", {digit({1}), digit({2})}}}, {{"dim0", 12}}));
  EXPECT_FALSE(layout.isOnto());
  EXPECT_EQ(error(layout.invert()),
            "1 of the digits that are no bits have no place");
}

TEST(BitSpanTest, SolvesByThoseThatWereNew) {
  BitSpan span;
  EXPECT_TRUE(span.add(0b011));
  EXPECT_TRUE(span.add(0b110));
  EXPECT_FALSE(span.add(0b101));
  EXPECT_EQ(span.getDimension(), 2u);
  EXPECT_EQ(span.solve(0b101), 0b11u);
  EXPECT_EQ(span.solve(0), 0u);
  EXPECT_FALSE(span.contains(0b001));
}

TEST(BitSpanTest, IntersectionByEnumeration) {
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    llvm::SmallVector<uint64_t> a, b;
    for (int j = random() % 5; j > 0; --j)
      a.push_back(random() % 64);
    for (int j = random() % 5; j > 0; --j)
      b.push_back(random() % 64);
    BitSpan inA(a), inB(b), both(intersect(a, b));
    for (uint64_t vector = 0; vector < 64; ++vector)
      ASSERT_EQ(both.contains(vector),
                inA.contains(vector) && inB.contains(vector));
    EXPECT_EQ(both.getDimension(), intersect(a, b).size());
  }
}

TEST(LayoutTest, TooLarge) {
  EXPECT_EQ(error(Layout::rowMajor("offset", {int64_t(1) << 40, 4})),
            "the inputs have 42 bits and the outputs 42: at most 40 of each");
}

} // namespace
