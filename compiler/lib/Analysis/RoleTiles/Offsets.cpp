//===- Offsets.cpp - Where a thread's elements are ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::plan;
using tile::Layout;

/// XORs these bits of the offset where the digit of an input with this weight
/// is set, together with those that are shifted as far.
static void addXors(SmallVectorImpl<Offsets::Xor> &xors, FragmentInput input,
                    int64_t weight, int64_t bits) {
  for (; bits; bits &= bits - 1) {
    int shift =
        int(llvm::countr_zero<uint64_t>(bits)) - int(llvm::Log2_64(weight));
    auto *same = llvm::find_if(xors, [&](const Offsets::Xor &term) {
      return term.input == input && term.shift == shift;
    });
    if (same == xors.end())
      xors.push_back({input, weight, shift});
    else
      same->mask |= weight;
  }
}

/// Adds a sum, or makes the last one longer if this one goes on where it ends.
static void addSum(SmallVectorImpl<Offsets::Sum> &sums, Offsets::Sum sum) {
  if (!sums.empty() && sums.back().input == sum.input &&
      sums.back().divisor * sums.back().count == sum.divisor &&
      sums.back().factor * sums.back().count == sum.factor)
    sums.back().count *= sum.count;
  else
    sums.push_back(sum);
}

llvm::Expected<Offsets> Offsets::get(const Layout &layout, unsigned output,
                                     int64_t scale) {
  Offsets result;
  result.scale = scale;
  result.registers.assign(layout.getInputSize(inRegister), 0);
  // Below the first odd digit, the number is made of bits.
  int64_t low = int64_t(1) << 62;
  for (const Layout::Input &input : layout.getInputs())
    for (const Layout::Digit &digit : input.digits)
      if (digit.count > 2 && digit.basis[output])
        low = std::min(low, digit.basis[output] * scale);

  /// A digit alone, to check below that no two meet where they are added.
  SmallVector<SmallVector<int64_t>> places;
  for (auto [in, input] : llvm::enumerate(layout.getInputs())) {
    int64_t weight = 1;
    for (const Layout::Digit &digit : input.digits) {
      int64_t value = digit.basis[output] * scale;
      int64_t xored = value % low, added = value - xored;
      places.emplace_back(3, 0)[in] = weight;
      if (in == inRegister) {
        for (auto [number, constant] : llvm::enumerate(result.registers)) {
          int64_t times = int64_t(number) / weight % digit.count;
          constant = (constant ^ (times ? xored : 0)) + times * added;
        }
      } else {
        auto from = static_cast<FragmentInput>(in);
        addXors(result.xors, from, weight, xored);
        result.threadBits |= xored;
        if (added)
          addSum(result.sums, {from, weight, digit.count, added});
      }
      weight *= digit.count;
    }
  }

  for (size_t i = 0; i < places.size(); ++i)
    for (size_t j = 0; j <= i; ++j) {
      SmallVector<int64_t> place = places[i];
      for (unsigned in = 0; in < 3 && i != j; ++in)
        place[in] += places[j][in];
      if (result.evaluate(place[inRegister], place[inLane], place[inWarp]) !=
          layout.apply(place)[output] * scale)
        return llvm::createStringError(
            "two digits of a place meet above an odd digit of the offset: "
            "there is no sum for it");
    }
  return result;
}

Offsets Offsets::slice(int64_t first, int64_t count) const {
  Offsets result = *this;
  result.registers.assign(registers.begin() + first,
                          registers.begin() + first + count);
  return result;
}

int64_t Offsets::evaluate(int64_t number, int64_t lane, int64_t warp) const {
  const int64_t place[] = {number, lane, warp};
  int64_t thread = getXored(number);
  for (const Xor &term : xors) {
    int64_t bits = place[term.input] & term.mask;
    thread ^= term.shift < 0 ? bits >> -term.shift : bits << term.shift;
  }
  for (const Sum &term : sums)
    thread += place[term.input] / term.divisor % term.count * term.factor;
  return thread + getAdded(number);
}

SmallVector<SmallVector<int64_t>> Offsets::getRuns(int64_t most) const {
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, registers.size()));
  llvm::sort(order,
             [&](int64_t a, int64_t b) { return registers[a] < registers[b]; });
  auto fits = [&](int64_t size) {
    int64_t span = size * scale;
    if (registers.size() % size || (threadBits & (span - 1)) ||
        llvm::any_of(sums, [&](const Sum &sum) { return sum.factor % span; }))
      return false;
    for (auto [index, number] : llvm::enumerate(order))
      if (registers[number] % span != int64_t(index) % size * scale ||
          (index % size &&
           registers[number] != registers[order[index - 1]] + scale))
        return false;
    return true;
  };
  int64_t size = most;
  while (size > 1 && !fits(size))
    size /= 2;
  SmallVector<SmallVector<int64_t>> runs;
  for (size_t first = 0; first < order.size(); first += size)
    runs.emplace_back(ArrayRef<int64_t>(order).slice(first, size));
  llvm::sort(runs, [](const auto &a, const auto &b) { return a[0] < b[0]; });
  return runs;
}
