//===- LayoutAlgebra.cpp - Inverses, compositions, products of layouts ----===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/BitSpan.h"
#include "drawloom/Dialect/Tile/IR/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom::tile;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::SmallVector;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Linear algebra over bits
//===----------------------------------------------------------------------===//

uint64_t Layout::pack(ArrayRef<int64_t> coordinates) const {
  uint64_t word = 0;
  unsigned shift = 0;
  for (auto [coordinate, radix] : llvm::zip_equal(coordinates, radices)) {
    int64_t rest = coordinate;
    for (int64_t prime : radix) {
      if (prime == 2)
        word |= uint64_t(rest % 2) << shift++;
      rest /= prime;
    }
  }
  return word;
}

SmallVector<int64_t> Layout::unpack(uint64_t word) const {
  SmallVector<int64_t> coordinates;
  for (ArrayRef<int64_t> radix : radices) {
    int64_t &coordinate = coordinates.emplace_back(0);
    int64_t weight = 1;
    for (int64_t prime : radix) {
      if (prime == 2) {
        coordinate += int64_t(word & 1) * weight;
        word >>= 1;
      }
      weight *= prime;
    }
  }
  return coordinates;
}

std::vector<uint64_t> Layout::packBits() const {
  std::vector<uint64_t> columns;
  for (const Input &input : inputs)
    for (const Digit &digit : input.digits)
      if (digit.count == 2)
        columns.push_back(pack(digit.basis));
  return columns;
}

unsigned Layout::getOutputBits() const {
  unsigned bits = 0;
  for (ArrayRef<int64_t> radix : radices)
    bits += llvm::count(radix, 2);
  return bits;
}

/// How many odd digits of the outputs no input has.
static size_t countUnreached(ArrayRef<Layout::Input> inputs,
                             ArrayRef<SmallVector<int64_t>> radices) {
  size_t odd = 0;
  for (ArrayRef<int64_t> radix : radices)
    odd += radix.size() - llvm::count(radix, 2);
  for (const Layout::Input &input : inputs)
    odd -= llvm::count_if(input.digits, [](const Layout::Digit &digit) {
      return digit.count > 2;
    });
  return odd;
}

bool Layout::isOnto() const {
  return countUnreached(inputs, radices) == 0 &&
         BitSpan(packBits()).getDimension() == getOutputBits();
}

bool Layout::isInjective() const {
  std::vector<uint64_t> columns = packBits();
  return BitSpan(columns).getDimension() == columns.size();
}

Expected<Layout> Layout::invert() const {
  BitSpan span(packBits());
  unsigned bits = getOutputBits();
  if (span.getDimension() != bits)
    return llvm::createStringError(llvm::formatv(
        "the bits reach 2^{0} of 2^{1} coordinates: the others have "
        "no place",
        span.getDimension(), bits));
  if (size_t odd = countUnreached(inputs, radices))
    return llvm::createStringError(
        llvm::formatv("{0} of the digits that are no bits have no place", odd));

  // The place with these bits set, and the place of an odd digit.
  auto unpackPlace = [&](uint64_t word) {
    SmallVector<int64_t, 2> place(inputs.size(), 0);
    for (auto [in, input] : llvm::enumerate(inputs)) {
      int64_t weight = 1;
      for (const Digit &digit : input.digits) {
        if (digit.count == 2) {
          place[in] += int64_t(word & 1) * weight;
          word >>= 1;
        }
        weight *= digit.count;
      }
    }
    return place;
  };
  auto placeOfStep = [&](unsigned out, int64_t step) {
    SmallVector<int64_t, 2> place(inputs.size(), 0);
    for (auto [in, input] : llvm::enumerate(inputs)) {
      int64_t weight = 1;
      for (const Digit &digit : input.digits) {
        if (digit.count > 2 && digit.basis[out] == step)
          place[in] = weight;
        weight *= digit.count;
      }
    }
    return place;
  };

  std::vector<Input> newInputs;
  unsigned bit = 0;
  for (auto [out, output] : llvm::enumerate(outputs)) {
    Input &input = newInputs.emplace_back(Input{output.name, {}});
    int64_t weight = 1;
    for (int64_t prime : radices[out]) {
      input.digits.push_back(
          {prime == 2 ? unpackPlace(*span.solve(uint64_t(1) << bit++))
                      : placeOfStep(out, weight),
           prime});
      weight *= prime;
    }
  }
  std::vector<Output> newOutputs;
  for (auto [in, input] : llvm::enumerate(inputs))
    newOutputs.push_back({input.name, getInputSize(in)});
  return get(std::move(newInputs), std::move(newOutputs));
}

//===----------------------------------------------------------------------===//
// Composition
//===----------------------------------------------------------------------===//

static std::string radixText(ArrayRef<int64_t> radix) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(radix, os, "*");
  return text.empty() ? "1" : text;
}

Expected<Layout> Layout::compose(const Layout &next) const {
  if (outputs.size() != next.inputs.size())
    return llvm::createStringError(
        llvm::formatv("{0} outputs do not fit {1} inputs", outputs.size(),
                      next.inputs.size()));
  SmallVector<unsigned> inputOfOutput;
  for (auto [output, radix] : llvm::zip_equal(outputs, radices)) {
    const auto *input = llvm::find_if(
        next.getInputs(), [&, &name = output.name](const Input &candidate) {
          return candidate.name == name;
        });
    unsigned in = input - next.getInputs().begin();
    if (input == next.getInputs().end() || next.getInputSize(in) != output.size)
      return llvm::createStringError(llvm::formatv(
          "output '{0}' of size {1} has no input of that name and "
          "size",
          output.name, output.size));
    auto counts = llvm::map_to_vector(
        input->digits, [](const Digit &digit) { return digit.count; });
    if (ArrayRef<int64_t>(counts) != ArrayRef<int64_t>(radix))
      return llvm::createStringError(
          llvm::formatv("'{0}' has the digits {1} on one side and {2} on the "
                        "other: they must be the same",
                        output.name, radixText(radix), radixText(counts)));
    inputOfOutput.push_back(in);
  }

  // Both a bit's contribution and an odd digit's step are places of `next`.
  std::vector<Input> newInputs = inputs;
  SmallVector<int64_t> middle(next.inputs.size());
  for (Input &input : newInputs)
    for (Digit &digit : input.digits) {
      for (auto [in, coordinate] : llvm::zip_equal(inputOfOutput, digit.basis))
        middle[in] = coordinate;
      digit.basis.assign(next.apply(middle));
    }
  return get(std::move(newInputs), next.outputs);
}

Expected<Layout> Layout::product(const Layout &other) const {
  if (outputs != other.outputs)
    return llvm::createStringError("a product of layouts of different tiles");
  std::vector<Input> both = inputs;
  llvm::append_range(both, other.inputs);
  return get(std::move(both), outputs);
}

Expected<Layout>
Layout::getPart(llvm::function_ref<bool(StringRef)> wanted) const {
  std::vector<Input> part;
  for (const Input &input : inputs)
    if (wanted(input.name))
      part.push_back(input);
  return get(std::move(part), outputs);
}

//===----------------------------------------------------------------------===//
// Common layouts
//===----------------------------------------------------------------------===//

Expected<Layout> Layout::rowMajor(StringRef name, ArrayRef<int64_t> shape) {
  std::vector<Output> outputs;
  Input input{name.str(), {}};
  for (auto [i, size] : llvm::enumerate(shape))
    outputs.push_back({dimName(i), size});
  for (unsigned i = shape.size(); i-- > 0;) {
    if (shape[i] == 1)
      continue;
    SmallVector<int64_t, 2> step(shape.size(), 0);
    step[i] = 1;
    input.digits.push_back({step, shape[i]});
  }
  return get({std::move(input)}, std::move(outputs));
}

Expected<Layout> Layout::swizzle(StringRef name, int64_t size, unsigned width,
                                 unsigned from, unsigned to) {
  if (from < to + width)
    return llvm::createStringError(llvm::formatv(
        "a swizzle of {0} bits from {1} to {2} reads what it writes: "
        "'from' must be at least {3}",
        width, from, to, to + width));
  if (size < 1)
    return llvm::createStringError(
        llvm::formatv("a swizzle of {0} values: sizes begin at 1", size));
  unsigned bits = llvm::countr_zero(uint64_t(size));
  int64_t odd = size >> bits;
  if (odd > 1 && bits < from + width)
    return llvm::createStringError(llvm::formatv(
        "a swizzle of bits up to {0} needs a size that {1} divides, "
        "or a power of two: {2} is neither",
        from + width - 1, int64_t(1) << (from + width), size));
  Input input{name.str(), {}};
  for (unsigned bit = 0; bit < bits; ++bit) {
    int64_t basis = int64_t(1) << bit;
    if (bit >= from && bit < from + width)
      basis |= int64_t(1) << (bit - from + to);
    input.digits.push_back({{basis}, 2});
  }
  if (odd > 1)
    input.digits.push_back({{int64_t(1) << bits}, odd});
  return get({std::move(input)}, {{name.str(), size}});
}
