//===- RandomCase.cpp - A tile and the ways it goes, at random ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomCase.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using tile::Layout;

namespace {

/// The digits of a tile's coordinates, from which its layouts are drawn.
struct Shape {
  std::vector<int64_t> sizes;
  struct Step {
    unsigned dim;
    int64_t weight, count;
  };
  /// Bits, and odd digits.
  std::vector<Step> bits, odd;
};

/// Digits with words over the shape's bits as columns, by input.
using Columns = std::vector<uint64_t>;

class CaseMaker {
public:
  explicit CaseMaker(std::mt19937 &random) : random(random) {}

  LayoutCase make();

private:
  unsigned pick(unsigned n) { return unsigned(random() % n); }
  bool isOneIn(unsigned n) { return pick(n) == 0; }

  Shape makeShape(unsigned bits, int64_t odd);
  Columns makeColumns(unsigned bits);
  Columns addCopies(Columns columns, unsigned atLeast);
  Columns relate(Columns columns, unsigned threads);
  Layout::Digit makeDigit(const Shape &shape, uint64_t column);
  std::vector<Layout::Digit> makeOdd(const Shape &shape);
  Layout makeLayout(const Shape &shape, std::vector<Layout::Input> inputs);
  Layout makeRegisters(const Shape &shape, const Columns &columns,
                       int64_t warps);
  Layout makeMemory(const Shape &shape);
  void takePart(LayoutCase &one);

  std::mt19937 &random;
};

} // namespace

/// A tile of 2^bits elements times an odd number, 1 or a prime.
Shape CaseMaker::makeShape(unsigned bits, int64_t odd) {
  unsigned rank = 1 + pick(3), oddDim = pick(rank);
  std::vector<unsigned> bitsOf(rank, 0);
  for (unsigned bit = 0; bit < bits; ++bit)
    ++bitsOf[pick(rank)];
  Shape shape;
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t weight = 1;
    unsigned oddAt = odd > 1 && dim == oddDim ? pick(bitsOf[dim] + 1) : ~0u;
    for (unsigned bit = 0; bit <= bitsOf[dim]; ++bit) {
      if (bit == oddAt) {
        shape.odd.push_back({dim, weight, odd});
        weight *= odd;
      }
      if (bit == bitsOf[dim])
        break;
      shape.bits.push_back({dim, weight, 2});
      weight *= 2;
    }
    shape.sizes.push_back(weight);
  }
  return shape;
}

/// The bits in some order, some of them added to others.
Columns CaseMaker::makeColumns(unsigned bits) {
  Columns columns;
  for (unsigned bit = 0; bit < bits; ++bit)
    columns.push_back(uint64_t(1) << bit);
  if (isOneIn(4))
    return columns;
  std::shuffle(columns.begin(), columns.end(), random);
  if (isOneIn(2))
    for (unsigned i = 0; i < bits; ++i)
      if (unsigned j = pick(bits); i != j && isOneIn(4))
        columns[i] ^= columns[j];
  return columns;
}

/// Columns that lead to elements which others lead to already.
Columns CaseMaker::addCopies(Columns columns, unsigned atLeast) {
  unsigned more = isOneIn(3) ? 1 + pick(2) : 0;
  while (columns.size() < atLeast || more > 0) {
    more -= columns.size() >= atLeast;
    uint64_t copy = 0;
    if (isOneIn(3) && !columns.empty())
      copy = columns[pick(columns.size())] ^
             (isOneIn(2) ? columns[pick(columns.size())] : 0);
    columns.insert(columns.begin() + pick(columns.size() + 1), copy);
  }
  return columns;
}

/// The columns of another layout, in which elements stay in their thread, or in
/// their warp. Those of lanes come first, then warps, then registers.
Columns CaseMaker::relate(Columns columns, unsigned threads) {
  auto mix = [&](auto first, auto last) {
    std::shuffle(first, last, random);
    for (auto i = first; i != last; ++i)
      if (auto j = first + pick(last - first); i != j && isOneIn(4))
        *i ^= *j;
  };
  unsigned registers = columns.size() - threads;
  if (registers > 0 && isOneIn(2)) {
    mix(columns.begin() + threads, columns.end());
    for (unsigned thread = 0; thread < threads; ++thread)
      if (isOneIn(4))
        columns[thread] ^= columns[threads + pick(registers)];
    return columns;
  }
  Columns inWarp(columns.begin(), columns.begin() + 5);
  inWarp.insert(inWarp.end(), columns.begin() + threads, columns.end());
  mix(inWarp.begin(), inWarp.end());
  std::copy(inWarp.begin(), inWarp.begin() + 5, columns.begin());
  std::copy(inWarp.begin() + 5, inWarp.end(), columns.begin() + threads);
  return columns;
}

Layout::Digit CaseMaker::makeDigit(const Shape &shape, uint64_t column) {
  Layout::Digit digit;
  digit.basis.assign(shape.sizes.size(), 0);
  for (auto [index, step] : llvm::enumerate(shape.bits))
    if (column >> index & 1)
      digit.basis[step.dim] += step.weight;
  return digit;
}

std::vector<Layout::Digit> CaseMaker::makeOdd(const Shape &shape) {
  std::vector<Layout::Digit> digits;
  for (const Shape::Step &step : shape.odd) {
    Layout::Digit &digit = digits.emplace_back();
    digit.basis.assign(shape.sizes.size(), 0);
    digit.basis[step.dim] = step.weight;
    digit.count = step.count;
  }
  return digits;
}

Layout CaseMaker::makeLayout(const Shape &shape,
                             std::vector<Layout::Input> inputs) {
  std::vector<Layout::Output> outputs;
  for (auto [dim, size] : llvm::enumerate(shape.sizes))
    outputs.push_back({Layout::dimName(dim), size});
  return llvm::cantFail(Layout::get(std::move(inputs), std::move(outputs)));
}

Layout CaseMaker::makeRegisters(const Shape &shape, const Columns &columns,
                                int64_t warps) {
  unsigned warpBits = llvm::countr_zero(uint64_t(warps));
  std::vector<Layout::Digit> registers, lanes, inWarps;
  for (auto [index, column] : llvm::enumerate(columns))
    (index < 5              ? lanes
     : index < 5 + warpBits ? inWarps
                            : registers)
        .push_back(makeDigit(shape, column));
  for (Layout::Digit &digit : makeOdd(shape))
    if (warps % digit.count == 0)
      inWarps.push_back(digit);
    else
      registers.insert(registers.begin() + pick(registers.size() + 1), digit);
  return makeLayout(
      shape, {{"register", registers}, {"lane", lanes}, {"warp", inWarps}});
}

Layout CaseMaker::makeMemory(const Shape &shape) {
  std::vector<Layout::Digit> digits;
  for (uint64_t column : makeColumns(shape.bits.size()))
    digits.push_back(makeDigit(shape, column));
  for (Layout::Digit &digit : makeOdd(shape))
    digits.insert(digits.begin() + pick(digits.size() + 1), digit);
  return makeLayout(shape, {{"offset", digits}});
}

/// Makes the tile a part of a larger buffer.
void CaseMaker::takePart(LayoutCase &one) {
  unsigned dim = pick(one.offsets.size());
  int64_t parts = 2 + pick(2);
  std::vector<Layout::Input> inputs = one.buffer->getInputs();
  std::vector<Layout::Output> outputs = one.buffer->getOutputs();
  Layout::Digit digit;
  digit.basis.assign(outputs.size(), 0);
  int64_t size = outputs[dim].size;
  digit.basis[dim] = size;
  digit.count = parts;
  outputs[dim].size *= parts;
  inputs.back().digits.push_back(digit);
  llvm::Expected<Layout> whole = Layout::get(inputs, outputs);
  if (!whole)
    return llvm::consumeError(whole.takeError());
  one.buffer = std::move(*whole);
  one.offsets[dim] = size * pick(parts);
  if (isOneIn(2)) {
    // Not where a part begins, or not known.
    one.offsets[dim] = pick(size * (parts - 1) + 1);
    one.dynamicOffsets = isOneIn(2);
  }
}

LayoutCase CaseMaker::make() {
  static constexpr std::pair<const char *, int64_t> elements[] = {
      {"i1", 1},  {"i8", 1},  {"f8E4M3FN", 1}, {"i16", 2}, {"bf16", 2},
      {"f16", 2}, {"i32", 4}, {"f32", 4},      {"i64", 8}, {"f64", 8}};
  static constexpr int64_t warpCounts[] = {1, 4, 4, 8};
  bool isShared = isOneIn(3);
  auto [element, bytes] = elements[pick(std::size(elements))];
  int64_t warps = warpCounts[pick(4)];
  // Seldom three times as many, for sizes that three divides.
  int64_t odd = isOneIn(4) ? (isOneIn(4) ? 5 : 3) : 1;
  if (odd == 3 && warps == 4 && isOneIn(3))
    warps = 12;
  unsigned threadBits = 5 + llvm::countr_zero(uint64_t(warps));
  // At most 64 elements in a thread.
  unsigned least = 2;
  unsigned bits = least + pick(threadBits + 5 - least);

  Shape shape = makeShape(bits, odd);
  Columns columns = addCopies(makeColumns(bits), threadBits);
  Layout from = makeRegisters(shape, columns, warps);
  Columns others = isOneIn(2) ? relate(columns, threadBits)
                              : addCopies(makeColumns(bits), threadBits);
  Layout to = makeRegisters(shape, others, warps);
  LayoutCase one{element, bytes, warps, std::move(from), std::move(to), {}, {}};
  one.offsets.assign(shape.sizes.size(), 0);
  if (!isShared)
    return one;
  one.buffer = makeMemory(shape);
  if (isOneIn(3))
    takePart(one);
  return one;
}

/// Whether the buffer is not larger than most of the memory that a CTA can
/// have.
static bool fits(const LayoutCase &one) {
  static constexpr int64_t bytes = 200 << 10;
  return !one.buffer || one.buffer->getInputSize(0) * one.elementBytes <= bytes;
}

LayoutCase drawloom::makeRandomCase(std::mt19937 &random) {
  while (true)
    if (LayoutCase one = CaseMaker(random).make(); fits(one))
      return one;
}
