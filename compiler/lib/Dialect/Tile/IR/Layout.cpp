//===- Layout.cpp - Where the elements of a tile are ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom::tile;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::SmallVector;
using llvm::StringRef;

// A place and a tuple of coordinates each fit into one machine word, which is
// what elimination works on, and their prime factors are found by trial.
static constexpr unsigned maxBits = 40;

//===----------------------------------------------------------------------===//
// Making one
//===----------------------------------------------------------------------===//

template <typename Range>
static llvm::Error checkNames(const Range &range) {
  for (size_t i = 0; i < range.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (range[i].name == range[j].name)
        return llvm::createStringError(
            llvm::formatv("'{0}' is named twice", range[i].name));
  return llvm::Error::success();
}

/// The only output along which a digit steps, or none.
static std::optional<unsigned> stepOutput(ArrayRef<int64_t> basis) {
  auto isStep = [](int64_t coordinate) { return coordinate != 0; };
  if (llvm::count_if(basis, isStep) != 1)
    return std::nullopt;
  return llvm::find_if(basis, isStep) - basis.begin();
}

/// The primes of a number in ascending order.
static SmallVector<int64_t> factorNumber(int64_t number) {
  SmallVector<int64_t> primes;
  for (int64_t prime = 2; number > 1; ++prime) {
    if (prime * prime > number)
      prime = number;
    for (; number % prime == 0; number /= prime)
      primes.push_back(prime);
  }
  return primes;
}

/// The digits of an input as primes, those of one digit in ascending order.
static Expected<Layout::Input> factor(const Layout::Input &input,
                                      ArrayRef<Layout::Output> outputs) {
  Layout::Input result{input.name, {}};
  for (auto [i, digit] : llvm::enumerate(input.digits)) {
    if (digit.basis.size() != outputs.size())
      return llvm::createStringError(
          llvm::formatv("digit {0} of '{1}' has {2} coordinates: give {3}", i,
                        input.name, digit.basis.size(), outputs.size()));
    if (digit.count < 1)
      return llvm::createStringError(
          llvm::formatv("digit {0} of '{1}' has {2} values: counts begin at 1",
                        i, input.name, digit.count));
    if (digit.count == 2) {
      result.digits.push_back(digit);
      continue;
    }
    std::optional<unsigned> out = stepOutput(digit.basis);
    if (digit.count > 2 && !out)
      return llvm::createStringError(
          llvm::formatv("digit {0} of '{1}' has {2} values: its step must be "
                        "along exactly one dimension",
                        i, input.name, digit.count));
    if (out && digit.count - 1 > (outputs[*out].size - 1) / digit.basis[*out])
      return llvm::createStringError(
          llvm::formatv("digit {0} of '{1}' takes {2} values in steps of {3}: "
                        "that is more than '{4}' has, {5}",
                        i, input.name, digit.count, digit.basis[*out],
                        outputs[*out].name, outputs[*out].size));
    Layout::Digit rest = digit;
    for (int64_t prime : factorNumber(digit.count)) {
      result.digits.push_back({rest.basis, prime});
      rest.basis[*out] *= prime;
    }
  }
  return result;
}

Expected<Layout> Layout::get(std::vector<Input> inputs,
                             std::vector<Output> outputs) {
  if (llvm::Error error = checkNames(inputs))
    return error;
  if (llvm::Error error = checkNames(outputs))
    return error;
  unsigned inBits = 0, outBits = 0;
  for (const Output &output : outputs) {
    if (output.size < 1)
      return llvm::createStringError(llvm::formatv(
          "'{0}' has size {1}: sizes begin at 1", output.name, output.size));
    outBits += llvm::Log2_64_Ceil(output.size);
  }
  for (const Input &input : inputs)
    for (const Digit &digit : input.digits) {
      inBits += llvm::Log2_64_Ceil(std::max<int64_t>(digit.count, 1));
      for (auto [coordinate, output] : llvm::zip(digit.basis, outputs))
        if (coordinate < 0 || coordinate >= output.size)
          return llvm::createStringError(llvm::formatv(
              "'{0}' has a digit that reaches {1} in '{2}': "
              "coordinates are in 0 to {3}",
              input.name, coordinate, output.name, output.size - 1));
    }
  if (inBits > maxBits || outBits > maxBits)
    return llvm::createStringError(llvm::formatv(
        "the inputs have {0} bits and the outputs {1}: at most {2} "
        "of each",
        inBits, outBits, maxBits));

  Layout layout;
  for (const Input &input : inputs) {
    Expected<Input> factored = factor(input, outputs);
    if (!factored)
      return factored.takeError();
    layout.inputs.push_back(std::move(*factored));
  }
  layout.outputs = std::move(outputs);
  if (llvm::Error error = layout.findRadices())
    return error;
  layout.sortDigits();
  return layout;
}

/// The odd digit of a radix that a bit with this coordinate would reach into.
static std::optional<int64_t> findOddDigit(int64_t coordinate,
                                           ArrayRef<int64_t> radix) {
  for (int64_t prime : radix) {
    if (prime > 2 && coordinate % prime)
      return prime;
    coordinate /= prime;
  }
  return std::nullopt;
}

/// The digits of output `out`. Its odd ones are where the inputs' odd digits
/// step; what is between them and below them must be bits. Odd digits of its
/// size that no input has are above these, as high as the bits of the inputs
/// let them be.
static Expected<SmallVector<int64_t>> findRadix(ArrayRef<Layout::Input> inputs,
                                                unsigned out,
                                                const Layout::Output &output) {
  SmallVector<std::pair<int64_t, int64_t>> steps;
  SmallVector<int64_t> reached;
  for (const Layout::Input &input : inputs)
    for (const Layout::Digit &digit : input.digits) {
      if (digit.count == 2)
        reached.push_back(digit.basis[out]);
      else if (digit.count > 2 && digit.basis[out])
        steps.push_back({digit.basis[out], digit.count});
    }
  llvm::sort(steps);
  SmallVector<int64_t> radix;
  int64_t below = 1;
  for (auto [step, prime] : steps) {
    if (step % below || !llvm::isPowerOf2_64(step / below))
      return llvm::createStringError(
          llvm::formatv("'{0}' has a digit of {1} values with step {2}, but "
                        "what is below it has {3} values: the step must be {3} "
                        "times a power of two",
                        output.name, prime, step, below));
    radix.append(llvm::Log2_64(step / below), 2);
    radix.push_back(prime);
    below = step * prime;
  }
  if (output.size % below)
    return llvm::createStringError(
        llvm::formatv("'{0}' has size {1}, of which digits that are no bits "
                      "account for {2}: that does not divide it",
                      output.name, output.size, below));
  unsigned bits = llvm::countr_zero(uint64_t(output.size / below));
  SmallVector<int64_t> unreached = factorNumber(output.size / below >> bits);
  SmallVector<int64_t> candidate;
  for (unsigned above = 0; above <= bits; ++above) {
    candidate = radix;
    candidate.append(bits - above, 2);
    llvm::append_range(candidate, unreached);
    candidate.append(above, 2);
    if (unreached.empty() || llvm::none_of(reached, [&](int64_t coordinate) {
          return findOddDigit(coordinate, candidate).has_value();
        }))
      break;
  }
  return candidate;
}

/// An error if a bit of an input reaches into an odd digit of an output.
llvm::Error Layout::findRadices() {
  radices.clear();
  for (auto [out, output] : llvm::enumerate(outputs)) {
    Expected<SmallVector<int64_t>> radix = findRadix(inputs, out, output);
    if (!radix)
      return radix.takeError();
    radices.push_back(std::move(*radix));
  }

  for (const Input &input : inputs)
    for (auto [i, digit] : llvm::enumerate(input.digits))
      for (auto [coordinate, output, radix] :
           llvm::zip_equal(digit.basis, outputs, radices))
        if (digit.count == 2)
          if (std::optional<int64_t> prime = findOddDigit(coordinate, radix))
            return llvm::createStringError(
                llvm::formatv("digit {0} of '{1}' is a bit and reaches {2} in "
                              "'{3}', which lies in a digit of {4} values",
                              i, input.name, coordinate, output.name, *prime));
  bitsAreLow = llvm::all_of(
      radices, [](ArrayRef<int64_t> radix) { return llvm::is_sorted(radix); });
  return llvm::Error::success();
}

/// Two digits that are neighbors in an input and in an output, the lower with
/// p values and step s, the upper with q values and step p * s, count to p * q
/// in steps of s; so do q values with step s below p values with step q * s.
/// The smaller prime goes below. A bit can take part if no other bit
/// contributes to the same bit of the output.
void Layout::sortDigits() {
  auto isShared = [&](const Digit &digit) {
    if (digit.count > 2)
      return false;
    uint64_t bit = pack(digit.basis);
    int users = 0;
    for (uint64_t other : packBits())
      users += (other & bit) != 0;
    return users > 1;
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (Input &input : inputs)
      for (size_t i = 1; i < input.digits.size(); ++i) {
        Digit &lower = input.digits[i - 1], &upper = input.digits[i];
        std::optional<unsigned> out = stepOutput(lower.basis);
        if (lower.count <= upper.count || !out ||
            out != stepOutput(upper.basis) ||
            lower.basis[*out] * lower.count != upper.basis[*out] ||
            isShared(lower) || isShared(upper))
          continue;
        upper.basis[*out] = lower.basis[*out] * upper.count;
        std::swap(lower.count, upper.count);
        // The digits are those of a valid layout, so this cannot fail.
        llvm::cantFail(findRadices());
        changed = true;
      }
  }
}

//===----------------------------------------------------------------------===//
// Sizes and application
//===----------------------------------------------------------------------===//

std::string Layout::dimName(unsigned i) { return "dim" + std::to_string(i); }

int64_t Layout::getInputSize(unsigned in) const {
  int64_t size = 1;
  for (const Digit &digit : inputs[in].digits)
    size *= digit.count;
  return size;
}

SmallVector<int64_t> Layout::apply(ArrayRef<int64_t> place) const {
  uint64_t word = 0;
  SmallVector<int64_t> result(outputs.size(), 0), low = result;
  for (auto [input, number] : llvm::zip_equal(inputs, place)) {
    int64_t rest = number;
    for (const Digit &digit : input.digits) {
      int64_t value = rest % digit.count;
      rest /= digit.count;
      if (digit.count == 2) {
        if (value && bitsAreLow)
          for (auto [bits, basis] : llvm::zip_equal(low, digit.basis))
            bits ^= basis;
        else if (value)
          word ^= pack(digit.basis);
        continue;
      }
      for (auto [coordinate, step] : llvm::zip_equal(result, digit.basis))
        coordinate += value * step;
    }
  }
  for (auto [coordinate, bits] :
       llvm::zip_equal(result, bitsAreLow ? low : unpack(word)))
    coordinate += bits;
  return result;
}

//===----------------------------------------------------------------------===//
// Hash and print
//===----------------------------------------------------------------------===//

llvm::hash_code drawloom::tile::hash_value(const Layout &layout) {
  llvm::hash_code code =
      llvm::hash_combine(layout.getInputs().size(), layout.getOutputs().size());
  for (const Layout::Input &input : layout.getInputs()) {
    code = llvm::hash_combine(code, input.name, input.digits.size());
    for (const Layout::Digit &digit : input.digits)
      code = llvm::hash_combine(code, digit.count,
                                llvm::hash_combine_range(digit.basis));
  }
  for (const Layout::Output &output : layout.getOutputs())
    code = llvm::hash_combine(code, output.name, output.size);
  return code;
}

void Layout::print(llvm::raw_ostream &os) const {
  llvm::interleave(
      outputs, os, [&](const Output &output) { os << output.size; }, "x");
  for (const Input &input : inputs) {
    os << ", " << input.name << " = [";
    llvm::interleaveComma(input.digits, os, [&](const Digit &digit) {
      os << '[';
      llvm::interleaveComma(digit.basis, os);
      os << ']';
      if (digit.count > 2)
        os << " by " << digit.count;
    });
    os << ']';
  }
}

llvm::raw_ostream &drawloom::tile::operator<<(llvm::raw_ostream &os,
                                              const Layout &layout) {
  layout.print(os);
  return os;
}
